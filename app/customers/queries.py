from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from app.customers.phones import ninth_digit_twin
from app.customers.searching import plain
from app.errors import NotFound

MOST_TWINS = 5

_COLUMNS = """
    c.location_id, c.id, c.name, c.phone, c.email, c.notes, c.version, c.created_at, c.blocked_at,
    c.blocked_by, c.blocked_reason, c.merged_into
"""

_ONE = text(f"SELECT {_COLUMNS} FROM customer c WHERE c.location_id = :location_id AND c.id = :id")

_LOCKED = text(f"""
    SELECT {_COLUMNS} FROM customer c
    WHERE c.location_id = :location_id AND c.id = ANY(:ids) ORDER BY c.id FOR UPDATE
""")

_ABSORBED = text(f"""
    SELECT {_COLUMNS} FROM customer c
    WHERE c.location_id = :location_id AND c.merged_into = :id
    ORDER BY c.merged_at, c.id
""")

_TWINS = text(f"""
    SELECT {_COLUMNS} FROM customer c
    WHERE c.location_id = :location_id AND c.id <> :id AND c.merged_into IS NULL
        AND (c.phone = :twin
            OR (c.words LIKE :begins AND customer_words(c.name, NULL) = :same_name))
    ORDER BY c.phone = :twin DESC NULLS LAST, c.words, c.id
    LIMIT {MOST_TWINS}
""")


@dataclass(frozen=True)
class CustomerView:
    """A customer's record. Who is blocked may still be booked at the desk."""

    location_id: UUID
    id: UUID
    name: str
    phone: str | None
    email: str | None
    notes: str
    version: int
    created_at: datetime
    blocked_at: datetime | None
    blocked_by: str | None
    blocked_reason: str | None
    merged_into: UUID | None

    @property
    def is_blocked(self) -> bool:
        return self.blocked_at is not None


def view_of(row: Row[Any]) -> CustomerView:
    """Read a row of the view's columns."""
    return CustomerView(**row._mapping)


def get_customer(session: Session, location_id: UUID, customer_id: UUID) -> CustomerView:
    """Read a customer; one that was merged says into which.

    Raises:
        NotFound: the location has none with this id.
    """
    row = session.execute(_ONE, {"location_id": location_id, "id": customer_id}).first()
    if row is None:
        raise NotFound
    return view_of(row)


def lock_customers(session: Session, location_id: UUID, *ids: UUID) -> dict[UUID, CustomerView]:
    """Lock customers until the transaction ends, in the order of their ids."""
    rows = session.execute(_LOCKED, {"location_id": location_id, "ids": sorted(ids)})
    return {row.id: view_of(row) for row in rows}


def absorbed_by(session: Session, location_id: UUID, customer_id: UUID) -> list[CustomerView]:
    """List the records that were merged into a customer, oldest first."""
    rows = session.execute(_ABSORBED, {"location_id": location_id, "id": customer_id})
    return [view_of(row) for row in rows]


def likely_twins(session: Session, customer: CustomerView) -> list[CustomerView]:
    """List who is probably the same person: the phone but for its ninth digit, or the name."""
    name = plain(customer.name)
    if not name and ninth_digit_twin(customer.phone) is None:
        return []
    rows = session.execute(
        _TWINS,
        {
            "location_id": customer.location_id,
            "id": customer.id,
            "twin": ninth_digit_twin(customer.phone),
            "begins": f" {name} %" if name else "",
            "same_name": f" {name} ",
        },
    )
    return [view_of(row) for row in rows]
