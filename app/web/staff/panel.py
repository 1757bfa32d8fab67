"""The panel of one booking: what it says, what can be done with it, what was typed into it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from flask_babel import LazyString, lazy_gettext

from app.booking.queries import get_booking, history
from app.booking.states import TEMPORARY, Move, Status, allowed
from app.booking.views import BookingView, Contact
from app.customers.phones import format_phone
from app.customers.queries import CustomerView, get_customer
from app.errors import NotFound
from app.extensions import db
from app.web.auth import scope
from app.web.staff.answers import now
from app.web.staff.blocks import Shown
from app.web.staff.deposit_part import DepositPart, deposit_part
from app.web.staff.history import HistoryLine, in_words
from app.web.staff.money_words import METHODS
from app.web.staff.whatsapp import conversation

MOST_EXTENSION_MINUTES = 10
EXTENSION_MINUTES = 5

CHANNELS: dict[str, LazyString] = {
    "desk": lazy_gettext("Recepción"),
    "api": lazy_gettext("API"),
    "bot": lazy_gettext("Bot"),
    "web": lazy_gettext("Web"),
    "public": lazy_gettext("Web"),
}


@dataclass(frozen=True)
class Step:
    """One point of the line from the pencil to the ink."""

    label: LazyString
    is_done: bool
    is_current: bool


@dataclass(frozen=True)
class Panel:
    """What the panel's template draws. ``typed`` and ``errors`` keep a refused form as it was."""

    shown: Shown
    zone: ZoneInfo
    today: date
    country: str
    history: tuple[HistoryLine, ...]
    key: str
    deposit: DepositPart
    customer: CustomerView | None
    typed: Mapping[str, str]
    errors: Mapping[str, str] = field(default_factory=dict)
    notice: str | None = None

    @property
    def booking(self) -> BookingView:
        return self.shown.booking

    @property
    def day(self) -> date:
        return self.booking.starts_at.astimezone(self.zone).date()

    def may(self, move: str) -> bool:
        """Tell whether the state table has the move; a lapsed hold can do nothing more."""
        return Move(move) in allowed(self.shown.status)

    @property
    def channel(self) -> LazyString | str:
        return CHANNELS.get(self.booking.channel, self.booking.channel)

    @property
    def whatsapp(self) -> str | None:
        """Give the address that opens a conversation with the customer."""
        phone = self.booking.contact.phone
        return conversation(phone) if phone else None

    @property
    def waits_for_deposit(self) -> bool:
        return self.shown.is_temporary and self.booking.deposit_cents > 0

    @property
    def methods(self) -> dict[str, LazyString]:
        """Name the ways that a person may take a deposit in."""
        return {method.value: word for method, word in METHODS.items()}

    @property
    def may_move(self) -> bool:
        return self.shown.status in {Status.CONFIRMED, *TEMPORARY}

    @property
    def may_extend(self) -> bool:
        left = MOST_EXTENSION_MINUTES - self.booking.extended_minutes
        return self.may(Move.EXTEND) and left >= EXTENSION_MINUTES

    @property
    def may_take_again(self) -> bool:
        is_over = self.shown.is_gone and self.booking.rescheduled_to is None
        return is_over and self.booking.starts_at > self.shown.now

    @property
    def may_be_absent(self) -> bool:
        """Tell whether the review page let it go, so that only the panel can mark an absence."""
        booking = self.booking
        has_begun = booking.starts_at <= self.shown.now
        return (
            self.may(Move.MARK_NO_SHOW) and has_begun and booking.no_show_dismissed_at is not None
        )

    @property
    def wants_review(self) -> bool:
        booking = self.booking
        return (
            self.shown.status is Status.CONFIRMED
            and booking.no_show_suggested_at is not None
            and booking.no_show_dismissed_at is None
        )

    @property
    def steps(self) -> list[Step]:
        order = [Status.HELD, Status.CONFIRMED, Status.CHECKED_IN, Status.COMPLETED]
        labels = {
            Status.HELD: lazy_gettext("Pre-reserva"),
            Status.PENDING_PAYMENT: lazy_gettext("Seña"),
            Status.CONFIRMED: lazy_gettext("Confirmada"),
            Status.CHECKED_IN: lazy_gettext("Llegó"),
            Status.COMPLETED: lazy_gettext("Lista"),
        }
        if self.booking.deposit_cents:
            order.insert(1, Status.PENDING_PAYMENT)
        if self.shown.status not in order:
            return []
        current = order.index(self.shown.status)
        return [
            Step(labels[status], is_done=place < current, is_current=place == current)
            for place, status in enumerate(order)
        ]


def find_seen(booking_id: UUID) -> BookingView:
    """Read a booking that this reader may see.

    Raises:
        NotFound: there is none, or it is not theirs to see.
    """
    booking = get_booking(db.session(), scope().location_id, booking_id)
    if not scope().covers_booking(booking):
        raise NotFound
    return booking


def open_panel(
    booking: BookingView,
    *,
    typed: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
    notice: str | None = None,
) -> Panel:
    """Collect a booking's panel; what was typed wins over what is stored."""
    mine = scope()
    shown = Shown.at(booking, now(), mine.margin)
    lines = history(db.session(), booking.location_id, booking.id)
    known = contact_fields(booking.contact, mine.country) | {"notes": booking.notes}
    return Panel(
        shown=shown,
        zone=mine.zone,
        today=mine.today(now()),
        country=mine.country,
        history=in_words(lines),
        deposit=deposit_part(shown, lines),
        customer=_customer_of(booking),
        key=str(uuid4()),
        typed=known | dict(typed or {}),
        errors=errors or {},
        notice=notice,
    )


def _customer_of(booking: BookingView) -> CustomerView | None:
    customer_id = booking.contact.customer_id
    if customer_id is None:
        return None
    return get_customer(db.session(), booking.location_id, customer_id)


def contact_fields(contact: Contact, country: str) -> dict[str, str]:
    """Write a contact as its form fields; the phone as people of the country read it."""
    return {
        "name": contact.name or "",
        "phone": format_phone(contact.phone, country) if contact.phone else "",
        "email": contact.email or "",
    }
