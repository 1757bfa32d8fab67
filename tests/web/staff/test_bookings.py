import pytest
from sqlalchemy import text

from app.booking.queries import get_booking
from app.booking.states import Status
from app.booking.views import BookingView, Contact
from app.checkout.actions import cancel, check_in, confirm_no_show
from tests.conftest import Clock
from tests.factories import DESK, a_booking, a_hold, a_person, a_service, at
from tests.web.conftest import Desk, World, by_id, values, words


@pytest.fixture
def held(world: World, clock: Clock) -> BookingView:
    return a_hold(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        now=clock.now(),
    )


@pytest.fixture
def confirmed(world: World) -> BookingView:
    return a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        contact=Contact(name="Paula Menoni"),
    )


def status(world: World, booking: BookingView) -> Status:
    world.session.expire_all()
    return get_booking(world.session, world.location.id, booking.id).status


def confirm_form(desk: Desk, booking: BookingView, **typed: str) -> dict[str, str]:
    return values(by_id(desk.get(f"/reservas/{booking.id}"), "confirm")) | typed


@pytest.mark.parametrize("htmx", [False, True])
def test_a_hold_is_confirmed_with_the_customer(
    desk: Desk, world: World, held: BookingView, htmx: bool
) -> None:
    form = confirm_form(
        desk, held, name="Ana Núñez", phone="(55) 99123-4567", notes="Prefiere la tarde"
    )

    answer = desk.post(f"/reservas/{held.id}/confirmar", form, htmx=htmx)

    assert answer.status_code == (200 if htmx else 303)
    booking = get_booking(world.session, world.location.id, held.id)
    assert booking.status is Status.CONFIRMED
    assert (booking.contact.name, booking.notes) == ("Ana Núñez", "Prefiere la tarde")
    assert "Rocío" in words(desk.get(f"/reservas/{held.id}"))


def test_a_wrong_phone_is_said_beside_it_and_every_letter_stays(
    desk: Desk, world: World, held: BookingView
) -> None:
    form = confirm_form(desk, held, name="Ana <b>", phone="12", notes="Cuidado & calma")

    answer = desk.post(f"/reservas/{held.id}/confirmar", form, htmx=True)

    assert answer.status_code == 422
    assert by_id(answer, "f-phone").get("aria-invalid") == "true"
    again = values(by_id(answer, "confirm"))
    assert {name: again[name] for name in ("name", "phone", "notes")} == {
        "name": "Ana <b>",
        "phone": "12",
        "notes": "Cuidado & calma",
    }
    assert status(world, held) is Status.HELD


def test_a_name_that_another_door_took_is_not_too_long_here(
    desk: Desk, world: World, held: BookingView
) -> None:
    answer = desk.post(f"/reservas/{held.id}/confirmar", confirm_form(desk, held, name="x" * 200))

    assert answer.status_code == 303
    assert status(world, held) is Status.CONFIRMED


def test_nobody_is_confirmed_without_a_name(desk: Desk, world: World, held: BookingView) -> None:
    answer = desk.post(f"/reservas/{held.id}/confirmar", confirm_form(desk, held))

    assert answer.status_code == 422
    assert "Falta este dato." in words(answer)
    assert status(world, held) is Status.HELD


