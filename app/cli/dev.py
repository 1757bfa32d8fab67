from pathlib import Path

import click
from flask import current_app
from flask.cli import with_appcontext

from app.booking.states import MOVES, OCCUPYING, TEMPORARY, Status
from app.cli.commands import Commands

dev = Commands("dev", help="For who works on Firme itself.")


@dev.command("docs")
@with_appcontext
def docs() -> None:
    """Write docs/states.md from the state table."""
    page = Path(current_app.root_path).parent / "docs" / "states.md"
    page.write_text(states_page(), encoding="utf-8")
    click.echo(f"{page.parent.name}/{page.name} is written.")


def states_page() -> str:
    """Tell the states and moves of a booking as a page of Markdown."""
    states = [f"| `{status}` | {_keeps(status)} | {_ends(status)} |" for status in Status]
    moves = [f"| `{before}` | {move} | `{after}` |" for (before, move), after in MOVES.items()]
    arrows = [f"    {before} --> {after}: {move}" for (before, move), after in MOVES.items()]
    last = [f"    {status} --> [*]" for status in Status if not _leaves(status)]
    return "\n".join(
        [
            "# What a booking may become",
            "",
            "Written by `flask dev docs` from `app/booking/states.py`; a test compares the two.",
            "What is not in the table of moves is refused.",
            "",
            "```mermaid",
            "stateDiagram-v2",
            f"    [*] --> {Status.HELD}",
            *arrows,
            *last,
            "```",
            "",
            "| state | keeps its resources | moves on |",
            "|---|---|---|",
            *states,
            "",
            "| from | move | to |",
            "|---|---|---|",
            *moves,
            "",
        ]
    )


def _leaves(status: Status) -> bool:
    return any(before is status for before, _ in MOVES)


def _keeps(status: Status) -> str:
    return "yes" if status in OCCUPYING else "no"


def _ends(status: Status) -> str:
    if status in TEMPORARY:
        return "by itself, when its time is over"
    return "when somebody moves it" if _leaves(status) else "never"
