"""Where clocks change, a program sees and books the right hours."""

from datetime import UTC, datetime

from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from app.catalog.models import Service
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service, an_api_key
from tests.web.api.conftest import Api, instant, refused

NEW_YORK = "America/New_York"


NIGHT = (0, 6 * 60)


def in_new_york(
    session: Session, client: FlaskClient, hours: tuple[int, int] = (9 * 60, 18 * 60)
) -> tuple[Api, Service]:
    """A program and a service of an hour, every day of the week."""
    place = a_location(session, timezone=NEW_YORK, country="US", currency="USD")
    corte = a_service(session, place, a_resource(session, place, hours=(hours,), weekdays=range(7)))
    return Api(client, an_api_key(session, place)), corte


def test_after_the_clocks_change_the_opening_is_still_at_nine(
    session: Session, client: FlaskClient, clock: Clock
) -> None:
    """D02: asked before the change about days on both sides; both book."""
    clock.set(datetime(2026, 10, 25, 12, tzinfo=UTC))
    program, corte = in_new_york(session, client)

    for day, opening in (("2026-10-30", "T13:00:00Z"), ("2026-11-05", "T14:00:00Z")):
        answer = program.get(
            "/availability",
            service_id=corte.id,
            from_=instant(f"{day} 00:00", NEW_YORK),
            to=instant(f"{day} 23:59", NEW_YORK),
        )
        first = answer.json["data"][0]
        assert first["starts_at"] == f"{day}{opening}"
        body = {"service_id": str(corte.id), "starts_at": first["starts_at"]}
        assert program.post("/holds", body).status_code == 201


def test_on_the_day_of_the_change_each_start_comes_once(
    session: Session, client: FlaskClient, clock: Clock
) -> None:
    """D01, P06."""
    clock.set(datetime(2026, 3, 6, 12, tzinfo=UTC))
    program, corte = in_new_york(session, client)

    answer = program.get(
        "/availability",
        service_id=corte.id,
        from_=instant("2026-03-08 00:00", NEW_YORK),
        to=instant("2026-03-09 00:00", NEW_YORK),
    )

    starts = [start["local"]["starts_at"] for start in answer.json["data"]]
    assert len(starts) == len(set(starts)) == 17
    assert starts[0] == "2026-03-08T09:00:00-04:00"
    assert answer.json["data"][0]["starts_at"] == "2026-03-08T13:00:00Z"


def test_an_instant_of_the_repeated_hour_is_what_its_offset_says(
    session: Session, client: FlaskClient, clock: Clock
) -> None:
    """D04: half past one comes twice on 2026-11-01; the second one is asked for and booked."""
    clock.set(datetime(2026, 10, 30, 12, tzinfo=UTC))
    program, corte = in_new_york(session, client, NIGHT)
    body = {"service_id": str(corte.id), "starts_at": "2026-11-01T01:30:00-05:00"}

    booking = program.post("/holds", body).json

    assert booking["starts_at"] == "2026-11-01T06:30:00Z"
    assert booking["local"]["starts_at"] == "2026-11-01T01:30:00-05:00"
    refused(
        program.post("/holds", {**body, "starts_at": "2026-11-01T01:30:00"}), 422, "offset_required"
    )
    other = program.post("/holds", {**body, "starts_at": "2026-11-01T01:30:00-04:00"})
    assert other.json["starts_at"] == "2026-11-01T05:30:00Z"


def test_an_hour_that_does_not_exist_is_not_offered(
    session: Session, client: FlaskClient, clock: Clock
) -> None:
    """D05: half past two on 2026-03-08."""
    clock.set(datetime(2026, 3, 6, 12, tzinfo=UTC))
    program, corte = in_new_york(session, client, NIGHT)

    answer = program.get(
        "/availability",
        service_id=corte.id,
        from_=instant("2026-03-08 00:00", NEW_YORK),
        to=instant("2026-03-08 04:00", NEW_YORK),
    )

    walls = [start["local"]["starts_at"][11:] for start in answer.json["data"]]
    assert walls == [
        "00:00:00-05:00",
        "00:30:00-05:00",
        "01:00:00-05:00",
        "01:30:00-05:00",
        "03:00:00-04:00",
        "03:30:00-04:00",
    ]
