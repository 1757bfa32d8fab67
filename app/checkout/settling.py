"""What came in, settled: each payment once, onto its booking or into the list of refunds due."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking.deposits import expire_unpaid, pay
from app.booking.errors import SlotTaken
from app.booking.placing import find_place
from app.booking.standing import wanted_of
from app.booking.states import Status
from app.booking.views import BookingView
from app.checkout.asking import lock, start
from app.checkout.telling import tell
from app.checkout.verdicts import Case, Reason, Verdict, judge
from app.database import clock_of
from app.errors import Invalid, NotFound
from app.events import WORKER, Event
from app.payments.accounts import CURRENCY
from app.payments.charges import next_look
from app.payments.models import Charge, ChargeStatus, Payment, RefundStatus, Standing
from app.payments.money import find_payment, payments_on, receive, relocate
from app.payments.pix.gateway import ChargeState, PaidPix
from app.payments.pix.gateway import ChargeStatus as ProviderStatus
from app.payments.refunds import WINDOW, follow, under_way

_TOLD = {RefundStatus.DONE.value: Event.REFUNDED, RefundStatus.FAILED.value: Event.REFUND_FAILED}


def conclude(
    session: Session, location_id: UUID, charge_id: UUID, state: ChargeState | None
) -> None:
    """Bring what the provider says of a charge into the books, all of it, in one transaction.

    The same state twice, older states after newer ones, and two workers at once change nothing:
    a payment is written once, a status only moves forward.

    Raises:
        SlotTaken: holds that are over are in the way; with the remedy, after which it is run again.
    """
    charge, booking, clock = lock(session, location_id, charge_id)
    if state is not None and charge.status == ChargeStatus.ASKED.value and state.copy_paste:
        booking = start(session, charge, booking, state, clock)
    if state is not None:
        for pix in sorted(state.payments, key=lambda pix: pix.paid_at):
            if pix.amount > 0:
                booking = _settle(session, charge, booking, pix, state, clock)
    _end(session, charge, booking, state, clock)


def _settle(
    session: Session,
    charge: Charge,
    booking: BookingView,
    pix: PaidPix,
    state: ChargeState,
    clock: datetime,
) -> BookingView:
    payment = find_payment(session, charge.location_id, charge.account_id, pix.end_to_end_id)
    if payment is None or _is_lost(session, payment):
        booking, reason = _decide(session, charge, booking, pix, state, clock)
        payment = _place(session, charge, booking, pix, reason, payment)
        event = Event.REFUND_DUE if reason else Event.PAYMENT_PAID
        tell(session, event, payment, booking=booking, actor=WORKER, txid=charge.txid)
    follow_refunds(session, payment, pix, clock)
    return booking


def _is_lost(session: Session, payment: Payment) -> bool:
    """Tell whether a payment was written down as nobody's, and nobody decided on it yet.

    It came without its txid, and now its charge shows it.
    """
    return (
        payment.standing == Standing.DUE.value
        and payment.reason == Reason.UNMATCHED
        and not payment.returned_cents
        and not under_way(session, payment)
    )


def _decide(
    session: Session,
    charge: Charge,
    booking: BookingView,
    pix: PaidPix,
    state: ChargeState,
    clock: datetime,
) -> tuple[BookingView, Reason | None]:
    """Ask the table, and confirm the booking if it says so; else tell why not."""
    case = Case(
        status=booking.status,
        is_in_time=_was_in_time(charge, state, pix),
        is_exact=pix.amount == charge.amount_cents,
        is_first=not payments_on(session, charge.location_id, booking.id),
    )
    rule = judge(case)
    if rule.verdict is Verdict.REFUND:
        return booking, rule.reason
    if rule.verdict is Verdict.CONFIRM_IF_FREE and booking.starts_at <= clock:
        return booking, Reason.TIME_PASSED
    return _confirm(session, booking, charge, rule.reason, clock)


def _place(
    session: Session,
    charge: Charge,
    booking: BookingView,
    pix: PaidPix,
    reason: Reason | None,
    lost: Payment | None,
) -> Payment:
    """Put the money where it was decided to be."""
    standing = Standing.DUE if reason else Standing.APPLIED
    if lost is None:
        return receive(
            session,
            location_id=charge.location_id,
            account_id=charge.account_id,
            charge_id=charge.id,
            booking_id=booking.id,
            end_to_end_id=pix.end_to_end_id,
            amount=pix.amount,
            currency=charge.currency,
            paid_at=pix.paid_at,
            standing=standing,
            reason=reason,
            note=pix.payer_note,
            refund_until=_refund_until(pix),
        )
    lost.charge_id = charge.id
    if reason:
        lost.booking_id, lost.reason = booking.id, reason
        session.flush()
    else:
        relocate(session, lost, standing, booking_id=booking.id)
    return lost


def _refund_until(pix: PaidPix) -> datetime | None:
    try:
        return pix.paid_at + WINDOW
    except OverflowError:  # a bank with a clock of the year 9999
        return None


def _was_in_time(charge: Charge, state: ChargeState, pix: PaidPix) -> bool:
    """Judge by the provider's clock alone; a provider that gives more time than asked gives none.

    ``horario <= criacao + expiracao`` (design/pix.md 0.5).
    """
    ours = state.created_at + timedelta(seconds=charge.expires_in_seconds)
    return pix.paid_at <= min(state.expires_at, ours)


def _could_be_held(session: Session, booking: BookingView, clock: datetime) -> bool:
    """Tell whether the desk could book it by the rules: who works then may be away by now."""
    try:
        find_place(session, replace(wanted_of(booking), at_desk=True), now=clock)
    except (Invalid, NotFound):
        return False
    return True


def _confirm(
    session: Session,
    booking: BookingView,
    charge: Charge,
    otherwise: Reason | None,
    clock: datetime,
) -> tuple[BookingView, Reason | None]:
    """Confirm the booking, or tell why not: of an expired one, somebody may have the time."""
    if booking.status is Status.HELD:  # paid without a code of ours: it waits for nothing
        return booking, Reason.NOT_OWED
    if booking.status is Status.EXPIRED and not _could_be_held(session, booking, clock):
        return booking, otherwise
    try:
        with session.begin_nested():
            return pay(session, booking, actor=WORKER, told={"txid": charge.txid}), None
    except SlotTaken as refusal:
        if refusal.remedy is not None:
            raise
        return booking, otherwise


def follow_refunds(session: Session, payment: Payment, pix: PaidPix, clock: datetime) -> None:
    """Bring in what the provider says of a payment's refunds, its own ones included."""
    for state in pix.refunds:
        refund = follow(session, payment, state, provider="bank", clock=clock)
        event = _TOLD.get(refund.status) if refund else None
        if refund and event:
            tell(
                session,
                event,
                payment,
                actor=WORKER,
                refund_cents=refund.amount_cents,
                is_by_bank=not refund.is_ours or None,
                failure=refund.failure,
            )


