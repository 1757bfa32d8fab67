from dataclasses import replace
from zoneinfo import ZoneInfo

import click
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy.orm import Session

from app.cashier.gateways import gateway_for, sealer
from app.catalog.hours import day_bounds
from app.cli.commands import present, warn
from app.cli.payments_accounts import open_account_of, read
from app.cli.printing import count
from app.cli.trail import audit
from app.config import Config
from app.errors import InvalidFields
from app.extensions import transact
from app.payments.accounts import change_account, is_secret_of, new_webhook_secret
from app.payments.models import PaymentAccount
from app.payments.pix.account import MERCADO_PAGO, is_address_to_notify
from app.payments.pix.gateway import (
    AccessDenied,
    GatewayError,
    OutcomeUnknown,
    PixGateway,
    Unreadable,
)


@click.command("set-webhook")
@click.option("--location", required=True)
@click.option("--base-url", help="Where the provider reaches Firme; BASE_URL by itself.")
@with_appcontext
def set_webhook(location: str, base_url: str | None) -> None:
    """Have the provider tell Firme of payments, at an address with a new secret.

    The address is shown now and never again; the one before opens nothing from then on.
    """
    config: Config = current_app.extensions["firme_config"]
    base = (base_url or config.base_url).rstrip("/")
    _, row = transact(lambda session: open_account_of(session, location))
    _open(row)
    before = row.webhook_digest
    row, url = transact(lambda session: _renew(session, location, base))
    try:
        gateway_for(row).set_webhook(url)
    except OutcomeUnknown as failure:
        raise click.ClickException(
            f"Nobody knows whether {row.name} took the address ({failure}): run this again."
        ) from None
    except GatewayError as failure:
        transact(lambda session: _restore(session, location, before))
        raise click.ClickException(f"Nothing is changed: {why(row, failure)}") from None
    transact(lambda session: _write_down(session, location, base))
    click.echo(f"{row.name} tells payments at\n{url}")


def _renew(session: Session, location: str, base: str) -> tuple[PaymentAccount, str]:
    """Make a new secret, which has to work before the provider hears it: some call at once."""
    _, row = open_account_of(session, location)
    url = f"{base}/webhooks/pix/{row.id}/{new_webhook_secret(row)}"
    if not is_address_to_notify(url):
        raise InvalidFields(("base_url", "not_https"))
    account = read(row)
    if account.provider == MERCADO_PAGO:  # which keeps the address with each charge
        told = replace(account, notification_url=url)
        change_account(session, row, told, sealer=sealer())
    session.flush()
    return row, url


def _restore(session: Session, location: str, before: str | None) -> None:
    open_account_of(session, location)[1].webhook_digest = before


def _write_down(session: Session, location: str, base: str) -> None:
    place, row = open_account_of(session, location)
    audit(session, place.id, "payments.webhook_set", row.id, base_url=base)


@click.command("check-account")
@click.option("--location", required=True)
@with_appcontext
def check(location: str) -> None:
    """Ask the provider for today's payments, and where it tells of them; say what is wrong."""
    place, row = transact(lambda session: open_account_of(session, location))
    now = present()
    zone = ZoneInfo(place.timezone)
    since, _ = day_bounds(zone, now.astimezone(zone).date())
    gateway = _open(row)
    try:
        number = sum(1 for _ in gateway.list_payments(since, now))
    except GatewayError as failure:
        raise click.ClickException(f"{row.name} does not work: {why(row, failure)}") from None
    click.echo(f"{row.name} works: {count(number, 'payment')} today.")
    _check_webhook(row, gateway)


def _open(row: PaymentAccount) -> PixGateway:
    try:
        return gateway_for(row)
    except AccessDenied as failure:
        raise click.ClickException(f"{row.name} does not work: {why(row, failure)}") from None


def _check_webhook(row: PaymentAccount, gateway: PixGateway) -> None:
    try:
        url = gateway.find_webhook()
    except GatewayError as failure:
        warn(f"where it tells of payments is not known: {why(row, failure)}")
        return
    if url is None:
        warn("it tells nobody of payments: run flask payments set-webhook.")
    elif is_secret_of(row, url.rstrip("/").rpartition("/")[2]) and str(row.id) in url:
        click.echo(f"It tells of payments at {url.partition('/webhooks/')[0]}.")
    else:
        warn("it tells of payments at another address: run flask payments set-webhook.")


def why(row: PaymentAccount, failure: GatewayError) -> str:
    """Tell what failed, and which setting to look at."""
    if isinstance(failure, Unreadable):
        return f"{failure}; look at the account itself"
    if not isinstance(failure, AccessDenied):
        return f"{failure}; look at --base-url, --token-url and the certificates, or try later"
    if failure.status == 0:
        return failure.kind
    if failure.status == 403:
        return f"{failure}: it knows us and refuses; look at the scopes and the certificate"
    proof = "the client id, the client secret and --token-url"
    if row.settings.get("provider") == MERCADO_PAGO:
        proof = "the access token"
    return f"{failure}: it does not know us; look at {proof}"
