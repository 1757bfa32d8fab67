"""kill -9 of web and worker in the middle of traffic, and an emptied Redis; then a check."""

import http.client
import json
import random
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from flask import Flask
from redis import Redis
from sqlalchemy import text

from app.checkout.integrity import find_faults
from app.extensions import db
from tests.conftest import redis_url
from tests.factories import a_location, a_resource, a_service, an_api_key
from tests.flows.desk_processes import a_desk

CLIENTS = 6
SECONDS_BETWEEN_KILLS = 2.5
SEED = 20261201


class Client(threading.Thread):
    """Holds, confirms, moves and cancels at random; asks again with the same key until told."""

    def __init__(
        self, port: int, key: str, services: list[str], starts: list[str], seed: int
    ) -> None:
        super().__init__(daemon=True)
        self._port, self._key, self._services, self._starts = port, key, services, starts
        self._random = random.Random(seed)
        self.acknowledged: dict[str, str] = {}
        self.unexpected: list[tuple[int, Any]] = []
        self.keys: list[tuple[str, str]] = []
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.is_set():
            self._visit()

    def _visit(self) -> None:
        wish = {
            "service_id": self._random.choice(self._services),
            "starts_at": self._random.choice(self._starts),
        }
        status, held = self._ask("POST", "/holds", wish)
        if status != 201:
            return
        self.acknowledged[held["id"]] = "held"
        choice = self._random.random()
        if choice < 0.3:
            return
        status, _ = self._ask(
            "POST",
            f"/holds/{held['id']}/confirm",
            {"customer": {"name": "Ana", "phone": "+5511987654321"}},
        )
        if status == 200:
            self.acknowledged[held["id"]] = "confirmed"
        if choice > 0.6:
            status, _ = self._ask("POST", f"/bookings/{held['id']}/cancel", {})
            if status == 200:
                self.acknowledged[held["id"]] = "cancelled"

    def _ask(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        key = str(uuid4())
        while True:
            try:
                status, answer = self._send(method, path, body, key)
            except OSError:
                time.sleep(0.05)
                continue
            except http.client.HTTPException:
                continue
            if status == 503 or (status == 409 and answer["code"] == "idempotency_key_in_use"):
                time.sleep(0.1)
                continue
            if status not in {200, 201, 409, 422}:
                self.unexpected.append((status, answer))
            if path == "/holds" and status == 201:
                self.keys.append((key, answer["id"]))
            return status, answer

    def _send(self, method: str, path: str, body: dict[str, Any], key: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=15)
        try:
            connection.request(
                method,
                f"/api/v1{path}",
                json.dumps(body),
                {
                    "Authorization": f"Bearer {self._key}",
                    "Content-Type": "application/json",
                    "Idempotency-Key": key,
                },
            )
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


def a_business() -> tuple[str, list[str], list[str]]:
    session = db.session()
    location = a_location(session, slug="ceibo")
    team = [a_resource(session, location, f"R{number}") for number in range(4)]
    pool = a_resource(session, location, "Camillas", capacity=3)
    services = [
        a_service(session, location, team),
        a_service(session, location, team[:2], pool),
        a_service(session, location, pool),
    ]
    monday = datetime.now(UTC) + timedelta(days=7 - datetime.now(UTC).weekday())
    nine = monday.replace(hour=12, minute=0, second=0, microsecond=0)
    starts = [(nine + timedelta(minutes=30 * n)).isoformat() for n in range(16)]
    key = an_api_key(session, location)
    return key, [str(service.id) for service in services], starts


def test_nothing_acknowledged_is_lost_and_nothing_is_sold_twice(real_app: Flask) -> None:
    key, services, starts = a_business()
    redis = Redis.from_url(redis_url(2))
    redis.flushdb()

    with a_desk(real_app) as desk:
        clients = [Client(desk.port, key, services, starts, SEED + n) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        for _ in range(2):
            time.sleep(SECONDS_BETWEEN_KILLS)
            desk.kill()
            redis.flushdb()
            desk.start()
        time.sleep(SECONDS_BETWEEN_KILLS)
        for client in clients:
            client.done.set()
        for client in clients:
            client.join(timeout=60)
            assert not client.is_alive()
        lapse_everything_held()
        wait_until_nothing_is_lapsed()

    check_history(clients)
    faults = find_faults(db.session())
    db.session.rollback()
    assert faults == []


def lapse_everything_held() -> None:
    db.session.execute(text("UPDATE booking SET expires_at = clock_now() WHERE status = 'held'"))
    db.session.commit()


def wait_until_nothing_is_lapsed() -> None:
    """The restarted worker finds its work again, though its Redis was emptied."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        left = db.session.scalar(text("SELECT count(*) FROM booking WHERE status = 'held'"))
        waiting = db.session.scalar(text("SELECT count(*) FROM outbox WHERE handled_at IS NULL"))
        db.session.rollback()
        if not left and not waiting:
            return
        time.sleep(0.2)
    raise AssertionError(f"{left} lapsed holds and {waiting} events are still waiting")


def check_history(clients: list[Client]) -> None:
    status_of = {
        str(row.id): row.status
        for row in db.session.execute(text("SELECT id, status FROM booking"))
    }
    db.session.rollback()
    acknowledged = {k: v for client in clients for k, v in client.acknowledged.items()}
    assert sum(len(client.acknowledged) for client in clients) > 20
    assert [client.unexpected for client in clients if client.unexpected] == []
    after_the_end = {"held": "expired", "confirmed": "confirmed", "cancelled": "cancelled"}
    for booking_id, told in acknowledged.items():
        allowed = {after_the_end[told]}
        assert status_of.get(booking_id) in allowed, (booking_id, told)
    made = [booking_id for client in clients for _, booking_id in client.keys]
    assert len(made) == len(set(made))
    assert set(status_of) == set(made), "a booking that no request was told of"
