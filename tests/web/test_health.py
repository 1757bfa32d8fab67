from dataclasses import replace

from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from tests.conftest import _config


def test_a_server_that_can_serve_is_healthy(client: FlaskClient) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json) == (200, {"status": "ok"})


def test_a_server_without_its_database_is_not(database_url: str) -> None:
    nowhere = "postgresql+psycopg://nobody@127.0.0.1:1/nothing"
    app = create_app(replace(_config(database_url), database_url=nowhere))

    answer = app.test_client().get("/healthz")

    assert (answer.status_code, answer.json) == (503, {"status": "unavailable"})


def test_asking_often_is_fine(app: Flask, client: FlaskClient) -> None:
    assert {client.get("/healthz").status_code for _ in range(50)} == {200}
