"""Everything that can be done to a booking and its money, in one place for the doors.

Each runs inside the caller's transaction and never commits. What a booking alone can do is in
``app/booking``; where money may be involved, the action here is the one that knows.
"""

from app.booking.holds import Wish, extend, place_hold, release
from app.booking.no_shows import confirm_no_show, dismiss_no_show
from app.booking.visits import check_in, complete, undo
from app.checkout.asking import confirm
from app.checkout.changing import cancel, reschedule
from app.checkout.receiving import receive_by_hand, use_payment, waive_deposit
from app.checkout.returning import acknowledge, keep_payment, note_returned, refund_payment

__all__ = [
    "Wish",
    "acknowledge",
    "cancel",
    "check_in",
    "complete",
    "confirm",
    "confirm_no_show",
    "dismiss_no_show",
    "extend",
    "keep_payment",
    "note_returned",
    "place_hold",
    "receive_by_hand",
    "refund_payment",
    "release",
    "reschedule",
    "undo",
    "use_payment",
    "waive_deposit",
]
