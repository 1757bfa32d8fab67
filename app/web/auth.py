"""Who asks. Everything is refused to strangers, unless a view says that it is public."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar
from uuid import UUID

from flask import Flask, Response, current_app, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_login import UserMixin, current_user
from flask_wtf.csrf import CSRFError, generate_csrf
from sqlalchemy import ColumnElement, select

from app.accounts.models import PROFESSIONAL, Membership, User
from app.catalog.models import Location
from app.events import Actor
from app.extensions import db, login
from app.web.render import is_htmx
from app.web.staff.scope import Scope
from app.web.staff.wording import gettext

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_STREAM = "staff.live.stream"

OWN_KEYS = "api"
"""The blueprint that asks for API keys by itself."""


@dataclass(frozen=True)
class StaffUser(UserMixin):  # type: ignore[misc]
    """A person who logged in, at the location chosen for this session. Plain values, no rows."""

    id: UUID
    name: str
    session_token: UUID
    scopes: tuple[Scope, ...]
    scope: Scope

    def get_id(self) -> str:
        return f"{self.id}:{self.session_token}"

    @property
    def actor(self) -> Actor:
        return Actor(door="desk", name=self.name, id=self.id, is_person=True)


def public(view: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Mark a view that strangers may see."""
    view.is_public = True  # type: ignore[attr-defined]
    return view


def staff() -> StaffUser:
    """Give the person behind this request; only for views that are not public."""
    return current_user._get_current_object()  # type: ignore[no-any-return]


def scope() -> Scope:
    """Tell what the person may see: the session's location; a professional, the own column."""
    return staff().scope


def load_staff(login_id: str) -> StaffUser | None:
    """Find who a session belongs to; nobody once the password changed or the person left."""
    user_id, _, token = login_id.partition(":")
    try:
        wanted = (User.id == UUID(user_id)) & (User.session_token == UUID(token))
    except ValueError:
        return None
    return find_staff(wanted, session.get("location"))


def find_staff(wanted: ColumnElement[bool], location: str | None) -> StaffUser | None:
    """Find a person with every location they work at. One statement.

    They stand at ``location``, or at their first one when that is none of theirs.
    """
    rows = (
        db.session()
        .execute(
            select(User.id, User.name, User.session_token, Membership, Location)
            .join(Membership, Membership.user_id == User.id)
            .join(Location, Location.id == Membership.location_id)
            .where(wanted, User.disabled_at.is_(None))
            .order_by(Location.name, Location.id)
        )
        .all()
    )
    if not rows:
        return None
    scopes = tuple(
        Scope.of(place, membership.resource_id if membership.role == PROFESSIONAL else None)
        for *_, membership, place in rows
    )
    chosen = next((s for s in scopes if str(s.location_id) == location), scopes[0])
    return StaffUser(rows[0].id, rows[0].name, rows[0].session_token, scopes, chosen)


def register(app: Flask) -> None:
    """Guard every endpoint of the app."""
    login.user_loader(load_staff)
    login.session_protection = None  # phones change their address all day
    app.before_request(refuse_strangers)


def is_public(endpoint: str | None) -> bool:
    """Tell whether strangers may call an endpoint; an unknown address is a 404 for anyone."""
    if endpoint is None or endpoint == "static" or endpoint.split(".")[0] == OWN_KEYS:
        return True
    return getattr(current_app.view_functions[endpoint], "is_public", False)


def refuse_strangers() -> ResponseReturnValue | None:
    if is_public(request.endpoint) or current_user.is_authenticated:
        return None
    return ask_to_log_in()


def ask_to_log_in() -> ResponseReturnValue:
    """Send to the login; where something may be typed already, leave the page as it is."""
    is_page = request.method in {"GET", "HEAD"} and request.endpoint != _STREAM
    if is_page and not is_htmx():
        wanted = request.full_path.rstrip("?") if request.path != "/" else None
        return redirect(url_for("staff.access.show", next=wanted), code=303)
    return _keep_page(
        401,
        gettext("La sesión terminó"),
        gettext("Entrá en otra pestaña y volvé: lo que escribiste sigue acá."),
        link=(url_for("staff.access.show"), gettext("Entrar")),
    )


def answer_stale_form(_: CSRFError) -> ResponseReturnValue:
    """Refuse a form with an old token; a page of htmx gets a new one, so that nothing is lost."""
    if not is_public(request.endpoint) and not current_user.is_authenticated:
        return ask_to_log_in()
    if not is_htmx():
        detail = gettext("No se cambió nada. Volvé, recargala y probá de nuevo.")
        return _keep_page(400, gettext("La página quedó vieja"), detail)
    detail = gettext("No se cambió nada. Ya se renovó: probá de nuevo.")
    answer = _keep_page(400, gettext("La página quedó vieja."), detail)
    answer.headers["HX-Trigger"] = json.dumps({"firme:token": {"token": generate_csrf()}})
    return answer


def _keep_page(
    status: int, title: str, detail: str, *, link: tuple[str, str] | None = None
) -> Response:
    context = {"status": status, "title": title, "detail": detail, "link": link, "facts": {}}
    if not is_htmx():
        return Response(render_template("errors/page.html", **context), status)
    answer = Response(render_template("errors/_toast.html", **context), status)
    answer.headers["HX-Retarget"] = "#toasts"
    answer.headers["HX-Reswap"] = "beforeend"
    return answer
