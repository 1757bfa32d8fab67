from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.booking.errors import (
    AlreadyRescheduled,
    HoldExpired,
    NoChange,
    NotAllowedNow,
    OutsideCancellationWindow,
    SlotTaken,
)
from app.booking.integrity import find_faults
from app.booking.queries import get_booking
from app.booking.states import Status
from app.checkout import actions
from tests.conftest import Clock
from tests.factories import BOT, DESK, a_booking, a_hold, a_location, a_resource, a_service, at

ELEVEN = "2026-03-10 11:00"
HALF_PAST = "2026-03-10 11:30"


def test_a_booking_moves_by_half_its_length(session: Session, clock: Clock) -> None:
    """F01: from 11:00-12:00 to 11:30-12:30 with the same person."""
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    old = a_booking(session, location, corte, at(ELEVEN))

    new = actions.reschedule(
        session, location.id, old.id, starts_at=at(HALF_PAST), actor=DESK, now=clock.now()
    )

    before = get_booking(session, location.id, old.id)
    assert (before.status, before.rescheduled_to) == (Status.CANCELLED, new.id)
    assert before.cancel_reason == "rescheduled"
    assert get_booking(session, location.id, new.id) == new
    assert (new.status, new.rescheduled_from) == (Status.CONFIRMED, old.id)
    assert new.resources == old.resources
    assert find_faults(session) == []


def test_a_move_is_told_as_a_move(session: Session, clock: Clock) -> None:
    """F05: machines must not read it as a loss."""
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    old = a_booking(session, location, corte, at(ELEVEN))
    session.execute(text("DELETE FROM outbox"))

    new = actions.reschedule(
        session, location.id, old.id, starts_at=at(HALF_PAST), actor=DESK, now=clock.now()
    )

    told = session.execute(text("SELECT kind, booking_id, payload FROM outbox ORDER BY id")).all()
    assert [(row.kind, row.booking_id) for row in told] == [
        ("booking.cancelled", old.id),
        ("booking.rescheduled", new.id),
    ]
    assert told[0].payload["reason"] == "rescheduled"
    assert told[0].payload["rescheduled_to"] == str(new.id)
    assert told[1].payload["rescheduled_from"] == str(old.id)


@pytest.mark.parametrize("capacity", [1, 2])
def test_when_the_new_time_is_taken_the_old_one_is_intact(
    session: Session, clock: Clock, capacity: int
) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location, capacity=capacity))
    old = a_booking(session, location, corte, at(ELEVEN))
    for _ in range(capacity):
        a_booking(session, location, corte, at("2026-03-10 15:00"))

    with pytest.raises(SlotTaken):
        actions.reschedule(
            session,
            location.id,
            old.id,
            starts_at=at("2026-03-10 15:00"),
            actor=DESK,
            now=clock.now(),
        )

    session.commit()
    assert get_booking(session, location.id, old.id) == old
    assert find_faults(session) == []


