from enum import StrEnum

from app.booking.errors import NotAllowedNow


class Status(StrEnum):
    """What a booking is. People read them as in the glossary."""

    HELD = "held"
    PENDING_PAYMENT = "pending_payment"
    CONFIRMED = "confirmed"
    CHECKED_IN = "checked_in"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    NO_SHOW = "no_show"
    EXPIRED = "expired"


class Move(StrEnum):
    """What may happen to a booking."""

    CONFIRM = "confirm"
    ASK_DEPOSIT = "ask_deposit"
    EXTEND = "extend"
    PAY = "pay"
    WAIVE = "waive"
    EXPIRE = "expire"
    CANCEL = "cancel"
    CHECK_IN = "check_in"
    COMPLETE = "complete"
    MARK_NO_SHOW = "mark_no_show"
    UNDO = "undo"


TEMPORARY = frozenset({Status.HELD, Status.PENDING_PAYMENT})
"""They carry ``expires_at`` and end by themselves."""

OCCUPYING = TEMPORARY | {Status.CONFIRMED, Status.CHECKED_IN}
"""They keep their resources: ``allocation.active`` is true exactly in these."""

MOVES: dict[tuple[Status, Move], Status] = {
    (Status.HELD, Move.CONFIRM): Status.CONFIRMED,
    (Status.HELD, Move.ASK_DEPOSIT): Status.PENDING_PAYMENT,
    (Status.HELD, Move.EXTEND): Status.HELD,
    (Status.HELD, Move.EXPIRE): Status.EXPIRED,
    (Status.HELD, Move.CANCEL): Status.CANCELLED,
    (Status.PENDING_PAYMENT, Move.PAY): Status.CONFIRMED,
    (Status.PENDING_PAYMENT, Move.WAIVE): Status.CONFIRMED,
    (Status.PENDING_PAYMENT, Move.EXPIRE): Status.EXPIRED,
    (Status.PENDING_PAYMENT, Move.CANCEL): Status.CANCELLED,
    (Status.CONFIRMED, Move.CHECK_IN): Status.CHECKED_IN,
    (Status.CONFIRMED, Move.CANCEL): Status.CANCELLED,
    (Status.CONFIRMED, Move.MARK_NO_SHOW): Status.NO_SHOW,
    (Status.CHECKED_IN, Move.COMPLETE): Status.COMPLETED,
    (Status.CHECKED_IN, Move.UNDO): Status.CONFIRMED,
    (Status.NO_SHOW, Move.UNDO): Status.CONFIRMED,
    (Status.EXPIRED, Move.PAY): Status.CONFIRMED,
}
"""Everything that may happen. What is not here is refused (design/booking-core.md, 1)."""


def after(status: Status, move: Move) -> Status:
    """Tell what ``move`` makes of a booking.

    Raises:
        NotAllowedNow: the table has no such move.
    """
    try:
        return MOVES[status, move]
    except KeyError:
        raise NotAllowedNow(facts={"status": status.value}) from None


def allowed(status: Status) -> frozenset[Move]:
    """Tell the moves a booking may make."""
    return frozenset(move for (known, move) in MOVES if known is status)
