import time
from collections import Counter
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking import allocation, idempotency
from app.booking.idempotency import Answer, RequestKey, once
from app.checkout.actions import place_hold
from app.extensions import db, transact
from tests.factories import BOT, a_location, a_resource, a_service, a_wish
from tests.races.conftest import Arena
from tests.races.scenes import Scene, a_scene

CALLERS = 12

NO_OVERLAP = """
    ALTER TABLE allocation ADD CONSTRAINT ex_allocation_no_overlap EXCLUDE USING gist
        (location_id WITH =, resource_id WITH =, during WITH &&)
        WHERE (active AND kind = 'exclusive')
"""

NEVER_OVER = """
    ALTER TABLE pool_usage ADD CONSTRAINT ck_pool_usage_never_over
        CHECK (used BETWEEN 0 AND capacity)
"""


def held(scene: Scene, starts_at: datetime, **wish: object) -> str:
    scene.hold(starts_at, **wish)
    return "held"


def test_one_caller_gets_the_slot(arena: Arena, next_week: datetime) -> None:
    """A01, A02: parallel holds of one slot; one wins, the others are told it is taken."""
    scene = a_scene()

    met = arena.race(CALLERS, lambda _: held(scene, next_week))

    assert met == {"held": 1, "slot_taken": CALLERS - 1}
    assert arena.faults() == []


def test_this_test_would_notice_if_the_constraint_were_gone(
    arena: Arena, next_week: datetime
) -> None:
    scene = a_scene()

    with arena.without(
        "ALTER TABLE allocation DROP CONSTRAINT ex_allocation_no_overlap",
        restore=(
            "ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only",
            "TRUNCATE booking, allocation CASCADE",
            "ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_append_only",
            NO_OVERLAP,
        ),
    ):
        met = arena.race(CALLERS, lambda _: held(scene, next_week))
        faults = arena.faults()

    assert met["held"] > 1
    assert any("two live bookings" in fault for fault in faults)


def test_any_professional_spreads_over_all_of_them(arena: Arena, next_week: datetime) -> None:
    """P03, A05: eight callers and ten free professionals; then more callers than places."""
    scene = a_scene(people=10)

    first = arena.race(8, lambda _: held(scene, next_week))
    taken = db.session.scalars(text("SELECT DISTINCT resource_id FROM allocation")).all()
    db.session.rollback()
    second = arena.race(CALLERS, lambda _: held(scene, next_week))

    assert first == {"held": 8}
    assert len(taken) == 8
    assert second == {"held": 2, "slot_taken": CALLERS - 2}
    assert arena.faults() == []


def test_a_pool_sells_its_places_and_not_one_more(arena: Arena, next_week: datetime) -> None:
    scene = a_scene(capacity=5)

    met = arena.race(CALLERS, lambda _: held(scene, next_week))

    assert met == {"held": 5, "slot_taken": CALLERS - 5}
    assert arena.faults() == []


def test_the_pool_s_twin_without_the_atomic_check_oversells(
    arena: Arena, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = a_scene(capacity=5)
    unguarded = (
        str(allocation._TAKE_ALL)
        .replace("WHERE p.used + excluded.used <= excluded.capacity", "")
        .replace("FOR NO KEY UPDATE OF r", "")
    )
    monkeypatch.setattr(allocation, "_TAKE_ALL", text(unguarded))

    with arena.without(
        "ALTER TABLE pool_usage DROP CONSTRAINT ck_pool_usage_never_over",
        restore=(
            "TRUNCATE pool_usage",
            NEVER_OVER,
        ),
    ):
        met = arena.race(CALLERS, lambda _: held(scene, next_week))

    assert met["held"] == CALLERS


def test_two_resources_in_mixed_order_never_deadlock(arena: Arena, next_week: datetime) -> None:
    """A09: holds of two resources, asked for in either order."""
    session = db.session()
    location = a_location(session)
    lucia, room = (a_resource(session, location, name) for name in ("Lucía", "Sala"))
    scenes = [
        Scene(location, a_service(session, location, *needs))
        for needs in ((lucia, room), (room, lucia))
    ]
    session.rollback()

    met: Counter[str] = Counter()
    for _ in range(10):
        met += arena.race(CALLERS, lambda number: held(scenes[number % 2], next_week))

    assert met == {"held": 1, "slot_taken": 10 * CALLERS - 1}
    assert arena.faults() == []


def test_one_key_makes_one_booking(arena: Arena, next_week: datetime) -> None:
    """A15, H10: the same request many times at once; every caller reads the same answer."""
    scene = a_scene(people=10)
    key = RequestKey.of(
        scene.location.id, client="bot", call="POST /holds", key=str(uuid4()), body={}
    )

    def work_in(session: Session) -> Answer:
        def work() -> Answer:
            wish = a_wish(scene.location, scene.service, next_week, request_key=key.digest)
            booking = place_hold(session, wish, actor=BOT, now=datetime.now(UTC))
            return Answer(201, {"id": str(booking.id)})

        return once(session, key, work)

    def ask(_: int) -> str:
        return str(transact(work_in).body["id"])

    met = arena.race(CALLERS, ask)

    assert list(met.values()) == [CALLERS]
    assert db.session.scalar(text("SELECT count(*) FROM booking")) == 1
    db.session.rollback()
    assert arena.faults() == []


def test_a_second_request_waits_for_the_first_with_its_key(
    arena: Arena, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits, and when the first takes too long it is told to come again."""
    scene = a_scene()
    monkeypatch.setattr(
        idempotency, "_WAIT", (text("SET LOCAL lock_timeout = '300ms'"), *idempotency._WAIT[1:])
    )
    keys = [
        RequestKey.of(scene.location.id, client="bot", call="POST /holds", key=name, body={})
        for name in ("quick", "slow")
    ]

    def act(number: int) -> str:
        key, pause = keys[number // 2], (0.1, 0.8)[number // 2]

        def work() -> Answer:
            time.sleep(pause)
            return Answer(201, {"by": number})

        if number % 2:
            time.sleep(0.05)
        return str(transact(lambda session: once(session, key, work)).is_replayed)

    assert arena.race(4, act) == {"False": 2, "True": 1, "idempotency_key_in_use": 1}
