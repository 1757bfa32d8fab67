from app.booking.expiry import BATCH, expire_due
from app.jobs.sweeping import sweep


def expire() -> int:
    """Write down which holds lapsed; tell how many."""
    return sweep(expire_due, batch_size=BATCH)
