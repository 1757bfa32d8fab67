"""Taking one piece of work whose time has come, for the length of a lease."""

from datetime import timedelta
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.orm import Session

LEASE = timedelta(seconds=20)
"""For so long a thing is its worker's. Of one that was killed another takes it over; of one that is
only slow another does the same again, which changes nothing: every name is ours and used once."""

PAUSE = timedelta(seconds=10)
"""For so long nothing is asked of a provider that did not answer; the others have their turn."""

_PAUSE = text("""
    UPDATE payment_account SET paused_until = clock_now() + :pause
    WHERE location_id = :location_id AND id = :id
""")


def claim_one(table: str, *, due: str, account: str, changes: str, gives: str) -> TextClause:
    """Build the statement that takes the row of ``table`` whose time came first.

    ``due`` names the column of its time, ``account`` tells its account, ``changes`` what is written
    (the lease is ``:lease``), ``gives`` what is returned. None of an account that pauses is taken.
    The row is chosen before the update (MATERIALIZED): as a subquery PostgreSQL may choose anew for
    each row that it looks at, and take them all.
    """
    return text(f"""
        WITH due AS MATERIALIZED (
            SELECT t.location_id, t.id FROM {table} t
            WHERE {due} AND NOT EXISTS (
                SELECT 1 FROM payment_account a
                WHERE a.location_id = t.location_id AND a.id = {account}
                    AND a.paused_until > clock_now())
            ORDER BY {due.split()[0]} LIMIT 1
            FOR UPDATE OF t SKIP LOCKED
        )
        UPDATE {table} t SET {changes}
        FROM due WHERE t.location_id = due.location_id AND t.id = due.id
        RETURNING {gives}
    """)


def pause_account(session: Session, location_id: UUID, account_id: UUID) -> None:
    """Ask nothing of an account's provider for a while."""
    session.execute(_PAUSE, {"location_id": location_id, "id": account_id, "pause": PAUSE})
