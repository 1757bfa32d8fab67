"""Customers with what they booked. One statement each, whatever the data."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.booking.queries import view_of
from app.booking.states import Status
from app.booking.views import BookingView
from app.customers.searching import Search

MOST_BOOKINGS = 200
"""How much of a customer's history is shown: years of it."""

_AHEAD = """
    b.status IN ('held', 'pending_payment', 'confirmed') AND b.ends_at > clock_now()
        AND (b.expires_at IS NULL OR b.expires_at > clock_now())
"""

_COUNTS = f"""
    SELECT max(b.starts_at) FILTER (WHERE b.status IN ('checked_in', 'completed')) AS last_visit,
        min(b.starts_at) FILTER (WHERE {_AHEAD}) AS next_visit,
        count(*) FILTER (WHERE b.status IN ('checked_in', 'completed')) AS visits,
        count(*) FILTER (WHERE b.status = 'no_show') AS absences,
        count(*) FILTER (WHERE b.status = 'cancelled' AND b.rescheduled_to IS NULL
            AND b.cancel_reason IS DISTINCT FROM 'released') AS cancellations
    FROM booking b
    WHERE b.location_id = c.location_id AND b.customer_id = c.id
"""

_HISTORY = text("""
    SELECT b.*, NULL AS rescheduled_from,
        (SELECT jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'units', a.units)
                ORDER BY r.position, r.id)
            FROM allocation a
            JOIN resource r ON r.location_id = a.location_id AND r.id = a.resource_id
            WHERE a.location_id = b.location_id AND a.booking_id = b.id) AS resources
    FROM booking b
    WHERE b.location_id = :location_id AND b.customer_id = :id
        AND b.rescheduled_to IS NULL AND b.cancel_reason IS DISTINCT FROM 'released'
    ORDER BY b.starts_at DESC, b.id DESC
    LIMIT :limit
""")

_ONE = text(f"""
    SELECT counted.* FROM customer c, LATERAL ({_COUNTS}) counted
    WHERE c.location_id = :location_id AND c.id = :id
""")

_BEHIND = """
    (c.words, c.id) > (
        (SELECT a.words FROM customer a WHERE a.location_id = :location_id AND a.id = :after),
        :after)
"""

AHEAD = frozenset({Status.HELD, Status.PENDING_PAYMENT, Status.CONFIRMED})


@dataclass(frozen=True)
class Counts:
    """What a customer's bookings came to. What was moved or let go while held counts as nothing."""

    last_visit: datetime | None
    next_visit: datetime | None
    visits: int
    absences: int
    cancellations: int


@dataclass(frozen=True)
class CustomerRow:
    """A customer in a list."""

    id: UUID
    name: str
    phone: str | None
    is_blocked: bool
    counts: Counts


def find_customers(
    session: Session,
    location_id: UUID,
    search: Search,
    *,
    limit: int,
    after: UUID | None = None,
    best_first: bool = False,
) -> list[CustomerRow]:
    """List customers by name, from behind the one of ``after``; who has no name comes last.

    A record that was merged into another is found as the other. With ``best_first`` a phone that
    ends so, or a name that begins so, comes before the rest.
    """
    parameters: dict[str, Any] = {"location_id": location_id, "limit": limit}
    conditions = ["c.location_id = :location_id", "c.merged_into IS NULL"]
    if not search.is_empty:
        met, patterns = _matching(search)
        conditions.append(f"c.id IN (SELECT coalesce(f.merged_into, f.id) FROM customer f {met})")
        parameters |= patterns
    order = "c.words, c.id"
    if best_first and not search.is_empty:
        order, parameters["first"] = f"c.words LIKE :first DESC, {order}", search.first
    if after is not None:
        conditions.append(_BEHIND)
        parameters["after"] = after
    chosen = (
        "SELECT c.location_id, c.id, c.name, c.phone, c.blocked_at, c.words,"
        f" row_number() OVER (ORDER BY {order}) AS place"
        f" FROM customer c WHERE {' AND '.join(conditions)} ORDER BY {order} LIMIT :limit"
    )
    statement = text(
        f"SELECT c.*, counted.* FROM ({chosen}) c, LATERAL ({_COUNTS}) counted ORDER BY c.place"
    )
    return [_row(row) for row in session.execute(statement, parameters)]


def _matching(search: Search) -> tuple[str, dict[str, str]]:
    """Write the condition of a search; its parts are ours, its patterns are parameters."""
    every = {f"all_{place}": pattern for place, pattern in enumerate(search.all_of)}
    some = {f"any_{place}": pattern for place, pattern in enumerate(search.any_of)}
    conditions = ["f.location_id = :location_id", *(f"f.words LIKE :{name}" for name in every)]
    if some:
        conditions.append(f"({' OR '.join(f'f.words LIKE :{name}' for name in some)})")
    return f"WHERE {' AND '.join(conditions)}", every | some


def counts_of(session: Session, location_id: UUID, customer_id: UUID) -> Counts:
    """Count what a customer's bookings came to."""
    return Counts(*session.execute(_ONE, {"location_id": location_id, "id": customer_id}).one())


def bookings_of(session: Session, location_id: UUID, customer_id: UUID) -> list[BookingView]:
    """List a customer's bookings, the latest first, without those that were moved or let go."""
    parameters = {"location_id": location_id, "id": customer_id, "limit": MOST_BOOKINGS}
    return [view_of(row) for row in session.execute(_HISTORY, parameters)]


def _row(row: Row[Any]) -> CustomerRow:
    return CustomerRow(
        id=row.id,
        name=row.name,
        phone=row.phone,
        is_blocked=row.blocked_at is not None,
        counts=Counts(row.last_visit, row.next_visit, row.visits, row.absences, row.cancellations),
    )
