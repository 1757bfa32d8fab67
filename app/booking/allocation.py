"""Take and give back resources: the SQL that can never overbook.

Whoever takes locks the resources first, in the order of their ids, so rivals queue instead of
fighting; the exclusion constraint and the pools' CHECK have the last word all the same
(design/booking-core.md, 3 and 5).
"""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.booking.errors import SlotTaken
from app.booking.expiry import expire_lapsed_in_the_way
from app.booking.models import BUCKET_MINUTES
from app.booking.occupancy import bucket_floor
from app.database import EXCLUSION_VIOLATION, sqlstate
from app.ids import new_id
from app.intervals import Span

BUCKET = timedelta(minutes=BUCKET_MINUTES)

_LOCKED = """
    locked AS MATERIALIZED (
        SELECT r.location_id, r.id, r.kind, r.capacity, w.units, w.allocation_id
        FROM unnest(:resource_ids, :units, :allocation_ids) AS w(resource_id, units, allocation_id)
        JOIN resource r ON r.location_id = :location_id AND r.id = w.resource_id
        WHERE r.archived_at IS NULL
        ORDER BY r.id
        FOR NO KEY UPDATE OF r
    ), counted AS (
        INSERT INTO pool_usage AS p (location_id, resource_id, bucket_start, used, capacity)
        SELECT l.location_id, l.id, bucket, l.units, l.capacity
        FROM locked l
        CROSS JOIN generate_series(
            cast(:first_bucket AS timestamptz), :last_bucket, interval '5 minutes') AS bucket
        WHERE l.kind = 'pooled' AND l.units <= l.capacity
        ORDER BY l.id, bucket
        ON CONFLICT (location_id, resource_id, bucket_start) DO UPDATE
            SET used = p.used + excluded.used, capacity = excluded.capacity
            WHERE p.used + excluded.used <= excluded.capacity
        RETURNING p.resource_id
    ), ready AS (
        SELECT l.* FROM locked l
        WHERE l.kind = 'exclusive' OR :buckets = (
            SELECT count(*) FROM counted c WHERE c.resource_id = l.id)
    )
"""

_TAKE = text(f"""
    WITH {_LOCKED}, taken AS (
        INSERT INTO allocation
            (location_id, id, booking_id, resource_id, kind, units, during, active)
        SELECT location_id, allocation_id, :booking_id, id, kind, units,
            tstzrange(:since, :until), true
        FROM ready ORDER BY id
        ON CONFLICT DO NOTHING
        RETURNING resource_id
    )
    SELECT resource_id FROM taken
""")

_RETAKE = text(f"""
    WITH {_LOCKED}, taken AS (
        UPDATE allocation a SET active = true
        FROM ready
        WHERE a.location_id = ready.location_id AND a.booking_id = :booking_id
            AND a.resource_id = ready.id
        RETURNING a.resource_id
    )
    SELECT resource_id FROM taken
""")


@dataclass(frozen=True)
class Want:
    """A resource and how many of its places (1 of an exclusive one)."""

    resource_id: UUID
    units: int
    is_exclusive: bool


def take(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    wants: Sequence[Want],
    *,
    during: Span,
    alone: bool,
) -> set[UUID]:
    """Take all of ``wants`` during [during), or nothing; tell which could not be had.

    Waits for rivals that hold the same resources and frees what lapsed holds still occupy. An
    empty answer means that everything was taken. ``alone`` says that no other attempt follows in
    this transaction: then a single resource needs no savepoint, since nothing is left to undo
    and no lock to give back before the next try.
    """
    missing = _attempt(session, _TAKE, location_id, booking_id, wants, during, alone=alone)
    if not missing:
        return missing
    freed = expire_lapsed_in_the_way(session, location_id, missing, during=during)
    if not freed:
        return missing
    return _attempt(session, _TAKE, location_id, booking_id, wants, during, alone=alone)


def retake(
    session: Session, location_id: UUID, booking_id: UUID, wants: Sequence[Want], *, during: Span
) -> None:
    """Take again what the booking gave back, all or nothing.

    Raises:
        SlotTaken: another booking has some of it by now.
    """
    resource_ids = {want.resource_id for want in wants}
    expire_lapsed_in_the_way(session, location_id, resource_ids, during=during)
    try:
        missing = _attempt(session, _RETAKE, location_id, booking_id, wants, during, alone=False)
    except IntegrityError as error:
        if sqlstate(error) != EXCLUSION_VIOLATION:
            raise
        raise SlotTaken from error
    if missing:
        raise SlotTaken


def _attempt(
    session: Session,
    statement: object,
    location_id: UUID,
    booking_id: UUID,
    wants: Sequence[Want],
    during: Span,
    *,
    alone: bool,
) -> set[UUID]:
    leaves_nothing_behind = alone and len(wants) == 1 and wants[0].is_exclusive
    savepoint = nullcontext() if leaves_nothing_behind else session.begin_nested()
    first_bucket = bucket_floor(during[0])
    last_bucket = bucket_floor(during[1] - timedelta(microseconds=1))
    with savepoint as nested:
        taken = session.scalars(
            statement,  # type: ignore[call-overload]
            {
                "location_id": location_id,
                "booking_id": booking_id,
                "resource_ids": [want.resource_id for want in wants],
                "units": [want.units for want in wants],
                "allocation_ids": [new_id() for _ in wants],
                "since": during[0],
                "until": during[1],
                "first_bucket": first_bucket,
                "last_bucket": last_bucket,
                "buckets": (last_bucket - first_bucket) // BUCKET + 1,
            },
        )
        missing = {want.resource_id for want in wants} - set(taken)
        if missing and nested is not None:
            nested.rollback()
    return missing
