"""What became of a booking's deposit, in a few words."""

from collections.abc import Sequence

from flask_babel import LazyString, lazy_gettext

from app.payments.customers import PaidView
from app.payments.models import Standing
from app.web.staff.money_words import money

_BECAME: dict[Standing, LazyString] = {
    Standing.APPLIED: lazy_gettext("seña recibida"),
    Standing.DUE: lazy_gettext("pago para decidir"),
    Standing.RETURNED: lazy_gettext("pago devuelto"),
    Standing.KEPT: lazy_gettext("pago que quedó para el negocio"),
}


def said_of_money(payments: Sequence[PaidView]) -> str:
    """Say each payment of a booking, and what of it went back."""
    return " · ".join(_said(payment) for payment in payments)


def _said(payment: PaidView) -> str:
    amount = money(payment.amount_cents, payment.currency)
    said = f"{amount} {_BECAME[payment.standing]}"
    if not payment.returned_cents or payment.standing is Standing.RETURNED:
        return said
    returned = money(payment.returned_cents, payment.currency)
    return f"{said} ({returned} {_BECAME[Standing.RETURNED]})"
