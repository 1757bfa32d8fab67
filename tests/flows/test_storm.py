"""Many clients at one slot, over HTTP, against the real web server."""

import http.client
import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask

from app.checkout.integrity import find_faults
from app.extensions import db
from tests.factories import a_location, a_resource, a_service, an_api_key
from tests.flows.desk_processes import Desk, a_desk

CLIENTS = 32
ROUNDS = 12


@pytest.fixture
def desk(real_app: Flask) -> Iterator[Desk]:
    with a_desk(real_app) as desk:
        yield desk


def in_a_week() -> str:
    return (
        (datetime.now(UTC) + timedelta(days=8))
        .replace(hour=14, minute=0, second=0, microsecond=0)
        .isoformat()
    )


class Caller:
    """One keep-alive connection of one client."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._key = key

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self._key}", "Idempotency-Key": str(uuid4())}
        if body is not None:
            headers["Content-Type"] = "application/json"
        self._connection.request(method, f"/api/v1{path}", body and json.dumps(body), headers)
        answer = self._connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None

    def close(self) -> None:
        self._connection.close()


def storm(port: int, key: str, wishes: list[dict[str, Any]]) -> Counter[tuple[int, str]]:
    """Let every client ask at once, round after round; the winner lets go each time."""
    barrier = threading.Barrier(CLIENTS)
    met: Counter[tuple[int, str]] = Counter()
    lock = threading.Lock()

    def client(number: int) -> None:
        caller = Caller(port, key)
        for round_number in range(ROUNDS):
            wish = wishes[(number + round_number) % len(wishes)]
            barrier.wait()
            status, answer = caller.call("POST", "/holds", wish)
            with lock:
                met[status, answer.get("code", "held")] += 1
                if status == 409:
                    met[0, "alternatives"] += bool(answer["alternatives"])
            barrier.wait()
            if status == 201:
                assert caller.call("DELETE", f"/holds/{answer['id']}")[0] == 204
        caller.close()

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(client, range(CLIENTS)))
    return met


def expected() -> dict[tuple[int, str], int]:
    refused = ROUNDS * (CLIENTS - 1)
    return {
        (201, "held"): ROUNDS,
        (409, "slot_taken"): refused,
        (0, "alternatives"): refused,
    }


def test_each_round_has_one_winner_and_everybody_else_gets_alternatives(
    real_app: Flask, desk: Desk
) -> None:
    """A01, P04, P05."""
    session = db.session()
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    key = an_api_key(session, location)

    wish = {"service_id": str(corte.id), "starts_at": in_a_week()}

    assert storm(desk.port, key, [wish]) == expected()
    assert find_faults(session) == []


def test_two_resources_in_mixed_order_end_the_same_way(real_app: Flask, desk: Desk) -> None:
    """A09: no deadlock reaches a client."""
    session = db.session()
    location = a_location(session)
    lucia, room = (a_resource(session, location, name) for name in ("Lucía", "Sala"))
    one_way = a_service(session, location, lucia, room)
    other_way = a_service(session, location, room, lucia)
    key = an_api_key(session, location)

    wishes = [
        {
            "service_id": str(service.id),
            "starts_at": in_a_week(),
            "resource_ids": [str(resource.id) for resource in order],
        }
        for service, order in ((one_way, (lucia, room)), (other_way, (room, lucia)))
    ]

    assert storm(desk.port, key, wishes) == expected()
    assert find_faults(session) == []
