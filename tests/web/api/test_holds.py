import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.catalog.models import Location, Resource, Service
from tests.factories import a_location, a_resource, a_service, an_api_key
from tests.web.api.conftest import (
    TEN,
    Api,
    fields,
    instant,
    refused,
    utc,
)


def test_a_hold_answers_the_whole_booking(
    api: Api, location: Location, corte: Service, lucia: Resource
) -> None:
    answer = api.hold(
        corte,
        customer={"name": "Ana", "phone": "(11) 96123-4567", "email": "ana@example.com"},
        notes="Corto",
        channel="whatsapp",
    )

    assert answer.status_code == 201
    booking = answer.json
    assert answer.headers["Location"] == f"/api/v1/bookings/{booking['id']}"
    assert booking["customer"].pop("id")
    assert booking == {
        "id": booking["id"],
        "status": "held",
        "service": {"id": str(corte.id), "name": "Corte"},
        "starts_at": "2026-03-10T13:00:00Z",
        "ends_at": "2026-03-10T14:00:00Z",
        "local": {
            "starts_at": "2026-03-10T10:00:00-03:00",
            "ends_at": "2026-03-10T11:00:00-03:00",
            "timezone": "America/Sao_Paulo",
        },
        "resources": [{"id": str(lucia.id), "name": "Lucía", "units": 1}],
        "customer": {"name": "Ana", "phone": "+5511961234567", "email": "ana@example.com"},
        "expires_at": "2026-03-10T11:10:00Z",
        "price_cents": 0,
        "deposit_cents": 0,
        "currency": "BRL",
        "payment": None,
        "rescheduled_from": None,
        "rescheduled_to": None,
        "channel": "whatsapp",
        "notes": "Corto",
        "created_at": "2026-03-10T11:00:00Z",
        "updated_at": "2026-03-10T11:00:00Z",
        "version": 1,
        "manage_url": None,
    }
    assert api.get(f"/bookings/{booking['id']}").json == answer.json


def test_a_hold_needs_no_customer(api: Api, corte: Service) -> None:
    booking = api.hold(corte).json

    assert booking["customer"] is None
    assert booking["channel"] == "api"
    assert booking["notes"] == ""


def test_null_is_the_same_as_leaving_a_field_out(api: Api, corte: Service) -> None:
    answer = api.hold(corte, customer=None, notes=None, resource_ids=None)

    assert answer.status_code == 201
    assert answer.json["customer"] is None


def test_any_that_fits_never_takes_the_same_twice(
    api: Api, session: Session, location: Location
) -> None:
    """A05: two people, three holds of one time."""
    team = [a_resource(session, location, name) for name in ("Ana", "Bia")]
    corte = a_service(session, location, team)

    first, second, third = (api.hold(corte) for _ in range(3))

    names = {answer.json["resources"][0]["name"] for answer in (first, second)}
    assert names == {"Ana", "Bia"}
    refused(third, 409, "slot_taken")


def test_a_chosen_resource_is_taken_or_nothing(
    api: Api, session: Session, location: Location
) -> None:
    ana, bia = (a_resource(session, location, name) for name in ("Ana", "Bia"))
    corte = a_service(session, location, [ana, bia])

    held = api.hold(corte, resource_ids=[str(bia.id)])
    document = refused(api.hold(corte, resource_ids=[str(bia.id)]), 409, "slot_taken")

    assert held.json["resources"][0]["name"] == "Bia"
    nearest = document["alternatives"][0]
    assert (nearest["starts_at"], nearest["resources"][0]["name"]) == (utc(TEN), "Ana")


def test_a_pool_is_full_at_its_peak(api: Api, session: Session, location: Location) -> None:
    """A08: two places; 9-10, 10-11 and 9-11 fit, 9:30-10:30 does not."""
    places = a_resource(session, location, "Mesas", capacity=2)
    hour = a_service(session, location, places, name="Una hora")
    two_hours = a_service(session, location, places, name="Dos", duration_minutes=120)

    held = [
        api.hold(hour, "2026-03-10 09:00"),
        api.hold(hour, "2026-03-10 10:00"),
        api.hold(two_hours, "2026-03-10 09:00"),
    ]

    assert [answer.status_code for answer in held] == [201, 201, 201]
    refused(api.hold(hour, "2026-03-10 09:30"), 409, "slot_taken")


def test_a_kit_takes_its_places_by_weight(api: Api, session: Session, location: Location) -> None:
    """A10: three places, a kit takes two of them."""
    places = a_resource(session, location, "Kayaks", capacity=3)
    kit = a_service(session, location, ([places], 2), name="Kit")

    first, second = api.hold(kit), api.hold(kit)

    assert first.json["resources"] == [{"id": str(places.id), "name": "Kayaks", "units": 2}]
    refused(second, 409, "slot_taken")


def test_units_multiply_places_and_price(api: Api, session: Session, location: Location) -> None:
    places = a_resource(session, location, "Clase", capacity=8)
    yoga = a_service(session, location, places, name="Yoga", price_cents=1500)

    booking = api.hold(yoga, units=3).json

    assert booking["resources"][0]["units"] == 3
    assert booking["price_cents"] == 4500
    [start] = api.get(
        "/availability", service_id=yoga.id, from_=instant(TEN), to=instant("2026-03-10 10:01")
    ).json["data"]
    assert start["places_left"] == 5
    refused(api.hold(yoga, units=6), 409, "slot_taken")
    refused(api.hold(yoga, units=9), 422, "too_many_units")


