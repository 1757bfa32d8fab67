"""P01: a confirm at the last moment, while others take the slot."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from app.booking import allocation, holds, queries
from app.booking.expiry import expire_due
from app.checkout import actions
from app.extensions import db, transact
from tests.factories import DESK
from tests.races.conftest import Arena
from tests.races.scenes import Scene, a_scene

ROUNDS = 400
TAKERS = 8


def lapse_in(booking_id: UUID, milliseconds: float) -> None:
    """Let a hold lapse soon; only tests shorten one."""
    db.session.execute(
        text("UPDATE booking SET expires_at = clock_now() + :rest WHERE id = :id"),
        {"rest": timedelta(milliseconds=milliseconds), "id": booking_id},
    )
    db.session.commit()


def play(
    arena: Arena, scene: Scene, starts_at: datetime, *, rest: float, margin: float
) -> Counter[str]:
    """One caller confirms ``margin`` ms before the hold lapses, the others want its slot then."""
    mine = scene.hold(starts_at)
    lapse_in(mine.id, rest + margin)
    begun = time.monotonic()

    def act(number: int) -> str:
        due = begun + (rest + (0 if number == 0 else margin)) / 1000
        time.sleep(max(0.0, due - time.monotonic()))
        if number == 0:
            scene.confirm(mine.id)
            return "confirmed"
        scene.hold(starts_at)
        return "held"

    return arena.race(1 + TAKERS, act)


def free(scene: Scene, starts_at: datetime) -> None:
    owner = db.session.scalar(
        text("SELECT id FROM booking WHERE starts_at = :start AND status IN ('held', 'confirmed')"),
        {"start": starts_at},
    )
    db.session.rollback()
    transact(lambda s: actions.cancel(s, scene.location.id, owner, actor=DESK))


def test_every_round_has_exactly_one_owner(arena: Arena, next_week: datetime) -> None:
    scene = a_scene()
    owners: Counter[str] = Counter()
    for number in range(ROUNDS):
        margin = 80 if number % 8 == 0 else 5  # on a busy machine 5 ms are often too few
        met = play(arena, scene, next_week, rest=number % 12, margin=margin)
        assert met["confirmed"] + met["held"] == 1, met
        assert met["slot_taken"] + met["hold_expired"] == TAKERS, met
        owners["confirmed" if met["confirmed"] else "held"] += 1
        free(scene, next_week)

    assert min(owners["confirmed"], owners["held"]) > 0, owners
    assert arena.faults() == []


def confirm_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a confirm pause between its look at the hold and its write, so that rivals get in."""
    look = holds.check_standing

    def look_and_pause(*arguments: object) -> None:
        look(*arguments)  # type: ignore[arg-type]
        time.sleep(1.2)

    monkeypatch.setattr(holds, "check_standing", look_and_pause)


def confirm_while_taken(arena: Arena, scene: Scene, starts_at: datetime) -> Counter[str]:
    mine = scene.hold(starts_at)
    lapse_in(mine.id, 500)

    def act(number: int) -> str:
        if number == 0:
            scene.confirm(mine.id)
            return "confirmed"
        time.sleep(0.8)
        scene.hold(starts_at)
        return "held"

    return arena.race(3, act)


def test_a_slow_confirm_keeps_what_it_saw(
    arena: Arena, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = a_scene()
    confirm_slowly(monkeypatch)

    assert confirm_while_taken(arena, scene, next_week) == {"confirmed": 1, "slot_taken": 2}
    assert arena.faults() == []


def test_a_confirm_that_comes_too_late_keeps_nobody_out(
    arena: Arena, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the row while it looks; who wants the slot waits, instead of hearing it is taken."""
    scene = a_scene()
    mine = scene.hold(next_week)
    lapse_in(mine.id, 0)
    look = holds.check_standing

    def pause_and_look(*arguments: object) -> None:
        time.sleep(0.15)
        look(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(holds, "check_standing", pause_and_look)

    def act(number: int) -> str:
        if number == 0:
            scene.confirm(mine.id)
            return "confirmed"
        time.sleep(0.05)
        scene.hold(next_week)
        return "held"

    assert arena.race(3, act) == {"hold_expired": 1, "held": 1, "slot_taken": 1}
    assert arena.faults() == []


def test_the_twin_without_the_row_lock_gives_the_slot_to_two(
    arena: Arena, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = a_scene()
    confirm_slowly(monkeypatch)
    unguarded = text(str(queries._LOCKED).replace("FOR UPDATE OF b", ""))
    monkeypatch.setattr(queries, "_LOCKED", unguarded)

    met = confirm_while_taken(arena, scene, next_week)

    assert met == {"confirmed": 1, "held": 1, "slot_taken": 1}
    assert arena.faults() != []


def test_two_sweeps_and_a_new_hold_expire_a_hold_once(arena: Arena, next_week: datetime) -> None:
    """B06: one event and one audit row, however many look at the same moment."""
    scene = a_scene()
    late = scene.hold(next_week)
    lapse_in(late.id, 0)

    def act(number: int) -> str:
        if number % 2:
            scene.hold(next_week)
            return "held"
        transact(expire_due)
        return "swept"

    met = arena.race(8, act)

    assert (met["held"], met["slot_taken"], met["swept"]) == (1, 3, 4)
    counts = [
        db.session.scalar(text(question), {"id": late.id})
        for question in (
            "SELECT count(*) FROM outbox WHERE booking_id = :id AND kind = 'booking.expired'",
            "SELECT count(*) FROM audit WHERE subject_id = :id AND action = 'booking.expired'",
        )
    ]
    db.session.rollback()
    assert counts == [1, 1]
    assert arena.faults() == []


def test_two_confirms_at_once_happen_once(arena: Arena, next_week: datetime) -> None:
    """A04: both are answered with the booking; one event."""
    scene = a_scene()
    mine = scene.hold(next_week)

    met = arena.race(8, lambda _: str(scene.confirm(mine.id).version))

    assert met == {"2": 8}
    told = db.session.scalar(text("SELECT count(*) FROM outbox WHERE kind = 'booking.confirmed'"))
    db.session.rollback()
    assert told == 1


def test_two_moves_of_one_booking_make_one_new_one(arena: Arena, next_week: datetime) -> None:
    scene = a_scene(people=3)
    mine = scene.confirm(scene.hold(next_week).id)

    def act(number: int) -> str:
        transact(
            lambda session: actions.reschedule(
                session,
                scene.location.id,
                mine.id,
                starts_at=next_week + timedelta(hours=1 + number % 2),
                actor=DESK,
                now=datetime.now(UTC),
            )
        )
        return "moved"

    assert arena.race(6, act) == {"moved": 1, "already_rescheduled": 5}
    assert arena.faults() == []


def test_what_a_sweep_frees_between_two_looks_is_taken(
    arena: Arena, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slot is in the way of the first look, and free when asked what is in the way."""
    scene = a_scene()
    lapse_in(scene.hold(next_week).id, 0)
    look = allocation.is_lapsed_in_the_way

    def sweep_first(*arguments: Any, **named: Any) -> bool:
        with ThreadPoolExecutor(1) as other:
            other.submit(sweep, arena).result()
        return look(*arguments, **named)

    monkeypatch.setattr(allocation, "is_lapsed_in_the_way", sweep_first)

    assert scene.hold(next_week).status == "held"
    assert arena.faults() == []


def sweep(arena: Arena) -> None:
    with arena.app.app_context():
        transact(expire_due)
