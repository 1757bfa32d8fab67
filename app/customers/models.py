from datetime import datetime

from sqlalchemy import UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base
from app.owned import OwnedRecord

LONGEST_NAME = 200
LONGEST_EMAIL = 254
"""What any door takes, so that none refuses what another let in."""


class Customer(OwnedRecord, Base):
    """A person known to a location, found again by phone (E.164)."""

    __tablename__ = "customer"
    __table_args__ = (UniqueConstraint("location_id", "phone"),)

    name: Mapped[str] = mapped_column(server_default="")
    phone: Mapped[str | None]
    email: Mapped[str | None]
    language: Mapped[str | None]
    notes: Mapped[str] = mapped_column(server_default="")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
