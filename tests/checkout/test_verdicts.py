"""The table of what becomes of a payment: every row, on paper and with a bank."""

from itertools import product

import pytest

from app.booking.states import OCCUPYING, Status
from app.checkout import actions
from app.checkout.verdicts import Case, Verdict, judge
from app.devservices.pix_bank.faults import Fault
from app.money import Cents
from tests.checkout.scenes import TEN, Desk
from tests.conftest import Clock
from tests.factories import DESK, a_person, a_staff_user, at
from tests.payments.scenes import CLIENT

COLUMNS = ("exact in time", "exact late", "other amount", "further")
TABLE = {
    "held": ("confirm", "paid_late", "wrong_amount", "second_payment"),
    "pending_payment": ("confirm", "paid_late", "wrong_amount", "second_payment"),
    "confirmed": ("not_owed", "not_owed", "wrong_amount", "second_payment"),
    "checked_in": ("not_owed", "not_owed", "wrong_amount", "second_payment"),
    "completed": ("not_owed", "not_owed", "wrong_amount", "second_payment"),
    "cancelled": ("booking_cancelled", "booking_cancelled", "wrong_amount", "second_payment"),
    "no_show": ("not_owed", "not_owed", "wrong_amount", "second_payment"),
    "expired": ("confirm_if_free", "paid_late", "wrong_amount", "second_payment"),
}


def every_case() -> list[Case]:
    both = (True, False)
    return [Case(*each) for each in product(Status, both, both, both)]


def column_of(case: Case) -> str:
    if not case.is_first:
        return "further"
    if not case.is_exact:
        return "other amount"
    return "exact in time" if case.is_in_time else "exact late"


@pytest.mark.parametrize("case", every_case(), ids=str)
def test_every_case_has_its_verdict(case: Case) -> None:
    expected = TABLE[case.status][COLUMNS.index(column_of(case))]

    rule = judge(case)

    said = rule.reason if rule.verdict is Verdict.REFUND else rule.verdict
    assert said == expected


def test_there_are_all_cases() -> None:
    assert len(set(every_case())) == len(Status) * 2 * 2 * 2


def bring_to(desk: Desk, status: str, *, paid: bool) -> None:
    """A booking in a state, whose charge at the bank is still open unless it was paid."""
    if status == "held":
        desk.bank.faults.add("PUT /cob", Fault.LOST)
        desk.bank.faults.add("GET /cob", Fault.DOWN, times=2)
        with pytest.raises(Exception, match="payment_provider"):
            desk.confirm(desk.hold().id)
        desk.bank.faults.clear()
        return
    booking = desk.ask()
    if paid:
        desk.pay(booking)
        desk.look()
    key = (desk.session, desk.location.id, booking.id)
    if status not in {"pending_payment", "expired", "cancelled"} and not paid:
        actions.waive_deposit(*key, reason="clienta de siempre", actor=DESK)
    match status:
        case "cancelled":
            actions.cancel(*key, actor=DESK)
        case "expired":
            desk.session.commit()
            desk.clock.advance(minutes=15, seconds=1)
            desk.bank.faults.add("PATCH /cob", Fault.FORBIDDEN)  # so that it stays payable
            desk.look()
            desk.bank.faults.clear()
        case "checked_in":
            actions.check_in(*key, actor=DESK)
        case "completed":
            actions.check_in(*key, actor=DESK)
            actions.complete(*key, actor=DESK)
        case "no_show":
            desk.session.commit()
            desk.clock.set(at(TEN))
            rocio = a_person(a_staff_user(desk.session, desk.location))
            actions.confirm_no_show(*key, actor=rocio)
    desk.session.commit()


CASES = [
    (status, column, is_late, is_exact)
    for status in TABLE
    for column, is_late, is_exact in (
        ("exact in time", False, True),
        ("exact late", True, True),
        ("other amount", False, False),
        ("other amount", True, False),
        ("further", False, True),
        ("further", True, True),
        ("further", False, False),
        ("further", True, False),
    )
    if column != "further" or status in {"confirmed", "checked_in", "completed", "no_show"}
]
"""A further payment needs a first one that stayed: the others have their row on paper only."""


@pytest.mark.parametrize(("status", "column", "is_late", "is_exact"), CASES)
def test_every_row_with_a_bank(
    desk: Desk, clock: Clock, status: str, column: str, is_late: bool, is_exact: bool
) -> None:
    bring_to(desk, status, paid=column == "further")
    [charge] = desk.charges()
    start = clock.now()
    clock.set(charge.created_at)  # the customer paid while there was time, the notice is late
    pix = desk.bank.books.pay(
        CLIENT,
        charge.txid,
        amount=None if is_exact else Cents(49_99),
        is_late=is_late,
        is_forced=True,
    )
    clock.set(start)
    expected = TABLE[status][COLUMNS.index(column)]

    desk.look()
    desk.tell(pix)
    desk.tell(pix)

    payment = desk.payments()[-1]
    booking = desk.see_by_id(charge.booking_id)
    if expected.startswith("confirm"):
        assert (payment.standing, booking.status) == ("applied", Status.CONFIRMED)
        assert desk.events()[-1] == "payment.paid"
    else:
        assert (payment.standing, payment.reason) == ("due", expected)
        is_waiting = status in {"held", "pending_payment"}
        assert booking.status == ("pending_payment" if is_waiting else status)
        assert desk.events()[-1] == "payment.refund_due"
    assert desk.events().count("payment.paid") == (
        1 if expected.startswith("confirm") or column == "further" else 0
    )
    assert (booking.status in OCCUPYING) == (
        status in {s.value for s in OCCUPYING} or expected.startswith("confirm")
    )
    desk.check()
