from bisect import bisect_right
from collections import defaultdict
from datetime import date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.models import BUCKET_MINUTES
from app.catalog.models import EXCLUSIVE, LONGEST_VISIT, POOLED
from app.catalog.offer import Candidate, Offer
from app.intervals import Span, merge, touches

_BUCKET_SECONDS = BUCKET_MINUTES * 60

NEAR = " UNION ALL ".join(
    f"""
    SELECT a.location_id, a.booking_id, a.resource_id, a.units, a.during FROM allocation a
    WHERE a.location_id = :location_id AND a.resource_id = ANY(:resource_ids)
        AND a.during && tstzrange(:since, :until) AND a.active AND a.kind = '{kind}'
    """
    for kind in (EXCLUSIVE, POOLED)
)
"""What occupies some resources in a window. Each half is served by a partial index of its own,
so the cost follows the window and not the years of history."""

_TAKEN = text(f"""
    WITH near AS ({NEAR})
    SELECT near.resource_id, near.units, lower(near.during), upper(near.during)
    FROM near JOIN booking b ON b.location_id = near.location_id AND b.id = near.booking_id
    WHERE b.expires_at IS NULL OR b.expires_at > clock_now()
""")

Usage = list[tuple[datetime, int]]
"""From each instant on, how many places are used, until the next entry."""


def bucket_floor(instant: datetime) -> datetime:
    """Tell where the pool bucket that holds ``instant`` begins."""
    return instant - timedelta(
        seconds=instant.timestamp() % _BUCKET_SECONDS,
    )


def _bucket_ceil(instant: datetime) -> datetime:
    floor = bucket_floor(instant)
    return floor if floor == instant else floor + timedelta(seconds=_BUCKET_SECONDS)


class Occupancy:
    """What is taken of some resources in a window; holds that lapsed are not in it."""

    def __init__(self, taken: list[tuple[UUID, int, datetime, datetime]], zone: ZoneInfo) -> None:
        spans: dict[UUID, list[Span]] = defaultdict(list)
        steps: dict[UUID, dict[datetime, int]] = defaultdict(lambda: defaultdict(int))
        self._booked: dict[tuple[UUID, date], int] = defaultdict(int)
        for resource_id, units, start, end in taken:
            spans[resource_id].append((start, end))
            steps[resource_id][bucket_floor(start)] += units
            steps[resource_id][_bucket_ceil(end)] -= units
            self._booked[resource_id, start.astimezone(zone).date()] += 1
        self._busy = {resource_id: merge(found) for resource_id, found in spans.items()}
        self._usage = {resource_id: _running_sum(found) for resource_id, found in steps.items()}

    @staticmethod
    def empty(offer: Offer) -> "Occupancy":
        """Know nothing: everything looks free, and taking it will tell."""
        return Occupancy([], offer.place.zone)

    def is_free(self, candidate: Candidate, during: Span, units: int) -> bool:
        """Tell whether ``units`` more places fit during all of [during)."""
        if candidate.is_exclusive:
            return not touches(self._busy.get(candidate.id, []), *during)
        return units <= self.places_left(candidate, during)

    def places_left(self, candidate: Candidate, during: Span) -> int:
        """Tell the fewest free places of a pool at any moment of [during)."""
        usage = self._usage.get(candidate.id, [])
        start, end = bucket_floor(during[0]), _bucket_ceil(during[1])
        index = max(0, bisect_right(usage, start, key=lambda entry: entry[0]) - 1)
        peak = 0
        while index < len(usage) and usage[index][0] < end:
            following = usage[index + 1][0] if index + 1 < len(usage) else end
            if following > start:
                peak = max(peak, usage[index][1])
            index += 1
        return candidate.capacity - peak

    def booked_on(self, resource_id: UUID, day: date) -> int:
        """Tell how many bookings of a resource begin on a local day."""
        return self._booked[resource_id, day]


def _running_sum(steps: dict[datetime, int]) -> Usage:
    usage, used = [], 0
    for instant in sorted(steps):
        used += steps[instant]
        usage.append((instant, used))
    return usage


def read_occupancy(session: Session, offer: Offer, window: Span) -> Occupancy:
    """Read what is taken of everything ``offer`` may use, a day around the window. One statement.

    The day around covers buffers, visits that began before it, and the day's fairness counts.
    """
    around = timedelta(minutes=LONGEST_VISIT)
    rows = session.execute(
        _TAKEN,
        {
            "location_id": offer.place.id,
            "resource_ids": [c.id for need in offer.needs for c in need.candidates],
            "since": window[0] - around,
            "until": window[1] + around,
        },
    )
    return Occupancy([tuple(row) for row in rows], offer.place.zone)
