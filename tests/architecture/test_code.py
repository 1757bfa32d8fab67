"""Rules about the code itself; each says in its name what it keeps."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

APP = ROOT / "app"
LONGEST_MODULE = 300
BELOW_THE_DOORS = ("booking", "payments", "catalog", "customers", "accounts")
ENDS_TRANSACTIONS = {"extensions.py"}


def modules(folder: Path = APP) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def calls(path: Path) -> Iterator[tuple[str, str]]:
    """Each ``name.method()`` of a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
                yield name, method


def test_no_module_is_longer_than_a_sitting() -> None:
    long = {
        str(path.relative_to(ROOT)): length
        for path in [*modules(), ROOT / "worker.py"]
        if (length := len(path.read_text().splitlines())) > LONGEST_MODULE
    }

    assert long == {}


def test_below_the_doors_nobody_ends_a_transaction() -> None:
    found = {
        (path.name, f"{name}.{method}")
        for layer in BELOW_THE_DOORS
        for path in modules(APP / layer)
        for name, method in calls(path)
        if method in {"commit", "rollback"} and name != "savepoint"
    }

    assert found == set()


def test_the_arrows_point_down() -> None:
    """The import-linter contracts of pyproject.toml."""
    checked = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stdout


def test_only_the_clock_reads_the_clock() -> None:
    """ids.py makes ids in order of time, schedule.py slots of real time: neither is a rule."""
    readers = {
        path.name
        for path in modules()
        if "devservices" not in path.parts
        for name, method in calls(path)
        if (name, method) in {("datetime", "now"), ("date", "today"), ("time", "time")}
        or method in {"utcnow", "time_ns"}
    }

    assert readers == {"clock.py", "ids.py", "schedule.py"}


@pytest.mark.parametrize(
    "folder", ["booking", "payments", "catalog", "customers", "accounts", "jobs"]
)
def test_every_test_file_is_named_after_what_it_tests(folder: str) -> None:
    names = {path.stem for path in modules(APP / folder)}

    strays = [
        path.name
        for path in modules(ROOT / "tests" / folder)
        if path.stem.startswith("test_")
        and not any(path.stem.removeprefix("test_").startswith(name) for name in names)
    ]

    assert strays == []


def test_templates_never_switch_escaping_off() -> None:
    found = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "templates").rglob("*")
        if path.is_file() and ("|safe" in path.read_text() or "| safe" in path.read_text())
    ]

    assert found == []


def test_pages_load_nothing_from_an_outside_host() -> None:
    """Links may lead out; scripts, styles, pictures and fonts never come from elsewhere."""
    loads = re.compile(
        r"""(?:src|action)\s*=\s*["']?(?:https?:)?//|url\(["']?(?:https?:)?//|@import"""
    )
    stylesheet = re.compile(r"""<link[^>]+href\s*=\s*["']?(?:https?:)?//""")
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static").rglob("*.css")]

    found = [
        path.name
        for path in files
        if loads.search(path.read_text()) or stylesheet.search(path.read_text())
    ]

    assert found == []
