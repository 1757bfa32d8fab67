"""Deposits that come by another way than the code."""

import pytest
from sqlalchemy import select

from app.booking.errors import HoldExpired, NotAllowedNow, StaleVersion
from app.booking.states import Status
from app.checkout import actions
from app.errors import InvalidFields, NotFound
from app.events import Audit
from app.ids import new_id
from app.money import Cents
from app.payments.errors import NotDue
from app.payments.models import Method
from tests.checkout.scenes import ANA, DEPOSIT, Desk
from tests.factories import BOT, DESK


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_waived_deposit_confirms_and_says_why(desk: Desk, is_asked: bool) -> None:
    booking = desk.ask() if is_asked else desk.hold()

    confirmed = actions.waive_deposit(
        desk.session,
        desk.location.id,
        booking.id,
        reason="clienta de siempre",
        actor=DESK,
        contact=ANA,
    )
    desk.session.commit()

    assert (confirmed.status, confirmed.deposit_cents) == (Status.CONFIRMED, 0)
    assert desk.see(booking) == confirmed
    line = last_line(desk)
    assert (line.actor, line.action) == (DESK.name, "booking.confirmed")
    assert (line.detail["reason"], line.detail["waived_cents"]) == ("clienta de siempre", DEPOSIT)
    desk.work()
    desk.work()
    assert [charge.status for charge in desk.charges()] == ["over"] * is_asked
    desk.check()


def last_line(desk: Desk) -> Audit:
    line = desk.session.scalars(select(Audit).order_by(Audit.id.desc())).first()
    assert line is not None
    return line


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_deposit_in_cash_is_written_down(desk: Desk, is_asked: bool) -> None:
    booking = desk.ask() if is_asked else desk.hold()

    actions.receive_by_hand(
        desk.session,
        desk.location.id,
        booking.id,
        method=Method.CASH,
        note="en mostrador",
        actor=DESK,
        contact=ANA,
    )
    desk.session.commit()

    [payment] = desk.payments()
    assert desk.see(booking).status is Status.CONFIRMED
    assert (payment.method, payment.standing, payment.amount_cents) == ("cash", "applied", DEPOSIT)
    line = last_line(desk)
    assert (line.actor, line.action) == (DESK.name, "payment.paid")
    assert line.detail["method"] == "cash"
    desk.check()


def test_nobody_takes_pix_by_hand(desk: Desk) -> None:
    held = desk.hold()

    with pytest.raises(InvalidFields):
        actions.receive_by_hand(
            desk.session, desk.location.id, held.id, method=Method.PIX, note="", actor=DESK
        )


def test_why_a_deposit_is_waived_has_to_be_said(desk: Desk) -> None:
    with pytest.raises(InvalidFields):
        actions.waive_deposit(desk.session, desk.location.id, desk.hold().id, reason="", actor=DESK)


def test_what_waits_for_nothing_cannot_be_waived(desk: Desk) -> None:
    booking = desk.paid()
    key = (desk.session, desk.location.id, booking.id)

    with pytest.raises(NotAllowedNow):
        actions.waive_deposit(*key, reason="x", actor=DESK)
    with pytest.raises(NotAllowedNow):
        actions.receive_by_hand(*key, method=Method.CASH, note="", actor=DESK)


def test_what_is_over_or_changed_is_refused(desk: Desk) -> None:
    held = desk.hold()
    key = (desk.session, desk.location.id, held.id)
    with pytest.raises(StaleVersion):
        actions.waive_deposit(*key, reason="x", actor=DESK, version=7)
    desk.clock.advance(minutes=16)

    with pytest.raises(HoldExpired):
        actions.waive_deposit(*key, reason="x", actor=DESK)
    with pytest.raises(HoldExpired):
        desk.confirm(held.id)


def test_cash_given_back_is_noted_and_never_sent(desk: Desk) -> None:
    held = desk.hold()
    key = (desk.session, desk.location.id, held.id)
    actions.receive_by_hand(*key, method=Method.CASH, note="", actor=DESK)
    actions.cancel(*key, actor=DESK)
    [due] = desk.due()
    with pytest.raises(NotDue):
        actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)

    actions.note_returned(
        desk.session, desk.location.id, due.payment_id, note="firmó el recibo", actor=DESK
    )
    desk.session.commit()

    assert desk.due() == []
    assert [p.standing for p in desk.payments()] == ["returned"]
    desk.check()


