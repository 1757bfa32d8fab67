from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from app.booking.moves import RECORDED, facts, recorded_by
from app.booking.placing import Placed
from app.booking.views import BookingView, TakenResource
from app.events import Actor, Event

_WRITE = text(f"""
    WITH made AS (
        INSERT INTO booking (location_id, id, service_id, service_name, customer_id,
            customer_name, customer_phone, customer_email, notes, starts_at, ends_at, status,
            expires_at, extended_minutes, units, price_cents, deposit_cents, currency, policy,
            channel, made_by, request_key)
        VALUES (:location_id, :id, :service_id, :service_name, :customer_id,
            :customer_name, :customer_phone, :customer_email, :notes, :starts_at, :ends_at,
            :status, coalesce(cast(:expires_at AS timestamptz),
                clock_now() + cast(:hold_for AS interval)),
            :extended_minutes, :units, :price_cents, :deposit_cents, :currency, :policy,
            :channel, :actor_id, :request_key)
        RETURNING location_id, id, expires_at, created_at, cast(:payload AS jsonb) AS payload
    ), told AS (SELECT * FROM made), {RECORDED}
    SELECT expires_at, created_at FROM made
""").bindparams(bindparam("policy", type_=JSONB), bindparam("payload", type_=JSONB))


def names_of(placed: Placed) -> tuple[TakenResource, ...]:
    """Name what was taken, in the order of the resources' positions."""
    taken = sorted(placed.resources, key=lambda pair: (pair[0].position, pair[0].id))
    return tuple(TakenResource(c.id, c.name, units) for c, units in taken)


def write_booking(
    session: Session,
    booking: BookingView,
    event: Event,
    *,
    actor: Actor,
    hold_for: timedelta | None,
    request_key: str | None,
    told: dict[str, Any] | None = None,
) -> BookingView:
    """Write a booking whose resources are taken, with its event and audit line.

    A hold lives ``hold_for`` from now by the database's clock, unless its end is given. One
    statement.
    """
    row = session.execute(
        _WRITE,
        {
            "location_id": booking.location_id,
            "id": booking.id,
            "service_id": booking.service_id,
            "service_name": booking.service_name,
            "customer_id": booking.contact.customer_id,
            "customer_name": booking.contact.name,
            "customer_phone": booking.contact.phone,
            "customer_email": booking.contact.email,
            "notes": booking.notes,
            "starts_at": booking.starts_at,
            "ends_at": booking.ends_at,
            "status": booking.status.value,
            "expires_at": booking.expires_at,
            "hold_for": hold_for,
            "extended_minutes": booking.extended_minutes,
            "units": booking.units,
            "price_cents": booking.price_cents,
            "deposit_cents": booking.deposit_cents,
            "currency": booking.currency,
            "policy": booking.policy,
            "channel": booking.channel,
            "request_key": request_key,
            "event": event.value,
            "payload": facts(booking, **(told or {})),
            **recorded_by(actor),
        },
    ).one()
    return replace(
        booking,
        expires_at=row.expires_at,
        created_at=row.created_at,
        updated_at=row.created_at,
    )
