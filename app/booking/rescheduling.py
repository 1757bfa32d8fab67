from dataclasses import replace
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking.allocation import lock_all
from app.booking.errors import NoChange
from app.booking.moves import move
from app.booking.placing import Wanted, place
from app.booking.queries import get_booking_for_update
from app.booking.standing import check_standing, check_window
from app.booking.states import Move, after
from app.booking.views import BookingView
from app.booking.writing import names_of, write_booking
from app.events import Actor, Event
from app.ids import new_id

RESCHEDULED = "rescheduled"


def reschedule(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    starts_at: datetime,
    actor: Actor,
    now: datetime,
    resource_ids: tuple[UUID, ...] = (),
    request_key: str | None = None,
    at_desk: bool = False,
    override: str | None = None,
    within_policy: bool = False,
    version: int | None = None,
) -> BookingView:
    """Make a new booking at another time or with others, and cancel the old one; give the new.

    The new one keeps state, remaining hold time, price, policy and customer. Without
    ``resource_ids`` the same resources come first, then any that fits. It may overlap the old
    one's own time. When it fails the old one is as it was.

    Raises:
        AlreadyRescheduled: a chain is linear; move its last link.
        OutsideCancellationWindow: too near to the start, ``within_policy``.
        NoChange: neither time nor resources differ.
        SlotTaken, Invalid, NotFound: as for a hold.
    """
    old, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(old, clock, version)
    if within_policy:
        check_window(old, clock)
    after(old.status, Move.CANCEL)
    same_place = {resource.id for resource in old.resources}
    if starts_at == old.starts_at and set(resource_ids) <= same_place:
        raise NoChange
    wanted = Wanted(
        location_id,
        old.service_id,
        starts_at,
        resource_ids=resource_ids,
        units=old.units,
        at_desk=at_desk,
        override=override,
    )
    new = replace(old, id=new_id(), rescheduled_from=old.id, starts_at=starts_at, version=1)
    lock_all(session, location_id, old.service_id, same_place)
    with session.begin_nested():
        move(
            session,
            old,
            Move.CANCEL,
            actor=actor,
            changes={"cancel_reason": RESCHEDULED, "rescheduled_to": new.id},
            told={"reason": RESCHEDULED, "rescheduled_to": str(new.id)},
        )
        placed = place(session, new.id, wanted, now=now, prefer=frozenset(same_place))
        return write_booking(
            session,
            replace(new, ends_at=starts_at + placed.offer.duration, resources=names_of(placed)),
            Event.RESCHEDULED,
            actor=actor,
            hold_for=None,
            request_key=request_key,
            told={
                "rescheduled_from": str(old.id),
                "old_starts_at": old.starts_at.isoformat(),
                "old_resource_ids": [str(resource.id) for resource in old.resources],
                "override": override,
            },
        )
