import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.orm import Session

from app import create_app
from app.booking.errors import SlotTaken
from app.config import Config
from app.errors import NotFound
from app.extensions import TRIES, Busy, db, transact
from app.ids import new_id
from tests.conftest import redis_url

pytestmark = pytest.mark.usefixtures("real_app")

_INSERT = text("""
    INSERT INTO location (id, name, slug, timezone, currency, country)
    VALUES (:id, 'Ceibo', :slug, 'America/Sao_Paulo', 'BRL', 'BR')
""")

_SLUGS = "SELECT slug FROM location ORDER BY slug"


def add(session: Session, slug: str) -> None:
    session.execute(_INSERT, {"id": new_id(), "slug": slug})


def committed() -> list[str]:
    """What another connection sees."""
    with db.engine.connect() as connection:
        return list(connection.scalars(text(_SLUGS)))


def fails_with(state: str, *, times: int) -> tuple[Callable[[Session], int], list[int]]:
    """Work that writes, and whose first tries end with an error of the database itself."""
    tries: list[int] = []

    def work(session: Session) -> int:
        tries.append(len(tries) + 1)
        add(session, f"try-{len(tries)}")
        if len(tries) <= times:
            session.execute(text(f"DO $$ BEGIN RAISE 'no' USING ERRCODE = '{state}'; END $$"))
        return len(tries)

    return work, tries


def test_work_that_ends_is_committed_and_its_result_given() -> None:
    work, _ = fails_with("", times=0)

    assert transact(work) == 1
    assert committed() == ["try-1"]


@pytest.mark.parametrize("state", ["40P01", "40001", "23505"])
def test_work_is_tried_again_when_the_database_asks_for_it(state: str) -> None:
    work, _ = fails_with(state, times=2)

    assert transact(work) == 3
    assert committed() == ["try-3"]


@pytest.mark.parametrize("state", ["40P01", "40001"])
def test_work_that_never_gets_through_is_busy(state: str) -> None:
    work, tries = fails_with(state, times=99)

    with pytest.raises(Busy):
        transact(work)

    assert len(tries) == TRIES
    assert committed() == []


def test_a_row_that_is_always_there_stays_our_fault() -> None:
    work, tries = fails_with("23505", times=99)

    with pytest.raises(IntegrityError):
        transact(work)

    assert len(tries) == TRIES


def test_the_loser_of_a_race_reads_what_the_winner_wrote() -> None:
    met: list[str] = []

    def have(session: Session) -> str:
        known = session.scalar(text(_SLUGS))
        met.append(known or "nothing")
        if known is None:
            with db.engine.begin() as rival:
                rival.execute(_INSERT, {"id": new_id(), "slug": "ceibo"})
            add(session, "ceibo")
        return "had"

    assert transact(have) == "had"
    assert met == ["nothing", "ceibo"]
    assert committed() == ["ceibo"]


def test_two_that_wait_for_each_other_both_get_through(real_app: Flask) -> None:
    """A real deadlock: the database ends one of the two, which then runs again."""
    with db.engine.begin() as connection:
        for slug in ("a", "b"):
            connection.execute(_INSERT, {"id": new_id(), "slug": slug})
    rename = text("UPDATE location SET name = name || '+' WHERE slug = :slug")
    both_hold_one = threading.Barrier(2)
    tries: list[str] = []

    def run(first: str, second: str) -> None:
        def work(session: Session) -> None:
            tries.append(first)
            session.execute(rename, {"slug": first})
            if tries.count(first) == 1:
                both_hold_one.wait(timeout=5)
            session.execute(rename, {"slug": second})

        with real_app.app_context():
            transact(work)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(run, "a", "b"), pool.submit(run, "b", "a")]:
            done.result()

    with db.engine.connect() as connection:
        assert list(connection.scalars(text("SELECT name FROM location"))) == ["Ceibo++"] * 2
    assert len(tries) == 3


def test_a_refusal_takes_everything_back() -> None:
    def work(session: Session) -> None:
        add(session, "ceibo")
        raise NotFound

    with pytest.raises(NotFound):
        transact(work)

    assert committed() == []


def test_a_refusal_with_a_remedy_gets_it_and_another_try() -> None:
    def work(session: Session) -> str:
        if "helped" in session.scalars(text("SELECT slug FROM location")).all():
            return "done"
        add(session, "undone")
        raise curable

    curable = SlotTaken()
    curable.remedy = lambda session: add(session, "helped")

    assert transact(work) == "done"
    assert committed() == ["helped"]


def test_a_remedy_that_does_not_help_is_tried_three_times() -> None:
    tries: list[str] = []

    def work(_: Session) -> None:
        tries.append("work")
        raise hopeless

    hopeless = SlotTaken()
    hopeless.remedy = lambda _: tries.append("remedy")

    with pytest.raises(SlotTaken):
        transact(work)

    assert tries == ["work"] + 3 * ["remedy", "work"]


def test_a_fault_takes_everything_back_and_is_not_tried_again() -> None:
    tries: list[int] = []

    def work(session: Session) -> None:
        tries.append(1)
        add(session, "ceibo")
        session.execute(text("SELECT 1 / 0"))

    with pytest.raises(DataError):
        transact(work)
    with pytest.raises(KeyboardInterrupt):
        transact(lambda session: (_ for _ in ()).throw(KeyboardInterrupt))

    assert tries == [1]
    assert committed() == []


def test_a_lock_held_too_long_is_busy_and_not_waited_for_again() -> None:
    with db.engine.begin() as connection:
        connection.execute(_INSERT, {"id": new_id(), "slug": "ceibo"})
    tries: list[int] = []

    def work(session: Session) -> None:
        tries.append(1)
        session.execute(text("SET LOCAL lock_timeout = '30ms'"))
        session.execute(text("UPDATE location SET name = 'Otro'"))

    with db.engine.begin() as holder:
        holder.execute(text("SELECT 1 FROM location FOR UPDATE"))
        with pytest.raises(Busy):
            transact(work)

    assert tries == [1]


def test_a_statement_that_takes_too_long_is_busy() -> None:
    def work(session: Session) -> None:
        session.execute(text("SET LOCAL statement_timeout = '30ms'"))
        session.execute(text("SELECT pg_sleep(5)"))

    with pytest.raises(Busy):
        transact(work)


def test_a_connection_that_dies_is_busy_and_the_next_one_works() -> None:
    def work(session: Session) -> None:
        own = session.scalar(text("SELECT pg_backend_pid()"))
        with db.engine.connect() as other, suppress(Exception):
            other.execute(text("SELECT pg_terminate_backend(:own)"), {"own": own})
        session.execute(text("SELECT 1"))

    with pytest.raises(Busy):
        transact(work)

    assert transact(lambda session: session.scalar(text("SELECT 1"))) == 1


def test_no_free_connection_is_busy(real_app: Flask) -> None:
    config: Config = real_app.extensions["firme_config"]
    small = create_app(replace(config, pool_size=1, pool_overflow=0, pool_wait_seconds=0))
    with small.app_context():
        with db.engine.connect(), pytest.raises(Busy):
            transact(lambda session: session.scalar(text("SELECT 1")))
        db.engine.dispose()


def test_a_database_that_is_away_is_busy(database_url: str) -> None:
    away = create_app(
        Config(
            database_url=database_url.replace("/firme_test_", "/no_such_database_"),
            redis_url=redis_url(),
            secret_key="a key that only tests know, long enough",
        )
    )

    with away.app_context(), pytest.raises(Busy):
        transact(lambda session: session.execute(text("SELECT 1")))
