from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from app.booking.availability import alternatives, find_starts
from app.booking.errors import (
    BeyondHorizon,
    InThePast,
    NoticeTooShort,
    OutsideHours,
    SlotTaken,
)
from app.catalog.actions import add_holiday, add_time_off, set_dated_hours, set_weekly_hours
from app.catalog.models import Location, Service
from app.checkout import actions
from app.errors import InvalidFields
from tests.conftest import Clock
from tests.factories import (
    BOT,
    DESK,
    a_booking,
    a_hold,
    a_location,
    a_resource,
    a_service,
    a_wish,
    at,
)

DAY = ("2026-03-10 00:00", "2026-03-11 00:00")


def starts(
    session: Session,
    location: Location,
    service: Service,
    clock: Clock,
    *,
    between: tuple[str, str] = DAY,
    zone: str = "America/Sao_Paulo",
) -> list[str]:
    found = find_starts(
        session,
        location.id,
        service.id,
        window=(at(between[0], zone), at(between[1], zone)),
        now=clock.now(),
    )
    return [f"{start.starts_at.astimezone(ZoneInfo(zone)):%H:%M}" for start in found]


def test_a_day_is_offered_on_the_grid_from_the_opening(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))

    offered = starts(session, location, corte, clock)

    assert (offered[0], offered[-1], len(offered)) == ("09:00", "17:00", 17)


def test_a_live_hold_is_busy_and_a_lapsed_one_is_free(session: Session, clock: Clock) -> None:
    """A11: without any worker."""
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    a_hold(session, location, corte, at("2026-03-10 10:00"), now=clock.now())

    assert "10:00" not in starts(session, location, corte, clock)
    clock.advance(minutes=10)
    assert "10:00" in starts(session, location, corte, clock)


def test_the_day_off_the_half_day_and_the_holiday(session: Session, clock: Clock) -> None:
    """E07: two intervals that day; a day off, a part of it, a holiday, an opening all the same."""
    location = a_location(session)
    person = a_resource(
        session, location, hours=((9 * 60, 12 * 60), (13 * 60, 18 * 60)), weekdays=range(7)
    )
    corte = a_service(session, location, person)
    tuesday, wednesday = date(2026, 3, 10), date(2026, 3, 11)

    set_dated_hours(session, location.id, person.id, tuesday, [])
    assert starts(session, location, corte, clock) == []

    set_dated_hours(
        session, location.id, person.id, tuesday, [(9 * 60, 12 * 60), (13 * 60, 18 * 60)]
    )
    add_time_off(
        session,
        location.id,
        person.id,
        starts_at=at("2026-03-10 11:00"),
        ends_at=at("2026-03-10 14:00"),
    )
    offered = starts(session, location, corte, clock)
    assert max(start for start in offered if start < "12:00") == "10:00"
    assert min(start for start in offered if start > "12:00") == "14:00"

    add_holiday(session, location.id, wednesday, "Feriado")
    next_day = ("2026-03-11 00:00", "2026-03-12 00:00")
    assert starts(session, location, corte, clock, between=next_day) == []
    set_dated_hours(session, location.id, person.id, wednesday, [(10 * 60, 12 * 60)])
    assert starts(session, location, corte, clock, between=next_day) == ["10:00", "10:30", "11:00"]


def test_a_day_open_round_the_clock_has_24_hours(session: Session, clock: Clock) -> None:
    """D11: the last start is 23:00, the visit ends at midnight."""
    location = a_location(session)
    person = a_resource(session, location, hours=((0, 1440),), weekdays=[1])
    corte = a_service(session, location, person, grid_minutes=60)
    clock.set(at("2026-03-09 08:00"))

    offered = starts(session, location, corte, clock)

    assert (len(offered), offered[-1]) == (24, "23:00")


