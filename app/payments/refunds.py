"""Money given back: asked for by a person, carried out by the worker, or taken by the bank."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.ids import new_id
from app.money import Cents
from app.payments.claiming import LEASE, claim_one
from app.payments.errors import MoreThanPaid, NotDue, RefundTooLate
from app.payments.models import Method, Payment, Refund, RefundStatus, Standing
from app.payments.money import give_back, left_of
from app.payments.pix import gateway
from app.payments.pix.gateway import RefundState

WINDOW = timedelta(days=90)
"""For how long after a payment Pix gives it back (design/pix.md 1.2)."""

_UNDER_WAY = (RefundStatus.ASKED.value, RefundStatus.PENDING.value)
_LOOKS = tuple(timedelta(seconds=s) for s in (1, 2, 4, 8, 15, 30, 60, 300, 900, 3600))
_STATUS_OF = {
    gateway.RefundStatus.PENDING: RefundStatus.PENDING,
    gateway.RefundStatus.DONE: RefundStatus.DONE,
    gateway.RefundStatus.FAILED: RefundStatus.FAILED,
    gateway.RefundStatus.UNKNOWN: RefundStatus.PENDING,
}

_ACCOUNT = """(
    SELECT p.account_id FROM payment p WHERE p.location_id = t.location_id AND p.id = t.payment_id)
