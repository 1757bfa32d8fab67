"""Everything that can be done to a booking, in one place for the doors.

Each runs inside the caller's transaction and never commits.
"""

from app.booking.holds import Wish, confirm, extend, place_hold, release
from app.booking.no_shows import confirm_no_show, dismiss_no_show
from app.booking.rescheduling import reschedule
from app.booking.visits import cancel, check_in, complete, undo

__all__ = [
    "Wish",
    "cancel",
    "check_in",
    "complete",
    "confirm",
    "confirm_no_show",
    "dismiss_no_show",
    "extend",
    "place_hold",
    "release",
    "reschedule",
    "undo",
]
