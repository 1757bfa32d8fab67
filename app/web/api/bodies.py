"""The JSON of a request, before anybody looks at its fields."""

import json
from collections.abc import Iterable
from typing import Any

from flask import abort, request
from werkzeug.exceptions import UnsupportedMediaType

from app.web.errors import problem, problem_response

DEEPEST = 20
"""Levels. No request needs more than three; some parsers give up at a thousand."""


def read_body() -> Any:
    """Read the body as JSON; an empty one is an empty object.

    Broken JSON is answered 400 each time anew, since it depends on the body alone: it is never
    remembered under an Idempotency-Key. So are names that come twice in one object, ``NaN``,
    texts that are not UTF-8 and absurd depths: parsers disagree about them.

    Raises:
        UnsupportedMediaType: there is a body, and it does not say that it is JSON.
    """
    raw = request.get_data()
    if not raw:
        return {}
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    try:
        body = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_each_name_once, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        abort(problem_response(problem(400, "malformed_json")))
    if _is_too_deep(body):
        abort(problem_response(problem(400, "malformed_json")))
    return body


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _is_too_deep(body: Any) -> bool:
    level = [body]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
