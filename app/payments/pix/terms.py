"""What may be asked of any provider; all else is a mistake of ours."""

import re
from datetime import timedelta

from app.money import Cents

LONGEST_NOTE = 140

_TXID = re.compile(r"[a-zA-Z0-9]{26,35}")
_REFUND_ID = re.compile(r"[a-zA-Z0-9]{1,35}")


def check_charge(txid: str, amount: Cents) -> None:
    """Raises: ValueError."""
    if not _TXID.fullmatch(txid) or amount <= 0:
        raise ValueError("a charge needs a txid of 26 to 35 letters and digits, and an amount")


def check_refund(refund_id: str, amount: Cents) -> None:
    """Raises: ValueError."""
    if not _REFUND_ID.fullmatch(refund_id) or amount <= 0:
        raise ValueError("a refund needs an id of 1 to 35 letters and digits, and an amount")


def whole_seconds(length: timedelta) -> int:
    """Count the whole seconds that a charge lives: one at least."""
    return max(1, int(length.total_seconds()))
