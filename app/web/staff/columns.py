"""One resource's day, ready to draw: hours, bookings, free places. One swap unit of the page."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from app.catalog.hours import ResourceHours
from app.catalog.models import EXCLUSIVE, Resource
from app.intervals import Span, merge, subtract
from app.web.staff.blocks import Block, Shown, blocks_side_by_side
from app.web.staff.grid import Frame, Rows
from app.web.staff.pools import (
    MOST_LANES,
    Group,
    Ribbon,
    full_spans,
    group_blocks,
    lane_blocks,
    ribbons,
    usage,
)

_QUARTER = timedelta(minutes=15)
_CELL = timedelta(minutes=30)


@dataclass(frozen=True)
class Closed:
    """A stretch without work: outside hours, a pause between two openings, or a leave."""

    rows: Rows
    kind: str
    reason: str = ""
    since: datetime | None = None


@dataclass(frozen=True)
class FreeCell:
    """A place where a click begins a hold."""

    starts_at: datetime
    rows: Rows


@dataclass(frozen=True)
class Column:
    """What the template draws; nothing is computed there."""

    id: UUID
    name: str
    label: str
    capacity: int
    is_pooled: bool
    lanes: int
    percent: int
    holiday: str | None
    closed: tuple[Closed, ...]
    blocks: tuple[Block, ...]
    groups: tuple[Group, ...]
    ribbons: tuple[Ribbon, ...]
    free: tuple[FreeCell, ...]

    @property
    def is_closed_all_day(self) -> bool:
        return self.holiday is not None and not self.free and not self.blocks


def build_column(
    frame: Frame, resource: Resource, hours: ResourceHours, bookings: list[Shown], *, now: datetime
) -> Column:
    """Lay out one resource's part of the day."""
    mine = [shown for shown in bookings if shown.units_of(resource.id)]
    openings = merge(hours.openings(frame.zone, frame.start, frame.end))
    working = hours.working(openings)
    is_pooled = resource.kind != EXCLUSIVE
    taken = usage((shown for shown in mine if shown.occupies), resource.id)
    served = usage((shown for shown in mine if not shown.is_over_unserved), resource.id)
    is_large = resource.capacity > MOST_LANES
    blocks: list[Block] = []
    groups: list[Group] = []
    if not is_pooled:
        blocks = blocks_side_by_side(frame, mine)
    elif is_large:
        groups = group_blocks(frame, mine, resource.id, resource.capacity)
    else:
        blocks = lane_blocks(frame, mine, resource.id, resource.capacity)
    lanes = 0
    if is_pooled:
        lanes = min(MOST_LANES, resource.capacity)
    free = subtract(working, merge(full_spans(taken, resource.capacity)))
    return Column(
        id=resource.id,
        name=resource.name,
        label=resource.label,
        capacity=resource.capacity,
        is_pooled=is_pooled,
        lanes=lanes,
        percent=_percent(working, mine, resource),
        holiday=None if openings else hours.holidays.get(frame.day),
        closed=tuple(_closed(frame, openings, hours)),
        blocks=tuple(blocks),
        groups=tuple(groups),
        ribbons=tuple(ribbons(frame, served, resource.capacity)) if is_pooled else (),
        free=tuple(_cells(frame, free, now)),
    )


def _percent(working: list[Span], bookings: list[Shown], resource: Resource) -> int:
    open_time = sum((end - start for start, end in working), timedelta())
    served = timedelta()
    for shown in bookings:
        if not shown.is_gone:
            span = [(shown.booking.starts_at, shown.booking.ends_at)]
            inside = subtract(span, subtract(span, working))
            length = sum((end - start for start, end in inside), timedelta())
            served += length * shown.units_of(resource.id)
    if not open_time:
        return 0
    return min(100, round(100 * served / (open_time * resource.capacity)))


def _closed(frame: Frame, openings: list[Span], hours: ResourceHours) -> Iterator[Closed]:
    whole = [(frame.start, frame.end)]
    for start, end in subtract(whole, openings):
        rows = frame.place(start, end)
        is_pause = frame.start < start and end < frame.end and _same_day(frame, start, end)
        if rows is not None:
            yield Closed(rows, "pause" if is_pause else "shut")
    for start, end, reason in hours.time_off:
        for part in subtract([(start, end)], subtract([(start, end)], openings)):
            rows = frame.place(*part)
            if rows is not None:
                yield Closed(rows, "leave", reason, since=part[0])


def _same_day(frame: Frame, start: datetime, end: datetime) -> bool:
    return start.astimezone(frame.zone).date() == end.astimezone(frame.zone).date()


def _cells(frame: Frame, free: list[Span], now: datetime) -> Iterator[FreeCell]:
    """Cut the free time at every half hour of the wall clock; each piece begins on a quarter."""
    for start, end in free:
        moment = _next_quarter(frame, max(start, now - _QUARTER))
        while moment + _QUARTER <= end:
            into_cell = timedelta(minutes=moment.astimezone(frame.zone).minute % 30)
            until = min(end, moment + _CELL - into_cell)
            rows = frame.place(moment, until)
            if rows is not None:
                yield FreeCell(moment, rows)
            moment = until


def _next_quarter(frame: Frame, instant: datetime) -> datetime:
    wall = instant.astimezone(frame.zone)
    past = timedelta(minutes=wall.minute % 15, seconds=wall.second, microseconds=wall.microsecond)
    return instant if not past else instant + _QUARTER - past
