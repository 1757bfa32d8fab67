"""`python3 run.py flask ARGS`: a flask command on the data of `make run`, running or not."""

from __future__ import annotations

import subprocess
import sys

from app.devservices.errors import CannotStart
from app.devservices.preflight import check_folder
from app.devservices.stores import ROOT, Stores, data_folder


def main(words: list[str]) -> int:
    """The command's own exit status; 1 with one sentence when the servers cannot start."""
    try:
        folder = data_folder()
        check_folder(folder)
        with Stores(folder) as stores:
            command = [sys.executable, "-m", "flask", "--app", "app", *words]
            return subprocess.call(command, cwd=ROOT, env=stores.environment())
    except CannotStart as sentence:
        print(sentence, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
