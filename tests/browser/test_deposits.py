"""A deposit from the click to the money, as the receptionist sees it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import text

from app.booking.queries import get_booking
from app.booking.states import Status
from app.booking.views import BookingView, Contact
from app.cashier.charging import charge
from app.cashier.gateways import gateways, sealer
from app.cashier.reading import read_inbox
from app.catalog.models import Service
from app.checkout import actions
from app.checkout.errors import ChargeMissing
from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.extensions import db, transact
from app.payments.accounts import add_account
from app.payments.inbox import keep_notice
from app.payments.models import PaymentAccount
from app.payments.queries import deposits_of
from tests.browser.conftest import Business, Desks
from tests.browser.test_accessible import SIZES, problems
from tests.factories import DESK, a_hold, a_service
from tests.payments.scenes import CLIENT, an_account

CHARGE = "#confirm button >> nth=0"
ANA = Contact(name="Paula Menoni", phone="+5555991234567")


@dataclass
class Till:
    """The business's deposits, with a bank on this machine."""

    business: Business
    bank: PixBank
    color: Service
    account: PaymentAccount

    def hold(self, wall: str, contact: Contact = ANA) -> BookingView:
        return a_hold(
            db.session(),
            self.business.location,
            self.color,
            self.business.at(wall),
            resource_ids=(self.business.lucia.id,),
            contact=contact,
        )

    def ask(self, wall: str, contact: Contact = ANA) -> BookingView:
        """Confirm a hold as a door does: it waits for its deposit."""
        held = self.hold(wall, contact)

        def work(session: Any) -> BookingView:
            return actions.confirm(session, held.location_id, held.id, actor=DESK)

        try:
            return transact(work)
        except ChargeMissing as missing:
            charge(missing.ask)
            return transact(work)

    def pay(self, booking_id: UUID, **how: Any) -> None:
        """The customer pays, and the bank tells the worker."""
        location_id = self.business.location.id
        deposits = transact(lambda session: deposits_of(session, location_id, [booking_id]))
        pix = self.bank.books.pay(CLIENT, deposits[booking_id].txid, **how)
        told = {name: value for name, value in pix.items() if not name.startswith("_")}
        body = json.dumps({"pix": [told]}).encode()
        transact(lambda session: keep_notice(session, self.account, body))
        read_inbox()

    def cancelled(self, wall: str, **how: Any) -> None:
        """Money of a booking that is off."""
        booking = self.ask(wall)
        self.pay(booking.id, **how)
        transact(
            lambda session: actions.cancel(session, booking.location_id, booking.id, actor=DESK)
        )

    def soon(self, booking: BookingView) -> None:
        """Let a code be over in four seconds, and the place free in eight."""
        for statement in (
            "UPDATE charge SET payable_until = clock_now() + interval '4 s' WHERE booking_id = :id",
            "UPDATE booking SET expires_at = clock_now() + interval '8 s' WHERE id = :id",
        ):
            self._run(statement, id=booking.id)

    def _run(self, statement: str, **values: Any) -> None:
        transact(lambda session: session.execute(text(statement), values))

    def status(self, booking: BookingView) -> Status:
        return transact(
            lambda session: get_booking(session, booking.location_id, booking.id).status
        )


@pytest.fixture
def till(business: Business) -> Iterator[Till]:
    session = db.session()
    color = a_service(
        session,
        business.location,
        [business.lucia, business.marcos],
        name="Color y brushing",
        duration_minutes=90,
        price_cents=180_00,
        deposit_cents=50_00,
    )
    with PixBank(clients=(CLIENT,)) as bank:
        account = add_account(
            session, business.location.id, an_account(bank), currency="BRL", sealer=sealer()
        )
        session.commit()
        for each in (
            business.location,
            business.lucia,
            business.marcos,
            business.cut,
            color,
            account,
        ):
            session.refresh(each)  # the worker's rounds put the session away
            session.expunge(each)
        yield Till(business, bank, color, account)
        gateways().close()


def agenda(desks: Desks, till: Till, **options: Any) -> Page:
    page = desks.open(f"/agenda/{till.business.day}", **options)
    if options.get("java_script_enabled", True):
        expect(page.locator("#live")).to_have_attribute("data-live", "on")
    return page


def panel_of(page: Page, booking: BookingView) -> None:
    page.click(f"#grid [data-booking='{booking.id}']")
    expect(page.locator("#panel-title")).to_be_visible()


