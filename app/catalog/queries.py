from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.catalog.hours import ResourceHours
from app.catalog.models import Location, Resource
from app.catalog.offer import Candidate, Need, Offer, Place
from app.errors import NotFound

_HOURS = """
    'weekly', (SELECT jsonb_agg(jsonb_build_array(w.weekday, w.opens, w.closes))
        FROM weekly_hours w WHERE w.location_id = r.location_id AND w.resource_id = r.id),
    'dated', (SELECT jsonb_agg(jsonb_build_array(d.day, d.opens, d.closes))
        FROM dated_hours d WHERE d.location_id = r.location_id AND d.resource_id = r.id
        AND d.day BETWEEN :first_day AND :last_day),
    'off', (SELECT jsonb_agg(jsonb_build_array(t.starts_at, t.ends_at, t.reason))
        FROM time_off t WHERE t.location_id = r.location_id AND t.resource_id = r.id
        AND t.starts_at < :until AND t.ends_at > :since)
"""

_HOLIDAYS = """
    (SELECT jsonb_agg(jsonb_build_array(h.day, h.name)) FROM holiday h
        WHERE h.location_id = l.id AND h.day BETWEEN :first_day AND :last_day)
"""

_OFFER = text(f"""
    SELECT to_jsonb(l) AS location, to_jsonb(s) AS service, {_HOLIDAYS} AS holidays,
        (SELECT jsonb_agg(jsonb_build_object('units', q.units, 'options',
            (SELECT jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'kind', r.kind,
                    'capacity', r.capacity, 'position', r.position, {_HOURS})
                    ORDER BY r.position, r.id)
                FROM requirement_option o
                JOIN resource r ON r.location_id = o.location_id AND r.id = o.resource_id
                WHERE o.location_id = q.location_id AND o.service_id = q.service_id
                    AND o.requirement_id = q.id AND r.archived_at IS NULL)
            ) ORDER BY q.position)
            FROM requirement q WHERE q.location_id = s.location_id AND q.service_id = s.id
        ) AS needs
    FROM service s JOIN location l ON l.id = s.location_id
    WHERE s.location_id = :location_id AND s.id = :service_id AND s.archived_at IS NULL
""")

_WORKING = text(f"""
    SELECT r.id, jsonb_build_object({_HOURS}) AS hours, {_HOLIDAYS} AS holidays
    FROM resource r JOIN location l ON l.id = r.location_id
    WHERE r.location_id = :location_id AND r.archived_at IS NULL
""")

_SERVICES = text("""
    SELECT s.*, coalesce((SELECT jsonb_agg(jsonb_build_object('units', q.units, 'options',
            (SELECT jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name)
                    ORDER BY r.position, r.id)
                FROM requirement_option o
                JOIN resource r ON r.location_id = o.location_id AND r.id = o.resource_id
                WHERE o.location_id = q.location_id AND o.service_id = q.service_id
                    AND o.requirement_id = q.id AND r.archived_at IS NULL)
            ) ORDER BY q.position)
            FROM requirement q WHERE q.location_id = s.location_id AND q.service_id = s.id
        ), '[]') AS needs
    FROM service s
    WHERE s.location_id = :location_id AND s.archived_at IS NULL
    ORDER BY s.position, s.id
""")


@dataclass(frozen=True)
class ResourceName:
    id: UUID
    name: str


@dataclass(frozen=True)
class NeedView:
    """One requirement of a service, with the resources that can serve it."""

    units: int
    options: tuple[ResourceName, ...]


@dataclass(frozen=True)
class ServiceView:
    """A service as lists and forms show it. Lengths in minutes."""

    id: UUID
    name: str
    duration_minutes: int
    buffer_before_minutes: int
    buffer_after_minutes: int
    grid_minutes: int
    price_cents: int
    deposit_cents: int
    needs: tuple[NeedView, ...]

    def takes(self, resource_id: UUID) -> bool:
        """Tell whether the resource can serve any of the needs."""
        return any(option.id == resource_id for need in self.needs for option in need.options)


def get_location(session: Session, location_id: UUID) -> Location:
    """Read a location.

    Raises:
        NotFound: there is none with this id.
    """
    location = session.get(Location, location_id)
    if location is None:
        raise NotFound
    return location


def list_resources(session: Session, location_id: UUID) -> Sequence[Resource]:
    """List what can be booked at a location, in the owner's order."""
    return session.scalars(
        select(Resource)
        .where(Resource.location_id == location_id, Resource.archived_at.is_(None))
        .order_by(Resource.position, Resource.id)
    ).all()


