"""Reading the inbox: a notice says where to look; what the provider says there is what counts."""

import logging
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.cashier.gateways import gateway_of
from app.cashier.rounds import ABOUT_THE_ACCOUNT, work_off
from app.cashier.watching import settle_charge
from app.checkout.settling import settle_unmatched
from app.extensions import transact
from app.payments.charges import find_by_txid
from app.payments.inbox import (
    MOST_ATTEMPTS,
    NoticeToRead,
    claim_notice,
    notice_handled,
    notice_later,
)
from app.payments.pix.gateway import (
    ChargeState,
    GatewayError,
    Notice,
    PaidPix,
    PixGateway,
    Rejected,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Known:
    charge_id: UUID
    account_id: UUID
    txid: str


def read_inbox() -> int:
    """Read every message that waits; tell how many."""
    return work_off(claim_notice, _read)


def _read(message: NoticeToRead) -> None:
    """Follow all that a message points at; what cannot be followed now is tried again later.

    One bad entry keeps no other waiting; a provider that does not answer is asked no further.

    Raises:
        GatewayError: the last failure; the message is read again.
    """
    failure: GatewayError | None = None
    missing = 0
    try:
        gateway = gateway_of(message.location_id, message.account_id)
    except GatewayError:
        transact(lambda session: notice_later(session, message))
        raise
    for notice in dict.fromkeys(gateway.read_notices(message.body)):
        try:
            missing += not follow(gateway, message.location_id, message.account_id, notice)
        except ABOUT_THE_ACCOUNT as wrong:
            failure = wrong
            break
        except Rejected:  # a name that the provider does not even look up
            missing += 1
        except GatewayError as wrong:
            failure = wrong
    is_done = failure is None and (not missing or message.attempts >= MOST_ATTEMPTS)
    if is_done and missing:
        log.warning("notice %s points at %s payments that are nowhere", message.id, missing)
    step = notice_handled if is_done else notice_later
    transact(lambda session: step(session, message))
    if failure is not None:
        raise failure


def follow(gateway: PixGateway, location_id: UUID, account_id: UUID, notice: Notice) -> bool:
    """Look where a notice points and settle what is there; False when nothing is there yet.

    Raises:
        GatewayError: the provider could not be asked.
    """
    charge = _charge_of(location_id, notice.txid)
    state = _settle_by(charge, location_id) if charge else None
    seen = {pix.end_to_end_id for pix in state.payments} if state else set()
    if notice.end_to_end_id in {None, *seen}:
        return True
    return settle_payment(gateway, location_id, account_id, str(notice.end_to_end_id))


def settle_payment(
    gateway: PixGateway, location_id: UUID, account_id: UUID, end_to_end_id: str
) -> bool:
    """Read one payment and settle it, by its charge if it has one of ours; False if it is nowhere.

    Raises:
        GatewayError: the provider could not be asked.
    """
    pix = gateway.find_payment(end_to_end_id)
    if pix is None:
        return False
    if not gateway.is_for_us(pix):
        return True
    charge = _charge_of(location_id, pix.txid)
    if charge is None or _settle_by(charge, location_id, pix) is None:
        transact(lambda session: settle_unmatched(session, location_id, account_id, pix))
    return True


def _settle_by(charge: _Known, location_id: UUID, *more: PaidPix) -> ChargeState | None:
    """Settle all that came in for a charge; banks may leave a payment out of what they tell of it.

    Raises:
        GatewayError: the provider could not be asked.
    """
    return settle_charge(location_id, charge.account_id, charge.charge_id, charge.txid, *more)


def _charge_of(location_id: UUID, txid: str | None) -> _Known | None:
    if txid is None:
        return None

    def read(session: Session) -> _Known | None:
        charge = find_by_txid(session, location_id, txid)
        return _Known(charge.id, charge.account_id, charge.txid) if charge else None

    return transact(read)
