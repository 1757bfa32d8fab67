from zoneinfo import ZoneInfo

import click
from flask.cli import with_appcontext
from sqlalchemy.orm import Session

from app.booking.capacity import change_capacity
from app.booking.errors import CapacityInUse
from app.booking.queries import get_booking
from app.booking.uncovered import list_uncovered
from app.catalog.actions import add_resource, archive_resource, rename_resource
from app.catalog.models import POOLED, Location, Resource
from app.catalog.names import check_name, free_name, get_location_by_slug, get_resource_named
from app.catalog.queries import list_resources, list_services
from app.cli.commands import Commands, present, warn
from app.cli.printing import count, local, named, table
from app.cli.trail import audit
from app.extensions import transact

resources = Commands("resources", help="People, rooms and machines, and pools of equal places.")


@resources.command("add")
@click.argument("location")
@click.argument("name")
@click.option("--capacity", type=int, default=1, help="Equal places; above 1 it is a pool.")
@click.option("--pool", is_flag=True, help="A pool even with a single place.")
@click.option("--label", default="", help="What stands below the name: Barbería.")
@with_appcontext
def add(location: str, name: str, capacity: int, pool: bool, label: str) -> None:
    """Add a resource NAME to LOCATION. It works once it has hours."""
    below = check_name(label, field="label") if label else ""

    def work(session: Session) -> Resource:
        place = get_location_by_slug(session, location)
        added = add_resource(
            session,
            place.id,
            name=free_name(session, Resource, place.id, name),
            capacity=capacity,
            kind=POOLED if pool else None,
            label=below,
            position=len(list_resources(session, place.id)),
        )
        audit(
            session,
            place.id,
            "catalog.resource_added",
            added.id,
            name=added.name,
            kind=added.kind,
            capacity=capacity,
        )
        return added

    added = transact(work)
    places = f" with {capacity} places" if added.kind == POOLED else ""
    click.echo(f"{added.name} is here{places} ({added.id}). Hours: flask hours week.")


@resources.command("list")
@click.argument("location")
@with_appcontext
def show_all(location: str) -> None:
    """List what can be booked at LOCATION."""
    found = transact(
        lambda session: list_resources(session, get_location_by_slug(session, location).id)
    )
    table(
        ("name", "label", "kind", "capacity", "id"),
        [(each.name, each.label, each.kind, each.capacity, each.id) for each in found],
    )


@resources.command("rename")
@click.argument("location")
@click.argument("resource")
@click.argument("name")
@with_appcontext
def rename(location: str, resource: str, name: str) -> None:
    """Call RESOURCE of LOCATION by another NAME."""

    def work(session: Session) -> str:
        place = get_location_by_slug(session, location)
        known = get_resource_named(session, place.id, resource)
        fresh = check_name(name)
        if fresh.casefold() != known.name.casefold():
            fresh = free_name(session, Resource, place.id, name)
        before = rename_resource(session, place.id, known.id, name=fresh)
        audit(session, place.id, "catalog.resource_renamed", known.id, name=[before, fresh])
        return f"{before} is called {fresh} now."

    click.echo(transact(work))


@resources.command("capacity")
@click.argument("location")
@click.argument("resource")
@click.argument("places", type=int)
@with_appcontext
def capacity(location: str, resource: str, places: int) -> None:
    """Give the pool RESOURCE of LOCATION another number of PLACES, if what is sold fits."""

    def work(session: Session) -> str:
        place = get_location_by_slug(session, location)
        pool = get_resource_named(session, place.id, resource)
        session.refresh(pool, with_for_update={"key_share": True})
        before = pool.capacity
        try:
            change_capacity(session, place.id, pool.id, places)
        except CapacityInUse as refusal:
            raise CapacityInUse(facts={"bookings": _in_the_way(session, place, refusal)}) from None
        audit(session, place.id, "catalog.capacity_changed", pool.id, capacity=[before, places])
        return f"{pool.name} has {count(places, 'place')}; it had {before}."

    click.echo(transact(work))


@resources.command("archive")
@click.argument("location")
@click.argument("resource")
@with_appcontext
def archive(location: str, resource: str) -> None:
    """Take RESOURCE of LOCATION out of use. Its bookings and its history stay."""
    now = present()

    def work(session: Session) -> tuple[str, str, str]:
        place = get_location_by_slug(session, location)
        known = get_resource_named(session, place.id, resource)
        archive_resource(session, place.id, known.id, now=now)
        audit(session, place.id, "catalog.resource_archived", known.id, name=known.name)
        left = list_uncovered(session, place, [known.id])
        outside = named(left, "lies outside/lie outside", ZoneInfo(place.timezone))
        return known.name, outside, _unserved(session, place)

    name, outside, unserved = transact(work)
    click.echo(f"{name} is archived.")
    warn(outside)
    warn(unserved)


def _in_the_way(session: Session, place: Location, refusal: CapacityInUse) -> list[str]:
    zone = ZoneInfo(place.timezone)
    found = [get_booking(session, place.id, each) for each in refusal.facts["bookings"]]
    return [
        f"  {local(each.starts_at, zone)}  {each.service_name}, {each.contact.name}  {each.id}"
        for each in sorted(found, key=lambda booking: booking.starts_at)
    ]


def _unserved(session: Session, place: Location) -> str:
    names = [
        service.name
        for service in list_services(session, place.id)
        if any(not need.options for need in service.needs)
    ]
    return f"nothing serves any more: {', '.join(names)}" if names else ""
