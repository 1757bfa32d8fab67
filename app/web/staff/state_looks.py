from dataclasses import dataclass

from flask_babel import LazyString, lazy_gettext

from app.booking.states import Status


@dataclass(frozen=True)
class Look:
    """How a state is shown everywhere: in words, with an icon, with a colour of the style sheet."""

    label: LazyString
    short: LazyString
    icon: str
    css: str


LOOKS: dict[Status, Look] = {
    Status.HELD: Look(lazy_gettext("Pre-reserva"), lazy_gettext("Pre-reserva"), "pencil", "held"),
    Status.PENDING_PAYMENT: Look(
        lazy_gettext("Seña pendiente"), lazy_gettext("Falta seña"), "coin", "pending"
    ),
    Status.CONFIRMED: Look(
        lazy_gettext("Confirmada"), lazy_gettext("Confirmada"), "check", "confirmed"
    ),
    Status.CHECKED_IN: Look(lazy_gettext("En el local"), lazy_gettext("Llegó"), "door", "arrived"),
    Status.COMPLETED: Look(
        lazy_gettext("Completada"), lazy_gettext("Completada"), "checks", "completed"
    ),
    Status.CANCELLED: Look(lazy_gettext("Cancelada"), lazy_gettext("Cancelada"), "x", "cancelled"),
    Status.NO_SHOW: Look(lazy_gettext("Ausente"), lazy_gettext("Ausente"), "off", "noshow"),
    Status.EXPIRED: Look(lazy_gettext("Vencida"), lazy_gettext("Vencida"), "glass", "expired"),
}
"""The one table from state to words, icon and colour (design/ux.md 4.4)."""
