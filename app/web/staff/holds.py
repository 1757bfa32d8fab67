"""A place kept while the conversation goes on: the quick hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID, uuid4

from flask import Blueprint, request, session
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.booking.idempotency import Answer, RequestKey, once
from app.booking.queries import get_booking
from app.booking.views import BookingView
from app.catalog.models import Resource
from app.catalog.queries import ServiceView, list_resources, list_services
from app.checkout import actions
from app.errors import DomainError, Invalid, InvalidFields, NotFound
from app.extensions import db, transact
from app.web.auth import scope, staff
from app.web.forms import Fields, parse_day, parse_instant
from app.web.render import render
from app.web.staff.answers import done, now, refused
from app.web.staff.bookings import draw
from app.web.staff.conflict import ABOUT_THE_TIME, Wanted, refuse_place
from app.web.staff.panel import contact_fields, find_seen
from app.web.staff.reading import (
    CONTACT_FIELDS,
    MOST_UNITS,
    PLACE_FIELDS,
    PlaceForm,
    Told,
    read_contact,
    read_place,
    typed,
)
from app.web.staff.sentences import NOT_SERVED, field_errors, notice_of
from app.web.staff.wording import clock_time, day_of, gettext

bp = Blueprint("holds", __name__)

_SHOWN = {"service", "day", "time", "resources", "units", "phone", "name", "email"}
"""The fields that say beside them what is wrong."""


@dataclass(frozen=True)
class HoldForm:
    """What the quick hold's template draws."""

    services: tuple[ServiceView, ...]
    service_id: UUID | None
    resources: tuple[Resource, ...]
    resource: Resource | None
    starts_at: datetime | None
    day: date
    time: str
    has_pools: bool
    typed: Mapping[str, str]
    errors: Mapping[str, str]
    notice: str | None
    key: str


@bp.get("/reservas/nueva")
def new() -> ResponseReturnValue:
    """Show the quick hold: of the free place that was clicked, or of any."""
    values = {
        "service": request.args.get("servicio", ""),
        "resources": request.args.get("recurso", ""),
        "starts_at": request.args.get("inicio", ""),
        "day": request.args.get("d", ""),
    }
    return _form(values | _customer_of(request.args.get("de", "")))


@bp.post("/reservas")
def place() -> ResponseReturnValue:
    """Keep the place. The same form sent twice makes one booking."""
    form, mine = request.form, scope()
    fields = Fields(form)
    service_id, key = fields.uuid("service"), fields.key()
    units = fields.number("units", least=1, most=MOST_UNITS, default=1)
    kept = typed(form, *CONTACT_FIELDS, *PLACE_FIELDS, "insist")
    try:
        told = read_contact(fields, form, mine)
        wish_place = read_place(fields, form, mine)
        if service_id is None:
            raise InvalidFields(("service", "required"))
        if not key:
            raise InvalidFields(("key", "required"))
    except InvalidFields as refusal:
        return _refuse_form(refusal, kept)
    wanted = Wanted(service_id, wish_place.starts_at, wish_place.resource_ids, units)
    try:
        booking = _place_once(wanted, wish_place, told, key=key, body=kept)
    except ABOUT_THE_TIME as refusal:
        return refuse_place(refusal, wanted, kept)
    except NotFound:
        return _refuse_form(InvalidFields(("resource_ids", NOT_SERVED)), kept)
    except Invalid as refusal:
        return _refuse_form(refusal, kept)
    session["service"] = str(service_id)
    said = gettext(
        "Pre-reserva a las %(time)s guardada.", time=clock_time(booking.starts_at, mine.zone)
    )
    return done(lambda: draw(booking), said, booking)


def _place_once(
    wanted: Wanted, place_form: PlaceForm, told: Told, *, key: str, body: Mapping[str, str]
) -> BookingView:
    mine, actor, moment = scope(), staff().actor, now()
    request_key = RequestKey.of(
        mine.location_id, client=f"desk:{actor.id}", call="hold", key=key, body=dict(body)
    )
    wish = actions.Wish(
        mine.location_id,
        wanted.service_id,
        wanted.starts_at,
        resource_ids=wanted.resource_ids,
        units=wanted.units,
        at_desk=True,
        override=place_form.reason,
        contact=told.contact,
        notes=told.notes,
        channel="desk",
        request_key=request_key.digest,
    )

    def work(session: Session) -> BookingView:
        def hold() -> Answer:
            booking = actions.place_hold(session, wish, actor=actor, now=moment)
            return Answer(201, {"id": str(booking.id)})

        answer = once(
            session, request_key, hold, revive=lambda found: Answer(201, {"id": str(found)})
        )
        return get_booking(session, mine.location_id, UUID(answer.body["id"]))

    return transact(work)


def _refuse_form(refusal: DomainError, kept: Mapping[str, str]) -> ResponseReturnValue:
    errors = field_errors(refusal)
    return refused(_form(kept, errors=errors, notice=notice_of(refusal, errors, _SHOWN)), 422)


def _form(
    values: Mapping[str, str],
    *,
    errors: Mapping[str, str] | None = None,
    notice: str | None = None,
) -> str:
    mine = scope()
    resources = tuple(
        r for r in list_resources(db.session(), mine.location_id) if mine.covers((r.id,))
    )
    wanted = values.get("resources", "").split(",")[0] or str(mine.resource_id or "")
    resource = next((r for r in resources if str(r.id) == wanted), None)
    services = tuple(
        service
        for service in list_services(db.session(), mine.location_id)
        if resource is None or service.takes(resource.id)
    )
    starts_at = parse_instant(values.get("starts_at", ""))
    default_day = day_of(starts_at, mine.zone) if starts_at else mine.today(now())
    form = HoldForm(
        services=services,
        service_id=_chosen_service(services, values.get("service", "")),
        resources=resources,
        resource=resource,
        starts_at=starts_at,
        day=parse_day(values.get("day", "")) or default_day,
        time=values.get("time", ""),
        has_pools=any(r.capacity > 1 for r in resources),
        typed=values,
        errors=errors or {},
        notice=notice,
        key=str(uuid4()),
    )
    return render("staff/bookings/new.html", "panel", form=form, zone=mine.zone)


def _chosen_service(services: tuple[ServiceView, ...], wanted: str) -> UUID | None:
    """Choose the service asked for, else the last one this person booked, else the first."""
    for name in (wanted, session.get("service")):
        for service in services:
            if str(service.id) == name:
                return service.id
    return services[0].id if services else None


def _customer_of(booking_id: str) -> dict[str, str]:
    """Write the customer of an earlier booking as form fields, to take its place again."""
    try:
        earlier = find_seen(UUID(booking_id))
    except (ValueError, NotFound):
        return {}
    return contact_fields(earlier.contact, scope().country) | {"notes": earlier.notes}
