from flask import Flask, request

from app.web import api, auth, errors, health
from app.web.staff import desk

LANGUAGES = ("es", "pt", "en")


def choose_language() -> str:
    """Pick the reader's language: the person's setting, else what the browser asks for."""
    return request.accept_languages.best_match(LANGUAGES) or "es"


def register(app: Flask) -> None:
    """Add every blueprint, one line each."""
    errors.register(app)
    auth.register(app)
    desk.register(app)
    api.register(app)
    health.register(app)
