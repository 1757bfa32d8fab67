from flask import Flask, has_request_context, request

from app.web import api, auth, errors, headers, health
from app.web.inbound import pix
from app.web.staff import desk

LANGUAGES = ("es", "pt", "en")


def choose_language() -> str:
    """Pick the language that the reader's browser asks for; Spanish where nobody asks."""
    if not has_request_context():
        return "es"
    return request.accept_languages.best_match(LANGUAGES) or "es"


def register(app: Flask) -> None:
    """Add every blueprint, one line each."""
    headers.register(app)
    errors.register(app)
    auth.register(app)
    desk.register(app)
    api.register(app)
    health.register(app)
    pix.register(app)
