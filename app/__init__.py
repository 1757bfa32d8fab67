from typing import Any

from flask import Flask
from sqlalchemy.pool import QueuePool
from whitenoise import WhiteNoise

from app import cli, web
from app.clock import SystemClock
from app.config import Config
from app.extensions import babel, csrf, db, limiter, login

_ROOT = __file__.rsplit("/app/", 1)[0]

_SESSION_LIMITS = (
    "-c lock_timeout=2500 -c statement_timeout=10000 -c idle_in_transaction_session_timeout=15000"
)
"""Milliseconds. A request never waits longer for a lock than a person waits for a page."""


def create_app(config: Config | None = None) -> Flask:
    """Compose the application: the only place that knows every part."""
    config = config or Config.from_environment()
    app = Flask(__name__, template_folder=f"{_ROOT}/templates", static_folder=f"{_ROOT}/static")
    app.config.from_mapping(_flask_settings(config))
    app.extensions["firme_config"] = config
    app.extensions["clock"] = SystemClock()
    db.init_app(app)
    csrf.init_app(app)
    limiter.init_app(app)
    login.init_app(app)
    babel.init_app(app, locale_selector=web.choose_language)
    web.register(app)
    cli.register(app)
    app.wsgi_app = WhiteNoise(  # type: ignore[method-assign]
        app.wsgi_app, root=f"{_ROOT}/static", prefix="/static/", max_age=3600
    )
    return app


def _flask_settings(config: Config) -> dict[str, Any]:
    return {
        "SECRET_KEY": config.secret_key,
        "TESTING": config.testing,
        "MAX_CONTENT_LENGTH": 64 * 1024,
        "MAX_FORM_PARTS": 100,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_SECURE": config.is_https,
        "SESSION_COOKIE_NAME": "__Host-firme" if config.is_https else "firme",
        "WTF_CSRF_TIME_LIMIT": None,  # lives as long as the session, so no open form dies
        "BABEL_DEFAULT_LOCALE": "es",
        "BABEL_DEFAULT_TIMEZONE": "UTC",
        "BABEL_TRANSLATION_DIRECTORIES": f"{_ROOT}/app/translations",
        "RATELIMIT_STORAGE_URI": _limiter_storage(config.redis_url),
        "RATELIMIT_STRATEGY": "sliding-window-counter",
        "RATELIMIT_HEADERS_ENABLED": False,  # it writes Retry-After over every answer's own
        "RATELIMIT_IN_MEMORY_FALLBACK_ENABLED": True,
        "SQLALCHEMY_DATABASE_URI": config.database_url,
        "SQLALCHEMY_ENGINE_OPTIONS": {
            "poolclass": QueuePool,
            "pool_size": config.pool_size,
            "max_overflow": config.pool_overflow,
            "pool_timeout": config.pool_wait_seconds,
            "pool_pre_ping": False,
            "hide_parameters": True,  # of statements in errors: they are people's data
            "connect_args": {"options": _SESSION_LIMITS, "connect_timeout": 5},
        },
    }


def _limiter_storage(redis_url: str) -> str:
    return redis_url.replace("unix://", "redis+unix://", 1)
