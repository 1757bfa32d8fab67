from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

import click

from app.booking.uncovered import Commitment
from app.catalog.models import MINUTES_OF_A_DAY
from app.cli.arguments import CLOSED, WEEKDAYS

MOST_NAMED = 10
"""Bookings that a warning names one by one; the number is always told."""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns below their names, or only that there are none."""
    cells = [list(map(str, row)) for row in rows]
    if not cells:
        click.echo("None.")
        return
    lines = [[name.upper() for name in head], *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        shown = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(shown).rstrip())


def local(instant: datetime, zone: ZoneInfo) -> str:
    """Write an instant as the location's clock shows it."""
    return f"{instant.astimezone(zone):%Y-%m-%d %H:%M}"


def count(number: int, thing: str) -> str:
    """Write ``1 booking`` or ``2 bookings``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def clock_of(minutes: int) -> str:
    """Write minutes from midnight as ``HH:MM``."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def interval_of(opens: int, closes: int) -> str:
    """Write an interval as ``parse_interval`` reads it: ``22:00-02:00`` ends on the next day."""
    shown = closes - MINUTES_OF_A_DAY if 0 < closes - MINUTES_OF_A_DAY <= opens else closes
    return f"{clock_of(opens)}-{clock_of(shown)}"


def intervals_of(intervals: Iterable[tuple[int, int]]) -> str:
    """Write the hours of a day as an operator types them."""
    return ",".join(interval_of(*each) for each in sorted(intervals)) or CLOSED


def weekdays_of(days: Iterable[int]) -> str:
    """Write weekdays as an operator types them: runs of three and more as ``mon-wed``."""
    runs = []
    for _, run in groupby(enumerate(sorted(days)), lambda pair: pair[1] - pair[0]):
        names = [WEEKDAYS[day] for _, day in run]
        runs.append(",".join(names) if len(names) <= 2 else f"{names[0]}-{names[-1]}")
    return ",".join(runs)


def named(bookings: Sequence[Commitment], what: str, zone: ZoneInfo) -> str:
    """Write ``3 bookings lie outside: …``, or nothing when there are none."""
    if not bookings:
        return ""
    verb, plural = what.split("/")
    names = [
        " ".join(filter(None, (local(b.starts_at, zone), b.service_name, b.customer_name)))
        for b in bookings[:MOST_NAMED]
    ]
    more = ["…"] if len(bookings) > MOST_NAMED else []
    said = verb if len(bookings) == 1 else plural
    return f"{count(len(bookings), 'booking')} {said}: {'; '.join(names + more)}"
