"""The ledger beside the bank's list."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from app.cashier.reconciling import Difference, Reconciliation, Sums, reconcile
from app.checkout import actions
from app.devservices.pix_bank.faults import Fault
from app.payments.pix.gateway import ProviderDown
from tests.checkout.scenes import Desk
from tests.factories import DESK
from tests.payments.scenes import CLIENT


def compare(desk: Desk) -> Reconciliation:
    now = desk.clock.now()
    return reconcile(desk.location.id, desk.account.id, since=now - timedelta(days=1), until=now)


def test_both_sides_agree_to_the_cent(desk: Desk) -> None:
    desk.paid("2026-03-10 10:00")
    booking = desk.paid("2026-03-10 12:00")
    actions.cancel(desk.session, desk.location.id, booking.id, actor=DESK)
    [due] = desk.due()
    actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.session.commit()
    desk.work()
    desk.bank.tick()
    desk.pass_time(seconds=5)

    found = compare(desk)

    assert found.differences == ()
    assert found.payments == 2
    assert found.ours == found.theirs == Sums(received=100_00, returned=50_00)


def test_money_that_nobody_told_is_a_difference(desk: Desk) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)

    found = compare(desk)

    assert found.differences == (Difference(pix["endToEndId"], None, Sums(50_00, 0)),)
    desk.look()
    assert compare(desk).differences == ()


def test_money_that_the_bank_does_not_know_is_a_difference(desk: Desk) -> None:
    desk.paid()
    [payment] = desk.payments()
    desk.bank.books.pix.clear()

    found = compare(desk)

    assert found.differences == (Difference(payment.end_to_end_id or "", Sums(50_00, 0), None),)
    assert (found.ours, found.theirs) == (Sums(50_00, 0), Sums(0, 0))


def test_what_the_bank_took_back_is_a_difference_until_it_is_seen(desk: Desk) -> None:
    desk.paid()
    [payment] = desk.payments()
    name = payment.end_to_end_id or ""
    desk.bank.refunds.take_back(CLIENT, name, payment.amount_cents)

    assert compare(desk).differences == (Difference(name, Sums(50_00, 0), Sums(50_00, 50_00)),)
    desk.tell(desk.bank.books.payment(CLIENT, name))
    assert compare(desk).differences == ()


def test_one_cent_is_a_difference(desk: Desk) -> None:
    desk.paid()
    desk.session.execute(text("ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only"))
    desk.session.execute(text("UPDATE ledger_entry SET cents = cents - 1"))
    desk.session.execute(text("ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_append_only"))

    [difference] = compare(desk).differences

    assert (difference.ours, difference.theirs) == (Sums(49_99, 0), Sums(50_00, 0))


def test_given_back_in_cash_is_nothing_the_bank_knows_of(desk: Desk) -> None:
    booking = desk.paid()
    actions.cancel(desk.session, desk.location.id, booking.id, actor=DESK)
    [due] = desk.due()
    actions.note_returned(
        desk.session, desk.location.id, due.payment_id, note="en efectivo", actor=DESK
    )
    desk.session.commit()

    assert compare(desk).differences == ()


def test_a_bank_that_is_down_says_so(desk: Desk) -> None:
    desk.bank.faults.add("GET /pix", Fault.DOWN)

    with pytest.raises(ProviderDown):
        compare(desk)
