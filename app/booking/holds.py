from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.errors import NotAllowedNow, PaymentsUnavailable, TooManyHolds
from app.booking.moves import move
from app.booking.placing import Wanted, place
from app.booking.queries import get_booking_for_update
from app.booking.standing import check_standing
from app.booking.states import TEMPORARY, Move, Status, after
from app.booking.views import BookingView, Contact
from app.booking.writing import names_of, write_booking
from app.customers.actions import find_or_add
from app.errors import InvalidFields
from app.events import Actor, Event
from app.ids import new_id

MOST_PER_PHONE = 20
"""Live holds at once for one phone: a family's worth, not a competitor's (known case B05)."""

MOST_PER_CLIENT = 5_000
"""Live holds at once by one user or API key: far above a business's day, so it ends only a
program that runs wild."""

_LIVE_HOLDS = text("""
    SELECT (
        SELECT count(*) FROM booking
        WHERE location_id = :location_id AND customer_phone = :phone
            AND status IN ('held', 'pending_payment') AND expires_at > clock_now()
    ) >= :most_per_phone OR (
        SELECT count(*) FROM booking
        WHERE location_id = :location_id AND made_by = :client
            AND status IN ('held', 'pending_payment') AND expires_at > clock_now()
    ) >= :most_per_client
""")

MOST_EXTENSION = 10
"""Minutes that a hold may be extended by in all, so that nobody keeps a slot for ever."""


@dataclass(frozen=True)
class Wish(Wanted):
    """All that a hold is asked for with. ``request_key`` digests the Idempotency-Key."""

    contact: Contact | None = None
    notes: str = ""
    channel: str = "api"
    request_key: str | None = None


def _check_share(session: Session, wish: Wish, client: UUID | None) -> None:
    """Stop one phone or one client from keeping the whole agenda; the desk may."""
    is_too_many = session.scalar(
        _LIVE_HOLDS,
        {
            "location_id": wish.location_id,
            "phone": wish.contact and wish.contact.phone,
            "client": client,
            "most_per_phone": MOST_PER_PHONE,
            "most_per_client": MOST_PER_CLIENT,
        },
    )
    if is_too_many:
        raise TooManyHolds


def place_hold(session: Session, wish: Wish, *, actor: Actor, now: datetime) -> BookingView:
    """Keep a time for the location's hold minutes, by the database's clock.

    ``now`` is for what people may plan (past, notice, horizon). Of two rivals exactly one gets
    the slot. Six statements at most without a race: offer, occupancy (when there is a choice),
    take, share (not for the desk), customer (with a phone), write.

    Raises:
        SlotTaken: somebody has it; what lapsed on the way stays expired.
        TooManyHolds: the phone or the client has its share already (not for the desk).
        Invalid, NotFound: the wish breaks a rule or names what is not there.
    """
    booking_id = new_id()
    placed = place(session, booking_id, wish, now=now)
    if not wish.at_desk:
        _check_share(session, wish, actor.id)
    booking = BookingView(
        location_id=wish.location_id,
        id=booking_id,
        service_id=wish.service_id,
        service_name=placed.offer.service_name,
        resources=names_of(placed),
        starts_at=wish.starts_at,
        ends_at=wish.starts_at + placed.offer.duration,
        status=Status.HELD,
        expires_at=None,
        extended_minutes=0,
        units=wish.units,
        contact=_known(session, wish.location_id, wish.contact or Contact()),
        notes=wish.notes,
        price_cents=placed.offer.price_cents * wish.units,
        deposit_cents=placed.offer.deposit_cents * wish.units,
        currency=placed.offer.place.currency,
        policy=placed.offer.place.policy,
        channel=wish.channel,
        rescheduled_from=None,
        rescheduled_to=None,
        cancel_reason=None,
        checked_in_at=None,
        no_show_suggested_at=None,
        no_show_dismissed_at=None,
        version=1,
        created_at=now,
        updated_at=now,
    )
    return write_booking(
        session,
        booking,
        Event.HELD,
        actor=actor,
        hold_for=placed.offer.hold_for,
        request_key=wish.request_key,
        told={"override": wish.override},
    )


