from app.booking.idempotency import PRUNE_BATCH, prune_keys
from app.jobs.sweeping import sweep


def prune() -> int:
    """Forget the answers of old Idempotency-Keys; tell how many."""
    return sweep(prune_keys, batch_size=PRUNE_BATCH)