def test_from_the_hold_to_the_money_without_touching_anything(desks: Desks, till: Till) -> None:
    page = agenda(desks, till)
    lucia = f"#col-{till.business.lucia.id}"
    page.click(f"{lucia} [data-free]:has-text('10:00')")
    page.select_option("#f-service", str(till.color.id))
    page.click("text=Pre-reservar")
    expect(page.locator("#confirm")).to_contain_text("Cobrar seña · R$ 50,00")
    page.fill("#f-phone", "(55) 99123-4567")
    page.fill("#f-name", "Paula Menoni")
    page.click(CHARGE)
    expect(page.locator("#pix .qr svg")).to_be_visible()
    expect(page.locator(f"{lucia} .b")).to_contain_text("Falta seña")
    page.evaluate("document.hasFocus = () => false")  # the receptionist is in WhatsApp
    booking_id = page.locator("#panel [data-booking]").get_attribute("data-booking")

    till.pay(UUID(booking_id))

    expect(page.locator("#received")).to_contain_text(re.compile(r"Seña recibida \d\d:\d\d"))
    expect(page.locator("#received")).to_contain_text("R$ 50,00")
    expect(page.locator(f"{lucia} .b")).to_contain_text("Confirmada")
    expect(page.locator("#toasts")).to_contain_text("Seña recibida: Paula Menoni")
    expect(page).to_have_title(re.compile(r"^\(1\) Pagada · "))
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page).not_to_have_title(re.compile("Pagada"))


def test_what_comes_in_is_said_to_who_looks_at_something_else(desks: Desks, till: Till) -> None:
    waiting = till.ask("10:00")
    page = agenda(desks, till)

    till.pay(waiting.id)

    expect(page.locator("#toasts")).to_contain_text("Seña recibida: Paula Menoni")
    expect(page.locator("#counts")).to_contain_text("0 señas por cobrar")


def test_money_of_nobody_known_is_counted_at_once(desks: Desks, till: Till) -> None:
    waiting = till.ask("10:00")
    page = agenda(desks, till)

    till.pay(waiting.id, tells_txid=False, note="para Paula")

    expect(page.locator("#to-review")).to_contain_text("1 pago para decidir")
    expect(page.locator(".nav [data-review-count]")).to_have_text("1")
    expect(page.locator("#counts")).to_contain_text("1 seña por cobrar")


@pytest.mark.parametrize("is_secure", [True, False])
def test_the_code_is_copied_with_the_keys(desks: Desks, till: Till, is_secure: bool) -> None:
    waiting = till.ask("10:00")
    page = agenda(desks, till)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel_of(page, waiting)
    code = page.input_value("#pix-code")
    if not is_secure:  # as over plain http in the local network
        page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")

    page.keyboard.press("Tab")
    for _ in range(8):
        if page.evaluate("document.activeElement.matches('[data-copy]')"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    button = page.locator("[data-copy]")
    expect(button).to_have_text("Copiado")
    expect(button).to_be_focused()
    expect(button).to_have_text("Copiar código", timeout=4000)
    page.evaluate(
        "() => { const i = document.createElement('textarea'); i.id = 'paste';"
        " document.body.append(i); i.focus(); }"
    )
    page.keyboard.press("Control+V")
    assert page.input_value("#paste") == code


def test_one_letter_copies(desks: Desks, till: Till) -> None:
    waiting = till.ask("10:00")
    page = agenda(desks, till)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel_of(page, waiting)

    page.keyboard.press("p")

    expect(page.locator("[data-copy]")).to_have_text("Copiado")


def test_reading_the_code_does_not_stop_the_panel(desks: Desks, till: Till) -> None:
    waiting = till.ask("10:00")
    page = agenda(desks, till)
    panel_of(page, waiting)
    page.click("#pix-code")

    till.pay(waiting.id)

    expect(page.locator("#received")).to_be_visible()


def test_what_is_being_typed_is_not_taken_away(desks: Desks, till: Till) -> None:
    waiting = till.ask("10:00")
    page = agenda(desks, till)
    panel_of(page, waiting)
    page.click("#way-waive summary")
    page.fill("#f-waive_reason", "a medio escr")

    till.pay(waiting.id)

    expect(page.locator("#panel-news")).to_be_visible()
    expect(page.locator("#f-waive_reason")).to_have_value("a medio escr")


def test_a_code_that_runs_out_turns_the_panel(desks: Desks, till: Till) -> None:
    waiting = till.ask("10:00")
    till.soon(waiting)
    page = agenda(desks, till)
    panel_of(page, waiting)
    expect(page.locator("#pix")).to_be_visible()

    expect(page.locator("#panel")).to_contain_text("El código venció", timeout=8000)
    expect(page.locator("#panel")).to_contain_text("Volver a tomar", timeout=8000)


def test_enter_in_the_reason_waives_nothing_and_charges_nothing(desks: Desks, till: Till) -> None:
    held = till.hold("10:00")
    page = agenda(desks, till)
    panel_of(page, held)
    page.click("#way-waive summary")

    page.locator("#f-waive_reason").press_sequentially("Es de la casa")
    page.keyboard.press("Enter")
    assert till.status(held) is Status.HELD
    page.fill("#f-notes", "Prefiere la tarde")
    page.click("text=Confirmar sin seña")

    expect(page.locator("#panel .chip >> nth=0")).to_have_text("Confirmada")
    expect(page.locator("#panel")).to_contain_text("Es de la casa")
    expect(page.locator("#panel")).to_contain_text("Prefiere la tarde")


def test_a_slow_bank_shows_that_it_works(desks: Desks, till: Till) -> None:
    held = till.hold("10:00")
    page = agenda(desks, till)
    panel_of(page, held)
    till.bank.faults.add("PUT /cob", Fault.SLOW, seconds=4)

    page.click(CHARGE)

    expect(page.locator("#confirm button >> nth=0")).to_be_disabled()
    expect(page.locator(".slow")).to_be_visible(timeout=4000)
    expect(page.locator("#pix .qr svg")).to_be_visible(timeout=8000)


def test_a_bank_that_is_down_keeps_everything(desks: Desks, till: Till) -> None:
    held = till.hold("10:00")
    page = agenda(desks, till)
    panel_of(page, held)
    page.fill("#f-name", "Paula Menoni de los Santos")
    till.bank.faults.add("PUT /cob", Fault.DOWN)

    page.click(CHARGE)

    expect(page.locator("#panel [role=alert]")).to_contain_text("El banco no contesta")
    expect(page.locator("#f-name")).to_have_value("Paula Menoni de los Santos")


def test_the_whole_way_without_javascript(desks: Desks, till: Till) -> None:
    held = till.hold("10:00")
    page = desks.open(f"/reservas/{held.id}", java_script_enabled=False)

    page.click(CHARGE)
    expect(page.locator("#pix .qr svg")).to_be_visible()
    expect(page.locator("[data-copy]")).to_be_hidden()
    expect(page.locator("#pix")).to_contain_text("Vale hasta las")
    till.pay(held.id)
    page.click("text=Ver si ya pagó")
    expect(page.locator("#received")).to_be_visible()
    page.click("#cancel summary")
    page.click("button:has-text('Cancelar la reserva')")
    page.goto("/revisar")
    page.click("text=Devolver por Pix")
    page.click("button:has-text('Devolver R$')")

    expect(page.locator(".toast")).to_have_text("Se pidió la devolución al banco.")
    expect(page.locator(".due")).to_contain_text("Devolución en proceso")


def test_a_payment_is_decided_on_and_the_counts_follow(desks: Desks, till: Till) -> None:
    for wall in ("10:00", "12:00"):
        till.cancelled(wall)
    page = desks.open("/revisar")
    expect(page.locator(".nav [data-review-count]")).to_have_text("2")

    row = page.locator(".due >> nth=0")
    row.locator("summary:has-text('Se la queda el negocio')").click()
    row.locator("input[name=why]").fill("No avisó")
    row.locator("button:has-text('Quedársela')").click()

    expect(row).to_contain_text("Se la queda el negocio.")
    expect(page.locator(".nav [data-review-count]")).to_have_text("1")
    expect(page.locator("#review-counts")).to_contain_text("Pagos 1")
    row = page.locator(".due >> nth=1")
    row.locator("a:has-text('Volver a reservar con este pago')").click()
    page.click("button:has-text('Reservar con este pago')")
    expect(page.locator("#panel .chip >> nth=0")).to_have_text("Confirmada")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "phone"])
