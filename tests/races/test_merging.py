"""Two people make one of two records at once, or one does while somebody books."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import select

from app.booking.merging import merge_customers
from app.booking.models import Booking
from app.booking.views import Contact
from app.customers.actions import find_or_add
from app.customers.models import Customer
from app.customers.queries import get_customer
from app.extensions import db, transact
from tests.factories import DESK
from tests.races.conftest import Arena
from tests.races.scenes import Scene, a_scene

PHONES = ("+5555991234567", "+555591234567", "+59899123456")


def records(scene: Scene, count: int) -> list[UUID]:
    return transact(
        lambda session: [
            find_or_add(session, scene.location.id, phone=phone, name="Paula", email=None)
            for phone in PHONES[:count]
        ]
    )


def merge(scene: Scene, kept: UUID, other: UUID) -> str:
    location_id = scene.location.id
    return str(
        transact(lambda session: merge_customers(session, location_id, kept, other, actor=DESK))
    )


def standing(scene: Scene) -> list[UUID]:
    db.session.rollback()
    wanted = select(Customer.id).where(
        Customer.location_id == scene.location.id, Customer.merged_into.is_(None)
    )
    return list(db.session.scalars(wanted))


def owners(scene: Scene) -> set[UUID | None]:
    wanted = select(Booking.customer_id).where(Booking.location_id == scene.location.id)
    return set(db.session.scalars(wanted))


@pytest.mark.parametrize("is_crossed", [False, True])
@pytest.mark.parametrize("turn", range(3))
def test_two_merges_at_once_are_one(
    arena: Arena, next_week: datetime, is_crossed: bool, turn: int
) -> None:
    scene = a_scene(people=2)
    first, second = records(scene, 2)
    for hour, phone in enumerate(PHONES[:2]):
        scene.hold(next_week + timedelta(hours=hour), contact=Contact(name="P", phone=phone))
    ways = [(first, second), (second, first) if is_crossed else (first, second)]

    met = arena.race(2, lambda number: merge(scene, *ways[number]))

    (one,) = standing(scene)
    assert met == {str(one): 2}
    assert owners(scene) == {one}
    assert arena.faults() == []


@pytest.mark.parametrize("turn", range(3))
def test_a_chain_made_at_once_has_one_end(arena: Arena, next_week: datetime, turn: int) -> None:
    scene = a_scene(people=3)
    first, second, third = records(scene, 3)
    for hour, phone in enumerate(PHONES):
        scene.hold(next_week + timedelta(hours=hour), contact=Contact(name="P", phone=phone))
    ways = [(first, second), (second, third), (third, first)]

    arena.race(3, lambda number: merge(scene, *ways[number]))

    ends = standing(scene)
    assert owners(scene) == set(ends)
    for each in (first, second, third):
        into = get_customer(db.session(), scene.location.id, each).merged_into
        assert into is None or into in ends


@pytest.mark.parametrize("turn", range(3))
def test_who_books_while_the_records_become_one_is_not_lost(
    arena: Arena, next_week: datetime, turn: int
) -> None:
    scene = a_scene(people=4)
    kept, other = records(scene, 2)
    held = scene.hold(next_week, contact=Contact(name="P", phone=PHONES[1]))

    def act(number: int) -> str:
        if number == 0:
            return merge(scene, kept, other)
        if number == 1:
            scene.confirm(held.id)
        else:
            contact = Contact(name="P", phone=PHONES[1])
            scene.hold(next_week + timedelta(hours=number), contact=contact)
        return "booked"

    met = arena.race(4, act)

    assert met == {str(kept): 1, "booked": 3}
    assert standing(scene) == [kept]
    assert owners(scene) == {kept}
    assert arena.faults() == []
