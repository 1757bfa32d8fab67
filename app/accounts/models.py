from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base
from app.ids import new_id
from app.owned import OwnedRecord

OWNER = "owner"
RECEPTIONIST = "receptionist"
PROFESSIONAL = "professional"

READ = "read"
BOOK = "book"
MANAGE = "manage"


class User(Base):
    """A person who logs in. One person may work at several locations."""

    __tablename__ = "staff_user"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id)
    email: Mapped[str]
    name: Mapped[str]
    password_hash: Mapped[str]
    session_token: Mapped[UUID] = mapped_column(
        default=new_id, comment="changes with the password: older sessions end"
    )
    disabled_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


Index("uq_staff_user_email", func.lower(User.email), unique=True)


class Membership(Base):
    """What a user may do at a location. A professional sees the column of ``resource_id``."""

    __tablename__ = "membership"
    __table_args__ = (
        ForeignKeyConstraint(
            ["location_id", "resource_id"], ["resource.location_id", "resource.id"]
        ),
        CheckConstraint("role IN ('owner', 'receptionist', 'professional')", name="role"),
        CheckConstraint("role <> 'professional' OR resource_id IS NOT NULL", name="own_column"),
    )

    location_id: Mapped[UUID] = mapped_column(ForeignKey("location.id"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("staff_user.id"), primary_key=True)
    role: Mapped[str]
    resource_id: Mapped[UUID | None]


class ApiKey(OwnedRecord, Base):
    """A program's key to one location. Only the hash of its secret is kept."""

    __tablename__ = "api_key"
    __table_args__ = (
        UniqueConstraint("location_id", "secret_hash"),
        CheckConstraint("scopes <@ ARRAY['read', 'book', 'manage']", name="scopes"),
    )

    name: Mapped[str]
    secret_hash: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    revoked_at: Mapped[datetime | None]
