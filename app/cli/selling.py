from typing import Any
from zoneinfo import ZoneInfo

import click
from flask.cli import with_appcontext
from sqlalchemy.orm import Session

from app.booking.uncovered import list_commitments_of_service
from app.catalog.actions import add_service, archive_service, change_service
from app.catalog.models import Location, Service
from app.catalog.names import check_name, free_name, get_location_by_slug, get_service_named
from app.catalog.queries import NeedView, ServiceView, list_services
from app.cli.arguments import named_needs, parse_cents, parse_need
from app.cli.commands import Commands, present, warn
from app.cli.printing import named, table
from app.cli.trail import audit
from app.errors import InvalidFields
from app.extensions import transact
from app.money import format_money

services = Commands("services", help="What customers buy.")

_COLUMN_OF = {
    "minutes": "duration_minutes",
    "buffer_before": "buffer_before_minutes",
    "buffer_after": "buffer_after_minutes",
    "grid": "grid_minutes",
    "price": "price_cents",
    "deposit": "deposit_cents",
}


def numbers(command: Any) -> Any:
    """Give a command the options of a service's lengths, money and needs."""
    for option in (
        click.option("--buffer-before", type=int, help="Minutes kept free before it."),
        click.option("--buffer-after", type=int, help="Minutes kept free after it."),
        click.option("--grid", type=int, help="Minutes between two starts, from the opening."),
        click.option("--price", type=parse_cents, help="Like 40.00, the location's currency."),
        click.option("--deposit", type=parse_cents, help="What is paid ahead."),
        click.option(
            "--needs",
            multiple=True,
            help='Once per need, who serves it: "Lucía,Marcos" (either), "Camillas*2" (2 places).',
        ),
    ):
        command = option(command)
    return command


@services.command("add")
@click.argument("location")
@click.argument("name")
@click.option("--minutes", type=int, required=True, help="How long it takes.")
@numbers
@with_appcontext
def add(location: str, name: str, needs: tuple[str, ...], **typed: Any) -> None:
    """Sell a service NAME at LOCATION. The first of its needs sets its grid."""
    fields = _columns(typed)

    def work(session: Session) -> Service:
        place = get_location_by_slug(session, location)
        added = add_service(
            session,
            place.id,
            name=free_name(session, Service, place.id, name),
            needs=named_needs(session, place.id, [parse_need(need) for need in needs]),
            position=len(list_services(session, place.id)),
            **fields,
        )
        audit(
            session,
            place.id,
            "catalog.service_added",
            added.id,
            name=added.name,
            needs=needs,
            **fields,
        )
        return added

    added = transact(work)
    click.echo(f"{added.name} is sold: {added.duration_minutes} minutes ({added.id}).")


@services.command("set")
@click.argument("location")
@click.argument("service")
@click.option("--name")
@click.option("--minutes", type=int)
@numbers
@with_appcontext
def change(
    location: str, service: str, name: str | None, needs: tuple[str, ...], **typed: Any
) -> None:
    """Change SERVICE of LOCATION. Bookings that exist keep their length, price and resources.

    --needs, once per need, replaces all needs.
    """
    fields = _columns(typed)
    if not fields and name is None and not needs:
        raise InvalidFields(("options", "nothing"))

    def work(session: Session) -> tuple[str, list[str]]:
        place = get_location_by_slug(session, location)
        known = get_service_named(session, place.id, service)
        changes = dict(fields)
        if name is not None:
            changes["name"] = check_name(name)
            if changes["name"].casefold() != known.name.casefold():
                changes["name"] = free_name(session, Service, place.id, name)
        if needs:
            _check_needs_fit(session, place, known, needs)
            found = named_needs(session, place.id, [parse_need(need) for need in needs])
            changed = change_service(session, place.id, known.id, needs=found, **changes)
        else:
            changed = change_service(session, place.id, known.id, **changes)
        told: dict[str, Any] = {**changed, **({"needs": needs} if needs else {})}
        if told:
            audit(session, place.id, "catalog.service_changed", known.id, **told)
        return known.name, list(told)

    name_now, changed = transact(work)
    click.echo(f"{name_now}: {', '.join(changed) or 'nothing'} changed.")


@services.command("list")
@click.argument("location")
@with_appcontext
def show_all(location: str) -> None:
    """List what LOCATION sells."""

    def work(session: Session) -> tuple[Location, list[ServiceView]]:
        place = get_location_by_slug(session, location)
        return place, list_services(session, place.id)

    place, found = transact(work)
    table(
        ("name", "minutes", "buffers", "grid", "price", "deposit", "needs", "id"),
        [
            (
                each.name,
                each.duration_minutes,
                f"{each.buffer_before_minutes}+{each.buffer_after_minutes}",
                each.grid_minutes,
                format_money(each.price_cents, place.currency, language="en"),
                format_money(each.deposit_cents, place.currency, language="en"),
                " and ".join(map(_need, each.needs)),
                each.id,
            )
            for each in found
        ],
    )


@services.command("archive")
@click.argument("location")
@click.argument("service")
@with_appcontext
def archive(location: str, service: str) -> None:
    """Sell SERVICE of LOCATION no more. Its bookings and its history stay."""
    now = present()

    def work(session: Session) -> tuple[str, str]:
        place = get_location_by_slug(session, location)
        known = get_service_named(session, place.id, service)
        archive_service(session, place.id, known.id, now=now)
        audit(session, place.id, "catalog.service_archived", known.id, name=known.name)
        left = list_commitments_of_service(session, place.id, known.id)
        return known.name, named(left, "stays/stay", ZoneInfo(place.timezone))

    name, warning = transact(work)
    click.echo(f"{name} is archived.")
    warn(warning)


def _columns(typed: dict[str, Any]) -> dict[str, Any]:
    return {_COLUMN_OF[name]: value for name, value in typed.items() if value is not None}


def _check_needs_fit(
    session: Session, place: Location, service: Service, needs: tuple[str, ...]
) -> None:
    """Refuse more needs than live bookings have resources for: they would lack one."""
    known = {each.id: len(each.needs) for each in list_services(session, place.id)}
    more = len(needs) > known[service.id]
    if more and list_commitments_of_service(session, place.id, service.id):
        raise InvalidFields(("needs", "in_use"))


def _need(need: NeedView) -> str:
    names = ",".join(option.name for option in need.options) or "nobody"
    return names if need.units == 1 else f"{names}*{need.units}"
