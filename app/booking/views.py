from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.booking.states import TEMPORARY, Status


@dataclass(frozen=True)
class TakenResource:
    """A resource of a booking and how many of its places."""

    id: UUID
    name: str
    units: int


@dataclass(frozen=True)
class Contact:
    """Who the booking is for, as told for this booking. Phone is E.164."""

    name: str | None = None
    phone: str | None = None
    email: str | None = None
    customer_id: UUID | None = None


@dataclass(frozen=True)
class BookingView:
    """A booking as every door shows it: one row, with the names of what it takes."""

    location_id: UUID
    id: UUID
    service_id: UUID
    service_name: str
    resources: tuple[TakenResource, ...]
    starts_at: datetime
    ends_at: datetime
    status: Status
    expires_at: datetime | None
    extended_minutes: int
    units: int
    contact: Contact
    notes: str
    price_cents: int
    deposit_cents: int
    currency: str
    policy: dict[str, Any]
    channel: str
    rescheduled_from: UUID | None
    rescheduled_to: UUID | None
    cancel_reason: str | None
    checked_in_at: datetime | None
    no_show_suggested_at: datetime | None
    no_show_dismissed_at: datetime | None
    version: int
    created_at: datetime
    updated_at: datetime

    def has_lapsed(self, now: datetime) -> bool:
        """Tell whether a hold's time is over although nobody wrote it down yet."""
        return self.status in TEMPORARY and self.expires_at is not None and self.expires_at <= now
