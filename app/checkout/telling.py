"""What everybody is told of money: an event of the outbox and a line in the booking's history."""

from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking.moves import facts
from app.booking.queries import get_booking
from app.booking.views import BookingView
from app.events import Actor, Event, record
from app.payments.models import Charge, Payment


def tell(
    session: Session,
    event: Event,
    payment: Payment,
    *,
    actor: Actor,
    booking: BookingView | None = None,
    **more: Any,
) -> None:
    """Write an event about a payment; about money that belongs to no booking it stands alone."""
    if booking is None and payment.booking_id is not None:
        booking = get_booking(session, payment.location_id, payment.booking_id)
    told = {
        "payment_id": str(payment.id),
        "method": payment.method,
        "amount_cents": payment.amount_cents,
        "currency": payment.currency,
        "reason": payment.reason,
        **more,
    }
    _record(session, event, payment.location_id, booking, payment.id, actor, told)


def tell_charge(
    session: Session, event: Event, charge: Charge, *, booking: BookingView, actor: Actor
) -> None:
    """Write an event about a charge."""
    told = {
        "txid": charge.txid,
        "amount_cents": charge.amount_cents,
        "currency": charge.currency,
        "payable_until": charge.payable_until.isoformat(),
    }
    _record(session, event, charge.location_id, booking, charge.id, actor, told)


def _record(
    session: Session,
    event: Event,
    location_id: UUID,
    booking: BookingView | None,
    subject_id: UUID,
    actor: Actor,
    told: dict[str, Any],
) -> None:
    told = {name: value for name, value in told.items() if value is not None}
    record(
        session,
        location_id,
        event,
        booking_id=booking.id if booking else None,
        subject_id=booking.id if booking else subject_id,
        actor=actor,
        payload=facts(booking, **told) if booking else told,
    )
