from uuid import UUID

import pytest
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from app.booking.models import Booking
from tests.conftest import Clock
from tests.factories import a_hold, a_location, a_resource, a_staff_user, at
from tests.web.conftest import DAY, Desk, World, by_id, parsed, values, words


def bookings(world: World) -> list[Booking]:
    world.session.expire_all()
    return list(world.session.scalars(select(Booking).order_by(Booking.id)))


def heard(answer: TestResponse) -> str:
    return answer.headers.get("HX-Trigger", "")


def test_a_free_place_leads_to_a_form_and_one_press_keeps_it(desk: Desk, world: World) -> None:
    page = desk.get(f"/agenda/{DAY}/columna/{world.marcos.id}")
    link = next(a for a in parsed(page).iter("a") if "data-free" in a.attrib)
    form = values(by_id(desk.get(link.get("href", "")), "panel-new"))

    answer = desk.post("/reservas", form)

    (booking,) = bookings(world)
    assert (answer.status_code, answer.location) == (303, f"/reservas/{booking.id}")
    assert (booking.status, booking.channel) == ("held", "desk")
    assert booking.starts_at == at("2026-03-10 09:00")
    assert "Pre-reserva a las 09:00 guardada." in desk.get(answer.location).text


def test_htmx_gets_the_panel_and_news_for_the_columns(desk: Desk, world: World) -> None:
    answer = desk.post("/reservas", world.hold_form(), htmx=True)

    assert answer.status_code == 200
    assert "10:00 a 11:00" in words(answer)
    assert str(world.marcos.id) in heard(answer)


def test_name_and_phone_may_come_with_the_hold(desk: Desk, world: World) -> None:
    desk.post("/reservas", world.hold_form(name="Ana Núñez", phone="(55) 99123-4567"))

    (booking,) = bookings(world)
    assert (booking.customer_name, booking.customer_phone) == ("Ana Núñez", "+5555991234567")


def test_a_double_press_makes_one_booking(desk: Desk, world: World) -> None:
    form = world.hold_form()

    first, second = desk.post("/reservas", form), desk.post("/reservas", form)

    assert first.location == second.location
    assert len(bookings(world)) == 1


def test_the_same_form_with_other_data_is_refused_and_keeps_what_was_typed(
    desk: Desk, world: World
) -> None:
    form = world.hold_form()
    desk.post("/reservas", form)

    answer = desk.post("/reservas", form | {"name": "Otra"})

    assert answer.status_code == 422
    assert values(by_id(answer, "panel-new"))["name"] == "Otra"
    assert len(bookings(world)) == 1


def test_anybody_free_is_chosen_when_nobody_is(desk: Desk, world: World) -> None:
    for _ in range(2):
        desk.post("/reservas", world.hold_form(resources=""))

    page = desk.get(f"/agenda/{DAY}")
    for resource in (world.marcos, world.lucia):
        assert "Pre-reserva" in "".join(by_id(page, f"col-{resource.id}").itertext())


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("phone", "no es un número"),
        ("name", "x" * 201),
        ("name", "a\0b"),
        ("email", "ana@"),
        ("time", "25:00"),
        ("time", ""),
        ("day", "2026-02-30"),
        ("service", ""),
        ("service", "x"),
        ("service", "0190a0a0-0000-7000-8000-000000000000"),
        ("resources", "x"),
        ("units", "0"),
        ("units", "9999999999999"),
        ("units", "-1"),
        ("key", ""),
        ("notes", "n" * 2001),
    ],
)
def test_a_wrong_field_is_named_and_everything_else_stays(
    desk: Desk, world: World, field: str, typed: str
) -> None:
    form = world.hold_form(**{"name": "Ana", "phone": "(55) 99123-4567", field: typed})

    for htmx in (False, True):
        answer = desk.post("/reservas", form, htmx=htmx)

        assert answer.status_code == 422
        assert 'class="err"' in answer.text or "note bad" in answer.text
        if field != "name":
            assert values(by_id(answer, "panel-new"))["name"] == "Ana"
    assert bookings(world) == []


def test_a_taken_place_offers_others_one_press_each(desk: Desk, world: World) -> None:
    desk.post("/reservas", world.hold_form())

    refused = desk.post("/reservas", world.hold_form(name="Ana", phone="(55) 99123-4567"))

    assert refused.status_code == 409
    panel = by_id(refused, "panel-conflict")
    assert "10:00 con Marcos Acosta ya está ocupado" in words(refused)
    assert "misma hora, otra persona o lugar" in words(refused)
    offered = desk.post("/reservas", values(panel))
    assert offered.status_code == 303
    assert [(b.customer_name, b.starts_at) for b in bookings(world)] == [
        (None, at("2026-03-10 10:00")),
        ("Ana", at("2026-03-10 10:00")),
    ]


def test_another_time_is_typed_in_the_same_panel_with_nothing_lost(
    desk: Desk, world: World
) -> None:
    desk.post("/reservas", world.hold_form())
    refused = desk.post("/reservas", world.hold_form(name="Ana", notes="Prefiere la tarde"))

    form = values(by_id(refused, "other-time")) | {"time": "16:00"}
    answer = desk.post("/reservas", form)

    assert answer.status_code == 303
    assert [(b.customer_name, b.notes, b.starts_at) for b in bookings(world)][1] == (
        "Ana",
        "Prefiere la tarde",
        at("2026-03-10 16:00"),
    )


