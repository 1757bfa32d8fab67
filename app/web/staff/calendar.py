"""The receptionist's day: the whole page, and the parts of it that are renewed alone."""

from datetime import timedelta
from uuid import UUID

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from app.booking.availability import find_starts
from app.booking.queries import get_booking
from app.booking.states import Status
from app.booking.views import BookingView
from app.catalog.hours import day_bounds
from app.catalog.queries import ServiceView, list_services
from app.errors import NotFound
from app.extensions import db
from app.web.auth import scope
from app.web.forms import get_day, parse_day
from app.web.render import render
from app.web.staff.answers import now
from app.web.staff.day import load_day
from app.web.staff.outbox_tail import newest_event
from app.web.staff.panel import open_panel

bp = Blueprint("calendar", __name__)

SHORTEST_SHOWN = 15
"""Minutes. Where services this short exist, the rows are higher, so that each is a target."""

MOST_PLACES = 6


@bp.get("/staff")
@bp.get("/")
def home() -> ResponseReturnValue:
    today = scope().today(now())
    return redirect(url_for("staff.calendar.day", day=today), code=303)


@bp.get("/agenda")
def choose() -> ResponseReturnValue:
    """Go to the date of the date field, or to today."""
    day = parse_day(request.args.get("fecha", "")) or scope().today(now())
    mover = request.args.get("mover") or None
    return redirect(url_for("staff.calendar.day", day=day, mover=mover), code=303)


@bp.get("/agenda/<day>")
def day(day: str) -> ResponseReturnValue:
    """Show a day. ``r`` opens a booking's panel beside it, ``mover`` asks for its new place."""
    mine = scope()
    seen = newest_event(db.session(), mine.location_id)
    shown = load_day(db.session(), mine, get_day(day), now=now())
    opened, moving = _wanted_booking("r"), _moving()
    services = list_services(db.session(), mine.location_id)
    return render_template(
        "staff/calendar/day.html",
        day=shown,
        seen=seen,
        today=mine.today(shown.now),
        moving=moving,
        movable_to=_able(moving, services),
        panel=open_panel(opened) if opened else None,
        tall_rows=_has_short_services(services),
        back=request.full_path.rstrip("?"),
        zone=mine.zone,
    )


@bp.get("/agenda/<day>/columna/<uuid:resource_id>")
def column(day: str, resource_id: UUID) -> ResponseReturnValue:
    """Show one column; when the page must show other hours than it does, say only that."""
    mine = scope()
    if not mine.covers((resource_id,)):
        raise NotFound
    shown = load_day(db.session(), mine, get_day(day), now=now())
    if request.args.get("hoja", shown.frame.token) != shown.frame.token:
        return Response(status=204, headers={"HX-Trigger": "firme:reframe"})
    moving = _moving()
    services = list_services(db.session(), mine.location_id) if moving else []
    return render_template(
        "staff/calendar/_column.html",
        day=shown,
        column=shown.column(resource_id),
        moving=moving,
        movable_to=_able(moving, services),
    )


@bp.get("/agenda/<day>/hoja")
def sheet(day: str) -> ResponseReturnValue:
    mine = scope()
    shown = load_day(db.session(), mine, get_day(day), now=now())
    moving, services = _moving(), list_services(db.session(), mine.location_id)
    return render_template(
        "staff/calendar/_sheet.html",
        day=shown,
        moving=moving,
        movable_to=_able(moving, services),
        tall_rows=_has_short_services(services),
    )


@bp.get("/agenda/<day>/lista")
def listing(day: str) -> ResponseReturnValue:
    """Show the day as a list, and with it the counts and the queue of the rail."""
    shown = load_day(db.session(), scope(), get_day(day), now=now())
    back = url_for("staff.calendar.day", day=shown.day)
    return render_template("staff/calendar/listing.html", day=shown, back=back)


@bp.get("/agenda/<day>/libres")
def places(day: str) -> ResponseReturnValue:
    """List the next free places of a service from a day on."""
    mine = scope()
    first = get_day(day)
    services = offered(list_services(db.session(), mine.location_id), mine.resource_id)
    wanted = request.args.get("servicio", "")
    service = next((s for s in services if str(s.id) == wanted), services[0] if services else None)
    span = 7 if request.args.get("dias") == "7" else 1
    starts = []
    if service is not None:
        window = (
            day_bounds(mine.zone, first)[0],
            day_bounds(mine.zone, first + timedelta(days=span - 1))[1],
        )
        starts = find_starts(
            db.session(),
            mine.location_id,
            service.id,
            window=window,
            now=now(),
            resource_id=mine.resource_id,
            limit=MOST_PLACES,
        )
    return render(
        "staff/calendar/places.html",
        "places",
        day=first,
        today=mine.today(now()),
        services=services,
        service=service,
        span=span,
        starts=starts,
        zone=mine.zone,
    )


def offered(services: list[ServiceView], resource_id: UUID | None) -> list[ServiceView]:
    """Keep the services that a resource can serve; all of them for nobody in particular."""
    return [s for s in services if resource_id is None or s.takes(resource_id)]


def _has_short_services(services: list[ServiceView]) -> bool:
    return any(service.duration_minutes <= SHORTEST_SHOWN for service in services)


def _wanted_booking(name: str) -> BookingView | None:
    """Find the booking that the address names; none when it is not there or not this reader's."""
    try:
        found = get_booking(db.session(), scope().location_id, UUID(request.args.get(name, "")))
    except (ValueError, NotFound):
        return None
    return found if scope().covers_booking(found) else None


def _moving() -> BookingView | None:
    booking = _wanted_booking("mover")
    movable = {Status.HELD, Status.PENDING_PAYMENT, Status.CONFIRMED}
    return booking if booking is not None and booking.status in movable else None


def _able(moving: BookingView | None, services: list[ServiceView]) -> set[UUID]:
    """Tell which resources could serve the booking that is being moved."""
    return {
        option.id
        for service in services
        if moving is not None and service.id == moving.service_id
        for need in service.needs
        for option in need.options
    }
