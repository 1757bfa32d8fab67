from datetime import timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.expiry import BATCH
from app.jobs import holds, keys, no_shows
from tests.conftest import Clock
from tests.factories import a_booking, a_hold, a_location, a_resource, a_service, at


def test_a_burst_of_lapsed_holds_is_drained_in_one_run(session: Session, clock: Clock) -> None:
    location = a_location(session)
    pool = a_resource(session, location, capacity=2 * BATCH)
    clase = a_service(session, location, pool)
    start = at("2026-03-10 10:00")
    for _ in range(BATCH + 3):
        a_hold(session, location, clase, start, now=clock.now())
    assert holds.expire() == 0
    clock.advance(minutes=10)

    assert holds.expire() == BATCH + 3
    assert holds.expire() == 0


def test_absences_are_suggested_by_the_job_and_never_marked(session: Session, clock: Clock) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at("2026-03-10 10:00"))
    clock.set(booking.starts_at + timedelta(hours=2))

    assert no_shows.suggest() == 1
    assert no_shows.suggest() == 0

    status = session.scalar(text("SELECT status FROM booking"))
    assert status == "confirmed"


def test_old_answers_are_forgotten_and_fresh_ones_kept(session: Session, clock: Clock) -> None:
    location = a_location(session)
    for age in ("4 days", "1 hour"):
        session.execute(
            text(
                "INSERT INTO idempotency_key"
                " (location_id, request_key, fingerprint, status, body, created_at)"
                " VALUES (:location_id, cast(:age AS text), '', 201, '{}',"
                " clock_now() - cast(cast(:age AS text) AS interval))"
            ),
            {"location_id": location.id, "age": age},
        )
    session.commit()

    assert keys.prune() == 1

    assert session.scalars(text("SELECT request_key FROM idempotency_key")).all() == ["1 hour"]
