import pytest
from flask import Flask
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy import text

from app.accounts.actions import add_membership, change_password
from app.extensions import limiter
from tests.factories import a_location, a_staff_user
from tests.web.conftest import Desk, World, words


def test_a_receptionist_comes_in_and_sees_the_day(stranger: Desk, world: World) -> None:
    answer = stranger.log_in(world.rocio)

    assert (answer.status_code, answer.location) == (303, "/")
    assert stranger.get("/").location == "/agenda/2026-03-10"


def test_an_unknown_address_and_a_wrong_password_get_the_same_answer(
    stranger: Desk, world: World
) -> None:
    wrong = stranger.log_in(world.rocio, password="equivocada")
    world.rocio.email = "nadie@ceibo.example"
    unknown = stranger.log_in(world.rocio, password="equivocada")

    assert wrong.status_code == unknown.status_code == 422
    assert words(wrong) == words(unknown)


def test_what_was_typed_stays_but_never_the_password(stranger: Desk, world: World) -> None:
    answer = stranger.log_in(world.rocio, password="equivocada")

    assert "rocio@ceibo.example" in answer.text
    assert "equivocada" not in answer.text


@pytest.fixture
def own_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count in this process: other test processes empty the shared counters at any moment."""
    storage = MemoryStorage()
    monkeypatch.setattr(limiter, "_storage", storage)
    monkeypatch.setattr(limiter, "_limiter", FixedWindowRateLimiter(storage))


@pytest.mark.usefixtures("own_counters")
def test_guessing_is_slowed_down_per_address_and_account(stranger: Desk, world: World) -> None:
    answers = [stranger.log_in(world.rocio, password=f"no {n}").status_code for n in range(21)]

    assert answers[:10] == [422] * 10
    assert 429 in answers[10:]
    assert "Esperá un minuto" in stranger.log_in(world.rocio).text


@pytest.mark.parametrize(
    "wanted", ["https://example.com/", "//example.com", "/\\example.com", "javascript:1", "agenda"]
)
def test_the_way_back_never_leads_off_the_site(stranger: Desk, world: World, wanted: str) -> None:
    assert stranger.log_in(world.rocio, next=wanted).location == "/"


def test_the_session_is_a_new_one_after_coming_in(stranger: Desk, world: World) -> None:
    with stranger.client.session_transaction() as before:
        before["left_by_a_stranger"] = "1"

    stranger.log_in(world.rocio)

    with stranger.client.session_transaction() as after:
        assert "left_by_a_stranger" not in after


def test_leaving_ends_the_session(desk: Desk) -> None:
    assert desk.post("/salir").location == "/entrar"
    assert desk.get("/revisar").status_code == 303


def test_a_new_password_ends_older_sessions(desk: Desk, world: World) -> None:
    change_password(world.session, world.rocio, "otra clave bien larga")
    world.session.commit()

    assert desk.get("/revisar").status_code == 303


def test_text_that_cannot_be_stored_is_a_wrong_login(stranger: Desk, world: World) -> None:
    world.rocio.email = "a\0b@ceibo.example"

    assert stranger.log_in(world.rocio).status_code == 422


def test_somebody_without_a_location_cannot_come_in(
    app: Flask, stranger: Desk, world: World
) -> None:
    elsewhere = a_location(world.session)
    lost = a_staff_user(world.session, elsewhere)
    world.session.execute(
        text("DELETE FROM membership WHERE user_id = :id"),
        {"id": lost.id},
    )

    assert stranger.log_in(lost).status_code == 422


def test_who_works_at_two_places_switches_between_them(desk: Desk, world: World) -> None:
    other = a_location(world.session, name="Ceibo Centro")
    add_membership(world.session, other.id, world.rocio.id, role="owner")
    world.session.commit()

    desk.post("/local", {"location": str(other.id)})

    assert "<title>Para revisar · Ceibo Centro</title>" in desk.get("/revisar").text


def test_nobody_switches_to_a_place_of_others(desk: Desk, world: World) -> None:
    foreign = a_location(world.session, name="Ajeno")

    desk.post("/local", {"location": str(foreign.id)})

    assert "Ajeno" not in desk.get("/revisar").text
