from pathlib import Path

from flask import Flask

from app.booking.states import MOVES, Status
from app.cli.dev import states_page
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "states.md"


def test_the_committed_page_is_current() -> None:
    """When it is not: `flask dev docs`, and commit docs/states.md."""
    assert PAGE.read_text(encoding="utf-8") == states_page()


def test_the_page_has_every_state_and_every_move() -> None:
    page = states_page()

    assert all(f"| `{status}` |" in page for status in Status)
    for (before, move), after in MOVES.items():
        assert f"    {before} --> {after}: {move}\n" in page
        assert f"| `{before}` | {move} | `{after}` |\n" in page


def test_the_command_writes_the_page(app: Flask, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    real, app.root_path = app.root_path, str(tmp_path / "app")
    try:
        done = app.test_cli_runner().invoke(args=["dev", "docs"])
    finally:
        app.root_path = real

    assert done.output == "docs/states.md is written.\n"
    assert (tmp_path / "docs" / "states.md").read_text(encoding="utf-8") == states_page()
