"""How to go on when it is not known whether a provider did what it was asked."""

from collections.abc import Callable
from typing import TypeVar

from app.payments.pix.gateway import (
    AccessDenied,
    OutcomeUnknown,
    ProviderDown,
    Rejected,
    Unreadable,
)

Seen = TypeVar("Seen")


def surely(act: Callable[[], Seen], look: Callable[[], Seen | None]) -> Seen:
    """Do something; after any doubt look whether it is done before doing it a second time.

    A refusal is a doubt too: some banks refuse what they have already.

    Raises:
        OutcomeUnknown: in doubt twice, or looking did not work.
        Rejected: and nothing of that id is there, so it is no answer to a repetition.
    """
    try:
        return act()
    except AccessDenied:
        raise
    except Rejected:
        known = after_doubt(look)
        if known is None:
            raise
        return known
    except (OutcomeUnknown, Unreadable):
        known = after_doubt(look)
    return known if known is not None else after_doubt(act)


def after_doubt(step: Callable[[], Seen]) -> Seen:
    """Take a step after an earlier one that may have worked: that it is down settles nothing."""
    try:
        return step()
    except ProviderDown as failure:
        raise OutcomeUnknown(str(failure)) from None