def test_a_service_without_a_pool_has_one_place(api: Api, corte: Service) -> None:
    refused(api.hold(corte, units=2), 422, "too_many_units")


def test_confirming_completes_whom_it_is_for(api: Api, corte: Service) -> None:
    hold = api.hold(corte, customer={"name": "Ana"}, notes="Corto").json

    confirmed = api.confirm(hold, customer={"name": "Ana Paula", "phone": "+5511961234567"}).json

    assert confirmed["status"] == "confirmed"
    assert confirmed["expires_at"] is None
    assert confirmed["customer"]["name"] == "Ana Paula"
    assert confirmed["customer"]["phone"] == "+5511961234567"
    assert confirmed["notes"] == "Corto"
    assert confirmed["version"] == 2


def test_confirming_twice_with_other_keys_happens_once(
    api: Api, corte: Service, session: Session
) -> None:
    """A04."""
    hold = api.hold(corte).json

    first, second = api.confirm(hold), api.confirm(hold)

    assert first.status_code == second.status_code == 200
    assert first.json == second.json
    confirmations = "SELECT count(*) FROM outbox WHERE kind = 'booking.confirmed'"
    assert session.scalar(text(confirmations)) == 1


@pytest.mark.parametrize("field", ["service_id", "starts_at", "resource_ids", "price_cents"])
def test_confirming_changes_nothing_else(api: Api, corte: Service, field: str) -> None:
    hold = api.hold(corte).json

    document = refused(api.confirm(hold, **{field: "x"}), 422, "invalid_request")

    assert fields(document) == [(field, "unknown_field")]
    assert api.get(f"/bookings/{hold['id']}").json == hold


def test_a_confirmation_without_name_or_phone_is_refused(api: Api, corte: Service) -> None:
    hold = api.hold(corte).json

    document = refused(api.confirm(hold, customer={"email": "a@b.c"}), 422, "invalid_request")

    assert fields(document) == [("customer.name", "required"), ("customer.phone", "required")]


def test_without_an_account_a_deposit_cannot_be_taken(
    api: Api, session: Session, location: Location, lucia: Resource
) -> None:
    color = a_service(session, location, lucia, price_cents=9000, deposit_cents=3000)
    hold = api.hold(color).json

    answer = api.confirm(hold, key="k")

    refused(answer, 503, "payment_provider_unavailable")
    assert answer.headers["Retry-After"] == "60"
    assert hold["expires_at"] == "2026-03-10T11:15:00Z"
    assert api.get(f"/bookings/{hold['id']}").json == hold


def test_a_released_hold_is_free_at_once(api: Api, corte: Service) -> None:
    hold = api.hold(corte).json

    answer = api.delete(f"/holds/{hold['id']}")

    assert (answer.status_code, answer.data) == (204, b"")
    assert api.hold(corte).status_code == 201
    assert api.delete(f"/holds/{hold['id']}").status_code == 204


def test_a_booking_is_not_released_but_cancelled(api: Api, corte: Service) -> None:
    booking = api.book(corte)

    document = refused(api.delete(f"/holds/{booking['id']}"), 409, "invalid_transition")

    assert document["booking_status"] == "confirmed"
    assert api.get(f"/bookings/{booking['id']}").json["status"] == "confirmed"


@pytest.mark.parametrize(
    "id", ["no-such", "01a22f7c-c173-7cd3-b99e-3dde7ac42cbc", "%00", "9" * 500]
)
def test_an_unknown_hold_is_not_found(api: Api, id: str) -> None:
    refused(api.post(f"/holds/{id}/confirm"), 404, "not_found")
    refused(api.delete(f"/holds/{id}"), 404, "not_found")


def test_what_belongs_to_another_location_is_not_found(
    api: Api, session: Session, corte: Service
) -> None:
    elsewhere = a_location(session)
    stranger = Api(api.client, an_api_key(session, elsewhere))
    hold = api.hold(corte).json

    refused(stranger.hold(corte), 404, "not_found")
    refused(stranger.confirm(hold), 404, "not_found")
    refused(stranger.delete(f"/holds/{hold['id']}"), 404, "not_found")
    assert api.get(f"/bookings/{hold['id']}").json == hold


def test_a_resource_that_the_service_cannot_use_is_not_found(
    api: Api, session: Session, location: Location, corte: Service
) -> None:
    other = a_resource(session, location, "Otra")

    refused(api.hold(corte, resource_ids=[str(other.id)]), 404, "not_found")


def test_two_resources_for_one_need_are_refused(
    api: Api, session: Session, location: Location
) -> None:
    ana, bia = (a_resource(session, location, name) for name in ("Ana", "Bia"))
    corte = a_service(session, location, [ana, bia])

    answer = api.hold(corte, resource_ids=[str(ana.id), str(bia.id)])

    document = refused(answer, 422, "invalid_request")
    assert fields(document) == [("resource_ids", "one_per_need")]


def test_a_name_is_stored_and_shown_as_it_was_written(api: Api, corte: Service) -> None:
    """H03: accents, an apostrophe, an emoji of several code points, a right-to-left mark."""
    name = "Zoë D'Ávila 💇‍♀️ \N{RIGHT-TO-LEFT MARK}"

    hold = api.hold(corte, customer={"name": name}, notes="<b>\\ \n</b>").json

    seen = api.get(f"/bookings/{hold['id']}").json
    assert seen["customer"]["name"] == name
    assert seen["notes"] == "<b>\\ \n</b>"
