"""The one place where an error becomes a response."""

import logging
from math import ceil
from typing import Any

from flask import Flask, Response, current_app, json, render_template, request
from flask.typing import ResponseReturnValue
from flask_limiter import RateLimitExceeded
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException

from app.clock import SystemClock
from app.errors import Conflict, DomainError, Invalid, NotFound, Refused, TooMany, Unavailable
from app.extensions import limiter
from app.ids import new_id
from app.web.messages import field_sentence, sentence

log = logging.getLogger(__name__)

API_PREFIX = "/api/"

STATUS_OF: dict[type[DomainError], int] = {
    Invalid: 422,
    Refused: 403,
    NotFound: 404,
    Conflict: 409,
    TooMany: 429,
    Unavailable: 503,
}

CODE_OF_STATUS = {
    400: "invalid_request",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "unsupported_media_type",
    422: "invalid_request",
    429: "rate_limited",
    503: "busy",
}


def register(app: Flask) -> None:
    """Take over every error that a view lets pass."""
    app.register_error_handler(DomainError, answer_domain_error)
    app.register_error_handler(CSRFError, _answer_csrf)
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(OperationalError, _answer_busy)
    app.register_error_handler(PoolTimeout, _answer_busy)
    app.register_error_handler(Exception, _answer_fault)


def status_of(error: DomainError) -> int:
    """Tell the HTTP status of an error's family."""
    return next(status for family, status in STATUS_OF.items() if isinstance(error, family))


def problem(status: int, code: str, facts: dict[str, Any] | None = None) -> dict[str, Any]:
    """Build the problem document (RFC 9457) of a code, in the reader's language.

    ``status`` is the answer's own; the booking's travels as ``booking_status``.
    """
    facts = dict(facts or {})
    if "status" in facts:
        facts["booking_status"] = facts.pop("status")
    if "errors" in facts:
        facts["errors"] = [
            {"detail": field_sentence(each["code"]), **each} for each in facts["errors"]
        ]
    text = sentence(code)
    return {
        "type": f"/api/v1/docs#{code}",
        "title": text,
        "status": status,
        "detail": text,
        "code": code,
        **facts,
    }


def problem_response(document: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    """Send a problem document."""
    return Response(
        json.dumps(document),
        status=document["status"],
        headers=headers,
        content_type="application/problem+json",
    )


def answer_domain_error(error: DomainError) -> ResponseReturnValue:
    """Answer a refusal: problem document, toast or page, as the caller reads it."""
    headers = {}
    if retry_after := getattr(error, "retry_after_seconds", None):
        headers["Retry-After"] = str(retry_after)
    return _answer(status_of(error), error.code, error.facts, headers)


def _answer(
    status: int,
    code: str,
    facts: dict[str, Any] | None = None,
    headers: dict[str, str] | None = None,
) -> ResponseReturnValue:
    headers = headers or {}
    document = problem(status, code, facts)
    if request.path.startswith(API_PREFIX):
        return problem_response(document, headers)
    context = {
        "status": status,
        "title": document["title"],
        "detail": document["detail"],
        "code": code,
        "facts": facts or {},
        "request_id": document.get("request_id"),
    }
    if request.headers.get("HX-Request"):
        headers |= {"HX-Retarget": "#toasts", "HX-Reswap": "beforeend"}
        return render_template("errors/_toast.html", **context), status, headers
    return render_template("errors/page.html", **context), status, headers


def _answer_http(error: HTTPException) -> ResponseReturnValue:
    status = error.code or 500
    if error.response is not None or status < 400:
        return error
    headers = {
        name: value
        for name, value in error.get_headers(request.environ)
        if name in {"Allow", "Retry-After", "WWW-Authenticate"}
    }
    if isinstance(error, RateLimitExceeded) and limiter.current_limit:
        left = limiter.current_limit.reset_at - SystemClock().now().timestamp()
        headers["Retry-After"] = str(max(1, ceil(left)))
    return _answer(status, CODE_OF_STATUS.get(status, "invalid_request"), None, headers)


def _answer_csrf(_: CSRFError) -> ResponseReturnValue:
    return _answer(400, "session_expired")


def _answer_busy(error: Exception) -> ResponseReturnValue:
    log.warning("the database does not answer", exc_info=error)
    return _answer(503, "busy", None, {"Retry-After": "2"})


def _answer_fault(error: Exception) -> ResponseReturnValue:
    if current_app.testing:
        raise error
    request_id = str(new_id())
    rule = request.url_rule  # not the path: it may hold a secret
    log.error("fault %s in %s %s", request_id, request.method, rule, exc_info=error)
    return _answer(500, "internal_error", {"request_id": request_id})
