from collections.abc import Iterator

import pytest
from flask import Flask

from app.errors import DomainError, InvalidFields
from app.web.errors import CODE_OF_STATUS, status_of
from app.web.messages import FIELD_SENTENCES, SENTENCES, sentence


def kinds(family: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    for kind in family.__subclasses__():
        yield kind
        yield from kinds(kind)


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.__name__)
def test_every_refusal_has_a_family_and_a_sentence(kind: type[DomainError]) -> None:
    assert kind.code in SENTENCES
    refusal = kind(("field", "required")) if kind is InvalidFields else kind()
    assert 400 <= status_of(refusal) < 600


def test_every_status_has_a_sentence() -> None:
    assert set(CODE_OF_STATUS.values()) <= set(SENTENCES)


@pytest.mark.parametrize("language", ["pt", "en"])
@pytest.mark.parametrize("code", sorted({*SENTENCES, *FIELD_SENTENCES}))
def test_every_sentence_is_translated(bare_app: Flask, language: str, code: str) -> None:
    message = SENTENCES.get(code) or FIELD_SENTENCES[code]

    spanish, translated = (read_in(bare_app, each, message) for each in ("es", language))

    assert translated != spanish


def read_in(app: Flask, language: str, message: object) -> str:
    with app.test_request_context(headers={"Accept-Language": language}):
        return str(message)


def test_an_unknown_code_still_says_something(bare_app: Flask) -> None:
    with bare_app.test_request_context():
        assert sentence("nothing_known") != ""
