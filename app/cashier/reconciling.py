"""The ledger beside the provider's own list: every difference, to the cent."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.cashier.gateways import gateway_of
from app.extensions import transact
from app.payments.pix.gateway import RefundStatus

_LEDGER = text("""
    SELECT p.end_to_end_id, p.paid_at,
        coalesce(sum(e.cents) FILTER (WHERE e.source = 'payer'), 0) AS received,
        coalesce(sum(e.cents) FILTER (WHERE e.target = 'payer'), 0) AS returned,
        (SELECT coalesce(sum(r.amount_cents), 0) FROM refund r
            WHERE r.location_id = p.location_id AND r.payment_id = p.id AND r.is_ours
                AND r.status = 'done' AND NOT r.is_by_hand) AS returned_by_us
    FROM payment p
    LEFT JOIN ledger_entry e ON e.location_id = p.location_id AND e.payment_id = p.id
        AND e.account_id = p.account_id
    WHERE p.location_id = :location_id AND p.account_id = :account_id
        AND p.paid_at BETWEEN :since AND :until
    GROUP BY p.location_id, p.id
""")


@dataclass(frozen=True)
class Sums:
    """Cents that came in and that went back."""

    received: int
    returned: int


@dataclass(frozen=True)
class Difference:
    """One payment that the ledger and the provider tell differently; None is one that has none."""

    end_to_end_id: str
    ours: Sums | None
    theirs: Sums | None


@dataclass(frozen=True)
class Reconciliation:
    """Both sides of one account in a span of time. ``ours`` and ``theirs`` are the totals."""

    payments: int
    ours: Sums
    theirs: Sums
    differences: tuple[Difference, ...]


def reconcile(
    location_id: UUID, account_id: UUID, *, since: datetime, until: datetime
) -> Reconciliation:
    """Compare what the ledger says came into an account and went back with the provider's list.

    Both instants are included and by the provider's clock. Refunds count once they are final;
    where the provider's list leaves those out that we asked for, only its own ones are compared.

    Raises:
        GatewayError: the provider's list could not be read.
    """
    gateway = gateway_of(location_id, account_id)
    listed = gateway.list_payments(since, until)
    theirs = {
        pix.end_to_end_id: Sums(
            pix.amount, sum(r.amount for r in pix.refunds if r.status is RefundStatus.DONE)
        )
        for pix in listed
        if since <= pix.paid_at <= until
    }
    window = {"location_id": location_id, "account_id": account_id, "since": since, "until": until}
    ours = transact(lambda session: _ledger(session, window, counts_ours=gateway.lists_our_refunds))
    names = sorted(ours.keys() | theirs.keys())
    return Reconciliation(
        payments=len(names),
        ours=_total(ours),
        theirs=_total(theirs),
        differences=tuple(
            Difference(name, ours.get(name), theirs.get(name))
            for name in names
            if ours.get(name) != theirs.get(name)
        ),
    )


def _ledger(session: Session, window: dict[str, Any], *, counts_ours: bool) -> dict[str, Sums]:
    rows = session.execute(_LEDGER, window)
    return {
        row.end_to_end_id: Sums(
            int(row.received), int(row.returned) - (0 if counts_ours else int(row.returned_by_us))
        )
        for row in rows
    }


def _total(sums: dict[str, Sums]) -> Sums:
    return Sums(sum(s.received for s in sums.values()), sum(s.returned for s in sums.values()))
