"""The servers that the tests run on: started by pytest's controller, shared with its workers.

The controller calls `start_test_server()` and `start_test_valkey()` in `pytest_configure` and
`stop_test_servers()` in `pytest_unconfigure`; the workers inherit FIRME_TEST_PG and
FIRME_TEST_REDIS and get the same answers from the same calls. The files stay in var/test-pg for the
next run. Runs at the same time take var/test-pg-2 and so on.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import psycopg
from psycopg import sql

from app.devservices.errors import CannotStart
from app.devservices.postgres import PostgresServer
from app.devservices.processes import FolderLock, make_private
from app.devservices.stores import data_folder
from app.devservices.valkey import ValkeyServer

PREFIX = "firme_test_"
MOST_RUNS_AT_ONCE = 20

_stops: list[Callable[[], None]] = []


def start_test_server() -> str:
    """The URL of a maintenance database, as a role that may CREATE DATABASE; idempotent.

    TEST_DATABASE_URL replaces the server. On our own, databases that an earlier run left behind
    and whose names start with `firme_test_` are dropped first; any other is kept (a template, say).
    Nothing survives a power cut: fsync is off.
    """
    known = os.environ.get("TEST_DATABASE_URL") or os.environ.get("FIRME_TEST_PG")
    if known:
        return known
    folder = _claim_folder("test-pg")
    server = PostgresServer(folder, durable=False)
    try:
        server.start()
    except CannotStart:
        shutil.rmtree(folder / "files", ignore_errors=True)  # a power cut; there is nothing to keep
        server.start()
    _on_stop(server.stop)
    _drop_leftovers(server.maintenance_url)
    os.environ["FIRME_TEST_PG"] = server.maintenance_url
    return server.maintenance_url


def start_test_valkey() -> str:
    """The URL of an empty Redis-compatible server that writes nothing to disk; idempotent.

    TEST_REDIS_URL replaces it.
    """
    known = os.environ.get("TEST_REDIS_URL") or os.environ.get("FIRME_TEST_REDIS")
    if known:
        return known
    server = ValkeyServer(_claim_folder("test-valkey"), durable=False)
    server.start()
    _on_stop(server.stop)
    os.environ["FIRME_TEST_REDIS"] = server.url
    return server.url


def stop_test_servers() -> None:
    """Stop what this process started; idempotent, and called at exit anyway."""
    while _stops:
        _stops.pop()()
    os.environ.pop("FIRME_TEST_PG", None)
    os.environ.pop("FIRME_TEST_REDIS", None)


def _on_stop(stop: Callable[[], None]) -> None:
    if not _stops:
        atexit.register(stop_test_servers)
    _stops.append(stop)


def _claim_folder(name: str) -> Path:
    """A folder that no other running test session uses, the same one each time if possible."""
    root = data_folder()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            pass
    except OSError:
        root = Path(tempfile.gettempdir()) / f"firme-tests-{os.getuid()}"
        make_private(root)
    for number in range(1, MOST_RUNS_AT_ONCE + 1):
        folder = make_private(root / (name if number == 1 else f"{name}-{number}"))
        lock = FolderLock(folder / "session")
        if lock.take():
            _on_stop(lock.release)
            return folder
    raise CannotStart(f"{MOST_RUNS_AT_ONCE} test runs use {root} already: wait for one to end.")


def _drop_leftovers(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        names = connection.execute(
            "SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [PREFIX]
        ).fetchall()
        for (name,) in names:
            statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            connection.execute(statement.format(sql.Identifier(name)))
