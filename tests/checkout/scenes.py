"""A business that takes deposits, a bank, and what happens between them."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.booking.errors import PaymentsUnavailable
from app.booking.queries import get_booking
from app.booking.views import BookingView, Contact
from app.cashier.charging import charge
from app.cashier.gateways import sealer
from app.cashier.reading import read_inbox
from app.cashier.refunding import send_refunds
from app.cashier.watching import look_after_charges
from app.catalog.models import Location, Resource, Service
from app.checkout import actions
from app.checkout.errors import ChargeMissing
from app.checkout.integrity import find_faults
from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.events import Outbox
from app.extensions import db, transact
from app.jobs.holds import expire
from app.jobs.outbox import drain
from app.money import Cents
from app.payments.accounts import add_account, new_webhook_secret
from app.payments.inbox import keep_notice
from app.payments.models import Charge, Payment, PaymentAccount, Refund
from app.payments.queries import DepositView, DueView, deposits_of, payments_due
from tests.conftest import Clock
from tests.factories import (
    BOT,
    a_hold,
    a_location,
    a_person,
    a_resource,
    a_service,
    a_staff_user,
    at,
)
from tests.payments.scenes import CLIENT, an_account

TEN, HALF_PAST = "2026-03-10 10:00", "2026-03-10 10:30"
DEPOSIT = Cents(50_00)
ANA = Contact(name="Ana", phone="+5511987654321")


@dataclass
class Desk:
    """One business with its account, seen from the outside."""

    clock: Clock
    bank: PixBank
    location: Location
    lucia: Resource
    color: Service
    account: PaymentAccount
    secret: str

    def __post_init__(self) -> None:
        """End what was read or written before the clock moves: a rollback would turn it back."""
        move = self.clock.set

        def set_clock(instant: datetime) -> None:
            db.session.commit()
            move(instant)

        self.clock.set = set_clock  # type: ignore[method-assign]

    @property
    def session(self) -> Session:
        """The session of the moment: the worker's rounds end the one before."""
        return db.session()

    def hold(self, wall: str = TEN, **fields: Any) -> BookingView:
        return a_hold(
            self.session, self.location, self.color, at(wall), now=self.clock.now(), **fields
        )

    def confirm(self, booking_id: UUID, contact: Contact | None = ANA) -> BookingView:
        """Confirm as a door does: ask the bank when the core says so, then go on."""

        def work(session: Session) -> BookingView:
            return actions.confirm(
                session, self.location.id, booking_id, actor=BOT, contact=contact
            )

        try:
            return transact(work)
        except ChargeMissing as missing:
            charge(missing.ask)
            return transact(work)

    def ask(self, wall: str = TEN, **fields: Any) -> BookingView:
        """A booking that waits for its deposit."""
        return self.confirm(self.hold(wall, **fields).id)

    def ask_in_vain(self, held: BookingView) -> None:
        """Confirm while the bank is closed."""
        self.bank.faults.add("PUT /cob", Fault.DOWN)
        with pytest.raises(PaymentsUnavailable):
            self.confirm(held.id)

    def mark_absent(self, booking: BookingView) -> None:
        rocio = a_person(a_staff_user(self.session, self.location))
        actions.confirm_no_show(self.session, self.location.id, booking.id, actor=rocio)
        self.session.commit()

    def paid(self, wall: str = TEN) -> BookingView:
        """A booking whose deposit came in."""
        booking = self.ask(wall)
        self.pay(booking)
        self.look()
        return self.see(booking)

    def see(self, booking: BookingView) -> BookingView:
        self.session.rollback()
        return get_booking(self.session, self.location.id, booking.id)

    def see_by_id(self, booking_id: UUID) -> BookingView:
        self.session.rollback()
        return get_booking(self.session, self.location.id, booking_id)

    def deposit(self, booking: BookingView) -> DepositView | None:
        return deposits_of(self.session, self.location.id, [booking.id]).get(booking.id)

    def txid(self, booking: BookingView) -> str:
        deposit = self.deposit(booking)
        assert deposit is not None
        return deposit.txid

    def charges(self) -> list[Charge]:
        self.session.rollback()
        return list(self.session.scalars(select(Charge).order_by(Charge.id)))

    def payments(self) -> list[Payment]:
        self.session.rollback()
        return list(self.session.scalars(select(Payment).order_by(Payment.id)))

    def refunds(self) -> list[Refund]:
        self.session.rollback()
        return list(self.session.scalars(select(Refund).order_by(Refund.id)))

    def due(self) -> list[DueView]:
        return payments_due(self.session, self.location.id)

    def waiting_notices(self) -> int:
        found = self.session.scalar(
            text("SELECT count(*) FROM pix_notice WHERE handled_at IS NULL")
        )
        return int(found or 0)

    def events(self, prefix: str = "payment.") -> list[str]:
        kinds = self.session.scalars(select(Outbox.kind).order_by(Outbox.id))
        return [kind for kind in kinds if kind.startswith(prefix)]

    def pay(self, booking: BookingView, **how: Any) -> dict[str, Any]:
        """The customer pays at the bank; nobody is told yet."""
        return self.bank.books.pay(CLIENT, self.txid(booking), **how)

    def tell(self, *pix: dict[str, Any], body: bytes | None = None) -> None:
        """A notice comes in and the worker reads it."""
        self.put(*pix, body=body)
        read_inbox()

    def put(self, *pix: dict[str, Any], body: bytes | None = None) -> None:
        shown = [{k: v for k, v in each.items() if not k.startswith("_")} for each in pix]
        keep_notice(self.session, self.account, body or json.dumps({"pix": shown}).encode())
        self.session.commit()

    def look(self) -> None:
        """The worker looks after every charge now, whatever its plan says."""
        self.session.execute(text("UPDATE charge SET next_look_at = clock_now()"))
        self.session.commit()
        look_after_charges()

    def work(self) -> None:
        """The worker does all that is due."""
        for job in (drain, read_inbox, look_after_charges, expire, send_refunds, drain):
            job()

    def pass_time(self, **length: float) -> None:
        self.clock.advance(**length)
        self.work()

    def check(self) -> None:
        """All promises hold."""
        assert find_faults(self.session) == []


def open_desk(session: Session, clock: Clock, bank: PixBank) -> Desk:
    location = a_location(session)
    lucia = a_resource(session, location, "Lucía")
    color = a_service(session, location, lucia, price_cents=180_00, deposit_cents=DEPOSIT)
    account = add_account(
        session, location.id, an_account(bank), currency=location.currency, sealer=sealer()
    )
    secret = new_webhook_secret(account)
    session.commit()
    session.expunge_all()
    return Desk(clock, bank, location, lucia, color, account, secret)


def minutes(amount: float) -> timedelta:
    return timedelta(minutes=amount)
