"""A resource of several equal places: lanes, or groups when there are many, and the n/N ribbon."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from uuid import UUID

from app.intervals import Span
from app.web.staff.blocks import Block, Shown
from app.web.staff.grid import Frame, Rows

MOST_LANES = 4
"""Up to so many places each has a lane; with more, one block per start says how many are taken."""


@dataclass(frozen=True)
class Ribbon:
    """How many places are taken for a stretch of time."""

    rows: Rows
    used: int
    capacity: int

    @property
    def tenths(self) -> int:
        return round(10 * self.used / self.capacity)

    @property
    def is_full(self) -> bool:
        return self.used >= self.capacity


@dataclass(frozen=True)
class Group:
    """All bookings of a large pool that start and end together."""

    starts_at: datetime
    ends_at: datetime
    members: tuple[Shown, ...]
    used: int
    capacity: int
    rows: Rows
    css: str

    @property
    def percent(self) -> int:
        return min(100, 100 * self.used // self.capacity)


def usage(bookings: Iterable[Shown], resource_id: UUID) -> list[tuple[datetime, datetime, int]]:
    """List the stretches of time with the places taken in each; those with none are left out."""
    steps: dict[datetime, int] = {}
    for shown in bookings:
        units = shown.units_of(resource_id)
        steps[shown.booking.starts_at] = steps.get(shown.booking.starts_at, 0) + units
        steps[shown.booking.ends_at] = steps.get(shown.booking.ends_at, 0) - units
    stretches: list[tuple[datetime, datetime, int]] = []
    used, moments = 0, sorted(steps)
    for moment, following in pairwise(moments):
        used += steps[moment]
        if not used:
            continue
        if stretches and stretches[-1][1:] == (moment, used):
            stretches[-1] = (stretches[-1][0], following, used)
        else:
            stretches.append((moment, following, used))
    return stretches


def ribbons(
    frame: Frame, stretches: list[tuple[datetime, datetime, int]], capacity: int
) -> list[Ribbon]:
    """Draw the stretches. What was served counts as well; none passes the capacity."""
    placed = ((frame.place(start, end), used) for start, end, used in stretches)
    return [
        Ribbon(rows, min(used, capacity), capacity) for rows, used in placed if rows is not None
    ]


def full_spans(stretches: list[tuple[datetime, datetime, int]], capacity: int) -> list[Span]:
    return [(start, end) for start, end, used in stretches if used >= capacity]


def lane_blocks(
    frame: Frame, bookings: list[Shown], resource_id: UUID, capacity: int
) -> list[Block]:
    """Give each booking the first lanes that are free for all its time; what is gone is left out.

    A party that finds no lanes side by side takes one lane: its places count in the ribbon.
    """
    busy: list[list[Span]] = [[] for _ in range(capacity)]
    blocks = []
    for shown in sorted(bookings, key=lambda s: (not s.occupies, s.booking.starts_at)):
        span = (shown.booking.starts_at, shown.booking.ends_at)
        rows = frame.place(*span)
        if rows is None or shown.is_gone:
            continue
        wanted = min(capacity, max(1, shown.units_of(resource_id)))
        first, wide = _first_lanes(busy, span, wanted)
        if first is None:
            continue
        for lane in busy[first : first + wide]:
            lane.append(span)
        blocks.append(Block(shown, rows, f"lane lane-{first + 1} wide-{wide}"))
    return sorted(blocks, key=lambda block: block.shown.booking.starts_at)


def _first_lanes(busy: list[list[Span]], span: Span, wanted: int) -> tuple[int | None, int]:
    free = [all(end <= span[0] or start >= span[1] for start, end in lane) for lane in busy]
    for wide in (wanted, 1):
        for first in range(len(busy) - wide + 1):
            if all(free[first : first + wide]):
                return first, wide
    return None, 0


def group_blocks(
    frame: Frame, bookings: list[Shown], resource_id: UUID, capacity: int
) -> list[Group]:
    """Gather the bookings of a large pool by their time; groups that overlap get lanes."""
    kept = sorted(
        (shown for shown in bookings if not shown.is_gone),
        key=lambda shown: (shown.booking.starts_at, shown.booking.ends_at, shown.booking.id),
    )
    busy: list[list[Span]] = [[] for _ in range(MOST_LANES)]
    groups = []
    for span, found in groupby(kept, key=lambda s: (s.booking.starts_at, s.booking.ends_at)):
        members = tuple(found)
        rows = frame.place(*span)
        if rows is None:
            continue
        first, _ = _first_lanes(busy, span, 1)
        lane = first if first is not None else MOST_LANES - 1
        busy[lane].append(span)
        used = sum(shown.units_of(resource_id) for shown in members if shown.occupies)
        css = f"lane lane-{lane + 1}"
        groups.append(Group(*span, members, used, capacity, rows, css))
    return groups
