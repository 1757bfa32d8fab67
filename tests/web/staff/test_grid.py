from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from app.web.staff.grid import ROW, Frame, frame_for

SANTIAGO = ZoneInfo("America/Santiago")
RIVERA = ZoneInfo("America/Montevideo")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_the_sheet_shows_the_open_hours_and_half_an_hour_around() -> None:
    frame = frame_for(
        RIVERA, date(2026, 12, 3), [(utc("2026-12-03 12:00"), utc("2026-12-03 22:00"))], []
    )

    assert (frame.start, frame.end) == (utc("2026-12-03 11:30"), utc("2026-12-03 22:30"))
    assert [label.hour for label in frame.hours()][:2] == [9, 10]
    assert not frame.begins_on_the_hour


def test_a_booking_outside_the_hours_widens_the_sheet() -> None:
    frame = frame_for(
        RIVERA,
        date(2026, 12, 3),
        [(utc("2026-12-03 12:00"), utc("2026-12-03 22:00"))],
        [(utc("2026-12-03 10:10"), utc("2026-12-03 10:40"))],
    )

    assert frame.start == utc("2026-12-03 09:30")


def test_an_empty_day_shows_office_hours() -> None:
    frame = frame_for(RIVERA, date(2026, 12, 6), [], [])

    assert [label.hour for label in frame.hours()] == list(range(9, 19))


def test_minutes_off_the_rows_are_rounded_outwards() -> None:
    frame = Frame(RIVERA, date(2026, 12, 3), utc("2026-12-03 12:00"), utc("2026-12-03 22:00"))

    rows = frame.place(utc("2026-12-03 12:07"), utc("2026-12-03 12:31"))

    assert rows is not None
    assert (rows.first, rows.count) == (1, 6)


def test_what_lies_outside_is_cut_or_left_out() -> None:
    frame = Frame(RIVERA, date(2026, 12, 3), utc("2026-12-03 12:00"), utc("2026-12-03 13:00"))

    before = frame.place(utc("2026-12-03 11:00"), utc("2026-12-03 12:10"))

    assert before is not None
    assert (before.first, before.count) == (0, 2)
    assert frame.place(utc("2026-12-03 13:00"), utc("2026-12-03 14:00")) is None


def test_a_day_of_23_hours_has_23_hours_of_rows_and_no_skipped_label() -> None:
    whole = [(utc("2026-09-06 04:00"), utc("2026-09-07 03:00"))]

    frame = frame_for(SANTIAGO, date(2026, 9, 6), whole, [])

    assert frame.rows * ROW == timedelta(hours=23)
    assert [label.hour for label in frame.hours()][:2] == [2, 3]


def test_a_day_of_25_hours_shows_the_hour_that_comes_twice() -> None:
    whole = [(utc("2026-04-04 03:00"), utc("2026-04-05 04:00"))]

    frame = frame_for(SANTIAGO, date(2026, 4, 4), whole, [])

    assert frame.rows * ROW == timedelta(hours=25)
    assert [label.hour for label in frame.hours()].count(23) == 2


def test_hours_past_midnight_show_to_their_end() -> None:
    night = [(utc("2026-12-03 23:00"), utc("2026-12-04 05:00"))]

    frame = frame_for(RIVERA, date(2026, 12, 3), night, [])

    assert frame.end == utc("2026-12-04 05:00")


def test_the_page_of_the_day_before_never_shows_more_rows_than_the_style_has() -> None:
    long = [(utc("2026-12-03 03:00"), utc("2026-12-05 02:00"))]

    assert frame_for(RIVERA, date(2026, 12, 3), long, []).rows <= 336