def test_confirming_twice_is_confirming(desk: Desk, world: World, held: BookingView) -> None:
    form = confirm_form(desk, held, name="Ana")

    answers = [desk.post(f"/reservas/{held.id}/confirmar", form) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [303, 303]


def test_a_hold_that_lapsed_while_typing_keeps_the_text_and_offers_the_place_again(
    desk: Desk, world: World, held: BookingView, clock: Clock
) -> None:
    form = confirm_form(desk, held, name="Ana", phone="(55) 99123-4567")
    clock.advance(minutes=11)

    refused = desk.post(f"/reservas/{held.id}/confirmar", form, htmx=True)

    assert refused.status_code == 409
    assert "La pre-reserva de las 10:00 venció" in words(refused)
    again = values(by_id(refused, "panel-conflict"))
    assert (again["name"], again["phone"]) == ("Ana", "(55) 99123-4567")
    assert desk.post("/reservas", again).status_code == 303


def test_a_wrong_phone_typed_until_the_hold_lapsed_is_not_lost_either(
    desk: Desk, held: BookingView, clock: Clock
) -> None:
    form = confirm_form(desk, held, name="Ana", phone="099 888", notes="a medio escribir")
    clock.advance(minutes=11)

    answer = desk.post(f"/reservas/{held.id}/confirmar", form, htmx=True)

    assert answer.status_code == 409
    assert "venció" in words(answer)
    assert "099 888" in answer.text
    assert "a medio escribir" in answer.text


def test_what_was_typed_outlives_a_hold_that_another_desk_let_go(
    desk: Desk, world: World, held: BookingView
) -> None:
    form = confirm_form(desk, held, name="Ana Núñez", notes="a medio escribir")
    cancel(world.session, world.location.id, held.id, actor=DESK)
    world.session.commit()

    answer = desk.post(f"/reservas/{held.id}/confirmar", form, htmx=True)

    assert answer.status_code == 409
    assert "10:00" in words(answer)
    assert "a medio escribir" in answer.text


def test_a_deposit_that_no_account_takes_is_said_clearly(
    desk: Desk, world: World, clock: Clock
) -> None:
    service = a_service(
        world.session,
        world.location,
        world.marcos,
        name="Color",
        price_cents=9000,
        deposit_cents=4000,
    )
    held = a_hold(world.session, world.location, service, at("2026-03-10 10:00"), now=clock.now())

    answer = desk.post(
        f"/reservas/{held.id}/confirmar", confirm_form(desk, held, name="Ana"), htmx=True
    )

    assert answer.status_code == 503
    assert "Este local no tiene una cuenta Pix" in words(answer)
    assert values(by_id(answer, "confirm"))["name"] == "Ana"
    assert status(world, held) is Status.HELD


def test_a_hold_gets_five_minutes_more_twice(desk: Desk, world: World, held: BookingView) -> None:
    answers = [desk.post(f"/reservas/{held.id}/mas-tiempo", htmx=True) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 422]
    assert "+5 min" not in words(answers[1])


def test_letting_a_place_go_frees_it(desk: Desk, world: World, held: BookingView) -> None:
    desk.post(f"/reservas/{held.id}/liberar")

    assert status(world, held) is Status.CANCELLED


@pytest.mark.parametrize("htmx", [False, True])
def test_arriving_leaving_and_taking_it_back(
    desk: Desk, world: World, confirmed: BookingView, htmx: bool
) -> None:
    steps = [
        ("llego", Status.CHECKED_IN),
        ("deshacer", Status.CONFIRMED),
        ("llego", Status.CHECKED_IN),
        ("completar", Status.COMPLETED),
    ]
    for step, becomes in steps:
        answer = desk.post(f"/reservas/{confirmed.id}/{step}", htmx=htmx)

        assert answer.status_code == (200 if htmx else 303), step
        assert status(world, confirmed) is becomes


def test_the_button_of_the_list_leads_back_to_the_list(desk: Desk, confirmed: BookingView) -> None:
    answer = desk.post(f"/reservas/{confirmed.id}/llego", {"back": "/agenda/2026-03-10"})

    assert answer.location == "/agenda/2026-03-10"


def test_a_second_press_finds_the_work_done(desk: Desk, confirmed: BookingView) -> None:
    form = {"version": str(confirmed.version)}

    answers = [desk.post(f"/reservas/{confirmed.id}/llego", form) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [303, 303]


def test_cancelling_keeps_the_reason(desk: Desk, world: World, confirmed: BookingView) -> None:
    desk.post(f"/reservas/{confirmed.id}/cancelar", {"reason": "Está enferma"})

    assert status(world, confirmed) is Status.CANCELLED
    assert "Está enferma" in words(desk.get(f"/reservas/{confirmed.id}"))


def test_a_reason_too_long_is_refused_with_its_text(
    desk: Desk, world: World, confirmed: BookingView
) -> None:
    answer = desk.post(f"/reservas/{confirmed.id}/cancelar", {"reason": "x" * 301})

    assert answer.status_code == 422
    assert "x" * 301 in answer.text
    assert status(world, confirmed) is Status.CONFIRMED


def test_who_comes_second_sees_how_things_are_now(
    desk: Desk, world: World, confirmed: BookingView
) -> None:
    cancel(world.session, world.location.id, confirmed.id, actor=DESK)
    world.session.commit()

    answer = desk.post(
        f"/reservas/{confirmed.id}/llego", {"version": str(confirmed.version)}, htmx=True
    )

    assert (answer.status_code, answer.headers["HX-Retarget"]) == (409, "#panel")
    assert "Cancelada" in words(answer)
    assert "Otra persona cambió la reserva" in words(answer)


def test_an_absence_is_taken_back_only_while_the_place_is_free(
    desk: Desk, world: World, confirmed: BookingView, clock: Clock
) -> None:
    clock.set(at("2026-03-10 10:20"))
    confirm_no_show(world.session, world.location.id, confirmed.id, actor=a_person(world.rocio))
    a_hold(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:30"),
        resource_ids=(world.marcos.id,),
        now=clock.now(),
    )

    answer = desk.post(f"/reservas/{confirmed.id}/deshacer", htmx=True)

    assert answer.status_code == 409
    assert status(world, confirmed) is Status.NO_SHOW


def test_what_the_state_does_not_allow_is_not_drawn(
    desk: Desk, world: World, confirmed: BookingView
) -> None:
    assert "Completar" not in words(desk.get(f"/reservas/{confirmed.id}"))
    check_in(world.session, world.location.id, confirmed.id, actor=DESK)
    world.session.commit()
    panel = words(desk.get(f"/reservas/{confirmed.id}"))
    assert "Completar" in panel
    assert "Cancelar la reserva" not in panel


def test_a_panel_is_a_page_by_itself_and_a_part_for_htmx(
    desk: Desk, confirmed: BookingView
) -> None:
    assert desk.get(f"/reservas/{confirmed.id}").text.startswith("<!doctype html>")
    part = desk.get(f"/reservas/{confirmed.id}", htmx=True)
    assert part.text.lstrip().startswith("<article")


@pytest.mark.parametrize(
    "address",
    ["confirmar", "liberar", "mas-tiempo", "llego", "completar", "deshacer", "cancelar", "mover"],
)
@pytest.mark.parametrize("version", ["x", "-1", "99999999999999999999", "7"])
def test_an_odd_version_is_never_a_fault(
    desk: Desk, world: World, confirmed: BookingView, address: str, version: str
) -> None:
    answer = desk.post(f"/reservas/{confirmed.id}/{address}", {"version": version})

    assert answer.status_code < 500


def test_nothing_of_the_desk_can_mark_an_absence_but_the_review(
    desk: Desk, world: World, confirmed: BookingView, clock: Clock
) -> None:
    clock.set(at("2026-03-10 12:00"))
    for step in ("confirmar", "liberar", "mas-tiempo", "completar", "deshacer"):
        desk.post(f"/reservas/{confirmed.id}/{step}", {"name": "x"})

    absent = world.session.execute(text("SELECT count(*) FROM booking WHERE status = 'no_show'"))
    assert absent.scalar_one() == 0
