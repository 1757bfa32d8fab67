from flask import Blueprint, Flask
from flask.typing import ResponseReturnValue
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from app.extensions import db, limiter
from app.web.auth import public

health = Blueprint("health", __name__)
limiter.exempt(health)


def register(app: Flask) -> None:
    app.register_blueprint(health)


@health.get("/healthz")
@public
def show_health() -> ResponseReturnValue:
    """Tell whether requests can be served: 200 when the database answers, else 503."""
    try:
        db.session().execute(text("SELECT 1"))
    except (DBAPIError, PoolTimeout):
        return {"status": "unavailable"}, 503
    return {"status": "ok"}
