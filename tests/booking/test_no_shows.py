import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.booking.errors import NotAllowedNow
from app.booking.no_shows import suggest_no_shows
from app.booking.queries import get_booking, to_review
from app.booking.states import Status
from app.checkout import actions
from app.errors import Refused
from app.events import WORKER
from tests.conftest import Clock
from tests.factories import (
    BOT,
    DESK,
    a_booking,
    a_location,
    a_person,
    a_resource,
    a_service,
    a_staff_user,
    at,
)

TEN, ELEVEN, NOON = "2026-03-10 10:00", "2026-03-10 11:00", "2026-03-10 12:00"


def test_only_who_did_not_come_is_suggested_and_only_once(session: Session, clock: Clock) -> None:
    """G06: not the cancelled one, not the one who arrived, nobody before the grace is over."""
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    absent = a_booking(session, location, corte, at(TEN))
    a_booking(session, location, corte, at(ELEVEN), arrived=True)
    cancelled = a_booking(session, location, corte, at(NOON))
    actions.cancel(session, location.id, cancelled.id, actor=DESK)

    clock.set(at("2026-03-10 10:14"))
    assert suggest_no_shows(session) == 0
    clock.set(at("2026-03-10 12:30"))
    assert suggest_no_shows(session) == 1
    assert suggest_no_shows(session) == 0

    assert [booking.id for booking in to_review(session, location.id)] == [absent.id]
    assert get_booking(session, location.id, absent.id).status is Status.CONFIRMED


def test_a_person_decides_and_nobody_else_can(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at(TEN))
    person = a_person(a_staff_user(session, location))
    clock.set(at(NOON))

    for actor in (BOT, WORKER, DESK):
        with pytest.raises(Refused):
            actions.confirm_no_show(session, location.id, booking.id, actor=actor)
    marked = actions.confirm_no_show(session, location.id, booking.id, actor=person)

    assert marked.status is Status.NO_SHOW
    by = session.scalar(text("SELECT no_show_by FROM booking WHERE id = :id"), {"id": booking.id})
    assert by == person.id


def test_the_database_refuses_an_absence_without_a_person(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at(TEN))

    with pytest.raises(IntegrityError, match="ck_booking_no_show_by_person"):
        session.execute(
            text("UPDATE booking SET status = 'no_show' WHERE id = :id"), {"id": booking.id}
        )


def test_nobody_is_absent_before_the_start(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at(TEN))
    person = a_person(a_staff_user(session, location))

    with pytest.raises(NotAllowedNow):
        actions.confirm_no_show(session, location.id, booking.id, actor=person)


def test_a_dismissed_suggestion_does_not_come_back(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at(TEN))
    person = a_person(a_staff_user(session, location))
    clock.set(at(NOON))
    with pytest.raises(NotAllowedNow):
        actions.dismiss_no_show(session, location.id, booking.id, actor=person)
    suggest_no_shows(session)

    with pytest.raises(Refused):
        actions.dismiss_no_show(session, location.id, booking.id, actor=BOT)
    dismissed = actions.dismiss_no_show(session, location.id, booking.id, actor=person)

    assert dismissed.status is Status.CONFIRMED
    assert suggest_no_shows(session) == 0
    assert to_review(session, location.id) == []


def test_an_arrival_taken_back_may_still_be_an_absence(session: Session, clock: Clock) -> None:
    """The wrong line was pressed before the start; nobody has decided anything about this one."""
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at(TEN), arrived=True)
    actions.undo(session, location.id, booking.id, actor=DESK)

    clock.set(at(NOON))
    suggest_no_shows(session)

    assert [each.id for each in to_review(session, location.id)] == [booking.id]


def test_an_absence_taken_back_is_not_suggested_again(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    person = a_person(a_staff_user(session, location))
    booking = a_booking(session, location, corte, at(TEN))
    clock.set(at(NOON))
    suggest_no_shows(session)
    actions.confirm_no_show(session, location.id, booking.id, actor=person)

    actions.undo(session, location.id, booking.id, actor=person)

    assert to_review(session, location.id) == []
