from datetime import UTC, date, datetime, timedelta

from sqlalchemy.orm import Session

from app.catalog.actions import add_holiday, add_time_off, set_dated_hours
from app.catalog.models import Location, Resource, Service
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service, at
from tests.web.api.conftest import Api, fields, instant, refused, utc

NEW_YORK = "America/New_York"


def day_of(api: Api, service: Service, day: str = "2026-03-10", **query: object) -> list[str]:
    """The local times of a day's starts."""
    following = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    answer = api.get(
        "/availability",
        service_id=service.id,
        from_=instant(f"{day} 00:00"),
        to=instant(f"{following} 00:00"),
        **query,
    )
    assert answer.status_code == 200, answer.json
    return [start["local"]["starts_at"][11:16] for start in answer.json["data"]]


def test_a_day_lists_every_start(api: Api, corte: Service, lucia: Resource) -> None:
    times = day_of(api, corte)

    assert times == [f"{9 + n // 2:02}:{n % 2 * 30:02}" for n in range(17)]


def test_a_start_is_listed_as_it_can_be_held(api: Api, corte: Service, lucia: Resource) -> None:
    [start] = api.get(
        "/availability",
        service_id=corte.id,
        from_="2026-03-10T09:00:00-03:00",
        to="2026-03-10T09:01:00-03:00",
    ).json["data"]

    assert start == {
        "starts_at": "2026-03-10T12:00:00Z",
        "ends_at": "2026-03-10T13:00:00Z",
        "local": {
            "starts_at": "2026-03-10T09:00:00-03:00",
            "ends_at": "2026-03-10T10:00:00-03:00",
            "timezone": "America/Sao_Paulo",
        },
        "resources": [{"id": str(lucia.id), "name": "Lucía"}],
    }


def test_the_window_is_half_open(api: Api, corte: Service) -> None:
    starts = api.starts(corte, "2026-03-10 09:00", "2026-03-10 10:00")

    assert starts == [utc("2026-03-10 09:00"), utc("2026-03-10 09:30")]


def test_what_is_listed_can_be_held_and_the_rest_cannot(
    api: Api, session: Session, location: Location, lucia: Resource
) -> None:
    """E01: after 8:30-9:15 and its buffer of half an hour, 9:30 is neither listed nor held."""
    early = a_resource(session, location, "Bia", hours=((8 * 60 + 30, 18 * 60),))
    brows = a_service(
        session,
        location,
        early,
        duration_minutes=45,
        buffer_after_minutes=30,
        grid_minutes=30,
    )
    api.book(brows, "2026-03-10 08:30")

    listed = day_of(api, brows)

    assert "09:30" not in listed
    assert listed[0] == "10:00"
    for number in range(18):
        wall = f"{9 + number // 2:02}:{number % 2 * 30:02}"
        held = api.hold(brows, f"2026-03-10 {wall}")
        assert (held.status_code == 201) == (wall in listed), wall
        if held.status_code == 201:
            api.delete(f"/holds/{held.json['id']}")


def test_buffers_add_up(api: Api, session: Session, location: Location, lucia: Resource) -> None:
    """E03: an hour before and after each; 10-11 leaves 13:00 as the next start."""
    tattoo = a_service(
        session,
        location,
        lucia,
        buffer_before_minutes=60,
        buffer_after_minutes=60,
        grid_minutes=60,
    )
    plain = a_service(session, location, lucia, name="Sin margen", grid_minutes=60)
    api.book(tattoo, "2026-03-10 10:00")

    assert day_of(api, plain)[0] == "12:00"
    assert day_of(api, tattoo)[0] == "13:00"


def test_a_buffer_may_stick_out_of_the_day(
    api: Api, session: Session, location: Location, lucia: Resource
) -> None:
    """E04."""
    brows = a_service(session, location, lucia, buffer_before_minutes=15, buffer_after_minutes=15)

    times = day_of(api, brows)

    assert (times[0], times[-1]) == ("09:00", "17:00")
    assert api.hold(brows, "2026-03-10 09:00").status_code == 201


def test_a_day_off_is_off(api: Api, session: Session, location: Location) -> None:
    """E07: two stretches a day, a day off, part of a day off, and a holiday that opens."""
    ana = a_resource(session, location, hours=((9 * 60, 12 * 60), (13 * 60, 18 * 60)))
    corte = a_service(session, location, ana)
    add_time_off(
        session,
        location.id,
        ana.id,
        starts_at=at("2026-03-11 00:00"),
        ends_at=at("2026-03-12 00:00"),
    )
    add_time_off(
        session,
        location.id,
        ana.id,
        starts_at=at("2026-03-17 11:00"),
        ends_at=at("2026-03-17 14:00"),
    )
    add_holiday(session, location.id, date(2026, 3, 18), "Fiesta")
    add_holiday(session, location.id, date(2026, 3, 19), "Otra fiesta")
    set_dated_hours(session, location.id, ana.id, date(2026, 3, 19), [(600, 720)])
    session.commit()

    assert "12:00" not in day_of(api, corte)
    assert day_of(api, corte, "2026-03-11") == []
    around = day_of(api, corte, "2026-03-17")
    assert (around[2], around[3]) == ("10:00", "14:00")
    assert day_of(api, corte, "2026-03-18") == []
    assert day_of(api, corte, "2026-03-19") == ["10:00", "10:30", "11:00"]


