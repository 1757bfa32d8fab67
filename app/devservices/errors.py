"""What may keep the servers from starting, in one sentence for the person at the keyboard."""

from __future__ import annotations

import errno
from pathlib import Path


class CannotStart(Exception):
    """One clear sentence; `up` prints it and ends with status 1, without a trace."""


def disk_is_full(place: Path) -> CannotStart:
    return CannotStart(
        f"The disk is full: free some space where {place} lives, then start again. "
        "Nothing that was saved is lost."
    )


def sentence_for(error: OSError, place: Path) -> CannotStart:
    """The sentence for what the system refused, full disk first."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_is_full(place)
    return CannotStart(f"{error.filename or place}: {error.strerror or error}.")
