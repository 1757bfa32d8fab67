"""When resources work: the week's rule, single dates, absences and holidays of the location."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.catalog.models import (
    LAST_CLOSING,
    MINUTES_OF_A_DAY,
    DatedHours,
    Holiday,
    Resource,
    TimeOff,
    WeeklyHours,
)
from app.errors import InvalidFields, NotFound


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
    """Replace the hours of some weekdays (0 is Monday) with ``intervals`` of minutes.

    Raises:
        InvalidFields: an interval that is none, or one that begins after its day.
        NotFound: the location has no such resource.
    """
    days = list(weekdays)
    _check_intervals(intervals)
    _get_resource_for_update(session, location_id, resource_id)
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
    """Replace what holds on one date: other hours, an extra opening, or none at all.

    Raises:
        InvalidFields: an interval that is none, or one that begins after its day.
        NotFound: the location has no such resource.
    """
    _check_intervals(intervals)
    forget_dated_hours(session, location_id, resource_id, day)
    rows: Sequence[tuple[int | None, int | None]] = intervals or [(None, None)]
    session.add_all(
        DatedHours(
            location_id=location_id, resource_id=resource_id, day=day, opens=opens, closes=closes
        )
        for opens, closes in rows
    )
    session.flush()


def forget_dated_hours(session: Session, location_id: UUID, resource_id: UUID, day: date) -> None:
    """Let the week's rule hold again on one date.

    Raises:
        NotFound: the location has no such resource.
    """
    _get_resource_for_update(session, location_id, resource_id)
    session.execute(
        delete(DatedHours).where(
            DatedHours.location_id == location_id,
            DatedHours.resource_id == resource_id,
            DatedHours.day == day,
        )
    )


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


def remove_time_off(
    session: Session,
    location_id: UUID,
    resource_id: UUID,
    *,
    starts_at: datetime,
    ends_at: datetime,
) -> UUID:
    """Bring a resource back from an absence of exactly these instants; tell which it was.

    Raises:
        NotFound: it has no such absence.
    """
    gone = session.scalars(
        delete(TimeOff)
        .where(
            TimeOff.location_id == location_id,
            TimeOff.resource_id == resource_id,
            TimeOff.starts_at == starts_at,
            TimeOff.ends_at == ends_at,
        )
        .returning(TimeOff.id)
    ).all()
    if not gone:
        raise NotFound
    return gone[0]


def add_holiday(session: Session, location_id: UUID, day: date, name: str) -> Holiday:
    """Close the location for a day; dated hours of a resource open it all the same.

    A day that is a holiday already takes the new name.
    """
    holiday = _find_holiday(session, location_id, day)
    if holiday is None:
        holiday = Holiday(location_id=location_id, day=day, name=name)
        session.add(holiday)
    holiday.name = name
    session.flush()
    return holiday


def remove_holiday(session: Session, location_id: UUID, day: date) -> UUID:
    """Open the location again on a day; tell which holiday it was.

    Raises:
        NotFound: the day is none.
    """
    holiday = _find_holiday(session, location_id, day)
    if holiday is None:
        raise NotFound
    session.delete(holiday)
    session.flush()
    return holiday.id


def _find_holiday(session: Session, location_id: UUID, day: date) -> Holiday | None:
    return session.scalar(
        select(Holiday).where(Holiday.location_id == location_id, Holiday.day == day)
    )


def _get_resource_for_update(session: Session, location_id: UUID, resource_id: UUID) -> None:
    """Lock a resource, so that two who replace its hours at once do not add them up."""
    found = session.scalar(
        select(Resource.id)
        .where(Resource.location_id == location_id, Resource.id == resource_id)
        .with_for_update(key_share=True)
    )
    if found is None:
        raise NotFound


def _check_intervals(intervals: Iterable[tuple[int, int]]) -> None:
    for opens, closes in intervals:
        if not 0 <= opens < MINUTES_OF_A_DAY or not opens < closes <= LAST_CLOSING:
            raise InvalidFields(("hours", "invalid_time"))
