"""Instants as the API reads and writes them. Nobody guesses an offset."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from pydantic_core import PydanticCustomError

EARLIEST_YEAR = 2000
LATEST_YEAR = 2100

_WALL = r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?"
_INSTANT = re.compile(_WALL + r"([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_WITHOUT_OFFSET = re.compile(_WALL.replace("[Tt]", "[Tt ]"), re.ASCII)
_WITH_A_LOST_PLUS = re.compile(_WALL + r" \d\d:\d\d", re.ASCII)


def read_instant(told: object) -> datetime:
    """Read RFC 3339 with an offset as UTC. Seconds may be left out.

    Raises:
        PydanticCustomError: its type is the code that the field is refused with.
    """
    if isinstance(told, datetime):
        return told
    if not isinstance(told, str):
        raise PydanticCustomError("invalid_type", "not a text")
    if not _INSTANT.fullmatch(told):
        missing = "offset_required" if _WITHOUT_OFFSET.fullmatch(told) else "invalid_instant"
        raise PydanticCustomError(missing, "no instant")
    if not EARLIEST_YEAR <= int(told[:4]) <= LATEST_YEAR:
        raise PydanticCustomError("out_of_range", "a year out of reach")
    try:
        return datetime.fromisoformat(told.upper()).astimezone(UTC)
    except ValueError:
        raise PydanticCustomError("invalid_instant", "no such date or time") from None


def read_instant_of_query(told: object) -> datetime:
    """Read an instant from a query, where an unencoded ``+`` arrives as a space."""
    if isinstance(told, str) and _WITH_A_LOST_PLUS.fullmatch(told):
        told = "+".join(told.rsplit(" ", 1))
    return read_instant(told)


def utc_text(instant: datetime) -> str:
    """Write an instant in UTC with ``Z``; microseconds only where there are some."""
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def wall_text(instant: datetime, zone: ZoneInfo) -> str:
    """Write an instant as the wall time of a zone, with its offset."""
    return instant.astimezone(zone).isoformat()
