"""What a booking's panel says of its deposit: the code to pay, what came in, what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from app.booking.queries import AuditLine
from app.booking.states import TEMPORARY, Status
from app.events import Event
from app.extensions import db
from app.payments.pix.account import is_simulated
from app.payments.pix.qr import as_svg
from app.payments.queries import Deposit, DepositView, Returning, deposits_of
from app.web.auth import scope
from app.web.staff.blocks import Shown
from app.web.staff.dues import Due, usable_for
from app.web.staff.money_words import METHODS, method_word, money, reason_words
from app.web.staff.whatsapp import conversation, deposit_message
from app.web.staff.wording import gettext

_KEPT = frozenset({Status.CONFIRMED, Status.CHECKED_IN, Status.COMPLETED, Status.NO_SHOW})
_RECEIVED = frozenset({Event.PAYMENT_PAID.value, Event.PAYMENT_MOVED.value})
_BY_HAND = frozenset(method.value for method in METHODS)


@dataclass(frozen=True)
class PixCode:
    """A code that can be paid until ``until``; the line runs from ``since``."""

    amount: str
    text: str
    picture: Markup
    since: datetime
    until: datetime
    now: datetime
    whatsapp: str
    is_simulated: bool

    @property
    def percent_left(self) -> int:
        """Tell how much of the line is left, from 100 to 0."""
        whole, left = self.until - self.since, self.until - self.now
        return round(100 * min(1.0, max(0.0, left / whole))) if whole else 0


@dataclass(frozen=True)
class Received:
    """A deposit that is here. ``at`` is unknown of one that came along from a moved booking."""

    amount: str
    at: datetime | None
    how: str


@dataclass(frozen=True)
class DepositPart:
    """The deposit's part of a panel; most of it is empty most of the time."""

    code: PixCode | None = None
    is_code_over: bool = False
    received: Received | None = None
    news: str | None = None
    is_undecided: bool = False
    usable: tuple[Due, ...] = ()


def deposit_part(shown: Shown, history: Sequence[AuditLine]) -> DepositPart:
    """Collect what a panel says of the deposit."""
    booking = shown.booking
    view = deposits_of(db.session(), booking.location_id, [booking.id]).get(booking.id)
    is_pending = shown.status is Status.PENDING_PAYMENT
    may_use = shown.status in TEMPORARY and booking.deposit_cents > 0
    return DepositPart(
        code=_code(shown, view, history) if view and is_pending else None,
        is_code_over=is_pending and view is not None and view.status is Deposit.EXPIRED,
        received=_received(shown, view, history),
        news=_news(view) if view else None,
        is_undecided=_is_undecided(view) if view else False,
        usable=tuple(usable_for(booking)) if may_use else (),
    )


def _code(shown: Shown, view: DepositView, history: Sequence[AuditLine]) -> PixCode | None:
    if view.status is not Deposit.PENDING:
        return None
    booking, mine = shown.booking, scope()
    asked_at = [line.at for line in history if line.action == Event.PAYMENT_CREATED]
    return PixCode(
        amount=money(view.amount_cents, view.currency),
        text=view.copy_paste,
        picture=Markup(as_svg(view.copy_paste)),  # noqa: S704 - drawn by us, of squares
        since=asked_at[0] if asked_at else booking.created_at,
        until=view.payable_until,
        now=shown.now,
        whatsapp=conversation(booking.contact.phone, deposit_message(booking, view, mine)),
        is_simulated=is_simulated(view.copy_paste),
    )


def _received(
    shown: Shown, view: DepositView | None, history: Sequence[AuditLine]
) -> Received | None:
    booking = shown.booking
    if shown.status not in _KEPT or not booking.deposit_cents:
        return None
    line = next((line for line in history if line.action in _RECEIVED), None)
    is_by_code = view is not None and view.status is Deposit.PAID and view.refund is None
    if is_by_code and view is not None:
        return Received(money(view.amount_cents, view.currency), view.paid_at, "Pix")
    if view is not None and view.status is Deposit.REFUNDED and not _is_by_other_means(line):
        return None
    detail = line.detail if line else {}
    cents = detail.get("amount_cents", booking.deposit_cents)
    return Received(
        amount=money(cents, booking.currency),
        at=line.at if line else None,
        how=method_word(detail["method"]) if "method" in detail else "",
    )


def _is_by_other_means(line: AuditLine | None) -> bool:
    if line is None:
        return False
    is_moved = line.action == Event.PAYMENT_MOVED
    return is_moved or line.detail.get("method") in _BY_HAND


def _is_undecided(view: DepositView) -> bool:
    return view.refund in {Returning.DUE, Returning.FAILED}


def _news(view: DepositView) -> str | None:
    """Say what became of money that did not stay on the booking."""
    amount = money(view.amount_cents, view.currency)
    if view.status is Deposit.MOVED:
        return gettext("La seña de %(amount)s paga ahora otra reserva.", amount=amount)
    if view.refund is Returning.REFUNDED:
        return gettext("Lo que pagó por Pix se devolvió.")
    if view.refund is Returning.IN_PROGRESS:
        return gettext("Lo que pagó por Pix se está devolviendo.")
    if view.refund is not None:
        return gettext(
            "Entró un pago para decidir: %(why)s.", why=_in_sentence(reason_words(view.reason))
        )
    return None


def _in_sentence(text: str) -> str:
    return text[:1].lower() + text[1:]
