import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from sqlalchemy import text

from app.checkout.integrity import find_faults
from app.errors import DomainError
from app.extensions import db


class Arena:
    """Many callers at once, each on a real connection of its own."""

    def __init__(self, app: Flask) -> None:
        self.app = app

    def race(self, callers: int, work: Callable[[int], str]) -> Counter[str]:
        """Let all callers go at the same moment; count what each met."""
        barrier = threading.Barrier(callers)

        def run(number: int) -> str:
            with self.app.app_context():
                db.session.execute(text("SELECT 1"))  # connected before the start
                db.session.rollback()
                barrier.wait()
                try:
                    return work(number)
                except DomainError as refusal:
                    return refusal.code

        with ThreadPoolExecutor(callers) as pool:
            return Counter(pool.map(run, range(callers)))

    @contextmanager
    def without(self, *statements: str, restore: tuple[str, ...]) -> Iterator[None]:
        """Take a guard away, for the twin that must see the fault; put it back afterwards."""
        with db.engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))
        try:
            yield
        finally:
            with db.engine.begin() as connection:
                for statement in restore:
                    connection.execute(text(statement))

    def faults(self) -> list[str]:
        db.session.rollback()
        found = [f"{fault.what}: {fault.where}" for fault in find_faults(db.session())]
        db.session.rollback()
        return found


@pytest.fixture
def arena(real_app: Flask) -> Arena:
    return Arena(real_app)


@pytest.fixture
def next_week() -> datetime:
    """Eleven in the morning of a coming Wednesday in Sao Paulo, by the real clock."""
    now = datetime.now(UTC)
    ahead = (2 - now.weekday()) % 7 + 7
    return (now + timedelta(days=ahead)).replace(hour=14, minute=0, second=0, microsecond=0)
