"""Asking a provider for a charge: written down before, its code kept after, never in between."""

from datetime import timedelta
from math import ceil

from sqlalchemy.orm import Session

from app.booking.errors import PaymentsUnavailable
from app.cashier.gateways import check_code, gateway_of
from app.checkout import asking
from app.checkout.asked import Ask
from app.checkout.asking import Order
from app.extensions import transact
from app.payments.pix.gateway import ChargeState, GatewayError, ProviderDown

RETRY_AFTER_SECONDS = 5

LONGEST_PAUSE = timedelta(minutes=1)
"""What is told to who asked: a provider that wants more does not know how long a hold lasts."""


def charge(ask: Ask) -> None:
    """Have a hold's deposit charged; afterwards the hold waits for its payment.

    Repeated after any failure it goes on where it stopped: the txid is ours.

    Raises:
        PaymentsUnavailable: the provider gave no code; the hold is as it was.
    """
    wanted = transact(lambda session: asking.order(session, ask))
    if wanted is not None:
        carry_out(wanted)


def carry_out(wanted: Order) -> None:
    """Ask the provider for a charge that is written down.

    Raises:
        PaymentsUnavailable: it gave no code.
    """
    try:
        state = _ask(wanted)
    except GatewayError as failure:
        why = f"{type(failure).__name__}: {failure}"

        def note(session: Session) -> None:
            asking.refused(session, wanted.location_id, wanted.charge_id, why)

        transact(note)
        raise _unavailable(failure) from failure

    def keep(session: Session) -> None:
        asking.begin(session, wanted.location_id, wanted.charge_id, state)

    transact(keep)


def _ask(wanted: Order) -> ChargeState:
    state = gateway_of(wanted.location_id, wanted.account_id).open_charge(
        wanted.txid,
        wanted.amount,
        expires_in=wanted.expires_in,
        note=wanted.note,
        is_first=wanted.is_first,
    )
    check_code(state.copy_paste)
    return state


def _unavailable(failure: GatewayError) -> PaymentsUnavailable:
    error = PaymentsUnavailable()
    pause = failure.retry_after if isinstance(failure, ProviderDown) else None
    asked = ceil(min(pause or timedelta(), LONGEST_PAUSE).total_seconds())
    error.retry_after_seconds = max(RETRY_AFTER_SECONDS, asked)  # type: ignore[misc]
    return error
