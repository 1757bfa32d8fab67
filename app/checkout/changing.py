"""Changes of a booking that its money goes along with."""

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking import rescheduling, visits
from app.booking.views import BookingView
from app.checkout.telling import tell
from app.checkout.verdicts import Reason
from app.events import Actor, Event
from app.payments.charges import charges_of
from app.payments.models import Standing
from app.payments.money import payments_on, relocate


def cancel(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    reason: str | None = None,
    within_policy: bool = False,
    version: int | None = None,
) -> BookingView:
    """Cancel a hold or booking; what was paid for it goes to the list of what is to be decided.

    Raises:
        As ``app.booking.visits.cancel``.
    """
    cancelled = visits.cancel(
        session,
        location_id,
        booking_id,
        actor=actor,
        reason=reason,
        within_policy=within_policy,
        version=version,
    )
    for payment in payments_on(session, location_id, booking_id):
        relocate(session, payment, Standing.DUE, reason=Reason.BOOKING_CANCELLED)
        tell(session, Event.REFUND_DUE, payment, booking=cancelled, actor=actor)
    return cancelled


def reschedule(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    starts_at: datetime,
    actor: Actor,
    now: datetime,
    resource_ids: tuple[UUID, ...] = (),
    request_key: str | None = None,
    at_desk: bool = False,
    override: str | None = None,
    within_policy: bool = False,
    version: int | None = None,
) -> BookingView:
    """Move a booking; its charge and what was paid for it go along, and nobody pays twice.

    Raises:
        As ``app.booking.rescheduling.reschedule``.
    """
    new = rescheduling.reschedule(
        session,
        location_id,
        booking_id,
        starts_at=starts_at,
        actor=actor,
        now=now,
        resource_ids=resource_ids,
        request_key=request_key,
        at_desk=at_desk,
        override=override,
        within_policy=within_policy,
        version=version,
    )
    for charge in charges_of(session, location_id, booking_id):
        charge.booking_id = new.id
    for payment in payments_on(session, location_id, booking_id):
        relocate(session, payment, Standing.APPLIED, booking_id=new.id)
    session.flush()
    return new
