"""What stands around every page of the desk: whose it is, where, and what waits for review."""

from collections.abc import Sequence
from dataclasses import dataclass

from flask import g, request

from app.booking.queries import to_review
from app.booking.views import BookingView
from app.extensions import db
from app.web.auth import scope, staff
from app.web.staff.dues import waiting_payments
from app.web.staff.scope import Scope

_SECTIONS = {
    "review": "review",
    "payments": "review",
    "customers": "customers",
    "customer_changes": "customers",
}
"""Which part of the desk a page belongs to, by its blueprint; else it is the calendar."""


@dataclass(frozen=True)
class Shell:
    scope: Scope
    user_name: str
    section: str
    reviews: "Reviews"
    locations: tuple[Scope, ...]


@dataclass(frozen=True)
class Reviews:
    """How much waits for a person: absences, and payments."""

    absences: int
    payments: int

    @property
    def total(self) -> int:
        return self.absences + self.payments


def open_reviews() -> Sequence[BookingView]:
    """List the absences to decide on that this reader may see; read once per request."""
    if "open_reviews" not in g:
        mine = scope()
        found = to_review(db.session(), mine.location_id)
        g.open_reviews = [booking for booking in found if mine.covers_booking(booking)]
    return g.open_reviews  # type: ignore[no-any-return]


def reviews() -> Reviews:
    """Count what waits for this reader."""
    return Reviews(absences=len(open_reviews()), payments=waiting_payments())


def staff_shell() -> Shell:
    """Collect the bars of a full page; fragments do without."""
    person = staff()
    section = (request.endpoint or "").split(".")[1:2]
    return Shell(
        scope=person.scope,
        user_name=person.name,
        section=_SECTIONS.get("".join(section), "calendar"),
        reviews=reviews(),
        locations=person.scopes if len(person.scopes) > 1 else (),
    )
