"""Web, workers and the customer's bank as processes of their own, like in production."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from flask import Flask

from app.queues import DESK
from tests.conftest import ROOT, redis_url

GUNICORN = ("-m", "gunicorn", "-k", "gthread", "--workers", "2", "--threads", "8")
ERRORS = ("--log-level", "error")


class Processes:
    """Some processes, killed hard and started again."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self._running: list[subprocess.Popen[bytes]] = []

    def spawn(self, *command: str) -> None:
        self._running.append(
            subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env=self._environment,
                start_new_session=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    def kill(self) -> None:
        for process in self._running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._running.clear()


class Desk:
    """Web and workers on one port; killed hard, started again."""

    def __init__(self, environment: dict[str, str], port: int, workers: Sequence[str]) -> None:
        self.port = port
        self._workers = workers
        self._processes = Processes(environment)

    def start(self) -> None:
        bind = ("--bind", f"127.0.0.1:{self.port}", "app:create_app()")
        self._processes.spawn(*GUNICORN, *ERRORS, *bind)
        for queue in self._workers:
            self._processes.spawn("worker.py", queue)
        wait_until_answered(self.port, "/healthz")

    def kill(self) -> None:
        self._processes.kill()


class Bank:
    """The simulated bank in a folder that keeps its books; killed hard, started again."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._processes = Processes(dict(os.environ))

    def start(self) -> None:
        words = ("--port", str(self.port), "--data", str(self._folder))
        self._processes.spawn("-m", "app.devservices.pix_bank", *words)
        wait_until_answered(self.port, "/")

    def kill(self) -> None:
        self._processes.kill()


def wait_until_answered(port: int, path: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
        with suppress(OSError, http.client.HTTPException), closing(connection):
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return
        time.sleep(0.1)
    raise AssertionError(f"nobody answers at {port}")


@contextmanager
def a_desk(
    app: Flask, *, workers: Sequence[str] = (DESK,), redis: str | None = None
) -> Iterator[Desk]:
    """A desk on the tables of an application; with ``redis`` on a queue's store of its own."""
    config = app.extensions["firme_config"]
    environment = {
        **os.environ,
        "DATABASE_URL": config.database_url,
        "REDIS_URL": redis or redis_url(2),
        "SECRET_KEY": config.secret_key,
        "POOL_SIZE": "8",
        "ALLOW_SIMULATED_PIX": "1",
    }
    desk = Desk(environment, free_port(), workers)
    try:
        desk.start()
        yield desk
    finally:
        desk.kill()


@contextmanager
def a_bank(folder: Path) -> Iterator[Bank]:
    bank = Bank(folder)
    try:
        bank.start()
        yield bank
    finally:
        bank.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
