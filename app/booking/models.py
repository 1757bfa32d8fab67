from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import TSTZRANGE, ExcludeConstraint, Range
from sqlalchemy.orm import Mapped, mapped_column

from app.booking.states import TEMPORARY, Status
from app.catalog.models import EXCLUSIVE
from app.database import Base
from app.money import Cents
from app.owned import Owned

NO_OVERLAP = "ex_allocation_no_overlap"

BUCKET_MINUTES = 5
"""Pools count their use in buckets of this length: the finest step that services use."""


def _in(statuses: frozenset[Status]) -> str:
    return "status IN (" + ", ".join(f"'{s.value}'" for s in sorted(statuses)) + ")"


class Booking(Owned, Base):
    """A place kept for a person. Only ``moves.py`` and ``expiry.py`` change its status."""

    __tablename__ = "booking"
    __table_args__ = (
        ForeignKeyConstraint(["location_id", "service_id"], ["service.location_id", "service.id"]),
        ForeignKeyConstraint(
            ["location_id", "customer_id"], ["customer.location_id", "customer.id"]
        ),
        ForeignKeyConstraint(
            ["location_id", "rescheduled_to"],
            ["booking.location_id", "booking.id"],
            name="fk_booking_rescheduled_to",
            deferrable=True,
            initially="DEFERRED",
        ),
        UniqueConstraint("location_id", "rescheduled_to"),
        UniqueConstraint("location_id", "request_key"),
        CheckConstraint(_in(frozenset(Status)), name="status"),
        CheckConstraint(f"({_in(TEMPORARY)}) = (expires_at IS NOT NULL)", name="expiry"),
        CheckConstraint("ends_at > starts_at", name="span"),
        CheckConstraint("ends_at <= starts_at + interval '24 hours'", name="length"),
        CheckConstraint("status <> 'no_show' OR no_show_by IS NOT NULL", name="no_show_by_person"),
        CheckConstraint(
            "rescheduled_to IS NULL OR status = 'cancelled'", name="rescheduled_is_cancelled"
        ),
        CheckConstraint("units >= 1", name="units"),
        Index("ix_booking_day", "location_id", "starts_at"),
        Index("ix_booking_expires", "expires_at", postgresql_where=text(_in(TEMPORARY))),
        Index(
            "ix_booking_unarrived",
            "starts_at",
            postgresql_where=text("status = 'confirmed' AND no_show_suggested_at IS NULL"),
        ),
        Index(
            "ix_booking_to_review",
            "location_id",
            "starts_at",
            postgresql_where=text(
                "status = 'confirmed' AND no_show_suggested_at IS NOT NULL"
                " AND no_show_dismissed_at IS NULL"
            ),
        ),
        Index("ix_booking_phone", "location_id", "customer_phone"),
        Index("ix_booking_customer", "location_id", "customer_id", "starts_at"),
        Index(
            "ix_booking_live_holds",
            "location_id",
            "made_by",
            postgresql_where=text(_in(TEMPORARY)),
        ),
        Index(
            "ix_booking_live_phone",
            "location_id",
            "customer_phone",
            postgresql_where=text(_in(TEMPORARY)),
        ),
    )

    service_id: Mapped[UUID]
    service_name: Mapped[str]
    customer_id: Mapped[UUID | None]
    customer_name: Mapped[str | None]
    customer_phone: Mapped[str | None]
    customer_email: Mapped[str | None]
    notes: Mapped[str] = mapped_column(server_default="")
    starts_at: Mapped[datetime]
    ends_at: Mapped[datetime]
    status: Mapped[str]
    expires_at: Mapped[datetime | None]
    extended_minutes: Mapped[int] = mapped_column(server_default="0")
    units: Mapped[int] = mapped_column(server_default="1")
    price_cents: Mapped[Cents]
    deposit_cents: Mapped[Cents]
    currency: Mapped[str]
    policy: Mapped[dict[str, Any]]
    channel: Mapped[str]
    request_key: Mapped[str | None] = mapped_column(
        comment="digest of client, call and Idempotency-Key that made it; kept for ever"
    )
    made_by: Mapped[UUID | None] = mapped_column(comment="the user or API key that made it")
    rescheduled_to: Mapped[UUID | None]
    cancel_reason: Mapped[str | None]
    checked_in_at: Mapped[datetime | None]
    no_show_suggested_at: Mapped[datetime | None]
    no_show_dismissed_at: Mapped[datetime | None]
    no_show_by: Mapped[UUID | None] = mapped_column(ForeignKey("staff_user.id"))
    version: Mapped[int] = mapped_column(server_default="1")
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())


class Allocation(Owned, Base):
    """A resource taken by a booking, buffers included. Kept when released: history."""

    __tablename__ = "allocation"
    __table_args__ = (
        ForeignKeyConstraint(
            ["location_id", "booking_id"],
            ["booking.location_id", "booking.id"],
            deferrable=True,
            initially="DEFERRED",
        ),
        ForeignKeyConstraint(
            ["location_id", "resource_id", "kind"],
            ["resource.location_id", "resource.id", "resource.kind"],
        ),
        ExcludeConstraint(
            ("location_id", "="),
            ("resource_id", "="),
            ("during", "&&"),
            where=text(f"active AND kind = '{EXCLUSIVE}'"),
            using="gist",
            name=NO_OVERLAP,
        ),
        CheckConstraint(
            "NOT isempty(during) AND lower_inc(during) AND NOT upper_inc(during)"
            " AND NOT lower_inf(during) AND NOT upper_inf(during)"
            " AND isfinite(lower(during)) AND isfinite(upper(during))",
            name="span",
        ),
        CheckConstraint("units >= 1", name="units"),
        CheckConstraint("kind = 'pooled' OR units = 1", name="exclusive_is_one"),
        UniqueConstraint("location_id", "booking_id", "resource_id"),
        Index(
            "ix_allocation_pooled",
            "location_id",
            "resource_id",
            "during",
            postgresql_using="gist",
            postgresql_where=text("active AND kind = 'pooled'"),
        ),
    )

    booking_id: Mapped[UUID]
    resource_id: Mapped[UUID]
    kind: Mapped[str]
    units: Mapped[int]
    during: Mapped[Range[datetime]] = mapped_column(TSTZRANGE)
    active: Mapped[bool]


class PoolUsage(Base):
    """How many places of a pool are taken in one bucket of time."""

    __tablename__ = "pool_usage"
    __table_args__ = (
        ForeignKeyConstraint(
            ["location_id", "resource_id"], ["resource.location_id", "resource.id"]
        ),
        CheckConstraint("used BETWEEN 0 AND capacity", name="never_over"),
    )

    location_id: Mapped[UUID] = mapped_column(primary_key=True)
    resource_id: Mapped[UUID] = mapped_column(primary_key=True)
    bucket_start: Mapped[datetime] = mapped_column(primary_key=True)
    used: Mapped[int]
    capacity: Mapped[int]


class IdempotencyKey(Base):
    """What a request with a key was answered, written in the transaction of its work."""

    __tablename__ = "idempotency_key"
    __table_args__ = (Index(None, "created_at"),)

    location_id: Mapped[UUID] = mapped_column(primary_key=True)
    request_key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    status: Mapped[int]
    body: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
