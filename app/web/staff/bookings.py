"""One booking: its panel, and each thing that can be done with it."""

from collections.abc import Callable, Mapping
from uuid import UUID

from flask import Blueprint, request
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.booking.errors import HoldExpired, NotAllowedNow, PaymentsUnavailable, StaleVersion
from app.booking.states import Status
from app.booking.views import BookingView
from app.cashier.charging import charge
from app.checkout import actions
from app.checkout.errors import ChargeMissing
from app.errors import Conflict, DomainError, InvalidFields
from app.extensions import transact
from app.web.auth import scope, staff
from app.web.errors import status_of
from app.web.forms import Fields
from app.web.render import render
from app.web.staff.answers import done, refused
from app.web.staff.conflict import Wanted, refuse_place
from app.web.staff.panel import EXTENSION_MINUTES, find_seen, open_panel
from app.web.staff.reading import CONTACT_FIELDS, LONGEST_REASON, typed
from app.web.staff.refusals import refusal_words
from app.web.staff.sentences import field_errors
from app.web.staff.wording import gettext

bp = Blueprint("bookings", __name__)


@bp.get("/reservas/<uuid:booking_id>")
def show(booking_id: UUID) -> str:
    return draw(find_seen(booking_id))


@bp.post("/reservas/<uuid:booking_id>/liberar")
def release(booking_id: UUID) -> ResponseReturnValue:
    def work(session: Session) -> BookingView:
        return actions.release(session, scope().location_id, booking_id, actor=staff().actor)

    return act(find_seen(booking_id), work, gettext("El lugar quedó libre."))


@bp.post("/reservas/<uuid:booking_id>/mas-tiempo")
def extend(booking_id: UUID) -> ResponseReturnValue:
    """Give a hold five minutes more; ten in all."""

    def work(session: Session) -> BookingView:
        return actions.extend(
            session,
            scope().location_id,
            booking_id,
            minutes=EXTENSION_MINUTES,
            actor=staff().actor,
            version=Fields(request.form).version(),
        )

    kept = typed(request.form, *CONTACT_FIELDS)
    return act(find_seen(booking_id), work, gettext("Cinco minutos más."), kept=kept)


@bp.post("/reservas/<uuid:booking_id>/llego")
def check_in(booking_id: UUID) -> ResponseReturnValue:
    return simple(booking_id, actions.check_in, gettext("Llegó."), Status.CHECKED_IN)


@bp.post("/reservas/<uuid:booking_id>/completar")
def complete(booking_id: UUID) -> ResponseReturnValue:
    return simple(booking_id, actions.complete, gettext("Completada."), Status.COMPLETED)


@bp.post("/reservas/<uuid:booking_id>/ausente")
def mark_absent(booking_id: UUID) -> ResponseReturnValue:
    """Mark an absence after all, when the suggestion was dismissed by mistake."""
    said = gettext("Marcada como ausente.")
    return simple(booking_id, actions.confirm_no_show, said, Status.NO_SHOW)


@bp.post("/reservas/<uuid:booking_id>/deshacer")
def undo(booking_id: UUID) -> ResponseReturnValue:
    said = gettext("Deshecho: vuelve a estar confirmada.")
    return simple(booking_id, actions.undo, said, Status.CONFIRMED)


@bp.post("/reservas/<uuid:booking_id>/cancelar")
def cancel(booking_id: UUID) -> ResponseReturnValue:
    before = find_seen(booking_id)
    fields = Fields(request.form)
    reason = fields.text("reason", most=LONGEST_REASON)
    if fields.errors:
        errors = field_errors(InvalidFields(*fields.errors))
        return refused(draw(before, typed=typed(request.form, "reason"), errors=errors), 422)

    def work(session: Session) -> BookingView:
        return actions.cancel(
            session,
            scope().location_id,
            booking_id,
            reason=reason or None,
            actor=staff().actor,
            version=fields.version(),
        )

    return act(before, work, gettext("Cancelada."), becomes=Status.CANCELLED)


def simple(
    booking_id: UUID, action: Callable[..., BookingView], said: str, becomes: Status
) -> ResponseReturnValue:
    """Do a thing that needs nothing but the booking."""

    def work(session: Session) -> BookingView:
        return action(
            session,
            scope().location_id,
            booking_id,
            actor=staff().actor,
            version=Fields(request.form).version(),
        )

    return act(find_seen(booking_id), work, said, becomes=becomes)


def act(
    before: BookingView,
    work: Callable[[Session], BookingView],
    said: str,
    *,
    becomes: Status | None = None,
    kept: Mapping[str, str] | None = None,
) -> ResponseReturnValue:
    """Run one change and answer it.

    Where somebody else was first, the panel comes back as things are now, with what was typed.
    A second press of the same button finds the work done, which is what was asked for; without
    ``becomes`` it is told so, because the booking may have come there by another way.
    """
    try:
        booking = _carry_out(work)
    except HoldExpired as refusal:
        return offer_others(refusal, before, kept)
    except (Conflict, PaymentsUnavailable, InvalidFields) as refusal:
        booking = find_seen(before.id)
        is_done = isinstance(refusal, StaleVersion | NotAllowedNow) and booking.status is becomes
        is_gone = booking.status is Status.CANCELLED and booking.rescheduled_to is None
        if not is_done and is_gone and kept:
            return offer_others(refusal, before, kept)
        if not is_done:
            notice = refusal_words(refusal, booking)
            return refused(draw(booking, typed=kept, notice=notice), status_of(refusal))
    if booking.status is Status.PENDING_PAYMENT:
        said = gettext("Código Pix listo.")
    still_typing = kept if booking.status is Status.HELD else None
    return done(lambda: draw(booking, typed=still_typing), said, booking)


def _carry_out(work: Callable[[Session], BookingView]) -> BookingView:
    """Do the work; where it misses a code, the provider is asked, and it is done again."""
    try:
        return transact(work)
    except ChargeMissing as missing:
        charge(missing.ask)
        return transact(work)


def offer_others(
    refusal: DomainError, before: BookingView, kept: Mapping[str, str] | None
) -> ResponseReturnValue:
    """Offer other places for a booking that is gone; what was typed goes along."""
    resource_ids = tuple(resource.id for resource in before.resources)
    wanted = Wanted(before.service_id, before.starts_at, resource_ids, before.units)
    panel = open_panel(before, typed=kept)
    carried = (*CONTACT_FIELDS, "payment")
    all_typed = {name: panel.typed[name] for name in carried if name in panel.typed}
    return refuse_place(refusal, wanted, all_typed)


def draw(
    booking: BookingView,
    *,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    notice: str | None = None,
) -> str:
    """Render a booking's panel, or the page around it."""
    panel = open_panel(booking, typed=typed, errors=errors, notice=notice)
    return render("staff/bookings/show.html", "panel", panel=panel)
