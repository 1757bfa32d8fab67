"""Money and what became of it, in words."""

from flask_babel import LazyString, lazy_gettext

from app.checkout.verdicts import Reason
from app.money import format_money
from app.payments.models import Method
from app.web.staff.wording import gettext, language

METHODS: dict[Method, LazyString] = {
    Method.CASH: lazy_gettext("Efectivo"),
    Method.CARD: lazy_gettext("Tarjeta"),
    Method.TRANSFER: lazy_gettext("Transferencia"),
    Method.OTHER: lazy_gettext("Otro medio"),
}
"""How a person may take a deposit; Pix comes in by itself."""

_REASONS: dict[str, LazyString] = {
    Reason.PAID_LATE: lazy_gettext("Pagó después de que venció"),
    Reason.WRONG_AMOUNT: lazy_gettext("Pagó otro importe"),
    Reason.SECOND_PAYMENT: lazy_gettext("Pagó dos veces"),
    Reason.BOOKING_CANCELLED: lazy_gettext("La reserva se canceló"),
    Reason.NOT_OWED: lazy_gettext("Pagó cuando ya no hacía falta"),
    Reason.SLOT_TAKEN: lazy_gettext("El lugar ya era de otra persona"),
    Reason.TIME_PASSED: lazy_gettext("Pagó cuando la hora ya había pasado"),
    Reason.UNMATCHED: lazy_gettext("No sabemos de qué reserva es"),
}


def money(cents: int, currency: str) -> str:
    """Write an amount in the reader's language."""
    return format_money(cents, currency, language=language())


def method_word(method: str) -> str:
    """Name a way to pay."""
    known = {each.value: word for each, word in METHODS.items()}
    return str(known.get(method, "Pix" if method == Method.PIX.value else method))


def reason_words(reason: str | None) -> str:
    """Say why money waits for a decision; a code that is new here is said as it is."""
    return str(_REASONS.get(reason or "", reason or ""))


def failure_words(failure: str | None) -> str:
    """Say why money did not go back, in the provider's words where it has any."""
    return failure if failure and failure != "refused" else gettext("el banco la rechazó")
