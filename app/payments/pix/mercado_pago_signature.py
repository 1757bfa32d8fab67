"""Tell Mercado Pago's own messages from those of anybody else."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime, timedelta

TOLERANCE = timedelta(days=1)
"""How far a message's time may be from ours, before or after.

Mercado Pago sends a message again for days and does not say whether with a new time; an old one
only makes us look once more at a payment, and what a wrong clock refuses, polling finds.
"""

_TIME = re.compile(r"[0-9]{1,16}")
_FIRST_MILLISECOND = 10**11
"""A smaller number counts seconds: its documents say milliseconds and show both."""


def is_signed(
    *, secret: str, query: Mapping[str, str], headers: Mapping[str, str], now: datetime
) -> bool:
    """Tell whether a message carries a signature of ``secret`` that is not too old.

    The signature is an HMAC of ``data.id`` in the address, the id of the request and the time; it
    says nothing about the body.
    """
    sent = {name.lower(): value for name, value in headers.items()}
    signature = _parts(sent.get("x-signature", ""))
    time, presented = signature.get("ts", ""), signature.get("v1", "")
    if not secret or not presented or not _TIME.fullmatch(time):
        return False
    named = {
        "id": query.get("data.id", "").strip(),
        "request-id": sent.get("x-request-id", "").strip(),
        "ts": time,
    }
    text = "".join(f"{name}:{value};" for name, value in named.items() if value)
    expected = hmac.new(secret.encode(), text.encode(errors="replace"), hashlib.sha256).hexdigest()
    is_same = hmac.compare_digest(expected.encode(), presented.encode(errors="replace"))
    return is_same and _is_recent(int(time), now)


def _parts(signature: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in signature.split(","))
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _is_recent(time: int, now: datetime) -> bool:
    milliseconds = time if time >= _FIRST_MILLISECOND else time * 1_000
    return abs(now.timestamp() * 1_000 - milliseconds) <= TOLERANCE.total_seconds() * 1_000
