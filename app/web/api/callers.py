"""Who calls: the API key of a request, what it may do, and how often."""

from flask import current_app, request
from flask_limiter.util import get_remote_address
from limits import parse
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import TooManyRequests, Unauthorized

from app.accounts.queries import KeyHolder, find_key_holder, hash_of
from app.config import Config
from app.errors import Refused
from app.events import Actor
from app.extensions import db, limiter
from app.web.api.blueprint import api

FAILED_KEYS = parse("60 per minute")
"""From one address. A key has 256 random bits, so this only keeps guessers from making load."""


def _presented_key() -> str | None:
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


def _is_read() -> bool:
    return request.method in {"GET", "HEAD", "OPTIONS"}


def _api_limit() -> str:
    config: Config = current_app.extensions["firme_config"]
    return config.api_read_limit if _is_read() else config.api_write_limit


def _counted_as() -> str:
    """Count by key, so that programs behind one address do not hinder each other."""
    key = _presented_key()
    caller = f"key:{hash_of(key)}" if key else get_remote_address()
    return f"{'read' if _is_read() else 'write'}:{caller}"


limiter.shared_limit(_api_limit, "api", key_func=_counted_as)(api)


def require(scope: str) -> KeyHolder:
    """Give the holder of the request's key, which may do ``scope``. One statement.

    Raises:
        Unauthorized: no key, or none that lives.
        Refused: the key has not this scope.
    """
    key = _presented_key()
    holder = find_key_holder(db.session(), key) if key else None
    if holder is None:
        if key and not limiter.limiter.hit(FAILED_KEYS, "api-failed", get_remote_address()):
            raise TooManyRequests(retry_after=FAILED_KEYS.get_expiry())
        raise Unauthorized(www_authenticate=WWWAuthenticate("bearer"))
    if scope not in holder.scopes:
        raise Refused
    return holder


def actor_of(holder: KeyHolder) -> Actor:
    """Tell the audit trail who it was: a program, which never counts as a person."""
    return Actor(door="api", name=holder.name, id=holder.key_id)
