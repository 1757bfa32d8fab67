from flask import Response, json, url_for

from app.booking.idempotency import Answer
from app.web.api.answered import Answered
from app.web.errors import problem_response

REPLAYED = "Idempotent-Replayed"


def ok(answered: Answered) -> Response:
    """Send what was read."""
    return respond(Answer(200, answered.body()))


def respond(answer: Answer) -> Response:
    """Send an answer, new or stored."""
    response = (
        problem_response(answer.body)
        if answer.status >= 400
        else Response(
            json.dumps(answer.body), status=answer.status, content_type="application/json"
        )
    )
    if answer.status == 201:
        response.headers["Location"] = url_for("api.show_booking", booking_id=answer.body["id"])
    if answer.is_replayed:
        response.headers[REPLAYED] = "true"
    return response
