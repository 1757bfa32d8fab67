from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from app.cashier.gateways import gateways, sealer
from app.catalog.models import Location, Resource, Service
from app.devservices.pix_bank.server import PixBank
from app.extensions import db
from app.payments.accounts import add_account
from app.payments.models import PaymentAccount
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service, an_api_key, at
from tests.payments.scenes import CLIENT, an_account

TEN = "2026-03-10 10:00"
"""Tuesday, an hour after the fixture's business opens and two after the clock's start."""


def instant(wall: str, zone: str = "America/Sao_Paulo") -> str:
    """Write a wall time of a zone as an instant with an offset."""
    return at(wall, zone).isoformat()


def utc(wall: str, zone: str = "America/Sao_Paulo") -> str:
    """Write a wall time of a zone as answers do."""
    return at(wall, zone).replace(tzinfo=None).isoformat() + "Z"


class Api:
    """A program with a key, which uses a new Idempotency-Key for each POST unless told one."""

    def __init__(self, client: FlaskClient, key: str | None) -> None:
        self.client = client
        self.key = key
        self._numbers = count(1)

    def get(self, path: str, **query: Any) -> TestResponse:
        query = {name.removesuffix("_"): told for name, told in query.items()}
        return self.client.get(f"/api/v1{path}", query_string=query, headers=self._headers())

    def delete(self, path: str) -> TestResponse:
        return self.client.delete(f"/api/v1{path}", headers=self._headers())

    def post(self, path: str, body: Any = None, *, key: str | None = "new") -> TestResponse:
        if key == "new":
            key = f"key-{next(self._numbers)}"
        headers = self._headers() | ({} if key is None else {"Idempotency-Key": key})
        return self.client.post(f"/api/v1{path}", json=body or {}, headers=headers)

    def post_raw(
        self,
        path: str,
        raw: bytes,
        *,
        content_type: str | None = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> TestResponse:
        all_headers = {**self._headers(), "Idempotency-Key": "raw", **(headers or {})}
        return self.client.post(
            f"/api/v1{path}", data=raw, content_type=content_type, headers=all_headers
        )

    def hold(
        self, service: Service, wall: str = TEN, *, key: str | None = "new", **fields: Any
    ) -> TestResponse:
        body = {"service_id": str(service.id), "starts_at": instant(wall), **fields}
        return self.post("/holds", body, key=key)

    def confirm(
        self, hold: Mapping[str, Any], *, key: str | None = "new", **body: Any
    ) -> TestResponse:
        return self.post(f"/holds/{hold['id']}/confirm", body, key=key)

    def book(self, service: Service, wall: str = TEN, **fields: Any) -> dict[str, Any]:
        """A confirmed booking's JSON."""
        held = self.hold(service, wall, **fields)
        assert held.status_code == 201, held.json
        return self.confirm(held.json).json  # type: ignore[no-any-return, arg-type]

    def move(self, booking: Mapping[str, Any], step: str, **body: Any) -> TestResponse:
        return self.post(f"/bookings/{booking['id']}/{step}", body)

    def starts(self, service: Service, since: str, until: str, **query: Any) -> list[str]:
        answer = self.get(
            "/availability",
            service_id=service.id,
            from_=instant(since),
            to=instant(until),
            **query,
        )
        assert answer.status_code == 200, answer.json
        return [start["starts_at"] for start in answer.json["data"]]  # type: ignore[index]

    def _headers(self) -> dict[str, str]:
        return {} if self.key is None else {"Authorization": f"Bearer {self.key}"}


@pytest.fixture
def location(session: Session, clock: Clock) -> Location:
    return a_location(session)


@pytest.fixture
def lucia(session: Session, location: Location) -> Resource:
    return a_resource(session, location, "Lucía")


@pytest.fixture
def corte(session: Session, location: Location, lucia: Resource) -> Service:
    """An hour on a grid of half hours, with Lucía only."""
    return a_service(session, location, lucia)


@pytest.fixture
def api(client: FlaskClient, session: Session, location: Location) -> Api:
    return Api(client, an_api_key(session, location))


@pytest.fixture
def statements(real_app: Flask) -> Iterator[list[str]]:
    """What the application asks the database, in order. BEGIN and COMMIT are not among it."""
    asked: list[str] = []

    def note(*arguments: Any) -> None:
        asked.append(" ".join(arguments[2].split())[:60])

    event.listen(db.engine, "before_cursor_execute", note)
    yield asked
    event.remove(db.engine, "before_cursor_execute", note)


def a_coming_wednesday() -> str:
    """Tell the date of a Wednesday of next week, by the real clock."""
    now = datetime.now(UTC)
    return (now + timedelta(days=9 - now.weekday())).date().isoformat()


def refused(answer: TestResponse, status: int, code: str) -> dict[str, Any]:
    """Check that an answer is the refusal ``code``, as a problem document; give it."""
    assert answer.status_code == status, answer.get_data(as_text=True)
    assert answer.content_type == "application/problem+json"
    document: dict[str, Any] = answer.json  # type: ignore[assignment]
    assert document["code"] == code, document
    assert document["status"] == status
    assert document["type"] == f"/api/v1/docs#{code}"
    assert document["title"]
    assert document["detail"]
    return document


def fields(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(each["field"], each["code"]) for each in document["errors"]]


def walls(alternatives: Sequence[Mapping[str, Any]]) -> list[str]:
    """Tell the local wall times of starts, as ``HH:MM``."""
    return [
        datetime.fromisoformat(each["local"]["starts_at"]).strftime("%H:%M")
        for each in alternatives
    ]


@pytest.fixture
def bank(clock: Clock) -> Iterator[PixBank]:
    """A bank whose clock is the test's."""
    with PixBank(clients=(CLIENT,), now=clock.now) as bank:
        yield bank


@pytest.fixture
def account(
    app: Flask, session: Session, location: Location, bank: PixBank
) -> Iterator[PaymentAccount]:
    """The location's account at the bank."""
    row = add_account(
        session, location.id, an_account(bank), currency=location.currency, sealer=sealer()
    )
    session.commit()
    yield row
    gateways().close()


@pytest.fixture
def color(
    session: Session, location: Location, lucia: Resource, account: PaymentAccount
) -> Service:
    """A service that asks a deposit of 50.00."""
    return a_service(
        session, location, lucia, name="Color", price_cents=180_00, deposit_cents=50_00
    )
