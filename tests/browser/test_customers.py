import re

import pytest
from playwright.sync_api import Page, expect

from app.customers.actions import find_or_add
from app.extensions import db
from tests.browser.conftest import Business, Desks
from tests.browser.test_accessible import SIZES, problems


def known(business: Business, name: str, phone: str) -> str:
    session = db.session()
    found = find_or_add(session, business.location.id, phone=phone, name=name, email=None)
    session.commit()
    return f"/clientes/{found}"


@pytest.fixture
def people(business: Business) -> dict[str, str]:
    return {
        name: known(business, name, phone)
        for name, phone in (
            ("Ana Núñez", "+5555991114567"),
            ("Bruno Leites", "+5555992224567"),
            ("Zoe Paz", "+5555993330000"),
        )
    }


def look_for(page: Page, typed: str) -> None:
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type(typed)
    expect(page.locator("#find")).to_have_attribute("aria-expanded", "true")


def test_a_customer_is_found_from_the_agenda_without_a_mouse(
    desks: Desks, business: Business, people: dict[str, str]
) -> None:
    page = desks.open(f"/agenda/{business.day}")
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)

    look_for(page, "4567")

    options = page.locator("#find-list [role=option]")
    expect(options).to_have_count(2)
    expect(page.locator("#find-said")).to_have_text("2 clientes")
    expect(page.locator("#find")).to_have_attribute("aria-activedescendant", "find-0")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#find")).to_have_attribute("aria-activedescendant", "find-1")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    expect(options.nth(0)).to_have_attribute("aria-selected", "false")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{people['Bruno Leites']}")
    expect(page.locator("h1")).to_have_text("Bruno Leites")
    assert complaints == []


def test_escape_closes_the_list_and_leaves_the_panel_open(
    desks: Desks, business: Business, people: dict[str, str]
) -> None:
    booking = business.book("10:00", business.marcos, "Paula Menoni")
    page = desks.open(f"/agenda/{business.day}?r={booking.id}")
    look_for(page, "nunez an")

    page.keyboard.press("Escape")

    expect(page.locator("#find-list")).to_be_hidden()
    expect(page.locator("#find")).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#find")).to_have_value("nunez an")
    page.keyboard.press("Escape")
    expect(page.locator("#find")).not_to_be_focused()
    expect(page.locator("#panel-title")).to_have_text("Paula Menoni")


def test_the_list_closes_when_the_focus_goes_elsewhere(
    desks: Desks, business: Business, people: dict[str, str]
) -> None:
    page = desks.open("/revisar")
    look_for(page, "ana")

    page.keyboard.press("Tab")

    expect(page.locator("#find-list")).to_be_hidden()


def test_enter_before_the_answer_leads_to_the_list(desks: Desks, people: dict[str, str]) -> None:
    page = desks.open("/revisar")

    page.keyboard.press("/")
    page.keyboard.type("4567")
    page.keyboard.press("Enter")

    page.wait_for_url("**/clientes?q=4567")
    expect(page.locator("tbody tr")).to_have_count(2)


def test_nobody_found_leads_to_a_hold_with_the_phone(desks: Desks, business: Business) -> None:
    page = desks.open(f"/agenda/{business.day}")
    look_for(page, "(55) 98888-7777")

    expect(page.locator("#find-box")).to_contain_text("Nadie con (55) 98888-7777.")
    page.keyboard.press("Enter")

    page.wait_for_url("**/reservas/nueva?telefono=*")
    expect(page.locator("#f-phone")).to_have_value("(55) 98888-7777")


def test_the_list_follows_what_is_typed(desks: Desks, people: dict[str, str]) -> None:
    page = desks.open("/clientes")
    expect(page.locator("tbody tr")).to_have_count(3)

    page.keyboard.press("/")
    page.keyboard.type("paz z")

    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("#customers-said")).to_have_text("1 cliente")
    expect(page).to_have_url(re.compile(r"/clientes\?q=paz(\+|%20)z$"))
    page.click("tbody a")
    expect(page.locator("h1")).to_have_text("Zoe Paz")


