from flask import Blueprint

from app.extensions import csrf

api = Blueprint("api", __name__, url_prefix="/api/v1")
csrf.exempt(api)  # programs show a key with every call; no browser sends one by itself
