import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.catalog.models import Location, Resource, Service
from tests.factories import a_location, a_resource, a_service, an_api_key
from tests.web.api.conftest import Api, fields, refused


def test_the_location_tells_its_policies(api: Api, location: Location) -> None:
    assert api.get("/location").json == {
        "id": str(location.id),
        "name": "Estudio Ceibo",
        "timezone": "America/Sao_Paulo",
        "currency": "BRL",
        "country": "BR",
        "language": "es",
        "city": "",
        "hold_minutes": 10,
        "deposit_hold_minutes": 15,
        "notice_minutes": 0,
        "horizon_days": 60,
        "cancellation_window_minutes": 0,
    }


def test_a_service_tells_all_that_a_booking_needs(
    api: Api, session: Session, location: Location, lucia: Resource
) -> None:
    places = a_resource(session, location, "Clase", capacity=8, position=1)
    yoga = a_service(
        session,
        location,
        lucia,
        ([places], 2),
        name="Yoga",
        duration_minutes=45,
        grid_minutes=15,
        buffer_before_minutes=5,
        buffer_after_minutes=10,
        price_cents=9000,
        deposit_cents=3000,
    )

    assert api.get("/services").json == {
        "data": [
            {
                "id": str(yoga.id),
                "name": "Yoga",
                "duration_minutes": 45,
                "buffer_before_minutes": 5,
                "buffer_after_minutes": 10,
                "grid_minutes": 15,
                "price_cents": 9000,
                "deposit_cents": 3000,
                "currency": "BRL",
                "notice_minutes": 0,
                "horizon_days": 60,
                "needs": [
                    {"units": 1, "resources": [{"id": str(lucia.id), "name": "Lucía"}]},
                    {"units": 2, "resources": [{"id": str(places.id), "name": "Clase"}]},
                ],
            }
        ],
        "next_cursor": None,
    }


def test_a_resource_tells_how_many_fit(api: Api, session: Session, location: Location) -> None:
    places = a_resource(session, location, "Clase", capacity=8, label="Sala 2")

    assert api.get("/resources").json == {
        "data": [
            {
                "id": str(places.id),
                "name": "Clase",
                "label": "Sala 2",
                "kind": "pooled",
                "capacity": 8,
            }
        ],
        "next_cursor": None,
    }


@pytest.mark.parametrize("call", ["/services", "/resources"])
def test_lists_come_in_pages(
    api: Api, session: Session, location: Location, lucia: Resource, call: str
) -> None:
    for number in range(4):
        resource = a_resource(session, location, f"R{number}", position=number + 1)
        a_service(session, location, resource, position=number)
    whole = api.get(call).json["data"]

    pages, cursor = [], {}
    for _ in range(len(whole) // 2 + 1):
        page = api.get(call, limit=2, **cursor).json
        pages.append(page["data"])
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert [each for page in pages for each in page] == whole
    assert page["next_cursor"] is None
    assert [len(page) for page in pages[:-1]] == [2] * (len(pages) - 1)


@pytest.mark.parametrize("call", ["/services", "/resources"])
@pytest.mark.parametrize(
    "cursor", ["x", "é", "eA", "MDFhMjJmN2MtYzE3My03Y2QzLWI5OWUtM2RkZTdhYzQyY2Jj"]
)
def test_a_broken_cursor_is_refused(api: Api, corte: Service, call: str, cursor: str) -> None:
    document = refused(api.get(call, cursor=cursor), 422, "invalid_request")

    assert fields(document) == [("cursor", "invalid_cursor")]


@pytest.mark.parametrize("call", ["/location", "/services", "/resources", "/bookings/x"])
def test_unknown_parameters_are_refused(api: Api, call: str) -> None:
    document = refused(api.get(call, colour="red"), 422, "invalid_request")

    assert fields(document) == [("colour", "unknown_field")]


def test_a_key_sees_its_own_location_only(api: Api, session: Session, corte: Service) -> None:
    stranger = Api(api.client, an_api_key(session, a_location(session, name="Otro")))

    assert stranger.get("/location").json["name"] == "Otro"
    assert stranger.get("/services").json["data"] == []
    assert stranger.get("/resources").json["data"] == []


def test_what_is_archived_is_not_listed(
    api: Api, session: Session, corte: Service, lucia: Resource
) -> None:
    session.execute(text("UPDATE service SET archived_at = now()"))
    session.commit()

    assert api.get("/services").json["data"] == []
    assert len(api.get("/resources").json["data"]) == 1
