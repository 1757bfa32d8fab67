from zoneinfo import ZoneInfo

from flask import Response, current_app

from app.accounts.models import READ
from app.booking.availability import find_starts
from app.errors import InvalidFields
from app.extensions import db
from app.web.api.answered import StartAnswer, StartList
from app.web.api.asked import LONGEST_WINDOW, AvailabilityQuery, check_window, read_query
from app.web.api.blueprint import api
from app.web.api.callers import require
from app.web.api.described import described
from app.web.api.fields import read_id
from app.web.api.sending import ok


@api.get("/availability")
@described(
    "Availability", query=AvailabilityQuery, answers={200: StartList}, refusals=("not_found",)
)
def show_availability() -> Response:
    """List the starts in [from, to) that can be held at this moment.

    Every start that is listed can be held as listed, with the resources it names; a grid time
    that is not listed cannot. Without `limit` none is left out. One's own hold counts as taken.
    """
    holder = require(READ)
    query = read_query(AvailabilityQuery)
    check_window(query.since, query.until)
    if query.until - query.since > LONGEST_WINDOW:
        raise InvalidFields(("to", "window_too_long"))
    starts = find_starts(
        db.session(),
        holder.location_id,
        read_id(query.service_id),
        window=(query.since, query.until),
        now=current_app.extensions["clock"].now(),
        resource_id=None if query.resource_id is None else read_id(query.resource_id),
        limit=query.limit,
    )
    zone = ZoneInfo(holder.timezone)
    return ok(StartList(data=[StartAnswer.of(start, zone) for start in starts]))
