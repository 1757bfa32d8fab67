import hashlib
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from alembic import command
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Connection, Engine, create_engine, make_url, text
from sqlalchemy.orm import Session
from werkzeug.serving import make_server

from app import create_app
from app.cli.database import alembic_config
from app.config import Config
from app.devservices.catalogues import compile_stale
from app.devservices.testing import start_test_server, start_test_valkey, stop_test_servers
from app.extensions import db, limiter
from app.tables import METADATA

ROOT = Path(__file__).parent.parent
OPENING = datetime(2026, 3, 10, 11, 0, tzinfo=UTC)
"""Tuesday, 08:00 in Sao Paulo: an hour before the fixture's business opens."""


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        compile_stale(ROOT / "app" / "translations")
        start_test_server()
        start_test_valkey()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        stop_test_servers()


def redis_url(use: int = 0) -> str:
    """The URL of a Redis database that only this test process uses, one for each ``use`` (0-3)."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 4
    server, _, query = start_test_valkey().partition("?")
    kept = [part for part in query.split("&") if part and not part.startswith("db=")]
    return f"{server}?{'&'.join([*kept, f'db={4 * worker + use}'])}"


def _config(database_url: str) -> Config:
    return Config(
        database_url=database_url,
        redis_url=redis_url(),
        secret_key="a key that only tests know, long enough",
        base_url="http://localhost",
        pool_size=20,
        pool_overflow=30,
        pool_wait_seconds=10,
        allow_simulated_pix=True,
        testing=True,
    )


def _template(server: str) -> str:
    """Make, once for each state of the migrations, a database that copies are made from."""
    migrations = sorted((ROOT / "migrations" / "versions").glob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in migrations)).hexdigest()[:12]
    name = f"firme_template_{digest}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute("SELECT pg_advisory_lock(7)")
        known = admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
        if known is None:
            admin.execute(f"DROP DATABASE IF EXISTS {name}_making WITH (FORCE)")
            admin.execute(f"CREATE DATABASE {name}_making")
            url = _url(server, f"{name}_making")
            app = create_app(_config(url))
            with app.app_context():
                command.upgrade(alembic_config(url), "head")
                db.engine.dispose()
            admin.execute(f"ALTER DATABASE {name}_making RENAME TO {name}")
        admin.execute("SELECT pg_advisory_unlock(7)")
    return name


def _url(server: str, database: str) -> str:
    return make_url(server).set(database=database).render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def database_url() -> Iterator[str]:
    """A database of this test process alone, with all tables."""
    server = start_test_server()
    template = _template(server)
    name = f"firme_test_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute("SELECT pg_advisory_lock(7)")
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        admin.execute("SELECT pg_advisory_unlock(7)")
    yield _url(server, name)
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Clock:
    """The app's clock and the database's, moved together by a test."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._base: datetime = connection.execute(text("SELECT now()")).scalar_one()
        self._offset = timedelta()
        self.set(OPENING)

    def now(self) -> datetime:
        return self._base + self._offset

    def set(self, instant: datetime) -> None:
        self._offset = instant - self._base
        self._connection.execute(
            text("SELECT set_config('firme.clock_offset', :offset, false)"),
            {"offset": f"{self._offset.total_seconds():.6f} seconds"},
        )

    def advance(self, **length: float) -> datetime:
        self.set(self.now() + timedelta(**length))
        return self.now()


@pytest.fixture(scope="session")
def bare_app(database_url: str) -> Flask:
    """The application without a context: each request gets its own, as in production."""
    return create_app(_config(database_url))


@pytest.fixture(scope="session")
def engine(database_url: str) -> Iterator[Engine]:
    engine = create_engine(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    """A connection whose transaction is rolled back at the end of the test."""
    with engine.connect() as connection, connection.begin() as transaction:
        yield connection
        transaction.rollback()


@pytest.fixture
def clock(connection: Connection) -> Clock:
    return Clock(connection)


@pytest.fixture
def app(bare_app: Flask, connection: Connection, clock: Clock) -> Iterator[Flask]:
    """The application, every one of its sessions inside the test's own transaction."""
    bare_app.extensions["clock"] = clock
    with bare_app.app_context():
        engines = db._app_engines[bare_app]
        real = engines[None]
        engines[None] = connection  # type: ignore[assignment]
        db.session.configure(join_transaction_mode="create_savepoint")
        limiter.reset()
        yield bare_app
        db.session.remove()
        engines[None] = real
        db.session.configure(join_transaction_mode="conditional_savepoint")


@pytest.fixture
def session(app: Flask) -> Session:
    return db.session()


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def real_app(database_url: str) -> Iterator[Flask]:
    """The application on real connections that commit; the tables are emptied afterwards."""
    app = create_app(_config(database_url))
    with app.app_context():
        limiter.reset()
        yield app
        db.session.remove()
        db.engine.dispose()
    _empty(database_url)


def _empty(database_url: str) -> None:
    tables = ", ".join(table.name for table in METADATA.sorted_tables)
    with psycopg.connect(database_url) as connection:
        for table in ("audit", "ledger_entry"):
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only")
        connection.execute(f"TRUNCATE {tables} CASCADE")
        for table in ("audit", "ledger_entry"):
            connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER {table}_append_only")


@pytest.fixture
def live_server(real_app: Flask) -> Iterator[str]:
    """The application behind a real threaded HTTP server; the fixture is its address."""
    server = make_server("127.0.0.1", 0, real_app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
