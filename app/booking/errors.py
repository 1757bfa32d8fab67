from typing import ClassVar

from app.errors import Conflict, Invalid, TooMany, Unavailable


class SlotTaken(Conflict):
    """Another booking has the time. Is it a hold that is over, the remedy writes that down."""

    code = "slot_taken"


class HoldExpired(Conflict):
    """The hold's time is over; the slot is free for anyone."""

    code = "hold_expired"


class NotAllowedNow(Conflict):
    """The state table has no such move from the booking's state; ``facts["status"]`` tells it."""

    code = "invalid_transition"


class AlreadyRescheduled(Conflict):
    """A booking moves once; ``facts["rescheduled_to"]`` is the one to move instead."""

    code = "already_rescheduled"


class OutsideCancellationWindow(Conflict):
    """Too late for the customer's side to cancel, by the policy in force when booked."""

    code = "outside_cancellation_window"


class StaleVersion(Conflict):
    """Somebody changed the booking since the page was drawn."""

    code = "stale_version"


class CapacityInUse(Conflict):
    """More places are sold at some moment than the pool would have."""

    code = "capacity_in_use"


class KeyInUse(Conflict):
    """The first request with this Idempotency-Key is still running."""

    code = "idempotency_key_in_use"
    retry_after_seconds: ClassVar[int] = 1


class KeyReused(Invalid):
    """The Idempotency-Key came before with another body."""

    code = "idempotency_key_reused"


class InThePast(Invalid):
    code = "in_the_past"


class OutsideHours(Invalid):
    code = "outside_hours"


class NoticeTooShort(Invalid):
    code = "notice_too_short"


class BeyondHorizon(Invalid):
    code = "beyond_horizon"


class NoChange(Invalid):
    """The new place is the old one."""

    code = "no_change"


class TooManyUnits(Invalid):
    """More places asked for than the pool has, or a service without a pool."""

    code = "too_many_units"


class TooManyHolds(TooMany):
    """One phone or one client keeps more times than a person or a business ever would."""

    code = "too_many_holds"


class PaymentsUnavailable(Unavailable):
    """The service asks a deposit and no provider can take it now; the hold stays as it was."""

    code = "payment_provider_unavailable"
    retry_after_seconds: ClassVar[int] = 60
