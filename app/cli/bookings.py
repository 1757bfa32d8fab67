from datetime import date
from zoneinfo import ZoneInfo

import click
from flask.cli import with_appcontext
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.expiry import BATCH, expire_due
from app.booking.integrity import Fault
from app.booking.queries import day_bookings
from app.booking.views import BookingView
from app.catalog.hours import day_bounds
from app.catalog.names import get_location_by_slug
from app.checkout.integrity import FAULTS, find_faults
from app.cli.arguments import parse_day
from app.cli.commands import Commands
from app.cli.printing import count, local, table
from app.extensions import transact

bookings = Commands("bookings", help="Look at bookings, and check that every promise holds.")

_READ_ALL = text("SET LOCAL statement_timeout = '10min'")
"""The checks read every booking there ever was; a page's ten seconds may not do."""


@bookings.command("check")
@with_appcontext
def check() -> None:
    """Check every promise that the tables can tell; exit 1 with a table of what is broken."""

    def work(session: Session) -> list[Fault]:
        session.execute(_READ_ALL)
        return find_faults(session)

    faults = transact(work)
    broken = {fault.what for fault in faults}
    click.echo(f"{len(FAULTS) - len(broken)} of {count(len(FAULTS), 'check')} passed.")
    if faults:
        table(("fault", "where"), [(fault.what, fault.where) for fault in faults])
        raise click.exceptions.Exit(1)


@bookings.command("expire")
@with_appcontext
def expire() -> None:
    """Write down which holds lapsed, as the worker does every few seconds."""
    total = 0
    while True:
        done = transact(expire_due)
        total += done
        if done < BATCH:
            break
    click.echo(f"{count(total, 'hold')} expired.")


@bookings.command("list")
@click.argument("location")
@click.argument("day", type=parse_day)
@with_appcontext
def show_day(location: str, day: date) -> None:
    """List the bookings of a local DAY of LOCATION, of every state."""

    def work(session: Session) -> tuple[ZoneInfo, list[BookingView]]:
        place = get_location_by_slug(session, location)
        zone = ZoneInfo(place.timezone)
        return zone, day_bookings(session, place.id, *day_bounds(zone, day))

    zone, found = transact(work)
    table(
        ("starts", "ends", "state", "service", "resources", "customer", "id"),
        [
            (
                local(each.starts_at, zone),
                local(each.ends_at, zone),
                each.status.value,
                each.service_name,
                ", ".join(resource.name for resource in each.resources),
                each.contact.name or "-",
                each.id,
            )
            for each in found
        ],
    )
