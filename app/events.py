from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Identity, Index, func, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from app.database import Base


class Event(StrEnum):
    """Facts in the past tense, as design/api.md names them. One row each, in the outbox."""

    HELD = "booking.held"
    EXTENDED = "booking.extended"
    EXPIRED = "booking.expired"
    PENDING_PAYMENT = "booking.pending_payment"
    CONFIRMED = "booking.confirmed"
    CHECKED_IN = "booking.checked_in"
    COMPLETED = "booking.completed"
    CANCELLED = "booking.cancelled"
    RESCHEDULED = "booking.rescheduled"
    NO_SHOW_SUGGESTED = "booking.no_show_suggested"
    NO_SHOW_DISMISSED = "booking.no_show_dismissed"
    NO_SHOW = "booking.no_show"
    UNDONE = "booking.undone"
    PAYMENT_CREATED = "payment.created"
    PAYMENT_PAID = "payment.paid"
    REFUND_DUE = "payment.refund_due"
    REFUND_ASKED = "payment.refund_asked"
    REFUNDED = "payment.refunded"
    REFUND_FAILED = "payment.refund_failed"
    PAYMENT_KEPT = "payment.kept"
    PAYMENT_MOVED = "payment.moved"
    PAYMENT_SEEN = "payment.seen"


class Outbox(Base):
    """What happened, written in the transaction that made it true; drained by the worker."""

    __tablename__ = "outbox"
    __table_args__ = (
        Index(
            "ix_outbox_waiting", "next_try_at", "id", postgresql_where=text("handled_at IS NULL")
        ),
        Index("ix_outbox_booking", "location_id", "booking_id", "id"),
    )

    location_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    booking_id: Mapped[UUID | None]
    kind: Mapped[str]
    payload: Mapped[dict[str, Any]]
    at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    attempts: Mapped[int] = mapped_column(server_default="0")
    next_try_at: Mapped[datetime] = mapped_column(server_default=func.now())
    handled_at: Mapped[datetime | None]


Index("ix_outbox_tail", Outbox.id)


class Audit(Base):
    """Who did what, through which door, when. A trigger refuses to change or delete a row."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_subject", "location_id", "subject_id", "id"),)

    location_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    door: Mapped[str] = mapped_column(comment="desk, api, public, worker or cli")
    actor: Mapped[str] = mapped_column(comment="name as it was: a person, a key, or system")
    actor_id: Mapped[UUID | None]
    action: Mapped[str]
    subject_id: Mapped[UUID]
    detail: Mapped[dict[str, Any]]


@dataclass(frozen=True)
class Actor:
    """Who makes a change and through which door; goes into the audit trail as it is."""

    door: str
    name: str
    id: UUID | None = None
    is_person: bool = False


WORKER = Actor(door="worker", name="system")


def record(
    session: Session,
    location_id: UUID,
    event: Event,
    *,
    booking_id: UUID | None,
    subject_id: UUID,
    actor: Actor,
    payload: dict[str, Any],
) -> None:
    """Write an event and its line of the audit trail, for what is not a move of a booking."""
    session.add(
        Outbox(location_id=location_id, booking_id=booking_id, kind=event.value, payload=payload)
    )
    session.add(
        Audit(
            location_id=location_id,
            door=actor.door,
            actor=actor.name,
            actor_id=actor.id,
            action=event.value,
            subject_id=subject_id,
            detail=payload,
        )
    )
    session.flush()
