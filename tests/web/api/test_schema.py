"""Whatever may be sent, by the OpenAPI file or against it, is answered as the file says."""

from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from sqlalchemy.orm import Session

from app.catalog.models import Location, Resource, Service
from app.payments.models import PaymentAccount
from tests.factories import a_service
from tests.web.api.conftest import Api, instant

EXAMPLES = 30
"""For each call and mode: enough to meet each kind of value, in half a minute for all."""

ANSWERED_AS_TOLD = [
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]

OPERATIONS = (
    "GET /api/v1/availability",
    "GET /api/v1/bookings",
    "GET /api/v1/bookings/{booking_id}",
    "GET /api/v1/location",
    "GET /api/v1/payments/{txid}",
    "GET /api/v1/payments/{txid}/qr.png",
    "GET /api/v1/payments/{txid}/qr.svg",
    "GET /api/v1/resources",
    "GET /api/v1/services",
    "POST /api/v1/bookings/{booking_id}/cancel",
    "POST /api/v1/bookings/{booking_id}/check-in",
    "POST /api/v1/bookings/{booking_id}/complete",
    "POST /api/v1/bookings/{booking_id}/reschedule",
    "POST /api/v1/holds",
    "POST /api/v1/holds/{hold_id}/confirm",
    "DELETE /api/v1/holds/{hold_id}",
)

repeatable = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def schema(app: Flask) -> BaseSchema:
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)


@pytest.fixture
def truths(
    api: Api,
    session: Session,
    location: Location,
    corte: Service,
    lucia: Resource,
    account: PaymentAccount,
) -> dict[str, list[str]]:
    """What exists: values that no generator would guess, so that it gets past the first check."""
    color = a_service(session, location, lucia, price_cents=9000, deposit_cents=3000)
    bookings = [
        api.hold(corte, "2026-03-10 09:00").json["id"],
        api.hold(color, "2026-03-10 11:00").json["id"],
        api.book(corte, "2026-03-10 13:00")["id"],
        api.hold(color, "2026-03-10 15:00").json["id"],
    ]
    waiting = api.confirm({"id": bookings[-1]}).json
    soon = [instant(f"2026-03-{day} {hour}:00") for day in (10, 12) for hour in (10, 15, 23)]
    return {
        "booking_id": bookings,
        "txid": [waiting["payment"]["txid"]],
        "hold_id": bookings,
        "service_id": [str(corte.id), str(color.id)],
        "resource_id": [str(lucia.id)],
        "starts_at": soon,
        "from": soon[:3],
        "to": soon[3:],
        "phone": ["11961234567", "+59899123456"],
    }


def put_truth(case: Case, truths: dict[str, list[str]], draw: Callable[..., Any]) -> None:
    """Replace some of the generated values by true ones."""
    body = case.body if isinstance(case.body, dict) else {}
    for told in (case.path_parameters, case.query, body):
        for name in set(told or ()) & set(truths):
            if draw(st.booleans()):
                told[name] = draw(st.sampled_from(truths[name]))


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("label", OPERATIONS)
def test_a_call_is_answered_as_the_file_says(
    schema: BaseSchema, api: Api, truths: dict[str, list[str]], label: str, mode: GenerationMode
) -> None:
    method, _, path = label.partition(" ")
    operation = schema[path][method]

    @given(case=operation.as_strategy(generation_mode=mode), data=st.data())
    @repeatable
    def ask(case: Case, data: st.DataObject) -> None:
        put_truth(case, truths, data.draw)
        case.headers["Authorization"] = f"Bearer {api.key}"
        answer = case.call()
        case.validate_response(answer, checks=ANSWERED_AS_TOLD)
        if answer.status_code != 503:
            case.validate_response(answer, checks=[not_a_server_error])
        else:
            assert answer.json()["code"] == "payment_provider_unavailable"

    ask()


def test_every_call_of_the_file_is_tried(schema: BaseSchema) -> None:
    assert {each.ok().label for each in schema.get_all_operations()} == set(OPERATIONS)
