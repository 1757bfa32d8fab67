"""A booking as a block on the sheet: where it lies, how big, what it says."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from app.booking.states import OCCUPYING, Status
from app.booking.views import BookingView
from app.web.staff.grid import Frame, Rows
from app.web.staff.state_looks import LOOKS, Look

ARRIVAL_OPENS = timedelta(minutes=60)
"""From so long before the start on, arriving is the next action."""

SOON = timedelta(minutes=15)

_GONE = frozenset({Status.CANCELLED, Status.EXPIRED})
_ONE_LINE_ROWS = 3
_TWO_LINE_ROWS = 8


def shown_status(booking: BookingView, now: datetime) -> Status:
    """Tell the state to show: a hold whose time is over is expired, whoever writes it down."""
    return Status.EXPIRED if booking.has_lapsed(now) else booking.status


@dataclass(frozen=True)
class Shown:
    """A booking with what a reader must see of it at ``now``."""

    booking: BookingView
    status: Status
    now: datetime
    margin: timedelta = timedelta()

    @staticmethod
    def at(booking: BookingView, now: datetime, margin: timedelta = timedelta()) -> "Shown":
        return Shown(booking, shown_status(booking, now), now, margin)

    @property
    def look(self) -> Look:
        return LOOKS[self.status]

    @property
    def name(self) -> str | None:
        return self.booking.contact.name

    @property
    def occupies(self) -> bool:
        return self.status in OCCUPYING

    @property
    def is_gone(self) -> bool:
        return self.status in _GONE

    @property
    def is_over_unserved(self) -> bool:
        """Tell whether its time was not used: cancelled, expired or absent."""
        return self.is_gone or self.status is Status.NO_SHOW

    @property
    def is_temporary(self) -> bool:
        return self.occupies and self.booking.expires_at is not None

    @property
    def until(self) -> datetime | None:
        """Tell when the time of who has to do something is over: to confirm, or to pay."""
        until = self.booking.expires_at
        is_pending = self.status is Status.PENDING_PAYMENT
        return until - self.margin if until is not None and is_pending else until

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more happens with it today."""
        return not self.occupies

    @property
    def minutes_late(self) -> int:
        if self.status is not Status.CONFIRMED or self.now <= self.booking.starts_at:
            return 0
        return int((self.now - self.booking.starts_at).total_seconds()) // 60

    @property
    def minutes_to_start(self) -> int | None:
        """Tell the minutes left when they are few, else None."""
        left = self.booking.starts_at - self.now
        is_near = self.status is Status.CONFIRMED and timedelta(0) < left <= SOON
        return -(-int(left.total_seconds()) // 60) if is_near else None

    @property
    def may_arrive(self) -> bool:
        return (
            self.status is Status.CONFIRMED and self.now >= self.booking.starts_at - ARRIVAL_OPENS
        )

    @property
    def resource_names(self) -> str:
        return ", ".join(resource.name for resource in self.booking.resources)

    def units_of(self, resource_id: UUID) -> int:
        return sum(r.units for r in self.booking.resources if r.id == resource_id)


@dataclass(frozen=True)
class Block:
    """A booking placed on one column. ``lane`` 0 is the whole width."""

    shown: Shown
    rows: Rows
    css: str

    @property
    def is_line(self) -> bool:
        return self.rows.count <= _ONE_LINE_ROWS

    @property
    def is_tall(self) -> bool:
        return self.rows.count > _TWO_LINE_ROWS

    @property
    def size(self) -> str:
        """Name the style of a block of this height: one, two or three lines of text."""
        if self.is_line:
            return "line"
        return "tall" if self.is_tall else "sm"


def blocks_side_by_side(frame: Frame, bookings: list[Shown]) -> list[Block]:
    """Place the bookings of an exclusive resource.

    What keeps the time takes the width; what no longer does (completed, absent) makes room when
    somebody else has the time now; what is gone is narrow, and left out where the time is taken.
    """
    blocks = []
    for shown in bookings:
        others = [o for o in bookings if o is not shown and _overlap(o.booking, shown.booking)]
        taken = any(not other.is_gone for other in others)
        rows = frame.place(shown.booking.starts_at, shown.booking.ends_at)
        if rows is None or (shown.is_gone and (taken or shown.booking.rescheduled_to)):
            continue
        css = ""
        if shown.is_gone:
            if any(o.is_gone and o.booking.id > shown.booking.id for o in others):
                continue
            css = "ghost"
        elif taken:
            css = "half-r" if shown.occupies else "half-l"
        blocks.append(Block(shown, rows, css))
    return blocks


def _overlap(one: BookingView, other: BookingView) -> bool:
    return one.starts_at < other.ends_at and other.starts_at < one.ends_at
