from datetime import date
from typing import Any

import pytest
from sqlalchemy import func, select

from app.catalog.models import DatedHours, Holiday, TimeOff, WeeklyHours
from app.catalog.queries import working_days
from app.checkout.actions import cancel
from app.events import Audit
from tests.cli.conftest import Ceibo, Shell
from tests.conftest import Clock
from tests.factories import DESK, a_booking, a_hold, a_location, a_resource, at

XMAS_EVE = date(2026, 12, 24)


def weekly(ceibo: Ceibo) -> dict[int, list[tuple[int, int]]]:
    rows = ceibo.session.scalars(
        select(WeeklyHours)
        .where(WeeklyHours.resource_id == ceibo.marcos.id)
        .order_by(WeeklyHours.weekday, WeeklyHours.opens)
    )
    found: dict[int, list[tuple[int, int]]] = {}
    for row in rows:
        found.setdefault(row.weekday, []).append((row.opens, row.closes))
    return found


def dated(ceibo: Ceibo) -> list[tuple[int | None, int | None]]:
    rows = ceibo.session.scalars(select(DatedHours).order_by(DatedHours.opens))
    return [(row.opens, row.closes) for row in rows]


def test_the_hours_of_some_weekdays_are_replaced(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(
        *("hours", "week", "ceibo", "marcos", "mon-wed,fri", "14:00-18:00,09:00-13:00"),
    )

    split = [(540, 780), (840, 1080)]
    assert said == "Marcos, mon-wed,fri: 09:00-13:00,14:00-18:00.\n"
    assert weekly(ceibo) == dict.fromkeys((0, 1, 2, 4), split) | {
        day: [(540, 1080)] for day in (3, 5)
    }
    assert ceibo.last_audit().subject_id == ceibo.marcos.id
    assert ceibo.audited() == (
        "catalog.hours_changed",
        {
            "resource": "Marcos",
            "weekdays": "mon-wed,fri",
            "hours": "09:00-13:00,14:00-18:00",
        },
    )


@pytest.mark.parametrize(
    ("typed", "kept", "shown"),
    [
        ("00:00-24:00", [(0, 1440)], "00:00-24:00"),
        ("00:00-00:00", [(0, 1440)], "00:00-24:00"),
        ("22:00-02:00", [(1320, 1560)], "22:00-02:00"),
        ("22:00-26:00", [(1320, 1560)], "22:00-02:00"),
        ("18:00-24:00", [(1080, 1440)], "18:00-24:00"),
        ("09:00-33:00", [(540, 1980)], "09:00-09:00"),
        ("closed", [], "closed"),
    ],
)
def test_hours_run_to_midnight_and_past_it(
    shell: Shell, ceibo: Ceibo, typed: str, kept: list[tuple[int, int]], shown: str
) -> None:
    """D11."""
    said = shell.done("hours", "week", "ceibo", "Marcos", "sat-sun", typed)

    assert said == f"Marcos, sat,sun: {shown}.\n"
    assert weekly(ceibo).get(6, []) == kept


@pytest.mark.parametrize(
    ("days", "intervals", "told"),
    [
        ("lun-vie", "09:00-13:00", "days: invalid_weekdays"),
        ("mon-", "09:00-13:00", "days: invalid_weekdays"),
        ("", "09:00-13:00", "days: invalid_weekdays"),
        ("mon", "9-13", "hours: invalid_time"),
        ("mon", "09:00", "hours: invalid_time"),
        ("mon", "09:60-10:00", "hours: invalid_time"),
        ("mon", "24:00-25:00", "hours: invalid_time"),
        ("mon", "09:00-48:01", "hours: invalid_time"),
        ("mon", "09:00-13:00,", "hours: invalid_time"),
        ("mon", "٠٩:٠٠-١٣:٠٠", "hours: invalid_time"),
        ("mon", "", "hours: invalid_time"),
    ],
)
def test_hours_that_nobody_understands_change_nothing(
    shell: Shell, ceibo: Ceibo, days: str, intervals: str, told: str
) -> None:
    before = weekly(ceibo)

    assert told in shell.refused("hours", "week", "ceibo", "Marcos", days, intervals)
    assert weekly(ceibo) == before
    assert ceibo.session.scalar(select(func.count()).select_from(Audit)) == 0


def test_bookings_that_new_hours_leave_outside_are_named_and_stay(
    shell: Shell, ceibo: Ceibo
) -> None:
    wish: dict[str, Any] = {"resource_ids": (ceibo.marcos.id,)}
    a_booking(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-10 09:00"), **wish)
    a_booking(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-10 12:30"), **wish)
    a_hold(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-17 17:00"), **wish)
    gone = a_booking(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-17 15:00"), **wish)
    cancel(ceibo.session, ceibo.location.id, gone.id, actor=DESK)

    warning = shell.warned("hours", "week", "ceibo", "Marcos", "tue", "09:00-13:00")

    assert warning == (
        "Warning: 2 bookings lie outside: 2026-03-10 12:30 Corte; 2026-03-17 17:00 Corte\n"
    )
    assert weekly(ceibo)[1] == [(540, 780)]
    shell.done("hours", "week", "ceibo", "Marcos", "wed", "closed")


def test_a_hold_whose_time_is_over_and_a_visit_that_is_past_are_nobody_s_trouble(
    shell: Shell, ceibo: Ceibo, clock: Clock
) -> None:
    wish: dict[str, Any] = {"resource_ids": (ceibo.marcos.id,)}
    a_booking(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-10 09:00"), **wish)
    a_hold(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-10 17:00"), **wish)
    clock.set(at("2026-03-10 10:00"))

    shell.done("hours", "week", "ceibo", "Marcos", "tue", "closed")


def test_one_date_has_hours_of_its_own_until_the_week_holds_again(
    shell: Shell, ceibo: Ceibo
) -> None:
    words = ("hours", "day", "ceibo", "Marcos", "2026-12-24")

    assert shell.done(*words, "09:00-12:00") == "Marcos, 2026-12-24: 09:00-12:00.\n"
    assert dated(ceibo) == [(540, 720)]
    assert shell.done(*words, "closed") == "Marcos, 2026-12-24: closed.\n"
    assert dated(ceibo) == [(None, None)]
    assert ceibo.audited() == (
        "catalog.hours_changed",
        {"resource": "Marcos", "day": "2026-12-24", "hours": "closed"},
    )
    assert shell.done(*words, "weekly") == "Marcos, 2026-12-24: weekly.\n"
    assert dated(ceibo) == []


@pytest.mark.parametrize(
    "day", ["2027-02-29", "2026-13-01", "24/12/2026", "20261224", "1999-12-31", "2101-01-01", ""]
)
def test_a_date_that_does_not_exist_is_refused(shell: Shell, ceibo: Ceibo, day: str) -> None:
    """D19."""
    assert "day: invalid_day" in shell.refused("hours", "day", "ceibo", "Marcos", day, "closed")


def test_a_leap_day_exists(shell: Shell, ceibo: Ceibo) -> None:
    shell.done("hours", "day", "ceibo", "Marcos", "2028-02-29", "09:00-12:00")


def test_time_off_is_said_in_local_time_and_taken_back(shell: Shell, ceibo: Ceibo) -> None:
    words = ("hours", "off", "ceibo", "Marcos", "2026-12-24 13:00", "2026-12-24 24:00")

    said = shell.done(*words, "--reason", "médico")

    absence = ceibo.session.scalars(select(TimeOff)).one()
    assert said == "Marcos is off, 2026-12-24 13:00 to 2026-12-25 00:00.\n"
    assert (absence.starts_at, absence.ends_at, absence.reason) == (
        *(at("2026-12-24 13:00"), at("2026-12-25 00:00"), "médico"),
    )
    assert ceibo.audited()[0] == "catalog.time_off_added"
    assert "is back" in shell.done(*words, "--remove")
    assert ceibo.session.scalars(select(TimeOff)).all() == []
    assert ceibo.audited()[0] == "catalog.time_off_removed"
    assert "(not_found)" in shell.refused(*words, "--remove")


def test_time_off_warns_of_the_bookings_it_hits(shell: Shell, ceibo: Ceibo) -> None:
    wish: dict[str, Any] = {"resource_ids": (ceibo.marcos.id,)}
    a_booking(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-10 10:00"), **wish)

    warning = shell.warned(
        *("hours", "off", "ceibo", "Marcos", "2026-03-10 10:30", "2026-03-10 11:00")
    )

    assert "1 booking lies outside: 2026-03-10 10:00 Corte" in warning


@pytest.mark.parametrize(
    ("begins", "ends", "told"),
    [
        ("2026-12-24 13:00", "2026-12-24 13:00", "ends_at: before_start"),
        ("2026-12-24 13:00", "2026-12-23 13:00", "ends_at: before_start"),
        ("2026-12-24", "2026-12-25", "time: invalid_wall"),
        ("2026-12-24 25:00", "2026-12-26 10:00", "time: invalid_wall"),
        ("2026-12-24 13:00-03:00", "2026-12-26 10:00", "time: invalid_wall"),
        ("mañana", "2026-12-26 10:00", "time: invalid_wall"),
    ],
)
def test_time_off_needs_two_local_times_in_order(
    shell: Shell, ceibo: Ceibo, begins: str, ends: str, told: str
) -> None:
    assert told in shell.refused("hours", "off", "ceibo", "Marcos", begins, ends)


@pytest.mark.parametrize(
    ("begins", "told"),
    [
        ("2026-03-08 02:30", "2026-03-08 02:30: time_does_not_exist"),
        ("2026-11-01 01:30", "2026-11-01 01:30: ambiguous_time"),
    ],
)
def test_a_time_that_the_clock_skips_or_repeats_is_never_guessed(
    shell: Shell, ceibo: Ceibo, begins: str, told: str
) -> None:
    """D04, D05."""
    york = a_location(ceibo.session, slug="york", timezone="America/New_York")
    a_resource(ceibo.session, york, "Zoe")

    assert told in shell.refused("hours", "off", "york", "Zoe", begins, "2026-11-02 10:00")
    assert ceibo.session.scalars(select(TimeOff)).all() == []


def test_a_holiday_closes_all_but_who_has_hours_for_it(shell: Shell, ceibo: Ceibo) -> None:
    shell.done("hours", "day", "ceibo", "Marcos", "2026-12-25", "10:00-14:00")

    said = shell.done("hours", "holiday", "ceibo", "2026-12-25", "Navidad")

    assert said == "Estudio Ceibo is closed on 2026-12-25: Navidad.\n"
    day = date(2026, 12, 25)
    hours = working_days(ceibo.session, ceibo.location.id, day, day)
    assert hours[ceibo.marcos.id].intervals_of(day) == [(600, 840)]
    assert hours[ceibo.lucia.id].intervals_of(day) == []
    assert ceibo.audited() == (
        "catalog.holiday_added",
        {"day": "2026-12-25", "name": "Navidad"},
    )


def test_a_holiday_may_be_renamed_and_removed(shell: Shell, ceibo: Ceibo) -> None:
    words = ("hours", "holiday", "ceibo", "2026-12-25")
    shell.done(*words, "Natal")
    shell.done(*words, "Navidad")

    assert [each.name for each in ceibo.session.scalars(select(Holiday))] == ["Navidad"]
    shell.done(*words, "--remove")
    assert ceibo.session.scalars(select(Holiday)).all() == []
    assert "(not_found)" in shell.refused(*words, "--remove")
    assert "name: required" in shell.refused(*words)


def test_a_holiday_warns_of_bookings(shell: Shell, ceibo: Ceibo) -> None:
    a_booking(ceibo.session, ceibo.location, ceibo.massage, at("2026-03-11 10:00"))

    assert "1 booking lies outside" in shell.warned(
        "hours", "holiday", "ceibo", "2026-03-11", "Feriado"
    )


def test_hours_are_shown_as_they_are_typed(shell: Shell, ceibo: Ceibo) -> None:
    shell.done("hours", "week", "ceibo", "Marcos", "fri-sat", "22:00-02:00")
    shell.done("hours", "day", "ceibo", "Marcos", "2026-12-24", "closed")
    shell.done(
        *("hours", "off", "ceibo", "Marcos", "2026-04-01 10:00", "2026-04-02 11:00"),
        *("--reason", "curso"),
    )
    shell.done("hours", "holiday", "ceibo", "2026-12-25", "Navidad")

    assert shell.done("hours", "show", "ceibo", "marcos").splitlines() == [
        "Marcos",
        "  mon-thu     09:00-18:00",
        "  fri,sat     22:00-02:00",
        "  sun         closed",
        "  2026-12-24  closed",
        "  off  2026-04-01 10:00 to 2026-04-02 11:00  curso",
        "2026-12-25  Navidad",
    ]
    everybody = shell.done("hours", "show", "ceibo")
    assert all(name in everybody for name in ("Lucía Ferreira", "Marcos", "Camillas"))


@pytest.mark.parametrize(
    "words",
    [
        ("week", "ceibo", "Nadie", "mon", "closed"),
        ("day", "ceibo", "Nadie", "2026-12-24", "closed"),
        ("off", "ceibo", "Nadie", "2026-12-24 10:00", "2026-12-24 11:00"),
        ("show", "ceibo", "Nadie"),
        ("week", "nowhere", "Marcos", "mon", "closed"),
        ("holiday", "nowhere", "2026-12-25", "Navidad"),
    ],
)
def test_hours_of_nobody_are_not_found(shell: Shell, ceibo: Ceibo, words: tuple[str, ...]) -> None:
    assert "(not_found)" in shell.refused("hours", *words)
