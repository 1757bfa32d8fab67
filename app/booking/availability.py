"""When a service can start. Listing and holding ask the same functions, so they agree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking.errors import BeyondHorizon, InThePast, NoticeTooShort
from app.booking.occupancy import Occupancy, read_occupancy
from app.catalog.offer import Candidate, Offer, Place
from app.catalog.queries import ResourceName, load_offer
from app.errors import NotFound
from app.intervals import Span, covers

ALTERNATIVES = 5

FARTHEST_HORIZON = timedelta(days=730)
"""No location takes bookings further ahead (a CHECK of ``location``)."""

_REACHES = (timedelta(hours=4), timedelta(days=1), timedelta(days=8), timedelta(days=64))
"""How far around a wanted start alternatives are looked for: the nearest are mostly near, and a
small window is cheap to read. The last resort is the whole horizon."""


@dataclass(frozen=True)
class Start:
    """A time a service can be held at, with resources that are free for it together."""

    starts_at: datetime
    ends_at: datetime
    resources: tuple[ResourceName, ...]
    places_left: int | None


class Diary:
    """The hours and the occupancy of everything one service may use, in one window."""

    def __init__(self, offer: Offer, window: Span, occupancy: Occupancy, units: int = 1) -> None:
        self.offer = offer
        self._occupancy = occupancy
        self._units = units
        self._openings: dict[UUID, list[Span]] = {}
        self._working: dict[UUID, list[Span]] = {}
        reach = (window[0], window[1] + offer.duration)
        for need in offer.needs:
            for candidate in need.candidates:
                openings = candidate.hours.openings(offer.place.zone, *reach)
                self._openings[candidate.id] = openings
                self._working[candidate.id] = candidate.hours.working(openings)

    def is_open(self, candidate: Candidate, starts_at: datetime) -> bool:
        """Tell whether the service itself lies inside the working hours; buffers may not."""
        return covers(self._working[candidate.id], starts_at, starts_at + self.offer.duration)

    def is_on_grid(self, candidate: Candidate, starts_at: datetime) -> bool:
        """Tell whether a whole number of steps lies between an opening and the start."""
        return any(
            start <= starts_at < end and not (starts_at - start) % self.offer.grid
            for start, end in self._openings[candidate.id]
        )

    def free(self, need_index: int, starts_at: datetime) -> list[Candidate]:
        """List who is open and free to serve a need at a start, the fairest first."""
        candidates = self.offer.needs[need_index].candidates
        opened = [c for c in candidates if self.is_open(c, starts_at)]
        return self.fairest(need_index, starts_at, opened)

    def fairest(
        self, need_index: int, starts_at: datetime, candidates: Sequence[Candidate]
    ) -> list[Candidate]:
        """Keep who is free of ``candidates``, the least booked that day first, then by id."""
        need = self.offer.needs[need_index]
        during = self.offer.during(starts_at)
        day = starts_at.astimezone(self.offer.place.zone).date()
        free = [
            c
            for c in candidates
            if self._occupancy.is_free(c, during, need.units_for(c, self._units))
        ]
        return sorted(free, key=lambda c: (self._occupancy.booked_on(c.id, day), c.id))

    def grid_starts(self, candidate: Candidate, window: Span) -> Iterator[datetime]:
        """List the grid's times of a candidate inside [window), each once, in no order."""
        step = self.offer.grid
        seen: set[datetime] = set()
        for opening, closing in self._openings[candidate.id]:
            skipped = max(0, -(-(window[0] - opening) // step))
            moment = opening + skipped * step
            while moment < closing and moment < window[1]:
                if moment not in seen:
                    seen.add(moment)
                    yield moment
                moment += step

    def starts(self, window: Span, *, resource_id: UUID | None = None) -> dict[datetime, Start]:
        """List every start in [window) that can be held, the fairest choice of resources each."""
        primaries: dict[datetime, set[UUID]] = {}
        for candidate in self.offer.needs[0].candidates if self.offer.needs else ():
            for moment in self.grid_starts(candidate, window):
                primaries.setdefault(moment, set()).add(candidate.id)
        found = {}
        for moment in sorted(primaries):
            chosen = self._choose(moment, primaries[moment], resource_id)
            if chosen is not None:
                found[moment] = self._start(moment, chosen)
        return found

    def starts_by_primary(self, window: Span) -> Iterator[tuple[UUID, Start]]:
        """List every start in [window) once per resource that can serve the first need."""
        for candidate in self.offer.needs[0].candidates if self.offer.needs else ():
            for moment in self.grid_starts(candidate, window):
                chosen = self._choose(moment, {candidate.id}, None)
                if chosen is not None:
                    yield candidate.id, self._start(moment, chosen)

    def _choose(
        self, moment: datetime, primaries: set[UUID], resource_id: UUID | None
    ) -> list[Candidate] | None:
        chosen: list[Candidate] = []
        for index, need in enumerate(self.offer.needs):
            free = self.free(index, moment)
            if index == 0:
                free = [c for c in free if c.id in primaries]
            if resource_id is not None and any(c.id == resource_id for c in need.candidates):
                free = [c for c in free if c.id == resource_id]
            if not free:
                return None
            chosen.append(free[0])
        return chosen

    def _start(self, moment: datetime, chosen: list[Candidate]) -> Start:
        during = self.offer.during(moment)
        left = [
            self._occupancy.places_left(candidate, during) // need.units
            for need, candidate in zip(self.offer.needs, chosen, strict=True)
            if not candidate.is_exclusive
        ]
        return Start(
            starts_at=moment,
            ends_at=moment + self.offer.duration,
            resources=tuple(ResourceName(c.id, c.name) for c in chosen),
            places_left=min(left) if left else None,
        )


def check_policy(
    place: Place, starts_at: datetime, *, now: datetime, only_past: bool = False
) -> None:
    """Refuse a start that nobody may book, whatever is free; ``only_past`` is the desk's rule.

    Notice and horizon are elapsed time.

    Raises:
        InThePast, NoticeTooShort, BeyondHorizon: as they say.
    """
    if starts_at < now:
        raise InThePast
    if only_past:
        return
    if starts_at < now + place.notice:
        raise NoticeTooShort
    if starts_at >= now + place.horizon:
        raise BeyondHorizon


def _bookable(place: Place, window: Span, *, now: datetime) -> Span:
    return max(window[0], now + place.notice), min(window[1], now + place.horizon)


def open_diary(
    session: Session, location_id: UUID, service_id: UUID, *, window: Span, units: int = 1
) -> Diary:
    """Read hours and occupancy of a service's window. Two statements.

    Raises:
        NotFound: the location has no such service.
    """
    offer = load_offer(session, location_id, service_id, since=window[0], until=window[1])
    return Diary(offer, window, read_occupancy(session, offer, window), units)


def find_starts(
    session: Session,
    location_id: UUID,
    service_id: UUID,
    *,
    window: Span,
    now: datetime,
    resource_id: UUID | None = None,
    limit: int | None = None,
) -> list[Start]:
    """List the starts in [window) that can be held now, in order of time. Two statements.

    ``resource_id`` keeps to one resource. A lapsed hold is free, a live one is not.

    Raises:
        NotFound: the location has no such service, or the service cannot use the resource.
    """
    diary = open_diary(session, location_id, service_id, window=window)
    if resource_id is not None and not diary.offer.can_use(resource_id):
        raise NotFound
    bookable = _bookable(diary.offer.place, window, now=now)
    return list(diary.starts(bookable, resource_id=resource_id).values())[:limit]


def alternatives(
    session: Session,
    location_id: UUID,
    service_id: UUID,
    *,
    starts_at: datetime,
    now: datetime,
    resource_ids: tuple[UUID, ...] = (),
    units: int = 1,
) -> list[Start]:
    """List up to five starts that can be held now instead of ``starts_at``.

    Nearest in time first; at equal distance the wanted resource, then the others. Empty only
    when nothing is free within the horizon.
    """
    end = now + FARTHEST_HORIZON
    centre = min(max(starts_at, now), end)
    for reach in (*_REACHES, FARTHEST_HORIZON):
        window = (max(now, centre - reach), min(centre + reach, end))
        diary = open_diary(session, location_id, service_id, window=window, units=units)
        bookable = _bookable(diary.offer.place, window, now=now)
        found = [
            (abs(start.starts_at - starts_at), primary not in resource_ids, start)
            for primary, start in diary.starts_by_primary(bookable)
        ]
        if len(found) >= ALTERNATIVES:
            break
        end = now + diary.offer.place.horizon
        if window[0] <= now and window[1] >= end:
            break
        centre = min(centre, end)
    found.sort(key=lambda entry: (entry[0], entry[1], entry[2].starts_at))
    return [start for _, _, start in found[:ALTERNATIVES]]
