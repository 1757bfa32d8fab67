"""run.py at the top of the checkout, which must run before anything is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRETEND = """
import runpy, sys
sys.version_info = {version}
sys.argv = ["run.py", "up"]
runpy.run_path({script!r}, run_name="__main__")
"""


def run_as(version: tuple[int, int, int], *, path: Path) -> subprocess.CompletedProcess[str]:
    program = PRETEND.format(version=version, script=str(ROOT / "run.py"))
    return subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def a_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.skipif(
    any(
        list(Path(place).glob("python3.1[1-9]"))
        for place in ("/usr/local/bin", "/opt/homebrew/bin")
    ),
    reason="a newer Python sits where run.py looks without PATH",
)
def test_a_too_old_python_gets_one_sentence_and_no_trace(tmp_path: Path) -> None:
    done = run_as((3, 9, 2), path=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("Firme needs Python 3.11 or newer and this is 3.9.2")
    assert len(done.stderr.splitlines()) == 1


def test_a_too_old_python_hands_over_to_a_newer_one_on_path(tmp_path: Path) -> None:
    answer = 'case "$1" in -c) echo 3 14;; *) echo newer "$@";; esac'
    a_program(tmp_path / "python3.20", answer)

    done = run_as((3, 9, 2), path=tmp_path)

    assert done.stdout.strip() == f"newer {ROOT / 'run.py'} up"


def test_a_newer_python_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    a_program(tmp_path / "python3.20", "echo not installed >&2; exit 127")
    a_program(tmp_path / "python3.19", 'case "$1" in -c) echo 3 13;; *) echo newer;; esac')

    assert run_as((3, 9, 2), path=tmp_path).stdout.strip() == "newer"


def test_an_unknown_word_shows_what_there_is() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "run.py"), "fly"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "run.py up" in done.stdout


def test_run_py_parses_on_python_3_6() -> None:
    code = (ROOT / "run.py").read_text()

    compile(code, "run.py", "exec", dont_inherit=True)
    assert "from __future__ import annotations" not in code
    assert ":=" not in code
