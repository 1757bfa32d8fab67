import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
START_SECONDS = 90
OURS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "BASE_URL", "HOST", "PORT", "PIX_BANK_PORT")


def a_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Desk:
    """One `make run`, on a data folder and a port of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self.screen = folder.parent / f"screen-{port}"
        kept = {name: value for name, value in os.environ.items() if name not in OURS}
        self._environment = {**kept, "FIRME_VAR": str(folder), "PORT": str(port)}
        self.process: subprocess.Popen[bytes] | None = None

    def set(self, **variables: str) -> None:
        self._environment.update(variables)

    def start(self) -> None:
        with self.screen.open("wb") as screen:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "app.devservices.up"],
                cwd=ROOT,
                env=self._environment,
                stdout=screen,
                stderr=subprocess.STDOUT,
            )

    def wait_until_open(self) -> None:
        assert self.process is not None
        deadline = time.monotonic() + START_SECONDS
        while "Ctrl-C stops everything" not in self.screen.read_text():
            assert self.process.poll() is None, self.screen.read_text()
            assert time.monotonic() < deadline, self.screen.read_text()
            time.sleep(0.05)

    def end(self, number: int) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(timeout=30)

    def refusal(self) -> tuple[int, str]:
        """How a start that cannot succeed ends: its status and what it says."""
        self.start()
        assert self.process is not None
        return self.process.wait(timeout=30), self.screen.read_text()

    @property
    def demo(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / "demo.json").read_text())
        return content

    @property
    def children(self) -> dict[str, int]:
        """The pid of each program, by its name."""
        content = json.loads((self.folder / "running.json").read_text())
        return {child["name"]: int(child["pid"]) for child in content}

    @property
    def pids(self) -> list[int]:
        valkey = int((self.folder / "valkey" / "valkey.pid").read_text())
        return [valkey, *self.children.values()]


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    made = Desk(folder / "var", a_free_port())
    made.set(PIX_BANK_PORT=str(a_free_port()))
    yield made
    if made.process is not None and made.process.poll() is None:
        made.end(signal.SIGTERM)


def is_answering(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=5) as answer:
        return bool(answer.status == 200)


def told_at(desk: Desk) -> str:
    """Where the bank tells of payments, as its books say."""
    lines = (desk.folder / "pix_bank" / "bank.jsonl").read_text().splitlines()
    kept = [json.loads(line) for line in lines]
    return str([each[2]["webhookUrl"] for each in kept if each[0] == "webhook"][-1])


def all_gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        if not any(_lives(pid) for pid in pids):
            return True
        time.sleep(0.1)
    return False


def _lives(pid: int) -> bool:
    shown = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()
    return bool(shown) and not shown.startswith("Z")


def test_a_desk_opens_tells_its_logins_stops_cleanly_and_opens_again_with_its_data(
    desk: Desk,
) -> None:
    desk.start()
    desk.wait_until_open()
    first, pids = desk.demo, desk.pids

    assert is_answering(f"{desk.url}/healthz")
    assert first["base_url"] == desk.url
    assert {person["role"] for person in first["staff"]} >= {"owner", "receptionist"}
    assert (desk.folder / "demo.json").stat().st_mode & 0o777 == 0o600
    assert first["staff"][0]["password"] in desk.screen.read_text()
    assert f"Customer's bank: {first['pix']['simulator_url']}" in desk.screen.read_text()
    assert is_answering(first["pix"]["simulator_url"])
    assert first["pix"]["webhook_url"].startswith(f"{desk.url}/webhooks/pix/")
    assert told_at(desk) == first["pix"]["webhook_url"]
    assert set(desk.children) == {"web", "worker", "bank worker", "simulated bank"}

    status, said = Desk(desk.folder, a_free_port()).refusal()
    assert status == 1
    assert said.startswith("Firme already runs on")
    assert len(said.splitlines()) == 1

    assert desk.end(signal.SIGINT) == 0
    assert all_gone(pids)

    desk.start()
    desk.wait_until_open()
    assert desk.demo == first


def test_a_bank_that_moved_takes_its_account_along(desk: Desk) -> None:
    desk.start()
    desk.wait_until_open()
    first = desk.demo
    assert desk.end(signal.SIGTERM) == 0
    port = a_free_port()
    desk.set(PIX_BANK_PORT=str(port))

    desk.start()
    desk.wait_until_open()

    assert desk.demo["pix"] == {**first["pix"], "simulator_url": f"http://127.0.0.1:{port}"}
    assert told_at(desk) == first["pix"]["webhook_url"]


@pytest.mark.skipif(sys.platform != "linux", reason="PDEATHSIG is Linux's")
def test_what_is_killed_comes_back_and_nothing_outlives_a_killed_desk(desk: Desk) -> None:
    desk.start()
    desk.wait_until_open()
    first, before = desk.demo, desk.children
    killed = ("web", "bank worker", "simulated bank")

    for name in killed:
        os.kill(before[name], signal.SIGKILL)
    deadline = time.monotonic() + 20
    while any(desk.children[name] == before[name] for name in killed):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    for name in killed:
        said = f"The {name} ended (SIGKILL); it starts again in 1 s"
        assert said in desk.screen.read_text()

    pids = desk.pids
    desk.end(signal.SIGKILL)
    desk.start()
    desk.wait_until_open()
    assert all_gone(pids)
    assert desk.demo == first
    assert is_answering(f"{desk.url}/healthz")


def test_a_taken_port_gets_one_sentence(desk: Desk) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(desk.url.rpartition(":")[2])))
        other.listen()

        status, said = desk.refusal()

    assert status == 1
    assert "is taken by another program" in said
    assert len(said.splitlines()) == 1
