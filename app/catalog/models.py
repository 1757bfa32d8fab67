from datetime import date, datetime
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    func,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base, Minutes
from app.ids import new_id
from app.money import Cents
from app.owned import OwnedRecord

EXCLUSIVE = "exclusive"
POOLED = "pooled"

MINUTES_OF_A_DAY = 24 * 60
LAST_CLOSING = 2 * MINUTES_OF_A_DAY
"""Hours may run past midnight: 26:00 is two in the morning of the next day."""

LARGEST_POOL = 10_000
"""Places of one pool: a fair, not a stadium; each hold of it waits for the one before."""

LONGEST_VISIT = MINUTES_OF_A_DAY
"""Minutes. No single allocation is longer, so a window needs to look back one day only."""


class Location(Base):
    """One business at one place, with its policies. What it owns carries its id first."""

    __tablename__ = "location"
    __table_args__ = (
        CheckConstraint("hold_minutes BETWEEN 1 AND 120", name="hold_minutes"),
        CheckConstraint("deposit_hold_minutes BETWEEN 1 AND 120", name="deposit_hold_minutes"),
        CheckConstraint("horizon_days BETWEEN 1 AND 730", name="horizon"),
        CheckConstraint("notice_minutes >= 0", name="notice"),
        CheckConstraint("cancellation_window_minutes >= 0", name="cancellation_window"),
        CheckConstraint("no_show_grace_minutes >= 0", name="no_show_grace"),
        CheckConstraint("settlement_margin_seconds >= 0", name="settlement_margin"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str]
    slug: Mapped[str] = mapped_column(unique=True)
    timezone: Mapped[str]
    currency: Mapped[str]
    country: Mapped[str]
    language: Mapped[str] = mapped_column(server_default="es")
    city: Mapped[str] = mapped_column(server_default="")
    hold_minutes: Mapped[int] = mapped_column(Minutes, server_default="10")
    deposit_hold_minutes: Mapped[int] = mapped_column(Minutes, server_default="15")
    settlement_margin_seconds: Mapped[int] = mapped_column(server_default="60")
    no_show_grace_minutes: Mapped[int] = mapped_column(Minutes, server_default="15")
    cancellation_window_minutes: Mapped[int] = mapped_column(server_default="0")
    notice_minutes: Mapped[int] = mapped_column(server_default="0")
    horizon_days: Mapped[int] = mapped_column(Minutes, server_default="60")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Service(OwnedRecord, Base):
    """What a customer buys. Lengths are in minutes; the price is the location's currency."""

    __tablename__ = "service"
    __table_args__ = (
        CheckConstraint(f"duration_minutes BETWEEN 5 AND {LONGEST_VISIT}", name="duration"),
        CheckConstraint("buffer_before_minutes BETWEEN 0 AND 720", name="buffer_before"),
        CheckConstraint("buffer_after_minutes BETWEEN 0 AND 720", name="buffer_after"),
        CheckConstraint("grid_minutes BETWEEN 5 AND 1440", name="grid"),
        CheckConstraint("deposit_cents BETWEEN 0 AND price_cents", name="deposit"),
    )

    name: Mapped[str]
    duration_minutes: Mapped[int] = mapped_column(Minutes)
    buffer_before_minutes: Mapped[int] = mapped_column(Minutes, server_default="0")
    buffer_after_minutes: Mapped[int] = mapped_column(Minutes, server_default="0")
    grid_minutes: Mapped[int] = mapped_column(Minutes, server_default="15")
    price_cents: Mapped[Cents] = mapped_column(server_default="0")
    deposit_cents: Mapped[Cents] = mapped_column(server_default="0")
    position: Mapped[int] = mapped_column(server_default="0")
    archived_at: Mapped[datetime | None]


class Resource(OwnedRecord, Base):
    """A person, room or machine (exclusive), or a number of equal places (pooled)."""

    __tablename__ = "resource"
    __table_args__ = (
        CheckConstraint("kind IN ('exclusive', 'pooled')", name="kind"),
        CheckConstraint(f"capacity BETWEEN 1 AND {LARGEST_POOL}", name="capacity"),
        CheckConstraint("kind = 'pooled' OR capacity = 1", name="exclusive_is_one"),
        UniqueConstraint("location_id", "id", "kind"),
    )

    name: Mapped[str]
    label: Mapped[str] = mapped_column(server_default="")
    kind: Mapped[str] = mapped_column(server_default=EXCLUSIVE)
    capacity: Mapped[int] = mapped_column(server_default="1")
    position: Mapped[int] = mapped_column(server_default="0")
    archived_at: Mapped[datetime | None]


class Requirement(OwnedRecord, Base):
    """One thing a service needs; any one of its options serves. The first sets the grid."""

    __tablename__ = "requirement"
    __table_args__ = (
        ForeignKeyConstraint(["location_id", "service_id"], ["service.location_id", "service.id"]),
        UniqueConstraint("location_id", "service_id", "id"),
        UniqueConstraint("location_id", "service_id", "position"),
        CheckConstraint("units >= 1", name="units"),
    )

    service_id: Mapped[UUID]
    position: Mapped[int]
    units: Mapped[int] = mapped_column(server_default="1")


class RequirementOption(Base):
    """A resource that can serve a requirement; it serves one requirement of a service only."""

    __tablename__ = "requirement_option"
    __table_args__ = (
        ForeignKeyConstraint(
            ["location_id", "service_id", "requirement_id"],
            ["requirement.location_id", "requirement.service_id", "requirement.id"],
        ),
        ForeignKeyConstraint(
            ["location_id", "resource_id"], ["resource.location_id", "resource.id"]
        ),
    )

    location_id: Mapped[UUID] = mapped_column(primary_key=True)
    service_id: Mapped[UUID] = mapped_column(primary_key=True)
    resource_id: Mapped[UUID] = mapped_column(primary_key=True)
    requirement_id: Mapped[UUID]


def _of_a_resource() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["location_id", "resource_id"], ["resource.location_id", "resource.id"]
    )


