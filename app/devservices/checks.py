"""`make check`: every tool over the checkout, all of them even when one fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from app.devservices.progress import say
from app.devservices.stores import ROOT

CHECKS = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("mypy", "--strict", "app"),
    ("lint-imports",),
    ("djlint", "templates", "--lint", "--quiet"),
    ("codespell",),
)


def main() -> int:
    """0 when all of them pass."""
    programs = Path(sys.prefix) / "bin"
    failed = []
    for name, *words in CHECKS:
        say(f"$ {' '.join([name, *words])}")
        if subprocess.call([str(programs / name), *words], cwd=ROOT):
            failed.append(name)
    say(f"Failed: {', '.join(failed)}." if failed else "All checks pass.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
