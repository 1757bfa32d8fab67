import re
from collections.abc import Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

from flask import Response
from sqlalchemy.orm import Session

from app.accounts.models import READ
from app.accounts.queries import KeyHolder
from app.booking.views import BookingView
from app.errors import NotFound
from app.extensions import db
from app.payments.pix.qr import as_png, as_svg_file
from app.payments.queries import DepositView, deposits_of, find_deposit
from app.web.api.answered import BookingAnswer, PaymentAnswer
from app.web.api.asked import NothingAsked, read_query
from app.web.api.blueprint import api
from app.web.api.callers import require
from app.web.api.described import described
from app.web.api.sending import ok

TXID = re.compile("[0-9a-f]{32}")
"""As we make them; nothing else is looked up."""


def tell_all(
    session: Session, bookings: Sequence[BookingView], zone: ZoneInfo
) -> list[BookingAnswer]:
    """Tell bookings of one location with their deposits; one statement, if any has one."""
    with_deposit = [booking for booking in bookings if booking.deposit_cents]
    found: dict[UUID, DepositView] = {}
    if with_deposit:
        ids = [booking.id for booking in with_deposit]
        found = deposits_of(session, with_deposit[0].location_id, ids)
    return [_tell(booking, zone, found.get(booking.id)) for booking in bookings]


def _tell(booking: BookingView, zone: ZoneInfo, deposit: DepositView | None) -> BookingAnswer:
    payment = PaymentAnswer.of(deposit) if deposit else None
    return BookingAnswer.of(booking, zone, payment)


@api.get("/payments/<txid>")
@described("Payments", query=NothingAsked, answers={200: PaymentAnswer}, refusals=("not_found",))
def show_payment(txid: str) -> Response:
    """Tell a deposit's charge."""
    return ok(PaymentAnswer.of(_find(require(READ), txid)))


@api.get("/payments/<txid>/qr.svg")
@described("Payments", query=NothingAsked, answers={200: None}, refusals=("not_found",))
def show_qr_svg(txid: str) -> Response:
    """Draw the code that pays a deposit, for a screen or a printer."""
    found = _find(require(READ), txid)
    return Response(as_svg_file(found.copy_paste), mimetype="image/svg+xml")


@api.get("/payments/<txid>/qr.png")
@described("Payments", query=NothingAsked, answers={200: None}, refusals=("not_found",))
def show_qr_png(txid: str) -> Response:
    """Draw the code that pays a deposit, for a message."""
    found = _find(require(READ), txid)
    return Response(as_png(found.copy_paste), mimetype="image/png")


def _find(holder: KeyHolder, txid: str) -> DepositView:
    read_query(NothingAsked)
    if not TXID.fullmatch(txid):
        raise NotFound
    return find_deposit(db.session(), holder.location_id, txid)
