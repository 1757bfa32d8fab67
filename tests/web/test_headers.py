import pytest
from flask import Flask

from app.web.headers import POLICY


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/entrar", 200),
        ("/agenda/2026-03-10", 303),
        ("/no-such-page", 404),
        ("/api/v1/docs", 200),
        ("/api/v1/openapi.json", 200),
        ("/api/v1/location", 401),
        ("/healthz", 200),
    ],
)
def test_every_answer_is_hardened(app: Flask, path: str, status: int) -> None:
    answer = app.test_client().get(path)

    assert answer.status_code == status
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert "unsafe" not in POLICY
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Cookie" in answer.vary
