"""Money that waits for a person: which there is, whose it is, what can be done with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from flask import g
from sqlalchemy import select

from app.booking.models import Booking
from app.booking.states import OCCUPYING, Status
from app.booking.views import BookingView
from app.extensions import db
from app.payments.models import Method, Standing
from app.payments.queries import DueView, Returning, payments_due
from app.web.auth import scope
from app.web.staff.answers import now
from app.web.staff.money_words import failure_words, money, reason_words
from app.web.staff.wording import gettext

_SERVED = OCCUPYING | {Status.COMPLETED, Status.NO_SHOW}
_SHORTEST_ID = 14


@dataclass(frozen=True)
class PaidFor:
    """The booking that money was meant for, as far as the list says it."""

    id: UUID
    name: str | None
    phone: str | None
    service_name: str
    starts_at: datetime
    ends_at: datetime
    deposit_cents: int
    status: Status


@dataclass(frozen=True)
class Due:
    """Money in the list, with what a reader must know of it at ``now``."""

    view: DueView
    booking: PaidFor | None
    now: datetime

    @property
    def id(self) -> UUID:
        return self.view.payment_id

    @property
    def amount(self) -> str:
        return money(self.view.left_cents or self.view.amount_cents, self.view.currency)

    @property
    def name(self) -> str | None:
        return self.booking.name if self.booking else None

    @property
    def short_id(self) -> str | None:
        """Give the bank's id of the payment, as much of it as people compare."""
        full = self.view.end_to_end_id
        is_long = full is not None and len(full) > _SHORTEST_ID
        return f"{full[:5]}…{full[-6:]}" if full and is_long else full

    @property
    def why(self) -> str:
        """Say why it is here; of a wrong amount, both amounts."""
        view, booking = self.view, self.booking
        if view.reason == "wrong_amount" and booking is not None and booking.deposit_cents:
            return gettext(
                "Pagó %(paid)s y la seña es de %(wanted)s",
                paid=money(view.amount_cents, view.currency),
                wanted=money(booking.deposit_cents, view.currency),
            )
        return reason_words(view.reason)

    @property
    def is_open(self) -> bool:
        """Tell whether somebody has to decide what becomes of it."""
        return needs_decision(self.view)

    @property
    def is_on_its_way(self) -> bool:
        return self.view.refund is Returning.IN_PROGRESS

    @property
    def failure(self) -> str | None:
        """Say why it did not go back, if that was tried."""
        is_failed = self.view.refund is Returning.FAILED
        return failure_words(self.view.failure) if is_failed else None

    @property
    def may_refund(self) -> bool:
        until = self.view.refund_until
        is_pix = self.view.method == Method.PIX.value
        return self.is_open and is_pix and (until is None or self.now <= until)

    @property
    def taken(self) -> str | None:
        """Say what the bank took back by itself, until somebody has read it."""
        if not self.view.is_flagged:
            return None
        cents = self.view.amount_cents - self.view.left_cents
        amount = money(cents or self.view.amount_cents, self.view.currency)
        if self.booking is not None and self.booking.status in _SERVED:
            return gettext("El banco devolvió %(amount)s de una reserva que sigue", amount=amount)
        return gettext("El banco devolvió %(amount)s por su cuenta", amount=amount)


@dataclass(frozen=True)
class DueRow:
    """A row of the list as it is drawn again: with what was said, or typed into it."""

    payment_id: UUID
    said: str | None = None
    typed: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def needs_decision(view: DueView) -> bool:
    """Tell whether money is in the list and none of it is on its way."""
    return view.standing is Standing.DUE and view.refund in {Returning.DUE, Returning.FAILED}


def open_payments() -> Sequence[DueView]:
    """List the money that waits for somebody; read once per request.

    It is nobody's column, so only those who see the whole agenda see it.
    """
    if "open_payments" not in g:
        mine = scope()
        g.open_payments = (
            payments_due(db.session(), mine.location_id) if mine.has_whole_agenda else []
        )
    return g.open_payments  # type: ignore[no-any-return]


def forget_payments() -> None:
    """Let the list be read again, after something became of it."""
    g.pop("open_payments", None)


def waiting_payments() -> int:
    """Count what somebody has to look at."""
    return sum(needs_decision(view) or view.is_flagged for view in open_payments())


def list_dues() -> list[Due]:
    """List the money with its bookings; what waits for a decision comes first."""
    dues = with_bookings(open_payments())
    return sorted(dues, key=lambda due: not (due.is_open or due.view.is_flagged))


def find_due(payment_id: UUID) -> Due | None:
    """Find one payment of the list."""
    found = [view for view in open_payments() if view.payment_id == payment_id]
    return next(iter(with_bookings(found)), None)


def usable_for(booking: BookingView) -> list[Due]:
    """List the money that could pay a booking's deposit: its own, its phone's, or nobody's."""
    enough = [
        view
        for view in open_payments()
        if needs_decision(view)
        and view.left_cents >= booking.deposit_cents
        and view.currency == booking.currency
    ]
    return [due for due in with_bookings(enough) if _fits(due.booking, booking)]


def _fits(paid_for: PaidFor | None, booking: BookingView) -> bool:
    if paid_for is None or paid_for.id == booking.id:
        return True
    phone = booking.contact.phone
    return phone is not None and paid_for.phone == phone


def with_bookings(views: Sequence[DueView]) -> list[Due]:
    """Join payments with the bookings they were meant for. One statement, or none."""
    ids = {view.booking_id for view in views if view.booking_id is not None}
    known = _paid_for(ids) if ids else {}
    return [Due(view, known.get(view.booking_id), now()) for view in views]


def _paid_for(ids: set[UUID]) -> dict[UUID | None, PaidFor]:
    rows = db.session().execute(
        select(
            Booking.id,
            Booking.customer_name,
            Booking.customer_phone,
            Booking.service_name,
            Booking.starts_at,
            Booking.ends_at,
            Booking.deposit_cents,
            Booking.status,
        ).where(Booking.location_id == scope().location_id, Booking.id.in_(ids))
    )
    return {row.id: PaidFor(*row[:-1], status=Status(row.status)) for row in rows}
