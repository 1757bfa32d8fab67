import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from flask import Flask
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.customers.actions import find_or_add
from app.customers.models import Customer
from app.extensions import db, transact
from app.ids import new_id
from tests.factories import a_location

PHONE = "+59899123456"


def known(session: Session) -> list[tuple[str, str | None, str | None]]:
    rows = session.scalars(select(Customer).order_by(Customer.id)).all()
    session.expire_all()
    return [(row.name, row.phone, row.email) for row in rows]


def test_the_first_visit_makes_the_record(session: Session) -> None:
    location = a_location(session)

    find_or_add(session, location.id, phone=PHONE, name="Ana", email="ana@x.uy")

    assert known(session) == [("Ana", PHONE, "ana@x.uy")]


def test_who_comes_again_is_the_same_and_keeps_their_name(session: Session) -> None:
    """H05: what is known is never overwritten by what a caller types."""
    location = a_location(session)
    first = find_or_add(session, location.id, phone=PHONE, name="Ana", email="ana@x.uy")

    again = find_or_add(session, location.id, phone=PHONE, name="Mallory", email="m@x.uy")
    nameless = find_or_add(session, location.id, phone=PHONE, name=None, email=None)

    assert first == again == nameless
    assert known(session) == [("Ana", PHONE, "ana@x.uy")]


def test_gaps_are_filled(session: Session) -> None:
    location = a_location(session)
    find_or_add(session, location.id, phone=PHONE, name=None, email=None)

    find_or_add(session, location.id, phone=PHONE, name="Ana", email=None)
    find_or_add(session, location.id, phone=PHONE, name="Otra", email="ana@x.uy")

    assert known(session) == [("Ana", PHONE, "ana@x.uy")]


def test_each_location_knows_its_own_customers(session: Session) -> None:
    first, second = a_location(session), a_location(session)

    ours = find_or_add(session, first.id, phone=PHONE, name="Ana", email=None)
    theirs = find_or_add(session, second.id, phone=PHONE, name="Ana María", email=None)

    assert ours != theirs
    assert [name for name, _, _ in known(session)] == ["Ana", "Ana María"]


def test_customers_without_a_phone_are_not_taken_for_one(session: Session) -> None:
    location = a_location(session)

    session.add_all(Customer(location_id=location.id, id=new_id()) for _ in range(2))
    session.flush()

    assert len(known(session)) == 2


def test_two_at_once_are_one_customer(real_app: Flask) -> None:
    location = a_location(db.session())
    barrier = threading.Barrier(4)

    def come(number: int) -> UUID:
        with real_app.app_context():
            db.session.connection()
            barrier.wait(timeout=5)
            return transact(
                lambda session: find_or_add(
                    session, location.id, phone=PHONE, name=f"Ana {number}", email=None
                )
            )

    with ThreadPoolExecutor(4) as pool:
        met = set(pool.map(come, range(4)))

    assert len(met) == 1
    assert db.session.scalar(select(func.count()).select_from(Customer)) == 1
