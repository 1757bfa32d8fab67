"""The day as the receptionist sees it, read with a fixed number of queries."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking import queries as bookings
from app.booking.states import Status
from app.catalog import queries as catalog
from app.catalog.hours import ResourceHours, day_bounds
from app.catalog.models import Resource
from app.errors import NotFound
from app.intervals import merge
from app.web.staff.blocks import Shown
from app.web.staff.columns import Column, build_column
from app.web.staff.grid import Frame, frame_for
from app.web.staff.scope import Scope

ARRIVING_WITHIN = timedelta(minutes=30)


@dataclass(frozen=True)
class Counts:
    bookings: int
    on_site: int
    deposits: int
    holds: int


@dataclass(frozen=True)
class Queue:
    """What needs somebody now, in the rail beside the sheet."""

    arriving: tuple[Shown, ...]
    deposits: tuple[Shown, ...]
    holds: tuple[Shown, ...]

    @property
    def size(self) -> int:
        return len(self.arriving) + len(self.deposits) + len(self.holds)


@dataclass(frozen=True)
class Day:
    """Everything of one day that a page or a fragment may draw."""

    scope: Scope
    day: date
    now: datetime
    frame: Frame
    shown: tuple[Shown, ...]
    resources: tuple[Resource, ...]
    hours: dict[UUID, ResourceHours]

    @property
    def is_today(self) -> bool:
        return self.scope.today(self.now) == self.day

    @property
    def previous(self) -> date:
        return self.day - timedelta(days=1)

    @property
    def following(self) -> date:
        return self.day + timedelta(days=1)

    @property
    def now_row(self) -> int | None:
        return self.frame.row_of(self.now) if self.frame.shows(self.now) else None

    def column(self, resource_id: UUID) -> Column:
        """Lay out one column.

        Raises:
            NotFound: no such resource, or not for this reader.
        """
        for resource in self.resources:
            if resource.id == resource_id:
                hours = self.hours.get(resource.id, ResourceHours())
                return build_column(self.frame, resource, hours, list(self.shown), now=self.now)
        raise NotFound

    @property
    def columns(self) -> list[Column]:
        return [self.column(resource.id) for resource in self.resources]

    @property
    def kept(self) -> list[Shown]:
        """List what is or was a real visit of this day: not cancelled, not expired."""
        return [shown for shown in self.shown if not shown.is_gone]

    @property
    def past(self) -> list[Shown]:
        """List what is closed and behind us; the list folds it away."""
        return [s for s in self.shown if s.is_over and s.booking.starts_at <= self.now]

    @property
    def ahead(self) -> list[Shown]:
        past = {shown.booking.id for shown in self.past}
        return [shown for shown in self.kept if shown.booking.id not in past]

    @property
    def counts(self) -> Counts:
        states = [shown.status for shown in self.kept]
        return Counts(
            bookings=len(states),
            on_site=states.count(Status.CHECKED_IN),
            deposits=states.count(Status.PENDING_PAYMENT),
            holds=states.count(Status.HELD),
        )

    @property
    def queue(self) -> Queue:
        def in_state(status: Status) -> tuple[Shown, ...]:
            return tuple(shown for shown in self.shown if shown.status is status)

        soon = self.now + ARRIVING_WITHIN
        return Queue(
            arriving=tuple(
                shown for shown in in_state(Status.CONFIRMED) if shown.booking.starts_at <= soon
            )
            if self.is_today
            else (),
            deposits=in_state(Status.PENDING_PAYMENT),
            holds=in_state(Status.HELD),
        )


def load_day(session: Session, scope: Scope, day: date, *, now: datetime) -> Day:
    """Read a day: resources, hours and bookings. Three statements, however full it is."""
    location_id = scope.location_id
    resources = tuple(
        resource
        for resource in catalog.list_resources(session, location_id)
        if scope.covers((resource.id,))
    )
    hours = catalog.working_days(session, location_id, day - timedelta(days=1), day)
    start, end = day_bounds(scope.zone, day)
    openings = merge(
        span
        for resource in resources
        for span in hours.get(resource.id, ResourceHours()).openings(scope.zone, start, end)
    )
    latest = max([end, *(closing for _, closing in openings)])
    shown = [
        Shown.at(booking, now, scope.margin)
        for booking in bookings.day_bookings(session, location_id, start, latest)
        if scope.covers_booking(booking)
    ]
    taken = [(s.booking.starts_at, s.booking.ends_at) for s in shown if not s.is_gone]
    frame = frame_for(scope.zone, day, openings, [t for t in taken if t[0] < end])
    return Day(scope, day, now, frame, tuple(shown), resources, hours)
