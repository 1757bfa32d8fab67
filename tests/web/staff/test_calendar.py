from datetime import date, timedelta

import pytest
from sqlalchemy import Connection

from app.booking.views import Contact
from app.catalog.actions import add_holiday, add_time_off
from app.checkout.actions import cancel, check_in, complete, place_hold
from tests.conftest import Clock
from tests.factories import (
    DESK,
    a_booking,
    a_hold,
    a_location,
    a_resource,
    a_service,
    a_staff_user,
    a_wish,
    at,
)
from tests.web.conftest import DAY, Desk, World, by_id, counting, parsed, words

NOWHERE = "0190a0a0-0000-7000-8000-000000000000"
PAULA = Contact(name="Paula Menoni", phone="+5555991234567")


def test_the_day_shows_a_column_per_resource_with_its_bookings(desk: Desk, world: World) -> None:
    a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        contact=PAULA,
    )

    answer = desk.get(f"/agenda/{DAY}")

    column = " ".join("".join(by_id(answer, f"col-{world.marcos.id}").itertext()).split())
    assert "Marcos Acosta" in column
    assert "10:00 a 11:00 Paula Menoni Corte Confirmada" in column
    assert "Paula" not in "".join(by_id(answer, f"col-{world.lucia.id}").itertext())


def test_a_block_lies_at_its_minute(desk: Desk, world: World) -> None:
    booking = a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:05"),
        resource_ids=(world.marcos.id,),
        at_desk=True,
    )

    block = by_id(desk.get(f"/agenda/{DAY}"), f"b-{world.marcos.id}-{booking.id}")

    # the sheet begins at 08:30, a row is five minutes
    assert {"s-19", "d-12", "confirmed", "tall"} <= set(block.get("class", "").split())


def test_a_hold_counts_down_and_a_lapsed_one_is_over_before_anybody_writes_it(
    desk: Desk, world: World, clock: Clock
) -> None:
    hold = a_hold(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        now=clock.now(),
    )
    address = f"/agenda/{DAY}/columna/{world.marcos.id}"
    assert "Sin nombre Corte Pre-reserva10:00" in words(desk.get(address))

    clock.set(hold.expires_at)  # type: ignore[arg-type]

    assert "Vencida" in words(desk.get(address))
    assert "Libre 10:00" in words(desk.get(address))


def test_a_pool_says_how_many_places_are_taken(desk: Desk, world: World) -> None:
    for wall, units in (("10:00", 2), ("10:30", 1)):
        a_booking(
            world.session, world.location, world.massage, at(f"2026-03-10 {wall}"), units=units
        )

    column = words(desk.get(f"/agenda/{DAY}/columna/{world.beds.id}"))

    assert "3 lugares" in column
    assert [f"{n}/3" in column for n in (1, 2, 3)] == [True, True, True]
    assert "Libre 09:30" in column
    assert "Libre 10:30" not in column


def test_a_large_pool_gathers_a_class_in_one_block(desk: Desk, world: World) -> None:
    room = a_resource(world.session, world.location, "Sala", capacity=12)
    lesson = a_service(world.session, world.location, room, name="Clase")
    for number in range(7):
        a_booking(
            world.session,
            world.location,
            lesson,
            at("2026-03-10 10:00"),
            contact=Contact(name=f"Alumna {number}"),
        )

    column = words(desk.get(f"/agenda/{DAY}/columna/{room.id}"))

    assert "7/12" in column
    assert "Alumna 6" in column


def test_hours_pauses_leave_and_holidays_are_said_in_words(desk: Desk, world: World) -> None:
    a_resource(world.session, world.location, "Camila", hours=((540, 720), (780, 1080)), position=3)
    add_time_off(
        world.session,
        world.location.id,
        world.lucia.id,
        starts_at=at("2026-03-10 16:00"),
        ends_at=at("2026-03-10 18:00"),
        reason="Médico",
    )
    add_holiday(world.session, world.location.id, date(2026, 3, 11), "Carnaval")
    world.session.commit()

    today, holiday = words(desk.get(f"/agenda/{DAY}")), words(desk.get("/agenda/2026-03-11"))

    assert "Pausa" in today
    assert "Médico desde las 16:00" in today
    assert "Cerrado: feriado, Carnaval" in holiday