def confirm(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    actor: Actor,
    contact: Contact | None = None,
    notes: str | None = None,
    version: int | None = None,
    step: Move = Move.CONFIRM,
    is_settled: bool = False,
    changes: dict[str, Any] | None = None,
    told: dict[str, Any] | None = None,
) -> BookingView:
    """Turn a live hold into a confirmed booking, completing whom it is for.

    Confirming what is confirmed changes nothing and answers the same booking. Against the expiry
    the row's lock decides: whoever has it first wins, the other meets the new state.

    ``app.checkout`` takes deposits: with ``step`` ASK_DEPOSIT the hold becomes one that waits for
    its payment, and ``is_settled`` confirms one whose deposit is waived or here already.

    Raises:
        HoldExpired: its time is over, by the database's clock.
        NotAllowedNow: it was cancelled, or is further on than confirmed.
        PaymentsUnavailable: it asks a deposit, and nobody took it.
    """
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    if booking.status is Status.CONFIRMED:
        return booking
    check_standing(booking, clock, version)
    after(booking.status, step)
    if booking.deposit_cents and step is Move.CONFIRM and not is_settled:
        raise PaymentsUnavailable
    who = _known(session, location_id, _completed(booking.contact, contact))
    changes = dict(changes or {}) | {
        "customer_id": who.customer_id,
        "customer_name": who.name,
        "customer_phone": who.phone,
        "customer_email": who.email,
    }
    if notes is not None:
        changes["notes"] = notes
    confirmed = move(session, booking, step, actor=actor, changes=changes, told=told)
    return replace(confirmed, contact=who)


def extend(
    session: Session,
    location_id: UUID,
    booking_id: UUID,
    *,
    minutes: int,
    actor: Actor,
    version: int | None = None,
) -> BookingView:
    """Give a live hold more time, ten minutes in all.

    Raises:
        HoldExpired: too late, the slot is free.
        InvalidFields: more than what is left of the ten minutes.
    """
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    check_standing(booking, clock, version)
    after(booking.status, Move.EXTEND)
    extended = booking.extended_minutes + minutes
    if minutes < 1 or extended > MOST_EXTENSION or booking.expires_at is None:
        raise InvalidFields(("minutes", "too_long"))
    return move(
        session,
        booking,
        Move.EXTEND,
        actor=actor,
        changes={
            "expires_at": booking.expires_at + timedelta(minutes=minutes),
            "extended_minutes": extended,
        },
        told={"minutes": minutes},
    )


def release(session: Session, location_id: UUID, booking_id: UUID, *, actor: Actor) -> BookingView:
    """Give up a hold: its slot is free at once. What is over already stays as it is.

    Raises:
        NotAllowedNow: it is no hold any more but a booking; cancel it instead.
    """
    booking, clock = get_booking_for_update(session, location_id, booking_id)
    if booking.status in {Status.CANCELLED, Status.EXPIRED} or booking.has_lapsed(clock):
        return booking
    if booking.status not in TEMPORARY:
        raise NotAllowedNow(facts={"status": booking.status.value})
    return move(
        session,
        booking,
        Move.CANCEL,
        actor=actor,
        changes={"cancel_reason": "released"},
        told={"reason": "released"},
    )


def _completed(before: Contact, told: Contact | None) -> Contact:
    if told is None:
        return before
    return Contact(
        name=told.name or before.name,
        phone=told.phone or before.phone,
        email=told.email or before.email,
        customer_id=before.customer_id if told.phone in {None, before.phone} else None,
    )


def _known(session: Session, location_id: UUID, contact: Contact) -> Contact:
    if contact.phone is None or contact.customer_id is not None:
        return contact
    customer_id = find_or_add(
        session, location_id, phone=contact.phone, name=contact.name, email=contact.email
    )
    return replace(contact, customer_id=customer_id)
