from collections import Counter
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from app.booking import allocation
from app.booking.actions import place_hold
from app.catalog.models import Location, Service
from app.extensions import db, transact
from tests.factories import BOT, a_location, a_resource, a_service, a_wish
from tests.races.conftest import Arena

CALLERS = 12


def hold(location: Location, service: Service, starts_at: datetime, **wish: object) -> str:
    transact(
        lambda session: place_hold(
            session,
            a_wish(location, service, starts_at, **wish),
            actor=BOT,
            now=datetime.now(UTC),
        )
    )
    return "held"


def scene(*, people: int) -> tuple[Location, Service]:
    session = db.session()
    location = a_location(session)
    team = [a_resource(session, location, f"R{n}") for n in range(1, people + 1)]
    service = a_service(session, location, team)
    return location, service


def test_one_caller_gets_the_slot(arena: Arena, tomorrow: datetime) -> None:
    """A01: parallel holds of one slot; one wins, the others are told it is taken."""
    location, service = scene(people=1)

    met = arena.race(CALLERS, lambda _: hold(location, service, tomorrow))

    assert met == {"held": 1, "slot_taken": CALLERS - 1}
    assert arena.faults() == []


def test_this_test_would_notice_if_the_constraint_were_gone(
    arena: Arena, tomorrow: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    location, service = scene(people=1)
    unguarded = text(str(allocation._TAKE).replace("FOR NO KEY UPDATE OF r", ""))
    monkeypatch.setattr(allocation, "_TAKE", unguarded)

    with arena.without(
        "ALTER TABLE allocation DROP CONSTRAINT ex_allocation_no_overlap",
        restore=("TRUNCATE booking, allocation CASCADE", NO_OVERLAP),
    ):
        met = arena.race(CALLERS, lambda _: hold(location, service, tomorrow))
        faults = arena.faults()

    assert met["held"] > 1
    assert any("two live bookings" in fault for fault in faults)


NO_OVERLAP = """
    ALTER TABLE allocation ADD CONSTRAINT ex_allocation_no_overlap EXCLUDE USING gist
        (location_id WITH =, resource_id WITH =, during WITH &&)
        WHERE (active AND kind = 'exclusive')
"""


def test_any_professional_spreads_over_all_of_them(arena: Arena, tomorrow: datetime) -> None:
    """P03: eight callers and ten free professionals; then more callers than places."""
    location, service = scene(people=10)

    first = arena.race(8, lambda _: hold(location, service, tomorrow))
    taken = db.session.scalars(text("SELECT DISTINCT resource_id FROM allocation")).all()
    db.session.rollback()
    second = arena.race(CALLERS, lambda _: hold(location, service, tomorrow))

    assert first == {"held": 8}
    assert len(taken) == 8
    assert second == {"held": 2, "slot_taken": CALLERS - 2}
    assert arena.faults() == []


def test_two_resources_in_mixed_order_never_deadlock(arena: Arena, tomorrow: datetime) -> None:
    """A09: holds of two resources, asked for in either order."""
    session = db.session()
    location = a_location(session)
    lucia, room = (a_resource(session, location, name) for name in ("Lucía", "Sala"))
    one_way = a_service(session, location, lucia, room)
    other_way = a_service(session, location, room, lucia)

    met: Counter[str] = Counter()
    for _ in range(10):
        met += arena.race(CALLERS, lambda n: hold(location, (one_way, other_way)[n % 2], tomorrow))

    assert met == {"held": 1, "slot_taken": 10 * CALLERS - 1}
    assert arena.faults() == []
