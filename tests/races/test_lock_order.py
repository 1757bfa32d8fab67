"""Everything at once on two resources and a pool: nobody may wait in a circle."""

import random
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from app import extensions
from app.booking.expiry import expire_due
from app.checkout import actions
from app.database import sqlstate
from app.errors import DomainError
from app.extensions import db, transact
from tests.factories import BOT, a_location, a_resource, a_service
from tests.races.conftest import Arena
from tests.races.scenes import Scene

CALLERS, ROUNDS = 8, 25


@pytest.fixture
def retried(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """What the database made the door run again for; callers never see it."""
    states: list[str | None] = []

    def note(error: BaseException) -> str | None:
        states.append(sqlstate(error))
        return states[-1]

    monkeypatch.setattr(extensions, "sqlstate", note)
    return states


def test_holds_moves_expiries_and_cancels_never_wait_in_a_circle(
    arena: Arena, next_week: datetime, retried: list[str | None]
) -> None:
    session = db.session()
    location = a_location(session)
    person, bed = a_resource(session, location), a_resource(session, location, capacity=2)
    scene = Scene(location, a_service(session, location, person, bed))
    session.rollback()

    def act(number: int) -> str:
        dice = random.Random(number)
        for _ in range(ROUNDS):
            if number == 0:
                transact(expire_due)
            with suppress(DomainError):
                live_through_one(scene, next_week, dice)
        return "done"

    assert arena.race(CALLERS, act) == {"done": CALLERS}
    assert arena.faults() == []
    assert retried == []


def live_through_one(scene: Scene, first: datetime, dice: random.Random) -> None:
    """Hold, move, and then let it lapse or cancel it."""
    held = scene.hold(first + timedelta(hours=dice.randrange(4)))
    aim = first + timedelta(hours=dice.randrange(4))
    with suppress(DomainError):
        held = transact(
            lambda session: actions.reschedule(
                session, scene.location.id, held.id, starts_at=aim, actor=BOT, now=datetime.now(UTC)
            )
        )
    if dice.random() < 0.5:
        transact(lambda s: actions.cancel(s, scene.location.id, held.id, actor=BOT))
        return
    lapse = text("UPDATE booking SET expires_at = clock_now() WHERE id = :id AND status = 'held'")
    transact(lambda session: session.execute(lapse, {"id": held.id}))
