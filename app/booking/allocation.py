"""Take resources: the SQL that can never overbook.

The exclusion constraint and the pools' CHECK have the last word. One exclusive resource is taken
by its row alone: rivals wait for that row and all go on at once when it is decided. Whoever takes
several things, or places of a pool, locks the resources first, in the order of their ids, so that
rivals queue instead of fighting (docs/adr/0003).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.booking.errors import SlotTaken
from app.booking.expiry import expire_lapsed_in_the_way, is_lapsed_in_the_way
from app.booking.models import BUCKET_MINUTES
from app.booking.occupancy import bucket_floor
from app.database import EXCLUSION_VIOLATION, sqlstate
from app.ids import new_id
from app.intervals import Span

BUCKET = timedelta(minutes=BUCKET_MINUTES)

_TAKE_ONE = text("""
    INSERT INTO allocation (location_id, id, booking_id, resource_id, kind, units, during, active)
    SELECT r.location_id, w.allocation_id, :booking_id, r.id, r.kind, w.units,
        tstzrange(:since, :until), true
    FROM unnest(:resource_ids, :units, :allocation_ids) AS w(resource_id, units, allocation_id)
    JOIN resource r ON r.location_id = :location_id AND r.id = w.resource_id
    WHERE r.archived_at IS NULL AND r.kind = 'exclusive'
    ON CONFLICT DO NOTHING
    RETURNING resource_id
""")

_READY = """
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
"""Lock what is wanted, in order; count the pools' places; give what can be taken."""

_TAKE_ALL = text(f"""
    WITH {_READY}, taken AS (
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
    WITH {_READY}, taken AS (
        UPDATE allocation a SET active = true
        FROM ready
        WHERE a.location_id = ready.location_id AND a.booking_id = :booking_id
            AND a.resource_id = ready.id
        RETURNING a.resource_id
    )
    SELECT resource_id FROM taken
""")


_LOCK_ALL = text("""
    WITH options AS (
        SELECT o.resource_id, o.requirement_id, p.kind FROM requirement_option o
        JOIN resource p ON p.location_id = o.location_id AND p.id = o.resource_id
        WHERE o.location_id = :location_id AND o.service_id = :service_id
    )
    SELECT r.id FROM resource r
    WHERE r.location_id = :location_id
        AND (r.id = ANY(:resource_ids) OR r.id IN (SELECT resource_id FROM options))
        AND (SELECT count(DISTINCT requirement_id) > 1 OR bool_or(kind = 'pooled') FROM options)
    ORDER BY r.id
    FOR NO KEY UPDATE OF r
""")


@dataclass(frozen=True)
class Want:
    """A resource and how many of its places (1 of an exclusive one)."""

    resource_id: UUID
    units: int
    is_exclusive: bool


def take(
    session: Session, location_id: UUID, booking_id: UUID, wants: Sequence[Want], *, during: Span
) -> set[UUID]:
    """Take all of ``wants`` during [during), or nothing; tell which could not be had.

    Waits for rivals that hold the same resources. An empty answer means that everything was
    taken; after any other, nothing is left behind, not even a lock.

    Raises:
        SlotTaken: holds that are over have some of it still; with the remedy.
    """
    missing = _attempt_to_take(session, location_id, booking_id, wants, during)
    if missing:
        _check_lapsed(session, location_id, missing, during)
        # A sweep may have expired what was in the way between the two looks: it is free by now.
        missing = _attempt_to_take(session, location_id, booking_id, wants, during)
    return missing


def _check_lapsed(
    session: Session, location_id: UUID, resource_ids: set[UUID], during: Span
) -> None:
    """Stop for holds that are over, to expire them in a transaction of its own.

    Not on the way: who has locked resources must not lock bookings, nor more resources.
    """
    if is_lapsed_in_the_way(session, location_id, resource_ids, during=during):
        refusal = SlotTaken()
        refusal.remedy = lambda own: expire_lapsed_in_the_way(
            own, location_id, resource_ids, during=during
        )
        raise refusal


def lock_all(
    session: Session, location_id: UUID, service_id: UUID, resource_ids: Iterable[UUID]
) -> None:
    """Lock, in order, what a booking has and all that its service may take.

    For who gives back before taking: a pool's lock that is held already would break the order.
    Locks nothing of a service that takes one exclusive resource.
    """
    session.execute(
        _LOCK_ALL,
        {
            "location_id": location_id,
            "service_id": service_id,
            "resource_ids": list(resource_ids),
        },
    )


def _attempt_to_take(
    session: Session, location_id: UUID, booking_id: UUID, wants: Sequence[Want], during: Span
) -> set[UUID]:
    parameters = _parameters(location_id, booking_id, wants, during)
    wanted = {want.resource_id for want in wants}
    if len(wants) == 1 and wants[0].is_exclusive:
        return wanted - set(session.scalars(_TAKE_ONE, parameters))
    with session.begin_nested() as savepoint:
        missing = wanted - set(session.scalars(_TAKE_ALL, parameters))
        if missing:
            savepoint.rollback()
    return missing


def retake(
    session: Session, location_id: UUID, booking_id: UUID, wants: Sequence[Want], *, during: Span
) -> None:
    """Take again what the booking gave back, all or nothing.

    Raises:
        SlotTaken: another booking has some of it by now.
    """
    resource_ids = {want.resource_id for want in wants}
    parameters = _parameters(location_id, booking_id, wants, during)
    try:
        with session.begin_nested() as savepoint:
            missing = resource_ids - set(session.scalars(_RETAKE, parameters))
            if missing:
                savepoint.rollback()
    except IntegrityError as error:
        if sqlstate(error) != EXCLUSION_VIOLATION:
            raise
        missing = resource_ids
    if missing:
        _check_lapsed(session, location_id, resource_ids, during)
        raise SlotTaken


def _parameters(
    location_id: UUID, booking_id: UUID, wants: Sequence[Want], during: Span
) -> dict[str, Any]:
    first_bucket = bucket_floor(during[0])
    last_bucket = bucket_floor(during[1] - timedelta(microseconds=1))
    return {
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
    }
