"""The one table that says what becomes of money that came in."""

from dataclasses import dataclass
from enum import StrEnum

from app.booking.states import Status


class Verdict(StrEnum):
    CONFIRM = "confirm"
    CONFIRM_IF_FREE = "confirm_if_free"
    REFUND = "refund"


class Reason(StrEnum):
    """Why money is in the list of what a person decides on."""

    PAID_LATE = "paid_late"
    WRONG_AMOUNT = "wrong_amount"
    SECOND_PAYMENT = "second_payment"
    BOOKING_CANCELLED = "booking_cancelled"
    NOT_OWED = "not_owed"
    SLOT_TAKEN = "slot_taken"
    TIME_PASSED = "time_passed"
    UNMATCHED = "unmatched"


@dataclass(frozen=True)
class Case:
    """A payment of a charge, as it meets its booking. ``is_in_time`` is by the provider's clock."""

    status: Status
    is_in_time: bool
    is_exact: bool
    is_first: bool


@dataclass(frozen=True)
class Rule:
    """A line of the table: the conditions it names must hold, the others do not matter."""

    verdict: Verdict
    reason: Reason | None = None
    statuses: frozenset[Status] = frozenset(Status)
    is_in_time: bool | None = None
    is_exact: bool | None = None
    is_first: bool | None = None

    def covers(self, case: Case) -> bool:
        return (
            case.status in self.statuses
            and self.is_in_time in {None, case.is_in_time}
            and self.is_exact in {None, case.is_exact}
            and self.is_first in {None, case.is_first}
        )


_WAITING = frozenset({Status.HELD, Status.PENDING_PAYMENT})
_SETTLED = frozenset({Status.CONFIRMED, Status.CHECKED_IN, Status.COMPLETED, Status.NO_SHOW})

RULES = (
    Rule(Verdict.REFUND, Reason.SECOND_PAYMENT, is_first=False),
    Rule(Verdict.REFUND, Reason.WRONG_AMOUNT, is_exact=False),
    Rule(Verdict.REFUND, Reason.BOOKING_CANCELLED, statuses=frozenset({Status.CANCELLED})),
    Rule(Verdict.REFUND, Reason.NOT_OWED, statuses=_SETTLED),
    Rule(Verdict.REFUND, Reason.PAID_LATE, is_in_time=False),
    Rule(Verdict.CONFIRM, statuses=_WAITING),
    Rule(Verdict.CONFIRM_IF_FREE, Reason.SLOT_TAKEN, statuses=frozenset({Status.EXPIRED})),
)
"""The first line that covers a case decides it. ``is_first`` says that the booking has no deposit
yet; a payment that the list of refunds has already does not make the next one the second."""


def judge(case: Case) -> Rule:
    """Find the line of the table that decides; there is one for every case."""
    return next(rule for rule in RULES if rule.covers(case))
