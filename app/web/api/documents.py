"""``openapi.json`` and the page that people read; both public, both from this server alone."""

from copy import deepcopy
from functools import cache
from typing import Any

from flask import Response, json, render_template

from app.web.api.blueprint import api
from app.web.api.codes import CODES, FIELD_CODES
from app.web.api.described import spec
from app.web.api.reference import operations_of, paragraphs_of
from app.web.api.sending import REPLAYED

STORED_STATUSES = {"200", "201", "404", "422"}

PICTURES = {"show_qr_svg": "image/svg+xml", "show_qr_png": "image/png"}
"""Operations that answer no JSON."""

_TEXT = {"schema": {"type": "string"}}
_SECONDS = {"schema": {"type": "integer", "minimum": 0}}


@api.get("/openapi.json")
def show_openapi() -> Response:
    return Response(json.dumps(openapi()), content_type="application/json")


@api.get("/docs")
def show_docs() -> str:
    return render_template(
        "public/api_docs.html",
        info=openapi()["info"],
        introduction=paragraphs_of(openapi()["info"]["description"]),
        operations=operations_of(openapi()),
        codes=CODES,
        field_codes=FIELD_CODES,
    )


@cache
def openapi() -> dict[str, Any]:
    """Give the whole OpenAPI 3.1 document of the API."""
    document: dict[str, Any] = deepcopy(spec.spec)
    for schema in document["components"]["schemas"].values():
        _tidy(schema)
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation["parameters"]:
                parameter["schema"] = _without_null(parameter["schema"])
                _tidy(parameter["schema"])
            if "requestBody" in operation:
                operation["requestBody"]["required"] = _needs_body(operation, document)
            _complete(operation)
    return document


def _tidy(schema: Any) -> None:
    """Drop what pydantic says to nobody: titles made of names, and null as a default."""
    if isinstance(schema, list):
        for each in schema:
            _tidy(each)
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("title"), str):
        del schema["title"]
    if schema.get("default", 0) in {None, ""}:
        del schema["default"]
    for each in schema.values():
        _tidy(each)


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop "or null": a parameter can be left out, but no query writes null."""
    kinds = [each for each in schema.pop("anyOf", ()) if each != {"type": "null"}]
    return {**schema, **kinds[0]} if kinds else schema


def _needs_body(operation: dict[str, Any], document: dict[str, Any]) -> bool:
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    return "required" in document["components"]["schemas"][reference.rpartition("/")[2]]


def _complete(operation: dict[str, Any]) -> None:
    """Tell each answer's media type and headers."""
    if operation["operationId"] in PICTURES:
        kind = PICTURES[operation["operationId"]]
        operation["responses"]["200"]["content"] = {kind: {"schema": {"type": "string"}}}
    takes_key = any(each["name"] == "Idempotency-Key" for each in operation["parameters"])
    for status, answer in operation["responses"].items():
        headers = answer.setdefault("headers", {})
        if status >= "400":
            answer["content"] = {"application/problem+json": answer["content"]["application/json"]}
        if status == "201":
            headers["Location"] = {**_TEXT, "description": "The booking's address."}
        if status == "401":
            headers["WWW-Authenticate"] = _TEXT
        if status in {"429", "503"} or "idempotency_key_in_use" in answer["description"]:
            headers["Retry-After"] = {**_SECONDS, "description": "Seconds to wait."}
        if takes_key and status in STORED_STATUSES:
            headers[REPLAYED] = {**_TEXT, "description": "`true` when a retry got it again."}
