"""Customers at the desk: found, listed, read, and hidden from who has only a column."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, update
from sqlalchemy.orm import Session

from app.booking.views import BookingView, Contact
from app.checkout.actions import cancel, check_in, complete, confirm_no_show, release
from app.customers.actions import find_or_add
from app.customers.models import Customer
from app.web.staff.customers import PER_PAGE
from tests.checkout.scenes import Desk as Till
from tests.conftest import Clock
from tests.factories import (
    DESK,
    a_booking,
    a_hold,
    a_location,
    a_person,
    a_staff_user,
    at,
)
from tests.web.conftest import DAY, Desk, World, by_id, counting, parsed, values, words

NOWHERE = "0190a0a0-0000-7000-8000-000000000000"
PAULA = Contact(name="Paula Menoni", phone="+5555991234567")

Book = Callable[..., BookingView]


@pytest.fixture
def book(world: World) -> Book:
    def make(wall: str, contact: Contact = PAULA, **more: object) -> BookingView:
        return a_booking(
            world.session,
            world.location,
            world.cut,
            at(f"2026-03-{wall}"),
            contact=contact,
            at_desk=True,
            override="prueba",
            **more,
        )

    return make


def page_of(booking: BookingView) -> str:
    return f"/clientes/{booking.contact.customer_id}"


def known(session: Session, world: World, name: str, phone: str) -> str:
    found = find_or_add(session, world.location.id, phone=phone, name=name, email=None)
    session.commit()
    return f"/clientes/{found}"


def suggested(desk: Desk, typed: str) -> list[str]:
    answer = desk.get(f"/clientes/buscar?q={typed}", htmx=True)
    return [
        " ".join("".join(each.itertext()).split())
        for each in parsed(answer).iter()
        if each.get("role") == "option"
    ]


def test_a_customer_is_found_by_the_last_digits(desk: Desk, book: Book) -> None:
    book("10 10:00")
    book("10 11:00", Contact(name="Otra", phone="+5555991230000"))

    assert suggested(desk, "4567") == ["Paula Menoni (55) 99123-4567 Hoy 10:00"]


def test_what_a_row_says_of_a_customer(desk: Desk, world: World, book: Book, clock: Clock) -> None:
    absent = book("10 10:00")
    world.session.execute(
        update(Customer).values(blocked_at=clock.now(), blocked_by="R", blocked_reason="x")
    )
    _absent(world, absent, clock)

    assert suggested(desk, "menoni pau") == [
        "Paula Menoni (55) 99123-4567 Sin próxima · 1 ausencia · sin reservas en línea"
    ]


def _absent(world: World, booking: BookingView, clock: Clock) -> None:
    clock.set(at("2026-03-10 13:00"))
    confirm_no_show(world.session, world.location.id, booking.id, actor=a_person(world.rocio))
    world.session.commit()


def test_eight_are_suggested_and_no_more(desk: Desk, world: World) -> None:
    for number in range(12):
        known(world.session, world, f"Ana {number}", f"+55559912345{number:02}")

    assert len(suggested(desk, "ana")) == 8


@pytest.mark.parametrize(
    ("typed", "said", "leads_to"),
    [
        ("4567", "Nadie con 4567.", "/reservas/nueva?telefono=4567"),
        ("Zoe", "Nadie con Zoe.", "/reservas/nueva?nombre=Zoe"),
    ],
)
def test_nobody_leads_to_the_quick_hold(desk: Desk, typed: str, said: str, leads_to: str) -> None:
    for address, htmx in ((f"/clientes/buscar?q={typed}", True), (f"/clientes?q={typed}", False)):
        answer = desk.get(address, htmx=htmx)
        assert said in words(answer)
        assert leads_to in [link.get("href") for link in parsed(answer).iter("a")]

    form = values(by_id(desk.get(leads_to), "panel-new"))
    assert typed in {form["phone"], form["name"]}


def test_one_letter_is_too_little_to_look_for(desk: Desk, book: Book) -> None:
    book("10 10:00")

    assert suggested(desk, "p") == []
    assert "Escribí al menos dos" in words(desk.get("/clientes?q=p"))


def test_the_search_without_htmx_is_the_list(desk: Desk) -> None:
    assert desk.get("/clientes/buscar?q=paula").location == "/clientes?q=paula"
    assert desk.get("/clientes/buscar?q=%00%01").location == "/clientes?q="


def test_the_list_shows_what_each_came_to(
    desk: Desk, world: World, book: Book, clock: Clock
) -> None:
    session, location = world.session, world.location.id
    done = book("10 09:00")
    gone = book("10 12:00")
    clock.set(at("2026-03-10 09:00"))
    check_in(session, location, done.id, actor=DESK)
    complete(session, location, done.id, actor=DESK)
    cancel(session, location, gone.id, actor=DESK)
    held = a_hold(session, world.location, world.cut, at("2026-03-10 13:00"), contact=PAULA)
    release(session, location, held.id, actor=DESK)
    session.commit()
    book("11 15:00")

    row = "Paula Menoni (55) 99123-4567 Última visita hoy Próxima mañana 15:00"
    assert f"{row} Visitas 1 Ausencias 0 Canceladas 1" in words(desk.get("/clientes"))


def test_the_list_goes_on_behind_the_last_one(desk: Desk, world: World) -> None:
    for number in range(PER_PAGE + 3):
        known(world.session, world, f"Ana {number:02}", f"+55559912345{number:02}")
    known(world.session, world, "", "+59899111222")

    first = desk.get("/clientes?q=ana")
    assert len(list(parsed(first).iter("tr"))) == PER_PAGE + 1
    more = next(link for link in parsed(first).iter("a") if link.get("rel") == "next")
    second = desk.get(more.get("href") or "")

    assert len(list(parsed(second).iter("tr"))) == 3 + 1
    assert "Ana 50" in words(second)
    assert "Siguientes" not in words(second)
    everybody = desk.get((more.get("href") or "").replace("q=ana&", ""))
    assert words(everybody).index("Ana 52") < words(everybody).index("Sin nombre")


@pytest.mark.parametrize(
    "query", ["desde=x", f"desde={NOWHERE}", "q=%00", "q=%25_", "q=" + "a" * 999]
)
def test_odd_parameters_do_no_harm(desk: Desk, query: str) -> None:
    assert desk.get(f"/clientes?{query}").status_code == 200
    assert desk.get(f"/clientes/buscar?{query}", htmx=True).status_code == 200


def test_the_page_shows_the_next_booking_first(
    desk: Desk, world: World, book: Book, clock: Clock
) -> None:
    done = book("10 09:00")
    clock.set(at("2026-03-10 09:00"))
    check_in(world.session, world.location.id, done.id, actor=DESK)
    world.session.commit()
    later, sooner = book("12 15:00"), book("11 16:00")

    page = desk.get(page_of(sooner))

    links = [a.get("href") for a in parsed(page).iter("a") if "visit" in (a.get("class") or "")]
    assert links == [f"/reservas/{each.id}" for each in (sooner, later, done)]
    said = words(page)
    assert "Visitas1 Ausencias0 Canceladas0" in said
    assert "16:00 a 17:00 · Corte" in said
    hrefs = [a.get("href") for a in parsed(page).iter("a")]
    assert {"tel:+5555991234567", "https://wa.me/5555991234567"} <= set(hrefs)
    assert f"/reservas/nueva?cliente={sooner.contact.customer_id}" in hrefs


def test_a_hold_for_a_customer_is_filled_in(desk: Desk, book: Book) -> None:
    booking = book("10 10:00")

    form = values(
        by_id(desk.get(f"/reservas/nueva?cliente={booking.contact.customer_id}"), "panel-new")
    )

    assert (form["name"], form["phone"]) == ("Paula Menoni", "(55) 99123-4567")
    assert desk.get("/reservas/nueva?cliente=x").status_code == 200
    assert desk.get(f"/reservas/nueva?cliente={NOWHERE}").status_code == 200


def test_the_history_says_what_became_of_a_deposit(desk: Desk, till: Till) -> None:
    booking = till.paid()

    page = words(desk.get(page_of(till.see(booking))))

    assert "R$ 50,00 seña recibida" in page


def test_the_panel_leads_to_the_customer_and_says_a_block(
    desk: Desk, world: World, book: Book, clock: Clock
) -> None:
    booking = book("10 10:00")
    panel = desk.get(f"/reservas/{booking.id}")
    assert page_of(booking) in [a.get("href") for a in parsed(panel).iter("a")]
    assert "Sin reservas en línea" not in words(panel)

    world.session.execute(
        update(Customer).values(blocked_at=clock.now(), blocked_by="R", blocked_reason="Dos faltas")
    )
    world.session.commit()

    assert "Sin reservas en línea: Dos faltas" in words(desk.get(f"/reservas/{booking.id}"))


def test_a_professional_sees_no_customers(another_desk: Desk, world: World, book: Book) -> None:
    booking = book("10 10:00", resource_ids=(world.lucia.id,))
    lucia = a_staff_user(
        world.session, world.location, role="professional", resource=world.lucia, name="Lucía"
    )
    another_desk.log_in(lucia)

    for address in ("/clientes", "/clientes/buscar?q=paula", page_of(booking)):
        assert another_desk.get(address).status_code == 404
    for deed in ("", "/bloquear", "/desbloquear", "/unir"):
        assert another_desk.post(page_of(booking) + deed).status_code == 404
    for address in (f"/agenda/{DAY}", f"/reservas/{booking.id}", "/revisar"):
        assert "/clientes" not in another_desk.get(address).text
    form = another_desk.get(f"/reservas/nueva?cliente={booking.contact.customer_id}")
    assert "Paula" not in form.text


def test_customers_of_another_location_are_not_there(desk: Desk, world: World) -> None:
    elsewhere = a_location(world.session)
    theirs = find_or_add(
        world.session, elsewhere.id, phone="+5555991234567", name="Paula", email=None
    )
    world.session.commit()

    assert desk.get(f"/clientes/{theirs}").status_code == 404
    assert desk.post(f"/clientes/{theirs}", {"name": "x"}).status_code == 404
    assert suggested(desk, "4567")[0].startswith("Crear pre-reserva")
    assert "Paula" not in desk.get("/clientes").text


def test_each_page_costs_the_same_few_statements(
    desk: Desk, world: World, book: Book, connection: Connection
) -> None:
    def cost(address: str, *, htmx: bool = False) -> int:
        with counting(connection) as counted:
            assert desk.get(address, htmx=htmx).status_code == 200
        return len(counted.statements)

    first = book("10 10:00")

    def costs() -> list[int]:
        return [
            cost("/clientes"),
            cost("/clientes?q=paula"),
            cost("/clientes/buscar?q=4567", htmx=True),
            cost(page_of(first)),
        ]

    few = costs()
    for day in range(11, 15):
        book(f"{day} 10:00")
        book(f"{day} 12:00", Contact(name="Paula Menoni", phone=f"+5555991234{day}0"))

    assert costs() == few
    assert few == [4, 4, 2, 9]


def test_a_name_is_text_whatever_it_looks_like(desk: Desk, world: World) -> None:
    address = known(world.session, world, "<script>alert(1)</script>", "+5555991234567")

    for answer in (desk.get(address), desk.get("/clientes"), desk.get("/clientes?q=alert")):
        assert "<script>alert" not in answer.text
        assert "<script>alert(1)</script>" in words(answer)
        assert " style=" not in answer.text


@pytest.mark.parametrize(
    ("language", "said"), [("pt-BR", "Próxima reserva"), ("en", "Next booking")]
)
def test_the_page_speaks_three_languages(
    desk: Desk, world: World, language: str, said: str
) -> None:
    address = known(world.session, world, "Paula", "+5555991234567")

    assert said in desk.get(address, language=language).text
