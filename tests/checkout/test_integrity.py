"""Each promise about money is broken here once, so the check is known to see."""

import pytest
from sqlalchemy import text

from app.checkout import actions
from app.checkout.integrity import FAULTS, MONEY, find_faults
from app.money import Cents
from tests.checkout.scenes import Desk
from tests.factories import DESK

PLANTED = {
    "a payment whose ledger does not say where it is": (
        "UPDATE payment SET standing = 'due', reason = 'paid_late' WHERE standing = 'applied'",
    ),
    "more on its way back than came in": (
        "UPDATE refund SET amount_cents = amount_cents + 1 WHERE status <> 'failed'",
    ),
    "money on a booking that is over": (
        "UPDATE booking SET status = 'cancelled', cancel_reason = 'x' WHERE status = 'confirmed'",
    ),
    "a deposit paid twice": (
        """UPDATE payment SET standing = 'applied', reason = NULL, booking_id = (
            SELECT booking_id FROM payment WHERE standing = 'applied')""",
    ),
    "a booking that waits for a payment without a charge": (
        "UPDATE charge SET next_look_at = NULL",
    ),
    "a booking with a deposit that was confirmed without it": (
        "UPDATE payment SET booking_id = NULL, standing = 'due', reason = 'unmatched'",
    ),
}


def a_day_of_deposits(desk: Desk) -> None:
    desk.paid("2026-03-10 10:00")
    desk.tell(desk.pay(desk.ask("2026-03-10 12:00"), amount=Cents(1_00)))
    [due] = desk.due()
    actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.ask("2026-03-10 14:00")
    desk.session.commit()


def test_a_day_that_went_well_has_no_faults(desk: Desk) -> None:
    a_day_of_deposits(desk)

    desk.check()


@pytest.mark.parametrize("fault", MONEY)
def test_each_fault_is_found(desk: Desk, fault: str) -> None:
    a_day_of_deposits(desk)
    for statement in PLANTED[fault]:
        desk.session.execute(text(statement))

    assert fault in {found.what for found in find_faults(desk.session)}


def test_the_check_of_bookings_is_part_of_it() -> None:
    assert len(FAULTS) == len(MONEY) + 5
