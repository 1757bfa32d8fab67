from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

import click
from flask.cli import with_appcontext
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from app.booking.models import Booking
from app.booking.queries import get_booking
from app.booking.views import BookingView
from app.catalog.models import Location
from app.cli.printing import local, table
from app.errors import NotFound
from app.extensions import transact
from app.money import format_money
from app.payments.models import Charge, LedgerEntry, Payment, Refund, Standing


@dataclass(frozen=True)
class Money:
    """All that is known of a booking's money."""

    booking: BookingView
    zone: ZoneInfo
    charges: Sequence[Charge]
    payments: Sequence[Payment]
    refunds: Sequence[Refund]
    entries: Sequence[LedgerEntry]

    @property
    def on_booking(self) -> int:
        """Tell what the ledger has on the booking, in cents."""
        here = self.booking.id
        came = sum(each.cents for each in self.entries if each.target_booking_id == here)
        return came - sum(each.cents for each in self.entries if each.source_booking_id == here)

    def shown(self, cents: int) -> str:
        return format_money(cents, self.booking.currency, language="en")

    def at(self, instant: datetime | None) -> str:
        return local(instant, self.zone) if instant else "-"


@click.command("show")
@click.argument("booking")
@with_appcontext
def show(booking: str) -> None:
    """Show the money of BOOKING, by its id: charges, payments, refunds and every movement."""
    money = transact(lambda session: _read(session, booking))
    it = money.booking
    click.echo(
        f"{it.service_name}, {money.at(it.starts_at)}, {it.contact.name or '-'}: {it.status}"
    )
    deposit, here = money.shown(it.deposit_cents), money.shown(money.on_booking)
    click.echo(f"Deposit {deposit}; the ledger has {here} on this booking.")
    _show_charges(money)
    _show_payments(money)
    _show_refunds(money)
    _show_ledger(money)


def _read(session: Session, wanted: str) -> Money:
    place, here = _find(session, wanted)
    charges = session.scalars(
        select(Charge)
        .where(Charge.location_id == place.id, Charge.booking_id == here)
        .order_by(Charge.id)
    ).all()
    touched = select(LedgerEntry.payment_id).where(
        LedgerEntry.location_id == place.id,
        or_(LedgerEntry.source_booking_id == here, LedgerEntry.target_booking_id == here),
    )
    payments = session.scalars(
        select(Payment)
        .where(
            Payment.location_id == place.id,
            or_(
                Payment.booking_id == here,
                Payment.charge_id.in_([each.id for each in charges]),
                Payment.id.in_(touched),
            ),
        )
        .order_by(Payment.paid_at, Payment.id)
    ).all()
    ids = [each.id for each in payments]
    refunds = select(Refund).where(Refund.location_id == place.id, Refund.payment_id.in_(ids))
    entries = select(LedgerEntry).where(
        LedgerEntry.location_id == place.id, LedgerEntry.payment_id.in_(ids)
    )
    return Money(
        booking=get_booking(session, place.id, here),
        zone=ZoneInfo(place.timezone),
        charges=charges,
        payments=payments,
        refunds=session.scalars(refunds.order_by(Refund.asked_at, Refund.id)).all(),
        entries=session.scalars(entries.order_by(LedgerEntry.id)).all(),
    )


def _find(session: Session, wanted: str) -> tuple[Location, UUID]:
    try:
        here = UUID(wanted)
    except ValueError:
        raise NotFound(what="booking", name=wanted) from None
    place = session.scalar(
        select(Location).join(Booking, Booking.location_id == Location.id).where(Booking.id == here)
    )
    if place is None:
        raise NotFound(what="booking", name=wanted)
    return place, here


def _show_charges(money: Money) -> None:
    click.echo("\nCharges")
    table(
        ("asked", "amount", "state", "payable until", "txid", "last failure"),
        [
            (
                money.at(each.created_at),
                money.shown(each.amount_cents),
                each.status,
                money.at(each.payable_until),
                each.txid,
                each.last_failure or "-",
            )
            for each in money.charges
        ],
    )


def _show_payments(money: Money) -> None:
    click.echo("\nPayments")
    table(
        ("paid", "by", "amount", "returned", "where", "why", "end-to-end id", "id"),
        [
            (
                money.at(each.paid_at),
                each.method,
                money.shown(each.amount_cents),
                money.shown(each.returned_cents),
                _where(each, money),
                each.reason or "-",
                each.end_to_end_id or "-",
                each.id,
            )
            for each in money.payments
        ],
    )


def _where(payment: Payment, money: Money) -> str:
    is_elsewhere = payment.standing == Standing.APPLIED and payment.booking_id != money.booking.id
    return f"on {payment.booking_id}" if is_elsewhere else payment.standing


def _show_refunds(money: Money) -> None:
    click.echo("\nRefunds")
    table(
        ("asked", "by", "amount", "state", "settled", "failure", "payment"),
        [
            (
                money.at(each.asked_at),
                each.asked_by,
                money.shown(each.amount_cents),
                each.status,
                money.at(each.settled_at),
                each.failure or "-",
                each.payment_id,
            )
            for each in money.refunds
        ],
    )


def _show_ledger(money: Money) -> None:
    click.echo("\nLedger")
    table(
        ("at", "from", "to", "amount", "payment"),
        [
            (
                money.at(each.at),
                _place(each.source, each.source_booking_id, money),
                _place(each.target, each.target_booking_id, money),
                money.shown(each.cents),
                each.payment_id,
            )
            for each in money.entries
        ],
    )


def _place(place: str, booking_id: UUID | None, money: Money) -> str:
    if booking_id is None:
        return place
    return "this booking" if booking_id == money.booking.id else f"booking {booking_id}"
