"""What providers sent to our webhook: kept as it came, read by the worker."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.payments.claiming import LEASE, claim_one
from app.payments.models import PaymentAccount, PixNotice

MOST_ATTEMPTS = 12
"""Then the daily list of payments is what is left: an hour and more after the notice came."""

PRUNE_BATCH = 1000

_CLAIM = claim_one(
    "pix_notice",
    due="t.next_try_at <= clock_now() AND t.handled_at IS NULL",
    account="t.account_id",
    changes="""attempts = t.attempts + 1,
        next_try_at = clock_now() + greatest(:lease, least(t.attempts, 120) * interval '1 minute')
    """,
    gives="t.location_id, t.id, t.account_id, t.body, t.attempts",
)

_HANDLED = text("""
    UPDATE pix_notice SET handled_at = clock_now() WHERE location_id = :location_id AND id = :id
""")

_LATER = text("""
    UPDATE pix_notice SET next_try_at = clock_now() + :pause
    WHERE location_id = :location_id AND id = :id AND handled_at IS NULL
""")

_PRUNE = text("""
    DELETE FROM pix_notice WHERE (location_id, id) IN (
        SELECT location_id, id FROM pix_notice
        WHERE received_at < clock_now() - interval '90 days' AND handled_at IS NOT NULL
        LIMIT :batch FOR UPDATE SKIP LOCKED)
""")


@dataclass(frozen=True)
class NoticeToRead:
    location_id: UUID
    id: int
    account_id: UUID
    body: bytes
    attempts: int


def keep_notice(session: Session, account: PaymentAccount, body: bytes) -> None:
    """Put a message into the inbox, byte for byte."""
    session.add(
        PixNotice(
            location_id=account.location_id,
            account_id=account.id,
            body=body,
        )
    )
    session.flush()


def claim_notice(session: Session) -> NoticeToRead | None:
    """Take the next message to read, for the length of a lease."""
    row = session.execute(_CLAIM, {"lease": LEASE}).first()
    if row is None:
        return None
    return NoticeToRead(row.location_id, row.id, row.account_id, bytes(row.body), row.attempts)


def notice_handled(session: Session, notice: NoticeToRead) -> None:
    """Be done with a message: all it points at was looked at."""
    session.execute(_HANDLED, {"location_id": notice.location_id, "id": notice.id})


def notice_later(session: Session, notice: NoticeToRead) -> None:
    """Read a message again after a while that doubles each time, up to two hours."""
    pause = timedelta(seconds=min(2**notice.attempts, 7200))
    session.execute(_LATER, {"location_id": notice.location_id, "id": notice.id, "pause": pause})


def prune_notices(session: Session) -> int:
    """Forget messages that were read 90 days ago or earlier; tell how many."""
    return session.execute(_PRUNE, {"batch": PRUNE_BATCH}).rowcount  # type: ignore[attr-defined, no-any-return]
