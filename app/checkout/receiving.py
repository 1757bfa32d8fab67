"""Deposits that come in by another way than a charge: waived, by hand, or paid before."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking import deposits, holds
from app.booking.errors import NotAllowedNow
from app.booking.queries import get_booking_for_update
from app.booking.standing import check_standing
from app.booking.states import Status
from app.booking.views import BookingView, Contact
from app.checkout.telling import tell
from app.errors import InvalidFields, NotFound
from app.events import Actor, Event
from app.money import Cents
from app.payments.errors import NotDue
from app.payments.models import Method, Standing
from app.payments.money import left_of, lock_payment, receive, relocate
from app.payments.refunds import under_way

_WAITING = frozenset({Status.HELD, Status.PENDING_PAYMENT})


def waive_deposit(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    reason: str,
    actor: Actor,
    contact: Contact | None = None,
    notes: str | None = None,
    version: int | None = None,
) -> BookingView:
    """Confirm a booking without its deposit, for a reason that stays in its history.

    Raises:
        InvalidFields: no reason.
        NotAllowedNow: it waits for no deposit.
        HoldExpired, StaleVersion: as for any change.
    """
    if not reason:
        raise InvalidFields(("reason", "required"))
    booking, _ = _waiting(session, location_id, booking_id, version)
    told = {"waived_cents": booking.deposit_cents, "reason": reason}
    if booking.status is Status.PENDING_PAYMENT:
        return deposits.waive(session, booking, actor=actor, told=told)
    return holds.confirm(
        session,
        location_id,
        booking_id,
        actor=actor,
        contact=contact,
        notes=notes,
        is_settled=True,
        changes={"deposit_cents": 0},
        told=told,
    )


def receive_by_hand(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    method: Method,
    note: str,
    actor: Actor,
    contact: Contact | None = None,
    notes: str | None = None,
    version: int | None = None,
) -> BookingView:
    """Confirm a booking whose deposit a person took by other means, and write the money down.

    Raises:
        InvalidFields: the method is Pix, which nobody takes by hand.
        NotAllowedNow: it waits for no deposit.
        HoldExpired, StaleVersion: as for any change.
    """
    if method is Method.PIX:
        raise InvalidFields(("method", "invalid"))
    booking, clock = _waiting(session, location_id, booking_id, version)
    told = {"received_by": method.value, "reason": note}
    confirmed = _confirm(session, booking, actor=actor, told=told, contact=contact, notes=notes)
    payment = receive(
        session,
        location_id=location_id,
        booking_id=booking_id,
        amount=Cents(booking.deposit_cents),
        currency=booking.currency,
        paid_at=clock,
        standing=Standing.APPLIED,
        method=method,
        note=note,
    )
    tell(session, Event.PAYMENT_PAID, payment, booking=confirmed, actor=actor)
    return confirmed


def use_payment(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    payment_id: UUID,
    actor: Actor,
    contact: Contact | None = None,
    notes: str | None = None,
    version: int | None = None,
) -> BookingView:
    """Confirm a booking with money that is in the list: all that is left of it moves there.

    Raises:
        NotDue: somebody decided on the money already, or some of it is on its way back.
        InvalidFields: it is less than the deposit, or other money.
        NotAllowedNow: the booking waits for no deposit.
    """
    booking, _ = _waiting(session, location_id, booking_id, version)
    payment = lock_payment(session, location_id, payment_id)
    if payment is None:
        raise NotFound
    if payment.standing != Standing.DUE.value or under_way(session, payment):
        raise NotDue
    if left_of(payment) < booking.deposit_cents or payment.currency != booking.currency:
        raise InvalidFields(("payment", "too_little"))
    earlier, why = payment.booking_id, payment.reason
    told = {"payment_id": str(payment.id), "paid_for": str(earlier) if earlier else None}
    confirmed = _confirm(session, booking, actor=actor, told=told, contact=contact, notes=notes)
    relocate(session, payment, Standing.APPLIED, booking_id=booking_id)
    tell(
        session,
        Event.PAYMENT_MOVED,
        payment,
        booking=confirmed,
        actor=actor,
        paid_for=str(earlier) if earlier else None,
        was_due_for=why,
    )
    return confirmed


def _waiting(
    session: Session, location_id: UUID, booking_id: UUID, version: int | None
) -> tuple[BookingView, datetime]:
    """Lock a live booking that waits for a deposit; tell also the database's time."""
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(booking, clock, version)
    if booking.status not in _WAITING or not booking.deposit_cents:
        raise NotAllowedNow(facts={"status": booking.status.value})
    return booking, clock


def _confirm(
    session: Session,
    booking: BookingView,
    *,
    actor: Actor,
    told: dict[str, Any],
    contact: Contact | None = None,
    notes: str | None = None,
) -> BookingView:
    if booking.status is Status.PENDING_PAYMENT:
        return deposits.pay(session, booking, actor=actor, told=told)
    return holds.confirm(
        session,
        booking.location_id,
        booking.id,
        actor=actor,
        contact=contact,
        notes=notes,
        is_settled=True,
        told=told,
    )
