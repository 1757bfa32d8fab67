import re
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from app import create_app
from app.accounts.actions import add_api_key, revoke_api_key
from app.accounts.models import BOOK, MANAGE, READ
from app.catalog.models import Location, Service
from app.config import Config
from app.ids import new_id
from tests.conftest import Clock, _config
from tests.factories import an_api_key
from tests.web.api.conftest import Api, refused

PUBLIC = {"api.show_openapi", "api.show_docs"}


def calls(app: Flask) -> list[tuple[str, str]]:
    """Every method and path of the API that needs a key."""
    return sorted(
        (method, re.sub("<[^>]+>", "x", rule.rule))
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("api.") and rule.endpoint not in PUBLIC
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    )


def test_every_call_but_the_documents_asks_for_a_key(app: Flask, client: FlaskClient) -> None:
    assert len(calls(app)) == 16
    for method, path in calls(app):
        answer = client.open(path, method=method)
        refused(answer, 401, "unauthenticated")
        assert answer.headers["WWW-Authenticate"].lower() == "bearer"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer firme_",
        "Bearer firme__",
        "Bearer firme_x_y",
        "Bearer firme_01a22f7cc1737cd3b99e3dde7ac42cbc_",
        "Bearer firme_01a22f7cc1737cd3b99e3dde7ac42cbc_secret",
        "Bearer " + "x" * 8000,
        "Bearer é€",
        "Basic Zm9vOmJhcg==",
        "Basic \xff",
        "firme_01a22f7cc1737cd3b99e3dde7ac42cbc_secret",
    ],
)
def test_a_key_that_is_none_is_refused(app: Flask, client: FlaskClient, header: str) -> None:
    answer = client.get(
        "/api/v1/location", headers={"Authorization": header.encode().decode("latin-1")}
    )

    refused(answer, 401, "unauthenticated")


def test_a_changed_or_revoked_key_is_refused(
    client: FlaskClient, session: Session, location: Location, clock: Clock
) -> None:
    key, secret = add_api_key(session, location.id, name="bot", scopes=[READ])
    session.commit()
    program = Api(client, secret)
    assert program.get("/location").status_code == 200

    refused(Api(client, secret[:-1]).get("/location"), 401, "unauthenticated")
    revoke_api_key(session, location.id, key.id, now=clock.now())
    session.commit()
    refused(program.get("/location"), 401, "unauthenticated")


def test_the_word_bearer_has_no_capitals_of_its_own(api: Api) -> None:
    answer = api.client.get("/api/v1/location", headers={"Authorization": f"bearer {api.key}"})

    assert answer.status_code == 200


def test_a_key_does_what_its_scopes_say(
    app: Flask, client: FlaskClient, session: Session, location: Location
) -> None:
    reader = an_api_key(session, location, [READ])
    booker = an_api_key(session, location, [BOOK])
    manager = an_api_key(session, location, [MANAGE])

    for method, path in calls(app):
        useless = booker if method == "GET" else reader
        for key in (useless, manager):
            answer = client.open(path, method=method, headers={"Authorization": f"Bearer {key}"})
            refused(answer, 403, "forbidden")


def test_a_refused_key_is_not_remembered(
    client: FlaskClient, session: Session, location: Location, corte: Service
) -> None:
    reader = Api(client, an_api_key(session, location, [READ]))

    for _ in range(2):
        answer = reader.hold(corte, key="k")
        refused(answer, 403, "forbidden")
        assert "Idempotent-Replayed" not in answer.headers


def test_the_audit_names_the_key_and_no_person(api: Api, corte: Service, session: Session) -> None:
    api.hold(corte)

    line = session.execute(text("SELECT door, actor, actor_id FROM audit")).one()

    assert (line.door, line.actor) == ("api", "bot")
    assert line.actor_id == session.scalar(text("SELECT id FROM api_key"))


def test_too_many_calls_are_told_when_to_go_on(
    app: Flask, api: Api, session: Session, location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = Config("", "", "", api_read_limit="2 per minute")
    monkeypatch.setitem(app.extensions, "firme_config", strict)
    other = Api(api.client, an_api_key(session, location))

    answers = [api.get("/location") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    refused(answers[2], 429, "rate_limited")
    assert 1 <= int(answers[2].headers["Retry-After"]) <= 61
    assert "Retry-After" not in answers[0].headers
    assert api.post("/holds", {}).status_code == 422, "writes have a limit of their own"
    assert other.get("/location").status_code == 200


def test_guessing_keys_ends_soon(client: FlaskClient, app: Flask, api: Api) -> None:
    guesses = [Api(client, f"guess-{number}").get("/location") for number in range(61)]

    assert {answer.status_code for answer in guesses[:60]} == {401}
    refused(guesses[60], 429, "rate_limited")
    assert guesses[60].headers["Retry-After"] == "60"
    assert api.get("/location").status_code == 200


def test_no_form_s_token_is_asked_for(app: Flask, api: Api, corte: Service) -> None:
    assert app.config["WTF_CSRF_ENABLED"]

    assert api.hold(corte).status_code == 201


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("es", "No existe o no es de este local."),
        ("de, es;q=0.5", "No existe o no es de este local."),
        ("", "No existe o no es de este local."),
    ],
)
def test_a_refusal_speaks_the_reader_s_language(api: Api, language: str, title: str) -> None:
    answer = api.client.get(
        "/api/v1/bookings/x",
        headers={"Authorization": f"Bearer {api.key}", "Accept-Language": language},
    )

    assert refused(answer, 404, "not_found")["title"] == title


def test_an_unknown_address_is_a_problem_too(api: Api) -> None:
    refused(api.get("/nothing"), 404, "not_found")
    refused(api.get("/holds"), 405, "method_not_allowed")


def test_without_the_database_everything_is_busy(database_url: str) -> None:
    nowhere = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
    app = create_app(replace(_config(database_url), database_url=nowhere))
    program = Api(app.test_client(), f"firme_{new_id().hex}_secret")

    for answer in (program.get("/location"), program.post("/holds"), program.delete("/holds/x")):
        refused(answer, 503, "busy")
        assert answer.headers["Retry-After"] == "2"
