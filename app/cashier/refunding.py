"""Sending money back, and asking until it is known what became of it."""

from app.cashier.gateways import gateway_of
from app.cashier.rounds import work_off
from app.checkout.returning import refund_answered, refund_refused, refund_waits
from app.extensions import transact
from app.payments.pix.gateway import AccessDenied, GatewayError, RefundState, Rejected
from app.payments.refunds import RefundToSend, claim_refund


def send_refunds() -> int:
    """Send every refund that was asked for, ask about those on their way; tell how many."""
    return work_off(claim_refund, _send)


def _send(refund: RefundToSend) -> None:
    """Ask the provider for one refund, or about it. Its id makes any repetition harmless.

    Raises:
        GatewayError: it could not be asked; the refund is looked at again later.
    """
    try:
        state = _ask(refund)
    except AccessDenied as failure:
        _wait(refund, failure)
        raise
    except Rejected as refusal:
        if not refund.is_first:  # it would not answer, which says nothing about the money
            _wait(refund, refusal)
            raise
        why = str(refusal)
        transact(lambda session: refund_refused(session, refund, why))
    except GatewayError as failure:
        _wait(refund, failure)
        raise
    else:
        transact(lambda session: refund_answered(session, refund, state))


def _ask(refund: RefundToSend) -> RefundState | None:
    gateway = gateway_of(refund.location_id, refund.account_id)
    if refund.is_first:
        return gateway.refund(refund.end_to_end_id, refund.refund_id, refund.amount)
    return gateway.find_refund(refund.end_to_end_id, refund.refund_id, return_id=refund.return_id)


def _wait(refund: RefundToSend, failure: GatewayError) -> None:
    why = f"{type(failure).__name__}: {failure}"
    transact(lambda session: refund_waits(session, refund, why))
