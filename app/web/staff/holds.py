"""A place kept while the conversation goes on: the quick hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID, uuid4

from flask import Blueprint, request, session
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.booking.errors import NotAllowedNow
from app.booking.idempotency import Answer, RequestKey, once
from app.booking.queries import get_booking
from app.booking.views import BookingView
from app.catalog.models import Resource
from app.catalog.queries import ServiceView, list_resources, list_services
from app.checkout import actions
from app.errors import DomainError, Invalid, InvalidFields, NotFound
from app.extensions import db, transact
from app.payments.errors import NotDue
from app.web.auth import scope, staff
from app.web.forms import Fields, parse_day, parse_instant
from app.web.messages import sentence
from app.web.render import render
from app.web.staff.answers import done, now, refused
from app.web.staff.bookings import draw
from app.web.staff.conflict import ABOUT_THE_TIME, Wanted, refuse_place
from app.web.staff.dues import Due, find_due, forget_payments
from app.web.staff.panel import contact_fields, find_seen
from app.web.staff.prefilled import who_comes
from app.web.staff.reading import (
    CONTACT_FIELDS,
    MOST_UNITS,
    PLACE_FIELDS,
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
    payment: Due | None
    typed: Mapping[str, str]
    errors: Mapping[str, str]
    notice: str | None
    key: str


@dataclass(frozen=True)
class HoldWish:
    """What the quick hold asks for; ``reason`` is given to book outside the hours."""

    wanted: Wanted
    reason: str | None
    told: Told
    payment_id: UUID | None
    key: str


@bp.get("/reservas/nueva")
def new() -> ResponseReturnValue:
    """Show the quick hold: of the free place that was clicked, or of any."""
    values = {
        "service": request.args.get("servicio", ""),
        "resources": request.args.get("recurso", ""),
        "starts_at": request.args.get("inicio", ""),
        "day": request.args.get("d", ""),
        "payment": request.args.get("pago", ""),
    }
    earlier = _earlier(request.args.get("de", ""))
    if earlier is None:
        return _form(values | who_comes(request.args))
    customer = contact_fields(earlier.contact, scope().country) | {"notes": earlier.notes}
    return _form(values | customer | (_place_of(earlier) if values["payment"] else {}))


@bp.post("/reservas")
def place() -> ResponseReturnValue:
    """Keep the place. The same form sent twice makes one booking."""
    kept = typed(request.form, *CONTACT_FIELDS, *PLACE_FIELDS, "insist", "payment")
    try:
        asked = _read(request.form)
    except InvalidFields as refusal:
        return _refuse_form(refusal, kept)
    try:
        booking = _place_once(asked, body=kept)
    except DomainError as refusal:
        return _refuse(refusal, asked.wanted, kept)
    session["service"] = str(booking.service_id)
    return done(lambda: draw(booking), _said(asked, booking), booking)


def _read(form: Mapping[str, str]) -> HoldWish:
    """Read the form.

    Raises:
        InvalidFields: naming every wrong field.
        NotFound: it is about money, which only who sees the whole agenda may use.
    """
    fields, mine = Fields(form), scope()
    service_id, key, payment_id = fields.uuid("service"), fields.key(), fields.uuid("payment")
    units = fields.number("units", least=1, most=MOST_UNITS, default=1)
    if payment_id is not None and not mine.has_whole_agenda:
        raise NotFound
    told = read_contact(fields, form, mine)
    if payment_id is not None and not told.contact.name:
        fields.errors.append(("name", "required"))
    place_form = read_place(fields, form, mine)
    if service_id is None:
        raise InvalidFields(("service", "required"))
    if not key:
        raise InvalidFields(("key", "required"))
    wanted = Wanted(service_id, place_form.starts_at, place_form.resource_ids, units)
    return HoldWish(wanted, place_form.reason, told, payment_id, key)


def _said(asked: HoldWish, booking: BookingView) -> str:
    time = clock_time(booking.starts_at, scope().zone)
    if asked.payment_id is not None:
        return gettext("Reserva a las %(time)s confirmada con ese pago.", time=time)
    return gettext("Pre-reserva a las %(time)s guardada.", time=time)


def _refuse(refusal: DomainError, wanted: Wanted, kept: Mapping[str, str]) -> ResponseReturnValue:
    if isinstance(refusal, ABOUT_THE_TIME):
        return refuse_place(refusal, wanted, kept)
    if isinstance(refusal, NotDue):
        forget_payments()
        return refused(_form(kept, notice=sentence(refusal.code)), 409)
    if isinstance(refusal, NotAllowedNow):
        return _refuse_form(InvalidFields(("payment", "no_deposit")), kept)
    if isinstance(refusal, NotFound):
        return _refuse_form(InvalidFields(("resource_ids", NOT_SERVED)), kept)
    if isinstance(refusal, Invalid):
        return _refuse_form(refusal, kept)
    raise refusal


def _place_once(asked: HoldWish, *, body: Mapping[str, str]) -> BookingView:
    """Keep the place, and with money that came in before, confirm it in the same transaction."""
    mine, actor, moment, wanted = scope(), staff().actor, now(), asked.wanted
    request_key = RequestKey.of(
        mine.location_id, client=f"desk:{actor.id}", call="hold", key=asked.key, body=dict(body)
    )
    wish = actions.Wish(
        mine.location_id,
        wanted.service_id,
        wanted.starts_at,
        resource_ids=wanted.resource_ids,
        units=wanted.units,
        at_desk=True,
        override=asked.reason,
        contact=asked.told.contact,
        notes=asked.told.notes,
        channel="desk",
        request_key=request_key.digest,
    )

    def work(session: Session) -> BookingView:
        def hold() -> Answer:
            booking = actions.place_hold(session, wish, actor=actor, now=moment)
            if asked.payment_id is not None:
                actions.use_payment(
                    session,
                    mine.location_id,
                    booking.id,
                    payment_id=asked.payment_id,
                    actor=actor,
                )
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
        payment=_payment(values.get("payment", "")),
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


def _payment(value: str) -> Due | None:
    """Find the payment that a form is about, while nobody decided on it."""
    try:
        due = find_due(UUID(value))
    except ValueError:
        return None
    return due if due is not None and due.is_open else None


def _earlier(booking_id: str) -> BookingView | None:
    """Find the earlier booking whose customer, and perhaps place, is wanted again."""
    try:
        return find_seen(UUID(booking_id))
    except (ValueError, NotFound):
        return None


def _place_of(booking: BookingView) -> dict[str, str]:
    """Write a booking's place as form fields; its time only while it is still to come."""
    is_ahead = booking.starts_at > now()
    return {
        "service": str(booking.service_id),
        "resources": ",".join(str(resource.id) for resource in booking.resources),
        "starts_at": booking.starts_at.isoformat() if is_ahead else "",
        "units": str(booking.units),
    }
