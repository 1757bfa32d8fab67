"""Read what any Pix provider answers: leniently about form, strictly about money and time."""

import logging
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

from app.payments.pix.brcode import checksum
from app.payments.pix.gateway import ChargeStatus, RefundStatus, Unreadable
from app.payments.pix.provider_http import Document

log = logging.getLogger(__name__)

Status = TypeVar("Status", ChargeStatus, RefundStatus)

_WORD = re.compile(r"[A-Za-z0-9]{1,64}")
_LONGEST_TEXT = 140


def read_instant(value: object) -> datetime:
    """Read an instant of any offset, into UTC.

    Raises:
        Unreadable: also without an offset: which day it was would be a guess.
    """
    try:
        instant = datetime.fromisoformat(value) if isinstance(value, str) else None
        if instant is None or instant.tzinfo is None:
            raise Unreadable("an instant is missing or has no offset")
        return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Unreadable("an instant cannot be read") from None


def instant_or_none(value: object) -> datetime | None:
    try:
        return read_instant(value)
    except Unreadable:
        return None


def status(value: object, known: Mapping[str, Status], unknown: Status) -> Status:
    read = known.get(value) if isinstance(value, str) else None
    if read is None:
        log.warning("the Pix provider has a status that Firme does not know")
        return unknown
    return read


def payable(code: object) -> str | None:
    """Return the provider's own code, unless its checksum is wrong: no bank would pay that."""
    if not isinstance(code, str) or len(code) <= 8:
        return None
    if code[-8:-4] == "6304" and code[-4:].upper() == checksum(code[:-4]):
        return code
    log.error("the Pix provider sent a code with a wrong checksum")
    return None


def part(document: Document, name: str) -> Document:
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[Document]:
    """A list, or the single thing that the spec's own example puts where a list belongs."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict) and item]


def word(value: object) -> str:
    """Read an id of letters and digits.

    Raises:
        Unreadable: it is missing or something else.
    """
    read = word_or_none(value)
    if read is None:
        raise Unreadable("an id is missing or odd")
    return read


def word_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def text_or_none(value: object) -> str | None:
    """A text that a database and a page can take; a number that should be one becomes one."""
    if not isinstance(value, str | int):
        return None
    return "".join(letter for letter in str(value) if letter.isprintable())[:_LONGEST_TEXT] or None
