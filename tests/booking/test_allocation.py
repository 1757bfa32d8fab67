import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.booking.availability import alternatives, find_starts
from app.booking.capacity import change_capacity
from app.booking.errors import CapacityInUse, SlotTaken, TooManyUnits
from app.booking.expiry import expire_due
from app.booking.integrity import find_faults
from app.checkout import actions
from app.errors import InvalidFields, NotFound
from app.ids import new_id
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

TEN = "2026-03-10 10:00"


def spot(
    session: Session, location: object, service: object, starts: str, **fields: object
) -> None:
    a_booking(session, location, service, at(f"2026-03-10 {starts}"), **fields)  # type: ignore[arg-type]


def test_a_pool_counts_its_peak_not_the_overlaps(session: Session, clock: Clock) -> None:
    """A08: of two places, 9-10, 10-11 and 9-11 fit; 9:30-10:30 does not."""
    location = a_location(session)
    pool = a_resource(session, location, "Camillas", capacity=2)
    hour = a_service(session, location, pool)
    two_hours = a_service(session, location, pool, duration_minutes=120)

    spot(session, location, hour, "09:00")
    spot(session, location, hour, "10:00")
    spot(session, location, two_hours, "09:00")

    with pytest.raises(SlotTaken):
        spot(session, location, hour, "09:30")
    assert find_faults(session) == []


def test_a_kit_takes_several_places_at_once(session: Session, clock: Clock) -> None:
    """A10: a kit of two out of three places fits once."""
    location = a_location(session)
    pool = a_resource(session, location, "Equipos", capacity=3)
    kit = a_service(session, location, ([pool], 2))

    spot(session, location, kit, "10:00")

    with pytest.raises(SlotTaken):
        spot(session, location, kit, "10:00")


def test_several_units_are_taken_priced_and_given_back_together(
    session: Session, clock: Clock
) -> None:
    location = a_location(session)
    pool = a_resource(session, location, "Clase", capacity=4)
    clase = a_service(session, location, pool, price_cents=1_000)

    three = a_booking(session, location, clase, at(TEN), units=3)
    assert (three.price_cents, three.resources[0].units) == (3_000, 3)
    with pytest.raises(SlotTaken):
        spot(session, location, clase, "10:00", units=2)
    spot(session, location, clase, "10:00", units=1)
    actions.cancel(session, location.id, three.id, actor=DESK)
    spot(session, location, clase, "10:00", units=3)

    assert find_faults(session) == []


def test_more_units_than_there_can_be_are_refused(session: Session, clock: Clock) -> None:
    location = a_location(session)
    clase = a_service(session, location, a_resource(session, location, capacity=4))
    corte = a_service(session, location, a_resource(session, location))

    for service, units in ((clase, 5), (corte, 2)):
        with pytest.raises(TooManyUnits):
            spot(session, location, service, "10:00", units=units)


def test_a_lapsed_hold_gives_its_places_of_a_pool_back(session: Session, clock: Clock) -> None:
    location = a_location(session)
    pool = a_resource(session, location, capacity=2)
    clase = a_service(session, location, pool)
    a_hold(session, location, clase, at(TEN), units=2, now=clock.now())
    clock.advance(minutes=10)

    with pytest.raises(SlotTaken) as refused:
        a_hold(session, location, clase, at(TEN), units=2, now=clock.now())
    assert refused.value.remedy is not None
    assert refused.value.remedy(session) == 1
    a_hold(session, location, clase, at(TEN), units=2, now=clock.now())
    clock.advance(minutes=10)
    assert expire_due(session) == 1

    assert find_faults(session) == []
    assert session.scalar(text("SELECT sum(used) FROM pool_usage")) == 0


def test_the_pool_s_check_is_the_last_guard(session: Session, clock: Clock) -> None:
    location = a_location(session)
    pool = a_resource(session, location, capacity=2)
    a_booking(session, location, a_service(session, location, pool), at(TEN), units=2)

    with pytest.raises(IntegrityError, match="ck_pool_usage_never_over"):
        session.execute(text("UPDATE pool_usage SET used = used + 1"))


def test_capacity_is_lowered_to_the_peak_sold_and_no_further(
    session: Session, clock: Clock
) -> None:
    location = a_location(session)
    pool = a_resource(session, location, "Camillas", capacity=4)
    clase = a_service(session, location, pool)
    spot(session, location, clase, "10:00", units=2)
    spot(session, location, clase, "14:00", units=1)

    with pytest.raises(CapacityInUse) as refusal:
        change_capacity(session, location.id, pool.id, 1)
    assert len(refusal.value.facts["bookings"]) == 1
    for impossible in (0, 10_001):
        with pytest.raises(InvalidFields):
            change_capacity(session, location.id, pool.id, impossible)
    change_capacity(session, location.id, pool.id, 2)

    with pytest.raises(SlotTaken):
        spot(session, location, clase, "10:00")
    spot(session, location, clase, "14:00")
    assert find_faults(session) == []


