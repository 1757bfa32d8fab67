from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.customers.errors import CustomerMerged, StaleCustomer
from app.customers.queries import CustomerView, lock_customers
from app.errors import NotFound
from app.events import Actor
from app.ids import new_id

EDITED = "customer.edited"
BLOCKED = "customer.blocked"
UNBLOCKED = "customer.unblocked"
MERGED = "customer.merged"
"""What the audit trail calls each change; nobody else is told, so they are no events."""

_FIND_OR_ADD = text("""
    INSERT INTO customer AS known (location_id, id, name, phone, email)
    VALUES (:location_id, :id, :name, :phone, :email)
    ON CONFLICT (location_id, phone) DO UPDATE
        SET name = CASE WHEN known.name = '' THEN excluded.name ELSE known.name END,
            email = coalesce(known.email, excluded.email),
            version = known.version + CASE
                WHEN known.name = '' AND excluded.name <> '' THEN 1
                WHEN known.email IS NULL AND excluded.email IS NOT NULL THEN 1
                ELSE 0 END
    RETURNING coalesce(known.merged_into, known.id)
""")

_BLOCK = text("""
    UPDATE customer SET version = version + 1, blocked_at = clock_now(), blocked_by = :by,
        blocked_reason = :reason
    WHERE location_id = :location_id AND id = :id
""")

_NOTE = text("""
    INSERT INTO audit (location_id, door, actor, actor_id, action, subject_id, detail)
    VALUES (:location_id, :door, :actor, :actor_id, :action, :id, :detail)
""").bindparams(bindparam("detail", type_=JSONB))


def find_or_add(
    session: Session, location_id: UUID, *, phone: str, name: str | None, email: str | None
) -> UUID:
    """Give the customer with this phone (E.164), making the record at the first visit.

    What is known is never overwritten by what a caller types; only gaps are filled. A phone of a
    record that was merged into another belongs to the other.
    """
    customer_id: UUID = session.execute(
        _FIND_OR_ADD,
        {
            "location_id": location_id,
            "id": new_id(),
            "phone": phone,
            "name": name or "",
            "email": email,
        },
    ).scalar_one()
    return customer_id


@dataclass(frozen=True)
class Told:
    """What a person at the desk writes about a customer."""

    name: str
    email: str | None
    notes: str


def edit(
    session: Session,
    location_id: UUID,
    customer_id: UUID,
    told: Told,
    *,
    actor: Actor,
    version: int | None = None,
) -> None:
    """Write name, e-mail and notes of a customer, with what they were before.

    Raises:
        NotFound: the location has none with this id.
        CustomerMerged: it is part of another one by now.
        StaleCustomer: somebody changed it since ``version`` was drawn.
    """
    before = _lock(session, location_id, customer_id, version)
    old = {"name": before.name, "email": before.email, "notes": before.notes}
    changed = {name: value for name, value in vars(told).items() if value != old[name]}
    if not changed:
        return
    _write(session, before, **changed)
    detail = {name: {"before": old[name], "after": value} for name, value in changed.items()}
    note(session, location_id, customer_id, EDITED, detail, actor=actor)


def block(
    session: Session,
    location_id: UUID,
    customer_id: UUID,
    *,
    reason: str,
    actor: Actor,
    version: int | None = None,
) -> None:
    """Mark a customer as not to book by themselves on the public page; no rule changes here.

    Blocking who is blocked changes nothing.

    Raises:
        NotFound, CustomerMerged, StaleCustomer: as for ``edit``.
    """
    before = _lock(session, location_id, customer_id, version)
    if before.is_blocked:
        return
    session.execute(
        _BLOCK,
        {"location_id": location_id, "id": customer_id, "reason": reason, "by": actor.name},
    )
    note(session, location_id, customer_id, BLOCKED, {"reason": reason}, actor=actor)


def unblock(
    session: Session,
    location_id: UUID,
    customer_id: UUID,
    *,
    actor: Actor,
    version: int | None = None,
) -> None:
    """Take the mark away; who has none stays as they are.

    Raises:
        NotFound, CustomerMerged, StaleCustomer: as for ``edit``.
    """
    before = _lock(session, location_id, customer_id, version)
    if not before.is_blocked:
        return
    _write(session, before, blocked_at=None, blocked_by=None, blocked_reason=None)
    detail = {"reason": before.blocked_reason, "by": before.blocked_by}
    note(session, location_id, customer_id, UNBLOCKED, detail, actor=actor)


def note(
    session: Session,
    location_id: UUID,
    customer_id: UUID,
    action: str,
    detail: dict[str, Any],
    *,
    actor: Actor,
) -> None:
    """Write a line of the audit trail about a customer."""
    session.execute(
        _NOTE,
        {
            "location_id": location_id,
            "id": customer_id,
            "action": action,
            "detail": detail,
            "door": actor.door,
            "actor": actor.name,
            "actor_id": actor.id,
        },
    )


def _lock(
    session: Session, location_id: UUID, customer_id: UUID, version: int | None
) -> CustomerView:
    found = lock_customers(session, location_id, customer_id).get(customer_id)
    if found is None:
        raise NotFound
    if found.merged_into is not None:
        raise CustomerMerged(facts={"customer_id": str(found.merged_into)})
    if version is not None and version != found.version:
        raise StaleCustomer
    return found


def _write(session: Session, customer: CustomerView, **changes: Any) -> None:
    """Write columns of a locked customer; their names are ours, never a caller's."""
    columns = "".join(f", {name} = :{name}" for name in sorted(changes))
    session.execute(
        text(
            f"UPDATE customer SET version = version + 1{columns}"
            " WHERE location_id = :location_id AND id = :id"
        ),
        {"location_id": customer.location_id, "id": customer.id, **changes},
    )
