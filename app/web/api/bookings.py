from collections.abc import Callable
from dataclasses import replace
from functools import partial
from zoneinfo import ZoneInfo

from flask import Response
from sqlalchemy.orm import Session

from app.accounts.models import BOOK, MANAGE, READ
from app.accounts.queries import KeyHolder
from app.booking.idempotency import Answer
from app.booking.placing import Wanted
from app.booking.queries import BookingFilter, get_booking, list_bookings
from app.booking.standing import wanted_of
from app.booking.states import TEMPORARY, Status
from app.booking.views import BookingView
from app.catalog.models import Resource
from app.checkout.actions import cancel, check_in, complete, reschedule
from app.customers.phones import parse_phone
from app.database import clock_of
from app.errors import NotFound
from app.extensions import db
from app.web.api.answered import BookingAnswer, BookingPage
from app.web.api.asked import (
    BookingsQuery,
    CancelRequest,
    NothingAsked,
    RescheduleRequest,
    check_window,
    read_query,
)
from app.web.api.blueprint import api
from app.web.api.callers import require
from app.web.api.described import described
from app.web.api.fields import check, read_id
from app.web.api.holds import booking_answer, revive
from app.web.api.idempotency import Call, undertake
from app.web.api.pages import read_cursor, write_cursor
from app.web.api.payments import tell_all
from app.web.api.sending import ok

_OVER = ("not_found", "hold_expired", "invalid_transition", "already_rescheduled")


@api.get("/bookings/<booking_id>")
@described("Bookings", query=NothingAsked, answers={200: BookingAnswer}, refusals=("not_found",))
def show_booking(booking_id: str) -> Response:
    """Tell a booking or a hold."""
    holder = require(READ)
    read_query(NothingAsked)
    booking = get_booking(db.session(), holder.location_id, read_id(booking_id))
    return ok(tell_all(db.session(), _standing([booking]), ZoneInfo(holder.timezone))[0])


@api.get("/bookings")
@described("Bookings", query=BookingsQuery, answers={200: BookingPage}, refusals=("not_found",))
def show_bookings() -> Response:
    """List bookings and holds of every status by start, narrowed to what is asked."""
    holder = require(READ)
    query = read_query(BookingsQuery)
    check_window(query.since, query.until)
    found = list_bookings(
        db.session(),
        holder.location_id,
        _filter_of(query, holder),
        limit=query.limit + 1,
        after=None if query.cursor is None else read_cursor(query.cursor),
    )
    page, more = found[: query.limit], found[query.limit :]
    standing = [b for b in _standing(page) if query.status in {None, b.status.value}]
    zone = ZoneInfo(holder.timezone)
    return ok(
        BookingPage(
            data=tell_all(db.session(), standing, zone),
            next_cursor=write_cursor(page[-1].starts_at, page[-1].id) if more else None,
        )
    )


def _filter_of(query: BookingsQuery, holder: KeyHolder) -> BookingFilter:
    resource_id = None if query.resource_id is None else read_id(query.resource_id)
    if resource_id and db.session().get(Resource, (holder.location_id, resource_id)) is None:
        raise NotFound
    return BookingFilter(
        since=query.since,
        until=query.until,
        status=None if query.status is None else Status(query.status),
        phone=None if query.phone is None else parse_phone(query.phone, holder.country),
        resource_id=resource_id,
    )


def _standing(bookings: list[BookingView]) -> list[BookingView]:
    """Show holds as what they are by the database's clock: over from their second on.

    One statement, if there is any hold.
    """
    if not any(booking.status in TEMPORARY for booking in bookings):
        return bookings
    clock = clock_of(db.session())
    return [
        replace(booking, status=Status.EXPIRED, expires_at=None)
        if booking.has_lapsed(clock)
        else booking
        for booking in bookings
    ]


@api.post("/bookings/<booking_id>/check-in")
@described(
    "Bookings", json=NothingAsked, answers={200: BookingAnswer}, key="accepted", refusals=_OVER
)
def check_in_booking(booking_id: str) -> Response:
    """Note that the customer arrived."""
    return undertake(require(BOOK), partial(_move, step=check_in, booking_id=booking_id))


@api.post("/bookings/<booking_id>/complete")
@described(
    "Bookings", json=NothingAsked, answers={200: BookingAnswer}, key="accepted", refusals=_OVER
)
def complete_booking(booking_id: str) -> Response:
    """Note that the customer was served; the rest of the time is free."""
    return undertake(require(BOOK), partial(_move, step=complete, booking_id=booking_id))


def _move(
    session: Session, call: Call, *, step: Callable[..., BookingView], booking_id: str
) -> Answer:
    check(NothingAsked, call.body)
    booking = step(session, call.location_id, read_id(booking_id), actor=call.actor)
    return booking_answer(session, 200, booking, call)


@api.post("/bookings/<booking_id>/cancel")
@described(
    "Bookings",
    json=CancelRequest,
    answers={200: BookingAnswer},
    key="accepted",
    refusals=(*_OVER, "outside_cancellation_window"),
)
def cancel_booking(booking_id: str) -> Response:
    """Cancel a hold or a booking and free its slot.

    A key without the scope `manage` acts for the customer: the cancellation window that was in
    force when it was booked applies.
    """
    return undertake(require(BOOK), partial(_cancel, booking_id=booking_id))


def _cancel(session: Session, call: Call, *, booking_id: str) -> Answer:
    asked = check(CancelRequest, call.body)
    booking = cancel(
        session,
        call.location_id,
        read_id(booking_id),
        actor=call.actor,
        reason=asked.reason,
        within_policy=MANAGE not in call.holder.scopes,
    )
    return booking_answer(session, 200, booking, call)


@api.post("/bookings/<booking_id>/reschedule")
@described(
    "Bookings",
    json=RescheduleRequest,
    answers={201: BookingAnswer},
    key="required",
    refusals=(
        *_OVER,
        "outside_cancellation_window",
        "slot_taken",
        "in_the_past",
        "outside_hours",
        "notice_too_short",
        "beyond_horizon",
        "no_change",
    ),
)
def reschedule_booking(booking_id: str) -> Response:
    """Move a booking: answers the new one, and cancels the old one with `rescheduled_to`.

    It may overlap its own old time. When it is refused, the old one is as it was.
    """
    work = partial(_reschedule, booking_id=booking_id)
    return undertake(require(BOOK), work, needs_key=True, revive=revive)


def _reschedule(session: Session, call: Call, *, booking_id: str) -> Answer:
    asked = check(RescheduleRequest, call.body)
    old_id = read_id(booking_id)
    resource_ids = tuple(read_id(each) for each in asked.resource_ids or ())

    def wanted(session: Session) -> Wanted:
        old = wanted_of(get_booking(session, call.location_id, old_id))
        return Wanted(
            location_id=old.location_id,
            service_id=old.service_id,
            starts_at=asked.starts_at,
            resource_ids=resource_ids or old.resource_ids,
            units=old.units,
        )

    call.wanted = wanted
    booking = reschedule(
        session,
        call.location_id,
        old_id,
        starts_at=asked.starts_at,
        actor=call.actor,
        now=call.now,
        resource_ids=resource_ids,
        request_key=call.digest,
        within_policy=MANAGE not in call.holder.scopes,
    )
    return booking_answer(session, 201, booking, call)
