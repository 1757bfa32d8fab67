from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking.allocation import Want, retake
from app.booking.moves import move
from app.booking.queries import allocations_of, get_booking_for_update
from app.booking.standing import check_standing, check_window
from app.booking.states import Move, Status, after
from app.booking.views import BookingView
from app.catalog.models import EXCLUSIVE
from app.events import Actor


def cancel(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    reason: str | None = None,
    within_policy: bool = False,
    version: int | None = None,
) -> BookingView:
    """Cancel a hold or booking and free its slot.

    ``within_policy`` applies the cancellation window in force when it was booked: the customer's
    side asks for it, staff does not.

    Raises:
        OutsideCancellationWindow: too near to the start for the customer's side.
        HoldExpired, NotAllowedNow: there is nothing left to cancel.
    """
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(booking, clock, version)
    if within_policy:
        check_window(booking, clock)
    return move(
        session,
        booking,
        Move.CANCEL,
        actor=actor,
        changes={"cancel_reason": reason},
        told={"reason": reason},
    )


def check_in(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    version: int | None = None,
) -> BookingView:
    """Note that the customer arrived."""
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(booking, clock, version)
    return move(session, booking, Move.CHECK_IN, actor=actor, changes={"checked_in_at": clock})


def complete(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    version: int | None = None,
) -> BookingView:
    """Note that the customer was served; the rest of the time is free."""
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(booking, clock, version)
    return move(session, booking, Move.COMPLETE, actor=actor)


def undo(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    version: int | None = None,
) -> BookingView:
    """Take an arrival or an absence back: confirmed again, if the resources are still free.

    An absence that a person took back is not suggested again; after an arrival it may be.

    Raises:
        SlotTaken: somebody has booked the time since.
        NotAllowedNow: nothing that can be undone.
    """
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(booking, clock, version)
    after(booking.status, Move.UNDO)
    changes: dict[str, datetime | None] = {"checked_in_at": None}
    if booking.status is Status.NO_SHOW:
        take_again(session, booking)
        changes = {"no_show_by": None, "no_show_dismissed_at": clock}
    return move(session, booking, Move.UNDO, actor=actor, changes=changes)


def take_again(session: Session, booking: BookingView) -> None:
    """Take the resources that a booking gave back, as they were.

    Raises:
        SlotTaken: one of them is somebody else's by now.
    """
    kept = allocations_of(session, booking.location_id, booking.id)
    wants = [Want(row.resource_id, row.units, row.kind == EXCLUSIVE) for row in kept]
    during = (kept[0].since, kept[0].until)
    retake(session, booking.location_id, booking.id, wants, during=during)