def test_htmx_gets_the_conflict_into_the_panel_wherever_the_form_was(
    desk: Desk, world: World
) -> None:
    desk.post("/reservas", world.hold_form())

    answer = desk.post("/reservas", world.hold_form(), htmx=True)

    assert (answer.status_code, answer.headers["HX-Retarget"]) == (409, "#panel")


@pytest.mark.parametrize("wall", ["20:00", "07:00"])
def test_outside_the_hours_needs_a_reason(desk: Desk, world: World, wall: str) -> None:
    refused = desk.post("/reservas", world.hold_form(wall, name="Ana"))
    panel = by_id(refused, "panel-conflict")
    insisting = [form for form in panel.iter("form") if "reason" in values(form)]
    form = values(insisting[0]) | {"insist": "1"}

    without = desk.post("/reservas", form)
    given = desk.post("/reservas", form | {"reason": "Es la dueña"})

    assert (refused.status_code, without.status_code, given.status_code) == (422, 422, 303)
    (booking,) = bookings(world)
    assert booking.customer_name == "Ana"
    assert "Es la dueña" in desk.get(given.location).text


def test_a_person_may_not_override_what_is_taken(desk: Desk, world: World) -> None:
    desk.post("/reservas", world.hold_form())

    answer = desk.post("/reservas", world.hold_form(key="other", insist="1", reason="Es la dueña"))

    assert answer.status_code == 409
    assert len(bookings(world)) == 1


def test_somebody_who_does_not_do_the_service_is_said_beside_the_field(
    desk: Desk, world: World
) -> None:
    answer = desk.post("/reservas", world.hold_form(resources=str(world.beds.id), name="Ana"))

    assert answer.status_code == 422
    assert "Ese servicio no se ofrece ahí." in words(answer)
    assert bookings(world) == []


def test_what_another_location_owns_cannot_be_booked(desk: Desk, world: World) -> None:
    foreign = a_resource(world.session, a_location(world.session))

    answer = desk.post("/reservas", world.hold_form(resources=str(foreign.id)))

    assert answer.status_code == 422
    assert bookings(world) == []


def test_a_professional_books_the_own_column_only(another_desk: Desk, world: World) -> None:
    lucia = a_staff_user(
        world.session, world.location, role="professional", resource=world.lucia, name="Lucía"
    )
    another_desk.log_in(lucia)

    other = another_desk.post("/reservas", world.hold_form())
    own = another_desk.post("/reservas", world.hold_form(resources=""))

    assert other.status_code == 422
    assert own.status_code == 303
    assert "Lucía Ferreira" in words(another_desk.get(own.location))


def test_places_of_a_pool_are_counted(desk: Desk, world: World) -> None:
    form = world.hold_form(service=str(world.massage.id), resources=str(world.beds.id))

    taken = desk.post("/reservas", form | {"units": "2"})
    too_many = desk.post("/reservas", form | {"units": "2", "key": "other"})

    assert (taken.status_code, too_many.status_code) == (303, 409)


def test_the_last_service_is_offered_first(desk: Desk, world: World) -> None:
    desk.post(
        "/reservas",
        world.hold_form(service=str(world.massage.id), resources=str(world.beds.id)),
    )

    form = values(by_id(desk.get(f"/reservas/nueva?d={DAY}"), "panel-new"))

    assert UUID(form["service"]) == world.massage.id


def test_an_expired_hold_is_taken_again_with_its_customer(
    desk: Desk, world: World, clock: Clock
) -> None:
    desk.post("/reservas", world.hold_form(name="Ana", phone="(55) 99123-4567"))
    (booking,) = bookings(world)
    world.session.commit()  # the clock is set outside of what a refusal rolls back
    clock.advance(minutes=11)

    panel = desk.get(f"/reservas/{booking.id}")
    again = next(a for a in parsed(panel).iter("a") if a.text == "Volver a tomar")
    form = values(by_id(desk.get(again.get("href", "")), "panel-new"))
    answer = desk.post("/reservas", form)

    assert "Vencida" in words(panel)
    assert answer.status_code == 303
    assert [b.customer_name for b in bookings(world)] == ["Ana", "Ana"]


def test_odd_addresses_of_the_form_show_an_empty_form(desk: Desk, world: World) -> None:
    for query in ("inicio=x", "inicio=0001-01-01T00:00:00-05:00", "recurso=x&servicio=y", "de=z"):
        assert desk.get(f"/reservas/nueva?{query}").status_code == 200


def test_looking_never_writes(desk: Desk, world: World, clock: Clock) -> None:
    hold = a_hold(world.session, world.location, world.cut, at("2026-03-10 10:00"), now=clock.now())
    clock.advance(minutes=11)

    for address in (f"/agenda/{DAY}", f"/reservas/{hold.id}", "/revisar", "/reservas/nueva"):
        assert desk.get(address).status_code == 200

    world.session.expire_all()
    assert world.session.scalar(select(Booking.status)) == "held"
    assert world.session.scalar(select(func.count()).select_from(Booking)) == 1
