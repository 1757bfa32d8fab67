import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.accounts.models import BOOK, READ
from app.catalog.models import Location, Resource, Service
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service, an_api_key, at
from tests.web.api.conftest import TEN, Api, fields, instant, refused, utc, walls

HALF_PAST_TEN = "2026-03-10 10:30"


def test_a_visit_goes_from_arrival_to_the_end(api: Api, corte: Service) -> None:
    booking = api.book(corte)

    arrived = api.move(booking, "check-in")
    served = api.move(booking, "complete")

    assert (arrived.status_code, arrived.json["status"]) == (200, "checked_in")
    assert (served.status_code, served.json["status"]) == (200, "completed")
    assert served.json["version"] == 4


@pytest.mark.parametrize("step", ["check-in", "complete"])
def test_a_hold_cannot_be_visited(api: Api, corte: Service, step: str) -> None:
    hold = api.hold(corte).json

    document = refused(api.move(hold, step), 409, "invalid_transition")

    assert document["booking_status"] == "held"


def test_moves_need_no_key_and_no_body(api: Api, corte: Service) -> None:
    booking = api.book(corte)

    answer = api.client.post(
        f"/api/v1/bookings/{booking['id']}/check-in",
        headers={"Authorization": f"Bearer {api.key}"},
    )

    assert answer.status_code == 200
    assert "Idempotent-Replayed" not in answer.headers


def test_moves_take_no_fields(api: Api, corte: Service) -> None:
    booking = api.book(corte)

    document = refused(api.move(booking, "check-in", at="10:00"), 422, "invalid_request")

    assert fields(document) == [("at", "unknown_field")]


def test_a_cancelled_booking_frees_its_slot(api: Api, corte: Service, session: Session) -> None:
    booking = api.book(corte)

    answer = api.move(booking, "cancel", reason="Se enfermó")

    assert (answer.status_code, answer.json["status"]) == (200, "cancelled")
    assert api.hold(corte).status_code == 201
    reason = "SELECT payload->>'reason' FROM outbox WHERE kind = 'booking.cancelled'"
    assert session.scalar(text(reason)) == "Se enfermó"
    assert (
        refused(api.move(booking, "cancel"), 409, "invalid_transition")["booking_status"]
        == "cancelled"
    )


def test_cancelling_a_lapsed_hold_tells_that_it_is_over(
    api: Api, corte: Service, clock: Clock
) -> None:
    hold = api.hold(corte).json
    clock.advance(minutes=10)

    refused(api.move(hold, "cancel"), 409, "hold_expired")


def test_inside_the_window_only_a_key_that_manages_cancels(
    api: Api, session: Session, clock: Clock
) -> None:
    """F09: the policy in force when it was booked, 23:59 hours before."""
    strict = a_location(session, cancellation_window_minutes=24 * 60)
    corte = a_service(session, strict, a_resource(session, strict))
    manager = Api(api.client, an_api_key(session, strict))
    program = Api(api.client, an_api_key(session, strict, [READ, BOOK]))
    booking = program.book(corte, "2026-03-12 10:00")
    strict.cancellation_window_minutes = 0
    session.commit()
    clock.set(at("2026-03-11 10:01"))

    refused(program.move(booking, "cancel"), 409, "outside_cancellation_window")
    by_manager = manager.move(booking, "cancel")

    assert by_manager.json["status"] == "cancelled"


def test_before_the_window_anybody_cancels(api: Api, session: Session, clock: Clock) -> None:
    strict = a_location(session, cancellation_window_minutes=24 * 60)
    corte = a_service(session, strict, a_resource(session, strict))
    program = Api(api.client, an_api_key(session, strict, [READ, BOOK]))
    booking = program.book(corte, "2026-03-12 10:00")
    clock.set(at("2026-03-11 09:59"))

    assert program.move(booking, "cancel").json["status"] == "cancelled"


