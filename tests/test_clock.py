import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.clock import SystemClock

READS_THE_CLOCK = re.compile(r"\b(datetime\.(now|utcnow)|date\.today|time\.time)\(")


def test_the_clock_tells_utc() -> None:
    now = SystemClock().now()

    assert now.tzinfo is UTC
    assert abs(now - datetime.now(UTC)) < timedelta(seconds=5)


def test_nobody_else_reads_the_machine_s_clock() -> None:
    modules = [path for path in Path("app").rglob("*.py") if "devservices" not in path.parts]
    readers = {
        str(path)
        for path in modules
        for line in path.read_text().splitlines()
        if READS_THE_CLOCK.search(line) and "noqa: TID251" not in line  # each with its reason
    }

    assert readers == {"app/clock.py"}
