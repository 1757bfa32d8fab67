"""What becomes of a booking that waits for its deposit. ``app.checkout`` decides which."""

from typing import Any

from sqlalchemy.orm import Session

from app.booking.moves import move
from app.booking.states import Move, Status, after
from app.booking.views import BookingView
from app.booking.visits import take_again
from app.events import WORKER, Actor


def pay(
    session: Session, booking: BookingView, *, actor: Actor, told: dict[str, Any]
) -> BookingView:
    """Confirm a locked booking whose deposit is here; one that expired takes its time again.

    Raises:
        SlotTaken: it had expired, and somebody has the time by now.
    """
    after(booking.status, Move.PAY)
    if booking.status is Status.EXPIRED:
        take_again(session, booking)
    return move(session, booking, Move.PAY, actor=actor, told=told)


def waive(
    session: Session, booking: BookingView, *, actor: Actor, told: dict[str, Any]
) -> BookingView:
    """Confirm a locked booking without the deposit it was waiting for."""
    changes = {"deposit_cents": 0}
    return move(session, booking, Move.WAIVE, actor=actor, changes=changes, told=told)


def expire_unpaid(session: Session, booking: BookingView) -> BookingView:
    """Write down that a locked booking's time is over and nobody paid."""
    return move(session, booking, Move.EXPIRE, actor=WORKER)
