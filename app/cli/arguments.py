"""Reading what an operator types. Each refuses in words what it does not understand."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from app.catalog.actions import parse_interval, parse_minutes
from app.catalog.hours import wall_to_utc
from app.catalog.models import MINUTES_OF_A_DAY, Resource
from app.catalog.names import get_resource_named
from app.errors import InvalidFields
from app.money import MOST_CENTS, Cents

CLOSED = "closed"

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

EARLIEST_YEAR, LATEST_YEAR = 2000, 2100

_AMOUNT = re.compile(r"(?P<units>[0-9]{1,9})(?:\.(?P<cents>[0-9]{1,2}))?")


def parse_cents(text: str) -> Cents:
    """Read an amount as ``40`` or ``40.00``, exactly.

    Raises:
        InvalidFields: anything else, or more than anything costs.
    """
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        raise InvalidFields(("amount", "invalid_money"))
    cents = int(found["units"]) * 100 + int((found["cents"] or "").ljust(2, "0"))
    if cents > MOST_CENTS:
        raise InvalidFields(("amount", "out_of_range"))
    return Cents(cents)


def parse_weekdays(text: str) -> list[int]:
    """Read ``mon-fri,sat`` as weekdays (0 is Monday); ``sat-mon`` runs over the week's end.

    Raises:
        InvalidFields: anything else.
    """
    days: set[int] = set()
    for part in text.lower().split(","):
        first, dash, last = (word.strip() for word in part.partition("-"))
        if first not in WEEKDAYS or (dash and last not in WEEKDAYS):
            raise InvalidFields(("days", "invalid_weekdays"))
        start, end = WEEKDAYS.index(first), WEEKDAYS.index(last or first)
        days.update((start + step) % 7 for step in range((end - start) % 7 + 1))
    return sorted(days)


def parse_intervals(text: str) -> list[tuple[int, int]]:
    """Read ``09:00-13:00,14:00-18:00`` as minutes, or ``closed`` as none.

    Raises:
        InvalidFields: anything else.
    """
    if text.strip().lower() == CLOSED:
        return []
    return [parse_interval(part) for part in text.split(",")]


def parse_day(text: str) -> date:
    """Read a date that exists, ``2026-12-24``, of a year that anybody plans for.

    Raises:
        InvalidFields: anything else.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise InvalidFields(("day", "invalid_day")) from None
    if len(text) != len("2026-12-24") or not EARLIEST_YEAR <= day.year <= LATEST_YEAR:
        raise InvalidFields(("day", "invalid_day"))
    return day


def parse_wall(text: str) -> datetime:
    """Read a local time ``2026-12-24 13:00``, to 24:00, without a zone.

    Raises:
        InvalidFields: anything else.
    """
    day, _, clock = text.strip().replace("T", " ").partition(" ")
    try:
        midnight, minutes = datetime.combine(parse_day(day), time()), parse_minutes(clock)
    except InvalidFields:
        raise InvalidFields(("time", "invalid_wall")) from None
    if minutes > MINUTES_OF_A_DAY:
        raise InvalidFields(("time", "invalid_wall"))
    return midnight + timedelta(minutes=minutes)


def the_instant(zone: ZoneInfo, wall: datetime) -> datetime:
    """Give the one instant at which the location's clock shows a time; never guess.

    Raises:
        InvalidFields: the clock skips it, or shows it twice.
    """
    instants = wall_to_utc(zone, wall)
    if not instants:
        raise InvalidFields((f"{wall:%Y-%m-%d %H:%M}", "time_does_not_exist"))
    if len(instants) > 1:
        raise InvalidFields((f"{wall:%Y-%m-%d %H:%M}", "ambiguous_time"))
    return instants[0]


def parse_need(text: str) -> tuple[list[str], int]:
    """Read ``Lucía,Marcos`` (either serves) or ``Camillas*2`` (two places) as names and units."""
    names, star, units = text.rpartition("*")
    if not star or not (units.strip().isascii() and units.strip().isdigit()):
        names, units = text, "1"
    return [name.strip() for name in names.split(",") if name.strip()], int(units[:9])


def named_needs(
    session: Session, location_id: UUID, needs: Sequence[tuple[list[str], int]]
) -> list[tuple[list[Resource], int]]:
    """Find the resources that needs name.

    Raises:
        NotFound, InvalidFields: a name is nobody's, or of several.
    """
    return [
        ([get_resource_named(session, location_id, name) for name in names], units)
        for names, units in needs
    ]