def test_only_one_resource_s_starts_are_listed(
    api: Api, session: Session, location: Location
) -> None:
    ana, bia = (a_resource(session, location, name) for name in ("Ana", "Bia"))
    corte = a_service(session, location, [ana, bia])
    api.book(corte, "2026-03-10 09:00", resource_ids=[str(ana.id)])

    assert day_of(api, corte)[0] == "09:00"
    assert day_of(api, corte, resource_id=bia.id)[0] == "09:00"
    assert day_of(api, corte, resource_id=ana.id)[0] == "10:00"


def test_the_first_few_are_enough(api: Api, corte: Service) -> None:
    assert day_of(api, corte, limit=2) == ["09:00", "09:30"]


def test_without_a_limit_none_is_left_out(api: Api, corte: Service) -> None:
    starts = api.starts(corte, "2026-03-10 00:00", "2026-04-10 00:00")

    assert len(starts) == 17 * 27


def test_the_past_is_skipped(api: Api, corte: Service, clock: Clock) -> None:
    """D16: a window may begin in the past."""
    clock.set(at("2026-03-10 16:31"))

    assert day_of(api, corte) == ["17:00"]
    assert day_of(api, corte, "2026-03-09") == []


def test_a_lost_plus_is_understood(api: Api, corte: Service) -> None:
    """Clients forget to encode it, and then it arrives as a space."""
    answer = api.client.get(
        f"/api/v1/availability?service_id={corte.id}"
        "&from=2026-03-10T09:00:00-03:00&to=2026-03-10T15:00:00+02:00",
        headers={"Authorization": f"Bearer {api.key}"},
    )

    assert [s["starts_at"] for s in answer.json["data"]] == [
        utc("2026-03-10 09:00"),
        utc("2026-03-10 09:30"),
    ]


def test_a_window_of_62_days_is_the_longest(api: Api, corte: Service) -> None:
    since = datetime(2026, 3, 10, tzinfo=UTC)

    def ask(length: timedelta) -> dict[str, object]:
        window = {"from": since.isoformat(), "to": (since + length).isoformat()}
        return {"service_id": corte.id, **window}

    assert api.get("/availability", **ask(timedelta(days=62))).status_code == 200
    document = refused(
        api.get("/availability", **ask(timedelta(days=62, seconds=1))), 422, "invalid_request"
    )
    assert fields(document) == [("to", "window_too_long")]


def test_a_window_that_ends_before_it_begins_is_refused(api: Api, corte: Service) -> None:
    answer = api.get(
        "/availability",
        service_id=corte.id,
        from_=instant("2026-03-11 00:00"),
        to=instant("2026-03-10 00:00"),
    )

    assert fields(refused(answer, 422, "invalid_request")) == [("to", "not_after_from")]


def test_what_is_missing_is_named(api: Api) -> None:
    document = refused(api.get("/availability"), 422, "invalid_request")

    assert fields(document) == [
        ("service_id", "required"),
        ("from", "required"),
        ("to", "required"),
    ]


def test_a_window_without_offset_is_refused(api: Api, corte: Service) -> None:
    answer = api.get(
        "/availability",
        service_id=corte.id,
        from_="2026-03-10T00:00:00",
        to="2026-03-11T00:00:00",
    )

    document = refused(answer, 422, "offset_required")
    assert fields(document) == [("from", "offset_required"), ("to", "offset_required")]


def test_unknown_services_and_resources_are_not_found(
    api: Api, session: Session, location: Location, corte: Service, lucia: Resource
) -> None:
    elsewhere = a_location(session)
    foreign = a_resource(session, elsewhere)
    idle = a_resource(session, location, "Sin servicio")
    window = {"from": instant("2026-03-10 00:00"), "to": instant("2026-03-11 00:00")}

    def ask(service_id: object, **query: object) -> None:
        answer = api.get("/availability", service_id=service_id, **window, **query)
        refused(answer, 404, "not_found")

    ask("x")
    ask(lucia.id)
    ask(corte.id, resource_id="x")
    ask(corte.id, resource_id=foreign.id)
    ask(corte.id, resource_id=idle.id)