def test_a_booking_moves_by_half_an_hour_over_itself(
    api: Api, corte: Service, session: Session
) -> None:
    """F01, F05: one transaction, a new booking, and events that tell a move from a loss."""
    old = api.book(corte, customer={"name": "Ana", "phone": "11961234567"})

    answer = api.move(old, "reschedule", starts_at=instant(HALF_PAST_TEN))

    new = answer.json
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/bookings/{new['id']}"
    assert (new["status"], new["starts_at"]) == ("confirmed", utc(HALF_PAST_TEN))
    assert new["rescheduled_from"] == old["id"]
    assert new["customer"] == old["customer"]
    left = api.get(f"/bookings/{old['id']}").json
    assert (left["status"], left["rescheduled_to"]) == ("cancelled", new["id"])
    assert api.get(f"/bookings/{new['id']}").json == new
    told = session.execute(text("SELECT kind, payload FROM outbox ORDER BY id DESC LIMIT 2"))
    moved, cancelled = told.all()
    assert (moved.kind, moved.payload["rescheduled_from"]) == ("booking.rescheduled", old["id"])
    assert (cancelled.kind, cancelled.payload["reason"]) == ("booking.cancelled", "rescheduled")
    assert cancelled.payload["rescheduled_to"] == new["id"]


def test_a_hold_moves_with_its_remaining_time(api: Api, corte: Service, clock: Clock) -> None:
    hold = api.hold(corte).json
    clock.advance(minutes=4)

    moved = api.move(hold, "reschedule", starts_at=instant(HALF_PAST_TEN)).json

    assert (moved["status"], moved["expires_at"]) == ("held", hold["expires_at"])


def test_a_move_that_is_refused_leaves_the_old_booking(api: Api, corte: Service) -> None:
    """E11, F01."""
    old = api.book(corte)
    api.book(corte, "2026-03-10 14:00")

    document = refused(
        api.move(old, "reschedule", starts_at=instant("2026-03-10 13:30")), 409, "slot_taken"
    )

    assert walls(document["alternatives"])[0] == "13:00"
    assert api.get(f"/bookings/{old['id']}").json == old
    refused(api.hold(corte), 409, "slot_taken")


def test_a_booking_moves_once(api: Api, corte: Service) -> None:
    old = api.book(corte)
    new = api.move(old, "reschedule", starts_at=instant(HALF_PAST_TEN)).json

    document = refused(
        api.move(old, "reschedule", starts_at=instant("2026-03-10 15:00")),
        409,
        "already_rescheduled",
    )

    assert document["rescheduled_to"] == new["id"]
    refused(api.move(old, "cancel"), 409, "already_rescheduled")


def test_a_move_to_the_same_place_is_no_move(api: Api, corte: Service, lucia: Resource) -> None:
    old = api.book(corte)

    refused(api.move(old, "reschedule", starts_at=instant(TEN)), 422, "no_change")
    refused(
        api.move(old, "reschedule", starts_at=instant(TEN), resource_ids=[str(lucia.id)]),
        422,
        "no_change",
    )


@pytest.mark.parametrize(
    ("wall", "code"),
    [
        ("2026-03-09 10:00", "in_the_past"),
        ("2026-03-10 20:00", "outside_hours"),
        ("2026-06-10 10:00", "beyond_horizon"),
    ],
)
def test_a_move_keeps_the_rules_of_a_hold(api: Api, corte: Service, wall: str, code: str) -> None:
    old = api.book(corte)

    document = refused(api.move(old, "reschedule", starts_at=instant(wall)), 422, code)

    assert len(document["alternatives"]) == 5
    assert api.get(f"/bookings/{old['id']}").json == old


@pytest.mark.parametrize("step", ["check-in", "complete", "cancel", "reschedule"])
def test_a_booking_of_another_location_is_not_found(
    api: Api, session: Session, corte: Service, step: str
) -> None:
    booking = api.book(corte)
    stranger = Api(api.client, an_api_key(session, a_location(session)))
    body = {"starts_at": instant(HALF_PAST_TEN)} if step == "reschedule" else {}

    refused(stranger.move(booking, step, **body), 404, "not_found")
    refused(stranger.get(f"/bookings/{booking['id']}"), 404, "not_found")
    assert api.get(f"/bookings/{booking['id']}").json == booking


