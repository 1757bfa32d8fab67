"""Web and worker as processes of their own, like in production."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from flask import Flask

from tests.conftest import ROOT, redis_url


class Desk:
    """The two of them on one port; killed hard, started again."""

    def __init__(self, environment: dict[str, str], port: int) -> None:
        self.port = port
        self._environment = environment
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        gunicorn = ["-m", "gunicorn", "-k", "gthread", "--workers", "2", "--threads", "8"]
        commands = (
            [
                *gunicorn,
                "--log-level",
                "error",
                "--bind",
                f"127.0.0.1:{self.port}",
                "app:create_app()",
            ],
            ["worker.py"],
        )
        for command in commands:
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
        self._wait_until_it_answers()

    def kill(self) -> None:
        for process in self._running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._running.clear()

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
            with suppress(OSError, http.client.HTTPException), closing(connection):
                connection.request("GET", "/healthz")
                if connection.getresponse().status == 200:
                    return
            time.sleep(0.1)
        raise AssertionError("the web did not start")


@contextmanager
def a_desk(app: Flask) -> Iterator[Desk]:
    config = app.extensions["firme_config"]
    environment = {
        **os.environ,
        "DATABASE_URL": config.database_url,
        "REDIS_URL": redis_url(2),
        "SECRET_KEY": config.secret_key,
        "POOL_SIZE": "8",
    }
    desk = Desk(environment, free_port())
    try:
        desk.start()
        yield desk
    finally:
        desk.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
