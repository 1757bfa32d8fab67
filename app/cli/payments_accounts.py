from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from flask.cli import with_appcontext
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.cashier.gateways import sealer
from app.catalog.models import Location
from app.catalog.names import get_location_by_slug
from app.cli.payments_secrets import ALL, read_secrets
from app.cli.printing import table
from app.cli.trail import audit
from app.database import clock_of
from app.errors import InvalidFields
from app.extensions import transact
from app.payments.accounts import (
    add_account,
    change_account,
    close_account,
    find_open_account,
    read_account,
)
from app.payments.models import PaymentAccount
from app.payments.pix.account import MERCADO_PAGO, ProviderAccount, WrongAccount
from app.payments.pix.api_pix_profiles import PROFILES
from app.payments.pix.registry import PROVIDERS, open_gateway
from app.payments.sealing import CannotOpen

MERCADO_PAGO_ADDRESS = "https://api.mercadopago.com"

_FILE = click.Path(path_type=Path, resolve_path=True)
"""Kept whole: the worker that opens it stands in another folder."""

_SECRETS = f"Secrets are asked for, or read from {', '.join(each.variable for each in ALL)}."


def settings(command: Any) -> Any:
    """Give a command the options of an account's open settings."""
    options = (
        click.option("--name", help="Ours, for lists."),
        click.option("--base-url", help="Of the API, with its version: https://…/v2."),
        click.option("--token-url", help="Where the bank gives tokens."),
        click.option("--merchant-name", help="Shown to who pays; the location's by itself."),
        click.option("--merchant-city", help="Shown to who pays; the location's by itself."),
        click.option("--certificate", type=_FILE, help="PEM, or .p12/.pfx with its key."),
        click.option("--private-key", type=_FILE, help="PEM, where the certificate has none."),
        click.option("--ca-bundle", type=_FILE, help="PEM, where the bank's authority is its own."),
        click.option("--payer-email", help="Mercado Pago: stands for who pays."),
        click.option("--shortest-expiry-seconds", type=int, help="Mercado Pago: of a charge."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("add-account", epilog=_SECRETS)
@click.option("--location", required=True)
@click.option("--provider", type=click.Choice(sorted(PROVIDERS)), required=True)
@click.option("--profile", type=click.Choice(sorted(PROFILES)), default="generic")
@settings
@with_appcontext
def add(location: str, provider: str, profile: str, **typed: Any) -> None:
    """Open an account at a provider, which takes a location's deposits from now on."""
    place = transact(lambda session: get_location_by_slug(session, location))
    given = {name: value for name, value in typed.items() if value is not None}
    usual = {
        "name": provider if profile == "generic" else profile,
        "base_url": MERCADO_PAGO_ADDRESS if provider == MERCADO_PAGO else "",
        "merchant_name": place.name,
        "merchant_city": place.city,
    }
    secrets = read_secrets(provider, profile, has_certificate="certificate" in given)
    account = ProviderAccount(provider=provider, profile=profile, **{**usual, **given, **secrets})
    _check(account)

    def work(session: Session) -> PaymentAccount:
        now = get_location_by_slug(session, location)
        row = add_account(session, now.id, account, currency=now.currency, sealer=sealer())
        audit(session, now.id, "payments.account_added", row.id, **_told(account))
        return row

    click.echo(
        f"{account.name} takes the deposits of {location} ({transact(work).id}).\n"
        f"Next: flask payments check-account --location {location}, then set-webhook."
    )


@click.command("change-account", epilog=_SECRETS)
@click.option("--location", required=True)
@click.option("--profile", type=click.Choice(sorted(PROFILES)))
@settings
@click.option("--secrets", "is_secrets", is_flag=True, help="Ask for the secrets again, too.")
@with_appcontext
def change(location: str, *, is_secrets: bool, **typed: Any) -> None:
    """Change the settings of a location's account; what is not named stays."""
    given = {name: value for name, value in typed.items() if value is not None}
    if not given and not is_secrets:
        raise InvalidFields(("options", "nothing"))
    row = transact(lambda session: open_account_of(session, location)[1])
    fresh = replace(read_account(row, None) if is_secrets else read(row), **given)
    if is_secrets:
        has_certificate = fresh.certificate is not None
        given |= read_secrets(fresh.provider, fresh.profile, has_certificate=has_certificate)
        fresh = replace(fresh, **given)
    _check(fresh)

    def work(session: Session) -> None:
        place, row = open_account_of(session, location)
        change_account(session, row, fresh, sealer=sealer())
        told = _told(fresh) | {"secrets": is_secrets}
        audit(session, place.id, "payments.account_changed", row.id, **told)

    transact(work)
    click.echo(f"Changed: {', '.join(given)}.")


@click.command("list-accounts")
@click.option("--location", help="Only this one.")
@with_appcontext
def show_all(location: str | None) -> None:
    """List the accounts at providers, the closed ones too; secrets are not shown."""

    def work(session: Session) -> list[tuple[object, ...]]:
        wanted = select(Location, PaymentAccount).join(
            PaymentAccount, PaymentAccount.location_id == Location.id
        )
        if location is not None:
            wanted = wanted.where(Location.id == get_location_by_slug(session, location).id)
        found = session.execute(wanted.order_by(Location.slug, PaymentAccount.id))
        return [_line(place, row) for place, row in found]

    head = ("location", "name", "provider", "profile", "address", "webhook", "state", "id")
    table(head, transact(work))


@click.command("close-account")
@click.option("--location", required=True)
@with_appcontext
def close(location: str) -> None:
    """Ask for no more deposits with a location's account. Its money is still looked after."""

    def work(session: Session) -> str:
        place, row = open_account_of(session, location)
        close_account(row, clock_of(session))
        audit(session, place.id, "payments.account_closed", row.id, name=row.name)
        return row.name

    click.echo(f"{transact(work)} is closed. What still comes into it is looked after.")


def open_account_of(session: Session, slug: str) -> tuple[Location, PaymentAccount]:
    """Find the account that takes a location's deposits; tell in words when it has none."""
    place = get_location_by_slug(session, slug)
    row = find_open_account(session, place.id)
    if row is None:
        raise click.ClickException(f"{slug} has no open account: flask payments add-account.")
    return place, row


def read(row: PaymentAccount) -> ProviderAccount:
    """Read an account with its secrets; tell in words when they cannot be opened."""
    try:
        return read_account(row, sealer())
    except CannotOpen as sentence:
        raise click.ClickException(
            f"{sentence}: change-account --secrets seals its secrets anew."
        ) from None


def _check(account: ProviderAccount) -> None:
    try:
        open_gateway(account).close()
    except WrongAccount as sentence:
        raise click.ClickException(str(sentence)) from None


def _told(account: ProviderAccount) -> dict[str, Any]:
    names = ("name", "provider", "profile", "base_url", "token_url")
    return {name: getattr(account, name) for name in names}


def _line(place: Location, row: PaymentAccount) -> tuple[object, ...]:
    return (
        place.slug,
        row.name,
        row.settings.get("provider"),
        row.settings.get("profile"),
        row.settings.get("base_url"),
        "yes" if row.webhook_digest else "no",
        f"closed {row.closed_at:%Y-%m-%d}" if row.closed_at else "open",
        row.id,
    )
