from collections.abc import Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import click
from flask.cli import with_appcontext
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.cashier.reconciling import Reconciliation, Sums, reconcile
from app.catalog.hours import day_bounds
from app.catalog.models import Location
from app.catalog.names import get_location_by_slug
from app.cli.arguments import parse_day
from app.cli.commands import present
from app.cli.printing import count, table
from app.errors import InvalidFields
from app.extensions import transact
from app.money import format_money
from app.payments.models import PaymentAccount
from app.payments.pix.gateway import GatewayError

DAYS = 7
ALIKE, DIFFERENT, UNREAD = 0, 1, 2
"""How the command ends; of several accounts the worst one counts."""

LATEST_INTO_CLOSED = timedelta(days=1)
"""A charge lives some minutes: nothing comes into an account much later than it was closed."""

Found = tuple[Location, PaymentAccount]


@click.command("reconcile")
@click.option("--location", help="Only this one; all of them by itself.")
@click.option("--since", type=parse_day, help=f"First local day; {DAYS} days ago by itself.")
@click.option("--until", type=parse_day, help="Last local day; until now by itself.")
@with_appcontext
def reconcile_accounts(location: str | None, since: date | None, until: date | None) -> None:
    """Compare the ledger with what each provider says came in and went back, to the cent.

    Exit 1 with a table when anything differs, 2 when a provider could not be read.
    """
    if since and until and until < since:
        raise InvalidFields(("until", "before_start"))
    now = present()
    found = transact(lambda session: _accounts(session, location))
    ends = []
    for place, account in found:
        first, last = _span(place, since, until, now)
        if not _was_closed(account, before=first):
            ends.append(_compare(place, account, first, last))
    if not ends:
        click.echo("No account to compare.")
    raise click.exceptions.Exit(max(ends, default=ALIKE))


def _accounts(session: Session, slug: str | None) -> Sequence[Found]:
    wanted = select(Location, PaymentAccount).join(
        PaymentAccount, PaymentAccount.location_id == Location.id
    )
    if slug is not None:
        wanted = wanted.where(Location.id == get_location_by_slug(session, slug).id)
    rows = session.execute(wanted.order_by(Location.slug, PaymentAccount.id))
    return [(place, account) for place, account in rows]


def _span(
    place: Location, since: date | None, until: date | None, now: datetime
) -> tuple[datetime, datetime]:
    """Tell the instants from the first to the last, both of which count."""
    zone = ZoneInfo(place.timezone)
    first = since or (until or now.astimezone(zone).date()) - timedelta(days=DAYS)
    end = day_bounds(zone, until)[1] - timedelta(microseconds=1) if until else now
    return day_bounds(zone, first)[0], end


def _was_closed(account: PaymentAccount, *, before: datetime) -> bool:
    return account.closed_at is not None and account.closed_at + LATEST_INTO_CLOSED < before


def _compare(place: Location, account: PaymentAccount, since: datetime, until: datetime) -> int:
    name = f"{place.slug}, {account.name}"
    try:
        found = reconcile(place.id, account.id, since=since, until=until)
    except GatewayError as failure:
        click.echo(f"{name}: could not be read: {failure}", err=True)
        return UNREAD
    verdict = count(len(found.differences), "difference") if found.differences else "no difference"
    click.echo(f"{name}: {count(found.payments, 'payment')}, {verdict}.")
    click.echo(f"  here  {_sums(found.ours, place)}\n  there {_sums(found.theirs, place)}")
    if found.differences:
        _show(found, place)
        return DIFFERENT
    return ALIKE


def _sums(sums: Sums, place: Location) -> str:
    received, returned = _shown(sums, place)
    return f"received {received}, returned {returned}"


def _show(found: Reconciliation, place: Location) -> None:
    table(
        ("end-to-end id", "received here", "there", "returned here", "there"),
        [
            (each.end_to_end_id, ours[0], theirs[0], ours[1], theirs[1])
            for each in found.differences
            for ours, theirs in [(_shown(each.ours, place), _shown(each.theirs, place))]
        ],
    )


def _shown(sums: Sums | None, place: Location) -> tuple[str, str]:
    if sums is None:
        return "unknown", "unknown"
    return _money(sums.received, place), _money(sums.returned, place)


def _money(cents: int, place: Location) -> str:
    return format_money(cents, place.currency, language="en")
