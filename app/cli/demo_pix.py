"""The demo's account at the simulated bank that `make run` opened."""

import os
from uuid import UUID

import click
from sqlalchemy.orm import Session

from app.cashier.gateways import gateway_for, sealer
from app.catalog.models import Location
from app.cli.demo_people import Remembered
from app.extensions import transact
from app.payments.accounts import (
    CURRENCY,
    add_account,
    change_account,
    find_open_account,
    is_secret_of,
    new_webhook_secret,
    read_account,
)
from app.payments.models import PaymentAccount
from app.payments.pix.account import ProviderAccount
from app.payments.pix.gateway import GatewayError
from app.payments.sealing import CannotOpen

BANK = "FIRME_PIX_BANK"
"""The environment's name for the bank's address; a desk without a bank has no such account."""

NAME = "Banco simulado"


def have_pix(location_id: UUID, known: Remembered) -> dict[str, str] | None:
    """Have the demo's account, told of payments at our address; what demo.json says of it.

    Nothing where no bank runs, or where a person chose another account or other money.
    """
    bank = os.environ.get(BANK, "").strip().rstrip("/")
    if not bank:
        return None
    found = transact(lambda session: _have_account(session, location_id, bank, known))
    if found is None:
        return None
    row, secret = found
    # The bank tells http only to its own machine, whatever our address is for others.
    url = f"http://127.0.0.1:{os.environ.get('PORT', '8000')}/webhooks/pix/{row.id}/{secret}"
    try:
        gateway_for(row).set_webhook(url)
    except GatewayError as failure:
        raise click.ClickException(f"The simulated bank took no webhook: {failure}") from None
    return {"webhook_url": url, "simulator_url": bank}


def _have_account(
    session: Session, location_id: UUID, bank: str, known: Remembered
) -> tuple[PaymentAccount, str] | None:
    currency = session.get_one(Location, location_id).currency
    wanted = account_at(bank)
    row = find_open_account(session, location_id)
    if row is None and currency != CURRENCY:
        return None
    if row is None:
        row = add_account(session, location_id, wanted, currency=currency, sealer=sealer())
    elif row.name != NAME:
        return None
    elif _read(row) != wanted:
        change_account(session, row, wanted, sealer=sealer())
    secret = known.webhook_url.rpartition("/")[2]
    if not is_secret_of(row, secret):
        secret = new_webhook_secret(row)
    session.flush()
    session.refresh(row)
    session.expunge(row)
    return row, secret


def account_at(bank: str) -> ProviderAccount:
    """The account that the simulated bank has ready for its only client."""
    return ProviderAccount(
        name=NAME,
        provider="api_pix",
        base_url=f"{bank}/api",
        token_url=f"{bank}/api/oauth/token",
        client_id="firme",
        client_secret="simulado",  # noqa: S106 - of a bank that is a toy
        key="00000000-0000-4000-8000-000000000001",
        merchant_name="Estudio Ceibo",
        merchant_city="Rivera",
    )


def _read(row: PaymentAccount) -> ProviderAccount | None:
    try:
        return read_account(row, sealer())
    except CannotOpen:
        return None
