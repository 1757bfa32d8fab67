"""Stories of a program that books over HTTP: real commits, real connections, real crashes."""

import json
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from flask import Flask
from sqlalchemy import text

from app.checkout.integrity import find_faults
from app.extensions import db
from tests.factories import a_location, a_resource, a_service, an_api_key
from tests.web.api.conftest import a_coming_wednesday

TEN = f"{a_coming_wednesday()}T10:00:00-03:00"
NOON = f"{a_coming_wednesday()}T12:00:00-03:00"


class Program:
    """A program that talks to a running server as any other would."""

    def __init__(self, address: str, key: str, service_id: str) -> None:
        self.address = address
        self.key = key
        self.service_id = service_id
        self._http = httpx.Client(
            base_url=f"{address}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=30
        )

    def get(self, path: str, **query: str) -> Any:
        return self._http.get(path, params=query).json()

    def post(self, path: str, body: Mapping[str, Any], key: str) -> httpx.Response:
        return self._http.post(path, json=body, headers={"Idempotency-Key": key})

    def hold(self, starts_at: str, key: str) -> httpx.Response:
        return self.post("/holds", {"service_id": self.service_id, "starts_at": starts_at}, key)

    def hold_and_hang_up(self, starts_at: str, key: str) -> None:
        """Send a whole request and vanish without reading the answer."""
        body = json.dumps({"service_id": self.service_id, "starts_at": starts_at})
        address = urlsplit(self.address)
        request = (
            f"POST /api/v1/holds HTTP/1.1\r\nHost: {address.netloc}\r\n"
            f"Authorization: Bearer {self.key}\r\nIdempotency-Key: {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )
        with socket.create_connection((address.hostname, address.port)) as connection:
            connection.sendall(request.encode())
            connection.recv(1)


@pytest.fixture
def program(real_app: Flask, live_server: str) -> Program:
    session = db.session()
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    key = an_api_key(session, location)
    program = Program(live_server, key, str(corte.id))
    session.rollback()
    return program


def test_from_the_first_look_to_the_visit(program: Program) -> None:
    window = {"from": TEN, "to": NOON, "service_id": program.service_id}
    start = program.get("/availability", **window)["data"][0]

    hold = program.hold(start["starts_at"], "hold").json()
    customer = {"name": "Zoë", "phone": "11 96123-4567"}
    confirmed = program.post(f"/holds/{hold['id']}/confirm", {"customer": customer}, "yes").json()
    moved = program.post(f"/bookings/{hold['id']}/reschedule", {"starts_at": NOON}, "move").json()
    arrived = program.post(f"/bookings/{moved['id']}/check-in", {}, "here").json()
    served = program.post(f"/bookings/{moved['id']}/complete", {}, "done").json()

    states = [each["status"] for each in (hold, confirmed, moved, arrived, served)]
    assert states == ["held", "confirmed", "confirmed", "checked_in", "completed"]
    assert moved["rescheduled_from"] == hold["id"]
    assert moved["customer"]["phone"] == "+5511961234567"
    listed = program.get("/bookings", phone="11961234567")["data"]
    assert [each["status"] for each in listed] == ["cancelled", "completed"]
    assert find_faults(db.session()) == []


def test_a_retry_after_a_crash_gets_the_booking(program: Program) -> None:
    """H10: the work was committed and nobody heard of it; no key is stuck."""
    program.hold_and_hang_up(TEN, "k")

    again = program.hold(TEN, "k")

    assert again.status_code == 201
    assert again.headers["Idempotent-Replayed"] == "true"
    assert [each["id"] for each in program.get("/bookings")["data"]] == [again.json()["id"]]


def test_a_retry_after_the_answers_were_lost_gets_the_booking(program: Program) -> None:
    """H10: even without the stored answer."""
    first = program.hold(TEN, "k").json()
    with db.engine.begin() as connection:
        connection.execute(text("DELETE FROM idempotency_key"))

    again = program.hold(TEN, "k")

    assert (again.status_code, again.json()) == (201, first)


def test_the_same_request_sent_many_times_at_once_is_done_once(program: Program) -> None:
    """A15: every copy gets the same booking, and only one of them did the work."""
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: program.hold(TEN, "k"), range(6)))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert sum("Idempotent-Replayed" not in answer.headers for answer in answers) == 1
    assert len(program.get("/bookings")["data"]) == 1


def test_of_many_at_once_one_gets_the_slot(program: Program) -> None:
    """A01, A02: one is held; the others are told so, with other starts."""
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda number: program.hold(TEN, f"k{number}"), range(6)))

    won = [answer.json() for answer in answers if answer.status_code == 201]
    lost = [answer.json() for answer in answers if answer.status_code == 409]
    assert (len(won), len(lost)) == (1, 5)
    assert program.get(f"/bookings/{won[0]['id']}")["status"] == "held"
    assert {each["code"] for each in lost} == {"slot_taken"}
    assert all(len(each["alternatives"]) == 5 for each in lost)
    assert find_faults(db.session()) == []


def test_two_confirmations_at_once_confirm_once(program: Program) -> None:
    """A04."""
    hold = program.hold(TEN, "k").json()

    with ThreadPoolExecutor(2) as pool:
        path = f"/holds/{hold['id']}/confirm"
        answers = list(pool.map(lambda key: program.post(path, {}, key), ("one", "two")))

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    count = text("SELECT count(*) FROM outbox WHERE kind = 'booking.confirmed'")
    assert db.session().scalar(count) == 1


def test_a_retry_does_not_wait_for_ever_for_the_first_request(program: Program) -> None:
    """The first one still runs: it holds its key's lock, as long as it likes."""
    program.hold(TEN, "k")
    with db.engine.begin() as connection:
        digest = connection.scalar(text("DELETE FROM idempotency_key RETURNING request_key"))
        lock = text("SELECT pg_advisory_xact_lock(hashtextextended(:digest, 0))")
        connection.execute(lock, {"digest": digest})

        answer = program.hold(TEN, "k")

    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_key_in_use")
    assert answer.headers["Retry-After"] == "1"
    assert 5 <= answer.elapsed.total_seconds() < 8
    assert program.hold(TEN, "k").status_code == 201
