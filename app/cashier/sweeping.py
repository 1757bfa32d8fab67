"""The daily list: whatever came in and was never told is found here."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.cashier.gateways import gateway_of
from app.cashier.reading import settle_payment
from app.cashier.rounds import work_off
from app.extensions import transact
from app.payments.claiming import claim_one
from app.payments.models import RefundStatus
from app.payments.pix.gateway import PaidPix, Unreadable
from app.payments.pix.gateway import RefundStatus as ProviderRefund

EVERY = timedelta(days=1)
AGAIN = timedelta(hours=1)
LOOKS_BACK = timedelta(days=7)
"""Of each sweep: a bank may show a payment, or take one back, days after it was made. Never from
before the account was here: that money is not ours to sort out."""

_CLAIM = claim_one(
    "payment_account",
    due="t.next_sweep_at <= clock_now()",
    account="t.id",
    changes="next_sweep_at = clock_now() + :lease",
    gives="""t.location_id, t.id, t.created_at, clock_now() AS until,
        greatest(t.created_at, t.swept_until - :back) AS since""",
)

_SWEPT = text("""
    UPDATE payment_account SET next_sweep_at = clock_now() + :every, swept_until = :until
    WHERE location_id = :location_id AND id = :id
""")

_KNOWN = text("""
    SELECT p.end_to_end_id, coalesce(jsonb_object_agg(r.refund_id, r.status)
        FILTER (WHERE r.id IS NOT NULL), '{}') AS refunds
    FROM payment p
    LEFT JOIN refund r ON r.location_id = p.location_id AND r.payment_id = p.id
    WHERE p.location_id = :location_id AND p.account_id = :account_id
        AND p.paid_at BETWEEN :since AND :until
    GROUP BY p.end_to_end_id
""")

_SAYS = {
    ProviderRefund.DONE: RefundStatus.DONE.value,
    ProviderRefund.FAILED: RefundStatus.FAILED.value,
}


@dataclass(frozen=True)
class AccountToSweep:
    location_id: UUID
    account_id: UUID
    since: datetime
    until: datetime


def sweep_accounts() -> int:
    """Go through the provider's list of each account once a day; tell how many accounts."""
    return work_off(_claim, sweep_account)


def _claim(session: Session) -> AccountToSweep | None:
    row = session.execute(_CLAIM, {"lease": AGAIN, "back": LOOKS_BACK}).first()
    if row is None:
        return None
    return AccountToSweep(row.location_id, row.id, row.since, row.until)


def sweep_account(account: AccountToSweep) -> None:
    """Settle all in the list that the books do not have, or have otherwise.

    Raises:
        GatewayError: the list could not be read to its end; what was read is settled.
    """
    gateway = gateway_of(account.location_id, account.account_id)
    known = transact(lambda session: _known(session, account))
    news: list[PaidPix] = []
    failures: list[Exception] = []
    try:
        for pix in gateway.list_payments(account.since, account.until + timedelta(minutes=5)):
            if _is_news(pix, known):
                news.append(pix)
    except Unreadable as failure:
        failures.append(failure)
    for pix in news:
        try:
            settle_payment(gateway, account.location_id, account.account_id, pix.end_to_end_id)
        except Exception as failure:  # noqa: BLE001 - one that cannot be settled hides no other
            failures.append(failure)
    if failures:
        raise failures[0]
    told = {"location_id": account.location_id, "id": account.account_id}
    transact(
        lambda session: session.execute(_SWEPT, {**told, "every": EVERY, "until": account.until})
    )


def _known(session: Session, account: AccountToSweep) -> dict[str, dict[str, str]]:
    rows = session.execute(
        _KNOWN,
        {
            "location_id": account.location_id,
            "account_id": account.account_id,
            "since": account.since - timedelta(minutes=5),
            "until": account.until + timedelta(minutes=10),
        },
    )
    return {row.end_to_end_id: row.refunds for row in rows}


def _is_news(pix: PaidPix, known: dict[str, dict[str, str]]) -> bool:
    refunds = known.get(pix.end_to_end_id)
    if refunds is None:
        return True
    return any(
        refund.refund_id not in refunds
        or _SAYS.get(refund.status, refunds[refund.refund_id]) != refunds[refund.refund_id]
        for refund in pix.refunds
    )
