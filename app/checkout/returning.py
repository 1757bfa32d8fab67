"""Money in the list: given back, kept, or looked at. A person decides on each."""

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking.queries import get_booking_for_update
from app.checkout.telling import tell
from app.database import clock_of
from app.errors import InvalidFields, NotFound
from app.events import WORKER, Actor, Event
from app.money import Cents
from app.payments.errors import NotDue
from app.payments.models import Payment, Refund, RefundStatus, Standing
from app.payments.money import lock_payment, relocate
from app.payments.pix.gateway import RefundState
from app.payments.refunds import (
    RefundToSend,
    ask_refund,
    fail,
    follow,
    lock_refund,
    look_later,
    returned_by_hand,
    under_way,
)


def refund_payment(
    session: Session,
    location_id: UUID,
    payment_id: UUID,
    *,
    actor: Actor,
    amount: Cents | None = None,
) -> Payment:
    """Have money sent back to who paid it, all that is left unless told otherwise.

    The worker asks the provider. Two clicks are one refund: the second meets NotDue.

    Raises:
        NotDue, MoreThanPaid, RefundTooLate: as they say.
    """
    payment, clock = _locked(session, location_id, payment_id)
    refund = ask_refund(session, payment, amount=amount, asked_by=actor.name, clock=clock)
    tell(session, Event.REFUND_ASKED, payment, actor=actor, refund_cents=refund.amount_cents)
    return payment


def note_returned(
    session: Session, location_id: UUID, payment_id: UUID, *, note: str, actor: Actor
) -> Payment:
    """Note that the money was given back by other means, and how that can be proved.

    Raises:
        InvalidFields: no note.
        NotDue: somebody decided on it already, or some of it is on its way.
    """
    if not note:
        raise InvalidFields(("note", "required"))
    payment, clock = _locked(session, location_id, payment_id)
    refund = returned_by_hand(session, payment, asked_by=actor.name, note=note, clock=clock)
    tell(
        session,
        Event.REFUNDED,
        payment,
        actor=actor,
        refund_cents=refund.amount_cents,
        is_by_hand=True,
        note=note,
    )
    return payment


def keep_payment(
    session: Session, location_id: UUID, payment_id: UUID, *, note: str, actor: Actor
) -> Payment:
    """Let the business keep the money, for a reason that stays in the history.

    Raises:
        InvalidFields: no reason.
        NotDue: somebody decided on it already, or some of it is on its way.
    """
    if not note:
        raise InvalidFields(("note", "required"))
    payment, _ = _locked(session, location_id, payment_id)
    if payment.standing != Standing.DUE.value or under_way(session, payment):
        raise NotDue
    why = payment.reason
    relocate(session, payment, Standing.KEPT, reason=why)
    tell(session, Event.PAYMENT_KEPT, payment, actor=actor, note=note)
    return payment


def acknowledge(session: Session, location_id: UUID, payment_id: UUID, *, actor: Actor) -> Payment:
    """Take a payment off the list that the bank took money back from. Doing it twice is fine."""
    payment, _ = _locked(session, location_id, payment_id)
    if payment.is_flagged:
        payment.is_flagged = False
        tell(session, Event.PAYMENT_SEEN, payment, actor=actor)
    return payment


def refund_answered(session: Session, sent: RefundToSend, state: RefundState | None) -> None:
    """Bring in what the provider answered about a refund; nothing is a refund it never got."""
    payment, refund, clock = _locked_refund(session, sent)
    if state is not None:
        news = follow(session, payment, state, provider="bank", clock=clock)
        if news is not None and news.status == RefundStatus.DONE.value:
            cents = news.amount_cents
            tell(session, Event.REFUNDED, payment, actor=WORKER, refund_cents=cents)
        if news is not None and news.status == RefundStatus.FAILED.value:
            _tell_failed(session, payment, news)
    if refund.settled_at is None:
        look_later(refund, clock)


def refund_refused(session: Session, sent: RefundToSend, why: str) -> None:
    """Note that the provider refused a refund for good."""
    payment, refund, clock = _locked_refund(session, sent)
    if refund.settled_at is None:
        fail(refund, why[:500], clock)
        _tell_failed(session, payment, refund)


def refund_waits(session: Session, sent: RefundToSend, why: str) -> None:
    """Note that it is not known what became of a refund: it is asked for again, with its id."""
    _, refund, clock = _locked_refund(session, sent)
    if refund.settled_at is None:
        refund.failure = why[:500]
        look_later(refund, clock)


def _tell_failed(session: Session, payment: Payment, refund: Refund) -> None:
    tell(
        session,
        Event.REFUND_FAILED,
        payment,
        actor=WORKER,
        refund_cents=refund.amount_cents,
        failure=refund.failure,
    )


def _locked(session: Session, location_id: UUID, payment_id: UUID) -> tuple[Payment, datetime]:
    """Lock a payment, and before it the booking that it is on: its ledger refers to it."""
    while True:
        payment = session.get(Payment, (location_id, payment_id), populate_existing=True)
        if payment is None:
            raise NotFound
        booking_id = payment.booking_id
        if booking_id is not None:
            get_booking_for_update(session, location_id, booking_id)
        payment = lock_payment(session, location_id, payment_id)
        if payment is not None and payment.booking_id == booking_id:
            return payment, clock_of(session)


def _locked_refund(session: Session, sent: RefundToSend) -> tuple[Payment, Refund, datetime]:
    payment, clock = _locked(session, sent.location_id, sent.payment_id)
    refund = lock_refund(session, sent.location_id, sent.id)
    if refund is None:
        raise NotFound
    return payment, refund, clock
