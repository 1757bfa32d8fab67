from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKeyConstraint,
    Identity,
    Index,
    LargeBinary,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.database import Base
from app.money import Cents
from app.owned import Owned, OwnedRecord


class ChargeStatus(StrEnum):
    """What we know of a charge. Whether it is paid is a fact of its payments."""

    ASKED = "asked"  # written down; the provider may or may not have it
    OPEN = "open"  # the customer can pay it
    OVER = "over"  # it should not be paid any more; if it is, we will see it


class Standing(StrEnum):
    """Where the money of a payment is. Each is in one place only."""

    APPLIED = "applied"  # on its booking
    DUE = "due"  # in the list of what somebody has to decide on
    RETURNED = "returned"  # with who paid it
    KEPT = "kept"  # the business's, for a reason that a person gave


class RefundStatus(StrEnum):
    ASKED = "asked"  # written down; the provider may or may not have it
    PENDING = "pending"  # the provider has it
    DONE = "done"
    FAILED = "failed"  # it did not happen; a new one may be asked for


class Place(StrEnum):
    """Where money can be, in the ledger."""

    PAYER = "payer"
    BOOKING = "booking"
    DUE = "due"
    HOUSE = "house"


class Method(StrEnum):
    """How money came in. All but Pix is what a person says to have received."""

    PIX = "pix"
    CASH = "cash"
    CARD = "card"
    TRANSFER = "transfer"
    OTHER = "other"


def _one_of(column: str, kind: type[StrEnum]) -> str:
    return f"{column} IN (" + ", ".join(f"'{each.value}'" for each in kind) + ")"


class PaymentAccount(OwnedRecord, Base):
    """A location's account at a Pix provider. Secrets are sealed with the deployment's key.

    ``webhook_digest`` is of the secret in the address that the provider calls; a location has one
    open account at a time, and money that comes into a closed one is still looked after.
    """

    __tablename__ = "payment_account"
    __table_args__ = (
        Index(
            "uq_payment_account_open",
            "location_id",
            unique=True,
            postgresql_where=text("closed_at IS NULL"),
        ),
        Index("ix_payment_account_id", "id"),
        Index("ix_payment_account_sweep", "next_sweep_at"),
        Index("ix_payment_account_fingerprint", "fingerprint"),
    )

    name: Mapped[str]
    settings: Mapped[dict[str, Any]]
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    fingerprint: Mapped[str] = mapped_column(
        comment="of the provider, its address and the key: who has the same money has the same"
    )
    webhook_digest: Mapped[str | None]
    paused_until: Mapped[datetime | None] = mapped_column(
        comment="its provider did not answer; nothing is asked of it before"
    )
    next_sweep_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    swept_until: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())


def _of_an_account() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["location_id", "account_id"], ["payment_account.location_id", "payment_account.id"]
    )


def _of_a_booking(column: str = "booking_id") -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["location_id", column], ["booking.location_id", "booking.id"])


class Charge(Owned, Base):
    """A deposit that was asked for. ``txid`` is ours, and committed before the provider hears it.

    ``asked`` keeps who confirmed, and for whom, until the provider gave the code. ``payable_until``
    is what people see; ``expires_in_seconds`` what the provider was first asked for.
    """

    __tablename__ = "charge"
    __table_args__ = (
        _of_an_account(),
        _of_a_booking(),
        UniqueConstraint("location_id", "txid"),
        CheckConstraint(_one_of("status", ChargeStatus), name="status"),
        CheckConstraint("amount_cents > 0", name="amount"),
        CheckConstraint("status <> 'open' OR copy_paste IS NOT NULL", name="open_has_code"),
        Index(
            "uq_charge_live",
            "location_id",
            "booking_id",
            unique=True,
            postgresql_where=text("status IN ('asked', 'open')"),
        ),
        Index("ix_charge_booking", "location_id", "booking_id"),
        Index("ix_charge_look", "next_look_at", postgresql_where=text("next_look_at IS NOT NULL")),
    )

    account_id: Mapped[UUID]
    booking_id: Mapped[UUID]
    txid: Mapped[str]
    amount_cents: Mapped[Cents]
    currency: Mapped[str]
    status: Mapped[str] = mapped_column(server_default="asked")
    asked: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    copy_paste: Mapped[str | None]
    payable_until: Mapped[datetime]
    expires_in_seconds: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    opened_at: Mapped[datetime | None]
    next_look_at: Mapped[datetime | None]
    last_failure: Mapped[str | None]


