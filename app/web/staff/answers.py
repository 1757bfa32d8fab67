"""How a POST of the desk answers: a fragment and news for htmx, a redirect for a plain form."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from flask import Response, current_app, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue

from app.booking.views import BookingView
from app.web.forms import local_path
from app.web.render import is_htmx


def now() -> datetime:
    """Tell the present instant by the app's clock."""
    return current_app.extensions["clock"].now()  # type: ignore[no-any-return]


def done(panel: Callable[[], str], said: str, *bookings: BookingView) -> ResponseReturnValue:
    """Answer a change that worked: the panel for htmx, else go back to where the form was."""
    if is_htmx():
        return with_news(panel(), said, *bookings)
    flash(said)
    back = local_path(request.form.get("back", ""))
    show = url_for("staff.bookings.show", booking_id=bookings[0].id)
    return redirect(back or show, code=303)


def go(address: str, said: str) -> ResponseReturnValue:
    """Send the reader to another page, which says what was done."""
    flash(said)
    if is_htmx():
        return Response(status=204, headers={"HX-Redirect": address})
    return redirect(address, code=303)


def with_news(body: str, said: str, *bookings: BookingView) -> Response:
    """Answer a fragment and tell the page what to say and which columns to renew."""
    resources = {str(r.id) for booking in bookings for r in booking.resources}
    news: dict[str, Any] = {
        "firme:changed": {
            "resources": sorted(resources),
            "bookings": [str(booking.id) for booking in bookings],
        },
        "firme:say": {"text": said},
    }
    answer = Response(body)
    answer.headers["HX-Trigger"] = json.dumps(news)
    return answer


def refused(body: str, status: int) -> Response:
    """Answer a refusal in the panel, wherever the form was; nothing typed is lost."""
    answer = Response(body, status)
    answer.headers["HX-Retarget"] = "#panel"
    answer.headers["HX-Reswap"] = "innerHTML"
    return answer
