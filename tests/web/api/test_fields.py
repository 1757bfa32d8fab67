"""What bad input gets: 422, the field's name, and nothing changed."""

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.catalog.models import Service
from tests.web.api.conftest import TEN, Api, fields, instant, refused

NUL = "Ana\0"
HALF_A_CHARACTER = "Ana\ud83d"


def customer(**told: Any) -> dict[str, Any]:
    return {"customer": told}


WRONG: list[tuple[dict[str, Any], tuple[str, str]]] = [
    ({"service_id": None}, ("service_id", "invalid_type")),
    ({"service_id": 7}, ("service_id", "invalid_type")),
    ({"service_id": ""}, ("service_id", "required")),
    ({"service_id": "x" * 65}, ("service_id", "too_long")),
    ({"service_id": "x\0"}, ("service_id", "invalid_text")),
    ({"starts_at": None}, ("starts_at", "invalid_type")),
    ({"starts_at": 1773147600}, ("starts_at", "invalid_type")),
    ({"starts_at": ["2026-03-10T10:00:00Z"]}, ("starts_at", "invalid_type")),
    ({"starts_at": "tomorrow"}, ("starts_at", "invalid_instant")),
    ({"starts_at": ""}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10T10:00:00 Z"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10 10:00:00Z"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10T10:00:00-0300"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10T10:00:00 03:00"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10T10:00:00-24:00"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10T25:00:00Z"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10T23:59:60Z"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2026-03-10T10:00:00.1234567Z"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "2027-02-29T10:00:00Z"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "٢٠٢٦-03-10T10:00:00Z"}, ("starts_at", "invalid_instant")),
    ({"starts_at": "1999-12-31T23:59:59Z"}, ("starts_at", "out_of_range")),
    ({"starts_at": "2101-01-01T00:00:00Z"}, ("starts_at", "out_of_range")),
    ({"starts_at": "0001-01-01T00:00:00+23:59"}, ("starts_at", "out_of_range")),
    ({"starts_at": "9999-12-31T23:59:59-23:59"}, ("starts_at", "out_of_range")),
    ({"units": 0}, ("units", "out_of_range")),
    ({"units": -1}, ("units", "out_of_range")),
    ({"units": 1001}, ("units", "out_of_range")),
    ({"units": 10**300}, ("units", "out_of_range")),
    ({"units": "1"}, ("units", "invalid_type")),
    ({"units": True}, ("units", "invalid_type")),
    ({"units": 1.0}, ("units", "invalid_type")),
    ({"units": None}, ("units", "invalid_type")),
    ({"resource_ids": "x"}, ("resource_ids", "invalid_type")),
    ({"resource_ids": {"0": "x"}}, ("resource_ids", "invalid_type")),
    ({"resource_ids": [7]}, ("resource_ids.0", "invalid_type")),
    ({"resource_ids": ["x", "X"]}, ("resource_ids", "twice")),
    ({"resource_ids": [f"{n}" for n in range(21)]}, ("resource_ids", "too_long")),
    ({"customer": "Ana"}, ("customer", "not_an_object")),
    ({"customer": []}, ("customer", "not_an_object")),
    (customer(name=""), ("customer.name", "required")),
    (customer(name=" \n"), ("customer.name", "required")),
    (customer(name=7), ("customer.name", "invalid_type")),
    (customer(name="x" * 201), ("customer.name", "too_long")),
    (customer(name="x" * 10_000), ("customer.name", "too_long")),
    (customer(name="a\x01b"), ("customer.name", "invalid_text")),
    (customer(name=NUL), ("customer.name", "invalid_text")),
    (customer(name=HALF_A_CHARACTER), ("customer.name", "invalid_text")),
    (customer(surname="Paz"), ("customer.surname", "unknown_field")),
    (customer(phone=""), ("customer.phone", "required")),
    (customer(phone="mañana"), ("customer.phone", "invalid_phone")),
    (customer(phone="123"), ("customer.phone", "invalid_phone")),
    (customer(phone="1" * 33), ("customer.phone", "too_long")),
    (customer(phone="11961234567\0"), ("customer.phone", "invalid_text")),
    (customer(phone=11961234567), ("customer.phone", "invalid_type")),
    (customer(email="ana"), ("customer.email", "invalid_email")),
    (customer(email="a@b@c"), ("customer.email", "invalid_email")),
    (customer(email="a b@c"), ("customer.email", "invalid_email")),
    (customer(email="a@" + "b" * 253), ("customer.email", "too_long")),
    ({"notes": "x" * 2001}, ("notes", "too_long")),
    ({"notes": NUL}, ("notes", "invalid_text")),
    ({"notes": HALF_A_CHARACTER}, ("notes", "invalid_text")),
    ({"channel": ""}, ("channel", "required")),
    ({"channel": "WhatsApp"}, ("channel", "invalid")),
    ({"channel": "x\n"}, ("channel", "invalid")),
    ({"channel": "x" * 41}, ("channel", "too_long")),
    ({"channel": None}, ("channel", "invalid_type")),
    ({"price_cents": 1}, ("price_cents", "unknown_field")),
    ({"a\0b": 1}, ("a\N{REPLACEMENT CHARACTER}b", "unknown_field")),
    ({"x" * 5000: 1}, ("x" * 100 + "…", "unknown_field")),
    ({"\ud83d": 1}, ("body", "invalid_text")),
]


