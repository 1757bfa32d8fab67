"""A PostgreSQL of our own in a folder: made, started, stopped, and brought back after a kill -9."""

from __future__ import annotations

import json
import secrets
import signal
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from app.devservices.errors import CannotStart, sentence_for
from app.devservices.homes import Home, home_for
from app.devservices.owned_server import OwnedServer
from app.devservices.postgres_binaries import Binaries, find_binaries, reachable_by
from app.devservices.postgres_cluster import OWNER, major_of, make_cluster, sentence_from
from app.devservices.processes import (
    clean_environment,
    is_running,
    make_private,
    socket_folder,
    spawn,
    stop,
    stop_stranger,
    write_private,
)

APP = "firme"  # role and database of the application, no superuser
SOCKET_NAME = ".s.PGSQL.5432"
START_SECONDS = 60.0  # recovery after a crash replays the log first
LARGEST_LOG = 5_000_000
SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "max_connections": "100",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "unix_socket_permissions": "0700",
}
DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class PostgresServer(OwnedServer):
    """The server of one folder. Entering starts it, or joins the one another process started there.

    `durable=False` is for tests: it forgets what a power cut interrupts, and lets the application's
    role make databases.
    """

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        super().__init__(folder, durable=durable)
        self._passwords: dict[str, str] = {}
        self._sockets: Path | None = None

    @property
    def url(self) -> str:
        """Where the application signs in, as its own role."""
        return self._url(APP)

    @property
    def maintenance_url(self) -> str:
        """The database to be in while making others; the same role."""
        return self._url("postgres")

    @property
    def log(self) -> Path:
        return self._folder / "postgres.log"

    def start(self) -> None:
        if self.pid is not None:
            return
        make_private(self._folder)
        if not self._lock.take():
            self._join()
            return
        try:
            self._start_own()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        if self._process is not None:
            stop(self._process, polite=signal.SIGINT, seconds=20.0, harsh=signal.SIGQUIT)
            self._process = None
            if self._sockets:
                with suppress(OSError):  # not empty after a crash; the next start empties it
                    self._sockets.rmdir()
        self._lock.release()

    def _start_own(self) -> None:
        home = home_for(self._folder)
        binaries = find_binaries(major_of(home.cluster))
        if home.user:
            binaries = reachable_by(home.user, binaries)
        self._trim_log()
        self._load_passwords(home)
        self._stop_stale(home)
        self._sockets = self._socket_folder(home)
        if not home.cluster.exists():
            make_cluster(home, binaries, password=self._passwords[OWNER], durable=self._durable)
        major = major_of(home.cluster)
        if major is None:
            raise CannotStart(
                f"The database in {home.cluster} is damaged (it has no PG_VERSION): "
                "restore it, or move that folder away to begin anew."
            )
        if major != binaries.major:
            raise CannotStart(
                f"The data in {home.cluster} was made by PostgreSQL {major} and this is PostgreSQL "
                f"{binaries.major}: set PGBIN to the programs of {major}, or move that folder away."
            )
        self._launch(binaries, home)
        try:
            self._make_role_and_database()
        except psycopg.Error as error:
            raise sentence_from(f"error: {error}", home.cluster) from error

    def _join(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            try:
                home = home_for(self._folder)
                self._load_passwords(home)
                self._sockets = self._socket_folder(home)
                with psycopg.connect(self.url, connect_timeout=5):
                    return
            except (psycopg.OperationalError, CannotStart):
                time.sleep(0.1)
            if self._lock.take():
                self._start_own()
                return
        raise CannotStart(
            f"Another process holds {self._folder} and its PostgreSQL does not answer."
        )

    def _url(self, database: str, role: str = APP) -> str:
        password = self._passwords[role]
        host = quote(str(self._sockets), safe="/")
        return f"postgresql://{role}:{password}@/{database}?host={host}&port=5432"

    def _socket_folder(self, home: Home) -> Path:
        owner = home.user[0] if home.user else None
        return socket_folder(home.sockets, longest_name=SOCKET_NAME + ".lock", owner=owner)

    def _load_passwords(self, home: Home) -> None:
        path = self._folder / "passwords.json"
        if path.exists():
            try:
                self._passwords = json.loads(path.read_text())
                if {OWNER, APP} <= self._passwords.keys():
                    return
            except (ValueError, AttributeError):
                pass
            except OSError as error:
                raise sentence_for(error, path) from error
            raise CannotStart(f"{path} is damaged: restore it, or move {self._folder} away.")
        if home.cluster.exists():
            if not home.is_elsewhere:
                raise CannotStart(
                    f"{path} is missing, so nobody can sign in to the database beside it: "
                    f"restore the file, or move {self._folder} away to begin anew."
                )
            home.set_orphan_aside()
        self._passwords = {role: secrets.token_urlsafe(24) for role in (OWNER, APP)}
        write_private(path, json.dumps(self._passwords))

    def _stop_stale(self, home: Home) -> None:
        pid_file = home.cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except FileNotFoundError:
            return
        except (OSError, ValueError):
            pid = 0
        if pid > 1 and is_running(pid, command_holds=str(home.cluster)):
            wishes = (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)
            stop_stranger(pid, command_holds=str(home.cluster), wishes=wishes)
        pid_file.unlink(missing_ok=True)

    def _launch(self, binaries: Binaries, home: Home) -> None:
        settings = SETTINGS | (DURABLE if self._durable else FAST)
        settings["unix_socket_directories"] = str(self._sockets)
        options = [f"--{name}={value}" for name, value in settings.items()]
        for last_try in (False, False, True):
            began_at = self.log.stat().st_size if self.log.exists() else 0
            self._process = spawn(
                [binaries.postgres, "-D", home.cluster, *options],
                log=self.log,
                environment=clean_environment(LC_ALL="C"),
                user=home.user,
                last_signal=signal.SIGINT,
                folder=home.place,
            )
            if self._is_ready(home):
                return
            with self.log.open("rb") as file:
                file.seek(began_at)
                words = file.read().decode(errors="replace")
            if last_try or "still in use" not in words:
                raise sentence_from(words, home.cluster)
            time.sleep(2)  # the children of a killed server are still leaving

    def _is_ready(self, home: Home) -> bool:
        assert self._process is not None
        deadline = time.monotonic() + START_SECONDS
        pid_file = home.cluster / "postmaster.pid"
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                lines = pid_file.read_text().splitlines()
            except OSError:
                lines = []
            if len(lines) > 7 and lines[0] == str(self._process.pid) and "ready" in lines[7]:
                return True
            time.sleep(0.02)
        return False

    def _make_role_and_database(self) -> None:
        role, database = sql.Identifier(APP), sql.Identifier(APP)
        with psycopg.connect(self._url("postgres", OWNER), autocommit=True) as connection:
            if not connection.execute(
                "SELECT 1 FROM pg_roles WHERE rolname = %s", [APP]
            ).fetchone():
                password = sql.Literal(self._passwords[APP])
                making = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, password)
                connection.execute(making)
            if not self._durable:
                connection.execute(sql.SQL("ALTER ROLE {} CREATEDB").format(role))
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [APP])
            if not found.fetchone():
                making = sql.SQL("CREATE DATABASE {} OWNER {}").format(database, role)
                connection.execute(making)

    def _trim_log(self) -> None:
        if self.log.exists() and self.log.stat().st_size > LARGEST_LOG:
            self.log.replace(self.log.with_suffix(".log.1"))
