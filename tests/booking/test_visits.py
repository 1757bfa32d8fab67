from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from app.booking.errors import (
    HoldExpired,
    NotAllowedNow,
    OutsideCancellationWindow,
    SlotTaken,
    StaleVersion,
)
from app.booking.integrity import find_faults
from app.booking.queries import get_booking, history
from app.booking.states import Status
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
    a_person,
    a_resource,
    a_service,
    a_staff_user,
    at,
)

TEN = "2026-03-10 10:00"


def test_a_visit_goes_from_hold_to_completed(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    held = a_hold(session, location, corte, at(TEN))

    actions.confirm(session, location.id, held.id, actor=BOT)
    actions.check_in(session, location.id, held.id, actor=DESK)
    done = actions.complete(session, location.id, held.id, actor=DESK)

    assert done == get_booking(session, location.id, held.id)
    assert (done.status, done.version) == (Status.COMPLETED, 4)
    assert done.checked_in_at == clock.now()
    assert [
        (line.action, line.door, line.actor) for line in history(session, location.id, held.id)
    ] == [
        ("booking.completed", "desk", "Rocío"),
        ("booking.checked_in", "desk", "Rocío"),
        ("booking.confirmed", "api", "bot"),
        ("booking.held", "api", "bot"),
    ]
    assert find_faults(session) == []


def test_completing_frees_the_rest_of_the_time(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    visit = a_booking(session, location, corte, at(TEN), arrived=True)

    actions.complete(session, location.id, visit.id, actor=DESK)

    assert a_hold(session, location, corte, at(TEN)).status is Status.HELD


def test_cancelling_frees_the_slot_and_keeps_the_reason(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at(TEN))

    cancelled = actions.cancel(session, location.id, booking.id, actor=DESK, reason="se enfermó")

    assert (cancelled.status, cancelled.cancel_reason) == (Status.CANCELLED, "se enfermó")
    assert a_hold(session, location, corte, at(TEN)).status is Status.HELD
    with pytest.raises(NotAllowedNow):
        actions.cancel(session, location.id, booking.id, actor=DESK)


@pytest.mark.parametrize(("minutes_before", "may"), [(24 * 60 + 1, True), (24 * 60 - 1, False)])
def test_the_policy_in_force_when_booked_decides(
    session: Session, clock: Clock, minutes_before: int, may: bool
) -> None:
    """F09: inside the window the customer's side may not cancel, staff may."""
    location = a_location(session, cancellation_window_minutes=24 * 60)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at("2026-03-12 10:00"))
    location.cancellation_window_minutes = 0
    session.commit()
    clock.set(booking.starts_at - timedelta(minutes=minutes_before))

    if not may:
        with pytest.raises(OutsideCancellationWindow):
            actions.cancel(session, location.id, booking.id, actor=BOT, within_policy=True)
        assert get_booking(session, location.id, booking.id).status is Status.CONFIRMED
    within_policy = may
    cancelled = actions.cancel(
        session, location.id, booking.id, actor=DESK, within_policy=within_policy
    )
    assert cancelled.status is Status.CANCELLED


def test_an_arrival_can_be_undone(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    visit = a_booking(session, location, corte, at(TEN), arrived=True)

    undone = actions.undo(session, location.id, visit.id, actor=DESK)

    assert (undone.status, undone.checked_in_at) == (Status.CONFIRMED, None)
    with pytest.raises(NotAllowedNow):
        actions.undo(session, location.id, visit.id, actor=DESK)


@pytest.mark.parametrize("capacity", [1, 2])
def test_an_absence_can_be_undone_while_the_time_is_free(
    session: Session, clock: Clock, capacity: int
) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location, capacity=capacity))
    person = a_person(a_staff_user(session, location))
    booking = a_booking(session, location, corte, at(TEN))
    clock.set(at(TEN))
    actions.confirm_no_show(session, location.id, booking.id, actor=person)

    undone = actions.undo(session, location.id, booking.id, actor=person)

    assert undone.status is Status.CONFIRMED
    assert undone.resources == booking.resources
    assert find_faults(session) == []


@pytest.mark.parametrize("capacity", [1, 2])
def test_an_absence_cannot_be_undone_once_the_time_is_sold(
    session: Session, clock: Clock, capacity: int
) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location, capacity=capacity))
    person = a_person(a_staff_user(session, location))
    booking = a_booking(session, location, corte, at(TEN))
    clock.set(at(TEN))
    actions.confirm_no_show(session, location.id, booking.id, actor=person)
    for _ in range(capacity):
        a_booking(session, location, corte, at(TEN))

    with pytest.raises(SlotTaken):
        actions.undo(session, location.id, booking.id, actor=person)

    session.commit()
    assert get_booking(session, location.id, booking.id).status is Status.NO_SHOW
    assert find_faults(session) == []


def test_a_change_made_on_an_old_page_is_refused(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    seen = a_booking(session, location, corte, at(TEN))
    actions.check_in(session, location.id, seen.id, actor=DESK, version=seen.version)

    with pytest.raises(StaleVersion):
        actions.complete(session, location.id, seen.id, actor=DESK, version=seen.version)


def test_another_locations_booking_is_not_there(session: Session, clock: Clock) -> None:
    here, there = a_location(session), a_location(session)
    corte = a_service(session, here, a_resource(session, here))
    booking = a_booking(session, here, corte, at(TEN))

    for location_id, booking_id in ((there.id, booking.id), (here.id, new_id())):
        with pytest.raises(NotFound):
            actions.cancel(session, location_id, booking_id, actor=DESK)


def test_a_hold_can_be_extended_ten_minutes_in_all(session: Session, clock: Clock) -> None:
    """B05: a hold cannot be renewed for ever."""
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    held = a_hold(session, location, corte, at(TEN))
    assert held.expires_at is not None

    once = actions.extend(session, location.id, held.id, minutes=5, actor=DESK)
    twice = actions.extend(session, location.id, held.id, minutes=5, actor=DESK)

    assert once.expires_at == held.expires_at + timedelta(minutes=5)
    assert twice.expires_at == held.expires_at + timedelta(minutes=10)
    with pytest.raises(InvalidFields):
        actions.extend(session, location.id, held.id, minutes=1, actor=DESK)


@pytest.mark.parametrize("move", ["extend", "confirm", "cancel"])
def test_nothing_brings_a_lapsed_hold_back(session: Session, clock: Clock, move: str) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    held = a_hold(session, location, corte, at(TEN))
    clock.advance(minutes=10)
    more = {"minutes": 5} if move == "extend" else {}

    with pytest.raises(HoldExpired):
        getattr(actions, move)(session, location.id, held.id, actor=DESK, **more)


def test_giving_up_a_hold_frees_it_and_may_be_repeated(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    held = a_hold(session, location, corte, at(TEN))

    for _ in range(2):
        assert actions.release(session, location.id, held.id, actor=BOT).status is Status.CANCELLED

    booking = a_booking(session, location, corte, at(TEN))
    with pytest.raises(NotAllowedNow):
        actions.release(session, location.id, booking.id, actor=BOT)
