import secrets
import time
from uuid import UUID

_NANOSECONDS = 1_000_000
"""Of a millisecond, in which version 7 counts."""


def new_id() -> UUID:
    """Make a version 7 UUID (RFC 9562): unique, and later ids sort after earlier ones.

    The twelve bits behind the milliseconds hold the fraction (the RFC's method 3), so that ids of
    one process sort by time down to a quarter of a microsecond, less than it takes to make one.
    Rows made one after the other lie side by side in their indexes, so inserting stays as cheap
    with a million rows as with ten.
    """
    milliseconds, rest = divmod(time.time_ns(), _NANOSECONDS)
    return UUID(
        int=(milliseconds & (1 << 48) - 1) << 80
        | 0x7 << 76
        | (rest << 12) // _NANOSECONDS << 64
        | 0b10 << 62
        | secrets.randbits(62)
    )
