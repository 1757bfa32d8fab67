from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.catalog.hours import (
    ResourceHours,
    day_bounds,
    days_touching,
    local_to_utc,
    wall_to_utc,
)
from app.intervals import Span

SAO_PAULO = ZoneInfo("America/Sao_Paulo")
NEW_YORK = ZoneInfo("America/New_York")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")
SANTIAGO = ZoneInfo("America/Santiago")
HAVANA = ZoneInfo("America/Havana")
APIA = ZoneInfo("Pacific/Apia")

FORWARD, BACK = date(2026, 3, 8), date(2026, 11, 1)
TUESDAY = date(2026, 3, 10)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def at(hours: int, minutes: int = 0) -> int:
    return hours * 60 + minutes


def openings(
    hours: ResourceHours, day: date, zone: ZoneInfo = SAO_PAULO
) -> list[tuple[datetime, datetime]]:
    return hours.openings(zone, *day_bounds(zone, day))


def working(hours: ResourceHours, day: date, zone: ZoneInfo = SAO_PAULO) -> list[Span]:
    return hours.working(openings(hours, day, zone))


def test_a_wall_time_is_an_instant_of_its_zone() -> None:
    assert local_to_utc(SAO_PAULO, TUESDAY, at(9)) == utc("2026-03-10 12:00")
    assert local_to_utc(SAO_PAULO, TUESDAY, at(24)) == utc("2026-03-11 03:00")
    assert local_to_utc(SAO_PAULO, TUESDAY, at(26)) == utc("2026-03-11 05:00")


@pytest.mark.parametrize(
    ("zone", "day", "minutes", "instant"),
    [
        (NEW_YORK, FORWARD, at(1, 59), "2026-03-08 06:59"),
        (NEW_YORK, FORWARD, at(2), "2026-03-08 07:00"),
        (NEW_YORK, FORWARD, at(2, 30), "2026-03-08 07:00"),
        (NEW_YORK, FORWARD, at(3), "2026-03-08 07:00"),
        (NEW_YORK, FORWARD, at(13), "2026-03-08 17:00"),
        (NEW_YORK, BACK, at(1), "2026-11-01 05:00"),
        (NEW_YORK, BACK, at(1, 30), "2026-11-01 05:30"),
        (NEW_YORK, BACK, at(2), "2026-11-01 07:00"),
        (LORD_HOWE, date(2026, 10, 4), at(2, 15), "2026-10-03 15:30"),
        (LORD_HOWE, date(2026, 4, 5), at(1, 45), "2026-04-04 14:45"),
        (SANTIAGO, date(2026, 9, 6), at(0), "2026-09-06 04:00"),
        (APIA, date(2011, 12, 30), at(9), "2011-12-30 10:00"),
    ],
)
def test_a_skipped_time_is_the_jump_and_a_repeated_one_the_first(
    zone: ZoneInfo, day: date, minutes: int, instant: str
) -> None:
    assert local_to_utc(zone, day, minutes) == utc(instant)


@pytest.mark.parametrize("zone", [NEW_YORK, LORD_HOWE, SANTIAGO, HAVANA, SAO_PAULO])
def test_the_clock_of_hours_never_runs_backwards(zone: ZoneInfo) -> None:
    for first in (date(2026, 3, 7), date(2026, 4, 4), date(2026, 9, 5), date(2026, 10, 31)):
        instants = [local_to_utc(zone, first, minutes) for minutes in range(0, at(48), 5)]
        assert instants == sorted(instants)


@pytest.mark.parametrize(
    ("wall", "instants"),
    [
        ("2026-03-08 01:59", ["2026-03-08 06:59"]),
        ("2026-03-08 02:00", []),
        ("2026-03-08 02:30", []),
        ("2026-03-08 03:00", ["2026-03-08 07:00"]),
        ("2026-11-01 00:59", ["2026-11-01 04:59"]),
        ("2026-11-01 01:00", ["2026-11-01 05:00", "2026-11-01 06:00"]),
        ("2026-11-01 01:30", ["2026-11-01 05:30", "2026-11-01 06:30"]),
        ("2026-11-01 02:00", ["2026-11-01 07:00"]),
    ],
)
def test_a_wall_time_comes_never_once_or_twice(wall: str, instants: list[str]) -> None:
    """D04, D05."""
    assert wall_to_utc(NEW_YORK, datetime.fromisoformat(wall)) == [utc(i) for i in instants]


@pytest.mark.parametrize(
    ("zone", "day", "length"),
    [
        (SAO_PAULO, TUESDAY, 24),
        (NEW_YORK, FORWARD, 23),
        (NEW_YORK, BACK, 25),
        (LORD_HOWE, date(2026, 10, 4), 23.5),
        (LORD_HOWE, date(2026, 4, 5), 24.5),
        (SANTIAGO, date(2026, 9, 6), 23),
        (APIA, date(2011, 12, 30), 0),
    ],
)
def test_a_day_is_as_long_as_its_clock_says(zone: ZoneInfo, day: date, length: float) -> None:
    start, end = day_bounds(zone, day)

    assert end - start == timedelta(hours=length)
    assert end == day_bounds(zone, day + timedelta(days=1))[0]


def test_the_day_before_may_reach_into_a_window() -> None:
    assert list(days_touching(SAO_PAULO, utc("2026-03-10 12:00"), utc("2026-03-11 12:00"))) == [
        date(2026, 3, 9),
        TUESDAY,
        date(2026, 3, 11),
    ]


