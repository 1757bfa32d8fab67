"""Whom a quick hold is for, when the page that led to it knows."""

from collections.abc import Mapping
from uuid import UUID

from app.booking.views import Contact
from app.customers.models import LONGEST_NAME
from app.customers.phones import LONGEST_PHONE
from app.customers.queries import get_customer
from app.errors import NotFound
from app.extensions import db
from app.web.auth import scope
from app.web.staff.panel import contact_fields
from app.web.writable import writable


def who_comes(asked: Mapping[str, str]) -> dict[str, str]:
    """Fill in a known customer, or a phone or a name that nobody was found by."""
    known = _known(asked.get("cliente", ""))
    if known is not None:
        return contact_fields(known, scope().country)
    return {
        "phone": writable(asked.get("telefono", ""))[:LONGEST_PHONE],
        "name": writable(asked.get("nombre", ""))[:LONGEST_NAME],
    }


def _known(customer_id: str) -> Contact | None:
    if not scope().has_whole_agenda:
        return None
    try:
        found = get_customer(db.session(), scope().location_id, UUID(customer_id))
    except (ValueError, NotFound):
        return None
    return Contact(found.name or None, found.phone, found.email, found.id)
