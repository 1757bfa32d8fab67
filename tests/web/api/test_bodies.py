import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.catalog.models import Service
from tests.web.api.conftest import TEN, Api, fields, instant, refused

DEEP = b"[" * 900 + b"]" * 900


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"nothing",
        b"'a'",
        b'{"a":1,}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"units":1,"units":2}',
        b'{"customer":{"name":"a","name":"b"}}',
        b'\xff\xfe{"a":1}',
        b'\xef\xbb\xbf{"a":1}',
        b'"\xed\xa0\x80"',
        b"{} {}",
        b" ",
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' + DEEP + b"}",
        b"[" * 60_000,
        b'{"a":' * 10_000,
    ],
)
def test_broken_json_is_answered_anew_each_time(api: Api, session: Session, raw: bytes) -> None:
    """It depends on the body alone, so there is nothing to remember."""
    for _ in range(2):
        answer = api.post_raw("/holds", raw)
        refused(answer, 400, "malformed_json")
        assert "Idempotent-Replayed" not in answer.headers

    assert session.scalar(text("SELECT count(*) FROM idempotency_key")) == 0


@pytest.mark.parametrize("raw", [b"[]", b"null", b"7", b'"a"', b"true", b"1e999"])
def test_a_body_is_an_object(api: Api, raw: bytes) -> None:
    document = refused(api.post_raw("/holds", raw), 422, "invalid_request")

    assert fields(document) == [("body", "not_an_object")]


def test_an_empty_body_is_an_empty_object(api: Api, corte: Service) -> None:
    hold = api.hold(corte).json

    confirmed = api.post_raw(f"/holds/{hold['id']}/confirm", b"", content_type=None)
    document = refused(api.post_raw("/holds", b"", content_type=None), 422, "invalid_request")

    assert confirmed.status_code == 200
    assert fields(document) == [("service_id", "required"), ("starts_at", "required")]


@pytest.mark.parametrize(
    "content_type", [None, "text/plain", "application/x-www-form-urlencoded", "text/json", "x"]
)
def test_a_body_says_that_it_is_json(api: Api, content_type: str | None) -> None:
    refused(api.post_raw("/holds", b"{}", content_type=content_type), 415, "unsupported_media_type")


def test_a_charset_beside_json_is_fine(api: Api, corte: Service) -> None:
    raw = f'{{"service_id":"{corte.id}","starts_at":"{instant(TEN)}"}}'.encode()

    answer = api.post_raw("/holds", raw, content_type="application/json; charset=utf-8")

    assert answer.status_code == 201


def test_a_body_over_64_kb_is_refused(api: Api) -> None:
    refused(api.post_raw("/holds", b" " * (64 * 1024 + 1)), 413, "body_too_large")
