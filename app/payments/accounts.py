"""A location's accounts at Pix providers."""

import hashlib
import hmac
import secrets
from dataclasses import fields
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database import clock_of
from app.errors import InvalidFields
from app.ids import new_id
from app.payments.errors import AccountInUse
from app.payments.models import PaymentAccount
from app.payments.pix.account import ProviderAccount
from app.payments.sealing import Sealer

CURRENCY = "BRL"
"""What Pix moves."""

_SECRET = frozenset(field.name for field in fields(ProviderAccount) if not field.repr)
"""What an account keeps out of its own ``repr`` is sealed."""

_LATER = timedelta(microseconds=1)
"""Two changes in one instant are two: ``updated_at`` tells processes that hold the account open."""

_PATHS = frozenset({"certificate", "private_key", "ca_bundle"})


def add_account(
    session: Session, location_id: UUID, account: ProviderAccount, *, currency: str, sealer: Sealer
) -> PaymentAccount:
    """Open an account at a location, which takes all charges from now on.

    One that the location had before is opened again: its money is known by it. The same money
    never belongs to two locations, since each would take the other's for its own.

    Raises:
        InvalidFields: the location's money is not what Pix moves.
        AccountInUse: another one is open, or another location has this one.
        WrongAccount: a setting cannot work.
    """
    if currency != CURRENCY:
        raise InvalidFields(("currency", "not_brl"))
    account.check()
    if find_open_account(session, location_id) is not None:
        raise AccountInUse
    mark = _fingerprint(account, sealer)
    known = session.scalars(select(PaymentAccount).where(PaymentAccount.fingerprint == mark)).all()
    if any(row.location_id != location_id for row in known):
        raise AccountInUse
    if known:
        known[0].closed_at = None
        change_account(session, known[0], account, sealer=sealer)
        return known[0]
    settings, secret = _parts(account)
    row = PaymentAccount(
        location_id=location_id,
        id=new_id(),
        name=account.name,
        settings=settings,
        sealed=sealer.seal(secret),
        fingerprint=mark,
    )
    session.add(row)
    session.flush()
    return row


def change_account(
    session: Session, row: PaymentAccount, account: ProviderAccount, *, sealer: Sealer
) -> None:
    """Write new settings over old ones; processes that use the account notice by themselves.

    Raises:
        WrongAccount: a setting cannot work.
    """
    account.check()
    settings, secret = _parts(account)
    row.name, row.settings, row.sealed = account.name, settings, sealer.seal(secret)
    row.fingerprint = _fingerprint(account, sealer)
    row.updated_at = max(clock_of(session), row.updated_at + _LATER)
    session.flush()


def close_account(row: PaymentAccount, clock: datetime) -> None:
    """Take no more charges with an account. What still comes into it is looked after."""
    row.closed_at = clock


def read_account(row: PaymentAccount, sealer: Sealer | None) -> ProviderAccount:
    """Put an account together from its row; without a ``sealer`` with no secrets in it.

    Raises:
        CannotOpen: it was sealed with another key.
    """
    known = {field.name for field in fields(ProviderAccount)}
    secrets = sealer.unseal(row.sealed) if sealer else {"client_secret": ""}
    stored = {**row.settings, **secrets}
    values: dict[str, Any] = {name: value for name, value in stored.items() if name in known}
    for name in _PATHS & values.keys():
        values[name] = values[name] and Path(values[name])
    return ProviderAccount(**values)


def find_open_account(session: Session, location_id: UUID) -> PaymentAccount | None:
    """Find the account that takes a location's charges, if it has one."""
    return session.scalar(
        select(PaymentAccount).where(
            PaymentAccount.location_id == location_id, PaymentAccount.closed_at.is_(None)
        )
    )


def find_account(session: Session, account_id: UUID) -> PaymentAccount | None:
    """Find an account by the id in its webhook's address, open or closed."""
    return session.scalar(select(PaymentAccount).where(PaymentAccount.id == account_id))


def new_webhook_secret(row: PaymentAccount) -> str:
    """Give the account's webhook a new secret; the old one opens nothing from now on."""
    secret = secrets.token_urlsafe(32)
    row.webhook_digest = _digest(secret)
    return secret


def is_secret_of(row: PaymentAccount, presented: str) -> bool:
    """Tell whether who calls the webhook knows its secret. Without one nobody does."""
    return hmac.compare_digest(row.webhook_digest or "", _digest(presented))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _fingerprint(account: ProviderAccount, sealer: Sealer) -> str:
    """Tell accounts apart by what their money is known by: the Pix key, or else the login."""
    place = urlsplit(account.base_url).netloc
    return sealer.fingerprint(account.provider, place, account.key or account.client_secret)


def _parts(account: ProviderAccount) -> tuple[dict[str, Any], dict[str, str]]:
    values = {field.name: getattr(account, field.name) for field in fields(account)}
    open_values = {name: value for name, value in values.items() if name not in _SECRET}
    settings = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in open_values.items()
    }
    return settings, {name: values[name] for name in _SECRET}
