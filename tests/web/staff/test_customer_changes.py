"""A customer's record, changed at the desk: with htmx and as plain forms."""

from collections.abc import Callable
from uuid import UUID

import pytest
from sqlalchemy import select

from app.booking.merging import merge_customers
from app.booking.views import Contact
from app.customers.actions import Told, edit, find_or_add
from app.customers.queries import CustomerView, get_customer
from app.events import Audit
from app.ids import new_id
from tests.factories import DESK, a_booking, at
from tests.web.conftest import Desk, World, by_id, parsed, values, words

Add = Callable[..., UUID]


@pytest.fixture
def add(world: World) -> Add:
    def make(name: str = "Paula Menoni", phone: str = "+5555991234567") -> UUID:
        found = find_or_add(world.session, world.location.id, phone=phone, name=name, email=None)
        world.session.commit()
        return found

    return make


def see(world: World, customer_id: UUID) -> CustomerView:
    return get_customer(world.session, world.location.id, customer_id)


def record_of(desk: Desk, customer_id: UUID, **typed: str) -> dict[str, str]:
    return values(by_id(desk.get(f"/clientes/{customer_id}"), "record")) | typed


@pytest.mark.parametrize("htmx", [False, True])
def test_the_record_is_saved(desk: Desk, world: World, add: Add, htmx: bool) -> None:
    paula = add()
    form = record_of(
        desk, paula, name="Paula M. Núñez", email="p@x.uy", notes="Alérgica.\r\nCon Lucía."
    )

    answer = desk.post(f"/clientes/{paula}", form, htmx=htmx)

    assert answer.status_code == (200 if htmx else 303)
    page = answer if htmx else desk.get(answer.location)
    if htmx:
        assert "Ficha guardada." in answer.headers["HX-Trigger"]
        assert "<html" not in answer.text
    assert record_of(desk, paula) == values(by_id(page, "record"))
    seen = see(world, paula)
    assert (seen.name, seen.email) == ("Paula M. Núñez", "p@x.uy")
    assert seen.notes == "Alérgica.\nCon Lucía."
    line = world.session.scalars(select(Audit).where(Audit.subject_id == paula)).one()
    assert (line.action, line.actor, line.actor_id) == ("customer.edited", "Rocío", world.rocio.id)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"email": "no es"}, "No parece un correo."),
        ({"name": "x" * 201}, "Es demasiado largo."),
        ({"notes": "x" * 4001}, "Es demasiado largo."),
        ({"notes": "a\x07b"}, "El texto tiene caracteres que no se pueden guardar."),
    ],
)
@pytest.mark.parametrize("htmx", [False, True])
def test_a_wrong_field_is_named_and_nothing_is_lost(
    desk: Desk, world: World, add: Add, typed: dict[str, str], said: str, htmx: bool
) -> None:
    paula = add()
    form = record_of(desk, paula, **{"name": "Otro nombre", **typed})

    answer = desk.post(f"/clientes/{paula}", form, htmx=htmx)

    assert answer.status_code == 422
    assert said in words(answer)
    if "name" not in typed:
        assert values(by_id(answer, "record"))["name"] == "Otro nombre"
    assert see(world, paula).name == "Paula Menoni"


def test_who_saves_second_keeps_what_they_typed(desk: Desk, world: World, add: Add) -> None:
    paula = add()
    form = record_of(desk, paula, notes="Lo mío")
    edit(world.session, world.location.id, paula, Told("Paula M.", None, "Lo otro"), actor=DESK)
    world.session.commit()

    answer = desk.post(f"/clientes/{paula}", form, htmx=True)

    assert answer.status_code == 409
    assert "Otra persona cambió esta ficha." in words(answer)
    again = values(by_id(answer, "record"))
    assert (again["notes"], again["version"]) == ("Lo mío", "2")
    assert see(world, paula).notes == "Lo otro"
    assert desk.post(f"/clientes/{paula}", again, htmx=True).status_code == 200
    assert see(world, paula).notes == "Lo mío"


