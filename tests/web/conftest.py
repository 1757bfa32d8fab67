import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4
from xml.etree.ElementTree import Element

import html5lib
import pytest
from flask import Flask, g
from flask.testing import FlaskClient
from sqlalchemy import Connection, event
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from app.accounts.models import User
from app.catalog.models import Location, Resource, Service
from tests.conftest import Clock
from tests.factories import PASSWORD, a_location, a_resource, a_service, a_staff_user

DAY = "2026-03-10"
HX = {"HX-Request": "true"}


def parsed(answer: TestResponse) -> Element:
    """Read an answer as a strict browser would: a page, or a fragment in a body."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    text = answer.text
    if text.lstrip().lower().startswith("<!doctype"):
        return parser.parse(text)  # type: ignore[no-any-return]
    return parser.parseFragment(text)  # type: ignore[no-any-return]


def words(answer: TestResponse) -> str:
    """Give the text that a reader meets, with single blanks."""
    return " ".join("".join(parsed(answer).itertext()).split())


def by_id(answer: TestResponse, name: str) -> Element:
    found = [each for each in parsed(answer).iter() if each.get("id") == name]
    assert len(found) == 1, f"#{name}: {len(found)} of it"
    return found[0]


def values(element: Element) -> dict[str, str]:
    """Give what a form, or the first form inside, would send unless somebody typed."""
    form = element if element.tag == "form" else next(element.iter("form"))
    sent = {}
    for each in form.iter():
        name = each.get("name")
        if name is None:
            continue
        if each.tag == "select":
            options = list(each.iter("option"))
            chosen = [o for o in options if "selected" in o.attrib] or options[:1]
            sent[name] = chosen[0].get("value", "") if chosen else ""
        elif each.tag == "textarea":
            sent[name] = (each.text or "").removeprefix("\n")
        elif each.tag == "input" and each.get("type") != "checkbox":
            sent[name] = each.get("value", "")
    return sent


@dataclass
class Desk:
    """A browser in front of the desk: strict about HTML, and it carries the CSRF token."""

    client: FlaskClient
    token: str = ""

    def _forget(self) -> None:
        """Begin a request as a server does: the fixture's app context outlives requests."""
        for name in list(g):
            g.pop(name)

    def log_in(self, user: User, *, password: str = PASSWORD, **more: str) -> TestResponse:
        self._forget()
        page = self.client.get("/entrar")
        form = values(parsed(page)) | {"email": user.email, "password": password, **more}
        self._forget()
        answer = self.client.post("/entrar", data=form)
        if answer.status_code == 303:
            self.token = self._fresh_token()
        return answer

    def _fresh_token(self) -> str:
        self._forget()
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.client.get("/revisar").text)
        assert found
        return found[1]

    def get(self, path: str, *, htmx: bool = False, language: str = "es") -> TestResponse:
        self._forget()
        headers = {"Accept-Language": language, **(HX if htmx else {})}
        answer = self.client.get(path, headers=headers)
        if answer.mimetype == "text/html" and answer.text and answer.status_code < 300:
            parsed(answer)
        return answer

    def post(
        self, path: str, data: dict[str, str] | None = None, *, htmx: bool = False
    ) -> TestResponse:
        self._forget()
        sent = {"csrf_token": self.token, **(data or {})}
        answer = self.client.post(path, data=sent, headers=HX if htmx else {})
        if answer.mimetype == "text/html" and answer.text and answer.status_code != 303:
            parsed(answer)
        return answer


@dataclass
class World:
    """One business with two people, a room of three places, a cut and a massage."""

    session: Session
    location: Location
    marcos: Resource
    lucia: Resource
    beds: Resource
    cut: Service
    massage: Service
    rocio: User

    def hold_form(self, wall: str = "10:00", **changes: str) -> dict[str, str]:
        return {
            "key": str(uuid4()),
            "service": str(self.cut.id),
            "resources": str(self.marcos.id),
            "day": DAY,
            "time": wall,
            **changes,
        }


@pytest.fixture
def world(session: Session, clock: Clock) -> World:
    location = a_location(session)
    marcos = a_resource(session, location, "Marcos Acosta", label="Barbería")
    lucia = a_resource(session, location, "Lucía Ferreira", position=1)
    beds = a_resource(session, location, "Camillas", capacity=3, position=2)
    return World(
        session=session,
        location=location,
        marcos=marcos,
        lucia=lucia,
        beds=beds,
        cut=a_service(session, location, [marcos, lucia], name="Corte"),
        massage=a_service(session, location, beds, name="Masaje", position=1),
        rocio=a_staff_user(session, location, email="rocio@ceibo.example"),
    )


@pytest.fixture
def stranger(client: FlaskClient) -> Desk:
    return Desk(client)


@pytest.fixture
def desk(client: FlaskClient, world: World) -> Desk:
    """The receptionist's browser, logged in."""
    browser = Desk(client)
    assert browser.log_in(world.rocio).status_code == 303
    return browser


@pytest.fixture
def another_desk(app: Flask) -> Desk:
    return Desk(app.test_client())


@dataclass
class Counted:
    statements: list[str] = field(default_factory=list)


@contextmanager
def counting(connection: Connection) -> Iterator[Counted]:
    """Count the statements that read or write; savepoints are the fixture's own."""
    counted = Counted()

    def note(*arguments: Any) -> None:
        statement = arguments[2]
        if not statement.lstrip().upper().startswith(("SAVEPOINT", "RELEASE", "ROLLBACK")):
            counted.statements.append(statement)

    event.listen(connection, "before_cursor_execute", note)
    try:
        yield counted
    finally:
        event.remove(connection, "before_cursor_execute", note)
