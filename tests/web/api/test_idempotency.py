from typing import Any

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.catalog.models import Location, Resource, Service
from app.extensions import db
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service, an_api_key
from tests.web.api.conftest import TEN, Api, a_coming_wednesday, fields, instant, refused

REPLAYED = "Idempotent-Replayed"


def bookings(session: Session) -> int:
    return session.scalar(text("SELECT count(*) FROM booking")) or 0


def test_a_retry_gets_the_first_answer(api: Api, corte: Service, session: Session) -> None:
    first = api.hold(corte, key="k")
    again = api.hold(corte, key="k")

    assert REPLAYED not in first.headers
    assert again.headers[REPLAYED] == "true"
    assert (again.status_code, again.data) == (201, first.data)
    assert again.headers["Location"] == first.headers["Location"]
    assert bookings(session) == 1


def test_the_order_of_fields_makes_no_other_request(api: Api, corte: Service) -> None:
    one = {"service_id": str(corte.id), "starts_at": instant(TEN), "units": 1}
    other = dict(reversed(one.items()))

    first, again = api.post("/holds", one, key="k"), api.post("/holds", other, key="k")

    assert again.json == first.json


@pytest.mark.parametrize(
    "changed",
    [{"notes": "x"}, {"customer": {"name": "Ana"}}, {"units": 2}, {"unknown": 1}, {"units": "1"}],
)
def test_the_same_key_for_another_request_is_refused(
    api: Api, corte: Service, changed: dict[str, Any]
) -> None:
    first = api.hold(corte, key="k")

    refused(api.hold(corte, key="k", **changed), 422, "idempotency_key_reused")

    assert api.hold(corte, key="k").json == first.json


def test_a_nested_change_is_another_request(api: Api, corte: Service) -> None:
    api.hold(corte, key="k", customer={"name": "Ana", "email": "a@b.c"})

    other = api.hold(corte, key="k", customer={"name": "Ana", "email": "a@b.d"})

    refused(other, 422, "idempotency_key_reused")


def test_a_body_that_is_no_object_is_another_request(api: Api, corte: Service) -> None:
    api.hold(corte, key="raw")

    refused(api.post_raw("/holds", b"[]"), 422, "idempotency_key_reused")


def test_a_key_belongs_to_one_program_and_one_call(
    api: Api, session: Session, location: Location, corte: Service
) -> None:
    other = Api(api.client, an_api_key(session, location))
    hold = api.hold(corte, key="k").json

    confirmed = api.post(f"/holds/{hold['id']}/confirm", key="k")
    taken = other.hold(corte, key="k")

    assert confirmed.json["status"] == "confirmed"
    refused(taken, 409, "slot_taken")


@pytest.mark.parametrize("call", ["/holds", "/holds/x/confirm", "/bookings/x/reschedule"])
def test_some_calls_need_a_key(api: Api, call: str) -> None:
    refused(api.post(call, key=None), 400, "idempotency_key_required")
    refused(api.post(call, key=""), 400, "idempotency_key_required")


@pytest.mark.parametrize("key", ["x" * 256, "ñ", "a\tb", "\x7f"])
@pytest.mark.parametrize("call", ["/holds", "/bookings/x/cancel"])
def test_a_malformed_key_is_named(api: Api, call: str, key: str) -> None:
    document = refused(api.post(call, key=key), 400, "invalid_request")

    assert fields(document) == [("Idempotency-Key", "invalid_key")]


@pytest.mark.parametrize("key", ["x" * 255, "~", "a b", "/holds?x=1&y"])
def test_any_printable_key_will_do(api: Api, corte: Service, key: str) -> None:
    assert api.hold(corte, key=key).status_code == 201
    assert api.hold(corte, key=key).headers[REPLAYED] == "true"


def test_a_slot_that_was_taken_can_be_won_with_the_same_key(api: Api, corte: Service) -> None:
    """H12, P02: 409 is not stored, and does not leave its key stuck."""
    owner = api.hold(corte).json
    refused(api.hold(corte, key="k"), 409, "slot_taken")
    refused(api.hold(corte, key="k"), 409, "slot_taken")
    api.delete(f"/holds/{owner['id']}")

    won = api.hold(corte, key="k")

    assert won.status_code == 201
    assert REPLAYED not in won.headers


def test_a_refusal_that_depends_on_the_request_alone_is_stored(
    api: Api, session: Session, location: Location, corte: Service, clock: Clock
) -> None:
    """H12: 422, with its alternatives, and 404."""
    shut = api.hold(corte, "2026-03-10 20:00", key="k")
    clock.advance(hours=3)
    again = api.hold(corte, "2026-03-10 20:00", key="k")
    unknown = [
        api.post("/holds", {"service_id": "x", "starts_at": instant(TEN)}, key="l")
        for _ in range(2)
    ]

    assert len(refused(shut, 422, "outside_hours")["alternatives"]) == 5
    assert (again.status_code, again.data) == (422, shut.data)
    assert again.content_type == "application/problem+json"
    assert again.headers[REPLAYED] == "true"
    refused(unknown[1], 404, "not_found")
    assert unknown[1].headers[REPLAYED] == "true"


