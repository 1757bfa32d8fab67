from collections.abc import Callable

from sqlalchemy.orm import Session

from app.extensions import db, transact

MOST_ROUNDS = 50
"""Rounds of one job: enough for a burst, few enough to let other jobs take their turn."""


def sweep(batch: Callable[[Session], int], *, batch_size: int) -> int:
    """Run ``batch`` in transactions of their own until it finds less than a full one.

    Killed at any point it has done whole batches; the next run finds the rest.
    """
    total = 0
    try:
        for _ in range(MOST_ROUNDS):
            done = transact(batch)
            total += done
            if done < batch_size:
                break
    finally:
        db.session.remove()
    return total
