import re
import time

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import text

from app.checkout.actions import check_in, undo
from app.extensions import transact
from tests.browser.conftest import Business, Desks
from tests.factories import BOT, PASSWORD


def agenda(desks: Desks, business: Business, **options: object) -> Page:
    page = desks.open(f"/agenda/{business.day}", **options)
    if options.get("java_script_enabled", True):
        expect(page.locator("#live")).to_have_attribute("data-live", "on")
    return page


def column(business: Business) -> str:
    return f"#col-{business.marcos.id}"


def test_a_visit_from_the_first_click_to_the_last(desks: Desks, business: Business) -> None:
    page = agenda(desks, business)

    page.click(f"{column(business)} [data-free]:has-text('10:00')")
    expect(page.locator("#f-phone")).to_be_focused()
    page.click("text=Pre-reservar")
    expect(page.locator("#panel [role=timer]")).to_have_text(re.compile(r"09:5\d|10:00"))
    page.fill("#f-phone", "(55) 99123-4567")
    page.fill("#f-name", "Paula Menoni")
    page.click("#confirm button")
    block = page.locator(f"{column(business)} .b")
    expect(block).to_contain_text("Confirmada")
    page.click("#panel >> text=Ya llegó")
    expect(block).to_contain_text("Llegó")
    page.click("#panel >> text=Completar")
    expect(block).to_contain_text("Completada")
    expect(page.locator("#counts")).to_contain_text("1 reserva")


def test_the_same_visit_without_javascript(desks: Desks, business: Business) -> None:
    page = agenda(desks, business, java_script_enabled=False)

    page.click(f"{column(business)} [data-free]:has-text('10:00')", force=True)
    page.click("button:has-text('Pre-reservar')")
    page.fill("#f-name", "Paula Menoni")
    page.click("#confirm button")
    page.click("button:has-text('Ya llegó')")
    page.click("button:has-text('Completar')")

    expect(page.locator(".chip")).to_have_text("Completada")
    page.click("text=Volver a la agenda")
    expect(page.locator(f"{column(business)} .b")).to_contain_text("Completada")


def test_a_booking_is_moved_without_javascript(desks: Desks, business: Business) -> None:
    booking = business.book("10:00", business.marcos, "Paula Menoni")
    page = desks.open(f"/reservas/{booking.id}", java_script_enabled=False)

    page.click("text=Mover")
    page.click("button:has-text('11:00') >> nth=0")

    expect(page.locator(".what")).to_contain_text("11:00 a 11:45")


def test_a_change_elsewhere_arrives_and_disturbs_nothing(desks: Desks, business: Business) -> None:
    mine = business.hold("10:00", business.marcos, "Paula")
    page = agenda(desks, business)
    page.click(f"[data-booking='{mine.id}'] >> nth=0")
    page.fill("#f-name", "Paula Men")
    page.fill("#f-notes", "a medio escr")
    page.evaluate("document.querySelector('#grid').scrollTop = 611")
    page.locator("#f-name").press("End")
    before = page.evaluate("document.querySelector('#grid').scrollTop")

    began = time.monotonic()
    business.hold("11:00", business.marcos, "De la API")
    expect(page.locator(column(business))).to_contain_text("De la API", timeout=2000)

    assert time.monotonic() - began < 2
    expect(page.locator("#f-name")).to_be_focused()
    expect(page.locator("#f-name")).to_have_value("Paula Men")
    expect(page.locator("#f-notes")).to_have_value("a medio escr")
    assert page.evaluate("document.activeElement.selectionStart") == len("Paula Men")
    assert page.evaluate("document.querySelector('#grid').scrollTop") == before


def test_a_box_that_was_drawn_larger_breaks_no_policy(desks: Desks, business: Business) -> None:
    """Who drags its corner gives it a style; htmx would write it on the new one as it settles."""
    mine = business.hold("10:00", business.marcos, "Paula")
    page = agenda(desks, business)
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.click(f"[data-booking='{mine.id}'] >> nth=0")
    page.locator("#f-notes").evaluate("notes => { notes.style.height = '9em'; }")

    page.click("text=+5 min")

    expect(page.locator("#panel [role=timer]")).to_have_text(re.compile(r"14:|15:00"))
    assert complaints == []


def test_focus_on_the_sheet_stays_where_it_is(desks: Desks, business: Business) -> None:
    booking = business.book("12:00", business.marcos, "Paula")
    page = agenda(desks, business)
    block = page.locator(f"{column(business)} [data-booking='{booking.id}']")
    block.focus()

    business.hold("10:00", business.marcos, "De la API")
    expect(page.locator(column(business))).to_contain_text("De la API", timeout=2000)

    expect(block).to_be_focused()


def test_a_panel_that_changed_elsewhere_says_so_and_keeps_the_text(
    desks: Desks, business: Business
) -> None:
    booking = business.hold("10:00", business.marcos, "Paula")
    one, other = agenda(desks, business), agenda(desks, business)
    one.click(f"[data-booking='{booking.id}'] >> nth=0")
    one.fill("#f-notes", "a medio escr")

    other.click(f"[data-booking='{booking.id}'] >> nth=0")
    other.click("#panel >> text=+5 min")

    expect(one.locator("#panel-news")).to_be_visible(timeout=2000)
    expect(one.locator("#f-notes")).to_have_value("a medio escr")


