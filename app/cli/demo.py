import json
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import click
from flask import current_app
from flask.cli import AppGroup, with_appcontext
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.models import Location, Service
from app.cli.demo_business import open_business
from app.cli.demo_day import add_leave, made_keys, make_visit, visits_of
from app.cli.demo_people import Remembered, have_api_key, have_staff, owner_of, remembered
from app.cli.demo_pix import have_pix
from app.errors import DomainError
from app.events import Actor
from app.extensions import transact

demo = AppGroup("demo", help="A business to try Firme with.")


@demo.command("seed")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for scripts.")
@with_appcontext
def seed(as_json: bool) -> None:
    """Open Estudio Ceibo and fill its day. What is there already stays."""
    now = current_app.extensions["clock"].now()
    known = remembered()
    content = transact(lambda session: open_demo(session, known, now=now))
    content["pix"] = have_pix(UUID(content["location"]["id"]), known)
    made = fill_days(now)
    if as_json:
        click.echo(json.dumps(content, ensure_ascii=False))
    else:
        click.echo(f"{content['location']['name']} is open; {made} bookings were made.")


def open_demo(session: Session, known: Remembered, *, now: datetime) -> dict[str, Any]:
    """Have the business and its people; what demo.json tells of them."""
    location = open_business(session)
    staff = have_staff(session, location, known)
    return {
        "api_key": have_api_key(session, location, known, now=now),
        "staff": staff,
        "location": {
            "id": str(location.id),
            "name": location.name,
            "slug": location.slug,
            "timezone": location.timezone,
            "currency": location.currency,
            "country": location.country,
            "language": location.language,
        },
        "services": [_shown(service) for service in _services(session, location)],
    }


def fill_days(now: datetime) -> int:
    """Make the visits of today and tomorrow that were never made; how many there were.

    Each has its transaction, so that one whose time is taken by now keeps no other out.
    """
    location, actor, made = transact(lambda session: _begin_day(session, now))
    count = 0
    for visit in visits_of(location, now):
        if visit.key not in made:
            make = partial(make_visit, location=location, visit=visit, actor=actor, now=now)
            with suppress(DomainError):
                transact(make)
                count += 1
    return count


def _begin_day(session: Session, now: datetime) -> tuple[Location, Actor, set[str | None]]:
    location = open_business(session)
    add_leave(session, location, now)
    owner = owner_of(session)
    actor = Actor(door="cli", name=owner.name, id=owner.id, is_person=True)
    made = made_keys(session, location.id)
    session.flush()
    session.expunge(location)
    return location, actor, made


def _services(session: Session, location: Location) -> list[Service]:
    found = select(Service).where(Service.location_id == location.id, Service.archived_at.is_(None))
    return list(session.scalars(found.order_by(Service.position, Service.id)))


def _shown(service: Service) -> dict[str, Any]:
    return {
        "id": str(service.id),
        "name": service.name,
        "duration_minutes": service.duration_minutes,
        "price_cents": service.price_cents,
        "deposit_cents": service.deposit_cents,
    }
