from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.intervals import Span, merge, subtract

_MINUTE = timedelta(minutes=1)


def local_to_utc(zone: ZoneInfo, day: date, minutes: int) -> datetime:
    """Turn a wall time into an instant: the only place that does.

    ``minutes`` count on the wall clock from midnight of ``day`` and may pass 24 hours. The answer
    is when the clock first shows that time or, if it skips it, a later one: of a time shown
    twice the first instant, of a time skipped the instant of the jump. So hours last from when
    the clock first shows the opening until it first shows the closing.
    """
    wall = datetime.combine(day, time()) + minutes * _MINUTE
    first = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    second = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if first > second:
        return _jump_between(zone, second, first)
    return first


def _jump_between(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """Find the instant at which the clock jumps, by halving down to the second."""
    offset = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after


def wall_to_utc(zone: ZoneInfo, wall: datetime) -> list[datetime]:
    """Tell the instants at which the clock shows ``wall``: none, one or two."""
    instants = {wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return sorted(i for i in instants if i.astimezone(zone).replace(tzinfo=None) == wall)


def day_bounds(zone: ZoneInfo, day: date) -> Span:
    """Tell when the local day begins and ends; 23, 24 or 25 hours apart, or half hours."""
    return local_to_utc(zone, day, 0), local_to_utc(zone, day + timedelta(days=1), 0)


def days_touching(zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[date]:
    """List the local days whose hours may reach into [start, end): one before it, too."""
    day = start.astimezone(zone).date() - timedelta(days=1)
    last = end.astimezone(zone).date()
    while day <= last:
        yield day
        day += timedelta(days=1)


@dataclass(frozen=True)
class ResourceHours:
    """When one resource works: hours by rule, and what cuts into them. All of one window."""

    weekly: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    dated: dict[date, list[tuple[int, int]]] = field(default_factory=dict)
    holidays: dict[date, str] = field(default_factory=dict)
    time_off: tuple[tuple[datetime, datetime, str], ...] = ()

    def intervals_of(self, day: date) -> list[tuple[int, int]]:
        """Tell the wall-time hours that begin on ``day``, merged.

        Dated hours replace everything; without them a holiday closes, else the week's rule holds.
        """
        if day in self.dated:
            intervals = self.dated[day]
        elif day in self.holidays:
            intervals = []
        else:
            intervals = self.weekly.get(day.weekday(), [])
        merged: list[tuple[int, int]] = []
        for opens, closes in sorted(intervals):
            if merged and opens <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], closes))
            else:
                merged.append((opens, closes))
        return merged

    def openings(self, zone: ZoneInfo, start: datetime, end: datetime) -> list[Span]:
        """List the stretches of opening that reach into [start, end), each from its own opening."""
        spans = []
        for day in days_touching(zone, start, end):
            for opens, closes in self.intervals_of(day):
                span = (local_to_utc(zone, day, opens), local_to_utc(zone, day, closes))
                if span[0] < span[1] and span[1] > start and span[0] < end:
                    spans.append(span)
        return spans

    def working(self, openings: list[Span]) -> list[Span]:
        """Join the openings and cut the time off out of them."""
        return subtract(merge(openings), merge((s, e) for s, e, _ in self.time_off))
