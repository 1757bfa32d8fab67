from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy.orm import Session

from app.catalog.actions import (
    add_holiday,
    add_time_off,
    archive_resource,
    archive_service,
    set_dated_hours,
)
from app.catalog.queries import (
    get_location,
    list_resources,
    list_services,
    load_offer,
    working_days,
)
from app.errors import NotFound
from app.ids import new_id
from tests.catalog.conftest import Counting
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service, at

TUESDAY = date(2026, 3, 10)
WINDOW = {"since": at("2026-03-10 00:00"), "until": at("2026-03-11 00:00")}


def test_an_offer_is_read_in_one_statement(session: Session, statements: Counting) -> None:
    location = a_location(session, hold_minutes=7, notice_minutes=30, horizon_days=90)
    lucia = a_resource(session, location, "Lucía", position=1)
    marcos = a_resource(session, location, "Marcos", position=0)
    beds = a_resource(session, location, "Camillas", capacity=3)
    ritual = a_service(
        *(session, location, [lucia, marcos], ([beds], 2)),
        name="Ritual",
        buffer_before_minutes=5,
        buffer_after_minutes=10,
        price_cents=100_00,
        deposit_cents=40_00,
    )

    with statements.expects(1):
        offer = load_offer(session, location.id, ritual.id, **WINDOW)

    assert (offer.service_name, offer.price_cents, offer.deposit_cents) == (
        *("Ritual", 100_00, 40_00),
    )
    assert (offer.duration, offer.grid) == (timedelta(hours=1), timedelta(minutes=30))
    assert (offer.buffer_before, offer.buffer_after) == (
        timedelta(minutes=5),
        timedelta(minutes=10),
    )
    assert [[c.name for c in need.candidates] for need in offer.needs] == [
        ["Marcos", "Lucía"],
        ["Camillas"],
    ]
    assert [need.units for need in offer.needs] == [1, 2]
    assert offer.place.zone == ZoneInfo("America/Sao_Paulo")
    assert (offer.place.hold_for, offer.place.notice, offer.place.horizon) == (
        timedelta(minutes=7),
        timedelta(minutes=30),
        timedelta(days=90),
    )


def test_a_window_brings_every_hour_that_decides_it(session: Session, clock: Clock) -> None:
    location = a_location(session)
    marcos = a_resource(session, location, "Marcos")
    cut = a_service(session, location, marcos)
    set_dated_hours(session, location.id, marcos.id, TUESDAY, [(600, 720), (780, 840)])
    set_dated_hours(session, location.id, marcos.id, date(2026, 3, 11), [])
    add_holiday(session, location.id, date(2026, 3, 9), "Carnaval")
    off: dict[str, Any] = {"starts_at": at("2026-03-01 00:00"), "ends_at": at("2026-03-10 11:00")}
    add_time_off(session, location.id, marcos.id, **off, reason="curso")

    offer = load_offer(session, location.id, cut.id, **WINDOW)

    hours = offer.needs[0].candidates[0].hours
    assert hours.weekly == {day: [(540, 1080)] for day in range(6)}
    assert sorted(hours.dated[TUESDAY]) == [(600, 720), (780, 840)]
    assert hours.dated[date(2026, 3, 11)] == []
    assert hours.holidays == {date(2026, 3, 9): "Carnaval"}
    assert hours.time_off == ((off["starts_at"], off["ends_at"], "curso"),)


def test_what_is_far_away_is_not_read(session: Session) -> None:
    location = a_location(session)
    marcos = a_resource(session, location, "Marcos")
    cut = a_service(session, location, marcos)
    set_dated_hours(session, location.id, marcos.id, date(2026, 4, 10), [])
    add_holiday(session, location.id, date(2026, 12, 25), "Navidad")
    off: dict[str, Any] = {"starts_at": at("2026-02-01 00:00"), "ends_at": at("2026-02-10 11:00")}
    add_time_off(session, location.id, marcos.id, **off)

    hours = load_offer(session, location.id, cut.id, **WINDOW).needs[0].candidates[0].hours

    assert (hours.dated, hours.holidays, hours.time_off) == ({}, {}, ())


def test_archived_resources_do_not_serve_and_archived_services_are_none(
    session: Session, clock: Clock
) -> None:
    location = a_location(session)
    lucia, marcos = (a_resource(session, location, name) for name in ("Lucía", "Marcos"))
    cut = a_service(session, location, [lucia, marcos])
    archive_resource(session, location.id, lucia.id, now=clock.now())

    offer = load_offer(session, location.id, cut.id, **WINDOW)
    assert [c.name for c in offer.needs[0].candidates] == ["Marcos"]

    archive_resource(session, location.id, marcos.id, now=clock.now())
    assert load_offer(session, location.id, cut.id, **WINDOW).needs[0].candidates == ()

    archive_service(session, location.id, cut.id, now=clock.now())
    with pytest.raises(NotFound):
        load_offer(session, location.id, cut.id, **WINDOW)


def test_another_location_s_service_is_not_found(session: Session) -> None:
    location, other = a_location(session), a_location(session)
    cut = a_service(session, other, a_resource(session, other))

    with pytest.raises(NotFound):
        load_offer(session, location.id, cut.id, **WINDOW)
    with pytest.raises(NotFound):
        get_location(session, new_id())
    assert get_location(session, location.id) is location


def test_services_are_listed_in_one_statement_in_the_owner_s_order(
    session: Session, statements: Counting
) -> None:
    location = a_location(session)
    lucia, marcos = (a_resource(session, location, name) for name in ("Lucía", "Marcos"))
    beds = a_resource(session, location, "Camillas", capacity=3)
    a_service(session, location, [lucia, marcos], ([beds], 2), name="Ritual", position=2)
    a_service(session, location, marcos, name="Barba", position=1)

    with statements.expects(1):
        barba, ritual = list_services(session, location.id)

    assert (barba.name, ritual.name) == ("Barba", "Ritual")
    assert [[o.name for o in need.options] for need in ritual.needs] == [
        ["Lucía", "Marcos"],
        ["Camillas"],
    ]
    assert [need.units for need in ritual.needs] == [1, 2]
    assert barba.takes(marcos.id)
    assert not barba.takes(lucia.id)


def test_resources_are_listed_in_one_statement_without_archived_ones(
    session: Session, clock: Clock, statements: Counting
) -> None:
    location = a_location(session)
    a_resource(session, location, "Z", position=2)
    a_resource(session, location, "A", position=1)
    gone = a_resource(session, location, "Gone")
    archive_resource(session, location.id, gone.id, now=clock.now())
    a_resource(session, a_location(session), "Elsewhere")

    with statements.expects(1):
        found = list_resources(session, location.id)

    assert [each.name for each in found] == ["A", "Z"]


def test_the_hours_of_all_resources_are_read_in_one_statement(
    session: Session, statements: Counting
) -> None:
    location = a_location(session)
    people = [a_resource(session, location, f"R{number}") for number in range(5)]
    add_holiday(session, location.id, TUESDAY, "Carnaval")

    with statements.expects(1):
        found = working_days(session, location.id, TUESDAY, TUESDAY)

    assert set(found) == {person.id for person in people}
    assert all(hours.intervals_of(TUESDAY) == [] for hours in found.values())
    assert all(hours.holidays == {TUESDAY: "Carnaval"} for hours in found.values())
