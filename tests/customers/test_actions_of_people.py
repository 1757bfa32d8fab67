"""What a person changes in a customer's record: told, blocked, allowed again."""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.models import Location
from app.customers.actions import Told, block, edit, find_or_add, unblock
from app.customers.errors import StaleCustomer
from app.customers.queries import CustomerView, get_customer
from app.errors import NotFound
from app.events import Audit
from app.ids import new_id
from tests.conftest import OPENING
from tests.factories import DESK, a_location

TOLD = Told("Ana Núñez", "ana@x.uy", "Alérgica al amoníaco")


@pytest.fixture
def location(session: Session) -> Location:
    return a_location(session)


@pytest.fixture
def ana(session: Session, location: Location) -> UUID:
    return find_or_add(session, location.id, phone="+59899123456", name="Ana", email=None)


def see(session: Session, location: Location, customer_id: UUID) -> CustomerView:
    return get_customer(session, location.id, customer_id)


def trail(session: Session, customer_id: UUID) -> list[tuple[str, str, dict[str, Any]]]:
    rows = session.scalars(select(Audit).where(Audit.subject_id == customer_id).order_by(Audit.id))
    return [(row.action, row.actor, row.detail) for row in rows]


def test_what_is_told_is_kept_with_what_was_before(
    session: Session, location: Location, ana: UUID
) -> None:
    edit(session, location.id, ana, TOLD, actor=DESK, version=1)

    seen = see(session, location, ana)
    assert (seen.name, seen.email, seen.notes, seen.version) == (
        "Ana Núñez",
        "ana@x.uy",
        "Alérgica al amoníaco",
        2,
    )
    assert trail(session, ana) == [
        (
            "customer.edited",
            "Rocío",
            {
                "name": {"before": "Ana", "after": "Ana Núñez"},
                "email": {"before": None, "after": "ana@x.uy"},
                "notes": {"before": "", "after": "Alérgica al amoníaco"},
            },
        )
    ]


def test_the_same_twice_is_written_once(session: Session, location: Location, ana: UUID) -> None:
    for _ in range(2):
        edit(session, location.id, ana, TOLD, actor=DESK)

    assert see(session, location, ana).version == 2
    assert len(trail(session, ana)) == 1


def test_an_older_page_changes_nothing(session: Session, location: Location, ana: UUID) -> None:
    edit(session, location.id, ana, TOLD, actor=DESK, version=1)

    with pytest.raises(StaleCustomer):
        edit(session, location.id, ana, Told("Otra", None, ""), actor=DESK, version=1)
    with pytest.raises(StaleCustomer):
        block(session, location.id, ana, reason="x", actor=DESK, version=1)

    assert see(session, location, ana).name == "Ana Núñez"


def test_a_block_says_why_who_and_when(session: Session, location: Location, ana: UUID) -> None:
    for reason in ("Dos faltas", "Otra vez"):
        block(session, location.id, ana, reason=reason, actor=DESK)

    seen = see(session, location, ana)
    assert seen.is_blocked
    assert (seen.blocked_reason, seen.blocked_by) == ("Dos faltas", "Rocío")
    assert seen.blocked_at is not None
    assert abs((seen.blocked_at - OPENING).total_seconds()) < 60
    assert trail(session, ana) == [("customer.blocked", "Rocío", {"reason": "Dos faltas"})]


def test_a_block_is_taken_away_once(session: Session, location: Location, ana: UUID) -> None:
    block(session, location.id, ana, reason="Dos faltas", actor=DESK)

    for _ in range(2):
        unblock(session, location.id, ana, actor=DESK)

    assert not see(session, location, ana).is_blocked
    assert [action for action, _, _ in trail(session, ana)] == [
        "customer.blocked",
        "customer.unblocked",
    ]


def test_nobody_is_changed_from_another_location(
    session: Session, location: Location, ana: UUID
) -> None:
    other = a_location(session)

    for wanted, place in ((ana, other.id), (new_id(), location.id)):
        with pytest.raises(NotFound):
            edit(session, place, wanted, TOLD, actor=DESK)
        with pytest.raises(NotFound):
            block(session, place, wanted, reason="x", actor=DESK)
        with pytest.raises(NotFound):
            unblock(session, place, wanted, actor=DESK)


def test_a_gap_that_was_filled_meanwhile_is_not_emptied_again(
    session: Session, location: Location, ana: UUID
) -> None:
    find_or_add(session, location.id, phone="+59899123456", name="Otra", email=None)
    assert see(session, location, ana).version == 1

    find_or_add(session, location.id, phone="+59899123456", name=None, email="ana@x.uy")

    with pytest.raises(StaleCustomer):
        edit(session, location.id, ana, Told("Ana", None, "Nota"), actor=DESK, version=1)
    assert see(session, location, ana).email == "ana@x.uy"
