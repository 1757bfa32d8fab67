"""The tables brought up to date, the demo business seeded, and what `var/demo.json` says of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.devservices.errors import CannotStart, disk_is_full, sentence_for
from app.devservices.processes import write_private
from app.devservices.progress import say, showing
from app.devservices.stores import ROOT

FIELDS = ("api_key", "staff", "location", "services", "pix")


@dataclass(frozen=True)
class Demo:
    """What a script or a person needs to drive the running demo."""

    content: dict[str, Any]

    def write(self, path: Path) -> None:
        write_private(path, json.dumps(self.content, ensure_ascii=False, indent=2) + "\n")


def upgrade(environment: Mapping[str, str], logs: Path) -> None:
    """Raises: CannotStart when a migration fails."""
    with showing("Bringing the tables up to date"):
        _flask("database", "upgrade", environment=environment, log=logs / "upgrade.log")


def seed(environment: Mapping[str, str], logs: Path, *, base_url: str) -> Demo:
    """Have the demo business; what is there already stays as it is."""
    with showing("Opening the demo business"):
        answer = _flask("demo", "seed", "--json", environment=environment, log=logs / "seed.log")
    try:
        found = json.loads(answer)
    except ValueError:
        raise CannotStart(
            f"The demo business could not be opened: see {logs / 'seed.log'}."
        ) from None
    return Demo({"base_url": base_url} | {name: found.get(name) for name in FIELDS})


def show(demo: Demo) -> None:
    """Print the address and the logins."""
    content = demo.content
    say(f"\nFirme is running at {content['base_url']}")
    for person in content["staff"] or ():
        say(f"  {person['role']:<14} {person['email']}  {person['password'] or '(changed)'}")
    if content["api_key"]:
        say(f"  API key        {content['api_key']}")
    if content["pix"]:
        say(f"  Customer's bank: {content['pix']['simulator_url']} (simulated; pay deposits there)")


def _flask(*words: str, environment: Mapping[str, str], log: Path) -> str:
    command = [sys.executable, "-m", "flask", "--app", "app", *words]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False
        )
        log.write_text(done.stdout + done.stderr if done.returncode else done.stderr)
    except OSError as error:
        raise sentence_for(error, log) from error
    if done.returncode == 0:
        return done.stdout
    if "No space left on device" in done.stderr:
        raise disk_is_full(log.parent)
    raise CannotStart(f"`flask {' '.join(words)}` failed: see {log}.")
