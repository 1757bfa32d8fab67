from functools import partial
from uuid import UUID

from flask import Response
from sqlalchemy.orm import Session

from app.accounts.models import BOOK
from app.booking.idempotency import Answer
from app.booking.queries import get_booking
from app.booking.views import BookingView, Contact
from app.cashier.charging import charge
from app.checkout.actions import Wish, confirm, place_hold, release
from app.checkout.errors import ChargeMissing
from app.customers.phones import parse_phone
from app.extensions import transact
from app.web.api.answered import BookingAnswer
from app.web.api.asked import (
    ConfirmCustomer,
    ConfirmRequest,
    HoldCustomer,
    HoldRequest,
    NothingAsked,
    read_query,
)
from app.web.api.blueprint import api
from app.web.api.callers import actor_of, require
from app.web.api.described import described
from app.web.api.fields import check, read_id
from app.web.api.idempotency import Call, undertake
from app.web.api.payments import tell_all


@api.post("/holds")
@described(
    "Holds",
    json=HoldRequest,
    answers={201: BookingAnswer},
    key="required",
    refusals=(
        "not_found",
        "slot_taken",
        "in_the_past",
        "outside_hours",
        "notice_too_short",
        "beyond_horizon",
        "too_many_units",
        "too_many_holds",
    ),
)
def hold() -> Response:
    """Keep a time for some minutes, until `expires_at`.

    Without `resource_ids` any that fits is taken, spread fairly; with them, one for each need at
    most, and any that fits for the needs that are left. Of two rivals exactly one gets the slot.
    """
    return undertake(require(BOOK), _hold, needs_key=True, revive=revive)


def _hold(session: Session, call: Call) -> Answer:
    asked = check(HoldRequest, call.body)
    wish = Wish(
        location_id=call.location_id,
        service_id=read_id(asked.service_id),
        starts_at=asked.starts_at,
        resource_ids=tuple(read_id(each) for each in asked.resource_ids or ()),
        units=asked.units,
        contact=contact_of(asked.customer, call),
        notes=asked.notes or "",
        channel=asked.channel,
        request_key=call.digest,
    )
    call.wanted = lambda _: wish
    held = place_hold(session, wish, actor=call.actor, now=call.now)
    return booking_answer(session, 201, held, call)


@api.post("/holds/<hold_id>/confirm")
@described(
    "Holds",
    json=ConfirmRequest,
    answers={200: BookingAnswer},
    key="required",
    refusals=(
        "not_found",
        "hold_expired",
        "invalid_transition",
        "already_rescheduled",
        "payment_provider_unavailable",
    ),
)
def confirm_hold(hold_id: str) -> Response:
    """Turn a live hold into a booking.

    A service with a deposit answers `pending_payment` with `payment`: the Pix code to pay until
    its `expires_at`; the money makes the booking `confirmed`. Confirming what is confirmed, or
    waits for its payment, answers the same booking; nothing happens twice. When the provider
    gives no code it is 503 and the hold stays as it was: repeat the call.
    """
    holder, work = require(BOOK), partial(_confirm, hold_id=hold_id)
    try:
        return undertake(holder, work, needs_key=True)
    except ChargeMissing as missing:
        charge(missing.ask)
        return undertake(holder, work, needs_key=True)


def _confirm(session: Session, call: Call, *, hold_id: str) -> Answer:
    asked = check(ConfirmRequest, call.body)
    booking = confirm(
        session,
        call.location_id,
        read_id(hold_id),
        actor=call.actor,
        contact=contact_of(asked.customer, call),
        notes=asked.notes,
    )
    return booking_answer(session, 200, booking, call)


@api.delete("/holds/<hold_id>")
@described(
    "Holds", query=NothingAsked, answers={204: None}, refusals=("not_found", "invalid_transition")
)
def delete_hold(hold_id: str) -> Response:
    """Give a hold up: its slot is free at once. One that is over already stays as it is."""
    holder = require(BOOK)
    read_query(NothingAsked)
    transact(
        lambda session: release(
            session, holder.location_id, read_id(hold_id), actor=actor_of(holder)
        )
    )
    return Response(status=204)


def contact_of(told: HoldCustomer | ConfirmCustomer | None, call: Call) -> Contact | None:
    """Read whom a booking is for; a phone as people of the location's country write it.

    Raises:
        InvalidFields: no such phone.
    """
    if told is None:
        return None
    phone = told.phone and parse_phone(told.phone, call.holder.country, field="customer.phone")
    return Contact(name=told.name, phone=phone, email=told.email)


def booking_answer(session: Session, status: int, booking: BookingView, call: Call) -> Answer:
    """Answer a booking as it is stored, with its deposit: one statement more where it has one."""
    return Answer(status, tell_all(session, [booking], call.zone)[0].body())


def revive(session: Session, call: Call, booking_id: UUID) -> Answer:
    """Answer a booking whose stored answer was pruned, as it is now."""
    found = get_booking(session, call.location_id, booking_id)
    return booking_answer(session, 201, found, call)
