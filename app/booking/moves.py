"""The one place that writes a booking's status, and with it whether it occupies its resources."""

from dataclasses import fields, replace
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import TextClause, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.booking.states import OCCUPYING, TEMPORARY, Move, after
from app.booking.views import BookingView
from app.events import Actor, Event

EVENT_OF: dict[Move, Event] = {
    Move.CONFIRM: Event.CONFIRMED,
    Move.ASK_DEPOSIT: Event.PENDING_PAYMENT,
    Move.EXTEND: Event.EXTENDED,
    Move.PAY: Event.CONFIRMED,
    Move.WAIVE: Event.CONFIRMED,
    Move.EXPIRE: Event.EXPIRED,
    Move.CANCEL: Event.CANCELLED,
    Move.CHECK_IN: Event.CHECKED_IN,
    Move.COMPLETE: Event.COMPLETED,
    Move.MARK_NO_SHOW: Event.NO_SHOW,
    Move.UNDO: Event.UNDONE,
}

FREED = """
    pools AS MATERIALIZED (
        SELECT r.location_id, r.id FROM resource r
        WHERE (r.location_id, r.id) IN (
            SELECT a.location_id, a.resource_id
            FROM told m JOIN allocation a ON a.location_id = m.location_id AND a.booking_id = m.id
            WHERE a.active AND a.kind = 'pooled')
        ORDER BY r.location_id, r.id
        FOR NO KEY UPDATE
    ), freed AS (
        UPDATE allocation a SET active = false FROM told m
        WHERE a.location_id = m.location_id AND a.booking_id = m.id AND a.active
            AND (SELECT count(*) FROM pools) >= 0
        RETURNING a.location_id, a.resource_id, a.kind, a.units, a.during
    ), lowered AS (
        UPDATE pool_usage p SET used = p.used - gone.units
        FROM (
            SELECT f.location_id, f.resource_id, bucket, sum(f.units) AS units
            FROM freed f
            CROSS JOIN generate_series(
                date_bin('5 minutes', lower(f.during), 'epoch'),
                upper(f.during) - interval '1 microsecond', interval '5 minutes') AS bucket
            WHERE f.kind = 'pooled'
            GROUP BY 1, 2, 3
        ) gone
        WHERE p.location_id = gone.location_id AND p.resource_id = gone.resource_id
            AND p.bucket_start = gone.bucket
    )
"""
"""Give back what the bookings of ``told`` take. The pools are locked first (the count makes it so),
then the allocations: whoever takes has the pools already when it waits for an allocation."""

RECORDED = """
    event AS (
        INSERT INTO outbox (location_id, booking_id, kind, payload)
        SELECT m.location_id, m.id, :event, m.payload FROM told m
    ), trail AS (
        INSERT INTO audit (location_id, door, actor, actor_id, action, subject_id, detail)
        SELECT m.location_id, :door, :actor, :actor_id, :event, m.id, m.payload FROM told m
    )
"""
"""Write one event and one line of the audit trail for each row of ``told``."""


@cache
def _statement(columns: tuple[str, ...], *, frees: bool) -> TextClause:
    """Build the one statement of a move; ``columns`` are names of ours, never of a caller."""
    changed = "".join(f", {column} = :new_{column}" for column in columns)
    freed = f", {FREED}" if frees else ""
    return text(f"""
        WITH told AS (
            UPDATE booking SET status = :status, version = version + 1,
                updated_at = clock_now(){changed}
            WHERE location_id = :location_id AND id = :id
            RETURNING location_id, id, version, updated_at, expires_at,
                cast(:payload AS jsonb) AS payload
        ){freed}, {RECORDED}
        SELECT version, updated_at FROM told
    """).bindparams(bindparam("payload", type_=JSONB))


def facts(booking: BookingView, **more: Any) -> dict[str, Any]:
    """Collect what an event says about a booking; readers come back for the rest."""
    return {
        "status": booking.status.value,
        "starts_at": booking.starts_at.isoformat(),
        "ends_at": booking.ends_at.isoformat(),
        "resource_ids": [str(resource.id) for resource in booking.resources],
        **{name: value for name, value in more.items() if value is not None},
    }


def move(
    session: Session,
    booking: BookingView,
    step: Move,
    *,
    actor: Actor,
    changes: dict[str, Any] | None = None,
    told: dict[str, Any] | None = None,
) -> BookingView:
    """Move a booking that the caller locked; free its resources when it stops occupying.

    ``changes`` are further columns to write, ``told`` further facts for the event. Taking
    resources again, for a move back into an occupying state, is the caller's work before this.
    One statement.

    Raises:
        NotAllowedNow: the state table has no such move.
    """
    status = after(booking.status, step)
    changes = dict(changes or {})
    if status not in TEMPORARY:
        changes["expires_at"] = None
    frees = booking.status in OCCUPYING and status not in OCCUPYING
    moved = replace(booking, status=status)
    return write(
        session, moved, EVENT_OF[step], actor=actor, changes=changes, told=told, frees=frees
    )


def write(
    session: Session,
    booking: BookingView,
    event: Event,
    *,
    actor: Actor,
    changes: dict[str, Any],
    told: dict[str, Any] | None = None,
    frees: bool = False,
) -> BookingView:
    """Write changed columns of a locked booking with their event and audit line."""
    row = session.execute(
        _statement(tuple(sorted(changes)), frees=frees),
        {
            "location_id": booking.location_id,
            "id": booking.id,
            "status": booking.status.value,
            "event": event.value,
            "payload": facts(booking, **(told or {})),
            **recorded_by(actor),
            **{f"new_{column}": value for column, value in changes.items()},
        },
    ).one()
    shown = {name: value for name, value in changes.items() if name in _SHOWN}
    return replace(booking, version=row.version, updated_at=row.updated_at, **shown)


_SHOWN = frozenset(field.name for field in fields(BookingView))


def recorded_by(actor: Actor) -> dict[str, str | UUID | None]:
    """Give the audit trail's parameters of an actor."""
    return {"door": actor.door, "actor": actor.name, "actor_id": actor.id}
