from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from app.catalog.hours import ResourceHours
from app.catalog.models import EXCLUSIVE


@dataclass(frozen=True)
class Place:
    """A location as the rules of booking need it."""

    id: UUID
    zone: ZoneInfo
    currency: str
    hold_for: timedelta
    deposit_hold_for: timedelta
    notice: timedelta
    horizon: timedelta
    policy: dict[str, Any]


@dataclass(frozen=True)
class Candidate:
    """A resource that can serve, with its hours of the window that was read."""

    id: UUID
    name: str
    kind: str
    capacity: int
    position: int
    hours: ResourceHours

    @property
    def is_exclusive(self) -> bool:
        return self.kind == EXCLUSIVE


@dataclass(frozen=True)
class Need:
    """One thing a service needs, served by any one of ``candidates``."""

    units: int
    candidates: tuple[Candidate, ...]

    def units_for(self, candidate: Candidate, times: int) -> int:
        """Tell how many places one booking of ``times`` units takes of ``candidate``."""
        return 1 if candidate.is_exclusive else self.units * times


@dataclass(frozen=True)
class Offer:
    """A service as it can be booked in a window of time: lengths, price and what it needs.

    The first need sets the grid: starts are counted from its resource's opening.
    """

    place: Place
    service_id: UUID
    service_name: str
    duration: timedelta
    buffer_before: timedelta
    buffer_after: timedelta
    grid: timedelta
    price_cents: int
    deposit_cents: int
    needs: tuple[Need, ...]

    def during(self, starts_at: datetime) -> tuple[datetime, datetime]:
        """Tell what a start occupies, buffers included."""
        return starts_at - self.buffer_before, starts_at + self.duration + self.buffer_after

    def can_use(self, resource_id: UUID) -> bool:
        """Tell whether the resource can serve any of the needs."""
        return any(c.id == resource_id for need in self.needs for c in need.candidates)

    @property
    def hold_for(self) -> timedelta:
        return self.place.deposit_hold_for if self.deposit_cents else self.place.hold_for