def test_a_record_is_changed_in_place(desks: Desks, business: Business) -> None:
    booking = business.book("10:00", business.marcos, "Paula Menoni")
    page = desks.open(f"/reservas/{booking.id}")
    page.click("#panel >> text=Ficha")
    page.fill("#f-notes", "Alérgica al amoníaco")
    page.click("text=Guardar")
    expect(page.locator(".toast")).to_have_text("Ficha guardada.")

    page.click("summary:has-text('Sin reservas en línea')")
    page.fill("#f-reason", "Dos faltas")
    page.click("text=No dejar reservar en línea")
    expect(page.locator(".blocked")).to_contain_text("Dos faltas")
    expect(page.locator("#f-notes")).to_have_value("Alérgica al amoníaco")
    page.click("text=Permitir otra vez")
    expect(page.locator(".blocked")).to_have_count(0)

    page.click(".person-acts >> text=Pre-reserva")
    expect(page.locator("#f-name")).to_have_value("Paula Menoni")


def test_two_records_become_one(desks: Desks, business: Business) -> None:
    business.book("10:00", business.marcos, "Paula Menoni")
    kept = known(business, "", "+5555991234567")
    known(business, "Pauli", "+555591234567")
    page = desks.open(kept)

    page.click(".twins button")

    expect(page.locator(".toast")).to_have_text("Las dos fichas son una.")
    expect(page.locator(".twins")).to_have_count(0)
    expect(page.locator(".person")).to_contain_text("También")


def test_everything_works_without_javascript(
    desks: Desks, business: Business, people: dict[str, str]
) -> None:
    page = desks.open(f"/agenda/{business.day}", java_script_enabled=False)
    page.fill("#find", "4567")
    page.press("#find", "Enter")
    page.wait_for_url("**/clientes?q=4567")
    page.fill("#q", "nunez")
    page.click("button:has-text('Buscar')")
    page.click("tbody a")
    page.fill("#f-notes", "Prefiere la tarde")
    page.click("text=Guardar")

    expect(page.locator("#f-notes")).to_have_value("Prefiere la tarde")
    expect(page.locator(".toast")).to_have_text("Ficha guardada.")


def test_on_a_phone_customers_are_a_tap_away(
    desks: Desks, business: Business, people: dict[str, str]
) -> None:
    page = desks.open(f"/agenda/{business.day}", viewport={"width": 320, "height": 640})

    page.click(".tabbar >> text=Clientes")
    expect(page.locator("#q")).to_be_visible()
    for address in ("/clientes", people["Ana Núñez"], f"/agenda/{business.day}", "/revisar"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "phone"])
def test_axe_finds_nothing_about_customers(
    desks: Desks, business: Business, people: dict[str, str], scheme: str, size: str
) -> None:
    booking = business.book("10:00", business.marcos, "Paula Menoni")
    known(business, "Paula M.", "+555591234567")
    paula = f"/clientes/{booking.contact.customer_id}"
    page = desks.open(paula, color_scheme=scheme, viewport=SIZES[size])
    page.click("summary:has-text('Sin reservas en línea')")
    found = {"open": problems(page)}
    page.fill("#f-reason", "Dos faltas")
    page.click("text=No dejar reservar en línea")
    expect(page.locator(".blocked")).to_be_visible()
    page.goto(paula)
    found["blocked"] = problems(page)
    for address in ("/clientes", "/clientes?q=zzz"):
        page.goto(address)
        found[address] = problems(page)
    if size == "wide":
        page.goto("/revisar")
        for typed in ("4567", "nadie"):
            page.fill("#find", "")
            page.locator("#find").press_sequentially(typed)
            expect(page.locator("#find")).to_have_attribute("aria-expanded", "true")
            expect(page.locator("#find-box")).to_contain_text(
                "Paula" if typed == "4567" else "Nadie"
            )
            found[typed] = problems(page)

    assert {address: list_ for address, list_ in found.items() if list_} == {}
