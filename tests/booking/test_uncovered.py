from datetime import date
from typing import Any

from sqlalchemy.orm import Session

from app.booking.uncovered import list_commitments_of_service, list_uncovered
from app.booking.views import Contact
from app.catalog.actions import (
    add_holiday,
    add_time_off,
    archive_resource,
    set_weekly_hours,
)
from app.checkout.actions import cancel
from tests.conftest import Clock
from tests.factories import DESK, a_booking, a_hold, a_location, a_resource, a_service, at


def test_what_the_hours_cover_is_nobody_s_trouble(session: Session, clock: Clock) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)
    cut = a_service(session, location, marcos, buffer_before_minutes=30, buffer_after_minutes=30)
    for start in ("2026-03-10 09:00", "2026-03-11 17:00"):
        a_booking(session, location, cut, at(start))

    assert list_uncovered(session, location, [marcos.id]) == []
    assert list_uncovered(session, location, []) == []


def test_a_booking_cut_at_either_end_is_told_once_by_start(session: Session, clock: Clock) -> None:
    location = a_location(session)
    marcos, room = a_resource(session, location), a_resource(session, location, "Sala")
    cut = a_service(session, location, marcos, room)
    late = a_booking(session, location, cut, at("2026-03-11 17:00"), contact=Contact(name="Ana"))
    early = a_booking(session, location, cut, at("2026-03-10 09:00"))
    a_booking(session, location, cut, at("2026-03-10 12:00"))
    for resource in (marcos, room):
        set_weekly_hours(session, location.id, resource.id, range(7), [(570, 1050)])

    found = list_uncovered(session, location, [marcos.id, room.id])

    assert [each.id for each in found] == [early.id, late.id]
    assert (found[1].service_name, found[1].customer_name) == ("Corte", "Ana")
    assert found[1].starts_at == at("2026-03-11 17:00")


def test_absences_holidays_and_archives_leave_bookings_alone(
    session: Session, clock: Clock
) -> None:
    location = a_location(session)
    marcos, lucia = a_resource(session, location), a_resource(session, location, "Lucía")
    cut = a_service(session, location, [marcos, lucia])
    wish: dict[str, Any] = {"resource_ids": (marcos.id,)}
    a_booking(session, location, cut, at("2026-03-10 10:00"), **wish)
    a_booking(session, location, cut, at("2026-03-11 10:00"), **wish)
    a_booking(session, location, cut, at("2026-03-12 10:00"), **wish)

    def starts() -> list[date]:
        return [each.starts_at.date() for each in list_uncovered(session, location, [marcos.id])]

    off: dict[str, Any] = {"starts_at": at("2026-03-10 10:59"), "ends_at": at("2026-03-10 12:00")}
    add_time_off(session, location.id, marcos.id, **off)
    assert starts() == [date(2026, 3, 10)]
    add_holiday(session, location.id, date(2026, 3, 11), "Feriado")
    assert starts() == [date(2026, 3, 10), date(2026, 3, 11)]
    archive_resource(session, location.id, marcos.id, now=clock.now())
    assert starts() == [date(2026, 3, 10), date(2026, 3, 11), date(2026, 3, 12)]
    assert list_uncovered(session, location, [lucia.id]) == []


def test_only_live_bookings_to_come_count(session: Session, clock: Clock) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)
    cut = a_service(session, location, marcos)
    a_booking(session, location, cut, at("2026-03-10 09:00"))
    running = a_booking(session, location, cut, at("2026-03-10 10:00"))
    lapsed = a_hold(session, location, cut, at("2026-03-10 12:00"))
    gone = a_booking(session, location, cut, at("2026-03-10 13:00"))
    cancel(session, location.id, gone.id, actor=DESK)
    clock.set(at("2026-03-10 10:30"))
    fresh = a_hold(session, location, cut, at("2026-03-10 14:00"), now=clock.now())
    set_weekly_hours(session, location.id, marcos.id, [1], [])

    found = [each.id for each in list_uncovered(session, location, [marcos.id])]

    assert found == [running.id, fresh.id]
    assert lapsed.id not in found
    assert [each.id for each in list_commitments_of_service(session, location.id, cut.id)] == found


def test_hours_past_midnight_cover_the_morning_after(session: Session, clock: Clock) -> None:
    location = a_location(session)
    bar = a_resource(session, location, hours=((22 * 60, 26 * 60),), weekdays=range(7))
    cut = a_service(session, location, bar)
    a_booking(session, location, cut, at("2026-03-11 01:00"))

    assert list_uncovered(session, location, [bar.id]) == []


def test_other_locations_and_services_are_left_out(session: Session, clock: Clock) -> None:
    location, other = a_location(session), a_location(session)
    theirs = a_resource(session, other)
    cut = a_service(session, other, theirs)
    beard = a_service(session, other, theirs, name="Barba")
    a_booking(session, other, cut, at("2026-03-10 10:00"))

    assert list_uncovered(session, location, [theirs.id]) == []
    assert list_commitments_of_service(session, location.id, cut.id) == []
    assert list_commitments_of_service(session, other.id, beard.id) == []