@pytest.mark.parametrize("htmx", [False, True])
def test_a_block_is_shown_with_its_reason_and_taken_away(
    desk: Desk, world: World, add: Add, htmx: bool
) -> None:
    paula = add()
    form = values(by_id(desk.get(f"/clientes/{paula}"), "block")) | {"reason": "Dos faltas"}

    answer = desk.post(f"/clientes/{paula}/bloquear", form, htmx=htmx)

    page = words(answer if htmx else desk.get(answer.location))
    assert "Sin reservas en línea: Dos faltas" in page
    assert "Rocío, hoy. Vale para la página pública" in page
    assert see(world, paula).blocked_by == "Rocío"

    desk.post(f"/clientes/{paula}/desbloquear", {}, htmx=htmx)
    assert not see(world, paula).is_blocked
    assert "Dos faltas" not in words(desk.get(f"/clientes/{paula}"))


def test_a_block_needs_a_reason(desk: Desk, world: World, add: Add) -> None:
    paula = add()

    answer = desk.post(f"/clientes/{paula}/bloquear", {"reason": " "}, htmx=True)

    assert answer.status_code == 422
    assert "open" in by_id(answer, "block").attrib
    assert not see(world, paula).is_blocked


def test_a_block_changes_no_rule_of_booking(desk: Desk, world: World, add: Add) -> None:
    """The page says so: it is for the public page, which is not there yet."""
    paula = add()
    desk.post(f"/clientes/{paula}/bloquear", {"reason": "Dos faltas"})
    form = world.hold_form(phone="(55) 99123-4567")

    assert desk.post("/reservas", form, htmx=True).status_code == 200


@pytest.mark.parametrize("htmx", [False, True])
def test_twins_are_offered_and_become_one(desk: Desk, world: World, add: Add, htmx: bool) -> None:
    paula, twin, same_name = (
        add(),
        add("Pauli", "+555591234567"),
        add("PAULA MENONI", "+59899123456"),
    )
    booking = a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        contact=Contact(name="Pauli", phone="+555591234567"),
    )
    page = desk.get(f"/clientes/{paula}")
    offered = [
        each.get("value") for each in parsed(page).iter("input") if each.get("name") == "other"
    ]
    assert offered == [str(twin), str(same_name)]

    answer = desk.post(f"/clientes/{paula}/unir", {"other": str(twin)}, htmx=htmx)

    address = answer.headers["HX-Redirect"] if htmx else answer.location
    assert (answer.status_code, address) == (204 if htmx else 303, f"/clientes/{paula}")
    after = desk.get(address)
    assert "Las dos fichas son una." in words(after)
    assert str(booking.id) in after.text
    assert "También 5591234567" in words(after)
    assert desk.get(f"/clientes/{twin}").location == f"/clientes/{paula}"
    again = desk.post(f"/clientes/{paula}/unir", {"other": str(twin)})
    assert (again.status_code, again.location) == (303, f"/clientes/{paula}")


def test_what_cannot_be_merged_is_refused(desk: Desk, world: World, add: Add) -> None:
    paula = add()

    for other, status in (("", 422), ("x", 422), (str(paula), 422), (str(new_id()), 404)):
        answer = desk.post(f"/clientes/{paula}/unir", {"other": other}, htmx=True)
        assert answer.status_code == status


def test_a_form_about_a_merged_record_leads_to_the_one_that_stands(
    desk: Desk, world: World, add: Add
) -> None:
    paula, twin, third = add(), add("P", "+555591234567"), add("Z", "+59899123456")
    form = record_of(desk, twin, notes="Tarde")
    merge_customers(world.session, world.location.id, paula, twin, actor=DESK)
    world.session.commit()

    for address, sent in (
        (f"/clientes/{twin}", form),
        (f"/clientes/{twin}/bloquear", {"reason": "x"}),
        (f"/clientes/{twin}/unir", {"other": str(third)}),
    ):
        answer = desk.post(address, sent)
        assert (answer.status_code, answer.location) == (303, f"/clientes/{paula}")
    assert "Esa ficha ya es parte de otra." in words(desk.get(f"/clientes/{paula}"))
    refused = desk.post(f"/clientes/{third}/unir", {"other": str(twin)}, htmx=True)
    assert refused.status_code == 409
    assert "Esa ficha ya es parte de otra." in words(refused)


def test_a_form_without_its_token_changes_nothing(desk: Desk, world: World, add: Add) -> None:
    paula = add()

    answer = desk.client.post(f"/clientes/{paula}", data={"name": "x"})

    assert answer.status_code == 400
    assert see(world, paula).name == "Paula Menoni"