def test_hours_past_midnight_belong_to_the_day_they_began(session: Session, clock: Clock) -> None:
    location = a_location(session)
    person = a_resource(session, location, hours=((22 * 60, 26 * 60),), weekdays=[1])
    corte = a_service(session, location, person, grid_minutes=60)

    night = ("2026-03-10 12:00", "2026-03-11 12:00")
    assert starts(session, location, corte, clock, between=night) == [
        "22:00",
        "23:00",
        "00:00",
        "01:00",
    ]


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-11-01", 25),
        ("America/Los_Angeles", "2027-03-14", 23),
        ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25),
    ],
)
def test_change_days_have_the_hours_they_have(
    session: Session, clock: Clock, zone: str, day: str, hours: int
) -> None:
    """D03, D04: steps are instants; both of a repeated hour are offered, none of a skipped one."""
    location = a_location(session, timezone=zone)
    person = a_resource(session, location, hours=((0, 1440),), weekdays=range(7))
    corte = a_service(session, location, person, grid_minutes=60)
    start = at(f"{day} 00:00", zone)
    clock.set(start - timedelta(days=3))

    found = find_starts(
        session,
        location.id,
        corte.id,
        window=(start, at(f"{date.fromisoformat(day) + timedelta(days=1)} 00:00", zone)),
        now=clock.now(),
    )

    instants = [each.starts_at for each in found]
    assert instants == [start + timedelta(hours=n) for n in range(hours)]


def test_the_afternoon_of_a_change_day_is_not_shifted(session: Session, clock: Clock) -> None:
    """D01, P06: 13:00-18:00 in New York is 17:00Z-22:00Z on the day, 18:00Z the day before."""
    location = a_location(session, timezone="America/New_York")
    person = a_resource(session, location, hours=((780, 1080),), weekdays=range(7))
    corte = a_service(session, location, person, grid_minutes=60)
    clock.set(datetime(2026, 3, 1, tzinfo=UTC))

    found = find_starts(
        session,
        location.id,
        corte.id,
        window=(datetime(2026, 3, 7, 12, tzinfo=UTC), datetime(2026, 3, 9, tzinfo=UTC)),
        now=clock.now(),
    )

    hours = [start.starts_at.hour for start in found]
    assert hours == [18, 19, 20, 21, 22, 17, 18, 19, 20, 21]


def test_half_hours_of_a_change_day_come_once_each(session: Session, clock: Clock) -> None:
    """P06: 18 half-hour starts from 09:00 to 17:30, each once."""
    zone = "America/Los_Angeles"
    location = a_location(session, timezone=zone, horizon_days=730)
    person = a_resource(session, location, weekdays=range(7))
    corte = a_service(session, location, person, duration_minutes=30)

    offered = starts(
        session, location, corte, clock, between=("2027-03-14 00:00", "2027-03-15 00:00"), zone=zone
    )

    assert offered == [f"{9 + n // 2:02d}:{30 * (n % 2):02d}" for n in range(18)]


@pytest.mark.parametrize(
    ("starts_at", "refusal"),
    [
        ("2026-03-10 07:30", InThePast),
        ("2026-03-10 09:00", NoticeTooShort),
        ("2026-03-10 19:00", OutsideHours),
        ("2026-03-10 17:30", OutsideHours),
        ("2026-03-15 10:00", OutsideHours),
        ("2026-04-10 10:00", BeyondHorizon),
        ("2026-03-10 10:10", InvalidFields),
    ],
)
def test_what_the_rules_refuse_is_refused_by_name(
    session: Session, clock: Clock, starts_at: str, refusal: type[Exception]
) -> None:
    location = a_location(session, notice_minutes=90, horizon_days=30)
    corte = a_service(session, location, a_resource(session, location))

    with pytest.raises(refusal):
        actions.place_hold(
            session, a_wish(location, corte, at(starts_at)), actor=BOT, now=clock.now()
        )


def test_the_desk_may_do_more_but_never_overbook(session: Session, clock: Clock) -> None:
    """E12, D16: any minute, no notice; outside hours and in the past only with a reason."""
    location = a_location(session, notice_minutes=24 * 60)
    person = a_resource(session, location)
    corte = a_service(session, location, person)

    def hold(starts_at: str, override: str | None = None) -> None:
        wish = a_wish(location, corte, at(starts_at), at_desk=True, override=override)
        actions.place_hold(session, wish, actor=DESK, now=clock.now())

    hold("2026-03-10 09:10")
    for starts_at, refusal in (("2026-03-10 20:00", OutsideHours), ("2026-03-10 07:00", InThePast)):
        with pytest.raises(refusal):
            hold(starts_at)
        hold(starts_at, override="la clienta llegó sin turno")
    with pytest.raises(SlotTaken):
        hold("2026-03-10 09:30", override="apretados")


