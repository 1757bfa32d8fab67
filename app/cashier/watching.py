"""Looking after charges when no notice comes: at the deadline, when the hold ends, and later."""

import logging
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.errors import PaymentsUnavailable
from app.booking.queries import get_booking_for_update
from app.booking.states import Status
from app.cashier import charging
from app.cashier.gateways import gateway_of
from app.cashier.rounds import work_off
from app.checkout import asking
from app.checkout.asked import Ask
from app.checkout.settling import conclude, expire_anyway
from app.extensions import transact
from app.payments.charges import ChargeToLook, claim_charge
from app.payments.models import Charge, ChargeStatus
from app.payments.pix.gateway import (
    ChargeState,
    GatewayError,
    PaidPix,
    PixGateway,
    ProviderDown,
    Rejected,
)
from app.payments.pix.gateway import ChargeStatus as ProviderStatus

log = logging.getLogger(__name__)

PATIENCE = timedelta(minutes=10)
"""For how long after its end a hold waits for a provider that does not answer. Nobody waits for
it: its time is free for others since the end."""

_AGAIN = text("""
    UPDATE charge SET last_failure = :why, next_look_at = clock_now()
        + greatest(interval '10 seconds', (clock_now() - payable_until) / 4)
    WHERE location_id = :location_id AND id = :id
""")


def look_after_charges() -> int:
    """Look at every charge whose time has come; tell how many."""
    return work_off(claim_charge, _look)


def _look(found: ChargeToLook) -> None:
    """Ask the provider about one charge and settle what it says.

    Raises:
        GatewayError: it could not be asked; the charge is looked at again soon, as after any fault.
    """
    try:
        if ask := _still_asked(found):
            _ask_again(found, ask)
        else:
            state = ask_about(found)
            transact(lambda session: conclude(session, found.location_id, found.id, state))
    except Exception as failure:
        said = f": {failure}" if isinstance(failure, GatewayError) else ""
        why = f"{type(failure).__name__}{said}"[:500]
        transact(lambda session: _not_now(session, found, why))
        raise


def _still_asked(found: ChargeToLook) -> Ask | None:
    """Tell what to ask for, when who confirmed went away without an answer."""
    if found.status is not ChargeStatus.ASKED:
        return None

    def read(session: Session) -> Ask | None:
        booking, clock = get_booking_for_update(session, found.location_id, found.booking_id)
        charge = session.get_one(Charge, (found.location_id, found.id), populate_existing=True)
        is_live = booking.status is Status.HELD and not booking.has_lapsed(clock)
        wants = is_live and charge.status == ChargeStatus.ASKED.value and charge.asked
        return Ask.of(found.location_id, charge.booking_id, wants) if wants else None

    return transact(read)


def _ask_again(found: ChargeToLook, ask: Ask) -> None:
    wanted = transact(lambda session: asking.order(session, ask))
    if wanted is None:
        return
    try:
        charging.carry_out(wanted)
    except PaymentsUnavailable as failure:
        if isinstance(failure.__cause__, GatewayError):
            raise failure.__cause__ from None
        raise ProviderDown("it gave no code") from failure


def ask_about(found: ChargeToLook) -> ChargeState | None:
    """Read a charge; one whose booking waits no more is taken back, unless somebody paid it.

    Raises:
        GatewayError: it could not be asked.
    """
    gateway = gateway_of(found.location_id, found.account_id)
    state = gateway.find_charge(found.txid)
    if state is None or state.status is not ProviderStatus.ACTIVE or _is_waiting(found):
        return state
    return _take_back(gateway, state)


def _take_back(gateway: PixGateway, state: ChargeState) -> ChargeState | None:
    try:
        return gateway.remove_charge(state.txid)
    except ProviderDown:
        raise
    except Rejected as refusal:  # some banks refuse it for a charge that ran out
        log.info("a charge could not be taken back: %s", refusal)
        return state


def _is_waiting(found: ChargeToLook) -> bool:
    def read(session: Session) -> bool:
        charge = session.get_one(Charge, (found.location_id, found.id), populate_existing=True)
        booking, clock = get_booking_for_update(session, found.location_id, charge.booking_id)
        return booking.status is Status.PENDING_PAYMENT and not booking.has_lapsed(clock)

    return transact(read)


def _not_now(session: Session, found: ChargeToLook, why: str) -> None:
    charge = session.get_one(Charge, (found.location_id, found.id), populate_existing=True)
    booking, clock = get_booking_for_update(session, found.location_id, charge.booking_id)
    ended_at = booking.expires_at
    if ended_at is not None and clock - ended_at > PATIENCE:
        expire_anyway(session, found.location_id, found.id)
    session.execute(_AGAIN, {"location_id": found.location_id, "id": found.id, "why": why})


def settle_charge(
    location_id: UUID, account_id: UUID, charge_id: UUID, txid: str, *more: PaidPix
) -> ChargeState | None:
    """Read one charge now and settle what the provider says of it; give what it said.

    ``more`` are payments of it that were seen elsewhere.

    Raises:
        GatewayError: it could not be asked.
    """
    state = gateway_of(location_id, account_id).find_charge(txid)
    if state is None:
        return None
    seen = {pix.end_to_end_id for pix in state.payments}
    left_out = tuple(pix for pix in more if pix.end_to_end_id not in seen)
    whole = replace(state, payments=state.payments + left_out)
    transact(lambda session: conclude(session, location_id, charge_id, whole))
    return whole
