"""What can be done with a customer: written about, blocked, made one with a twin."""

from collections.abc import Callable, Mapping
from typing import TypedDict
from uuid import UUID

from flask import Blueprint, flash, redirect, request
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from app.booking.merging import merge_customers
from app.customers import actions
from app.customers.errors import CustomerMerged, StaleCustomer
from app.customers.models import LONGEST_EMAIL, LONGEST_NAME
from app.customers.queries import get_customer
from app.errors import Conflict, InvalidFields
from app.events import Actor
from app.extensions import db, transact
from app.web.auth import scope, staff
from app.web.forms import Fields
from app.web.messages import sentence
from app.web.render import is_htmx
from app.web.staff.answers import go, with_news
from app.web.staff.customers import address_of, draw, only_for_who_sees_everything
from app.web.staff.reading import LONGEST_REASON, typed
from app.web.staff.sentences import field_errors
from app.web.staff.wording import gettext
from app.web.writable import is_address

bp = Blueprint("customer_changes", __name__)
bp.before_request(only_for_who_sees_everything)

LONGEST_CUSTOMER_NOTES = 4000
"""Longer than a booking's: two records that become one keep the notes of both."""


@bp.post("/clientes/<uuid:customer_id>")
def edit(customer_id: UUID) -> ResponseReturnValue:
    def work(session: Session) -> None:
        told = _read(request.form)
        actions.edit(session, scope().location_id, customer_id, told, **_signed())

    return _change(customer_id, work, gettext("Ficha guardada."), "name", "email", "notes")


@bp.post("/clientes/<uuid:customer_id>/bloquear")
def block(customer_id: UUID) -> ResponseReturnValue:
    def work(session: Session) -> None:
        fields = Fields(request.form)
        reason = fields.text("reason", most=LONGEST_REASON, required=True)
        fields.check()
        actions.block(session, scope().location_id, customer_id, reason=reason, **_signed())

    return _change(customer_id, work, gettext("Sin reservas en línea."), "reason")


@bp.post("/clientes/<uuid:customer_id>/desbloquear")
def unblock(customer_id: UUID) -> ResponseReturnValue:
    def work(session: Session) -> None:
        actions.unblock(session, scope().location_id, customer_id, **_signed())

    return _change(customer_id, work, gettext("Puede reservar en línea otra vez."))


@bp.post("/clientes/<uuid:customer_id>/unir")
def merge(customer_id: UUID) -> ResponseReturnValue:
    """Make another record part of this one; twice is once."""

    def work(session: Session) -> UUID:
        other_id = Fields(request.form).uuid("other")
        if other_id is None:
            raise InvalidFields(("other", "required"))
        location_id, actor = scope().location_id, staff().actor
        return merge_customers(session, location_id, customer_id, other_id, actor=actor)

    try:
        stands = transact(work)
    except (CustomerMerged, InvalidFields) as refusal:
        return _refuse(customer_id, refusal, {})
    return go(address_of(stands), gettext("Las dos fichas son una."))


class Signed(TypedDict):
    """Who changes a record, and which version of it they saw."""

    actor: Actor
    version: int | None


def _signed() -> Signed:
    return {"actor": staff().actor, "version": Fields(request.form).version()}


def _read(form: Mapping[str, str]) -> actions.Told:
    fields = Fields(form)
    name = fields.text("name", most=LONGEST_NAME)
    email = fields.text("email", most=LONGEST_EMAIL)
    notes = fields.text("notes", most=LONGEST_CUSTOMER_NOTES)
    if email and not is_address(email):
        fields.errors.append(("email", "invalid_email"))
    fields.check()
    return actions.Told(name, email or None, notes.replace("\r\n", "\n"))


def _change(
    customer_id: UUID, work: Callable[[Session], None], said: str, *names: str
) -> ResponseReturnValue:
    try:
        transact(work)
    except (StaleCustomer, CustomerMerged, InvalidFields) as refusal:
        return _refuse(customer_id, refusal, typed(request.form, *names))
    if not is_htmx():
        flash(said)
        return redirect(address_of(customer_id), code=303)
    return with_news(draw(get_customer(db.session(), scope().location_id, customer_id)), said)


def _refuse(
    customer_id: UUID, refusal: Conflict | InvalidFields, kept: Mapping[str, str]
) -> ResponseReturnValue:
    """Show the page as things are now, with what was typed; one that is no more leads on."""
    customer = get_customer(db.session(), scope().location_id, customer_id)
    if customer.merged_into is not None:
        return go(address_of(customer.merged_into), sentence(CustomerMerged.code))
    if isinstance(refusal, InvalidFields):
        errors = field_errors(refusal)
        notice = (
            None
            if errors.keys() <= {"name", "email", "notes", "reason"}
            else sentence(refusal.code)
        )
        return draw(customer, typed=kept, errors=errors, notice=notice), 422
    return draw(customer, typed=kept, notice=sentence(refusal.code)), 409
