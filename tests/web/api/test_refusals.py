from sqlalchemy.orm import Session

from app.catalog.models import Location, Resource, Service
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service, an_api_key, at
from tests.web.api.conftest import (
    Api,
    fields,
    refused,
    utc,
    walls,
)


def test_only_one_of_many_gets_the_slot(api: Api, corte: Service) -> None:
    """A01, A02, P05: the loser is told so, with starts that can be held; nothing is left of it."""
    winner = api.hold(corte)

    losers = [api.hold(corte) for _ in range(3)]

    assert api.get(f"/bookings/{winner.json['id']}").json["status"] == "held"
    for loser in losers:
        document = refused(loser, 409, "slot_taken")
        assert walls(document["alternatives"]) == ["09:00", "11:00", "11:30", "12:00", "12:30"]
    assert len(api.get("/bookings").json["data"]) == 1


def test_every_alternative_can_be_held_as_it_is_offered(api: Api, corte: Service) -> None:
    api.hold(corte)
    offered = api.hold(corte).json["alternatives"]

    for start in offered[:1] + offered[-1:]:
        body = {
            "service_id": str(corte.id),
            "starts_at": start["starts_at"],
            "resource_ids": [resource["id"] for resource in start["resources"]],
        }
        assert api.post("/holds", body).status_code == 201


def test_everything_a_service_needs_is_taken_or_nothing(
    api: Api, session: Session, location: Location, lucia: Resource
) -> None:
    """A13: the room is taken, so Lucía stays free, and others are offered where both are."""
    room = a_resource(session, location, "Sala")
    massage = a_service(session, location, lucia, room, name="Masaje")
    cleaning = a_service(session, location, room, name="Limpieza")
    corte = a_service(session, location, lucia)
    api.hold(cleaning)

    document = refused(api.hold(massage), 409, "slot_taken")

    assert walls(document["alternatives"]) == ["09:00", "11:00", "11:30", "12:00", "12:30"]
    assert {r["name"] for r in document["alternatives"][0]["resources"]} == {"Lucía", "Sala"}
    assert api.hold(corte).status_code == 201


def test_the_past_cannot_be_held(api: Api, corte: Service, clock: Clock) -> None:
    """D16: now is 17:08, asked is 17:00."""
    clock.set(at("2026-03-10 17:08"))

    document = refused(api.hold(corte, "2026-03-10 17:00"), 422, "in_the_past")

    assert document["alternatives"][0]["starts_at"] == utc("2026-03-11 09:00")


def test_outside_hours_others_are_offered(api: Api, corte: Service) -> None:
    for wall in ("2026-03-10 08:30", "2026-03-10 17:30", "2026-03-15 10:00"):
        document = refused(api.hold(corte, wall), 422, "outside_hours")
        assert len(document["alternatives"]) == 5


def test_notice_and_horizon_are_kept(api: Api, session: Session, clock: Clock) -> None:
    careful = a_location(session, notice_minutes=180, horizon_days=7)
    corte = a_service(session, careful, a_resource(session, careful))
    program = Api(api.client, an_api_key(session, careful))

    early = refused(program.hold(corte), 422, "notice_too_short")
    far = refused(program.hold(corte, "2026-03-17 10:00"), 422, "beyond_horizon")

    assert walls(early["alternatives"])[0] == "11:00"
    assert len(far["alternatives"]) == 5


def test_a_time_off_the_grid_is_refused(api: Api, corte: Service) -> None:
    for wall in ("2026-03-10 10:07", "2026-03-10 10:00:01", "2026-03-10 10:00:00.000001"):
        document = refused(api.hold(corte, wall), 422, "invalid_request")
        assert fields(document) == [("starts_at", "not_on_grid")]


def test_when_nothing_is_free_nothing_is_offered(api: Api, session: Session) -> None:
    shut = a_location(session)
    corte = a_service(session, shut, a_resource(session, shut, weekdays=[]))
    program = Api(api.client, an_api_key(session, shut))

    document = refused(program.hold(corte), 422, "outside_hours")

    assert document["alternatives"] == []
