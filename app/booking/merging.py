"""Two records of one person become one."""

from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.customers.actions import MERGED, note
from app.customers.errors import CustomerMerged
from app.customers.queries import CustomerView, lock_customers
from app.errors import InvalidFields, NotFound
from app.events import Actor

_LOCK_BOOKINGS = text("""
    SELECT count(*) FROM (
        SELECT id FROM booking
        WHERE location_id = :location_id AND customer_id = :other_id ORDER BY id FOR UPDATE
    ) locked
""")

_MOVE_BOOKINGS = text("""
    WITH moved AS (
        UPDATE booking SET customer_id = :kept_id
        WHERE location_id = :location_id AND customer_id = :other_id
        RETURNING 1
    ) SELECT count(*) FROM moved
""")

_POINT = text("""
    UPDATE customer
    SET merged_into = :kept_id, merged_at = coalesce(merged_at, clock_now()), version = version + 1
    WHERE location_id = :location_id AND (id = :other_id OR merged_into = :other_id)
""")

_COMPLETE = text("""
    UPDATE customer kept
    SET version = kept.version + 1,
        name = coalesce(nullif(kept.name, ''), other.name),
        email = coalesce(kept.email, other.email),
        language = coalesce(kept.language, other.language),
        notes = concat_ws(E'\\n', nullif(kept.notes, ''),
            CASE WHEN other.notes <> kept.notes THEN nullif(other.notes, '') END),
        blocked_at = coalesce(kept.blocked_at, other.blocked_at),
        blocked_by = coalesce(kept.blocked_by, other.blocked_by),
        blocked_reason = coalesce(kept.blocked_reason, other.blocked_reason)
    FROM customer other
    WHERE kept.location_id = :location_id AND kept.id = :kept_id
        AND other.location_id = :location_id AND other.id = :other_id
""")


def merge_customers(
    session: Session, location_id: UUID, kept_id: UUID, other_id: UUID, *, actor: Actor
) -> UUID:
    """Make two records one; give the id of the one that stands.

    The bookings of the other move to the kept one, which gets what it lacked, all notes, and a
    block if either has one. The other stays as a pointer. What is one already, whichever way
    round, stays as it is. Locks go booking first, then customers, as everywhere.

    Raises:
        NotFound: the location has not both.
        CustomerMerged: one of them is part of a third by now.
        InvalidFields: they are one and the same.
    """
    if kept_id == other_id:
        raise InvalidFields(("other", "invalid"))
    ids = {"location_id": location_id, "kept_id": kept_id, "other_id": other_id}
    session.execute(_LOCK_BOOKINGS, ids)
    found = lock_customers(session, location_id, kept_id, other_id)
    if len(found) < 2:
        raise NotFound
    kept, other = found[kept_id], found[other_id]
    one = _standing(kept, other)
    if one is not None:
        return one
    moved = session.scalar(_MOVE_BOOKINGS, ids)
    session.execute(_POINT, ids)
    session.execute(_COMPLETE, ids)
    told = {"name": other.name, "phone": other.phone, "bookings": moved}
    note(session, location_id, kept_id, MERGED, {"from": str(other_id), **told}, actor=actor)
    note(session, location_id, other_id, MERGED, {"into": str(kept_id), **told}, actor=actor)
    return kept_id


def _standing(kept: CustomerView, other: CustomerView) -> UUID | None:
    """Tell which of two stands when they are one already; None when both stand."""
    pointers = {kept.merged_into, other.merged_into} - {None}
    if not pointers:
        return None
    if other.merged_into == kept.id or kept.merged_into == other.id:
        return kept.id if other.merged_into == kept.id else other.id
    if kept.merged_into == other.merged_into:
        return kept.merged_into
    raise CustomerMerged(facts={"customer_id": str(kept.merged_into or other.merged_into)})
