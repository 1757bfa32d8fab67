"""Another time for a booking: choose it on the sheet, from a list, or by hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from flask import Blueprint, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.booking.availability import Start, find_starts
from app.booking.errors import AlreadyRescheduled
from app.booking.idempotency import Answer, RequestKey, once
from app.booking.queries import get_booking
from app.booking.views import BookingView
from app.catalog.hours import day_bounds
from app.catalog.models import Resource
from app.catalog.queries import list_resources
from app.checkout import actions
from app.errors import Conflict, DomainError, Invalid, InvalidFields, NotFound
from app.extensions import db, transact
from app.web.auth import scope, staff
from app.web.forms import Fields, parse_day
from app.web.messages import sentence
from app.web.render import render
from app.web.staff.answers import done, go, now, refused
from app.web.staff.bookings import draw
from app.web.staff.conflict import ABOUT_THE_TIME, Wanted, refuse_place
from app.web.staff.panel import find_seen
from app.web.staff.reading import PLACE_FIELDS, PlaceForm, read_place, typed
from app.web.staff.sentences import NOT_SERVED, field_errors, notice_of
from app.web.staff.wording import clock_time, day_of, gettext, near_day

bp = Blueprint("moving", __name__)


@dataclass(frozen=True)
class MoveForm:
    """What the move's template draws: free starts of a day, with whom it is now first."""

    booking: BookingView
    zone: ZoneInfo
    today: date
    day: date
    with_same: tuple[Start, ...]
    with_others: tuple[Start, ...]
    resources: tuple[Resource, ...]
    same: str
    typed: Mapping[str, str]
    errors: Mapping[str, str]
    notice: str | None
    key: str

    @property
    def previous(self) -> date:
        return self.day - timedelta(days=1)

    @property
    def following(self) -> date:
        return self.day + timedelta(days=1)


@bp.get("/reservas/<uuid:booking_id>/mover")
def choose(booking_id: UUID) -> str:
    """List the free places of a day for a booking."""
    return _form(find_seen(booking_id), {"day": request.args.get("fecha", "")})


@bp.post("/reservas/<uuid:booking_id>/mover")
def move(booking_id: UUID) -> ResponseReturnValue:
    """Move a booking. ``place`` is a place of a button; without it the typed date and time hold."""
    before = find_seen(booking_id)
    form = _with_place(request.form)
    kept = typed(form, *PLACE_FIELDS, "insist", "placing")
    fields = Fields(form)
    try:
        target = read_place(fields, form, scope())
    except InvalidFields as refusal:
        return _refuse_form(before, refusal, kept)
    try:
        booking = _move_once(before, target, fields, body=kept)
    except ABOUT_THE_TIME as refusal:
        wanted = Wanted(before.service_id, target.starts_at, target.resource_ids, before.units)
        return refuse_place(refusal, wanted, kept, moving=before)
    except AlreadyRescheduled as refusal:
        booking = find_seen(UUID(refusal.facts["rescheduled_to"]))
        return refused(draw(booking, notice=sentence(refusal.code)), 409)
    except Conflict as refusal:
        return refused(draw(find_seen(booking_id), notice=sentence(refusal.code)), 409)
    except NotFound:
        return _refuse_form(before, InvalidFields(("resource_ids", NOT_SERVED)), kept)
    except Invalid as refusal:
        return _refuse_form(before, refusal, kept)
    if form.get("placing"):
        there = day_of(booking.starts_at, scope().zone)
        return go(url_for("staff.calendar.day", day=there, r=booking.id), _said(before, booking))
    return done(lambda: draw(booking), _said(before, booking), booking, before)


def _said(before: BookingView, booking: BookingView) -> str:
    zone = scope().zone
    today = scope().today(now())
    when = clock_time(booking.starts_at, zone)
    if day_of(booking.starts_at, zone) != day_of(before.starts_at, zone):
        when = f"{near_day(day_of(booking.starts_at, zone), today)} {when}"
    return gettext(
        "%(name)s pasó de %(old)s a %(new)s.",
        name=booking.contact.name or gettext("La reserva"),
        old=clock_time(before.starts_at, zone),
        new=when,
    )


def _with_place(form: Mapping[str, str]) -> dict[str, str]:
    """Read a button's value, ``<instant>/<resource>,<resource>``, into the form's fields."""
    values = dict(form.items())
    if "place" in values:
        values["starts_at"], _, values["resources"] = values["place"].partition("/")
    return values


def _move_once(
    before: BookingView, target: PlaceForm, fields: Fields, *, body: Mapping[str, str]
) -> BookingView:
    mine, actor, moment = scope(), staff().actor, now()
    request_key = RequestKey.of(
        mine.location_id,
        client=f"desk:{actor.id}",
        call=f"move:{before.id}",
        key=fields.key() or str(uuid4()),
        body=dict(body),
    )

    def work(session: Session) -> BookingView:
        def reschedule() -> Answer:
            booking = actions.reschedule(
                session,
                mine.location_id,
                before.id,
                starts_at=target.starts_at,
                resource_ids=target.resource_ids,
                actor=actor,
                now=moment,
                request_key=request_key.digest,
                at_desk=True,
                override=target.reason,
                version=fields.version(),
            )
            return Answer(201, {"id": str(booking.id)})

        answer = once(
            session, request_key, reschedule, revive=lambda found: Answer(201, {"id": str(found)})
        )
        return get_booking(session, mine.location_id, UUID(answer.body["id"]))

    return transact(work)


def _refuse_form(
    booking: BookingView, refusal: DomainError, kept: Mapping[str, str]
) -> ResponseReturnValue:
    errors = field_errors(refusal)
    notice = notice_of(refusal, errors, {"day", "time", "resources"})
    return refused(_form(booking, kept, errors=errors, notice=notice), 422)


def _form(
    booking: BookingView,
    values: Mapping[str, str],
    *,
    errors: Mapping[str, str] | None = None,
    notice: str | None = None,
) -> str:
    mine = scope()
    day = parse_day(values.get("day", "")) or day_of(booking.starts_at, mine.zone)
    taken = {resource.id for resource in booking.resources}
    starts = _starts(booking, day, mine.resource_id)
    same_only = _starts(booking, day, booking.resources[0].id)
    with_same = [start for start in same_only if start.starts_at != booking.starts_at]
    offered = {start.starts_at for start in with_same}
    form = MoveForm(
        booking=booking,
        zone=mine.zone,
        today=mine.today(now()),
        day=day,
        with_same=tuple(with_same),
        with_others=tuple(s for s in starts if s.starts_at not in offered),
        resources=tuple(
            r for r in list_resources(db.session(), mine.location_id) if mine.covers((r.id,))
        ),
        same=",".join(str(resource_id) for resource_id in sorted(taken, key=str)),
        typed=values,
        errors=errors or {},
        notice=notice,
        key=str(uuid4()),
    )
    return render("staff/bookings/move.html", "panel", form=form)


def _starts(booking: BookingView, day: date, resource_id: UUID | None) -> list[Start]:
    """List the day's free starts; none when the service is not offered there any more."""
    mine = scope()
    try:
        return find_starts(
            db.session(),
            mine.location_id,
            booking.service_id,
            window=day_bounds(mine.zone, day),
            now=now(),
            resource_id=resource_id,
        )
    except NotFound:
        return []
