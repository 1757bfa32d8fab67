"""A round of work with providers: one thing at a time, none of it inside a transaction."""

import logging
import time
from collections.abc import Callable
from typing import Protocol, TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from app.extensions import db, transact
from app.payments.pix.gateway import AccessDenied, GatewayError, OutcomeUnknown, ProviderDown

log = logging.getLogger(__name__)

LONGEST_SECONDS = 12.0
"""A round begins nothing new after this, so that other work gets its turn."""

_ABOUT_THE_ACCOUNT = (ProviderDown, OutcomeUnknown, AccessDenied)
"""Failures that the account's next call would meet, too: it is left alone for this round."""


class OfAnAccount(Protocol):
    """Something to do at an account's provider."""

    @property
    def account_id(self) -> UUID: ...


Item = TypeVar("Item", bound=OfAnAccount)


def work_off(
    claim: Callable[[Session, list[UUID]], Item | None], work: Callable[[Item], None]
) -> int:
    """Claim one thing after another and do it; tell how many there were.

    ``claim`` gets the accounts to leave alone. What fails was put off by ``work`` or comes back
    when its lease ends; it never keeps the others waiting.
    """
    avoided: list[UUID] = []
    count = 0
    ends_at = time.monotonic() + LONGEST_SECONDS
    try:
        while time.monotonic() < ends_at:
            db.session.remove()
            item = transact(lambda session: claim(session, list(avoided)))
            if item is None:
                break
            count += 1
            try:
                work(item)
            except GatewayError as failure:
                log.warning("account %s: %s: %s", item.account_id, type(failure).__name__, failure)
                if isinstance(failure, _ABOUT_THE_ACCOUNT):
                    avoided.append(item.account_id)
            except Exception:
                log.exception("work for account %s failed", item.account_id)
    finally:
        db.session.remove()
    return count
