"""What doors show of payments. One statement each, whatever the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.errors import NotFound
from app.payments.models import ChargeStatus, RefundStatus, Standing


class Deposit(StrEnum):
    """What people and programs are told of a charge."""

    PENDING = "pending"
    PAID = "paid"
    EXPIRED = "expired"
    REFUNDED = "refunded"
    MOVED = "moved"


class Returning(StrEnum):
    """What became of money that is to go back."""

    DUE = "due"
    IN_PROGRESS = "in_progress"
    FAILED = "failed"
    REFUNDED = "refunded"


@dataclass(frozen=True)
class DepositView:
    """A booking's deposit: its charge and what became of the money."""

    booking_id: UUID
    txid: str
    status: Deposit
    amount_cents: int
    currency: str
    copy_paste: str
    payable_until: datetime
    paid_at: datetime | None
    refund: Returning | None
    reason: str | None


@dataclass(frozen=True)
class DueView:
    """Money that a person has to decide on, or that is on its way, or that the bank took."""

    payment_id: UUID
    booking_id: UUID | None
    method: str
    end_to_end_id: str | None
    amount_cents: int
    left_cents: int
    currency: str
    paid_at: datetime
    refund_until: datetime | None
    standing: Standing
    reason: str
    note: str
    refund: Returning | None
    failure: str | None
    is_flagged: bool


_LAST_REFUND = """
    LEFT JOIN LATERAL (
        SELECT r.status, r.failure, r.is_ours FROM refund r
        WHERE r.location_id = p.location_id AND r.payment_id = p.id
        ORDER BY r.asked_at DESC, r.id DESC LIMIT 1
    ) r ON true
"""

_DEPOSIT = f"""
    SELECT wanted.booking_id, c.txid, c.status AS charge, c.amount_cents, c.currency,
        c.copy_paste, c.payable_until, c.payable_until > clock_now() AS is_payable,
        p.paid_at, p.standing, p.reason, p.booking_id AS money_on, r.status AS refund,
        (SELECT min(other.paid_at) FROM payment other
            WHERE other.location_id = c.location_id AND other.booking_id = wanted.booking_id
                AND other.standing = 'applied') AS settled_at
    FROM wanted
    JOIN charge c ON c.location_id = :location_id AND c.id = wanted.charge_id
        AND c.copy_paste IS NOT NULL
    LEFT JOIN LATERAL (
        SELECT p.* FROM payment p
        WHERE p.location_id = c.location_id AND p.charge_id = c.id
        ORDER BY p.standing = 'applied' DESC, p.paid_at, p.id LIMIT 1
    ) p ON true
    {_LAST_REFUND}
"""

_DEPOSITS = text(f"""
    WITH wanted AS (
        SELECT asked.booking_id, coalesce(
            (SELECT p.charge_id FROM payment p
                WHERE p.location_id = :location_id AND p.booking_id = asked.booking_id
                    AND p.standing = 'applied' AND p.charge_id IS NOT NULL LIMIT 1),
            (SELECT c.id FROM charge c
                WHERE c.location_id = :location_id AND c.booking_id = asked.booking_id
                ORDER BY c.id DESC LIMIT 1)) AS charge_id
        FROM unnest(cast(:booking_ids AS uuid[])) AS asked (booking_id)
    ) {_DEPOSIT}
""")

_BY_TXID = text(f"""
    WITH wanted AS (
        SELECT booking_id, id AS charge_id FROM charge
        WHERE location_id = :location_id AND txid = :txid
    ) {_DEPOSIT}
""")

_DUE = text(f"""
    SELECT p.*, r.status AS refund, r.failure
    FROM payment p {_LAST_REFUND}
    WHERE p.location_id = :location_id AND (p.standing = 'due' OR p.is_flagged)
    ORDER BY p.booking_id IS NULL, p.paid_at, p.id
    LIMIT 200
""")

_RETURNING = {
    RefundStatus.ASKED.value: Returning.IN_PROGRESS,
    RefundStatus.PENDING.value: Returning.IN_PROGRESS,
    RefundStatus.FAILED.value: Returning.FAILED,
    RefundStatus.DONE.value: Returning.DUE,  # of a part; the rest is still due
}


def deposits_of(
    session: Session, location_id: UUID, booking_ids: Sequence[UUID]
) -> dict[UUID, DepositView]:
    """Read the deposits of some bookings; those without a charge are left out."""
    if not booking_ids:
        return {}
    rows = session.execute(
        _DEPOSITS, {"location_id": location_id, "booking_ids": list(booking_ids)}
    )
    return {row.booking_id: _deposit(row) for row in rows}


def find_deposit(session: Session, location_id: UUID, txid: str) -> DepositView:
    """Read a deposit by its charge's txid.

    Raises:
        NotFound: the location has none, or it has no code yet.
    """
    row = session.execute(_BY_TXID, {"location_id": location_id, "txid": txid}).first()
    if row is None:
        raise NotFound
    return _deposit(row)


def payments_due(session: Session, location_id: UUID) -> list[DueView]:
    """List the money that waits for a person's decision or is on its way back.

    What belongs to a booking comes first, then the oldest first; 200 at most.
    """
    return [_due(row) for row in session.execute(_DUE, {"location_id": location_id})]


def _deposit(row: Row[Any]) -> DepositView:
    return DepositView(
        booking_id=row.booking_id,
        txid=row.txid,
        status=_status(row),
        amount_cents=row.amount_cents,
        currency=row.currency,
        copy_paste=row.copy_paste,
        payable_until=row.payable_until,
        paid_at=row.paid_at or row.settled_at,
        refund=_returning(row),
        reason=row.reason,
    )


def _status(row: Row[Any]) -> Deposit:
    if row.standing is None and row.settled_at:  # in another way than by this charge
        return Deposit.PAID
    if row.standing is None:
        is_payable = row.charge == ChargeStatus.OPEN.value and row.is_payable
        return Deposit.PENDING if is_payable else Deposit.EXPIRED
    if row.standing == Standing.RETURNED.value:
        return Deposit.REFUNDED
    is_elsewhere = row.standing == Standing.APPLIED.value and row.money_on != row.booking_id
    return Deposit.MOVED if is_elsewhere else Deposit.PAID


def _returning(row: Row[Any]) -> Returning | None:
    if row.standing == Standing.RETURNED.value:
        return Returning.REFUNDED
    if row.standing != Standing.DUE.value:
        return None
    return _RETURNING.get(row.refund, Returning.DUE)


def _due(row: Row[Any]) -> DueView:
    return DueView(
        payment_id=row.id,
        booking_id=row.booking_id,
        method=row.method,
        end_to_end_id=row.end_to_end_id,
        amount_cents=row.amount_cents,
        left_cents=row.amount_cents - row.returned_cents,
        currency=row.currency,
        paid_at=row.paid_at,
        refund_until=row.refund_until,
        standing=Standing(row.standing),
        reason=row.reason or "",
        note=row.note,
        refund=_returning(row),
        failure=row.failure,
        is_flagged=row.is_flagged,
    )
