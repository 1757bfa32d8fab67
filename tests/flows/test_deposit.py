"""A deposit paid at the bank's page, with everything a process of its own, like in production."""

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest
from flask import Flask
from psycopg import sql
from sqlalchemy import Engine, make_url, text

from app.cashier.gateways import sealer
from app.checkout.integrity import find_faults
from app.cli.demo_pix import account_at
from app.devservices.testing import start_test_server
from app.devservices.valkey import ValkeyServer
from app.extensions import db
from app.payments.accounts import add_account, new_webhook_secret
from app.payments.pix.registry import open_gateway
from app.queues import BANK, DESK
from tests.factories import a_location, a_resource, a_service, an_api_key
from tests.flows.desk_processes import Bank, Desk, a_bank, a_desk

PATIENCE_SECONDS = 60
"""Of a busy machine; how long it really takes is printed."""


@dataclass
class Shop:
    """A business whose service asks a deposit of 40.00, over HTTP."""

    desk: Desk
    bank: Bank
    key: str
    service_id: str
    webhook: str

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Ask until it is no 503 any more, as that answer asks for."""
        headers = {"Authorization": f"Bearer {self.key}", "Idempotency-Key": str(uuid4())}
        url = f"http://127.0.0.1:{self.desk.port}/api/v1{path}"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = httpx.request(
                method, url, json=body, headers=headers, timeout=30, trust_env=False
            )
            if answer.status_code != 503 or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def book(self, hour: int = 12) -> dict[str, Any]:
        """A booking of the next Monday that waits for its deposit."""
        today = datetime.now(UTC)
        monday = today + timedelta(days=7 - today.weekday())
        starts_at = monday.replace(hour=hour, minute=0, second=0, microsecond=0)
        wish = {"service_id": self.service_id, "starts_at": starts_at.isoformat()}
        held = self.ask("POST", "/holds", wish)
        customer = {"customer": {"name": "Ana", "phone": "+5511987654321"}}
        waiting = self.ask("POST", f"/holds/{held['id']}/confirm", customer)
        assert waiting["status"] == "pending_payment"
        return waiting

    def pay(self, booking: dict[str, Any], notice: str = "now") -> None:
        """The customer pays on the page of the bank."""
        form = {"client": "firme", "txid": booking["payment"]["txid"], "notice": notice}
        answer = httpx.post(f"{self.bank.url}/pay", data=form, trust_env=False)
        assert answer.status_code == 303, answer.text

    def wait_until_confirmed(self, booking: dict[str, Any]) -> float:
        """Tell after how many seconds it was."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE_SECONDS:
            seen = self.ask("GET", f"/bookings/{booking['id']}")
            if seen["status"] == "confirmed":
                assert seen["payment"]["status"] == "paid"
                return time.monotonic() - began
            time.sleep(0.02)
        raise AssertionError(f"still {seen['status']} after {PATIENCE_SECONDS} seconds")

    def knock(self) -> int:
        """Send a notice by hand; the status of the answer."""
        port = self.desk.port
        path = self.webhook.partition(str(port))[2]
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as web:
            web.request("POST", f"{path}/pix", json.dumps({"pix": []}))
            return web.getresponse().status


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[ValkeyServer]:
    with ValkeyServer(tmp_path / "valkey", durable=False) as server:
        yield server


@pytest.fixture
def shop(real_app: Flask, redis: ValkeyServer, tmp_path: Path) -> Iterator[Shop]:
    with (
        a_bank(tmp_path / "bank") as bank,
        a_desk(real_app, workers=(DESK, BANK), redis=redis.url) as desk,
    ):
        yield open_shop(desk, bank)


def open_shop(desk: Desk, bank: Bank) -> Shop:
    session = db.session()
    location = a_location(session)
    lucia = a_resource(session, location)
    color = a_service(session, location, lucia, price_cents=180_00, deposit_cents=40_00)
    account = account_at(bank.url)
    row = add_account(session, location.id, account, currency="BRL", sealer=sealer())
    url = f"http://127.0.0.1:{desk.port}/webhooks/pix/{row.id}/{new_webhook_secret(row)}"
    session.commit()
    gateway = open_gateway(account)
    gateway.set_webhook(url)
    gateway.close()
    return Shop(desk, bank, an_api_key(session, location), str(color.id), url)


def wait_for_notices(number: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (found := _number("SELECT count(*) FROM pix_notice")) < number:
        assert time.monotonic() < deadline, "no notice came"
        time.sleep(0.02)
    assert found == number


def check_promises() -> None:
    assert _number("SELECT count(*) FROM payment WHERE standing <> 'applied'") == 0
    faults = find_faults(db.session())
    db.session.rollback()
    assert faults == []


def _number(query: str) -> int:
    found = db.session.scalar(text(query))
    db.session.rollback()
    return int(found or 0)


def ask_now() -> None:
    """Bring the worker's next question forward, which comes half a minute after the code."""
    db.session.execute(text("UPDATE charge SET next_look_at = clock_now() WHERE status = 'open'"))
    db.session.commit()


@contextmanager
def closed_database(app: Flask, *others: Engine) -> Iterator[None]:
    """Nobody gets in, and who is in is thrown out; ``others`` of this process are let go before."""
    name = make_url(app.extensions["firme_config"].database_url).database or ""
    allow = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
    with psycopg.connect(start_test_server(), autocommit=True) as admin:
        admin.execute(allow.format(sql.Identifier(name), sql.Literal(False)))
        try:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )
            db.session.remove()
            for engine in (db.engine, *others):
                engine.dispose()
            yield
        finally:
            admin.execute(allow.format(sql.Identifier(name), sql.Literal(True)))


def told(what: str, seconds: float) -> None:
    print(f"\n{what}: confirmed after {seconds:.2f} s")  # noqa: T201 - for `pytest -s`


def test_a_payment_confirms_by_its_notice_and_without_one_by_asking(shop: Shop) -> None:
    first, second = shop.book(hour=12), shop.book(hour=14)

    shop.pay(first)
    told("by its notice", shop.wait_until_confirmed(first))
    wait_for_notices(1)
    shop.pay(second, notice="never")
    ask_now()
    told("by asking", shop.wait_until_confirmed(second))

    wait_for_notices(1)
    check_promises()


def test_a_notice_is_kept_while_redis_is_away_and_read_when_it_is_back(
    shop: Shop, redis: ValkeyServer
) -> None:
    booking = shop.book()
    redis.stop()

    assert shop.knock() == 200
    shop.pay(booking)
    wait_for_notices(2)
    redis.start()
    told("after Redis came back, empty", shop.wait_until_confirmed(booking))

    wait_for_notices(2)
    check_promises()


def test_a_notice_that_the_database_could_not_keep_comes_again(
    shop: Shop, real_app: Flask, bare_app: Flask, engine: Engine
) -> None:
    booking = shop.book()
    with bare_app.app_context():
        other = db.engine

    with closed_database(real_app, other, engine):
        shop.pay(booking)
        assert shop.knock() == 503
    told("after the database came back", shop.wait_until_confirmed(booking))

    check_promises()