def late_money(desk: Desk) -> None:
    """50.00 that came too late for its booking."""
    booking = desk.ask()
    desk.pass_time(minutes=15, seconds=1)
    desk.tell(desk.pay(booking, is_late=True, is_forced=True))


def test_rebooking_moves_the_money_to_the_new_booking(desk: Desk) -> None:
    """C02: money that was late pays for the next booking."""
    late_money(desk)
    [due] = desk.due()
    held = desk.hold("2026-03-10 12:00")

    confirmed = actions.use_payment(
        desk.session, desk.location.id, held.id, payment_id=due.payment_id, actor=DESK, contact=ANA
    )
    desk.session.commit()

    assert confirmed.status is Status.CONFIRMED
    assert confirmed.contact.name == ANA.name
    [payment] = desk.payments()
    assert (payment.standing, payment.booking_id, payment.reason) == ("applied", held.id, None)
    deposit = desk.deposit(held)
    assert deposit is not None
    assert (deposit.status, deposit.refund) == ("paid", None)
    assert desk.due() == []
    assert desk.events()[-1] == "payment.moved"
    desk.check()


def test_rebooked_money_is_gone_from_the_first_booking(desk: Desk) -> None:
    late_money(desk)
    [due] = desk.due()
    held = desk.hold("2026-03-10 12:00")
    key = (desk.session, desk.location.id)
    actions.use_payment(*key, held.id, payment_id=due.payment_id, actor=DESK)
    desk.session.commit()

    assert due.booking_id is not None
    first = desk.deposit(desk.see_by_id(due.booking_id))
    assert first is not None
    assert first.status == "moved"
    with pytest.raises(NotDue):
        actions.use_payment(
            *key, desk.hold("2026-03-10 14:00").id, payment_id=due.payment_id, actor=DESK
        )


def test_money_on_its_way_back_cannot_be_used(desk: Desk) -> None:
    late_money(desk)
    [due] = desk.due()
    key = (desk.session, desk.location.id, due.payment_id)
    held = desk.hold("2026-03-10 12:00")
    actions.refund_payment(*key, actor=DESK, amount=Cents(1))

    for decide in (
        lambda: actions.use_payment(*key[:2], held.id, payment_id=key[2], actor=DESK),
        lambda: actions.keep_payment(*key, note="x", actor=DESK),
        lambda: actions.note_returned(*key, note="x", actor=DESK),
    ):
        with pytest.raises(NotDue):
            decide()


def test_money_that_is_too_little_is_not_enough(desk: Desk) -> None:
    desk.tell(desk.pay(desk.ask(), amount=Cents(49_99)))
    [due] = desk.due()
    held = desk.hold("2026-03-10 12:00")

    with pytest.raises(InvalidFields):
        actions.use_payment(
            desk.session, desk.location.id, held.id, payment_id=due.payment_id, actor=DESK
        )


def test_money_of_nobody_is_not_found(desk: Desk) -> None:
    key = (desk.session, desk.location.id, new_id())

    with pytest.raises(NotFound):
        actions.use_payment(*key[:2], desk.hold().id, payment_id=key[2], actor=DESK)
    with pytest.raises(NotFound):
        actions.refund_payment(*key, actor=DESK)


def test_the_business_keeps_a_deposit_for_a_reason(desk: Desk) -> None:
    booking = desk.paid()
    actions.cancel(desk.session, desk.location.id, booking.id, actor=BOT)
    [due] = desk.due()
    key = (desk.session, desk.location.id, due.payment_id)
    with pytest.raises(InvalidFields):
        actions.keep_payment(*key, note="", actor=DESK)

    actions.keep_payment(*key, note="avisó diez minutos antes", actor=DESK)
    desk.session.commit()

    assert desk.due() == []
    assert [(p.standing, p.reason) for p in desk.payments()] == [("kept", "booking_cancelled")]
    assert last_line(desk).detail["note"] == "avisó diez minutos antes"
    desk.check()
