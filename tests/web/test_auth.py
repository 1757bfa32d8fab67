import json

import pytest
from flask import Flask

from app.web.auth import is_public, load_staff
from tests.web.conftest import Desk, World

PUBLIC_ON_PURPOSE = {"static", "staff.access.show", "staff.access.enter"}


def _addresses(app: Flask) -> list[tuple[str, str, str]]:
    found = []
    for rule in app.url_map.iter_rules():
        values = {name: _example(rule._converters[name]) for name in rule.arguments}
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            found.append((rule.endpoint, method, rule.build(values)[1]))  # type: ignore[index]
    return found


def _example(converter: object) -> str:
    is_uuid = type(converter).__name__ == "UUIDConverter"
    return "0190a0a0-0000-7000-8000-000000000000" if is_uuid else "2026-03-10"


def test_a_stranger_is_refused_at_every_address_of_the_desk(app: Flask, stranger: Desk) -> None:
    app.config["WTF_CSRF_ENABLED"] = False  # what stops a stranger must not be the token
    try:
        for endpoint, method, address in _addresses(app):
            if not endpoint.startswith("staff.") or endpoint in PUBLIC_ON_PURPOSE:
                continue
            answer = stranger.get(address) if method == "GET" else stranger.post(address)
            went_to_login = answer.status_code == 303 and "/entrar" in answer.location
            assert answer.status_code == 401 or went_to_login, (method, address)
    finally:
        app.config["WTF_CSRF_ENABLED"] = True


def test_nothing_of_the_desk_is_public_but_the_way_in(app: Flask) -> None:
    with app.test_request_context():
        opened = {name for name in app.view_functions if name.startswith("staff.")}
        assert {name for name in opened if is_public(name)} <= PUBLIC_ON_PURPOSE


def test_a_view_without_a_mark_is_closed(app: Flask) -> None:
    with app.test_request_context():
        assert not is_public("staff.calendar.day")


def test_a_stranger_comes_back_to_the_page_that_was_wanted(stranger: Desk, world: World) -> None:
    answer = stranger.get("/agenda/2026-03-11?r=1")

    assert answer.location == "/entrar?next=/agenda/2026-03-11?r%3D1"
    assert stranger.log_in(world.rocio, next="/agenda/2026-03-11?r=1").location == (
        "/agenda/2026-03-11?r=1"
    )


def test_a_session_that_ended_leaves_a_half_typed_panel_alone(
    desk: Desk, stranger: Desk, world: World
) -> None:
    desk.client.delete_cookie("firme", domain="localhost")

    answer = desk.post("/reservas", {"name": "Paula"}, htmx=True)

    assert answer.status_code == 401
    assert answer.headers["HX-Retarget"] == "#toasts"
    assert "Entrar" in answer.text


def test_a_form_without_a_token_changes_nothing(desk: Desk) -> None:
    desk.token = ""

    answer = desk.post("/salir")

    assert answer.status_code == 400
    assert desk.get("/revisar").status_code == 200


def test_an_old_page_gets_a_new_token_and_works_at_the_second_press(
    desk: Desk, world: World
) -> None:
    desk.token = "from a session that is over"
    form = world.hold_form(name="Paula")

    refused = desk.post("/reservas", form, htmx=True)
    desk.token = json.loads(refused.headers["HX-Trigger"])["firme:token"]["token"]

    assert (refused.status_code, refused.headers["HX-Retarget"]) == (400, "#toasts")
    assert desk.post("/reservas", form, htmx=True).status_code == 200


def test_a_disabled_user_is_out_at_once(desk: Desk, world: World) -> None:
    world.rocio.disabled_at = world.rocio.created_at
    world.session.commit()

    assert desk.get("/revisar").status_code == 303


@pytest.mark.parametrize("cookie", ["", "x", "1:2"])
def test_an_odd_login_id_belongs_to_nobody(app: Flask, cookie: str) -> None:
    with app.test_request_context():
        assert load_staff(cookie) is None
