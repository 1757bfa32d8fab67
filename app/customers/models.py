from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    Computed,
    ForeignKeyConstraint,
    Index,
    Text,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base
from app.owned import OwnedRecord

LONGEST_NAME = 200
LONGEST_EMAIL = 254
"""What any door takes, so that none refuses what another let in."""


class Customer(OwnedRecord, Base):
    """A person known to a location, found again by phone (E.164).

    One that was merged into another stays, without bookings, to lead there: its phone may come
    again, and its address may be in somebody's notes.
    """

    __tablename__ = "customer"
    __table_args__ = (
        UniqueConstraint("location_id", "phone"),
        ForeignKeyConstraint(
            ["location_id", "merged_into"],
            ["customer.location_id", "customer.id"],
            name="fk_customer_merged_into",
        ),
        CheckConstraint(
            "(blocked_at IS NULL) = (blocked_by IS NULL)"
            " AND (blocked_at IS NULL) = (blocked_reason IS NULL)",
            name="block",
        ),
        CheckConstraint(
            "(merged_into IS NULL) = (merged_at IS NULL) AND merged_into IS DISTINCT FROM id",
            name="merge",
        ),
        Index(
            "ix_customer_words",
            "location_id",
            "words",
            postgresql_using="gin",
            postgresql_ops={"words": "gin_trgm_ops"},
        ),
        Index("ix_customer_list", "location_id", "words", "id"),
        Index(
            "ix_customer_merged_into",
            "location_id",
            "merged_into",
            postgresql_where=text("merged_into IS NOT NULL"),
        ),
    )

    name: Mapped[str] = mapped_column(server_default="")
    phone: Mapped[str | None]
    email: Mapped[str | None]
    language: Mapped[str | None]
    notes: Mapped[str] = mapped_column(server_default="")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    words: Mapped[str | None] = mapped_column(
        Text(collation="C"), Computed("customer_words(name, phone)", persisted=True)
    )
    version: Mapped[int] = mapped_column(server_default="1")
    blocked_at: Mapped[datetime | None]
    blocked_by: Mapped[str | None]
    blocked_reason: Mapped[str | None]
    merged_into: Mapped[UUID | None]
    merged_at: Mapped[datetime | None]
