"""Each promise that the check keeps an eye on is broken here once, so the check is known to see."""

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.integrity import FAULTS, find_faults
from tests.conftest import Clock
from tests.factories import a_booking, a_location, a_resource, a_service, at

TEN = "2026-03-10 10:00"

PLANTED = {
    "two live bookings on one exclusive resource": (
        "ALTER TABLE allocation DROP CONSTRAINT ex_allocation_no_overlap",
        """UPDATE allocation SET during = (SELECT during FROM allocation
            WHERE kind = 'exclusive' ORDER BY lower(during) LIMIT 1) WHERE kind = 'exclusive'""",
    ),
    "an allocation that does not follow its booking's state": (
        "UPDATE allocation SET active = false WHERE kind = 'exclusive'",
    ),
    "a booking that takes fewer resources than its service needs": (
        "DELETE FROM allocation WHERE kind = 'exclusive'",
    ),
    "a pool counter that differs from its allocations": ("UPDATE pool_usage SET used = 0",),
    "a booking whose last event is not its state": (
        "DELETE FROM outbox WHERE kind = 'booking.confirmed'",
    ),
}


def a_busy_day(session: Session) -> None:
    location = a_location(session)
    person = a_resource(session, location)
    pool = a_resource(session, location, "Camillas", capacity=3)
    a_booking(session, location, a_service(session, location, person), at(TEN))
    a_booking(session, location, a_service(session, location, person, pool), at("2026-03-10 12:00"))


def test_a_day_that_went_well_has_no_faults(session: Session, clock: Clock) -> None:
    a_busy_day(session)

    assert find_faults(session) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_found(session: Session, clock: Clock, fault: str) -> None:
    a_busy_day(session)
    session.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
    for statement in PLANTED[fault]:
        session.execute(text(statement))

    assert fault in {found.what for found in find_faults(session)}
