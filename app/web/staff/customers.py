"""Customers: found from anywhere, listed, and each on a page of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from app.booking.customers import (
    AHEAD,
    Counts,
    CustomerRow,
    bookings_of,
    counts_of,
    find_customers,
)
from app.customers.queries import CustomerView, absorbed_by, get_customer, likely_twins
from app.customers.searching import Search, read_search
from app.errors import NotFound
from app.extensions import db
from app.payments.customers import payments_of
from app.web.auth import scope
from app.web.render import is_htmx, render
from app.web.staff.answers import now
from app.web.staff.blocks import Shown
from app.web.staff.customer_words import said_of_money
from app.web.staff.whatsapp import conversation
from app.web.writable import writable

bp = Blueprint("customers", __name__)

PER_PAGE = 50
MOST_SUGGESTED = 8


@dataclass(frozen=True)
class Visit:
    """One booking of a customer, with what is to be said of its deposit."""

    shown: Shown
    money: str


@dataclass(frozen=True)
class CustomerPage:
    """What a customer's page draws. ``typed`` and ``errors`` keep a refused form as it was."""

    customer: CustomerView
    counts: Counts
    coming: tuple[Visit, ...]
    visits: tuple[Visit, ...]
    absorbed: tuple[CustomerView, ...]
    twins: tuple[CustomerView, ...]
    typed: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)
    notice: str | None = None

    @property
    def whatsapp(self) -> str | None:
        return conversation(self.customer.phone) if self.customer.phone else None


@bp.before_request
def only_for_who_sees_everything() -> None:
    """Hide who the customers are from who has only a column of their own."""
    if not scope().has_whole_agenda:
        raise NotFound


@bp.get("/clientes")
def index() -> str:
    """List the customers, or those who match what was typed, fifty at a time."""
    search, after = _asked(), _cursor()
    rows = _find(search, limit=PER_PAGE + 1, after=after)
    last = rows[PER_PAGE - 1] if len(rows) > PER_PAGE else None
    return render(
        "staff/customers/index.html",
        "customers",
        search=search,
        rows=rows[:PER_PAGE],
        is_first=after is None,
        following=last.id if last else None,
        **surroundings(),
    )


@bp.get("/clientes/buscar")
def suggest() -> ResponseReturnValue:
    """Suggest customers below the search field; without htmx it is the list."""
    search = _asked()
    if not is_htmx():
        return redirect(url_for("staff.customers.index", q=search.typed), code=303)
    rows = [] if search.is_empty else _find(search, limit=MOST_SUGGESTED, best_first=True)
    return render_template(
        "staff/customers/_found.html", search=search, rows=rows, **surroundings()
    )


@bp.get("/clientes/<uuid:customer_id>")
def show(customer_id: UUID) -> ResponseReturnValue:
    customer = get_customer(db.session(), scope().location_id, customer_id)
    if customer.merged_into is not None:
        return redirect(address_of(customer.merged_into), code=303)
    return draw(customer)


def address_of(customer_id: UUID) -> str:
    return url_for("staff.customers.show", customer_id=customer_id)


def draw(
    customer: CustomerView,
    *,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    notice: str | None = None,
) -> str:
    """Render a customer's page, or for htmx what is on it."""
    session, key = db.session(), (customer.location_id, customer.id)
    bookings = bookings_of(session, *key)
    paid = payments_of(session, customer.location_id, [booking.id for booking in bookings])
    visits = [
        Visit(Shown.at(booking, now(), scope().margin), said_of_money(paid.get(booking.id, [])))
        for booking in bookings
    ]
    coming = [each for each in reversed(visits) if _is_ahead(each.shown)]
    known = {"name": customer.name, "email": customer.email or "", "notes": customer.notes}
    seen = CustomerPage(
        customer=customer,
        counts=counts_of(session, *key),
        coming=tuple(coming),
        visits=tuple(each for each in visits if each not in coming),
        absorbed=tuple(absorbed_by(session, *key)),
        twins=tuple(likely_twins(session, customer)),
        typed=known | dict(typed or {}),
        errors=errors or {},
        notice=notice,
    )
    return render("staff/customers/show.html", "customer", seen=seen, **surroundings())


def surroundings() -> dict[str, object]:
    """Give what every part of these pages is drawn with."""
    mine = scope()
    return {"zone": mine.zone, "country": mine.country, "today": mine.today(now())}


def _is_ahead(shown: Shown) -> bool:
    return shown.status in AHEAD and shown.booking.ends_at > shown.now


def _asked() -> Search:
    return read_search(writable(request.args.get("q", "")), scope().country)


def _find(
    search: Search,
    *,
    limit: int,
    after: UUID | None = None,
    best_first: bool = False,
) -> list[CustomerRow]:
    if search.typed and search.is_empty:
        return []
    return find_customers(
        db.session(),
        scope().location_id,
        search,
        limit=limit,
        after=after,
        best_first=best_first,
    )


def _cursor() -> UUID | None:
    """Read who was the last of the page before; anything odd begins at the beginning."""
    try:
        return UUID(request.args.get("desde", ""))
    except ValueError:
        return None