def test_an_unavailable_provider_is_not_stored(
    api: Api, session: Session, location: Location, lucia: Resource
) -> None:
    color = a_service(session, location, lucia, price_cents=9000, deposit_cents=3000)
    hold = api.hold(color).json

    for _ in range(2):
        answer = api.confirm(hold, key="k")
        refused(answer, 503, "payment_provider_unavailable")
        assert REPLAYED not in answer.headers


def test_confirming_is_replayed_as_it_was(api: Api, corte: Service) -> None:
    hold = api.hold(corte).json
    first = api.confirm(hold, key="k")
    api.move(hold, "check-in")

    again = api.confirm(hold, key="k")

    assert again.json == first.json
    assert again.json["status"] == "confirmed"
    refused(api.confirm(hold), 409, "invalid_transition")


@pytest.mark.parametrize("step", ["cancel", "check-in"])
def test_every_other_move_takes_a_key_too(api: Api, corte: Service, step: str) -> None:
    booking = api.book(corte)

    first = api.post(f"/bookings/{booking['id']}/{step}", key="k")
    again = api.post(f"/bookings/{booking['id']}/{step}", key="k")

    assert (again.status_code, again.json) == (200, first.json)
    assert again.headers[REPLAYED] == "true"
    refused(api.post(f"/bookings/{booking['id']}/{step}"), 409, "invalid_transition")


def test_a_move_is_made_once(api: Api, corte: Service, session: Session) -> None:
    booking = api.book(corte)
    body = {"starts_at": instant("2026-03-10 12:00")}

    first = api.post(f"/bookings/{booking['id']}/reschedule", body, key="k")
    again = api.post(f"/bookings/{booking['id']}/reschedule", body, key="k")

    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Location"] == first.headers["Location"]
    assert bookings(session) == 2


def test_a_very_late_retry_still_finds_its_booking(
    api: Api, corte: Service, session: Session
) -> None:
    """The stored answers are pruned after days; the booking keeps its key for ever."""
    hold = api.hold(corte, key="k").json
    api.confirm(hold)
    moved = api.post(
        f"/bookings/{hold['id']}/reschedule", {"starts_at": instant("2026-03-10 12:00")}, key="m"
    ).json
    session.execute(text("DELETE FROM idempotency_key"))
    session.commit()

    held_again = api.hold(corte, key="k")
    moved_again = api.post(
        f"/bookings/{hold['id']}/reschedule", {"starts_at": instant("2026-03-10 12:00")}, key="m"
    )

    assert held_again.status_code == 201
    assert held_again.headers[REPLAYED] == "true"
    assert (held_again.json["id"], held_again.json["status"]) == (hold["id"], "cancelled")
    assert held_again.json["rescheduled_to"] == moved["id"]
    assert moved_again.json == moved
    assert bookings(session) == 2


def test_the_answer_is_stored_with_the_booking(api: Api, corte: Service, session: Session) -> None:
    """H10: one transaction wrote both."""
    api.hold(corte, key="k")

    together = session.execute(
        text(
            "SELECT count(*) FROM booking b JOIN idempotency_key k"
            " USING (location_id, request_key) WHERE b.xmin = k.xmin"
        )
    )

    assert together.scalar() == 1


def test_another_location_s_key_is_another_request(api: Api, session: Session) -> None:
    elsewhere = a_location(session)
    corte = a_service(session, elsewhere, a_resource(session, elsewhere))
    stranger = Api(api.client, an_api_key(session, elsewhere))

    refused(api.hold(corte, key="k"), 404, "not_found")
    assert stranger.hold(corte, key="k").status_code == 201


def test_a_hold_takes_few_statements(real_app: Flask, statements: list[str]) -> None:
    """Key, idempotency, offer, occupancy only when there is a choice, take, write, remember."""
    session = db.session()
    location = a_location(session)
    ana, bia = (a_resource(session, location, name) for name in ("Ana", "Bia"))
    corte = a_service(session, location, [ana, bia])
    api = Api(real_app.test_client(), an_api_key(session, location))
    body = {"service_id": str(corte.id), "starts_at": f"{a_coming_wednesday()}T10:00:00-03:00"}
    chosen = {**body, "resource_ids": [str(ana.id)]}
    session.rollback()
    statements.clear()

    assert api.post("/holds", chosen).status_code == 201
    with_a_chosen_resource = list(statements)
    statements.clear()
    assert api.post("/holds", body).status_code == 201
    with_a_choice = list(statements)
    statements.clear()
    assert api.post("/holds", body, key="key-2").headers["Idempotent-Replayed"] == "true"
    replayed = list(statements)

    assert len(with_a_chosen_resource) == 7, with_a_chosen_resource
    assert len(with_a_choice) == 8, with_a_choice
    assert len(replayed) == 2, replayed
