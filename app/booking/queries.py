from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.booking.states import Status
from app.booking.views import BookingView, Contact, TakenResource
from app.catalog.models import LONGEST_VISIT
from app.errors import NotFound

_VIEW = """
    SELECT b.*, earlier.id AS rescheduled_from,
        (SELECT jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'units', a.units)
                ORDER BY r.position, r.id)
            FROM allocation a
            JOIN resource r ON r.location_id = a.location_id AND r.id = a.resource_id
            WHERE a.location_id = b.location_id AND a.booking_id = b.id) AS resources
    FROM booking b
    LEFT JOIN booking earlier
        ON earlier.location_id = b.location_id AND earlier.rescheduled_to = b.id
"""

_ONE = text(f"{_VIEW} WHERE b.location_id = :location_id AND b.id = :id")

_LOCKED = text(f"""
    SELECT found.*, clock_now() AS clock FROM (
        {_VIEW} WHERE b.location_id = :location_id AND b.id = :id FOR UPDATE OF b
    ) found
""")

_OVERLAPPING = text(f"""
    {_VIEW}
    WHERE b.location_id = :location_id AND b.starts_at >= :earliest AND b.starts_at < :until
        AND b.ends_at > :since
    ORDER BY b.starts_at, b.id
""")

_TO_REVIEW = text(f"""
    {_VIEW}
    WHERE b.location_id = :location_id AND b.status = 'confirmed'
        AND b.no_show_suggested_at IS NOT NULL AND b.no_show_dismissed_at IS NULL
    ORDER BY b.starts_at, b.id
    LIMIT 200
""")

_ALLOCATIONS = text("""
    SELECT resource_id, kind, units, lower(during) AS since, upper(during) AS until
    FROM allocation WHERE location_id = :location_id AND booking_id = :id
""")

_HISTORY = text("""
    SELECT at, door, actor, action, detail FROM audit
    WHERE location_id = :location_id AND subject_id = :id ORDER BY id DESC LIMIT 100
""")


@dataclass(frozen=True)
class AuditLine:
    """One thing that was done to a booking, by whom and through which door."""

    at: datetime
    door: str
    actor: str
    action: str
    detail: dict[str, Any]


def view_of(row: Row[Any]) -> BookingView:
    """Read a row of the view's columns."""
    return BookingView(
        location_id=row.location_id,
        id=row.id,
        service_id=row.service_id,
        service_name=row.service_name,
        resources=tuple(
            TakenResource(UUID(r["id"]), r["name"], r["units"]) for r in row.resources or ()
        ),
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        status=Status(row.status),
        expires_at=row.expires_at,
        extended_minutes=row.extended_minutes,
        units=row.units,
        contact=Contact(row.customer_name, row.customer_phone, row.customer_email, row.customer_id),
        notes=row.notes,
        price_cents=row.price_cents,
        deposit_cents=row.deposit_cents,
        currency=row.currency,
        policy=row.policy,
        channel=row.channel,
        rescheduled_from=row.rescheduled_from,
        rescheduled_to=row.rescheduled_to,
        cancel_reason=row.cancel_reason,
        checked_in_at=row.checked_in_at,
        no_show_suggested_at=row.no_show_suggested_at,
        no_show_dismissed_at=row.no_show_dismissed_at,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def get_booking(session: Session, location_id: UUID, booking_id: UUID) -> BookingView:
    """Read a booking.

    Raises:
        NotFound: the location has none with this id.
    """
    row = session.execute(_ONE, {"location_id": location_id, "id": booking_id}).first()
    if row is None:
        raise NotFound
    return view_of(row)


def get_booking_for_update(
    session: Session, location_id: UUID, booking_id: UUID
) -> tuple[BookingView, datetime]:
    """Lock a booking until the transaction ends; tell also the database's time.

    Raises:
        NotFound: the location has none with this id.
    """
    row = session.execute(_LOCKED, {"location_id": location_id, "id": booking_id}).first()
    if row is None:
        raise NotFound
    return view_of(row), row.clock


def allocations_of(session: Session, location_id: UUID, booking_id: UUID) -> Sequence[Row[Any]]:
    """List what a booking takes or took: resource_id, kind, units, since, until."""
    return session.execute(_ALLOCATIONS, {"location_id": location_id, "id": booking_id}).all()


def day_bookings(
    session: Session, location_id: UUID, start: datetime, end: datetime
) -> list[BookingView]:
    """List the bookings of every status that share an instant with [start, end), by start."""
    rows = session.execute(
        _OVERLAPPING,
        {
            "location_id": location_id,
            "earliest": start - timedelta(minutes=LONGEST_VISIT),
            "since": start,
            "until": end,
        },
    )
    return [view_of(row) for row in rows]


def to_review(session: Session, location_id: UUID) -> list[BookingView]:
    """List the absences that the system suggests and nobody decided yet, oldest first."""
    return [view_of(row) for row in session.execute(_TO_REVIEW, {"location_id": location_id})]


def history(session: Session, location_id: UUID, booking_id: UUID) -> Sequence[AuditLine]:
    """List what was done to a booking, newest first."""
    rows = session.execute(_HISTORY, {"location_id": location_id, "id": booking_id})
    return [AuditLine(*row) for row in rows]


@dataclass(frozen=True)
class BookingFilter:
    """What a list of bookings is narrowed to; every field may be absent."""

    since: datetime | None = None
    until: datetime | None = None
    status: Status | None = None
    phone: str | None = None
    resource_id: UUID | None = None


_FILTERS = {
    "since": "b.starts_at >= :since",
    "until": "b.starts_at < :until",
    "status": "b.status = :status",
    "phone": "b.customer_phone = :phone",
    "resource_id": "EXISTS (SELECT 1 FROM allocation a WHERE a.location_id = b.location_id"
    " AND a.booking_id = b.id AND a.resource_id = :resource_id)",
}


def list_bookings(
    session: Session,
    location_id: UUID,
    wanted: BookingFilter,
    *,
    limit: int,
    after: tuple[datetime, UUID] | None = None,
) -> list[BookingView]:
    """List bookings by start and id, from behind ``after`` (the last one of the page before)."""
    given = {name: value for name, value in vars(wanted).items() if value is not None}
    conditions = ["b.location_id = :location_id", *(_FILTERS[name] for name in given)]
    parameters = {"location_id": location_id, "limit": limit, **given}
    if after is not None:
        conditions.append("(b.starts_at, b.id) > (:after_start, :after_id)")
        parameters |= {"after_start": after[0], "after_id": after[1]}
    statement = text(
        f"{_VIEW} WHERE {' AND '.join(conditions)} ORDER BY b.starts_at, b.id LIMIT :limit"
    )
    return [view_of(row) for row in session.execute(statement, parameters)]
