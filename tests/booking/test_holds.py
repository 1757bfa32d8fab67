from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.errors import HoldExpired, SlotTaken, TooManyHolds
from app.booking.expiry import expire_due
from app.booking.holds import MOST_PER_PHONE
from app.booking.states import Status
from app.booking.views import Contact
from app.checkout import actions
from tests.conftest import Clock
from tests.factories import BOT, a_hold, a_location, a_resource, a_service, a_wish, at

TEN = "2026-03-10 10:00"


def test_a_hold_keeps_the_slot_for_ten_minutes(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))

    held = a_hold(session, location, corte, at(TEN), now=clock.now())

    assert held.status is Status.HELD
    assert held.expires_at == clock.now() + timedelta(minutes=10)
    with pytest.raises(SlotTaken):
        a_hold(session, location, corte, at(TEN), now=clock.now())


def test_a_late_hold_gives_way_to_a_new_one(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    late = a_hold(session, location, corte, at(TEN), now=clock.now())
    clock.advance(minutes=10)

    with pytest.raises(SlotTaken) as refused:
        a_hold(session, location, corte, at(TEN), now=clock.now())
    assert refused.value.remedy is not None
    assert refused.value.remedy(session) == 1
    fresh = a_hold(session, location, corte, at(TEN), now=clock.now())

    assert fresh.status is Status.HELD
    with pytest.raises(HoldExpired):
        actions.confirm(session, location.id, late.id, actor=BOT)
    confirmed = actions.confirm(session, location.id, fresh.id, actor=BOT)
    assert confirmed.status is Status.CONFIRMED
    kinds = session.scalars(text("SELECT kind FROM outbox ORDER BY id")).all()
    assert kinds == ["booking.held", "booking.expired", "booking.held", "booking.confirmed"]


def test_the_sweep_expires_each_hold_once(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    a_hold(session, location, corte, at(TEN), now=clock.now())

    assert expire_due(session) == 0
    clock.advance(minutes=10)

    assert expire_due(session) == 1
    assert expire_due(session) == 0


def test_everything_or_nothing_is_taken(session: Session, clock: Clock) -> None:
    location = a_location(session)
    lucia = a_resource(session, location, "Lucía")
    room = a_resource(session, location, "Sala")
    both = a_service(session, location, lucia, room)
    room_only = a_service(session, location, room)
    a_hold(session, location, room_only, at(TEN), now=clock.now())

    with pytest.raises(SlotTaken):
        actions.place_hold(session, a_wish(location, both, at(TEN)), actor=BOT, now=clock.now())

    taken = session.scalar(
        text("SELECT count(*) FROM allocation WHERE resource_id = :id"), {"id": lucia.id}
    )
    assert taken == 0


def test_one_phone_cannot_keep_the_whole_agenda(session: Session, clock: Clock) -> None:
    """B05: fifty holds of one phone; the desk and other phones go on."""
    location = a_location(session)
    clase = a_service(session, location, a_resource(session, location, capacity=60))
    greedy, other = Contact(phone="+5511987654321"), Contact(phone="+5511987654322")

    for _ in range(MOST_PER_PHONE):
        a_hold(session, location, clase, at(TEN), now=clock.now(), contact=greedy)

    with pytest.raises(TooManyHolds):
        a_hold(session, location, clase, at(TEN), now=clock.now(), contact=greedy)
    session.rollback()
    a_hold(session, location, clase, at(TEN), now=clock.now(), contact=other)
    a_hold(session, location, clase, at(TEN), now=clock.now(), contact=greedy, at_desk=True)
    clock.advance(minutes=10)
    a_hold(session, location, clase, at(TEN), now=clock.now(), contact=greedy)
