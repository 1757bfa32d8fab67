"""Absences that the system suggests. A person decides each; nothing else marks one."""

from collections.abc import Callable
from uuid import UUID

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.booking.errors import NotAllowedNow, StaleVersion
from app.booking.views import BookingView
from app.checkout import actions
from app.errors import Conflict
from app.extensions import transact
from app.web.auth import scope, staff
from app.web.forms import Fields
from app.web.messages import sentence
from app.web.render import is_htmx
from app.web.staff.answers import now, with_news
from app.web.staff.blocks import Shown
from app.web.staff.panel import find_seen
from app.web.staff.shell import open_reviews
from app.web.staff.wording import gettext

bp = Blueprint("review", __name__)


@bp.get("/revisar")
def show() -> str:
    return render_template(
        "staff/review/show.html",
        items=[Shown.at(booking, now()) for booking in open_reviews()],
        zone=scope().zone,
        country=scope().country,
        today=scope().today(now()),
    )


@bp.post("/revisar/<uuid:booking_id>/ausente")
def confirm(booking_id: UUID) -> ResponseReturnValue:
    return _decide(booking_id, actions.confirm_no_show, gettext("Marcada como ausente."))


@bp.post("/revisar/<uuid:booking_id>/vino")
def dismiss(booking_id: UUID) -> ResponseReturnValue:
    return _decide(booking_id, actions.dismiss_no_show, gettext("No fue ausencia."))


def _decide(booking_id: UUID, action: Callable[..., BookingView], said: str) -> ResponseReturnValue:
    find_seen(booking_id)

    def work(session: Session) -> BookingView:
        return action(
            session,
            scope().location_id,
            booking_id,
            actor=staff().actor,
            version=Fields(request.form).version(),
        )

    status = 200
    try:
        booking = transact(work)
    except (StaleVersion, NotAllowedNow) as refusal:
        booking, said, status = find_seen(booking_id), _already(refusal), 409
    if not is_htmx():
        flash(said)
        return redirect(url_for("staff.review.show"), code=303)
    row = render_template(
        "staff/review/_row.html",
        shown=Shown.at(booking, now()),
        said=said,
        zone=scope().zone,
        country=scope().country,
        today=scope().today(now()),
    )
    answer = with_news(row, said, booking)
    answer.status_code = status
    return answer


def _already(refusal: Conflict) -> str:
    if isinstance(refusal, NotAllowedNow):
        return gettext("Ya lo decidió otra persona.")
    return sentence(refusal.code)
