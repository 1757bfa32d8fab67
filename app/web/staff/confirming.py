"""A hold becomes a booking: its deposit charged, waived, taken by hand, or paid before."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from flask import Blueprint, request
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.booking.errors import HoldExpired
from app.booking.states import Status
from app.booking.views import BookingView
from app.checkout import actions
from app.errors import InvalidFields, NotFound
from app.payments.models import Method
from app.web.auth import scope, staff
from app.web.forms import Fields
from app.web.staff.answers import now, refused
from app.web.staff.blocks import shown_status
from app.web.staff.bookings import act, draw, offer_others
from app.web.staff.money_words import METHODS
from app.web.staff.panel import find_seen
from app.web.staff.reading import CONTACT_FIELDS, LONGEST_REASON, read_contact, typed
from app.web.staff.sentences import field_errors
from app.web.staff.wording import gettext

bp = Blueprint("confirming", __name__)

_KEPT = (*CONTACT_FIELDS, "waive_reason", "method", "hand_note", "payment")


@bp.post("/reservas/<uuid:booking_id>/confirmar")
def confirm(booking_id: UUID) -> ResponseReturnValue:
    """Confirm a hold with whom it is for; a deposit is charged, and then it waits for that."""
    fields, said = Fields(request.form), gettext("Confirmada.")
    return _confirm(booking_id, fields, actions.confirm, said, becomes=Status.CONFIRMED)


@bp.post("/reservas/<uuid:booking_id>/sin-sena")
def waive(booking_id: UUID) -> ResponseReturnValue:
    """Confirm without the deposit, for a reason that stays in the history."""
    fields = Fields(request.form)
    reason = fields.text("waive_reason", most=LONGEST_REASON, required=True)
    action = partial(actions.waive_deposit, reason=reason)
    return _confirm(booking_id, fields, action, gettext("Confirmada sin seña."))


@bp.post("/reservas/<uuid:booking_id>/recibida")
def receive(booking_id: UUID) -> ResponseReturnValue:
    """Confirm with a deposit that a person took by other means."""
    fields = Fields(request.form)
    method, note = _read_method(fields), fields.text("hand_note", most=LONGEST_REASON)
    action = partial(actions.receive_by_hand, method=method, note=note)
    return _confirm(booking_id, fields, action, gettext("Seña recibida. Confirmada."))


@bp.post("/reservas/<uuid:booking_id>/usar-pago")
def use(booking_id: UUID) -> ResponseReturnValue:
    """Confirm with money that came in before."""
    fields = Fields(request.form)
    payment_id = fields.uuid("payment")
    if payment_id is None or not scope().has_whole_agenda:
        raise NotFound

    action = partial(actions.use_payment, payment_id=payment_id)
    return _confirm(booking_id, fields, action, gettext("Confirmada con el pago que ya entró."))


def _confirm(
    booking_id: UUID,
    fields: Fields,
    action: Callable[..., BookingView],
    said: str,
    *,
    becomes: Status | None = None,
) -> ResponseReturnValue:
    """Read whom it is for and confirm. A refused form keeps every letter."""
    before, kept = find_seen(booking_id), typed(request.form, *_KEPT)
    told = read_contact(fields, request.form, scope())
    if not told.contact.name and not before.contact.name:
        fields.errors.append(("name", "required"))
    if fields.errors:
        if shown_status(before, now()) is Status.EXPIRED:
            return offer_others(HoldExpired(), before, kept)
        errors = field_errors(InvalidFields(*fields.errors))
        return refused(draw(before, typed=kept, errors=errors), 422)

    def work(session: Session) -> BookingView:
        return action(
            session,
            scope().location_id,
            booking_id,
            contact=told.contact,
            notes=told.notes if "notes" in request.form else None,
            actor=staff().actor,
            version=fields.version(),
        )

    return act(before, work, said, becomes=becomes, kept=kept)


def _read_method(fields: Fields) -> Method:
    chosen = request.form.get("method", "")
    for method in METHODS:
        if method.value == chosen:
            return method
    fields.errors.append(("method", "required" if not chosen else "invalid"))
    return Method.OTHER
