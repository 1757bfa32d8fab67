from datetime import date
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.catalog.models import DatedHours, Holiday, WeeklyHours
from app.catalog.opening import (
    add_holiday,
    add_time_off,
    forget_dated_hours,
    parse_interval,
    parse_minutes,
    remove_holiday,
    remove_time_off,
    set_dated_hours,
    set_weekly_hours,
)
from app.errors import InvalidFields, NotFound
from app.ids import new_id
from tests.factories import a_location, a_resource, at

DAY = date(2026, 12, 24)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("00:00", 0),
        ("9:05", 545),
        ("09:05", 545),
        ("24:00", 1440),
        ("26:30", 1590),
        ("48:00", 2880),
    ],
)
def test_a_wall_time_counts_from_midnight(text: str, minutes: int) -> None:
    assert parse_minutes(text) == minutes


@pytest.mark.parametrize(
    "text", ["", "9", "9:5", "9:60", "-1:00", "48:01", "9h30", "09:00:00", "²:00", "99999999999:00"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidFields):
        parse_minutes(text)


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("09:00-18:00", (540, 1080)),
        (" 09:00 - 18:00 ", (540, 1080)),
        ("00:00-00:00", (0, 1440)),
        ("18:00-00:00", (1080, 1440)),
        ("22:00-02:00", (1320, 1560)),
        ("22:00-26:00", (1320, 1560)),
    ],
)
def test_an_end_that_is_not_after_its_beginning_is_tomorrow(
    text: str, interval: tuple[int, int]
) -> None:
    """D11."""
    assert parse_interval(text) == interval


@pytest.mark.parametrize("text", ["09:00", "09:00-", "24:00-25:00", "a-b", "09:00-10:00-11:00"])
def test_what_is_no_interval_is_refused(text: str) -> None:
    with pytest.raises(InvalidFields):
        parse_interval(text)


BAD = [(-1, 60), (540, 540), (540, 480), (1440, 1500), (0, 2881)]


@pytest.mark.parametrize("interval", BAD)
def test_hours_outside_a_day_are_refused_before_anything_is_lost(
    session: Session, interval: tuple[int, int]
) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)

    with pytest.raises(InvalidFields):
        set_weekly_hours(session, location.id, marcos.id, [0], [interval])
    with pytest.raises(InvalidFields):
        set_dated_hours(session, location.id, marcos.id, DAY, [interval])

    assert session.scalar(select(func.count()).select_from(WeeklyHours)) == 6


def test_hours_are_replaced_day_by_day(session: Session) -> None:
    location = a_location(session)
    marcos, lucia = a_resource(session, location), a_resource(session, location)

    set_weekly_hours(session, location.id, marcos.id, [0, 0, 6], [(540, 720), (780, 900)])

    def of(resource_id: object) -> list[tuple[int, int]]:
        rows = session.scalars(
            select(WeeklyHours)
            .where(WeeklyHours.resource_id == resource_id)
            .order_by(WeeklyHours.weekday, WeeklyHours.opens)
        )
        return [(row.weekday, row.opens) for row in rows]

    assert of(lucia.id) == [(day, 540) for day in range(6)]
    assert of(marcos.id)[-2:] == [(6, 540), (6, 780)]


def test_a_date_is_closed_and_forgotten(session: Session) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)

    set_dated_hours(session, location.id, marcos.id, DAY, [(540, 720)])
    set_dated_hours(session, location.id, marcos.id, DAY, [])
    rows = session.scalars(select(DatedHours)).all()
    assert [(row.opens, row.closes) for row in rows] == [(None, None)]

    forget_dated_hours(session, location.id, marcos.id, DAY)
    assert session.scalars(select(DatedHours)).all() == []


def test_hours_of_nobody_are_not_found(session: Session) -> None:
    location, other = a_location(session), a_location(session)
    theirs = a_resource(session, other)

    for resource_id in (theirs.id, new_id()):
        with pytest.raises(NotFound):
            set_weekly_hours(session, location.id, resource_id, [0], [])
        with pytest.raises(NotFound):
            set_dated_hours(session, location.id, resource_id, DAY, [])
        with pytest.raises(NotFound):
            forget_dated_hours(session, location.id, resource_id, DAY)


def test_an_absence_has_a_length_and_ends_when_it_is_taken_back(session: Session) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)
    span: dict[str, Any] = {"starts_at": at("2026-12-24 13:00"), "ends_at": at("2026-12-24 18:00")}

    with pytest.raises(InvalidFields):
        add_time_off(
            *(session, location.id, marcos.id),
            starts_at=span["starts_at"],
            ends_at=span["starts_at"],
        )
    absence = add_time_off(session, location.id, marcos.id, **span)
    assert remove_time_off(session, location.id, marcos.id, **span) == absence.id
    with pytest.raises(NotFound):
        remove_time_off(session, location.id, marcos.id, **span)


def test_a_holiday_is_one_whatever_it_is_called(session: Session) -> None:
    location = a_location(session)

    first = add_holiday(session, location.id, DAY, "Nochebuena")
    again = add_holiday(session, location.id, DAY, "Noche de paz")

    assert first.id == again.id
    assert session.scalars(select(Holiday.name)).all() == ["Noche de paz"]
    assert remove_holiday(session, location.id, DAY) == first.id
    with pytest.raises(NotFound):
        remove_holiday(session, location.id, DAY)
