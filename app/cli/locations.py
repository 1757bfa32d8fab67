from typing import Any
from zoneinfo import ZoneInfo

import click
from flask.cli import with_appcontext
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.booking.uncovered import list_uncovered
from app.catalog.actions import add_location, change_location
from app.catalog.models import Location
from app.catalog.names import check_name, get_location_by_slug
from app.catalog.places import POLICIES
from app.catalog.queries import list_resources
from app.cli.commands import Commands, warn
from app.cli.printing import named, table
from app.cli.trail import audit
from app.errors import InvalidFields
from app.extensions import transact
from app.money import CURRENCIES

locations = Commands("locations", help="Businesses at a place, and their policies.")

_SHOWN = ("slug", "name", "city", "country", "timezone", "currency", "language", *POLICIES)


def policies(command: Any) -> Any:
    """Give a command an option for each policy, and for what describes the place."""
    for name, (least, most) in reversed(POLICIES.items()):
        flag = f"--{name.replace('_', '-')}"
        command = click.option(flag, type=int, help=f"{least} to {most}.")(command)
    command = click.option("--city")(command)
    command = click.option("--language", help="Of its pages: es, pt or en.")(command)
    return click.option("--name")(command)


@locations.command("add")
@click.argument("slug")
@click.option("--timezone", required=True, help="An IANA area, like America/Montevideo.")
@click.option("--currency", required=True, help=f"{', '.join(sorted(CURRENCIES))}.")
@click.option("--country", required=True, help="ISO 3166, two letters.")
@policies
@with_appcontext
def add(slug: str, **typed: Any) -> None:
    """Add a location, known by SLUG from then on."""
    fields = _read(typed)

    def work(session: Session) -> Location:
        location = add_location(session, slug=slug, **{"name": slug, **fields})
        audit(session, location.id, "catalog.location_added", location.id, slug=slug, **fields)
        return location

    click.echo(f"{transact(work).name} is known as {slug}.")


@locations.command("set")
@click.argument("location")
@click.option("--slug", help="Changes the location's addresses.")
@click.option("--timezone")
@click.option("--currency")
@click.option("--country")
@policies
@with_appcontext
def change(location: str, **typed: Any) -> None:
    """Change policies of LOCATION. Bookings that exist keep the ones they were made under."""
    fields = _read(typed)
    if not fields:
        raise InvalidFields(("options", "nothing"))

    def work(session: Session) -> tuple[list[str], str]:
        place = get_location_by_slug(session, location)
        changed = change_location(session, place.id, **fields)
        if changed:
            audit(session, place.id, "catalog.location_changed", place.id, **changed)
        return list(changed), _outside(session, place) if "timezone" in changed else ""

    changed, warning = transact(work)
    click.echo(f"Changed: {', '.join(changed)}." if changed else "Nothing changed.")
    warn(warning)


@locations.command("list")
@with_appcontext
def show_all() -> None:
    """List every location."""
    found = transact(
        lambda session: session.scalars(select(Location).order_by(Location.slug)).all()
    )
    table(
        ("slug", "name", "timezone", "currency", "id"),
        [(each.slug, each.name, each.timezone, each.currency, each.id) for each in found],
    )


@locations.command("show")
@click.argument("location")
@with_appcontext
def show(location: str) -> None:
    """Show the policies of LOCATION."""
    place = transact(lambda session: get_location_by_slug(session, location))
    for name in _SHOWN:
        click.echo(f"{name}: {getattr(place, name)}")


def _read(typed: dict[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in typed.items() if value is not None}
    if "name" in fields:
        fields["name"] = check_name(fields["name"])
    if fields.get("city"):
        fields["city"] = check_name(fields["city"], field="city")
    for name in ("country", "currency"):
        if name in fields:
            fields[name] = fields[name].upper()
    return fields


def _outside(session: Session, place: Location) -> str:
    resources = [resource.id for resource in list_resources(session, place.id)]
    found = list_uncovered(session, place, resources)
    return named(found, "lies outside/lie outside", ZoneInfo(place.timezone))