def test_half_success_takes_nothing(session: Session, clock: Clock) -> None:
    """A13: with the room taken the person stays free, and only common times are offered."""
    location = a_location(session)
    person, room = (a_resource(session, location, name) for name in ("Lucía", "Sala"))
    both = a_service(session, location, person, room)
    room_only = a_service(session, location, room)
    person_only = a_service(session, location, person)
    spot(session, location, room_only, "10:00")

    with pytest.raises(SlotTaken):
        spot(session, location, both, "10:00")

    offered = alternatives(session, location.id, both.id, starts_at=at(TEN), now=clock.now())
    assert {start.starts_at for start in offered}.isdisjoint({at("2026-03-10 09:30"), at(TEN)})
    assert all(len(start.resources) == 2 for start in offered)
    spot(session, location, person_only, "10:00")


def test_any_that_fits_spreads_over_the_least_booked(session: Session, clock: Clock) -> None:
    """A05: two professionals, three callers."""
    location = a_location(session)
    team = [a_resource(session, location, name) for name in ("Ana", "Bia")]
    corte = a_service(session, location, team)

    first = a_booking(session, location, corte, at("2026-03-10 09:00"))
    second = a_booking(session, location, corte, at("2026-03-10 12:00"))

    assert {first.resources[0].id, second.resources[0].id} == {team[0].id, team[1].id}
    spot(session, location, corte, "15:00")
    spot(session, location, corte, "15:00")
    with pytest.raises(SlotTaken):
        spot(session, location, corte, "15:00")


def test_buffers_add_up_between_neighbours(session: Session, clock: Clock) -> None:
    """E01, E03: a buffer belongs to its booking; a listed start can be held."""
    location = a_location(session)
    person = a_resource(session, location)
    wide = a_service(
        session,
        location,
        person,
        grid_minutes=60,
        buffer_before_minutes=60,
        buffer_after_minutes=60,
    )
    plain = a_service(session, location, person, grid_minutes=60)
    spot(session, location, wide, "10:00")
    day = (at("2026-03-10 00:00"), at("2026-03-11 00:00"))

    def hours(service: object) -> list[int]:
        starts = find_starts(session, location.id, service.id, window=day, now=clock.now())  # type: ignore[attr-defined]
        return [start.starts_at.hour - 3 for start in starts]

    assert hours(plain)[:2] == [12, 13]
    assert hours(wide)[:2] == [13, 14]


def test_buffers_may_stick_out_of_the_hours(session: Session, clock: Clock) -> None:
    """E04: opening at nine with a buffer before: nine o'clock can be booked."""
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location), buffer_before_minutes=15)

    spot(session, location, corte, "09:00")

    starts = session.scalar(text("SELECT lower(during) FROM allocation"))
    assert starts == at("2026-03-10 08:45")


def test_what_the_service_cannot_use_is_not_there(session: Session, clock: Clock) -> None:
    location, elsewhere = a_location(session), a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    foreign = a_resource(session, elsewhere)

    for resource_id in (foreign.id, new_id()):
        with pytest.raises(NotFound):
            spot(session, location, corte, "10:00", resource_ids=(resource_id,))
    with pytest.raises(NotFound):
        actions.place_hold(session, a_wish(elsewhere, corte, at(TEN)), actor=BOT, now=clock.now())


def test_two_for_one_need_are_refused(session: Session, clock: Clock) -> None:
    location = a_location(session)
    team = [a_resource(session, location, name) for name in ("Ana", "Bia")]
    corte = a_service(session, location, team)

    with pytest.raises(InvalidFields):
        spot(session, location, corte, "10:00", resource_ids=(team[0].id, team[1].id))


@pytest.mark.parametrize(
    ("change", "guard"),
    [
        ("location_id = :other", "fk_allocation_location_id"),
        ("resource_id = :resource", "fk_allocation_location_id_resource_id"),
        ("kind = 'pooled'", "fk_allocation_location_id_resource_id_kind"),
        ("during = 'empty'", "ck_allocation_span"),
        ("during = tstzrange(now(), NULL)", "ck_allocation_span"),
        ("units = 0", "ck_allocation_"),
    ],
)
def test_the_database_refuses_an_impossible_allocation(
    session: Session, clock: Clock, change: str, guard: str
) -> None:
    """A booking with resources of another location cannot be stored, nor an endless one."""
    location, elsewhere = a_location(session), a_location(session)
    a_booking(
        session, location, a_service(session, location, a_resource(session, location)), at(TEN)
    )
    foreign = a_resource(session, elsewhere)

    session.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
    with pytest.raises(IntegrityError, match=guard):
        session.execute(
            text(f"UPDATE allocation SET {change}"),
            {"other": elsewhere.id, "resource": foreign.id},
        )
