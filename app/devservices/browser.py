"""A Chromium for the browser tests: one that is here already, or fetched once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from app.devservices.progress import say, showing

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_PATHS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
FETCH_SECONDS = 900
REMEMBERED = Path(sys.prefix) / "firme-browser"  # the path, or nothing when fetching failed
WHERE_PLAYWRIGHT_PUTS_IT = (
    "from playwright.sync_api import sync_playwright as start\n"
    "with start() as playwright: print(playwright.chromium.executable_path)"
)


def find_or_fetch_browser() -> str:
    """The path of a Chromium that starts; empty when none can be had.

    The downloads are tried once per environment, since they take minutes.
    """
    tried = REMEMBERED.exists()
    known = REMEMBERED.read_text().strip() if tried else ""
    if known and Path(known).exists():
        return known
    found = _find()
    if not found and not tried:
        found = _install_with_apt() or _fetch_with_playwright()
    if not found:
        say("There is no Chromium here: the browser tests are skipped.")
    REMEMBERED.write_text(found)
    return found


def _find() -> str:
    for path in [*map(shutil.which, NAMES), *MAC_PATHS]:
        if path and _runs(path):
            return path
    return ""


def _runs(path: str) -> bool:
    """Whether it starts: Ubuntu's `chromium-browser` may be a stub that only says where to go."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _succeeds(title: str, command: Sequence[str]) -> bool:
    with showing(title):
        try:
            environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            done = subprocess.run(
                command, env=environment, capture_output=True, timeout=FETCH_SECONDS, check=False
            )
        except (OSError, subprocess.SubprocessError):
            return False
    return done.returncode == 0


def _install_with_apt() -> str:
    is_debian = Path("/etc/debian_version").exists() and shutil.which("apt-get")
    if os.geteuid() != 0 or not is_debian:
        return ""
    _succeeds("Reading the package lists", ["apt-get", "update", "-q"])
    _succeeds("Installing Chromium", ["apt-get", "install", "-qy", "chromium"])
    return _find()


def _fetch_with_playwright() -> str:
    playwright = [sys.executable, "-m", "playwright", "install", "chromium"]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        playwright.append("--with-deps")
    if not _succeeds("Fetching Chromium", playwright):
        return ""
    asked = subprocess.run(
        [sys.executable, "-c", WHERE_PLAYWRIGHT_PUTS_IT],
        capture_output=True,
        text=True,
        check=False,
    )
    path = asked.stdout.strip()
    return path if path and _runs(path) else ""
