from dataclasses import dataclass
from uuid import UUID

import pytest
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.booking.customers import bookings_of, find_customers
from app.booking.merging import merge_customers
from app.booking.views import BookingView, Contact
from app.catalog.models import Location, Service
from app.checkout.actions import confirm, reschedule
from app.customers.actions import Told, block, edit, find_or_add, unblock
from app.customers.errors import CustomerMerged
from app.customers.models import Customer
from app.customers.queries import absorbed_by, get_customer, likely_twins
from app.customers.searching import read_search
from app.errors import InvalidFields, NotFound
from app.events import Audit
from app.ids import new_id
from tests.factories import (
    DESK,
    a_booking,
    a_hold,
    a_location,
    a_resource,
    a_service,
    at,
)

WITH, WITHOUT = "+5555991234567", "+555591234567"


@dataclass
class Pair:
    """Two records of one person, each with a booking."""

    session: Session
    location: Location
    cut: Service
    kept: UUID
    other: UUID

    def book(self, wall: str, phone: str) -> BookingView:
        contact = Contact(name="Paula", phone=phone)
        return a_booking(
            self.session, self.location, self.cut, at(f"2026-03-10 {wall}"), contact=contact
        )

    def merge(self, kept: UUID | None = None, other: UUID | None = None) -> UUID:
        return merge_customers(
            self.session, self.location.id, kept or self.kept, other or self.other, actor=DESK
        )

    def bookings(self, customer_id: UUID) -> int:
        return len(bookings_of(self.session, self.location.id, customer_id))


@pytest.fixture
def pair(session: Session) -> Pair:
    location = a_location(session)
    cut = a_service(session, location, a_resource(session, location))
    kept = find_or_add(session, location.id, phone=WITH, name="Paula Menoni", email=None)
    other = find_or_add(session, location.id, phone=WITHOUT, name="Pauli", email="p@x.uy")
    pair = Pair(session, location, cut, kept, other)
    pair.book("10:00", WITH)
    pair.book("11:00", WITHOUT)
    return pair


def test_bookings_move_and_the_other_points_here(pair: Pair) -> None:
    assert pair.merge() == pair.kept

    assert (pair.bookings(pair.kept), pair.bookings(pair.other)) == (2, 0)
    other = get_customer(pair.session, pair.location.id, pair.other)
    assert (other.merged_into, other.phone) == (pair.kept, WITHOUT)
    assert absorbed_by(pair.session, pair.location.id, pair.kept) == [other]
    assert pair.session.scalars(
        select(Audit.action).where(Audit.subject_id == pair.kept)
    ).all() == ["customer.merged"]
    told = pair.session.scalar(select(Audit.detail).where(Audit.subject_id == pair.other))
    assert told == {"into": str(pair.kept), "name": "Pauli", "phone": WITHOUT, "bookings": 1}


def test_the_kept_one_gets_what_it_lacked(pair: Pair) -> None:
    session, location = pair.session, pair.location.id
    edit(session, location, pair.kept, Told("Paula Menoni", None, "Martes"), actor=DESK)
    edit(session, location, pair.other, Told("Pauli", "p@x.uy", "Con Lucía"), actor=DESK)
    block(session, location, pair.other, reason="Dos faltas", actor=DESK)

    pair.merge()

    kept = get_customer(session, location, pair.kept)
    assert (kept.name, kept.email, kept.notes) == ("Paula Menoni", "p@x.uy", "Martes\nCon Lucía")
    assert kept.blocked_reason == "Dos faltas"


def test_the_same_twice_and_the_other_way_round_is_harmless(pair: Pair) -> None:
    pair.merge()
    before = get_customer(pair.session, pair.location.id, pair.kept)

    assert pair.merge() == pair.kept
    assert pair.merge(pair.other, pair.kept) == pair.kept

    assert get_customer(pair.session, pair.location.id, pair.kept) == before
    lines = pair.session.scalars(select(Audit.id).where(Audit.action == "customer.merged")).all()
    assert len(lines) == 2


def test_a_chain_of_merges_leads_straight_to_the_last(pair: Pair) -> None:
    third = find_or_add(pair.session, pair.location.id, phone="+59899123456", name="P", email=None)
    pair.merge()

    assert pair.merge(third, pair.kept) == third

    for each in (pair.kept, pair.other):
        assert get_customer(pair.session, pair.location.id, each).merged_into == third
    assert pair.bookings(third) == 2
    assert pair.merge(pair.kept, pair.other) == third


def test_what_is_part_of_a_third_is_not_merged(pair: Pair) -> None:
    third = find_or_add(pair.session, pair.location.id, phone="+59899123456", name="P", email=None)
    pair.merge()

    for kept, other in ((third, pair.other), (pair.other, third)):
        with pytest.raises(CustomerMerged) as refusal:
            pair.merge(kept, other)
        assert refusal.value.facts == {"customer_id": str(pair.kept)}


def test_what_is_part_of_another_is_not_changed(pair: Pair) -> None:
    pair.merge()
    key = (pair.session, pair.location.id, pair.other)

    with pytest.raises(CustomerMerged):
        edit(*key, Told("x", None, ""), actor=DESK)
    with pytest.raises(CustomerMerged):
        block(*key, reason="x", actor=DESK)
    with pytest.raises(CustomerMerged):
        unblock(*key, actor=DESK)


def test_nothing_is_merged_with_itself_or_across_locations(pair: Pair) -> None:
    elsewhere = a_location(pair.session)
    theirs = find_or_add(pair.session, elsewhere.id, phone=WITH, name="Paula", email=None)

    with pytest.raises(InvalidFields):
        pair.merge(pair.kept, pair.kept)
    for other in (theirs, new_id()):
        with pytest.raises(NotFound):
            pair.merge(pair.kept, other)
        with pytest.raises(NotFound):
            pair.merge(other, pair.kept)


def test_the_old_phone_still_leads_to_the_person(pair: Pair) -> None:
    held = a_hold(
        pair.session,
        pair.location,
        pair.cut,
        at("2026-03-10 14:00"),
        contact=Contact(name="Paula", phone=WITHOUT),
    )
    moved = pair.book("15:00", WITHOUT)
    pair.merge()

    confirm(pair.session, pair.location.id, held.id, actor=DESK)
    reschedule(
        pair.session,
        pair.location.id,
        moved.id,
        starts_at=at("2026-03-10 16:00"),
        actor=DESK,
        now=at("2026-03-10 08:00"),
    )
    again = pair.book("12:00", WITHOUT)

    assert again.contact.customer_id == pair.kept
    assert pair.bookings(pair.kept) == 5
    assert pair.bookings(pair.other) == 0


def test_a_merged_record_is_found_as_the_one_that_stands(pair: Pair) -> None:
    pair.session.execute(
        update(Customer).where(Customer.id == pair.other).values(phone="+59899777888")
    )
    pair.merge()

    for typed in ("777888", "pauli", "menoni", ""):
        rows = find_customers(
            pair.session, pair.location.id, read_search(typed, "BR"), limit=8, best_first=True
        )
        assert [row.id for row in rows] == [pair.kept]
    kept = get_customer(pair.session, pair.location.id, pair.kept)
    assert likely_twins(pair.session, kept) == []
