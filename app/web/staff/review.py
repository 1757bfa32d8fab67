"""What waits for a person. Absences are decided here, money in ``payments.py``."""

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
from app.web.staff.dues import DueRow, list_dues
from app.web.staff.panel import find_seen
from app.web.staff.shell import open_reviews
from app.web.staff.wording import gettext

bp = Blueprint("review", __name__)


@bp.get("/revisar")
def show() -> str:
    return draw_page()


def draw_page(refused: DueRow | None = None) -> str:
    """Draw everything that waits for this reader; a refused form stays as it was typed."""
    payments = [
        (refused if refused and refused.payment_id == due.id else DueRow(due.id), due)
        for due in list_dues()
    ]
    return render_template(
        "staff/review/show.html",
        items=[Shown.at(booking, now()) for booking in open_reviews()],
        payments=payments,
        **surroundings(),
    )


def surroundings() -> dict[str, object]:
    """Give what every row of the page is drawn with."""
    mine = scope()
    return {"zone": mine.zone, "country": mine.country, "today": mine.today(now())}


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
    shown = Shown.at(booking, now())
    row = render_template("staff/review/absence.html", shown=shown, said=said, **surroundings())
    answer = with_news(row, said, booking)
    answer.status_code = status
    return answer


def _already(refusal: Conflict) -> str:
    if isinstance(refusal, NotAllowedNow):
        return gettext("Ya lo decidió otra persona.")
    return sentence(refusal.code)
