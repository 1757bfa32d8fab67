"""Asking for a deposit: the charge is written down, the provider asked outside, the code kept."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking import holds
from app.booking.errors import PaymentsUnavailable
from app.booking.queries import get_booking_for_update
from app.booking.standing import check_standing
from app.booking.states import Move, Status
from app.booking.views import BookingView, Contact
from app.catalog.queries import get_location
from app.checkout.asked import Ask
from app.checkout.errors import ChargeMissing
from app.checkout.telling import tell_charge
from app.events import Actor, Event
from app.money import Cents
from app.payments.accounts import CURRENCY, find_open_account
from app.payments.charges import (
    end_charge,
    give_time,
    live_charge,
    next_look,
    open_charge,
    write_charge,
)
from app.payments.models import Charge, ChargeStatus
from app.payments.pix.gateway import ChargeState


@dataclass(frozen=True)
class Order:
    """A charge that the provider is to be asked for. ``expires_in`` counts from now."""

    location_id: UUID
    charge_id: UUID
    account_id: UUID
    txid: str
    amount: Cents
    expires_in: timedelta
    note: str
    is_first: bool


def confirm(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    contact: Contact | None = None,
    notes: str | None = None,
    version: int | None = None,
) -> BookingView:
    """Confirm a hold, or give it as it waits for its deposit. What is confirmed stays as it is.

    Raises:
        ChargeMissing: the provider has to be asked first; then the same call goes on.
        HoldExpired, NotAllowedNow, StaleVersion: as for a hold without a deposit.
    """
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    if booking.status is Status.PENDING_PAYMENT and not booking.has_lapsed(clock):
        return booking
    if booking.status is not Status.HELD or not booking.deposit_cents:
        return holds.confirm(
            session,
            location_id,
            booking_id,
            actor=actor,
            contact=contact,
            notes=notes,
            version=version,
        )
    check_standing(booking, clock, version)
    raise ChargeMissing(Ask(location_id, booking_id, actor, contact, notes))


def order(session: Session, ask: Ask) -> Order | None:
    """Write down the charge of a live hold, before anybody outside hears of it.

    Nothing when there is nothing to ask for any more. The one that is there already is asked for
    again, with what is left of its time, and with what was told last.

    Raises:
        PaymentsUnavailable: the location has no account that could take it.
    """
    booking, clock = get_booking_for_update(session, ask.location_id, ask.booking_id)
    if not _waits_for_code(booking, clock) or booking.expires_at is None:
        return None
    charge = live_charge(session, ask.location_id, ask.booking_id)
    is_first = charge is None
    if charge is None:
        charge = _write(session, booking, booking.expires_at, clock, ask)
    elif charge.status == ChargeStatus.ASKED.value:
        charge.asked = ask.document()
        payable_until = booking.expires_at - _margin(session, booking)
        give_time(charge, payable_until, clock)
    return Order(
        location_id=charge.location_id,
        charge_id=charge.id,
        account_id=charge.account_id,
        txid=charge.txid,
        amount=charge.amount_cents,
        expires_in=max(charge.payable_until - clock, timedelta(seconds=1)),
        note=booking.service_name,
        is_first=is_first,
    )


def _waits_for_code(booking: BookingView, clock: datetime) -> bool:
    return booking.status is Status.HELD and not booking.has_lapsed(clock)


def _write(
    session: Session, booking: BookingView, ends_at: datetime, clock: datetime, ask: Ask
) -> Charge:
    account = find_open_account(session, booking.location_id)
    if account is None or booking.currency != CURRENCY:
        raise PaymentsUnavailable
    return write_charge(
        session,
        location_id=booking.location_id,
        account_id=account.id,
        booking_id=booking.id,
        amount=Cents(booking.deposit_cents),
        currency=booking.currency,
        payable_until=ends_at - _margin(session, booking),
        clock=clock,
        asked=ask.document(),
    )


def _margin(session: Session, booking: BookingView) -> timedelta:
    """Tell how long before the hold's end the code ends, so that what is paid last still counts."""
    location = get_location(session, booking.location_id)
    return timedelta(seconds=location.settlement_margin_seconds)


def lock(
    session: Session, location_id: UUID, charge_id: UUID
) -> tuple[Charge, BookingView, datetime]:
    """Lock a charge's booking and then the charge; a reschedule may carry it along meanwhile."""
    charge = session.get_one(Charge, (location_id, charge_id), populate_existing=True)
    while True:
        booking, clock = get_booking_for_update(session, location_id, charge.booking_id)
        session.refresh(charge, with_for_update=True)
        if charge.booking_id == booking.id:
            return charge, booking, clock


def begin(session: Session, location_id: UUID, charge_id: UUID, state: ChargeState) -> None:
    """Keep the code that the provider gave, and let the hold wait for its payment.

    A hold that ended meanwhile leaves a charge that nobody should pay: it is taken back.
    """
    charge, booking, clock = lock(session, location_id, charge_id)
    if charge.status != ChargeStatus.ASKED.value:
        return
    if state.copy_paste is None:
        raise PaymentsUnavailable
    start(session, charge, booking, state, clock)


def start(
    session: Session, charge: Charge, booking: BookingView, state: ChargeState, clock: datetime
) -> BookingView:
    """The same for who has the locks."""
    asked = (charge.asked and Ask.of(charge.location_id, booking.id, charge.asked)) or None
    open_charge(charge, state, clock)
    if asked is None or not _waits_for_code(booking, clock):
        end_charge(charge, clock)
        return booking
    waiting = holds.confirm(
        session,
        booking.location_id,
        booking.id,
        actor=asked.actor,
        contact=asked.contact,
        notes=asked.notes,
        step=Move.ASK_DEPOSIT,
    )
    charge.next_look_at = next_look(charge, clock, waiting.expires_at)
    tell_charge(session, Event.PAYMENT_CREATED, charge, booking=waiting, actor=asked.actor)
    return waiting


def refused(session: Session, location_id: UUID, charge_id: UUID, why: str) -> None:
    """Note why the provider gave no code. The hold stays as it was; the worker asks again."""
    charge, _, clock = lock(session, location_id, charge_id)
    charge.last_failure = why[:500]
    charge.next_look_at = clock + timedelta(seconds=5)
