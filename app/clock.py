from datetime import UTC, datetime


class SystemClock:
    """The only reader of the machine's clock. Tests put another object in its place."""

    def now(self) -> datetime:
        """Return the present instant, in UTC."""
        return datetime.now(UTC)
