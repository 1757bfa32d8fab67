import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.devservices.children import Child, Children, stop_leftovers

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)  # firme-test-child"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
]


def some_children(folder: Path) -> Children:
    return Children(os.environ, folder=folder, pid_file=folder / "running.json")


def pid_in(folder: Path) -> int:
    return int(json.loads((folder / "running.json").read_text())[0]["pid"])


def test_a_child_that_died_is_started_again_and_said_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    children = some_children(folder)
    children.add(Child("worker", SLEEP, log=folder / "log", mark="firme-test-child"))
    try:
        first = pid_in(folder)
        os.kill(first, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while pid_in(folder) == first and time.monotonic() < deadline:
            children.revive()
            time.sleep(0.05)

        assert pid_in(folder) != first
        assert children.is_alive("worker")
        assert "The worker ended (SIGKILL); it starts again in 1 s" in capsys.readouterr().out
    finally:
        children.kill()
        children.stop()


def test_stopping_ends_every_child_and_forgets_their_pids(folder: Path) -> None:
    children = some_children(folder)
    children.add(Child("worker", SLEEP, log=folder / "log", mark="firme-test-child"))

    children.stop()

    assert not children.is_alive("worker")
    assert not (folder / "running.json").exists()


def test_a_second_wish_ends_a_stubborn_child_at_once(folder: Path) -> None:
    children = some_children(folder)
    children.add(Child("worker", STUBBORN, log=folder / "log", mark="unused"))

    children.kill()
    began = time.monotonic()
    children.stop()

    assert time.monotonic() - began < 2


def test_what_a_crash_left_running_is_ended_but_no_stranger(folder: Path) -> None:
    left = subprocess.Popen(SLEEP)
    pids = [
        {"pid": left.pid, "mark": "firme-test-child"},
        {"pid": os.getpid(), "mark": "a command line that pytest never has"},
    ]
    (folder / "running.json").write_text(json.dumps(pids))
    try:
        deadline = time.monotonic() + 5
        while b"firme-test-child" not in _command_line(left.pid) and time.monotonic() < deadline:
            time.sleep(0.01)

        stop_leftovers(folder / "running.json")

        assert left.wait(timeout=5) == -signal.SIGTERM
    finally:
        left.kill()
        left.wait()


def _command_line(pid: int) -> bytes:
    if sys.platform == "linux":
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b"firme-test-child"
