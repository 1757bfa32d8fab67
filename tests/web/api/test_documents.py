from typing import Any

import html5lib
import pytest
from flask import Flask
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator

from app.errors import DomainError
from app.web.api.codes import CODES, FIELD_CODES
from app.web.api.documents import PICTURES
from app.web.errors import CODE_OF_STATUS
from app.web.messages import FIELD_SENTENCES, SENTENCES

OF_EVERY_CALL = {"401", "403", "429", "500", "503"}

NOT_OF_THE_API = {
    "conflict",
    "stale_version",
    "capacity_in_use",
    "unknown_timezone",
    "account_in_use",
    "payment_decided",
    "refund_too_late",
    "more_than_paid",
    "stale_customer",
    "customer_merged",
}
"""Codes that no call of the API can meet."""


@pytest.fixture
def document(client: FlaskClient) -> dict[str, Any]:
    answer = client.get("/api/v1/openapi.json")
    assert (answer.status_code, answer.content_type) == (200, "application/json")
    return answer.json  # type: ignore[no-any-return]


@pytest.fixture
def page(client: FlaskClient) -> str:
    answer = client.get("/api/v1/docs")
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    return answer.get_data(as_text=True)


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_the_file_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(document).validate()

    assert document["openapi"].startswith("3.1")


def test_every_call_is_in_the_file(app: Flask, document: dict[str, Any]) -> None:
    served = {
        f"{method} {rule.rule.replace('<', '{').replace('>', '}')}"
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("api.")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }

    assert served - set(operations(document)) == {"GET /api/v1/openapi.json", "GET /api/v1/docs"}
    assert set(operations(document)) <= served


def test_every_call_tells_each_status_and_header(document: dict[str, Any]) -> None:
    assert document["components"]["securitySchemes"]["apiKey"]["scheme"] == "bearer"
    assert document["security"] == [{"apiKey": []}]
    for name, operation in operations(document).items():
        replies = operation["responses"]
        assert set(replies) >= OF_EVERY_CALL, name
        for status, reply in replies.items():
            media_types = set(reply.get("content", ()))
            kind = PICTURES.get(operation["operationId"], "application/json")
            expected = "application/problem+json" if status >= "400" else kind
            assert media_types == (set() if status == "204" else {expected}), (name, status)
        assert "WWW-Authenticate" in replies["401"]["headers"]
        assert "Retry-After" in replies["429"]["headers"]
        assert ("Location" in replies.get("201", {}).get("headers", ())) == ("201" in replies)
        assert operation["summary"], name


@pytest.mark.parametrize(
    ("call", "required"),
    [
        ("POST /api/v1/holds", True),
        ("POST /api/v1/holds/{hold_id}/confirm", True),
        ("POST /api/v1/bookings/{booking_id}/reschedule", True),
        ("POST /api/v1/bookings/{booking_id}/cancel", False),
    ],
)
def test_the_key_header_is_told(document: dict[str, Any], call: str, required: bool) -> None:
    [header] = [each for each in operations(document)[call]["parameters"] if each["in"] == "header"]

    assert (header["name"], header["required"]) == ("Idempotency-Key", required)
    assert operations(document)[call]["requestBody"]["required"] == (
        "reschedule" in call or call.endswith("/holds")
    )


def test_every_code_is_explained_and_has_a_sentence(page: str) -> None:
    answered = {error.code for error in domain_errors()} | set(CODE_OF_STATUS.values())

    assert answered - set(CODES) <= NOT_OF_THE_API
    assert set(CODES) <= set(SENTENCES)
    assert set(FIELD_CODES) <= set(FIELD_SENTENCES)
    for code in CODES:
        assert f'id="{code}"' in page


def domain_errors(family: type[DomainError] = DomainError) -> set[type[DomainError]]:
    below = set(family.__subclasses__())
    return below.union(*(domain_errors(error) for error in below))


def test_the_page_is_whole_without_any_outside_host(page: str) -> None:
    """A policy of ``default-src 'self'`` has nothing to stop: no inline style or script."""
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)

    addresses = [
        value
        for element in tree.iter()
        for name, value in element.attrib.items()
        if name in {"href", "src", "action"}
    ]
    assert all(address.startswith(("/", "#")) for address in addresses)
    assert not any(element.tag in {"script", "style"} for element in tree.iter())
    assert not any("style" in element.attrib for element in tree.iter())
    ids = [element.attrib["id"] for element in tree.iter() if "id" in element.attrib]
    assert len(ids) == len(set(ids))
    assert {a[1:] for a in addresses if a.startswith("#")} <= set(ids)


def test_the_page_lists_every_call_and_field(page: str, document: dict[str, Any]) -> None:
    for name, operation in operations(document).items():
        assert f"<code>{name}</code>" in page
        assert f'id="{operation["operationId"]}"' in page
    for field in ("customer.phone", "resource_ids", "Idempotency-Key", "data[].local.starts_at"):
        assert f"<code>{field}</code>" in page


@pytest.mark.parametrize(
    "path", ["/apidoc/openapi.json", "/apidoc/swagger/", "/apidoc/redoc/", "/apidoc/scalar/"]
)
def test_no_page_of_the_generator_is_served(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404
    assert client.get(f"/api/v1{path}").status_code == 404
