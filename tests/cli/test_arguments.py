from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from app.cli.arguments import (
    parse_cents,
    parse_intervals,
    parse_need,
    parse_wall,
    parse_weekdays,
    the_instant,
)
from app.errors import InvalidFields
from tests.factories import at


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("0", 0),
        ("40", 40_00),
        ("40.5", 40_50),
        ("40.05", 40_05),
        (" 40.00 ", 40_00),
        ("0.29", 29),
        ("1.15", 1_15),
        ("4.35", 4_35),
        ("100000000", 100_000_000_00),
    ],
)
def test_an_amount_is_read_to_the_cent(text: str, cents: int) -> None:
    """0.29, 1.15 and 4.35 lose a cent on the way through a float."""
    assert parse_cents(text) == cents


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        ".5",
        "1.",
        "1.000",
        "1,5",
        "1.450,00",
        "1e3",
        "NaN",
        "R$ 5",
        "٤٠",
        "100000001",
    ],
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(InvalidFields):
        parse_cents(text)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("mon", [0]),
        ("mon-fri,sat", [0, 1, 2, 3, 4, 5]),
        ("MON - WED , fri", [0, 1, 2, 4]),
        ("sat-mon", [0, 5, 6]),
        ("sun,sun", [6]),
        ("wed-wed", [2]),
        ("mon-sun", [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_weekdays_are_single_ones_and_runs(text: str, days: list[int]) -> None:
    assert parse_weekdays(text) == days


@pytest.mark.parametrize("text", ["", ",", "mon-", "-mon", "monday", "mon-tue-wed", "0", "mon fri"])
def test_what_are_no_weekdays_is_refused(text: str) -> None:
    with pytest.raises(InvalidFields):
        parse_weekdays(text)


def test_closed_is_no_hours_and_nothing_is_no_answer() -> None:
    assert parse_intervals(" Closed ") == []
    with pytest.raises(InvalidFields):
        parse_intervals("")


@pytest.mark.parametrize(
    ("text", "wall"),
    [
        ("2026-12-24 13:00", "2026-12-24 13:00"),
        ("2026-12-24T13:00", "2026-12-24 13:00"),
        ("2026-12-24 24:00", "2026-12-25 00:00"),
    ],
)
def test_a_local_time_goes_to_midnight(text: str, wall: str) -> None:
    assert parse_wall(text) == datetime.fromisoformat(wall)


@pytest.mark.parametrize(
    "text", ["", "2026-12-24", "13:00", "2026-12-24 24:01", "2026-02-29 10:00", "2026-12-24 1300"]
)
def test_what_is_no_local_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidFields):
        parse_wall(text)


def test_a_local_time_is_one_instant_or_none() -> None:
    zone = ZoneInfo("America/New_York")

    instant = the_instant(zone, parse_wall("2026-03-08 03:00"))
    assert instant == at("2026-03-08 03:00", zone.key)
    for skipped_or_repeated in ("2026-03-08 02:30", "2026-11-01 01:30"):
        with pytest.raises(InvalidFields):
            the_instant(zone, parse_wall(skipped_or_repeated))


@pytest.mark.parametrize(
    ("text", "need"),
    [
        ("Marcos", (["Marcos"], 1)),
        (" Lucía , Marcos ", (["Lucía", "Marcos"], 1)),
        ("Camillas*2", (["Camillas"], 2)),
        ("Camillas, Sillas * 2", (["Camillas", "Sillas"], 2)),
        ("Sala*A", (["Sala*A"], 1)),
        ("Sala*", (["Sala*"], 1)),
        ("", ([], 1)),
        (",", ([], 1)),
    ],
)
def test_a_need_is_names_and_a_number(text: str, need: tuple[list[str], int]) -> None:
    assert parse_need(text) == need
