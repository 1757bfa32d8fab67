"""Which texts may be stored and shown, and what an address of e-mail is: one rule, all doors."""

import re

_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters and halves of pairs: the database refuses some of them, and no page may
carry the others."""

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


def is_writable(text: str) -> bool:
    """Tell whether a text has only characters that can be kept and shown."""
    return _UNWRITABLE.search(text) is None


def writable(text: str) -> str:
    """Leave out what no page may carry, to show a refused text again."""
    return _UNWRITABLE.sub("", text)


def is_address(text: str) -> bool:
    """Tell whether a text looks like an address of e-mail; only a message sent would prove it."""
    return _ADDRESS.fullmatch(text) is not None
