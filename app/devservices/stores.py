"""The database and the queue's store of a data folder: ours, or those the environment names."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

import psycopg
from redis import Redis
from redis.exceptions import RedisError

from app.devservices.errors import CannotStart
from app.devservices.postgres import PostgresServer
from app.devservices.preflight import secret_key
from app.devservices.processes import clean_environment
from app.devservices.progress import showing
from app.devservices.valkey import ValkeyServer

ROOT = Path(__file__).resolve().parents[2]


def data_folder() -> Path:
    """FIRME_VAR, or var/ of the checkout."""
    return (ROOT / Path(_named("FIRME_VAR") or "var").expanduser()).absolute()


class Stores:
    """Entering starts or joins both; `environment` is what the application then needs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._postgres = None if _named("DATABASE_URL") else PostgresServer(folder / "postgres")
        self._valkey = None if _named("REDIS_URL") else ValkeyServer(folder / "valkey")

    @property
    def database_url(self) -> str:
        return self._postgres.url if self._postgres else _sqlalchemy_url(_named("DATABASE_URL"))

    @property
    def redis_url(self) -> str:
        return self._valkey.url if self._valkey else _named("REDIS_URL")

    def environment(self, **extra: str) -> dict[str, str]:
        return clean_environment(
            DATABASE_URL=self.database_url,
            REDIS_URL=self.redis_url,
            SECRET_KEY=_named("SECRET_KEY") or secret_key(self._folder),
            FIRME_VAR=str(self._folder),
            ALLOW_SIMULATED_PIX="1",
            **extra,
        )

    def revive(self) -> list[str]:
        """Start again what died; the names of what was dead."""
        dead = []
        for name, server in (("PostgreSQL", self._postgres), ("Valkey", self._valkey)):
            if server is not None and server.has_died:
                server.start()
                dead.append(name)
        return dead

    def start(self) -> None:
        """Raises: CannotStart with what is in the way."""
        with showing("Starting the database"):
            if self._postgres:
                self._postgres.start()
            else:
                _check_database(self.database_url)
        with showing("Starting the queue's store"):
            if self._valkey:
                self._valkey.start()
            else:
                _check_redis(self.redis_url)

    def stop(self) -> None:
        if self._valkey:
            self._valkey.stop()
        if self._postgres:
            self._postgres.stop()

    def __enter__(self) -> Stores:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _named(name: str) -> str:
    return os.environ.get(name, "").strip()


def _sqlalchemy_url(url: str) -> str:
    return url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres:") else url


def _check_database(url: str) -> None:
    try:
        with psycopg.connect(url.replace("+psycopg", "", 1), connect_timeout=5):
            return
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        raise CannotStart(
            f"The database that DATABASE_URL names does not answer: {reason}"
        ) from None


def _check_redis(url: str) -> None:
    try:
        with Redis.from_url(url, socket_connect_timeout=5) as client:
            client.ping()
    except (RedisError, ValueError) as error:
        raise CannotStart(f"The server that REDIS_URL names does not answer: {error}") from None
