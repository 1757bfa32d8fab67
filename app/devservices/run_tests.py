"""`make test`: pytest on two workers, with a Chromium when one can be had."""

from __future__ import annotations

import os
import sys

from app.devservices.browser import find_or_fetch_browser


def main(arguments: list[str]) -> None:
    """Become pytest, so that the exit status and Ctrl-C are its own.

    FIRME_CHROMIUM tells the browser tests which program to drive; empty: skip them.
    """
    os.environ["FIRME_CHROMIUM"] = find_or_fetch_browser()
    command = [sys.executable, "-m", "pytest", "-n", "2", *arguments]
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main(sys.argv[1:])
