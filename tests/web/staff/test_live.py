import json
import time
from collections.abc import Iterator

import httpx
import pytest
from flask import Flask
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from app.catalog.models import Location, Service
from app.checkout.actions import place_hold
from app.extensions import db, transact
from app.ids import new_id
from app.web.staff import live
from app.web.staff.live import MOST_STREAMS, Hub, Listener
from app.web.staff.outbox_tail import Doorbell
from app.web.staff.scope import Scope
from tests.conftest import OPENING
from tests.factories import BOT, PASSWORD, a_location, a_resource, a_service, a_staff_user, a_wish


@pytest.fixture
def business(real_app: Flask) -> tuple[Location, Service]:
    session = db.session()
    location = a_location(session)
    service = a_service(session, location, a_resource(session, location))
    a_staff_user(session, location, email="rocio@ceibo.example")
    return location, service


@pytest.fixture(autouse=True)
def quiet_hub(real_app: Flask) -> Iterator[None]:
    """Let nothing read the database when the test's app is put away."""
    yield
    if "live_hub" in real_app.extensions:
        real_app.extensions["live_hub"].close()


@pytest.fixture
def browser(live_server: str, business: tuple[Location, Service]) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=live_server, timeout=10, trust_env=False) as client:
        page = client.get("/entrar").text
        token = page.split('name="csrf_token" value="')[1].split('"')[0]
        form = {"csrf_token": token, "email": "rocio@ceibo.example", "password": PASSWORD}
        assert client.post("/entrar", data=form).status_code == 303
        yield client


def _hold(location: Location, service: Service) -> None:
    now = OPENING.replace(year=2030)
    wish = a_wish(location, service, now.replace(hour=13), at_desk=True, override="prueba")
    transact(lambda session: place_hold(session, wish, actor=BOT, now=now))


def test_a_change_by_the_api_rings_within_two_seconds(
    browser: httpx.Client, business: tuple[Location, Service]
) -> None:
    location, service = business
    with browser.stream("GET", "/vivo?d=2030-03-10") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "retry: 1500"
        time.sleep(0.5)  # the reader has begun
        began = time.monotonic()
        _hold(location, service)
        told = next(json.loads(line[6:]) for line in lines if line.startswith("data: "))

    assert time.monotonic() - began < 2
    assert told["kind"] == "booking.held"
    assert "2030-03-10" in told["days"]


def test_what_happened_while_the_page_was_on_its_way_rings_at_once(
    browser: httpx.Client, business: tuple[Location, Service]
) -> None:
    location, service = business
    page = browser.get("/agenda/2030-03-10").text
    address = page.split('data-live="')[1].split('"')[0].replace("&amp;", "&")
    _hold(location, service)

    with browser.stream("GET", address) as stream:
        lines = stream.iter_lines()
        told = next(json.loads(line[6:]) for line in lines if line.startswith("data: "))

    assert told["resources"] == []


def test_a_stream_holds_no_connection_of_the_pool(
    browser: httpx.Client, business: tuple[Location, Service], real_app: Flask
) -> None:
    with browser.stream("GET", "/vivo") as stream:
        next(stream.iter_lines())
        time.sleep(0.3)
        busy = [db.engine.pool.checkedout() for _ in range(20)]  # type: ignore[attr-defined]
        assert min(busy) == 0


def _scope() -> Scope:
    return Scope.of(Location(name="x", timezone="UTC", country="UY", currency="BRL", city=""), None)


def test_there_is_an_end_to_how_many_may_listen(real_app: Flask) -> None:
    hub = Hub()
    listeners = [Listener(_scope()) for _ in range(MOST_STREAMS + 1)]

    joined = [hub.join(listener, db.engine) for listener in listeners]

    assert joined == [True] * MOST_STREAMS + [False]
    hub.close()
    assert not hub.is_reading
    assert listeners[0].inbox.get_nowait() is None


class _Restarting:
    """An engine whose database is away for the first two calls."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.calls = 0

    def connect(self) -> Connection:
        self.calls += 1
        if self.calls <= 2:
            raise OperationalError("SELECT 1", {}, Exception("the database is restarting"))
        return self._engine.connect()


def test_the_reader_outlives_a_restart_of_the_database(
    real_app: Flask, business: tuple[Location, Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "PAUSE_AFTER_FAILURE_SECONDS", 0.05)
    location, service = business
    engine, hub = _Restarting(db.engine), Hub()
    listener = Listener(Scope.of(location, None))
    hub.join(listener, engine)  # type: ignore[arg-type]
    while engine.calls < 4:
        time.sleep(0.05)

    _hold(location, service)

    bell = listener.inbox.get(timeout=2)
    hub.close()
    assert bell is not None
    assert bell.location_id == location.id


def test_nobody_hears_of_other_locations_or_other_columns() -> None:
    mine = Listener(_scope())
    bell = Doorbell(new_id(), new_id(), "booking.held", (), ())
    mine.hear(bell)

    assert mine.inbox.empty()