"""

_CLAIM = claim_one(
    "refund",
    due="t.next_look_at <= clock_now()",
    account=_ACCOUNT,
    changes="""looks = t.looks + 1,
        next_look_at = clock_now() + greatest(:lease, least(t.looks, 60) * interval '1 minute')
    """,
    gives="t.location_id, t.id, t.payment_id, t.refund_id, t.return_id, t.amount_cents, t.status",
)


@dataclass(frozen=True)
class RefundToSend:
    """A refund that the provider is to be told of, or asked about."""

    location_id: UUID
    id: UUID
    payment_id: UUID
    account_id: UUID
    end_to_end_id: str
    refund_id: str
    return_id: str | None
    amount: Cents
    is_first: bool


def under_way(session: Session, payment: Payment) -> Cents:
    """Tell how much of a payment is on its way back."""
    total = session.scalar(
        select(func.coalesce(func.sum(Refund.amount_cents), 0)).where(
            Refund.location_id == payment.location_id,
            Refund.payment_id == payment.id,
            Refund.status.in_(_UNDER_WAY),
        )
    )
    return Cents(int(total or 0))


def ask_refund(
    session: Session,
    payment: Payment,
    *,
    amount: Cents | None,
    asked_by: str,
    clock: datetime,
) -> Refund:
    """Have some of a locked payment sent back, all that is left if no ``amount`` is told.

    Each has an id of its own, so that asking the provider again can never give the money twice.

    Raises:
        NotDue: it is not in the list, came in by hand, or all of it is on its way.
        MoreThanPaid: more than what is left.
        RefundTooLate: the provider gives it back no more.
    """
    free = left_of(payment) - under_way(session, payment)
    if payment.standing != Standing.DUE.value or payment.method != Method.PIX.value or free <= 0:
        raise NotDue
    if amount is not None and not 0 < amount <= free:
        raise MoreThanPaid
    if payment.refund_until is not None and clock > payment.refund_until:
        raise RefundTooLate
    return _write(session, payment, amount or Cents(free), asked_by=asked_by, next_look_at=clock)


def returned_by_hand(
    session: Session, payment: Payment, *, asked_by: str, note: str, clock: datetime
) -> Refund:
    """Note that a person gave what is left of a locked payment back by other means.

    Raises:
        NotDue: it is not in the list, or some of it is on its way.
    """
    if payment.standing != Standing.DUE.value or under_way(session, payment):
        raise NotDue
    refund = _write(session, payment, left_of(payment), asked_by=asked_by, next_look_at=None)
    refund.status, refund.is_by_hand, refund.note = RefundStatus.DONE.value, True, note
    refund.settled_at = clock
    give_back(session, payment, refund.amount_cents, is_by_provider=False)
    return refund


def _write(
    session: Session,
    payment: Payment,
    amount: Cents,
    *,
    asked_by: str,
    next_look_at: datetime | None,
    refund_id: str | None = None,
) -> Refund:
    refund = Refund(
        location_id=payment.location_id,
        id=new_id(),
        payment_id=payment.id,
        refund_id=refund_id or uuid4().hex,
        amount_cents=amount,
        status=RefundStatus.ASKED.value,
        is_ours=True,
        is_by_hand=False,
        asked_by=asked_by,
        next_look_at=next_look_at,
        looks=0,
    )
    session.add(refund)
    session.flush()
    return refund


def follow(
    session: Session, payment: Payment, state: RefundState, *, provider: str, clock: datetime
) -> Refund | None:
    """Bring what the provider says of a refund into a locked payment; give it if it is news.

    A refund that we never asked for was made by the bank: its money is gone all the same, and the
    payment is flagged for a person. What is done stays done, whatever comes later.
    """
    refund = session.scalar(
        select(Refund)
        .where(
            Refund.location_id == payment.location_id,
            Refund.payment_id == payment.id,
            Refund.refund_id == state.refund_id,
        )
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    status = _STATUS_OF[state.status]
    if refund is None:
        refund = _write(
            session,
            payment,
            state.amount,
            asked_by=provider,
            next_look_at=clock,
            refund_id=state.refund_id,
        )
        refund.is_ours, refund.note = False, state.reason
        payment.is_flagged = True
    if refund.status in {RefundStatus.DONE.value, status.value}:
        return None
    if refund.status == RefundStatus.FAILED.value and status is not RefundStatus.DONE:
        return None
    refund.status, refund.return_id = status.value, state.return_id or refund.return_id
    if status is RefundStatus.PENDING:
        return refund
    refund.next_look_at, refund.settled_at = None, state.settled_at or clock
    if status is RefundStatus.FAILED:
        refund.failure = state.reason or "refused"
    else:
        _went_back(session, payment, refund)
    session.flush()
    return refund


def _went_back(session: Session, payment: Payment, refund: Refund) -> None:
    """Write down money that is gone; a person looks if it was not in the list any more.

    The bank has the last word: what it gave back although somebody else did, too, is noted with
    the refund, since there is nothing left in our books that it could be taken from.
    """
    if payment.standing != Standing.DUE.value:
        payment.is_flagged = True
    cents = Cents(min(refund.amount_cents, left_of(payment)))
    if excess := refund.amount_cents - cents:
        refund.note = f"{refund.note} {excess} cents more than was left".strip()
    if cents:
        give_back(session, payment, cents, is_by_provider=True)


def fail(refund: Refund, reason: str, clock: datetime) -> None:
    """Note that the provider refused a refund for good; a new one may be asked for."""
    refund.status, refund.failure = RefundStatus.FAILED.value, reason
    refund.next_look_at, refund.settled_at = None, clock


def look_later(refund: Refund, clock: datetime) -> None:
    """Ask again after a while that grows from a second to an hour."""
    refund.next_look_at = clock + _LOOKS[min(refund.looks, len(_LOOKS) - 1)]


def lock_refund(session: Session, location_id: UUID, refund_id: UUID) -> Refund | None:
    """Lock a refund; its payment is locked before."""
    return session.scalar(
        select(Refund)
        .where(Refund.location_id == location_id, Refund.id == refund_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )


def claim_refund(session: Session) -> RefundToSend | None:
    """Take one refund that is due to be sent or asked about, for the length of a lease."""
    row = session.execute(_CLAIM, {"lease": LEASE}).first()
    if row is None:
        return None
    payment = session.get_one(Payment, (row.location_id, row.payment_id))
    return RefundToSend(
        location_id=row.location_id,
        id=row.id,
        payment_id=row.payment_id,
        account_id=payment.account_id or UUID(int=0),
        end_to_end_id=payment.end_to_end_id or "",
        refund_id=row.refund_id,
        return_id=row.return_id,
        amount=Cents(row.amount_cents),
        is_first=row.status == RefundStatus.ASKED.value,
    )
