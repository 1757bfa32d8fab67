"""Live bookings to come that the hours no longer cover: what a change of the catalogue leaves."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

from app.booking.states import OCCUPYING
from app.catalog.hours import ResourceHours
from app.catalog.models import Location
from app.catalog.queries import working_days
from app.intervals import Span, covers

_NOTHING = ResourceHours()

_LIVE = """
    SELECT b.id, b.service_name, b.customer_name, b.starts_at, b.ends_at,
        a.resource_id
    FROM booking b
    JOIN allocation a ON a.location_id = b.location_id AND a.booking_id = b.id AND a.active
    WHERE b.location_id = :location_id AND b.ends_at > clock_now() AND b.status = ANY(:occupying)
        AND (b.expires_at IS NULL OR b.expires_at > clock_now())
        AND b.starts_at > clock_now() - interval '1 day'
"""

_LIVE_ON = text(f"{_LIVE} AND a.resource_id = ANY(:ids) ORDER BY b.starts_at, b.id")

_LIVE_OF = text(f"{_LIVE} AND b.service_id = ANY(:ids) ORDER BY b.starts_at, b.id")


@dataclass(frozen=True)
class Commitment:
    """A live booking that is not over yet."""

    id: UUID
    service_name: str
    customer_name: str | None
    starts_at: datetime
    ends_at: datetime


def list_commitments_of_service(
    session: Session, location_id: UUID, service_id: UUID
) -> list[Commitment]:
    """List the live bookings of a service, by start, each once."""
    rows = _read(session, _LIVE_OF, location_id, [service_id])
    return list({commitment.id: commitment for commitment, _ in rows}.values())


def list_uncovered(
    session: Session, location: Location, resource_ids: list[UUID]
) -> list[Commitment]:
    """List the live bookings of which a resource does not work all the time, by start.

    Buffers may lie outside the hours, as everywhere. An archived resource works never. Two
    statements.
    """
    rows = _read(session, _LIVE_ON, location.id, resource_ids)
    if not rows:
        return []
    zone = ZoneInfo(location.timezone)
    window = (rows[0][0].starts_at, max(commitment.ends_at for commitment, _ in rows))
    days = (window[0].astimezone(zone).date(), window[1].astimezone(zone).date())
    hours = working_days(session, location.id, *days)
    works = {each: _working(hours.get(each, _NOTHING), zone, window) for each in resource_ids}
    outside = {
        commitment.id: commitment
        for commitment, resource_id in rows
        if not covers(works[resource_id], commitment.starts_at, commitment.ends_at)
    }
    return list(outside.values())


def _read(
    session: Session, statement: TextClause, location_id: UUID, ids: list[UUID]
) -> list[tuple[Commitment, UUID]]:
    rows = session.execute(
        statement,
        {"location_id": location_id, "ids": ids, "occupying": [s.value for s in OCCUPYING]},
    )
    return [
        (
            Commitment(row.id, row.service_name, row.customer_name, row.starts_at, row.ends_at),
            row.resource_id,
        )
        for row in rows
    ]


def _working(hours: ResourceHours, zone: ZoneInfo, window: Span) -> list[Span]:
    return hours.working(hours.openings(zone, *window))
