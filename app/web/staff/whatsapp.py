"""Links that open a conversation with a customer, with what to say already written."""

from urllib.parse import quote

from flask_babel import force_locale

from app.booking.views import BookingView
from app.payments.queries import DepositView
from app.web.staff.money_words import money
from app.web.staff.scope import Scope
from app.web.staff.wording import clock_time, day_in_sentence, day_of, gettext

_LONGEST_NAME = 40
_LONGEST_SERVICE = 60


def conversation(phone: str | None, text: str = "") -> str:
    """Give the address of a conversation; without a phone WhatsApp asks with whom."""
    digits = (phone or "").removeprefix("+")
    asked = f"?text={quote(text, safe='')}" if text else ""
    return f"https://wa.me/{digits}{asked}"


def deposit_message(booking: BookingView, deposit: DepositView, scope: Scope) -> str:
    """Write how to pay a deposit, in the business's language; the bare code is the last line.

    Names are cut, because an address that is too long opens nothing.
    """
    with force_locale(scope.language):
        body = gettext(
            "Te guardamos %(service)s el %(day)s a las %(time)s."  # codespell:ignore te
            " Para confirmar, pagá la seña de %(amount)s por Pix antes de las %(until)s."
            " Copiá este código y pegalo en la app de tu banco, en Pix copia y pega:",
            service=_cut(booking.service_name, _LONGEST_SERVICE),
            day=day_in_sentence(day_of(booking.starts_at, scope.zone)),
            time=clock_time(booking.starts_at, scope.zone),
            amount=money(deposit.amount_cents, deposit.currency),
            until=clock_time(deposit.payable_until, scope.zone),
        )
        return f"{_greeting(booking.contact.name)} {body}\n\n{deposit.copy_paste}"


def _greeting(name: str | None) -> str:
    if not name:
        return gettext("Hola.")
    return gettext("Hola %(name)s.", name=_cut(name, _LONGEST_NAME))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
