"""What came in for some bookings, as the page of their customer shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.payments.models import Payment, Standing


@dataclass(frozen=True)
class PaidView:
    """Money that came in for a booking, and how much of it went back."""

    booking_id: UUID
    amount_cents: int
    returned_cents: int
    currency: str
    method: str
    paid_at: datetime
    standing: Standing


def payments_of(
    session: Session, location_id: UUID, booking_ids: Sequence[UUID]
) -> dict[UUID, list[PaidView]]:
    """List the money of each booking that has any, oldest first. One statement, or none."""
    if not booking_ids:
        return {}
    rows = session.execute(
        select(
            Payment.booking_id,
            Payment.amount_cents,
            Payment.returned_cents,
            Payment.currency,
            Payment.method,
            Payment.paid_at,
            Payment.standing,
        )
        .where(Payment.location_id == location_id, Payment.booking_id.in_(booking_ids))
        .order_by(Payment.paid_at, Payment.id)
    )
    found: dict[UUID, list[PaidView]] = {}
    for booking_id, amount, returned, currency, method, paid_at, standing in rows:
        if booking_id is not None:
            view = PaidView(
                booking_id, amount, returned, currency, method, paid_at, Standing(standing)
            )
            found.setdefault(booking_id, []).append(view)
    return found
