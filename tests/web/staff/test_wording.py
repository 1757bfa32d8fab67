from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from flask import Flask
from flask_babel import force_locale

from app.web.staff import wording

ROOT = Path(__file__).parents[3]
DAY = date(2026, 12, 3)
KEYWORDS = {
    "_": None,
    "gettext": None,
    "lazy_gettext": None,
    "ngettext": (1, 2),
}


@pytest.mark.parametrize(
    ("language", "long", "short"),
    [
        ("es", "Jueves 3 de diciembre", "jue 3 dic"),
        ("pt", "Quinta-feira, 3 de dezembro", "qui 3 dez"),
        ("en", "Thursday 3 December", "Thu 3 Dec"),
    ],
)
def test_a_day_reads_as_people_write_it(app: Flask, language: str, long: str, short: str) -> None:
    with app.test_request_context(), force_locale(language):
        assert wording.long_day(DAY) == long
        assert wording.short_day(DAY) == short


def test_times_are_always_24_hours(app: Flask) -> None:
    instant = datetime(2026, 12, 3, 18, 5, tzinfo=UTC)
    with app.test_request_context(), force_locale("en"):
        assert wording.clock_time(instant, ZoneInfo("America/Montevideo")) == "15:05"


def test_near_days_have_names(app: Flask) -> None:
    with app.test_request_context(), force_locale("es"):
        names = [wording.near_day(DAY, date(2026, 12, day)) for day in (2, 3, 4, 9)]
    assert names == ["mañana", "hoy", "ayer", "jue 3 dic"]


def test_a_countdown_never_goes_below_zero() -> None:
    now = datetime(2026, 12, 3, tzinfo=UTC)
    assert wording.countdown(now.replace(minute=8, second=41), now) == "08:41"
    assert wording.countdown(now, now.replace(minute=8)) == "00:00"


def _sentences() -> set[str]:
    found: set[str] = set()
    for folder, method in (("app", "python"), ("templates", "jinja2")):
        pattern = "**.py" if method == "python" else "**.html"
        for _, _, message, _, _ in extract_from_dir(
            ROOT / folder, [(pattern, method)], {pattern: {}}, KEYWORDS
        ):
            found.add(message if isinstance(message, str) else message[0])
    return found


def _catalogue(language: str) -> Catalog:
    path = ROOT / "app" / "translations" / language / "LC_MESSAGES" / "messages.po"
    with path.open("rb") as file:
        return read_po(file, locale=language)


@pytest.mark.parametrize("language", ["pt", "en"])
def test_every_sentence_has_its_translation(language: str) -> None:
    catalogue = _catalogue(language)
    missing = set()
    for sentence in _sentences():
        message = catalogue.get(sentence)
        parts = message.string if message is not None else ""
        if not (all(parts) if isinstance(parts, tuple) else parts):
            missing.add(sentence)

    assert missing == set()


@pytest.mark.parametrize("language", ["pt", "en"])
def test_translations_keep_the_names_of_what_is_filled_in(language: str) -> None:
    problems = [
        (message.id, [str(error) for error in message.check(_catalogue(language))])
        for message in _catalogue(language)
        if message.id
    ]
    assert [problem for problem in problems if problem[1]] == []
