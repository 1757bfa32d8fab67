"""What the owner maintains. Checks that a sentence can explain come before the constraints."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

from sqlalchemy import delete
from sqlalchemy.orm import Session

from app.catalog.errors import UnknownTimezone
from app.catalog.models import (
    EXCLUSIVE,
    LAST_CLOSING,
    LONGEST_VISIT,
    MINUTES_OF_A_DAY,
    POOLED,
    DatedHours,
    Holiday,
    Location,
    Requirement,
    RequirementOption,
    Resource,
    Service,
    TimeOff,
    WeeklyHours,
)
from app.errors import InvalidFields, NotFound

POOL_STEP = 5
"""Minutes. Lengths of services that use a pool are multiples of it, as the pool counts so."""

_FIXED_OFFSETS = ("Etc/", "UTC", "GMT", "SystemV/", "posix/", "right/")


def check_timezone(name: str) -> str:
    """Accept the IANA name of an area (``America/Montevideo``).

    Raises:
        UnknownTimezone: a fixed offset, an abbreviation or no zone at all.
    """
    if "/" not in name or name.startswith(_FIXED_OFFSETS) or name not in available_timezones():
        raise UnknownTimezone(facts={"timezone": name})
    return name


def add_location(session: Session, *, timezone: str, **fields: Any) -> Location:
    """Add a business at a place; ``fields`` are the columns of ``Location``."""
    location = Location(timezone=check_timezone(timezone), **fields)
    session.add(location)
    session.flush()
    return location


def add_resource(
    session: Session,
    location_id: UUID,
    *,
    name: str,
    capacity: int = 1,
    kind: str | None = None,
    label: str = "",
    position: int = 0,
) -> Resource:
    """Add a person, room or machine, or with a capacity above one a pool of equal places."""
    resource = Resource(
        location_id=location_id,
        name=name,
        label=label,
        kind=kind or (POOLED if capacity > 1 else EXCLUSIVE),
        capacity=capacity,
        position=position,
    )
    session.add(resource)
    session.flush()
    return resource


def add_service(
    session: Session,
    location_id: UUID,
    *,
    name: str,
    duration_minutes: int,
    needs: Sequence[tuple[Sequence[Resource], int]],
    **fields: Any,
) -> Service:
    """Add a service with what it needs: per need the resources that serve, and the units.

    The first need sets the grid. ``fields`` are further columns of ``Service``.

    Raises:
        InvalidFields: a length that a pool cannot count, a visit longer than a day with its
            buffers, a resource in two needs, or a need that nothing serves.
    """
    service = Service(
        location_id=location_id, name=name, duration_minutes=duration_minutes, **fields
    )
    lengths = [
        duration_minutes,
        fields.get("buffer_before_minutes", 0),
        fields.get("buffer_after_minutes", 0),
        fields.get("grid_minutes", 15),
    ]
    options = [resource for resources, _ in needs for resource in resources]
    if not needs or any(not resources for resources, _ in needs):
        raise InvalidFields(("needs", "required"))
    if len({option.id for option in options}) < len(options):
        raise InvalidFields(("needs", "twice"))
    if sum(lengths[:3]) > LONGEST_VISIT:
        raise InvalidFields(("duration_minutes", "too_long"))
    if any(o.kind == POOLED for o in options) and any(length % POOL_STEP for length in lengths):
        raise InvalidFields(("duration_minutes", "not_a_multiple_of_5"))
    session.add(service)
    session.flush()
    for position, (resources, units) in enumerate(needs):
        requirement = Requirement(
            location_id=location_id, service_id=service.id, position=position, units=units
        )
        session.add(requirement)
        session.flush()
        session.add_all(
            RequirementOption(
                location_id=location_id,
                service_id=service.id,
                requirement_id=requirement.id,
                resource_id=resource.id,
            )
            for resource in resources
        )
    session.flush()
    return service


def parse_minutes(text: str) -> int:
    """Read a wall time ``HH:MM`` as minutes from midnight; up to 48:00 for past midnight.

    Raises:
        InvalidFields: anything else.
    """
    hours, _, minutes = text.partition(":")
    if not (hours.isascii() and hours.isdigit() and minutes.isascii() and minutes.isdigit()):
        raise InvalidFields(("hours", "invalid_time"))
    total = int(hours) * 60 + int(minutes)
    if len(minutes) != len("00") or int(minutes) >= 60 or total > LAST_CLOSING:
        raise InvalidFields(("hours", "invalid_time"))
    return total


def parse_interval(text: str) -> tuple[int, int]:
    """Read ``09:00-18:00`` as minutes; an end not after its beginning is on the next day.

    So ``00:00`` as an end is midnight.

    Raises:
        InvalidFields: not two times.
    """
    opens, _, closes = (part.strip() for part in text.partition("-"))
    start, end = parse_minutes(opens), parse_minutes(closes)
    if end <= start:
        end += MINUTES_OF_A_DAY
    if start >= MINUTES_OF_A_DAY:
        raise InvalidFields(("hours", "invalid_time"))
    return start, end


def set_weekly_hours(
    session: Session,
    location_id: UUID,
    resource_id: UUID,
    weekdays: Iterable[int],
    intervals: Sequence[tuple[int, int]],
) -> None:
    """Replace the hours of some weekdays (0 is Monday) with ``intervals`` of minutes."""
    days = list(weekdays)
    _check_intervals(intervals)
    session.execute(
        delete(WeeklyHours).where(
            WeeklyHours.location_id == location_id,
            WeeklyHours.resource_id == resource_id,
            WeeklyHours.weekday.in_(days),
        )
    )
    session.add_all(
        WeeklyHours(
            location_id=location_id,
            resource_id=resource_id,
            weekday=day,
            opens=opens,
            closes=closes,
        )
        for day in days
        for opens, closes in intervals
    )
    session.flush()


def set_dated_hours(
    session: Session,
    location_id: UUID,
    resource_id: UUID,
    day: date,
    intervals: Sequence[tuple[int, int]],
) -> None:
    """Replace what holds on one date: other hours, an extra opening, or none at all."""
    _check_intervals(intervals)
    session.execute(
        delete(DatedHours).where(
            DatedHours.location_id == location_id,
            DatedHours.resource_id == resource_id,
            DatedHours.day == day,
        )
    )
    rows: Sequence[tuple[int | None, int | None]] = intervals or [(None, None)]
    session.add_all(
        DatedHours(
            location_id=location_id, resource_id=resource_id, day=day, opens=opens, closes=closes
        )
        for opens, closes in rows
    )
    session.flush()


def add_time_off(
    session: Session,
    location_id: UUID,
    resource_id: UUID,
    *,
    starts_at: datetime,
    ends_at: datetime,
    reason: str = "",
) -> TimeOff:
    """Take a resource out for a while, part of a day or many days."""
    if ends_at <= starts_at:
        raise InvalidFields(("ends_at", "before_start"))
    absence = TimeOff(
        location_id=location_id,
        resource_id=resource_id,
        starts_at=starts_at,
        ends_at=ends_at,
        reason=reason,
    )
    session.add(absence)
    session.flush()
    return absence


def add_holiday(session: Session, location_id: UUID, day: date, name: str) -> Holiday:
    """Close the location for a day; dated hours of a resource open it all the same."""
    holiday = Holiday(location_id=location_id, day=day, name=name)
    session.add(holiday)
    session.flush()
    return holiday


def archive_resource(
    session: Session, location_id: UUID, resource_id: UUID, *, now: datetime
) -> None:
    """Take a resource out of use; its history stays.

    Raises:
        NotFound: the location has no such resource.
    """
    resource = session.get(Resource, (location_id, resource_id))
    if resource is None:
        raise NotFound
    resource.archived_at = now
    session.flush()


def _check_intervals(intervals: Iterable[tuple[int, int]]) -> None:
    for opens, closes in intervals:
        if not 0 <= opens < MINUTES_OF_A_DAY or not opens < closes <= LAST_CLOSING:
            raise InvalidFields(("hours", "invalid_time"))