def settle_unmatched(session: Session, location_id: UUID, account_id: UUID, pix: PaidPix) -> None:
    """Write down money that belongs to no charge of ours. A person says what it is for.

    Nothing is matched by its amount: two customers may owe the same.
    """
    if pix.amount <= 0:
        return
    clock = clock_of(session)
    known = find_payment(session, location_id, account_id, pix.end_to_end_id)
    if known is None:
        known = receive(
            session,
            location_id=location_id,
            account_id=account_id,
            booking_id=None,
            end_to_end_id=pix.end_to_end_id,
            amount=pix.amount,
            currency=CURRENCY,
            paid_at=pix.paid_at,
            standing=Standing.DUE,
            reason=Reason.UNMATCHED,
            note=pix.payer_note,
            refund_until=_refund_until(pix),
        )
        tell(session, Event.REFUND_DUE, known, actor=WORKER)
    follow_refunds(session, known, pix, clock)


def _end(
    session: Session,
    charge: Charge,
    booking: BookingView,
    state: ChargeState | None,
    clock: datetime,
) -> None:
    """Expire who did not pay in time, and plan the next look."""
    if booking.status is Status.PENDING_PAYMENT and booking.has_lapsed(clock):
        booking = expire_unpaid(session, booking)
    is_waiting = booking.status in {Status.HELD, Status.PENDING_PAYMENT}
    # A provider that has no such charge may have it a moment later: it gave the code itself.
    is_payable = state is None or state.status in {ProviderStatus.ACTIVE, ProviderStatus.UNKNOWN}
    if charge.status == ChargeStatus.OPEN.value and not (is_waiting and is_payable):
        charge.status = ChargeStatus.OVER.value
    elif charge.status == ChargeStatus.ASKED.value and not is_waiting:
        charge.status, charge.asked = ChargeStatus.OVER.value, None
    charge.next_look_at = next_look(charge, clock, booking.expires_at)
    session.flush()


def expire_anyway(session: Session, location_id: UUID, charge_id: UUID) -> None:
    """Stop waiting for a provider that does not answer: the time was free for others already.

    Should it turn out to be paid in time, the booking is confirmed if its time is free still.
    """
    _, booking, clock = lock(session, location_id, charge_id)
    if booking.status is Status.PENDING_PAYMENT and booking.has_lapsed(clock):
        expire_unpaid(session, booking)