class Payment(Owned, Base):
    """Money that came in, known by (account, end-to-end id), or by a person's word.

    ``booking_id`` is the booking it is on, or was meant for. The provider gives it back until
    ``refund_until``.
    """

    __tablename__ = "payment"
    __table_args__ = (
        _of_an_account(),
        _of_a_booking(),
        ForeignKeyConstraint(["location_id", "charge_id"], ["charge.location_id", "charge.id"]),
        UniqueConstraint("location_id", "account_id", "end_to_end_id"),
        CheckConstraint(_one_of("standing", Standing), name="standing"),
        CheckConstraint(_one_of("method", Method), name="method"),
        CheckConstraint("amount_cents > 0", name="amount"),
        CheckConstraint("returned_cents BETWEEN 0 AND amount_cents", name="never_more_than_paid"),
        CheckConstraint(
            "(standing = 'returned') = (returned_cents = amount_cents)", name="returned_is_all"
        ),
        CheckConstraint("standing <> 'applied' OR booking_id IS NOT NULL", name="on_a_booking"),
        CheckConstraint("standing <> 'due' OR reason IS NOT NULL", name="due_has_reason"),
        CheckConstraint(
            "(method = 'pix') = (end_to_end_id IS NOT NULL AND account_id IS NOT NULL)",
            name="pix_has_id",
        ),
        Index("ix_payment_booking", "location_id", "booking_id"),
        Index("ix_payment_charge", "location_id", "charge_id"),
        Index("ix_payment_paid", "location_id", "account_id", "paid_at"),
        Index(
            "ix_payment_to_decide",
            "location_id",
            "paid_at",
            postgresql_where=text("standing = 'due' OR is_flagged"),
        ),
    )

    account_id: Mapped[UUID | None]
    charge_id: Mapped[UUID | None]
    booking_id: Mapped[UUID | None]
    end_to_end_id: Mapped[str | None]
    method: Mapped[str]
    amount_cents: Mapped[Cents]
    returned_cents: Mapped[Cents] = mapped_column(server_default="0")
    currency: Mapped[str]
    paid_at: Mapped[datetime]
    standing: Mapped[str]
    reason: Mapped[str | None]
    note: Mapped[str] = mapped_column(server_default="")
    refund_until: Mapped[datetime | None]
    is_flagged: Mapped[bool] = mapped_column(
        server_default=text("false"), comment="the bank took money back, and nobody looked yet"
    )


class Refund(Owned, Base):
    """Money on its way back. ``refund_id`` is ours, or the bank's when it took the money itself."""

    __tablename__ = "refund"
    __table_args__ = (
        ForeignKeyConstraint(["location_id", "payment_id"], ["payment.location_id", "payment.id"]),
        UniqueConstraint("location_id", "payment_id", "refund_id"),
        CheckConstraint(_one_of("status", RefundStatus), name="status"),
        CheckConstraint("amount_cents > 0", name="amount"),
        Index("ix_refund_look", "next_look_at", postgresql_where=text("next_look_at IS NOT NULL")),
    )

    payment_id: Mapped[UUID]
    refund_id: Mapped[str]
    amount_cents: Mapped[Cents]
    status: Mapped[str]
    is_ours: Mapped[bool] = mapped_column(server_default=text("true"))
    is_by_hand: Mapped[bool] = mapped_column(server_default=text("false"))
    note: Mapped[str] = mapped_column(server_default="")
    return_id: Mapped[str | None]
    asked_by: Mapped[str]
    asked_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    settled_at: Mapped[datetime | None]
    next_look_at: Mapped[datetime | None]
    looks: Mapped[int] = mapped_column(server_default="0")
    failure: Mapped[str | None]


class LedgerEntry(Base):
    """One movement of money from one place to another. A trigger refuses to change a row.

    ``account_id`` is the provider's account whose balance it changes; empty when the money moved
    between places of ours, or in a way that no provider sees.
    """

    __tablename__ = "ledger_entry"
    __table_args__ = (
        _of_an_account(),
        _of_a_booking("source_booking_id"),
        _of_a_booking("target_booking_id"),
        ForeignKeyConstraint(["location_id", "payment_id"], ["payment.location_id", "payment.id"]),
        CheckConstraint("cents > 0", name="cents"),
        CheckConstraint(_one_of("source", Place), name="source"),
        CheckConstraint(_one_of("target", Place), name="target"),
        CheckConstraint("(source = 'booking') = (source_booking_id IS NOT NULL)", name="from"),
        CheckConstraint("(target = 'booking') = (target_booking_id IS NOT NULL)", name="to"),
        CheckConstraint(
            "(source, source_booking_id) IS DISTINCT FROM (target, target_booking_id)",
            name="moves",
        ),
        Index("ix_ledger_payment", "location_id", "payment_id"),
        Index("ix_ledger_source", "location_id", "source_booking_id"),
        Index("ix_ledger_target", "location_id", "target_booking_id"),
    )

    location_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    account_id: Mapped[UUID | None]
    payment_id: Mapped[UUID]
    source: Mapped[str]
    source_booking_id: Mapped[UUID | None]
    target: Mapped[str]
    target_booking_id: Mapped[UUID | None]
    cents: Mapped[Cents]


class PixNotice(Base):
    """What a provider sent to our webhook, as it came. It says where to look, and nothing more."""

    __tablename__ = "pix_notice"
    __table_args__ = (
        _of_an_account(),
        Index("ix_pix_notice_waiting", "next_try_at", postgresql_where=text("handled_at IS NULL")),
        Index("ix_pix_notice_received", "received_at"),
    )

    location_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    account_id: Mapped[UUID]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    attempts: Mapped[int] = mapped_column(server_default="0")
    next_try_at: Mapped[datetime] = mapped_column(server_default=func.clock_now())
    handled_at: Mapped[datetime | None]
