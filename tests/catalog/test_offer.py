from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.orm import Session

from app.catalog.offer import Offer
from app.catalog.queries import load_offer
from app.ids import new_id
from tests.factories import a_location, a_resource, a_service, at

START = at("2026-03-10 10:00")


def an_offer(session: Session, **fields: Any) -> Offer:
    location = a_location(session)
    person = a_resource(session, location)
    beds = a_resource(session, location, "Camillas", capacity=3)
    service = a_service(session, location, person, ([beds], 2), **fields)
    return load_offer(session, location.id, service.id, since=START, until=START)


def test_a_visit_occupies_its_buffers_too(session: Session) -> None:
    offer = an_offer(session, buffer_before_minutes=5, buffer_after_minutes=10)

    assert offer.during(START) == (
        START - timedelta(minutes=5),
        START + timedelta(minutes=60 + 10),
    )


@pytest.mark.parametrize(("deposit", "minutes"), [(0, 10), (40_00, 15)])
def test_who_has_a_deposit_to_pay_gets_more_time(
    session: Session, deposit: int, minutes: int
) -> None:
    offer = an_offer(session, price_cents=100_00, deposit_cents=deposit)

    assert offer.hold_for == timedelta(minutes=minutes)


def test_a_person_is_taken_whole_and_places_by_their_number(session: Session) -> None:
    person, beds = an_offer(session).needs

    assert person.candidates[0].is_exclusive
    assert not beds.candidates[0].is_exclusive
    assert person.units_for(person.candidates[0], 3) == 1
    assert beds.units_for(beds.candidates[0], 1) == 2
    assert beds.units_for(beds.candidates[0], 3) == 6


def test_an_offer_knows_what_it_can_use(session: Session) -> None:
    offer = an_offer(session)

    assert all(offer.can_use(c.id) for need in offer.needs for c in need.candidates)
    assert not offer.can_use(new_id())


def test_the_policy_of_the_day_goes_with_the_booking(session: Session) -> None:
    assert an_offer(session).place.policy == {
        "cancellation_window_minutes": 0,
        "no_show_grace_minutes": 15,
    }
