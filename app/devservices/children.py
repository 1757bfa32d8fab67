"""The programs `up` keeps running: started again when they die, stopped together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.devservices.processes import spawn, stop_stranger
from app.devservices.progress import say

GRACE_SECONDS = 5.0  # gunicorn gives requests three
LONGEST_PAUSE_SECONDS = 15.0
STEADY_SECONDS = 30.0  # a child that lived this long gets a short pause again


@dataclass
class Child:
    """One program, its log, and how to know it again by its command line."""

    name: str
    command: Sequence[str]
    log: Path
    mark: str
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    pause: float = field(default=1.0)
    start_again_at: float | None = None


class Children:
    """All that run; a file keeps their pids, so that a next run ends what a crash left."""

    def __init__(self, environment: Mapping[str, str], *, folder: Path, pid_file: Path) -> None:
        self._environment = environment
        self._folder = folder
        self._pid_file = pid_file
        self._children: list[Child] = []

    def add(self, child: Child) -> None:
        self._children.append(child)
        self._start(child)

    def is_alive(self, name: str) -> bool:
        return any(
            child.name == name and child.process is not None and child.process.poll() is None
            for child in self._children
        )

    def revive(self) -> None:
        """Start what died, after its pause, with a line that says so; call it often."""
        now = time.monotonic()
        for child in self._children:
            if child.process is None or child.process.poll() is None:
                continue
            if child.start_again_at is None:
                if now - child.started_at > STEADY_SECONDS:
                    child.pause = 1.0
                child.start_again_at = now + child.pause
                say(
                    f"The {child.name} ended ({_reason(child.process.returncode)}); "
                    f"it starts again in {child.pause:.0f} s. Its log: {child.log}"
                )
                child.pause = min(child.pause * 2, LONGEST_PAUSE_SECONDS)
            elif now >= child.start_again_at:
                self._start(child)

    def stop(self) -> None:
        """Ask all at once, wait a few seconds, then insist; idempotent."""
        running = [child.process for child in self._children if child.process is not None]
        for wish, patience in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, 5.0)):
            for process in running:
                if process.poll() is None:
                    process.send_signal(wish)
            deadline = time.monotonic() + patience
            while any(process.poll() is None for process in running):
                if time.monotonic() > deadline:
                    break
                time.sleep(0.02)
        self._pid_file.unlink(missing_ok=True)

    def kill(self) -> None:
        """End them this instant, with whatever they started in their groups."""
        for child in self._children:
            if child.process is not None and child.process.poll() is None:
                os.killpg(child.process.pid, signal.SIGKILL)

    def _start(self, child: Child) -> None:
        child.process = spawn(
            child.command, log=child.log, environment=self._environment, folder=self._folder
        )
        child.started_at = time.monotonic()
        child.start_again_at = None
        known = [
            {"name": each.name, "pid": each.process.pid, "mark": each.mark}
            for each in self._children
            if each.process is not None
        ]
        self._pid_file.write_text(json.dumps(known))


def stop_leftovers(pid_file: Path) -> None:
    """End what an `up` that was killed left running."""
    try:
        left = json.loads(pid_file.read_text())
        pairs = [(int(each["pid"]), str(each["mark"])) for each in left]
    except (OSError, ValueError, KeyError, TypeError):
        return
    for pid, mark in pairs:
        stop_stranger(pid, command_holds=mark, wishes=(signal.SIGTERM, signal.SIGKILL))
    pid_file.unlink(missing_ok=True)


def _reason(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"status {status}"
