"""What was done to a booking and its money, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask_babel import LazyString, lazy_gettext

from app.booking.queries import AuditLine
from app.events import Event
from app.web.staff.money_words import failure_words, method_word, money, reason_words
from app.web.staff.wording import gettext

_SAID: dict[str, LazyString] = {
    Event.HELD: lazy_gettext("Pre-reserva"),
    Event.EXTENDED: lazy_gettext("Más tiempo"),
    Event.EXPIRED: lazy_gettext("Venció"),
    Event.PENDING_PAYMENT: lazy_gettext("Se pidió la seña"),
    Event.CONFIRMED: lazy_gettext("Confirmada"),
    Event.CHECKED_IN: lazy_gettext("Llegó"),
    Event.COMPLETED: lazy_gettext("Completada"),
    Event.CANCELLED: lazy_gettext("Cancelada"),
    Event.RESCHEDULED: lazy_gettext("Movida"),
    Event.NO_SHOW_SUGGESTED: lazy_gettext("Posible ausencia"),
    Event.NO_SHOW_DISMISSED: lazy_gettext("No fue ausencia"),
    Event.NO_SHOW: lazy_gettext("Ausente"),
    Event.UNDONE: lazy_gettext("Deshecho"),
    Event.PAYMENT_CREATED: lazy_gettext("Código Pix creado"),
    Event.PAYMENT_PAID: lazy_gettext("Seña recibida"),
    Event.REFUND_DUE: lazy_gettext("Pago para decidir"),
    Event.REFUND_ASKED: lazy_gettext("Se pidió devolver el pago"),
    Event.REFUNDED: lazy_gettext("Pago devuelto"),
    Event.REFUND_FAILED: lazy_gettext("No se pudo devolver el pago"),
    Event.PAYMENT_KEPT: lazy_gettext("El negocio se queda el pago"),
    Event.PAYMENT_SEEN: lazy_gettext("Visto lo que devolvió el banco"),
    Event.PAYMENT_MOVED: lazy_gettext("Seña pagada con un pago anterior"),
}

_DOORS: dict[str, LazyString] = {
    "api": lazy_gettext("por la API"),
    "public": lazy_gettext("en la web"),
    "worker": lazy_gettext("por sí sola"),
    "cli": lazy_gettext("por consola"),
}

_SILENT = frozenset({"released", "rescheduled"})
"""Reasons that the program writes for itself."""


@dataclass(frozen=True)
class HistoryLine:
    at: datetime
    said: str
    who: str
    reason: str


def in_words(lines: Sequence[AuditLine]) -> tuple[HistoryLine, ...]:
    """Write the lines of a booking's history as people read them."""
    return tuple(
        HistoryLine(at=line.at, said=_said(line), who=_who(line), reason=_why(line))
        for line in lines
    )


def is_about_money(line: AuditLine) -> bool:
    return line.action.startswith("payment.")


def _said(line: AuditLine) -> str:
    said = str(_SAID.get(line.action, line.action))
    if line.action == Event.CONFIRMED and "waived_cents" in line.detail:
        return gettext("Confirmada sin seña")
    cents = line.detail.get("refund_cents", line.detail.get("amount_cents"))
    if not is_about_money(line) or cents is None:
        return said
    return f"{said}: {money(cents, line.detail.get('currency', ''))}"


def _who(line: AuditLine) -> str:
    if line.door == "desk":
        return line.actor
    if line.door == "worker" and line.detail.get("is_by_bank"):
        return gettext("por el banco")
    if line.door == "worker" and (is_about_money(line) or "txid" in line.detail):
        return gettext("por Pix")
    return str(_DOORS.get(line.door, line.door))


def _why(line: AuditLine) -> str:
    detail = line.detail
    if is_about_money(line):
        return _why_of_money(line.action, detail)
    parts = [
        method_word(detail["received_by"]) if "received_by" in detail else "",
        str(detail.get("override") or detail.get("reason") or ""),
    ]
    return ", ".join(part for part in parts if part and part not in _SILENT)


def _why_of_money(action: str, detail: dict[str, Any]) -> str:
    if action == Event.REFUND_DUE:
        return reason_words(detail.get("reason"))
    if action == Event.REFUND_FAILED:
        return failure_words(detail.get("failure"))
    if action == Event.PAYMENT_PAID and detail.get("method") != "pix":
        return method_word(detail.get("method", ""))
    return str(detail.get("note") or "")