_SPAN = f"opens >= 0 AND opens < {MINUTES_OF_A_DAY} AND closes > opens AND closes <= {LAST_CLOSING}"


class WeeklyHours(OwnedRecord, Base):
    """One interval of every week. Wall time in minutes; 1440 closes at midnight, more after it."""

    __tablename__ = "weekly_hours"
    __table_args__ = (
        _of_a_resource(),
        CheckConstraint("weekday BETWEEN 0 AND 6", name="weekday"),
        CheckConstraint(_SPAN, name="span"),
        Index(None, "location_id", "resource_id", "weekday"),
    )

    resource_id: Mapped[UUID]
    weekday: Mapped[int] = mapped_column(Minutes, comment="0 is Monday")
    opens: Mapped[int] = mapped_column(Minutes)
    closes: Mapped[int] = mapped_column(Minutes)


class DatedHours(OwnedRecord, Base):
    """The hours of one date, in place of the weekly ones and of a holiday; no times: closed."""

    __tablename__ = "dated_hours"
    __table_args__ = (
        _of_a_resource(),
        CheckConstraint(
            f"(opens IS NULL AND closes IS NULL) OR "
            f"(opens IS NOT NULL AND closes IS NOT NULL AND {_SPAN})",
            name="span",
        ),
        Index(None, "location_id", "resource_id", "day"),
    )

    resource_id: Mapped[UUID]
    day: Mapped[date]
    opens: Mapped[int | None] = mapped_column(Minutes)
    closes: Mapped[int | None] = mapped_column(Minutes)


class TimeOff(OwnedRecord, Base):
    """A resource's absence, for part of a day or many days; subtracts from any hours."""

    __tablename__ = "time_off"
    __table_args__ = (
        _of_a_resource(),
        CheckConstraint("ends_at > starts_at", name="span"),
        Index(None, "location_id", "resource_id", "ends_at"),
    )

    resource_id: Mapped[UUID]
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    reason: Mapped[str] = mapped_column(server_default="")


class Holiday(OwnedRecord, Base):
    """A day the whole location is closed, unless a resource has dated hours for it."""

    __tablename__ = "holiday"
    __table_args__ = (UniqueConstraint("location_id", "day"),)

    day: Mapped[date]
    name: Mapped[str] = mapped_column(server_default="")