def test_axe_finds_nothing(desks: Desks, till: Till, scheme: str, size: str) -> None:
    till.cancelled("09:00")
    till.cancelled("18:00", note="para Paula", tells_txid=False)
    held, waiting = till.hold("11:00"), till.ask("13:00")
    paid = till.ask("15:00")
    till.pay(paid.id)
    page = desks.open(color_scheme=scheme, viewport=SIZES[size])
    found = {}
    for name, address in {
        "held": f"/agenda/{till.business.day}?r={held.id}",
        "pix": f"/agenda/{till.business.day}?r={waiting.id}",
        "paid": f"/agenda/{till.business.day}?r={paid.id}",
        "alone": f"/reservas/{waiting.id}",
        "review": "/revisar",
    }.items():
        page.goto(address)
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        page.wait_for_timeout(300)
        found[name] = problems(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]
    page.click("a:has-text('eservar con este pago') >> nth=0")
    found["again"] = problems(page)

    assert {name: list_ for name, list_ in found.items() if list_} == {}


def test_a_panel_on_its_own_page_turns_paid_by_itself(desks: Desks, till: Till) -> None:
    """The phone shows a booking as a page; nothing streams there, so it asks."""
    booking = till.ask("15:00")
    page = desks.open(f"/reservas/{booking.id}", viewport=SIZES["phone"])
    expect(page.get_by_role("button", name="Copiar código")).to_be_visible()

    till.pay(booking.id)

    expect(page.locator("#panel")).to_contain_text("Seña recibida", timeout=8000)


def test_half_typed_words_stay_while_it_asks(desks: Desks, till: Till) -> None:
    booking = till.ask("15:00")
    page = desks.open(f"/reservas/{booking.id}", viewport=SIZES["phone"])
    page.get_by_text("Sin seña", exact=True).click()
    field = page.get_by_label("Motivo").first
    field.fill("es clienta")
    page.wait_for_timeout(2500)
    expect(page.locator("#panel-news")).to_be_hidden()

    till.pay(booking.id)
    expect(page.locator("#panel-news")).to_be_visible(timeout=8000)

    expect(field).to_have_value("es clienta")