def test_days_are_counted_on_the_location_s_clock() -> None:
    days = list(days_touching(SAO_PAULO, utc("2026-03-10 02:00"), utc("2026-03-10 02:30")))

    assert days == [date(2026, 3, 8), date(2026, 3, 9)]


def test_the_week_s_rule_holds_on_its_weekday() -> None:
    hours = ResourceHours(weekly={1: [(at(14), at(18)), (at(9), at(12))]})

    assert hours.intervals_of(TUESDAY) == [(540, 720), (840, 1080)]
    assert hours.intervals_of(date(2026, 3, 11)) == []
    assert openings(hours, TUESDAY) == [
        (utc("2026-03-10 12:00"), utc("2026-03-10 15:00")),
        (utc("2026-03-10 17:00"), utc("2026-03-10 21:00")),
    ]


def test_hours_that_touch_or_overlap_are_one_opening() -> None:
    hours = ResourceHours(weekly={1: [(540, 720), (720, 780), (600, 700), (900, 960)]})

    assert hours.intervals_of(TUESDAY) == [(540, 780), (900, 960)]


def test_a_holiday_closes_and_dated_hours_beat_it() -> None:
    """E07: a holiday beats everything except an explicit opening."""
    weekly = {1: [(540, 1080)]}
    holiday = {TUESDAY: "Carnaval"}

    assert ResourceHours(weekly=weekly, holidays=holiday).intervals_of(TUESDAY) == []
    assert ResourceHours(
        weekly=weekly, holidays=holiday, dated={TUESDAY: [(600, 720)]}
    ).intervals_of(TUESDAY) == [(600, 720)]


def test_dated_hours_replace_the_week_s_rule_or_close_the_day() -> None:
    weekly = {1: [(540, 1080)]}

    extra = ResourceHours(weekly=weekly, dated={TUESDAY: [(1140, 1200)]})
    closed = ResourceHours(weekly=weekly, dated={TUESDAY: []})
    assert extra.intervals_of(TUESDAY) == [(1140, 1200)]
    assert closed.intervals_of(TUESDAY) == []
    assert closed.intervals_of(date(2026, 3, 17)) == [(540, 1080)]


def test_a_day_open_all_round_is_one_day_long() -> None:
    """D11."""
    hours = ResourceHours(weekly={1: [(0, 1440)]})

    assert openings(hours, TUESDAY) == [day_bounds(SAO_PAULO, TUESDAY)]


def test_hours_past_midnight_belong_to_the_day_they_begin_on() -> None:
    hours = ResourceHours(weekly={1: [(at(22), at(26))]})
    span = (utc("2026-03-11 01:00"), utc("2026-03-11 05:00"))

    assert openings(hours, TUESDAY) == [span]
    assert openings(hours, date(2026, 3, 11)) == [span]
    assert openings(hours, date(2026, 3, 12)) == []


def test_two_days_that_meet_at_midnight_are_worked_through() -> None:
    hours = ResourceHours(weekly={1: [(at(20), at(24))], 2: [(0, at(2))]})
    start, end = utc("2026-03-10 12:00"), utc("2026-03-11 12:00")

    assert hours.working(hours.openings(SAO_PAULO, start, end)) == [
        (utc("2026-03-10 23:00"), utc("2026-03-11 05:00"))
    ]


@pytest.mark.parametrize(
    ("day", "opens", "closes"),
    [
        (date(2026, 3, 7), "2026-03-07 18:00", "2026-03-07 23:00"),
        (FORWARD, "2026-03-08 17:00", "2026-03-08 22:00"),
        (BACK, "2026-11-01 18:00", "2026-11-01 23:00"),
    ],
)
def test_the_afternoon_is_where_the_clock_says_on_the_day_of_a_change(
    day: date, opens: str, closes: str
) -> None:
    """D01, D02."""
    hours = ResourceHours(weekly={weekday: [(at(13), at(18))] for weekday in range(7)})

    assert openings(hours, day, NEW_YORK) == [(utc(opens), utc(closes))]


def test_hours_that_lie_in_the_skipped_hour_are_none() -> None:
    hours = ResourceHours(weekly={6: [(at(2), at(3))]})

    assert openings(hours, FORWARD, NEW_YORK) == []


def test_hours_over_the_repeated_hour_last_an_hour_more() -> None:
    hours = ResourceHours(weekly={6: [(at(0), at(3))]})

    ((start, end),) = openings(hours, BACK, NEW_YORK)
    assert end - start == timedelta(hours=4)


def test_time_off_takes_part_of_the_day() -> None:
    """E07: off from 11 to 14 of 9-12 and 13-18."""
    hours = ResourceHours(
        weekly={1: [(at(9), at(12)), (at(13), at(18))]},
        time_off=((utc("2026-03-10 14:00"), utc("2026-03-10 17:00"), "médico"),),
    )

    assert working(hours, TUESDAY) == [
        (utc("2026-03-10 12:00"), utc("2026-03-10 14:00")),
        (utc("2026-03-10 17:00"), utc("2026-03-10 21:00")),
    ]


def test_time_off_beats_dated_hours_and_may_overlap_itself() -> None:
    hours = ResourceHours(
        dated={TUESDAY: [(at(9), at(12))]},
        time_off=(
            (utc("2026-03-09 00:00"), utc("2026-03-10 13:00"), ""),
            (utc("2026-03-10 12:30"), utc("2026-03-10 14:00"), ""),
        ),
    )

    assert working(hours, TUESDAY) == [(utc("2026-03-10 14:00"), utc("2026-03-10 15:00"))]
