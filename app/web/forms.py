"""Reading what people type: text, ids, dates, local times. Wrong fields are named, all at once."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from uuid import UUID
from zoneinfo import ZoneInfo

from app.catalog.hours import wall_to_utc
from app.errors import InvalidFields, NotFound
from app.web.writable import is_writable

EARLIEST_YEAR, LATEST_YEAR = 2000, 2100
LONGEST_KEY = 64


class Fields:
    """A form being read. Each reader notes what is wrong; ``check`` refuses if anything was."""

    def __init__(self, form: Mapping[str, str]) -> None:
        self._form = form
        self.errors: list[tuple[str, str]] = []

    def text(self, name: str, *, most: int, required: bool = False) -> str:
        """Read a text without surrounding blanks, of at most ``most`` characters."""
        value = self._form.get(name, "").strip()
        if not is_writable(value):
            self.errors.append((name, "invalid_text"))
        elif len(value) > most:
            self.errors.append((name, "too_long"))
        elif required and not value:
            self.errors.append((name, "required"))
        else:
            return value
        return ""

    def number(self, name: str, *, least: int, most: int, default: int) -> int:
        value = self._form.get(name, "").strip()
        if not value:
            return default
        if not (value.isascii() and value.isdigit() and least <= int(value[:9]) <= most):
            self.errors.append((name, "invalid"))
            return default
        return int(value)

    def uuid(self, name: str) -> UUID | None:
        """Read an id; nothing chosen is None."""
        value = self._form.get(name, "").strip()
        if not value:
            return None
        try:
            return UUID(value)
        except ValueError:
            self.errors.append((name, "invalid"))
            return None

    def instant(self, name: str) -> datetime | None:
        """Read an instant that a page of ours wrote, with its offset."""
        value = self._form.get(name, "").strip()
        return parse_instant(value) if value else None

    def local(self, day_name: str, time_name: str, zone: ZoneInfo) -> datetime | None:
        """Read a date and a wall time of the location; one that comes twice is never guessed."""
        day = parse_day(self._form.get(day_name, ""))
        if day is None:
            self.errors.append((day_name, "invalid"))
        try:
            wall = time.fromisoformat(self._form.get(time_name, ""))
        except ValueError:
            self.errors.append((time_name, "invalid"))
            return None
        if day is None or wall.tzinfo is not None:
            return None
        instants = wall_to_utc(zone, datetime.combine(day, wall.replace(second=0, microsecond=0)))
        if len(instants) != 1:
            self.errors.append((time_name, "ambiguous_time" if instants else "time_does_not_exist"))
            return None
        return instants[0]

    def version(self) -> int | None:
        value = self._form.get("version", "")
        return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None

    def key(self) -> str:
        """Read the idempotency key that was made when the form was drawn."""
        value = self.text("key", most=LONGEST_KEY)
        return value if value.isascii() else ""

    def check(self) -> None:
        """Refuse the form if any field was wrong.

        Raises:
            InvalidFields: naming each.
        """
        if self.errors:
            raise InvalidFields(*self.errors)


def parse_day(value: str) -> date | None:
    """Read ``YYYY-MM-DD`` of a sane year."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return None
    sane = day.isoformat() == value and EARLIEST_YEAR <= day.year <= LATEST_YEAR
    return day if sane else None


def get_day(value: str) -> date:
    """Read a date of an address.

    Raises:
        NotFound: there is no such day.
    """
    day = parse_day(value)
    if day is None:
        raise NotFound
    return day


def parse_instant(value: str) -> datetime | None:
    """Read an ISO instant with an offset and of a sane year; anything else is None."""
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        return None
    if instant.tzinfo is None or not EARLIEST_YEAR < instant.year < LATEST_YEAR:
        return None
    return instant.astimezone(UTC)


def local_path(value: str) -> str | None:
    """Let through a path of this site only: never another host, a scheme or a backslash."""
    is_path = value.startswith("/") and not value.startswith("//")
    return value if is_path and "\\" not in value and value.isprintable() else None
