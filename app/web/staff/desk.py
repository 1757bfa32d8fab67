"""The staff's part of the site: its pages and its template words."""

import hashlib
from functools import cache
from pathlib import Path
from uuid import uuid4

from flask import Blueprint, Flask, current_app, url_for
from flask_wtf.csrf import CSRFError

from app.customers.phones import format_phone
from app.money import format_money
from app.web.auth import answer_stale_form, scope
from app.web.staff import (
    access,
    bookings,
    calendar,
    confirming,
    customer_changes,
    customers,
    holds,
    live,
    moving,
    payments,
    review,
    wording,
)
from app.web.staff.shell import reviews, staff_shell

bp = Blueprint("staff", __name__)
bp.register_error_handler(CSRFError, answer_stale_form)
for part in (access, calendar, holds, bookings, confirming, moving, review, payments, live):
    bp.register_blueprint(part.bp)
for part in (customers, customer_changes):
    bp.register_blueprint(part.bp)


def register(app: Flask) -> None:
    """Add the desk to the app."""
    words = app.jinja_env
    words.filters.update(
        clock=wording.clock_time,
        until=wording.time_range,
        long_day=wording.long_day,
        short_day=wording.short_day,
        weekday=wording.weekday_name,
        day_and_month=wording.day_and_month,
        month_short=wording.month_short,
        near=wording.near_day,
        countdown=wording.countdown,
        day_of=wording.day_of,
        money=lambda cents, currency: format_money(cents, currency, language=wording.language()),
        phone=format_phone,
    )
    words.globals.update(
        asset=asset,
        language=wording.language,
        new_key=lambda: str(uuid4()),
        reviews=reviews,
        sees_payments=lambda: scope().has_whole_agenda,
        staff_shell=staff_shell,
    )
    words.globals["ui"] = words.get_template("components/ui.html").module
    app.register_blueprint(bp)


def asset(name: str) -> str:
    """Give the address of a static file; it changes with the file, so it may be kept long."""
    return url_for("static", filename=name, v=_digest(current_app.static_folder or "", name))


@cache
def _digest(folder: str, name: str) -> str:
    return hashlib.sha256(Path(folder, name).read_bytes()).hexdigest()[:10]
