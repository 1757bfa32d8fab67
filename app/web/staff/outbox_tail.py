"""Reading the outbox from its end. Ids commit out of order, so gaps are asked for again."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

GAP_SECONDS = 60
"""Longer than any transaction may last: an id that is missing still was rolled back."""

LOOK_BACK = 200
"""Ids below the newest that may belong to transactions still open when reading begins."""

BATCH = 500

EARLY_HOURS = 12

_TIMES = ("starts_at", "ends_at", "old_starts_at")

_NEWEST_HERE = text("""
    SELECT coalesce(max(id), 0) FROM outbox WHERE location_id = :location_id
""")
_NEWEST = text("SELECT coalesce(max(id), 0) FROM outbox")
_KNOWN = text("SELECT id FROM outbox WHERE id > :since")
_NEWS = text("""
    SELECT id, location_id, booking_id, kind, payload FROM outbox WHERE id > :last
    UNION ALL
    SELECT id, location_id, booking_id, kind, payload FROM outbox WHERE id = ANY(:gaps)
    ORDER BY id LIMIT :batch
""")


def newest_event(session: Session, location_id: UUID) -> int:
    """Tell the id of a location's latest event: what a page drawn from now on knows of."""
    newest: int = session.execute(_NEWEST_HERE, {"location_id": location_id}).scalar_one()
    return newest


@dataclass(frozen=True)
class Doorbell:
    """Something happened to a booking, or to money of none; who wants to know more asks."""

    location_id: UUID
    booking_id: UUID | None
    kind: str
    resources: tuple[UUID, ...]
    times: tuple[datetime, ...]

    def days(self, zone: ZoneInfo) -> list[str]:
        """Name the local days whose pages may show it; early hours belong to the evening too."""
        days: set[date] = set()
        for instant in self.times:
            wall = instant.astimezone(zone)
            days.add(wall.date())
            if wall.hour < EARLY_HOURS:
                days.add(wall.date() - timedelta(days=1))
        return sorted(day.isoformat() for day in days)


class OutboxTail:
    """Remembers how far it read, and which ids it jumped over."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._gaps: dict[int, float] = {}

    def read(self, connection: Connection, *, monotonic: float) -> list[Doorbell]:
        """Give what was committed since the last call; nothing on the first."""
        if self._last is None:
            self._last = connection.execute(_NEWEST).scalar_one()
            since = max(0, self._last - LOOK_BACK)
            known = set(connection.execute(_KNOWN, {"since": since}).scalars())
            self._note_gaps(set(range(since + 1, self._last + 1)) - known, monotonic)
            self._last = max(self._last, *known, 0)
            return []
        self._gaps = {
            each: noted for each, noted in self._gaps.items() if monotonic - noted < GAP_SECONDS
        }
        rows = connection.execute(
            _NEWS, {"last": self._last, "gaps": list(self._gaps), "batch": BATCH}
        ).all()
        for row in rows:
            if row.id in self._gaps:
                del self._gaps[row.id]
            else:
                self._note_gaps(range(self._last + 1, row.id), monotonic)
                self._last = row.id
        return [
            Doorbell(
                row.location_id,
                row.booking_id,
                row.kind,
                resources_of(row.payload),
                times_of(row.payload),
            )
            for row in rows
        ]

    def _note_gaps(self, ids: Iterable[int], monotonic: float) -> None:
        self._gaps.update(dict.fromkeys(ids, monotonic))


def resources_of(payload: dict[str, Any]) -> tuple[UUID, ...]:
    """List the resources an event is about; a move is about the old ones, too."""
    names = [*(payload.get("resource_ids") or ()), *(payload.get("old_resource_ids") or ())]
    return tuple(dict.fromkeys(UUID(name) for name in names))


def times_of(payload: dict[str, Any]) -> tuple[datetime, ...]:
    return tuple(datetime.fromisoformat(payload[name]) for name in _TIMES if payload.get(name))
