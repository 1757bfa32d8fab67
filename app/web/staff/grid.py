"""Where things lie on the day's sheet. Rows are elapsed time, so a day of 23 hours has 276."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from app.catalog.hours import day_bounds, local_to_utc
from app.intervals import Span

ROW = timedelta(minutes=5)
"""The style sheet has one class per row (static/css/rows.css)."""

MOST_ROWS = 336

_HALF_HOUR = timedelta(minutes=30)
_USUAL_MINUTES = (9 * 60, 18 * 60)


@dataclass(frozen=True)
class Rows:
    """A stretch of the sheet: the first row and how many."""

    first: int
    count: int


@dataclass(frozen=True)
class HourLabel:
    row: int
    hour: int


@dataclass(frozen=True)
class Frame:
    """The part of a day that the sheet shows, [start, end)."""

    zone: ZoneInfo
    day: date
    start: datetime
    end: datetime

    @property
    def rows(self) -> int:
        return (self.end - self.start) // ROW

    @property
    def begins_on_the_hour(self) -> bool:
        return self.start.astimezone(self.zone).minute == 0

    @property
    def token(self) -> str:
        """Name the frame, so that a column can tell that the page around it is another one."""
        return f"{int(self.start.timestamp())}-{self.rows}"

    def shows(self, instant: datetime) -> bool:
        return self.start <= instant < self.end

    def row_of(self, instant: datetime) -> int:
        return min(max((instant - self.start) // ROW, 0), self.rows)

    def place(self, start: datetime, end: datetime) -> Rows | None:
        """Tell the rows of [start, end), rounded outwards and cut to the sheet; None outside."""
        start, end = max(start, self.start), min(end, self.end)
        if start >= end:
            return None
        first = (start - self.start) // ROW
        return Rows(first, max(1, -((self.start - end) // ROW) - first))

    def hours(self) -> Iterator[HourLabel]:
        """List the full hours of the wall clock; one that comes twice is listed twice."""
        moment = self.start
        while moment < self.end:
            wall = moment.astimezone(self.zone)
            if wall.minute == 0 and moment > self.start:
                yield HourLabel(self.row_of(moment), wall.hour)
            moment += ROW * 3


def frame_for(zone: ZoneInfo, day: date, openings: list[Span], taken: Iterable[Span]) -> Frame:
    """Choose what to show of a day: all that is open or taken, and half an hour around it.

    What began the day before shows from midnight on; hours of ``day`` that run past midnight
    show to their end.
    """
    midnight, next_midnight = day_bounds(zone, day)
    spans = [*openings, *taken]
    latest = max([next_midnight, *(end for _, end in openings)])
    starts = [max(start, midnight) for start, _ in spans]
    ends = [min(end, latest) for _, end in spans]
    start = min(starts, default=local_to_utc(zone, day, _USUAL_MINUTES[0]))
    end = max(ends, default=local_to_utc(zone, day, _USUAL_MINUTES[1]))
    start = max(midnight, _floor(zone, start) - _HALF_HOUR)
    end = min(latest, -(-(end - start) // _HALF_HOUR) * _HALF_HOUR + start + _HALF_HOUR)
    end = min(end, start + MOST_ROWS * ROW)
    return Frame(zone, day, start, start + -(-(end - start) // ROW) * ROW)


def _floor(zone: ZoneInfo, instant: datetime) -> datetime:
    """Go back to the full hour of the wall clock."""
    wall = instant.astimezone(zone)
    return instant - timedelta(
        minutes=wall.minute, seconds=wall.second, microseconds=wall.microsecond
    )
