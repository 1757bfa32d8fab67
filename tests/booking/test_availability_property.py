"""Every listed start can be held; every other start is refused; and a slow clock agrees.

The oracle walks the wall clock minute by minute, so it shares no arithmetic with the code.
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from app.booking.availability import find_starts
from app.booking.errors import OutsideHours, SlotTaken
from app.catalog.actions import add_holiday, add_time_off, set_dated_hours
from app.catalog.models import Location, Resource, Service
from app.checkout.actions import place_hold
from app.errors import DomainError, InvalidFields
from tests.conftest import Clock
from tests.factories import BOT, a_location, a_resource, a_service, a_wish

MINUTE = timedelta(minutes=1)

CHANGE_DAYS = [
    ("America/New_York", date(2026, 3, 8)),
    ("America/New_York", date(2026, 11, 1)),
    ("America/Sao_Paulo", date(2018, 11, 4)),
    ("America/Sao_Paulo", date(2018, 2, 18)),
    ("America/Asuncion", date(2024, 10, 6)),
    ("America/Asuncion", date(2024, 3, 24)),
    ("Europe/Berlin", date(2026, 3, 29)),
    ("Europe/Berlin", date(2026, 10, 25)),
    ("Australia/Lord_Howe", date(2026, 10, 4)),
    ("Australia/Lord_Howe", date(2026, 4, 5)),
    ("America/Montevideo", date(2026, 6, 10)),
]

HOURS = st.sampled_from(
    [
        ((0, 1440),),
        ((540, 1080),),
        ((480, 720), (780, 1140)),
        ((1320, 1560),),
        ((0, 480), (1200, 1440)),
        ((1200, 1800), (600, 720)),
        (),
    ]
)


@dataclass
class Rules:
    """What the oracle knows of one resource."""

    weekly: tuple[tuple[int, int], ...]
    capacity: int
    dated: dict[date, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    off: list[tuple[datetime, datetime]] = field(default_factory=list)
    taken: list[tuple[datetime, datetime, int]] = field(default_factory=list)

    def hours_of(self, day: date, holidays: set[date]) -> tuple[tuple[int, int], ...]:
        if day in self.dated:
            return self.dated[day]
        return () if day in holidays else self.weekly


class Oracle:
    def __init__(self, zone: ZoneInfo, holidays: set[date], rules: dict[UUID, Rules]) -> None:
        self.zone, self.holidays, self.rules = zone, holidays, rules

    def is_open(self, resource: UUID, instant: datetime) -> bool:
        rules = self.rules[resource]
        if any(start <= instant < end for start, end in rules.off):
            return False
        wall = instant.astimezone(self.zone)
        minute = wall.hour * 60 + wall.minute
        return any(
            opens <= minute + late < closes
            for late, day in ((0, wall.date()), (1440, wall.date() - timedelta(days=1)))
            for opens, closes in rules.hours_of(day, self.holidays)
        )

    def is_free(self, resource: UUID, instant: datetime, units: int) -> bool:
        rules = self.rules[resource]
        used = sum(n for start, end, n in rules.taken if start <= instant < end)
        return used + units <= rules.capacity

    def openings(self, resource: UUID, around: date) -> list[tuple[datetime, datetime]]:
        """Each opening and closing of the days around, read off the clock minute by minute."""
        found = []
        for shift in range(-2, 3):
            day = around + timedelta(days=shift)
            merged: list[list[int]] = []
            for opens, closes in sorted(self.rules[resource].hours_of(day, self.holidays)):
                if merged and opens <= merged[-1][1]:
                    merged[-1][1] = max(merged[-1][1], closes)
                else:
                    merged.append([opens, closes])
            found += [(self.strikes(day, opens), self.strikes(day, ends)) for opens, ends in merged]
        return found

    def strikes(self, day: date, minute: int) -> datetime:
        """The first instant at which the wall clock shows ``minute`` of ``day`` or later."""
        day, minute = day + timedelta(days=minute // 1440), minute % 1440
        instant = datetime.combine(day, datetime.min.time(), UTC) - timedelta(hours=15)
        while True:
            wall = instant.astimezone(self.zone)
            if (wall.date(), wall.hour * 60 + wall.minute) >= (day, minute):
                return instant
            instant += 5 * MINUTE


@dataclass
class World:
    location: Location
    service: Service
    oracle: Oracle
    needs: list[list[Resource]]


def a_world(
    session: Session, zone_name: str, day: date, data: st.DataObject, now: datetime
) -> World:
    draw = data.draw
    zone = ZoneInfo(zone_name)
    location = a_location(session, timezone=zone_name, horizon_days=60)
    rules: dict[UUID, Rules] = {}

    def resource(name: str, capacity: int) -> Resource:
        weekly = draw(HOURS)
        made = a_resource(
            session, location, name, capacity=capacity, hours=weekly, weekdays=range(7)
        )
        rules[made.id] = Rules(weekly, capacity)
        return made

    people = [resource(f"P{n}", 1) for n in range(draw(st.integers(1, 2)))]
    needs = [people]
    if draw(st.booleans()):
        needs.append([resource("Camillas", draw(st.integers(2, 3)))])
    duration = draw(st.sampled_from([15, 30, 60, 90]))
    buffers = draw(st.sampled_from([(0, 0), (15, 0), (0, 30), (10, 10)]))
    service = a_service(
        session,
        location,
        *[(need, 1) for need in needs],
        duration_minutes=duration,
        grid_minutes=draw(st.sampled_from([15, 30, 45, 60])),
        buffer_before_minutes=buffers[0],
        buffer_after_minutes=buffers[1],
    )
    everything = [r for need in needs for r in need]
    midnight = datetime.combine(day, datetime.min.time(), zone).astimezone(UTC)
    holidays: set[date] = set()
    if draw(st.integers(0, 4)) == 0:
        add_holiday(session, location.id, day, "Feriado")
        holidays.add(day)
    for made in everything:
        if draw(st.integers(0, 3)) == 0:
            other = draw(HOURS)
            set_dated_hours(session, location.id, made.id, day, other)
            rules[made.id].dated[day] = other
        if draw(st.integers(0, 2)) == 0:
            begins = midnight + draw(st.integers(0, 40)) * 30 * MINUTE
            ends = begins + draw(st.integers(1, 30)) * 30 * MINUTE
            add_time_off(session, location.id, made.id, starts_at=begins, ends_at=ends)
            rules[made.id].off.append((begins, ends))
    for _ in range(draw(st.integers(0, 6))):
        starts_at = midnight + draw(st.integers(-4, 100)) * 15 * MINUTE
        wish = a_wish(location, service, starts_at, at_desk=True, override="prueba")
        try:
            held = place_hold(session, wish, actor=BOT, now=now)
        except SlotTaken:
            continue
        for one in held.resources:
            rules[one.id].taken.append(
                (
                    starts_at - buffers[0] * MINUTE,
                    starts_at + (duration + buffers[1]) * MINUTE,
                    one.units,
                )
            )
    return World(location, service, Oracle(zone, holidays, rules), needs)


def expected(
    world: World, openings: dict[UUID, list[tuple[datetime, datetime]]], starts_at: datetime
) -> bool:
    """Whether the service can start, by walking through its minutes."""
    service, oracle = world.service, world.oracle
    step = service.grid_minutes * MINUTE
    inside = [starts_at + n * MINUTE for n in range(0, service.duration_minutes, 5)]
    before, after = service.buffer_before_minutes, service.buffer_after_minutes
    whole = [starts_at + n * MINUTE for n in range(-before, service.duration_minutes + after, 5)]
    for index, need in enumerate(world.needs):
        fits = [
            r
            for r in need
            if all(oracle.is_open(r.id, i) for i in inside)
            and all(oracle.is_free(r.id, i, 1) for i in whole)
            and (index > 0 or is_on_grid(openings, r, starts_at, step))
        ]
        if not fits:
            return False
    return True


def is_on_grid(
    openings: dict[UUID, list[tuple[datetime, datetime]]],
    resource: Resource,
    starts_at: datetime,
    step: timedelta,
) -> bool:
    return any(
        opening <= starts_at < closing and not (starts_at - opening) % step
        for opening, closing in openings[resource.id]
    )


def attempt(session: Session, world: World, starts_at: datetime, now: datetime) -> str:
    savepoint = session.begin_nested()
    try:
        place_hold(session, a_wish(world.location, world.service, starts_at), actor=BOT, now=now)
    except (SlotTaken, OutsideHours, InvalidFields) as refusal:
        return refusal.code
    except DomainError as other:
        raise AssertionError(f"{starts_at} met {other.code}") from other
    else:
        return "held"
    finally:
        savepoint.rollback()


@pytest.mark.parametrize(("zone", "day"), CHANGE_DAYS, ids=lambda value: str(value))
def test_every_listed_start_can_be_held_and_no_other(
    session: Session, clock: Clock, zone: str, day: date
) -> None:
    """E01, D01, D02, D11: on days whose clocks change, over random catalogues."""
    clock.set(datetime.combine(day, datetime.min.time(), UTC) - timedelta(days=5))
    now = clock.now()

    @settings(
        max_examples=12,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def holds(data: Any) -> None:
        world = a_world(session, zone, day, data, now)
        midnight = datetime.combine(day, datetime.min.time(), ZoneInfo(zone)).astimezone(UTC)
        window = (midnight - timedelta(hours=3), midnight + timedelta(hours=28))
        listed = {
            start.starts_at: start
            for start in find_starts(
                session, world.location.id, world.service.id, window=window, now=now
            )
        }
        openings = {r.id: world.oracle.openings(r.id, day) for need in world.needs for r in need}
        moment = window[0]
        while moment < window[1]:
            met = attempt(session, world, moment, now)
            assert (met == "held") is (moment in listed), f"{moment} {met}"
            assert (moment in listed) is expected(world, openings, moment), f"{moment} {met}"
            moment += 15 * MINUTE
        assert all(not start.timestamp() % 300 for start in listed)
        session.expunge_all()

    holds()
