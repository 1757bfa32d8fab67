import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.expiry import expire_due
from app.catalog.models import Location, Resource, Service
from app.extensions import db
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service, an_api_key, at
from tests.web.api.conftest import (
    TEN,
    Api,
    a_coming_wednesday,
    fields,
    instant,
    refused,
    utc,
    walls,
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


def test_a_lapsed_hold_is_over_for_its_owner_and_free_for_others(
    api: Api, corte: Service, clock: Clock
) -> None:
    """A03: nobody swept; the second hold confirms, the first is told what else is free."""
    first = api.hold(corte).json
    clock.advance(minutes=11)
    second = api.hold(corte).json
    clock.advance(minutes=1)

    late = refused(api.confirm(first), 409, "hold_expired")
    in_time = api.confirm(second)

    assert len(late["alternatives"]) == 5
    assert "10:00" not in walls(late["alternatives"])
    assert in_time.status_code == 200
    assert in_time.json["status"] == "confirmed"


def test_a_lapsed_hold_reads_as_expired_before_anybody_sweeps(
    api: Api, corte: Service, clock: Clock
) -> None:
    hold = api.hold(corte).json
    clock.advance(minutes=10)

    seen = api.get(f"/bookings/{hold['id']}").json

    assert (seen["status"], seen["expires_at"]) == ("expired", None)
    assert api.get("/bookings", status="held").json["data"] == []
    assert [b["status"] for b in api.get("/bookings").json["data"]] == ["expired"]


def test_a_lapsed_hold_can_be_taken_back_where_it_is_still_free(
    api: Api, corte: Service, clock: Clock
) -> None:
    hold = api.hold(corte).json
    clock.advance(minutes=10)

    document = refused(api.confirm(hold), 409, "hold_expired")

    assert walls(document["alternatives"])[0] == "10:00"


def test_a_hold_expires_with_one_event(
    api: Api, corte: Service, clock: Clock, session: Session
) -> None:
    """B06: two sweeps, and a look at it in between."""
    hold = api.hold(corte).json
    clock.advance(minutes=10)
    expire_due(session)
    session.commit()
    api.confirm(hold)
    expire_due(session)
    session.commit()

    seen = "SELECT count(*) FROM {} WHERE {} = 'booking.expired'"

    assert session.scalar(text(seen.format("outbox", "kind"))) == 1
    assert session.scalar(text(seen.format("audit", "action"))) == 1


def test_one_s_own_hold_counts_as_taken_and_confirms(api: Api, corte: Service) -> None:
    """B01."""
    hold = api.hold(corte).json

    assert utc(TEN) not in api.starts(corte, "2026-03-10 00:00", "2026-03-11 00:00")
    assert api.confirm(hold).status_code == 200


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


def test_a_service_with_a_deposit_cannot_be_confirmed_yet(
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


@pytest.mark.parametrize("id", ["no-such", "01a22f7c-c173-7cd3-b99e-3dde7ac42cbc", "%00", "9" * 500])
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


def test_the_past_cannot_be_held(api: Api, corte: Service, clock: Clock) -> None:
    """D16: now is 17:08, asked is 17:00."""
    clock.set(at("2026-03-10 17:08"))

    document = refused(api.hold(corte, "2026-03-10 17:00"), 422, "in_the_past")

    assert [start["starts_at"] for start in document["alternatives"]][0] == utc("2026-03-11 09:00")


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


def test_a_name_is_stored_and_shown_as_it_was_written(api: Api, corte: Service) -> None:
    """H03: accents, an apostrophe, an emoji of several code points, a right-to-left mark."""
    name = "Zoë D'Ávila 💇‍♀️ \N{RIGHT-TO-LEFT MARK}"

    hold = api.hold(corte, customer={"name": name}, notes="<b>\\ \n</b>").json

    seen = api.get(f"/bookings/{hold['id']}").json
    assert seen["customer"]["name"] == name
    assert seen["notes"] == "<b>\\ \n</b>"


def test_a_hold_takes_few_statements(real_app: Flask, statements: list[str]) -> None:
    """Key, idempotency, offer, occupancy only when there is a choice, take, write, remember."""
    session = db.session()
    location = a_location(session)
    ana, bia = (a_resource(session, location, name) for name in ("Ana", "Bia"))
    corte = a_service(session, location, [ana, bia])
    api = Api(real_app.test_client(), an_api_key(session, location))
    body = {"service_id": str(corte.id), "starts_at": f"{a_coming_wednesday()}T10:00:00-03:00"}
    chosen = {**body, "resource_ids": [str(ana.id)]}
    session.rollback()
    statements.clear()

    assert api.post("/holds", chosen).status_code == 201
    with_a_chosen_resource = list(statements)
    statements.clear()
    assert api.post("/holds", body).status_code == 201
    with_a_choice = list(statements)
    statements.clear()
    assert api.post("/holds", body, key="key-2").headers["Idempotent-Replayed"] == "true"
    replayed = list(statements)

    assert len(with_a_chosen_resource) == 6, with_a_chosen_resource
    assert len(with_a_choice) == 7, with_a_choice
    assert len(replayed) == 2, replayed
