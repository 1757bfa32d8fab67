from flask import Flask

from app.web.api import availability, bookings, catalog, documents, holds, payments
from app.web.api.blueprint import api

__all__ = ["availability", "bookings", "catalog", "documents", "holds", "payments", "register"]


def register(app: Flask) -> None:
    """Add the JSON API under ``/api/v1``."""
    app.register_blueprint(api)
