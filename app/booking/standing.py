from datetime import datetime, timedelta

from app.booking.errors import (
    AlreadyRescheduled,
    HoldExpired,
    OutsideCancellationWindow,
    StaleVersion,
)
from app.booking.placing import Wanted
from app.booking.states import Status
from app.booking.views import BookingView


def wanted_of(booking: BookingView) -> Wanted:
    """Tell what a booking stands for, to offer others like it."""
    return Wanted(
        location_id=booking.location_id,
        service_id=booking.service_id,
        starts_at=booking.starts_at,
        resource_ids=tuple(resource.id for resource in booking.resources),
        units=booking.units,
    )


def check_window(booking: BookingView, clock: datetime) -> None:
    """Refuse a change by the customer's side too near to the start.

    By the policy in force when it was booked. It holds for moving as for cancelling, or a move far
    away would be the way around it.

    Raises:
        OutsideCancellationWindow: staff may still do it.
    """
    window = timedelta(minutes=booking.policy.get("cancellation_window_minutes", 0))
    if booking.status is Status.CONFIRMED and clock > booking.starts_at - window:
        raise OutsideCancellationWindow


def check_standing(booking: BookingView, clock: datetime, version: int | None) -> None:
    """Refuse to change what is over, moved on, or changed since the caller looked.

    ``clock`` is the database's time: a hold is over from its second on, whoever wrote it down.

    Raises:
        AlreadyRescheduled, HoldExpired, StaleVersion: as they say.
    """
    if booking.rescheduled_to is not None:
        raise AlreadyRescheduled(facts={"rescheduled_to": str(booking.rescheduled_to)})
    if booking.status is Status.EXPIRED or booking.has_lapsed(clock):
        raise HoldExpired(wanted=wanted_of(booking))
    if version is not None and version != booking.version:
        raise StaleVersion(facts={"status": booking.status.value})