def test_alternatives_are_the_nearest_with_the_same_person_first(
    session: Session, clock: Clock
) -> None:
    location = a_location(session)
    ana, bia = (a_resource(session, location, name) for name in ("Ana", "Bia"))
    corte = a_service(session, location, [ana, bia])
    a_booking(session, location, corte, at("2026-03-10 12:00"), resource_ids=(ana.id,))

    offered = alternatives(
        session,
        location.id,
        corte.id,
        starts_at=at("2026-03-10 12:00"),
        resource_ids=(ana.id,),
        now=clock.now(),
    )

    shown = [
        (f"{start.starts_at - timedelta(hours=3):%H:%M}", start.resources[0].name)
        for start in offered
    ]
    assert shown == [
        ("12:00", "Bia"),
        ("11:30", "Bia"),
        ("12:30", "Bia"),
        ("11:00", "Ana"),
        ("13:00", "Ana"),
    ]


def test_alternatives_are_found_as_far_as_the_horizon(session: Session, clock: Clock) -> None:
    location = a_location(session, horizon_days=60)
    person = a_resource(session, location, weekdays=[])
    corte = a_service(session, location, person)
    set_dated_hours(session, location.id, person.id, date(2026, 5, 5), [(540, 600)])
    set_dated_hours(session, location.id, person.id, date(2026, 6, 5), [(540, 600)])

    for wanted in ("2026-03-10 10:00", "2020-01-01 10:00", "2099-12-31 10:00"):
        offered = alternatives(
            session, location.id, corte.id, starts_at=at(wanted), now=clock.now()
        )
        assert [start.starts_at for start in offered] == [at("2026-05-05 09:00")]


def test_every_alternative_can_be_held_as_it_is_listed(session: Session, clock: Clock) -> None:
    location = a_location(session)
    team = [a_resource(session, location, name) for name in ("Ana", "Bia")]
    pool = a_resource(session, location, "Camillas", capacity=1, kind="pooled")
    corte = a_service(session, location, team, pool)
    a_booking(session, location, corte, at("2026-03-10 12:00"))

    offered = alternatives(
        session, location.id, corte.id, starts_at=at("2026-03-10 12:00"), now=clock.now()
    )

    assert len(offered) == 5
    for start in offered:
        savepoint = session.begin_nested()
        wish = a_wish(
            location,
            corte,
            start.starts_at,
            resource_ids=tuple(resource.id for resource in start.resources),
        )
        assert actions.place_hold(session, wish, actor=BOT, now=clock.now()).status == "held"
        savepoint.rollback()


def test_places_left_of_a_pool_are_told(session: Session, clock: Clock) -> None:
    location = a_location(session)
    clase = a_service(session, location, a_resource(session, location, capacity=4))
    a_booking(session, location, clase, at("2026-03-10 10:00"), units=3)

    found = find_starts(
        session, location.id, clase.id, window=(at(DAY[0]), at(DAY[1])), now=clock.now()
    )

    left = {start.starts_at: start.places_left for start in found}
    assert left[at("2026-03-10 09:00")] == 4
    assert left[at("2026-03-10 09:30")] == 1


@pytest.mark.parametrize("bookings", [0, 40])
def test_a_listing_costs_two_statements_whatever_it_finds(
    session: Session, clock: Clock, bookings: int
) -> None:
    """E15."""
    location = a_location(session)
    team = [a_resource(session, location, f"R{n}") for n in range(5)]
    corte = a_service(session, location, team)
    for number in range(bookings):
        a_booking(session, location, corte, at("2026-03-10 09:00") + timedelta(hours=number // 5))
    counted: list[str] = []
    engine = session.get_bind()
    event.listen(engine, "before_cursor_execute", lambda *a: counted.append(a[2]))

    find_starts(
        session,
        location.id,
        corte.id,
        window=(clock.now(), clock.now() + timedelta(days=31)),
        now=clock.now(),
    )

    assert len([statement for statement in counted if "SAVEPOINT" not in statement]) == 2


def test_weekly_hours_can_be_replaced(session: Session, clock: Clock) -> None:
    location = a_location(session)
    person = a_resource(session, location)
    corte = a_service(session, location, person)

    set_weekly_hours(session, location.id, person.id, [1], [(600, 720)])

    assert starts(session, location, corte, clock) == ["10:00", "10:30", "11:00"]
