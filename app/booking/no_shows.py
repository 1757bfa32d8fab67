"""Absences: the system suggests them, a person decides, nothing else sets ``no_show``."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.errors import NotAllowedNow
from app.booking.expiry import BATCH
from app.booking.moves import RECORDED, move, recorded_by, write
from app.booking.queries import get_booking_for_update
from app.booking.standing import check_standing
from app.booking.states import Move, Status, after
from app.booking.views import BookingView
from app.errors import Refused
from app.events import WORKER, Actor, Event

_SUGGEST = text(f"""
    WITH late AS MATERIALIZED (
        SELECT b.location_id, b.id FROM booking b
        WHERE b.status = 'confirmed' AND b.no_show_suggested_at IS NULL
            AND b.starts_at <= clock_now()
            AND b.starts_at <= clock_now() - make_interval(
                mins => (b.policy ->> 'no_show_grace_minutes')::int)
        ORDER BY b.starts_at LIMIT :batch
        FOR UPDATE SKIP LOCKED
    ), told AS (
        UPDATE booking b SET no_show_suggested_at = clock_now(), version = b.version + 1,
            updated_at = clock_now()
        FROM late WHERE b.location_id = late.location_id AND b.id = late.id
        RETURNING b.location_id, b.id, jsonb_build_object(
            'status', b.status, 'starts_at', b.starts_at, 'ends_at', b.ends_at,
            'resource_ids', (SELECT jsonb_agg(a.resource_id) FROM allocation a
                WHERE a.location_id = b.location_id AND a.booking_id = b.id)) AS payload
    ), {RECORDED}
    SELECT count(*) FROM told
""")


def suggest_no_shows(session: Session, *, batch: int = BATCH) -> int:
    """Put confirmed bookings whose start and grace passed without arrival up for review.

    Tells how many; each is suggested once, however many workers run. One statement.
    """
    suggested: int = session.execute(
        _SUGGEST,
        {"batch": batch, "event": Event.NO_SHOW_SUGGESTED.value, **recorded_by(WORKER)},
    ).scalar_one()
    return suggested


def confirm_no_show(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    version: int | None = None,
) -> BookingView:
    """Mark an absence, in the name of the person who decided it.

    Raises:
        Refused: the actor is not a person; neither a job nor an API key may.
        NotAllowedNow: not a confirmed booking, or it has not begun yet.
    """
    if not actor.is_person or actor.id is None:
        raise Refused
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(booking, clock, version)
    after(booking.status, Move.MARK_NO_SHOW)
    if booking.starts_at > clock:
        raise NotAllowedNow(facts={"status": booking.status.value})
    return move(session, booking, Move.MARK_NO_SHOW, actor=actor, changes={"no_show_by": actor.id})


def dismiss_no_show(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    version: int | None = None,
) -> BookingView:
    """Take a suggested absence off the review page; the booking stays confirmed.

    Raises:
        Refused: the actor is not a person.
        NotAllowedNow: nothing is suggested, or somebody decided already.
    """
    if not actor.is_person:
        raise Refused
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(booking, clock, version)
    is_open = booking.no_show_suggested_at and not booking.no_show_dismissed_at
    if booking.status is not Status.CONFIRMED or not is_open:
        raise NotAllowedNow(facts={"status": booking.status.value})
    return write(
        session,
        booking,
        Event.NO_SHOW_DISMISSED,
        actor=actor,
        changes={"no_show_dismissed_at": clock},
    )