@pytest.mark.parametrize(("wrong", "problem"), WRONG)
def test_a_wrong_field_is_named_and_nothing_changes(
    api: Api, corte: Service, session: Session, wrong: dict[str, Any], problem: tuple[str, str]
) -> None:
    body = {"service_id": str(corte.id), "starts_at": instant(TEN), **wrong}

    document = refused(api.post("/holds", body, key="k"), 422, "invalid_request")

    assert fields(document) == [problem]
    assert document["errors"][0]["detail"]
    assert nothing_was_written(session)
    again = api.post("/holds", body, key="k")
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == document


def nothing_was_written(session: Session) -> bool:
    tables = ("booking", "allocation", "outbox", "audit", "customer")
    counts = " + ".join(f"(SELECT count(*) FROM {table})" for table in tables)
    return session.scalar(text(f"SELECT {counts}")) == 0


@pytest.mark.parametrize(
    "told", ["2026-03-10T10:00:00", "2026-03-10T10:00", "2026-03-08T02:30:00", "2026-03-10 10:00"]
)
def test_nobody_guesses_an_offset(api: Api, corte: Service, told: str) -> None:
    """D04, D05: also of a wall time that does not exist somewhere."""
    body = {"service_id": str(corte.id), "starts_at": told}

    document = refused(api.post("/holds", body), 422, "offset_required")

    assert fields(document) == [("starts_at", "offset_required")]


@pytest.mark.parametrize(
    "told",
    [
        "2026-03-10T13:00:00Z",
        "2026-03-10T13:00:00.000000Z",
        "2026-03-10t13:00:00z",
        "2026-03-10T13:00Z",
        "2026-03-10T10:00:00-03:00",
        "2026-03-11T01:00:00+12:00",
        "2026-03-10T13:00:00-00:00",
    ],
)
def test_an_instant_may_be_written_with_any_offset(api: Api, corte: Service, told: str) -> None:
    answer = api.post("/holds", {"service_id": str(corte.id), "starts_at": told})

    assert answer.json["starts_at"] == "2026-03-10T13:00:00Z"


def test_every_wrong_field_is_named_at_once(api: Api) -> None:
    document = refused(api.post("/holds", {"units": 0, "x": 1}), 422, "invalid_request")

    assert set(fields(document)) == {
        ("service_id", "required"),
        ("starts_at", "required"),
        ("units", "out_of_range"),
        ("x", "unknown_field"),
    }


def test_a_body_full_of_unknown_fields_gets_a_short_answer(api: Api) -> None:
    answer = api.post("/holds", {f"f{number}": 1 for number in range(5000)})

    assert len(refused(answer, 422, "invalid_request")["errors"]) == 50


def test_the_longest_texts_are_kept_whole(api: Api, corte: Service) -> None:
    name, notes = "é" * 200, "💇" * 2000

    booking = api.hold(corte, customer={"name": name}, notes=notes, channel="a" * 40).json

    assert booking["customer"]["name"] == name
    assert booking["notes"] == notes


@pytest.mark.parametrize("id", ["no-such-service", "01a22f7c-c173-7cd3-b99e-3dde7ac42cbc"])
def test_an_unknown_id_in_a_body_is_not_found(api: Api, corte: Service, id: str) -> None:
    starts_at = instant(TEN)

    refused(api.post("/holds", {"service_id": id, "starts_at": starts_at}), 404, "not_found")
    refused(api.hold(corte, resource_ids=[id]), 404, "not_found")


def test_a_reason_has_a_limit(api: Api, corte: Service) -> None:
    booking = api.book(corte)

    document = refused(api.move(booking, "cancel", reason="x" * 501), 422, "invalid_request")

    assert fields(document) == [("reason", "too_long")]
    assert api.move(booking, "cancel", reason="x" * 500).status_code == 200