def test_a_cancelled_booking_leaves_its_place_free(desk: Desk, world: World) -> None:
    booking = a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        contact=PAULA,
    )
    cancel(world.session, world.location.id, booking.id, actor=DESK)
    world.session.commit()

    column = words(desk.get(f"/agenda/{DAY}/columna/{world.marcos.id}"))

    assert "Paula Menoni Corte Cancelada" in column
    assert "Libre 10:00, Marcos Acosta" in column


def test_a_completed_visit_makes_room_for_who_came_after_it(
    desk: Desk, world: World, clock: Clock
) -> None:
    booking = a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        contact=PAULA,
        arrived=True,
    )
    complete(world.session, world.location.id, booking.id, actor=DESK)
    a_hold(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:30"),
        resource_ids=(world.marcos.id,),
        now=clock.now(),
    )

    answer = desk.get(f"/agenda/{DAY}/columna/{world.marcos.id}")

    assert "half-l" in by_id(answer, f"b-{world.marcos.id}-{booking.id}").get("class", "")
    assert "half-r" in answer.text


def test_lateness_is_said_and_arriving_is_one_press(desk: Desk, world: World, clock: Clock) -> None:
    a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        contact=PAULA,
    )
    clock.set(at("2026-03-10 10:12"))

    fragment = desk.get(f"/agenda/{DAY}/lista")

    assert "Confirmada12 min tarde" in words(fragment)
    assert fragment.text.count("Ya llegó") == 2  # in the list and in the rail


def test_the_list_folds_what_is_behind(desk: Desk, world: World, clock: Clock) -> None:
    booking = a_booking(
        world.session, world.location, world.cut, at("2026-03-10 09:00"), contact=PAULA
    )
    check_in(world.session, world.location.id, booking.id, actor=DESK)
    complete(world.session, world.location.id, booking.id, actor=DESK)
    world.session.commit()
    clock.set(at("2026-03-10 11:00"))

    assert "1 anterior, ya cerrada" in words(desk.get(f"/agenda/{DAY}/lista"))


def test_a_column_asked_for_another_sheet_says_so_and_nothing_else(
    desk: Desk, world: World
) -> None:
    answer = desk.get(f"/agenda/{DAY}/columna/{world.marcos.id}?hoja=1-2")

    assert (answer.status_code, answer.headers["HX-Trigger"]) == (204, "firme:reframe")


@pytest.mark.parametrize(
    "address",
    [
        "/agenda/ayer",
        "/agenda/2026-02-30",
        "/agenda/9999-12-31",
        "/agenda/0001-01-01",
        "/agenda/20260310",
        f"/agenda/{DAY}/columna/{NOWHERE}",
        f"/agenda/{DAY}/columna/x",
        f"/reservas/{NOWHERE}",
    ],
)
def test_an_address_that_is_not_there_is_a_404(desk: Desk, address: str) -> None:
    assert desk.get(address).status_code == 404


def test_odd_parameters_are_left_out(desk: Desk) -> None:
    for query in ("r=x", f"r={NOWHERE}", "mover=%00", "fecha=x", "r="):
        assert desk.get(f"/agenda/{DAY}?{query}").status_code == 200


def test_the_date_field_and_the_steps_lead_to_other_days(desk: Desk) -> None:
    assert desk.get("/agenda?fecha=2026-03-14").location == "/agenda/2026-03-14"
    assert desk.get("/agenda?fecha=nunca").location == f"/agenda/{DAY}"
    links = [link.get("href") for link in parsed(desk.get(f"/agenda/{DAY}")).iter("a")]
    assert {"/agenda/2026-03-09", "/agenda/2026-03-11"} <= set(links)


def test_a_name_is_text_whatever_it_looks_like(desk: Desk, world: World) -> None:
    a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        contact=Contact(name="<script>alert(1)</script>"),
    )

    answer = desk.get(f"/agenda/{DAY}")

    assert "<script>alert" not in answer.text
    assert "<script>alert(1)</script>" in words(answer)


