"""What the desk's forms say: whom a booking is for, and where and when it should be."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.booking.views import Contact
from app.customers.models import LONGEST_EMAIL, LONGEST_NAME
from app.customers.phones import parse_phone
from app.errors import InvalidFields
from app.web.forms import Fields
from app.web.staff.scope import Scope
from app.web.writable import is_address, writable

LONGEST_NOTES = 2000
LONGEST_REASON = 300
MOST_UNITS = 100
MOST_RESOURCES = 10

CONTACT_FIELDS = ("name", "phone", "email", "notes")
PLACE_FIELDS = ("service", "resources", "starts_at", "day", "time", "units", "reason")


@dataclass(frozen=True)
class Told:
    """What a form says of the customer."""

    contact: Contact
    notes: str


@dataclass(frozen=True)
class PlaceForm:
    """Where and when a booking is wanted; ``reason`` is given to book outside the hours."""

    starts_at: datetime
    resource_ids: tuple[UUID, ...]
    reason: str | None


def typed(form: Mapping[str, str], *names: str) -> dict[str, str]:
    """Keep what was typed, to show it again; as short as the longest field may be."""
    return {name: writable(form[name])[: LONGEST_NOTES + 1] for name in names if name in form}


def read_contact(fields: Fields, form: Mapping[str, str], scope: Scope) -> Told:
    """Read the customer's fields; what is wrong is noted in ``fields``."""
    name = fields.text("name", most=LONGEST_NAME)
    email = fields.text("email", most=LONGEST_EMAIL)
    notes = fields.text("notes", most=LONGEST_NOTES)
    phone: str | None = None
    if form.get("phone", "").strip():
        try:
            phone = parse_phone(form["phone"].strip(), scope.country)
        except InvalidFields:
            fields.errors.append(("phone", "invalid_phone"))
    if email and not is_address(email):
        fields.errors.append(("email", "invalid_email"))
    contact = Contact(name=name or None, phone=phone or None, email=email or None)
    return Told(contact, notes)


def read_place(fields: Fields, form: Mapping[str, str], scope: Scope) -> PlaceForm:
    """Read a place: an instant that a page of ours wrote, or a date and a time that was typed.

    Raises:
        InvalidFields: naming every wrong field of the form, read before or here.
    """
    starts_at = fields.instant("starts_at") or fields.local("day", "time", scope.zone)
    resource_ids = _resource_ids(fields, form.get("resources", ""))
    reason = fields.text("reason", most=LONGEST_REASON)
    if form.get("insist") and not reason:
        fields.errors.append(("reason", "required"))
    if scope.resource_id is not None and scope.resource_id not in resource_ids:
        resource_ids = (scope.resource_id, *resource_ids)
    fields.check()
    if starts_at is not None and (starts_at.second or starts_at.microsecond):
        raise InvalidFields(("time", "invalid"))
    if starts_at is None:
        raise InvalidFields(("time", "required"))
    return PlaceForm(starts_at, resource_ids, reason if form.get("insist") else None)


def _resource_ids(fields: Fields, value: str) -> tuple[UUID, ...]:
    try:
        found = tuple(UUID(each) for each in value.split(",") if each)
    except ValueError:
        fields.errors.append(("resources", "invalid"))
        return ()
    if len(found) > MOST_RESOURCES:
        fields.errors.append(("resources", "invalid"))
        return ()
    return found
