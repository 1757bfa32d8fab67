from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from app.booking.views import BookingView
from app.catalog.models import Location


@dataclass(frozen=True)
class Scope:
    """What one reader may see: a location, and for a professional only the own column.

    ``margin`` is how long a place is kept after its deposit's code is over.
    """

    location_id: UUID
    name: str
    city: str
    zone: ZoneInfo
    country: str
    currency: str
    language: str
    margin: timedelta
    resource_id: UUID | None = None

    @staticmethod
    def of(location: Location, resource_id: UUID | None) -> "Scope":
        return Scope(
            location_id=location.id,
            name=location.name,
            city=location.city,
            zone=ZoneInfo(location.timezone),
            country=location.country,
            currency=location.currency,
            language=location.language,
            margin=timedelta(seconds=location.settlement_margin_seconds or 0),
            resource_id=resource_id,
        )

    @property
    def has_whole_agenda(self) -> bool:
        """Tell whether the reader sees everybody's bookings, and so the money of the place."""
        return self.resource_id is None

    def today(self, now: datetime) -> date:
        return now.astimezone(self.zone).date()

    def covers(self, resource_ids: tuple[UUID, ...]) -> bool:
        """Tell whether something that takes these resources is this reader's to see."""
        return self.resource_id is None or self.resource_id in resource_ids

    def covers_booking(self, booking: BookingView) -> bool:
        return self.covers(tuple(resource.id for resource in booking.resources))