@pytest.mark.parametrize("id", ["x", "%00", "{01a22f7c-c173-7cd3-b99e-3dde7ac42cbc}", "٣" * 36])
def test_what_is_no_id_is_not_found(api: Api, id: str) -> None:
    refused(api.get(f"/bookings/{id}"), 404, "not_found")
    refused(api.post(f"/bookings/{id}/cancel"), 404, "not_found")


def test_a_list_comes_in_pages(api: Api, corte: Service) -> None:
    walls_of_day = [f"2026-03-10 {hour:02}:00" for hour in range(9, 14)]
    made = [api.book(corte, wall)["id"] for wall in walls_of_day]

    first = api.get("/bookings", limit=2).json
    second = api.get("/bookings", limit=2, cursor=first["next_cursor"]).json
    third = api.get("/bookings", limit=2, cursor=second["next_cursor"]).json

    pages = [[booking["id"] for booking in page["data"]] for page in (first, second, third)]
    assert pages == [made[:2], made[2:4], made[4:]]
    assert third["next_cursor"] is None


def test_a_list_is_narrowed(api: Api, session: Session, location: Location) -> None:
    ana, bia = (a_resource(session, location, name) for name in ("Ana", "Bia"))
    corte = a_service(session, location, [ana, bia])
    with_ana = api.book(corte, resource_ids=[str(ana.id)], customer={"phone": "11961234567"})
    with_bia = api.hold(corte, "2026-03-11 10:00", resource_ids=[str(bia.id)]).json

    def found(**query: object) -> list[str]:
        return [booking["id"] for booking in api.get("/bookings", **query).json["data"]]

    assert found() == [with_ana["id"], with_bia["id"]]
    assert found(status="held") == [with_bia["id"]]
    assert found(resource_id=ana.id) == [with_ana["id"]]
    assert found(phone="(11) 96123-4567") == [with_ana["id"]]
    assert found(phone="+5511961234567") == [with_ana["id"]]
    assert found(from_=instant("2026-03-11 00:00")) == [with_bia["id"]]
    assert found(to=instant("2026-03-11 10:00")) == [with_ana["id"]]
    assert found(from_=instant("2026-03-11 10:00"), to=instant("2026-03-11 10:01")) == [
        with_bia["id"]
    ]


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"limit": "0"}, ("limit", "out_of_range")),
        ({"limit": "201"}, ("limit", "out_of_range")),
        ({"limit": "-1"}, ("limit", "invalid_type")),
        ({"limit": "1.5"}, ("limit", "invalid_type")),
        ({"limit": "9" * 400}, ("limit", "invalid_type")),
        ({"limit": "٣"}, ("limit", "invalid_type")),
        ({"limit": ""}, ("limit", "invalid_type")),
        ({"cursor": "x"}, ("cursor", "invalid_cursor")),
        ({"cursor": "é"}, ("cursor", "invalid_cursor")),
        ({"cursor": "MjAyNi0wMy0xMFQxMzowMDowMFo"}, ("cursor", "invalid_cursor")),
        ({"cursor": ""}, ("cursor", "required")),
        ({"status": "open"}, ("status", "invalid")),
        ({"phone": "mañana"}, ("phone", "invalid_phone")),
        ({"phone": "+5511\x00961234567"}, ("phone", "invalid_text")),
        ({"phone": "1" * 33}, ("phone", "too_long")),
        ({"from": "2026-03-10"}, ("from", "invalid_instant")),
        ({"from": "2026-03-10T00:00:00Z", "to": "2026-03-10T00:00:00Z"}, ("to", "not_after_from")),
        ({"colour": "red"}, ("colour", "unknown_field")),
        ({"status": ["held", "held"]}, ("status", "twice")),
    ],
)
def test_a_wrong_query_is_named(
    api: Api, corte: Service, query: dict[str, object], problem: tuple[str, str]
) -> None:
    document = refused(api.get("/bookings", **query), 422, "invalid_request")

    assert fields(document) == [problem]


def test_a_list_of_an_unknown_resource_is_not_found(api: Api, corte: Service) -> None:
    refused(api.get("/bookings", resource_id=corte.id), 404, "not_found")
    refused(api.get("/bookings", resource_id="x"), 404, "not_found")
