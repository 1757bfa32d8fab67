from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from app.booking.uncovered import Commitment
from app.catalog.actions import parse_interval
from app.cli.arguments import parse_intervals, parse_weekdays
from app.cli.printing import count, interval_of, intervals_of, named, table, weekdays_of
from app.ids import new_id
from tests.factories import at

ZONE = ZoneInfo("America/Sao_Paulo")


def a_commitment(hours: int, customer: str | None = None) -> Commitment:
    start = at("2026-03-10 09:00") + timedelta(hours=hours)
    return Commitment(new_id(), "Corte", customer, start, start + timedelta(hours=1))


def test_columns_are_as_wide_as_their_widest_cell(capsys: pytest.CaptureFixture[str]) -> None:
    table(("name", "n"), [("Lucía", 1), ("Al", 12)])
    table(("name", "n"), [])

    assert capsys.readouterr().out == "NAME   N\nLucía  1\nAl     12\nNone.\n"


def test_one_is_one_and_all_others_are_many() -> None:
    assert [count(number, "hold") for number in (0, 1, 2)] == ["0 holds", "1 hold", "2 holds"]


@pytest.mark.parametrize(
    "interval", [(0, 1440), (540, 1080), (1080, 1440), (1320, 1560), (540, 1980), (0, 2880)]
)
def test_hours_are_written_as_they_are_read(interval: tuple[int, int]) -> None:
    assert parse_interval(interval_of(*interval)) == interval


def test_a_day_is_written_as_it_is_read() -> None:
    assert intervals_of([(840, 1080), (540, 780)]) == "09:00-13:00,14:00-18:00"
    assert parse_intervals(intervals_of([])) == []


@pytest.mark.parametrize("text", ["mon", "mon,tue", "mon-wed", "mon-wed,fri", "mon,wed,fri-sun"])
def test_weekdays_are_written_as_they_are_read(text: str) -> None:
    assert weekdays_of(parse_weekdays(text)) == text


def test_bookings_are_named_up_to_ten() -> None:
    assert named([], "lies/lie", ZONE) == ""
    assert named([a_commitment(0, "Ana")], "lies/lie", ZONE) == (
        "1 booking lies: 2026-03-10 09:00 Corte Ana"
    )
    many = named([a_commitment(hours) for hours in range(11)], "lies/lie", ZONE)
    assert many.startswith("11 bookings lie: 2026-03-10 09:00 Corte; ")
    assert many.endswith("; …")
    assert many.count("Corte") == 10
