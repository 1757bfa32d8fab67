"""Money that waits for a person, decided on: given back, kept, or seen."""

from collections.abc import Callable
from uuid import UUID

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.checkout import actions
from app.errors import Invalid, InvalidFields, NotFound
from app.extensions import transact
from app.payments.errors import NotDue, RefundTooLate
from app.payments.models import Payment
from app.web.auth import scope, staff
from app.web.errors import status_of
from app.web.forms import Fields
from app.web.messages import sentence
from app.web.render import is_htmx
from app.web.staff.answers import with_news
from app.web.staff.dues import Due, DueRow, find_due, forget_payments
from app.web.staff.reading import LONGEST_REASON, typed
from app.web.staff.review import draw_page, surroundings
from app.web.staff.sentences import field_errors
from app.web.staff.wording import gettext

bp = Blueprint("payments", __name__)

_REFUSALS = (NotDue, RefundTooLate, Invalid)


@bp.before_request
def only_for_who_sees_everything() -> None:
    """Hide the business's money from who has only a column of their own."""
    if not scope().has_whole_agenda:
        raise NotFound


@bp.post("/revisar/pagos/<uuid:payment_id>/devolver")
def refund(payment_id: UUID) -> ResponseReturnValue:
    """Have all that is left of it sent back by Pix."""

    def work(session: Session) -> Payment:
        return actions.refund_payment(session, scope().location_id, payment_id, actor=staff().actor)

    return _decide(payment_id, work, gettext("Se pidió la devolución al banco."))


@bp.post("/revisar/pagos/<uuid:payment_id>/devuelta")
def returned(payment_id: UUID) -> ResponseReturnValue:
    """Note that it was given back by other means."""
    return _note(payment_id, "proof", actions.note_returned, gettext("Anotada como devuelta."))


@bp.post("/revisar/pagos/<uuid:payment_id>/quedarse")
def keep(payment_id: UUID) -> ResponseReturnValue:
    """Let the business keep it."""
    return _note(payment_id, "why", actions.keep_payment, gettext("Se la queda el negocio."))


@bp.post("/revisar/pagos/<uuid:payment_id>/entendido")
def acknowledge(payment_id: UUID) -> ResponseReturnValue:
    """Take note of what the bank did by itself."""

    def work(session: Session) -> Payment:
        return actions.acknowledge(session, scope().location_id, payment_id, actor=staff().actor)

    return _decide(payment_id, work, gettext("Entendido."))


def _note(
    payment_id: UUID, name: str, action: Callable[..., Payment], said: str
) -> ResponseReturnValue:
    fields = Fields(request.form)
    note = fields.text(name, most=LONGEST_REASON, required=True)
    if fields.errors:
        errors = field_errors(InvalidFields(*fields.errors))
        return _ask_again(DueRow(payment_id, typed=typed(request.form, name), errors=errors))

    def work(session: Session) -> Payment:
        return action(session, scope().location_id, payment_id, note=note, actor=staff().actor)

    return _decide(payment_id, work, said)


def _decide(payment_id: UUID, work: Callable[[Session], Payment], said: str) -> ResponseReturnValue:
    """Carry a decision out; who comes second is told so, and sees how things are now."""
    before, status = find_due(payment_id), 200
    try:
        transact(work)
    except _REFUSALS as refusal:
        said, status = sentence(refusal.code), status_of(refusal)
    forget_payments()
    if not is_htmx():
        flash(said)
        return redirect(url_for("staff.review.show"), code=303)
    row = DueRow(payment_id, said=said)
    answer = with_news(_draw_row(row, find_due(payment_id), before), said)
    answer.status_code = status
    return answer


def _ask_again(row: DueRow) -> ResponseReturnValue:
    """Draw a row whose form was refused, with what was typed."""
    due = find_due(row.payment_id)
    if due is None:
        raise NotFound
    if not is_htmx():
        return draw_page(row), 422
    return _draw_row(row, due, due), 422


def _draw_row(row: DueRow, due: Due | None, before: Due | None) -> str:
    """Draw a payment as it is now; one that left the list, as it was, with what became of it."""
    return render_template(
        "staff/review/payment.html",
        row=row,
        due=due or before,
        is_gone=due is None,
        **surroundings(),
    )
