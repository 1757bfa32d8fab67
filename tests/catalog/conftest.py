from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, event


class Counting:
    """Counts the statements of a stretch of code, without the fixture's own savepoints."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @contextmanager
    def expects(self, number: int) -> Iterator[None]:
        seen: list[str] = []

        def note(*arguments: Any) -> None:
            if not arguments[2].startswith(("SAVEPOINT", "RELEASE")):
                seen.append(arguments[2])

        event.listen(self._connection, "before_cursor_execute", note)
        try:
            yield
        finally:
            event.remove(self._connection, "before_cursor_execute", note)
        assert len(seen) == number, seen


@pytest.fixture
def statements(connection: Connection) -> Counting:
    return Counting(connection)
