import pytest
from sqlalchemy import select

from app.booking.models import Booking
from app.booking.queries import get_booking
from app.booking.states import Status
from app.booking.views import BookingView, Contact
from tests.conftest import Clock
from tests.factories import a_booking, at
from tests.web.conftest import DAY, Desk, World, by_id, parsed, values, words


@pytest.fixture
def paula(world: World) -> BookingView:
    return a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        contact=Contact(name="Paula Menoni", phone="+5555991234567"),
    )


def moved(world: World, booking: BookingView) -> BookingView:
    world.session.expire_all()
    old = get_booking(world.session, world.location.id, booking.id)
    assert old.rescheduled_to is not None
    return get_booking(world.session, world.location.id, old.rescheduled_to)


def form_of(desk: Desk, booking: BookingView) -> dict[str, str]:
    return values(by_id(desk.get(f"/reservas/{booking.id}/mover"), "panel-move"))


@pytest.mark.parametrize("htmx", [False, True])
def test_a_listed_place_is_one_press(
    desk: Desk, world: World, paula: BookingView, htmx: bool
) -> None:
    page = desk.get(f"/reservas/{paula.id}/mover?fecha={DAY}")
    places = [b.get("value", "") for b in parsed(page).iter("button") if b.get("name") == "place"]
    wanted = next(place for place in places if place.startswith("2026-03-10T15:00"))

    answer = desk.post(
        f"/reservas/{paula.id}/mover", form_of(desk, paula) | {"place": wanted}, htmx=htmx
    )

    new = moved(world, paula)
    assert answer.status_code == (200 if htmx else 303)
    assert (new.status, new.starts_at) == (Status.CONFIRMED, at("2026-03-10 12:00"))
    assert new.contact.name == "Paula Menoni"
    assert [r.id for r in new.resources] == [world.marcos.id]


def test_the_sheet_turns_free_places_into_buttons(
    desk: Desk, world: World, paula: BookingView
) -> None:
    page = desk.get(f"/agenda/{DAY}?mover={paula.id}")
    bar = by_id(page, "placing")
    buttons = [b for b in parsed(page).iter("button") if b.get("form") == "placing"]
    wanted = next(b for b in buttons if f"/{world.lucia.id}" in b.get("value", ""))

    answer = desk.post(f"/reservas/{paula.id}/mover", values(bar) | {"place": wanted.get("value")})

    assert "Moviendo a Paula Menoni, 60 min" in words(page)
    assert not any(str(world.beds.id) in b.get("value", "") for b in buttons)
    assert answer.status_code == 303
    assert [r.id for r in moved(world, paula).resources] == [world.lucia.id]


def test_a_time_by_hand_moves_it_too(desk: Desk, world: World, paula: BookingView) -> None:
    desk.post(
        f"/reservas/{paula.id}/mover",
        form_of(desk, paula) | {"day": "2026-03-11", "time": "11:45", "resources": ""},
    )

    assert moved(world, paula).starts_at == at("2026-03-11 11:45")


def test_a_taken_place_leaves_it_where_it_was_and_offers_others(
    desk: Desk, world: World, paula: BookingView
) -> None:
    a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 14:00"),
        resource_ids=(world.marcos.id,),
    )
    form = form_of(desk, paula)
    place = f"{at('2026-03-10 14:00').isoformat()}/{world.marcos.id}"

    refused = desk.post(f"/reservas/{paula.id}/mover", form | {"place": place}, htmx=True)

    assert refused.status_code == 409
    assert "La reserva de Paula Menoni sigue a las 10:00." in words(refused)
    assert "Dejar a las 10:00" in words(refused)
    offered = desk.post(f"/reservas/{paula.id}/mover", values(by_id(refused, "panel-conflict")))
    assert offered.status_code == 303
    assert moved(world, paula).status is Status.CONFIRMED


def test_a_double_press_moves_once(desk: Desk, world: World, paula: BookingView) -> None:
    place = f"{at('2026-03-10 14:00').isoformat()}/{world.marcos.id}"
    form = form_of(desk, paula) | {"place": place}

    answers = [desk.post(f"/reservas/{paula.id}/mover", form) for _ in range(2)]

    assert answers[0].location == answers[1].location
    assert len(world.session.scalars(select(Booking)).all()) == 2


def test_what_moved_on_already_shows_its_new_place(
    desk: Desk, world: World, paula: BookingView
) -> None:
    place = f"{at('2026-03-10 14:00').isoformat()}/{world.marcos.id}"
    desk.post(f"/reservas/{paula.id}/mover", form_of(desk, paula) | {"place": place})

    answer = desk.post(f"/reservas/{paula.id}/mover", {"place": place, "key": "other"}, htmx=True)

    assert answer.status_code == 409
    assert "14:00 a 15:00" in words(answer)


def test_outside_the_hours_a_reason_moves_it(desk: Desk, world: World, paula: BookingView) -> None:
    place = f"{at('2026-03-10 20:00').isoformat()}/{world.marcos.id}"
    refused = desk.post(f"/reservas/{paula.id}/mover", form_of(desk, paula) | {"place": place})
    insisting = [
        form for form in by_id(refused, "panel-conflict").iter("form") if "reason" in values(form)
    ]

    answer = desk.post(
        f"/reservas/{paula.id}/mover",
        values(insisting[0]) | {"insist": "1", "reason": "Casamiento"},
    )

    assert (refused.status_code, answer.status_code) == (422, 303)
    assert moved(world, paula).starts_at == at("2026-03-10 20:00")


@pytest.mark.parametrize(
    "change",
    [
        {"place": ""},
        {"place": "x/y"},
        {"place": "2026-03-10T14:00:00/"},
        {"place": "2026-03-10T17:00:30+00:00/"},
        {"day": "x", "time": "y"},
        {"day": DAY, "time": "10:00"},
        {"place": "2026-03-10T17:00:00+00:00/0190a0a0-0000-7000-8000-000000000000"},
        {"place": "2026-03-10T17:00:00+00:00/" + ",".join(["x"] * 20)},
    ],
)
def test_a_wrong_place_changes_nothing(
    desk: Desk, world: World, paula: BookingView, change: dict[str, str]
) -> None:
    answer = desk.post(f"/reservas/{paula.id}/mover", {"key": "one", **change})

    assert answer.status_code == 422
    assert len(world.session.scalars(select(Booking)).all()) == 1


def test_a_service_that_is_not_offered_any_more_leaves_the_page_standing(
    desk: Desk, world: World, paula: BookingView, clock: Clock
) -> None:
    world.cut.archived_at = clock.now()
    world.session.commit()
    place = f"{at('2026-03-10 14:00').isoformat()}/{world.marcos.id}"

    page = desk.get(f"/reservas/{paula.id}/mover")
    answer = desk.post(f"/reservas/{paula.id}/mover", {"key": "one", "place": place})

    assert "Ese día no queda lugar." in words(page)
    assert answer.status_code == 422
