"""Coming in and leaving."""

from flask import Blueprint, current_app, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_limiter import RateLimitExceeded
from flask_login import current_user, login_user, logout_user

from app.accounts import queries as accounts
from app.accounts.models import User
from app.accounts.passwords import is_right
from app.extensions import db, limiter
from app.web.auth import find_staff, public, staff
from app.web.forms import local_path
from app.web.staff.wording import gettext
from app.web.writable import writable

bp = Blueprint("access", __name__)


def login_limit() -> str:
    """Tell how often a login may be tried, by the deployment's setting."""
    return str(current_app.extensions["firme_config"].login_limit)


def typed_address() -> str:
    """Name the account that is being tried, so that many machines cannot guess at one."""
    return "login:" + request.form.get("email", "").strip().lower()[:254]


@bp.get("/entrar")
@public
def show() -> ResponseReturnValue:
    if current_user.is_authenticated:
        return redirect(url_for("staff.calendar.home"), code=303)
    return _page(request.args.get("next", ""))


@bp.post("/entrar")
@public
@limiter.limit(login_limit)
@limiter.limit(login_limit, key_func=typed_address)
def enter() -> ResponseReturnValue:
    """Log in. An unknown address and a wrong password get the same answer at the same pace."""
    email, password = request.form.get("email", ""), request.form.get("password", "")
    wanted = request.form.get("next", "")
    user = None
    if "\0" not in email + password:
        user = accounts.find_user_for_login(db.session(), email)
        if not is_right(password, user.password_hash if user else None):
            user = None
    person = find_staff(User.id == user.id, None) if user is not None else None
    if person is None:
        error = gettext("El correo o la contraseña no coinciden.")
        return _page(wanted, error=error), 422
    session.clear()
    login_user(person)
    session["location"] = str(person.scope.location_id)
    return redirect(local_path(wanted) or url_for("staff.calendar.home"), code=303)


@bp.errorhandler(RateLimitExceeded)
def slow_down(_: RateLimitExceeded) -> ResponseReturnValue:
    error = gettext("Muchos intentos. Esperá un minuto y probá de nuevo.")
    return _page(request.form.get("next", ""), error=error), 429


@bp.post("/salir")
def leave() -> ResponseReturnValue:
    logout_user()
    session.clear()
    return redirect(url_for("staff.access.show"), code=303)


@bp.post("/local")
def choose() -> ResponseReturnValue:
    """Go on at another location where the person works; any other choice changes nothing."""
    wanted = request.form.get("location", "")
    if wanted in {str(place.location_id) for place in staff().scopes}:
        session["location"] = wanted
    return redirect(url_for("staff.calendar.home"), code=303)


def _page(wanted: str, *, error: str | None = None) -> str:
    return render_template(
        "staff/access/show.html",
        error=error,
        email=writable(request.form.get("email", "")),
        next=local_path(wanted),
    )