def test_of_two_desks_one_gets_the_place_and_the_other_a_choice(
    desks: Desks, business: Business
) -> None:
    one, other = agenda(desks, business), agenda(desks, business)
    for page in (one, other):
        page.click(f"{column(business)} [data-free]:has-text('10:00')")
        page.fill("#f-name", "Quien llegó después")
    one.click("text=Pre-reservar")
    expect(one.locator("#confirm")).to_be_visible()

    other.click("text=Pre-reservar")
    expect(other.locator("#panel-title")).to_contain_text("ya está ocupado")
    other.click("#panel-conflict .slots button >> nth=0")

    expect(other.locator("#confirm")).to_be_visible()
    expect(other.locator("#f-name")).to_have_value("Quien llegó después")


def test_a_booking_is_moved_by_clicking_its_new_place(desks: Desks, business: Business) -> None:
    booking = business.book("10:00", business.marcos, "Paula Menoni")
    page = agenda(desks, business)

    page.click(f"{column(business)} [data-booking='{booking.id}']")
    page.click("#panel >> text=Mover")
    page.click("text=Elegir en la agenda")
    page.click(f"#col-{business.lucia.id} button:has-text('12:30')")

    expect(page.locator(f"#col-{business.lucia.id} .b")).to_contain_text("Paula Menoni")
    expect(page.locator("#placing")).to_have_count(0)


def test_a_hold_expires_before_the_eyes_with_no_worker_running(
    desks: Desks, business: Business
) -> None:
    booking = business.hold("10:00", business.marcos, "Paula")
    transact(
        lambda session: session.execute(
            text("UPDATE booking SET expires_at = clock_now() + interval '4 seconds'")
        )
    )
    page = agenda(desks, business)

    expect(page.locator(f"{column(business)} [data-booking='{booking.id}']")).to_contain_text(
        "Vencida", timeout=8000
    )
    expect(page.locator("#counts")).to_contain_text("0 pre-reservas")


def test_the_sheet_is_walked_with_the_keys(desks: Desks, business: Business) -> None:
    page = agenda(desks, business)
    page.locator(f"{column(business)} [data-free]:has-text('10:00')").focus()

    page.keyboard.press("ArrowDown")
    expect(page.locator(":focus")).to_contain_text("10:30")
    page.keyboard.press("ArrowRight")
    expect(page.locator(f"#col-{business.lucia.id} :focus")).to_contain_text("10:30")
    page.keyboard.press("Enter")
    expect(page.locator("#panel-title")).to_contain_text("10:30 con Lucía Ferreira")
    page.keyboard.press("Escape")
    expect(page.locator(f"#col-{business.lucia.id} :focus")).to_contain_text("10:30")
    page.keyboard.press("n")
    expect(page.locator("#panel-title")).to_have_text("Guardar un lugar")


def test_what_was_unfolded_stays_unfolded(desks: Desks, business: Business) -> None:
    booking = business.book("10:00", business.marcos, "Paula Menoni")
    page = agenda(desks, business)
    page.click(f"{column(business)} [data-booking='{booking.id}']")
    page.click("#cancel summary")

    transact(lambda session: check_in(session, business.location.id, booking.id, actor=BOT))
    expect(page.locator("#panel .chip")).to_have_text("En el local", timeout=2000)
    transact(lambda session: undo(session, business.location.id, booking.id, actor=BOT))

    expect(page.locator("#cancel")).to_have_attribute("open", "", timeout=2000)


def test_letters_typed_into_a_field_are_letters(desks: Desks, business: Business) -> None:
    page = agenda(desks, business)
    page.click(f"{column(business)} [data-free]:has-text('10:00')")

    page.locator("#f-name").press_sequentially("nt[]")

    expect(page.locator("#f-name")).to_have_value("nt[]")


def test_a_lost_connection_is_said_and_caught_up(desks: Desks, business: Business) -> None:
    page = agenda(desks, business)
    page.context.set_offline(True)
    expect(page.locator("#live")).to_have_attribute("data-live", "off", timeout=15000)

    business.hold("10:00", business.marcos, "Mientras tanto")
    page.context.set_offline(False)

    expect(page.locator(column(business))).to_contain_text("Mientras tanto", timeout=8000)


def test_nothing_typed_is_lost_when_the_session_ends(desks: Desks, business: Business) -> None:
    page = agenda(desks, business)
    page.click(f"{column(business)} [data-free]:has-text('10:00')")
    page.fill("#f-name", "Paula Menoni")
    page.context.clear_cookies()

    page.click("text=Pre-reservar")
    expect(page.locator("#toasts")).to_contain_text("La sesión terminó")
    with page.context.expect_page() as opened:
        page.click("#toasts a")
    login = opened.value
    login.fill("#f-email", "rocio@ceibo.example")
    login.fill("#f-password", PASSWORD)
    login.click("button")
    login.wait_for_url("**/agenda/**")
    login.close()

    page.click("text=Pre-reservar")
    expect(page.locator("#toasts")).to_contain_text("probá de nuevo")
    page.click("text=Pre-reservar")
    expect(page.locator("#confirm #f-name")).to_have_value("Paula Menoni")


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_gets_the_list_and_never_scrolls_sideways(
    desks: Desks, business: Business, width: int
) -> None:
    business.book("10:00", business.marcos, "Paula Menoni de los Santos Villaverde")
    page = agenda(desks, business, viewport={"width": width, "height": 844})

    expect(page.locator("#list")).to_be_visible()
    expect(page.locator("#grid")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.click("#list >> text=Paula")
    expect(page.locator("#panel-title")).to_be_visible()
    page.click("#panel [data-close]")
    expect(page.locator("#list")).to_be_visible()
