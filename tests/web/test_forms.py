from datetime import date
from zoneinfo import ZoneInfo

import pytest

from app.errors import InvalidFields, NotFound
from app.web.forms import Fields, get_day, local_path, parse_day, parse_instant
from app.web.writable import writable
from tests.factories import at

SANTIAGO = ZoneInfo("America/Santiago")


def test_every_wrong_field_is_named_at_once() -> None:
    fields = Fields({"name": "x" * 9, "units": "0", "id": "?"})
    fields.text("name", most=8)
    fields.number("units", least=1, most=5, default=1)
    fields.uuid("id")

    with pytest.raises(InvalidFields) as refused:
        fields.check()

    assert refused.value.facts["errors"] == [
        {"field": "name", "code": "too_long"},
        {"field": "units", "code": "invalid"},
        {"field": "id", "code": "invalid"},
    ]


def test_a_local_time_becomes_an_instant() -> None:
    fields = Fields({"day": "2026-03-10", "time": "10:00"})

    assert fields.local("day", "time", ZoneInfo("America/Sao_Paulo")) == at("2026-03-10 10:00")
    assert fields.errors == []


def test_a_time_that_the_clock_skips_is_refused() -> None:
    fields = Fields({"day": "2026-09-06", "time": "00:30"})

    assert fields.local("day", "time", SANTIAGO) is None
    assert fields.errors == [("time", "time_does_not_exist")]


def test_a_time_that_comes_twice_is_not_guessed() -> None:
    """D04: the sheet offers both instants, each with a click."""
    fields = Fields({"day": "2026-04-04", "time": "23:30"})

    assert fields.local("day", "time", SANTIAGO) is None
    assert fields.errors == [("time", "ambiguous_time")]


@pytest.mark.parametrize("typed", ["10:00+03:00", "25:00", "ahora", ""])
def test_what_is_no_wall_time_is_refused(typed: str) -> None:
    fields = Fields({"day": "2026-03-10", "time": typed})

    assert fields.local("day", "time", SANTIAGO) is None


@pytest.mark.parametrize(
    "text", ["2026-3-1", "20260301", "1999-01-01", "2101-01-01", "2026-W49-2", "x", ""]
)
def test_an_odd_date_is_none(text: str) -> None:
    assert parse_day(text) is None
    with pytest.raises(NotFound):
        get_day(text)


def test_a_date_is_a_date() -> None:
    assert get_day("2026-03-01") == date(2026, 3, 1)


@pytest.mark.parametrize(
    "text", ["2026-03-10T10:00", "0001-01-01T00:00:00+05:00", "x", "9999-12-31T23:59:59-10:00"]
)
def test_an_instant_needs_an_offset_and_a_sane_year(text: str) -> None:
    assert parse_instant(text) is None


@pytest.mark.parametrize("path", ["/agenda/2026-03-10?r=1", "/"])
def test_a_path_of_ours_is_let_through(path: str) -> None:
    assert local_path(path) == path


@pytest.mark.parametrize("path", ["//x", "/\\x", "http://x", "x", "", "/\n/x", "/\t/x", "//["])
def test_any_other_address_is_not(path: str) -> None:
    assert local_path(path) is None


def test_what_no_page_may_carry_is_left_out() -> None:
    assert writable("a\0b\x07\nñ") == "ab\nñ"
