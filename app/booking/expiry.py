"""Holds whose time is over: freed on the way of a new hold, and in batches by the worker.

A lapsed hold is free by the database's clock from that second on; these functions only write
down what is true already.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.moves import EVENT_OF, FREED, RECORDED, recorded_by
from app.booking.occupancy import NEAR
from app.booking.states import Move
from app.events import WORKER
from app.intervals import Span

BATCH = 200
"""Few enough that their locks last milliseconds, many enough to drain a burst quickly."""

_LAPSED = "b.status IN ('held', 'pending_payment') AND b.expires_at <= clock_now()"

_EXPIRE = f"""
    told AS (
        UPDATE booking b SET status = 'expired', expires_at = NULL, version = b.version + 1,
            updated_at = clock_now()
        FROM lapsed WHERE b.location_id = lapsed.location_id AND b.id = lapsed.id
        RETURNING b.location_id, b.id, jsonb_build_object(
            'status', 'expired', 'starts_at', b.starts_at, 'ends_at', b.ends_at,
            'resource_ids', (SELECT jsonb_agg(a.resource_id) FROM allocation a
                WHERE a.location_id = b.location_id AND a.booking_id = b.id)) AS payload
    ), {FREED}, {RECORDED}
"""

_EXPIRE_BATCH = text(f"""
    WITH lapsed AS MATERIALIZED (
        SELECT b.location_id, b.id FROM booking b
        WHERE b.status = 'held' AND b.expires_at <= clock_now()
        ORDER BY b.expires_at LIMIT :batch
        FOR UPDATE SKIP LOCKED
    ), {_EXPIRE}
    SELECT count(*) FROM told
""")

_IN_THE_WAY = f"""
    SELECT b.location_id, b.id FROM booking b
    WHERE (b.location_id, b.id) IN (
        SELECT near.location_id, near.booking_id FROM ({NEAR}) near)
        AND {_LAPSED}
"""

_IS_IN_THE_WAY = text(f"SELECT EXISTS ({_IN_THE_WAY})")

_EXPIRE_IN_THE_WAY = text(f"""
    WITH lapsed AS MATERIALIZED (
        {_IN_THE_WAY}
        ORDER BY b.id
        FOR UPDATE
    ), {_EXPIRE}
    SELECT count(*) FROM told
""")

_AS_WORKER = {"event": EVENT_OF[Move.EXPIRE].value, **recorded_by(WORKER)}


def is_lapsed_in_the_way(
    session: Session, location_id: UUID, resource_ids: Iterable[UUID], *, during: Span
) -> bool:
    """Tell whether lapsed holds still occupy some of the resources in [during)."""
    where = _where(location_id, resource_ids, during)
    return bool(session.execute(_IS_IN_THE_WAY, where).scalar_one())


def expire_lapsed_in_the_way(
    session: Session, location_id: UUID, resource_ids: Iterable[UUID], *, during: Span
) -> int:
    """Expire the lapsed holds that still occupy the resources in [during); tell how many.

    Waits for whoever has one of them at this moment: a confirm may win, but one that comes too
    late only looks. So it is a transaction of its own, which holds nothing that others wait for.
    """
    where = _where(location_id, resource_ids, during)
    expired: int = session.execute(_EXPIRE_IN_THE_WAY, {**where, **_AS_WORKER}).scalar_one()
    return expired


def _where(location_id: UUID, resource_ids: Iterable[UUID], during: Span) -> dict[str, Any]:
    return {
        "location_id": location_id,
        "resource_ids": list(resource_ids),
        "since": during[0],
        "until": during[1],
    }


def expire_due(session: Session, *, batch: int = BATCH) -> int:
    """Expire up to ``batch`` lapsed holds of any location; tell how many. One statement.

    Several workers may run it at once: each hold expires once, with one event. Who waits for a
    payment is asked about first: see ``app/cashier/watching.py``.
    """
    expired: int = session.execute(_EXPIRE_BATCH, {"batch": batch, **_AS_WORKER}).scalar_one()
    return expired
