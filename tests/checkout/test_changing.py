"""Changes of a booking that its money goes along with."""

from sqlalchemy import text

from app.booking.states import Status
from app.booking.views import BookingView
from app.checkout import actions
from tests.checkout.scenes import Desk
from tests.factories import DESK, at

NOON = "2026-03-10 12:00"


def move(desk: Desk, booking: BookingView, wall: str = NOON) -> BookingView:
    moved = actions.reschedule(
        desk.session,
        desk.location.id,
        booking.id,
        starts_at=at(wall),
        actor=DESK,
        now=desk.clock.now(),
    )
    desk.session.commit()
    return moved


def on_booking(desk: Desk, booking: BookingView) -> int:
    """The ledger's sum on a booking, in cents."""
    found = desk.session.scalar(
        text("""
            SELECT coalesce(sum(CASE WHEN target_booking_id = :id THEN cents ELSE 0 END)
                - sum(CASE WHEN source_booking_id = :id THEN cents ELSE 0 END), 0)
            FROM ledger_entry
        """),
        {"id": booking.id},
    )
    return int(found or 0)


def test_a_paid_deposit_goes_along(desk: Desk) -> None:
    """C13: nobody pays twice, and a refund of the new one refunds the first payment."""
    booking = desk.paid()

    moved = move(desk, move(desk, booking), "2026-03-10 14:00")

    assert moved.status is Status.CONFIRMED
    assert (on_booking(desk, booking), on_booking(desk, moved)) == (0, 50_00)
    [payment] = desk.payments()
    assert (payment.standing, payment.booking_id) == ("applied", moved.id)
    assert "payment.refund_due" not in desk.events()
    desk.check()
    actions.cancel(desk.session, desk.location.id, moved.id, actor=DESK)
    desk.session.commit()
    [due] = desk.due()
    assert (due.payment_id, due.booking_id) == (payment.id, moved.id)
    assert on_booking(desk, moved) == 0
    desk.check()


def test_a_charge_that_waits_goes_along(desk: Desk) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)

    moved = move(desk, booking)
    desk.tell(pix)
    desk.work()

    assert desk.see(moved).status is Status.CONFIRMED
    assert desk.see(booking).status is Status.CANCELLED
    assert len(desk.bank.books.charges) == 1
    desk.check()


def test_a_hold_whose_bank_does_not_answer_goes_along(desk: Desk) -> None:
    held = desk.hold()
    desk.ask_in_vain(held)

    moved = move(desk, held)
    desk.pass_time(seconds=30)

    assert desk.see(moved).status is Status.PENDING_PAYMENT
    assert [charge.booking_id for charge in desk.charges()] == [moved.id]
    desk.check()


def test_a_moved_booking_can_be_confirmed_again_in_time(desk: Desk) -> None:
    """The new booking keeps what is left of the hold, and its code what is left of its time."""
    booking = desk.ask()
    before = desk.deposit(booking)
    desk.clock.advance(minutes=5)

    moved = move(desk, booking)

    after = desk.deposit(moved)
    assert before is not None
    assert after is not None
    assert (after.payable_until, after.txid) == (before.payable_until, before.txid)
    assert moved.expires_at == booking.expires_at


def test_releasing_takes_the_code_back(desk: Desk) -> None:
    booking = desk.ask()

    actions.release(desk.session, desk.location.id, booking.id, actor=DESK)
    desk.session.commit()
    desk.work()
    desk.work()

    assert [charge.status for charge in desk.charges()] == ["over"]
    [document] = desk.bank.books.charges.values()
    assert document["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert desk.due() == []
    desk.check()


def test_an_absence_leaves_the_deposit_where_it_is(desk: Desk) -> None:
    booking = desk.paid()
    desk.clock.set(at("2026-03-10 10:30"))
    desk.mark_absent(booking)

    assert desk.see(booking).status is Status.NO_SHOW
    assert on_booking(desk, booking) == 50_00
    assert desk.due() == []
    desk.check()
