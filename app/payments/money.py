"""Where each payment's money is. Every movement is a line of the ledger, written here only."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.ids import new_id
from app.money import Cents
from app.payments.models import LedgerEntry, Method, Payment, Place, Standing

_PLACE_OF = {
    Standing.APPLIED: Place.BOOKING,
    Standing.DUE: Place.DUE,
    Standing.KEPT: Place.HOUSE,
    Standing.RETURNED: Place.PAYER,
}


def left_of(payment: Payment) -> Cents:
    """Tell how much of a payment did not go back."""
    return Cents(payment.amount_cents - payment.returned_cents)


def receive(
    session: Session,
    *,
    location_id: UUID,
    amount: Cents,
    currency: str,
    paid_at: datetime,
    standing: Standing,
    booking_id: UUID | None,
    reason: str | None = None,
    account_id: UUID | None = None,
    charge_id: UUID | None = None,
    end_to_end_id: str | None = None,
    method: Method = Method.PIX,
    note: str = "",
    refund_until: datetime | None = None,
) -> Payment:
    """Write down money that came in and where it goes.

    Twice the same end-to-end id of an account is refused by the database: the caller looks first,
    and who loses a race looks again.
    """
    payment = Payment(
        location_id=location_id,
        id=new_id(),
        account_id=account_id,
        charge_id=charge_id,
        booking_id=booking_id,
        end_to_end_id=end_to_end_id,
        method=method.value,
        amount_cents=amount,
        returned_cents=0,
        currency=currency,
        paid_at=paid_at,
        standing=standing.value,
        reason=reason,
        note=note,
        refund_until=refund_until,
        is_flagged=False,
    )
    session.add(payment)
    session.flush()
    _post(session, payment, Place.PAYER, _PLACE_OF[standing], amount, account_id=account_id)
    return payment


def relocate(
    session: Session,
    payment: Payment,
    standing: Standing,
    *,
    booking_id: UUID | None = None,
    reason: str | None = None,
) -> None:
    """Move what is left of a payment to another place of ours.

    ``booking_id`` is the booking it goes to; without one it keeps the one it was meant for.
    """
    source, source_booking = _PLACE_OF[Standing(payment.standing)], payment.booking_id
    payment.standing, payment.reason = standing.value, reason
    payment.booking_id = booking_id or payment.booking_id
    _post(
        session,
        payment,
        source,
        _PLACE_OF[standing],
        left_of(payment),
        source_booking=source_booking,
    )


def give_back(session: Session, payment: Payment, cents: Cents, *, is_by_provider: bool) -> None:
    """Write down that some of a payment is with who paid it again, wherever it was."""
    source = _PLACE_OF[Standing(payment.standing)]
    account_id = payment.account_id if is_by_provider else None
    _post(session, payment, source, Place.PAYER, cents, account_id=account_id)
    payment.returned_cents = Cents(payment.returned_cents + cents)
    if payment.returned_cents == payment.amount_cents:
        payment.standing = Standing.RETURNED.value
    session.flush()


def _post(
    session: Session,
    payment: Payment,
    source: Place,
    target: Place,
    cents: Cents,
    *,
    account_id: UUID | None = None,
    source_booking: UUID | None = None,
) -> None:
    source_booking = source_booking or payment.booking_id
    session.add(
        LedgerEntry(
            location_id=payment.location_id,
            account_id=account_id,
            payment_id=payment.id,
            source=source.value,
            source_booking_id=source_booking if source is Place.BOOKING else None,
            target=target.value,
            target_booking_id=payment.booking_id if target is Place.BOOKING else None,
            cents=cents,
        )
    )
    session.flush()


def find_payment(
    session: Session, location_id: UUID, account_id: UUID, end_to_end_id: str
) -> Payment | None:
    """Find and lock a payment by the provider's name of it."""
    return session.scalar(
        select(Payment)
        .where(
            Payment.location_id == location_id,
            Payment.account_id == account_id,
            Payment.end_to_end_id == end_to_end_id,
        )
        .with_for_update()
        .execution_options(populate_existing=True)
    )


def lock_payment(session: Session, location_id: UUID, payment_id: UUID) -> Payment | None:
    """Lock a payment until the transaction ends."""
    return session.scalar(
        select(Payment)
        .where(Payment.location_id == location_id, Payment.id == payment_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )


def payments_on(session: Session, location_id: UUID, booking_id: UUID) -> list[Payment]:
    """Lock and list the payments whose money is on a booking."""
    return list(
        session.scalars(
            select(Payment)
            .where(
                Payment.location_id == location_id,
                Payment.booking_id == booking_id,
                Payment.standing == Standing.APPLIED.value,
            )
            .order_by(Payment.id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
    )
