"""A round of work with providers: one thing at a time, none of it inside a transaction."""

import logging
import time
from collections.abc import Callable
from typing import Protocol, TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from app.extensions import db, transact
from app.payments.claiming import pause_account
from app.payments.pix.gateway import AccessDenied, GatewayError, OutcomeUnknown, ProviderDown

log = logging.getLogger(__name__)

LONGEST_SECONDS = 12.0
"""A round begins nothing new after this, so that other work gets its turn."""

ABOUT_THE_ACCOUNT = (ProviderDown, OutcomeUnknown, AccessDenied)
"""Failures that the account's next call would meet, too: it pauses, and the others go on."""


class OfAnAccount(Protocol):
    """Something to do at an account's provider."""

    @property
    def location_id(self) -> UUID: ...

    @property
    def account_id(self) -> UUID: ...


Item = TypeVar("Item", bound=OfAnAccount)


def work_off(claim: Callable[[Session], Item | None], work: Callable[[Item], None]) -> int:
    """Claim one thing after another and do it; tell how many there were.

    What fails was put off by ``work``, or comes back when its lease ends.
    """
    count = 0
    ends_at = time.monotonic() + LONGEST_SECONDS
    try:
        while time.monotonic() < ends_at:
            db.session.remove()
            item = transact(claim)
            if item is None:
                break
            count += 1
            _do(item, work)
    finally:
        db.session.remove()
    return count


def _do(item: Item, work: Callable[[Item], None]) -> None:
    try:
        work(item)
    except GatewayError as failure:
        log.warning("account %s: %s: %s", item.account_id, type(failure).__name__, failure)
        if isinstance(failure, ABOUT_THE_ACCOUNT):
            transact(lambda session: pause_account(session, item.location_id, item.account_id))
    except Exception:
        log.exception("work for account %s failed", item.account_id)