def test_a_chain_of_moves_is_linear(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    old = a_booking(session, location, corte, at(ELEVEN))
    move = {"actor": DESK, "now": clock.now()}
    new = actions.reschedule(session, location.id, old.id, starts_at=at(HALF_PAST), **move)

    with pytest.raises(AlreadyRescheduled) as refusal:
        actions.reschedule(session, location.id, old.id, starts_at=at("2026-03-10 16:00"), **move)

    assert refusal.value.facts == {"rescheduled_to": str(new.id)}


def test_the_database_keeps_the_chain_linear(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    first = a_booking(session, location, corte, at(ELEVEN))
    second = a_booking(session, location, corte, at("2026-03-10 14:00"))
    for booking in (first, second):
        actions.cancel(session, location.id, booking.id, actor=DESK)
    target = a_booking(session, location, corte, at("2026-03-10 16:00"))

    with pytest.raises(IntegrityError, match="uq_booking_location_id_rescheduled_to"):
        session.execute(
            text("UPDATE booking SET rescheduled_to = :new WHERE id IN (:one, :two)"),
            {"new": target.id, "one": first.id, "two": second.id},
        )


def test_moving_to_where_it_is_changes_nothing(session: Session, clock: Clock) -> None:
    location = a_location(session)
    person = a_resource(session, location)
    corte = a_service(session, location, person)
    old = a_booking(session, location, corte, at(ELEVEN))

    for resource_ids in ((), (person.id,)):
        with pytest.raises(NoChange):
            actions.reschedule(
                session,
                location.id,
                old.id,
                starts_at=at(ELEVEN),
                resource_ids=resource_ids,
                actor=DESK,
                now=clock.now(),
            )


def test_the_same_person_comes_first_then_any_that_fits(session: Session, clock: Clock) -> None:
    location = a_location(session)
    team = [a_resource(session, location, name) for name in ("Ana", "Bia")]
    corte = a_service(session, location, team)
    bia = team[1].id
    old = a_booking(session, location, corte, at(ELEVEN), resource_ids=(bia,))
    move = {"actor": DESK, "now": clock.now()}

    same = actions.reschedule(session, location.id, old.id, starts_at=at(HALF_PAST), **move)
    a_booking(session, location, corte, at("2026-03-10 16:00"), resource_ids=(bia,))
    other = actions.reschedule(
        session, location.id, same.id, starts_at=at("2026-03-10 16:00"), **move
    )

    assert same.resources[0].id == bia
    assert other.resources[0].id == team[0].id


def test_to_another_person_at_the_same_time(session: Session, clock: Clock) -> None:
    location = a_location(session)
    team = [a_resource(session, location, name) for name in ("Ana", "Bia")]
    corte = a_service(session, location, team)
    old = a_booking(session, location, corte, at(ELEVEN), resource_ids=(team[0].id,))

    new = actions.reschedule(
        session,
        location.id,
        old.id,
        starts_at=at(ELEVEN),
        resource_ids=(team[1].id,),
        actor=DESK,
        now=clock.now(),
    )

    assert new.resources[0].id == team[1].id


def test_a_hold_moves_with_its_remaining_time(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    held = a_hold(session, location, corte, at(ELEVEN), now=clock.now())
    clock.advance(minutes=4)
    move = {"actor": DESK, "now": clock.now()}

    moved = actions.reschedule(session, location.id, held.id, starts_at=at(HALF_PAST), **move)

    assert (moved.status, moved.expires_at) == (Status.HELD, held.expires_at)
    clock.advance(minutes=6)
    with pytest.raises(HoldExpired):
        actions.reschedule(session, location.id, moved.id, starts_at=at(ELEVEN), **move)


def test_the_price_agreed_goes_along(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location), price_cents=4_000)
    old = a_booking(session, location, corte, at(ELEVEN))
    corte.price_cents = 9_000
    session.commit()

    new = actions.reschedule(
        session, location.id, old.id, starts_at=at(HALF_PAST), actor=DESK, now=clock.now()
    )

    assert new.price_cents == 4_000
    assert new.ends_at == at(HALF_PAST) + timedelta(hours=1)


def test_a_move_is_no_way_around_the_cancellation_window(session: Session, clock: Clock) -> None:
    location = a_location(session, cancellation_window_minutes=24 * 60)
    corte = a_service(session, location, a_resource(session, location))
    old = a_booking(session, location, corte, at(ELEVEN))
    move = {"starts_at": at("2026-03-20 11:00"), "actor": BOT, "now": clock.now()}

    with pytest.raises(OutsideCancellationWindow):
        actions.reschedule(session, location.id, old.id, within_policy=True, **move)

    assert get_booking(session, location.id, old.id) == old
    assert actions.reschedule(session, location.id, old.id, **move).status is Status.CONFIRMED


def test_who_is_in_the_chair_is_not_moved(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    visit = a_booking(session, location, corte, at(ELEVEN), arrived=True)

    with pytest.raises(NotAllowedNow):
        actions.reschedule(
            session, location.id, visit.id, starts_at=at(HALF_PAST), actor=DESK, now=clock.now()
        )