def list_services(session: Session, location_id: UUID) -> list[ServiceView]:
    """List what a customer can buy, with the resources each can use. One statement."""
    rows = session.execute(_SERVICES, {"location_id": location_id}).mappings()
    return [
        ServiceView(
            id=row["id"],
            name=row["name"],
            duration_minutes=row["duration_minutes"],
            buffer_before_minutes=row["buffer_before_minutes"],
            buffer_after_minutes=row["buffer_after_minutes"],
            grid_minutes=row["grid_minutes"],
            price_cents=row["price_cents"],
            deposit_cents=row["deposit_cents"],
            needs=tuple(
                NeedView(
                    units=need["units"],
                    options=tuple(
                        ResourceName(UUID(option["id"]), option["name"])
                        for option in need["options"] or ()
                    ),
                )
                for need in row["needs"]
            ),
        )
        for row in rows
    ]


def working_days(
    session: Session, location_id: UUID, first_day: date, last_day: date
) -> dict[UUID, ResourceHours]:
    """Read every resource's hours, time off and holidays of some local days. One statement."""
    days = _window_of(
        datetime.combine(first_day, datetime.min.time()),
        datetime.combine(last_day, datetime.max.time()),
    )
    rows = session.execute(_WORKING, {"location_id": location_id, **days}).mappings()
    return {row["id"]: _hours(row["hours"], row["holidays"]) for row in rows}


def load_offer(
    session: Session, location_id: UUID, service_id: UUID, *, since: datetime, until: datetime
) -> Offer:
    """Read all that decides when a service can be booked in [since, until). One statement.

    Raises:
        NotFound: the location has no such service.
    """
    row = session.execute(
        _OFFER,
        {"location_id": location_id, "service_id": service_id, **_window_of(since, until)},
    ).first()
    if row is None:
        raise NotFound
    service = row.service
    return Offer(
        place=_place(row.location),
        service_id=service_id,
        service_name=service["name"],
        duration=timedelta(minutes=service["duration_minutes"]),
        buffer_before=timedelta(minutes=service["buffer_before_minutes"]),
        buffer_after=timedelta(minutes=service["buffer_after_minutes"]),
        grid=timedelta(minutes=service["grid_minutes"]),
        price_cents=service["price_cents"],
        deposit_cents=service["deposit_cents"],
        needs=tuple(
            Need(
                units=need["units"],
                candidates=tuple(
                    Candidate(
                        id=UUID(option["id"]),
                        name=option["name"],
                        kind=option["kind"],
                        capacity=option["capacity"],
                        position=option["position"],
                        hours=_hours(option, row.holidays),
                    )
                    for option in need["options"] or ()
                ),
            )
            for need in row.needs or ()
        ),
    )


def _window_of(since: datetime, until: datetime) -> dict[str, Any]:
    """Widen a window to every local day that may touch it, whatever the zone."""
    return {
        "since": since - timedelta(days=1),
        "until": until + timedelta(days=1),
        "first_day": (since - timedelta(days=2)).date(),
        "last_day": (until + timedelta(days=2)).date(),
    }


def _place(row: dict[str, Any]) -> Place:
    return Place(
        id=UUID(row["id"]),
        zone=ZoneInfo(row["timezone"]),
        currency=row["currency"],
        hold_for=timedelta(minutes=row["hold_minutes"]),
        deposit_hold_for=timedelta(minutes=row["deposit_hold_minutes"]),
        notice=timedelta(minutes=row["notice_minutes"]),
        horizon=timedelta(days=row["horizon_days"]),
        policy={
            "cancellation_window_minutes": row["cancellation_window_minutes"],
            "no_show_grace_minutes": row["no_show_grace_minutes"],
        },
    )


def _hours(row: dict[str, Any], holidays: Iterable[list[str]] | None) -> ResourceHours:
    weekly: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for weekday, opens, closes in row["weekly"] or ():
        weekly[weekday].append((opens, closes))
    dated: dict[date, list[tuple[int, int]]] = defaultdict(list)
    for day, opens, closes in row["dated"] or ():
        of_the_day = dated[date.fromisoformat(day)]
        if opens is not None:
            of_the_day.append((opens, closes))
    return ResourceHours(
        weekly=weekly,
        dated=dated,
        holidays={date.fromisoformat(day): name for day, name in holidays or ()},
        time_off=tuple(
            (datetime.fromisoformat(start), datetime.fromisoformat(end), reason)
            for start, end, reason in row["off"] or ()
        ),
    )
