"""What the worker does with providers, on a timer and when a notice comes in."""

from app.cashier.reading import read_inbox
from app.cashier.refunding import send_refunds
from app.cashier.sweeping import sweep_accounts
from app.cashier.watching import look_after_charges
from app.jobs.sweeping import sweep as sweep_batches
from app.payments.inbox import PRUNE_BATCH, prune_notices


def read() -> int:
    """Read the messages of providers; tell how many."""
    return read_inbox()


def look() -> int:
    """Look after the charges whose time has come; tell how many."""
    return look_after_charges()


def refund() -> int:
    """Send refunds and ask about them; tell how many."""
    return send_refunds()


def sweep() -> int:
    """Go through the list of each account whose day is over; tell how many accounts."""
    return sweep_accounts()


def prune() -> int:
    """Forget messages that were read long ago; tell how many."""
    return sweep_batches(prune_notices, batch_size=PRUNE_BATCH)