def test_a_professional_sees_the_own_column_and_nothing_else(
    another_desk: Desk, world: World
) -> None:
    lucia = a_staff_user(
        world.session, world.location, role="professional", resource=world.lucia, name="Lucía"
    )
    mine, theirs = (
        a_booking(
            world.session,
            world.location,
            world.cut,
            at("2026-03-10 10:00"),
            resource_ids=(resource.id,),
            contact=Contact(name=name),
        )
        for resource, name in ((world.lucia, "Visita mía"), (world.marcos, "Visita ajena"))
    )
    another_desk.log_in(lucia)

    page = another_desk.get(f"/agenda/{DAY}?r={theirs.id}")

    assert "Visita mía" in page.text
    assert "Visita ajena" not in page.text
    assert "Marcos Acosta" not in page.text
    assert another_desk.get(f"/agenda/{DAY}/columna/{world.marcos.id}").status_code == 404
    assert another_desk.get(f"/reservas/{theirs.id}").status_code == 404
    assert another_desk.post(f"/reservas/{theirs.id}/llego").status_code == 404
    assert another_desk.get(f"/reservas/{mine.id}").status_code == 200


def test_what_belongs_to_another_location_is_not_there(desk: Desk, world: World) -> None:
    elsewhere = a_location(world.session)
    resource = a_resource(world.session, elsewhere)
    service = a_service(world.session, elsewhere, resource)
    booking = a_booking(world.session, elsewhere, service, at("2026-03-10 10:00"))

    assert desk.get(f"/reservas/{booking.id}").status_code == 404
    assert desk.post(f"/reservas/{booking.id}/cancelar").status_code == 404
    assert desk.get(f"/agenda/{DAY}/columna/{resource.id}").status_code == 404


def test_the_next_free_places_skip_what_is_taken(desk: Desk, world: World) -> None:
    for resource in (world.marcos, world.lucia):
        a_booking(
            world.session,
            world.location,
            world.cut,
            at("2026-03-10 09:00"),
            resource_ids=(resource.id,),
        )

    answer = desk.get(f"/agenda/{DAY}/libres?servicio={world.cut.id}", htmx=True)

    assert "10:00" in words(answer)
    assert "09:00" not in words(answer)
    assert desk.get(f"/agenda/{DAY}/libres?servicio=x&dias=7").status_code == 200


def test_a_full_day_costs_the_same_few_statements(
    desk: Desk, world: World, connection: Connection
) -> None:
    def cost(address: str) -> int:
        with counting(connection) as counted:
            assert desk.get(address).status_code == 200
        return len(counted.statements)

    addresses = [
        f"/agenda/{DAY}",
        f"/agenda/{DAY}/columna/{world.marcos.id}",
        f"/agenda/{DAY}/lista",
    ]
    empty = [cost(address) for address in addresses]
    start = at("2026-03-10 09:00")
    for hour in range(8):
        for resource in (world.marcos, world.lucia):
            place_hold(
                world.session,
                a_wish(
                    world.location,
                    world.cut,
                    start + timedelta(hours=hour),
                    resource_ids=(resource.id,),
                ),
                actor=DESK,
                now=start - timedelta(hours=1),
            )
    world.session.commit()

    assert [cost(address) for address in addresses] == empty
    assert empty[0] <= 9
    assert empty[1] <= 5


def test_answers_of_the_desk_are_kept_by_nobody(desk: Desk) -> None:
    answer = desk.get(f"/agenda/{DAY}")

    assert answer.headers["Cache-Control"] == "no-store"
    assert "unsafe-inline" not in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert {"HX-Request", "Cookie"} <= {each.strip() for each in answer.headers["Vary"].split(",")}
    assert " style=" not in answer.text


@pytest.mark.parametrize(("language", "said"), [("pt-BR", "Pré-reserva"), ("en", "Calendar")])
def test_the_desk_speaks_three_languages(desk: Desk, language: str, said: str) -> None:
    answer = desk.get(f"/agenda/{DAY}", language=language)

    assert said in answer.text
    assert f'<html lang="{language[:2]}">' in answer.text
