"""A deposit at the desk: charged, waived, taken by hand, paid with what is here already."""

import re
from typing import Any
from urllib.parse import unquote
from uuid import uuid4
from xml.etree.ElementTree import Element

import pytest
from sqlalchemy import Connection, update
from werkzeug.test import TestResponse

from app.booking.states import Status
from app.booking.views import BookingView, Contact
from app.catalog.models import Location, Service
from app.checkout import actions
from app.devservices.pix_bank.faults import Fault
from app.money import Cents
from app.web.staff.money_words import METHODS
from tests.checkout.scenes import ANA
from tests.checkout.scenes import Desk as Till
from tests.conftest import Clock
from tests.factories import DESK, a_location, a_staff_user
from tests.web.conftest import DAY, Desk, World, by_id, counting, parsed, values, words

TYPED = {"name": "Ana Núñez", "phone": "(55) 99123-4567", "notes": "Prefiere la tarde"}


def panel(desk: Desk, booking: BookingView) -> TestResponse:
    return desk.get(f"/reservas/{booking.id}")


def form_of(desk: Desk, booking: BookingView, **typed: str) -> dict[str, str]:
    """The held booking's form, as every button of it sends it."""
    return values(by_id(panel(desk, booking), "confirm")) | typed


def pending_form(desk: Desk, booking: BookingView, name: str, **typed: str) -> dict[str, str]:
    return values(by_id(panel(desk, booking), name)) | typed


def has(answer: TestResponse, name: str) -> bool:
    return any(each.get("id") == name for each in parsed(answer).iter())


def link_to_whatsapp(answer: TestResponse) -> str:
    card: Element = by_id(answer, "pix")
    return next(a.get("href", "") for a in card.iter("a") if "wa.me" in a.get("href", ""))


def change(till: Till, what: type[Location] | type[Service], **fields: Any) -> None:
    mine = till.location if what is Location else till.color
    till.session.execute(update(what).where(what.id == mine.id).values(**fields))
    till.session.commit()


def test_a_hold_with_a_deposit_offers_to_charge_it(desk: Desk, till: Till) -> None:
    page = panel(desk, till.hold())

    form = "".join(by_id(page, "confirm").itertext())
    assert "Cobrar seña · R$\xa050,00" in form
    assert "Sin seña" in form
    assert "Recibí la seña por otro medio" in form
    assert "Confirmar" not in words(page).replace("Confirmar sin seña", "")


@pytest.mark.parametrize("htmx", [False, True])
def test_charging_shows_the_code(desk: Desk, till: Till, htmx: bool) -> None:
    held = till.hold()

    answer = desk.post(f"/reservas/{held.id}/confirmar", form_of(desk, held, **TYPED), htmx=htmx)

    assert answer.status_code == (200 if htmx else 303)
    booking = till.see(held)
    assert booking.status is Status.PENDING_PAYMENT
    assert (booking.contact.name, booking.notes) == ("Ana Núñez", "Prefiere la tarde")
    page = answer if htmx else desk.get(answer.location)
    deposit = till.deposit(booking)
    assert deposit is not None
    assert by_id(page, "pix-code").get("value") == deposit.copy_paste
    assert "readonly" in by_id(page, "pix-code").attrib
    qr = next(each for each in by_id(page, "pix").iter() if each.get("role") == "img")
    assert qr.get("aria-label") == "Código QR para pagar R$\xa050,00 por Pix"
    assert any(each.tag.endswith("svg") for each in qr.iter())
    assert "14:00" in words(page)
    assert "Simulado: no se puede pagar" in words(page)
    assert "style=" not in page.text


def test_charging_twice_is_one_charge(desk: Desk, till: Till) -> None:
    held = till.hold()
    form = form_of(desk, held, **TYPED)

    answers = [desk.post(f"/reservas/{held.id}/confirmar", form) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [303, 303]
    assert len(till.charges()) == 1


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("es", ("Hola Ana. ", "guardamos Color el martes 10 de marzo a las 10:00.")),
        ("pt", ("Oi Ana. ", "Guardamos Color para você: terça-feira, 10 de março às 10:00.")),
        ("en", ("Hi Ana. ", "We are keeping Color for you on Tuesday 10 March at 10:00.")),
    ],
)
def test_whatsapp_speaks_the_language_of_the_business(
    desk: Desk, till: Till, language: str, said: tuple[str, str]
) -> None:
    change(till, Location, language=language)
    waiting = till.ask()
    deposit = till.deposit(waiting)

    link = link_to_whatsapp(desk.get(f"/reservas/{waiting.id}", language="es"))

    address, _, text = link.partition("?text=")
    message = unquote(text)
    assert address == "https://wa.me/5511987654321"
    assert message.startswith(said[0])
    assert said[1] in message
    assert ("R$\xa050.00" if language == "en" else "R$\xa050,00") in message
    assert "08:14" in message
    assert deposit is not None
    assert message.splitlines()[-1] == deposit.copy_paste


def test_whatsapp_without_a_phone_asks_with_whom(desk: Desk, till: Till) -> None:
    waiting = till.confirm(till.hold().id, Contact(name="Ana"))

    assert link_to_whatsapp(panel(desk, waiting)).startswith("https://wa.me/?text=Hola%20Ana.")


def test_a_message_never_gets_too_long_for_an_address(desk: Desk, till: Till) -> None:
    change(till, Service, name="Coloración y brushing ñandú " * 7)
    waiting = till.confirm(till.hold().id, Contact(name="Ñá " * 60, phone="+5511987654321"))

    assert len(link_to_whatsapp(panel(desk, waiting))) < 2000


@pytest.mark.parametrize("htmx", [False, True])
def test_a_bank_that_is_down_costs_nothing(desk: Desk, till: Till, htmx: bool) -> None:
    held = till.hold()
    form = form_of(desk, held, **TYPED)
    till.bank.faults.add("PUT /cob", Fault.DOWN)

    answer = desk.post(f"/reservas/{held.id}/confirmar", form, htmx=htmx)

    assert answer.status_code == 503
    if htmx:
        assert answer.headers["HX-Retarget"] == "#panel"
    assert "El banco no contesta; el lugar sigue guardado hasta las 08:15." in words(answer)
    assert "Probá de nuevo o cobrá por otro medio." in words(answer)
    again = values(by_id(answer, "confirm"))
    assert {name: again[name] for name in TYPED} == TYPED
    assert till.see(held).status is Status.HELD
    assert desk.post(f"/reservas/{held.id}/confirmar", again).status_code == 303
    assert till.see(held).status is Status.PENDING_PAYMENT


@pytest.mark.parametrize("is_pending", [False, True])
def test_waiving_needs_a_reason_which_stays(desk: Desk, till: Till, is_pending: bool) -> None:
    booking = till.ask() if is_pending else till.hold()
    form = pending_form(desk, booking, "way-waive") if is_pending else form_of(desk, booking)
    form |= {} if is_pending else TYPED
    address = f"/reservas/{booking.id}/sin-sena"

    without = desk.post(address, form, htmx=True)
    given = desk.post(address, form | {"waive_reason": "Es de la casa"}, htmx=True)

    assert without.status_code == 422
    assert by_id(without, "f-waive_reason").get("aria-invalid") == "true"
    assert "open" in by_id(without, "way-waive").attrib
    if not is_pending:
        assert values(by_id(without, "confirm"))["notes"] == "Prefiere la tarde"
    assert given.status_code == 200
    confirmed = till.see(booking)
    assert (confirmed.status, confirmed.deposit_cents) == (Status.CONFIRMED, 0)
    assert confirmed.contact.name == ("Ana" if is_pending else "Ana Núñez")
    assert confirmed.notes == ("" if is_pending else "Prefiere la tarde")
    assert "Confirmada sin seña · Rocío · Es de la casa" in words(given)
    till.check()


@pytest.mark.parametrize("is_pending", [False, True])
@pytest.mark.parametrize("method", list(METHODS))
def test_a_deposit_taken_by_hand(desk: Desk, till: Till, is_pending: bool, method: str) -> None:
    booking = till.ask() if is_pending else till.hold()
    form = pending_form(desk, booking, "way-hand") if is_pending else form_of(desk, booking)
    form |= {"method": method, "hand_note": "en el mostrador"} | ({} if is_pending else TYPED)

    answer = desk.post(f"/reservas/{booking.id}/recibida", form)

    assert answer.status_code == 303
    assert till.see(booking).status is Status.CONFIRMED
    said, word = words(desk.get(answer.location)), str(METHODS[method])  # type: ignore[index]
    assert f"Confirmada · Rocío · {word}, en el mostrador" in said
    assert f"Seña recibida: R$ 50,00 · Rocío · {word}" in said
    assert "Seña recibida 08:00" in said
    till.check()


def test_there_is_no_pix_by_hand(desk: Desk, till: Till) -> None:
    held = till.hold()

    for method in ("pix", "x", ""):
        form = form_of(desk, held, **TYPED, method=method)
        answer = desk.post(f"/reservas/{held.id}/recibida", form, htmx=True)

        assert answer.status_code == 422
        assert by_id(answer, "f-method").get("aria-invalid") == "true"
    assert till.see(held).status is Status.HELD


@pytest.mark.parametrize("way", ["sin-sena", "recibida"])
def test_who_waives_what_was_paid_meanwhile_is_told(desk: Desk, till: Till, way: str) -> None:
    waiting = till.ask()
    form = {"version": str(waiting.version), "waive_reason": "x", "method": "cash"}
    till.pay(waiting)
    till.look()

    answer = desk.post(f"/reservas/{waiting.id}/{way}", form, htmx=True)

    assert answer.status_code == 409
    assert "Otra persona cambió la reserva" in words(answer)
    assert "Seña recibida 08:00" in words(answer)
    assert len(till.payments()) == 1


def test_nobody_is_confirmed_without_a_name_whatever_the_way(desk: Desk, till: Till) -> None:
    held = till.hold()
    form = form_of(desk, held, waive_reason="x", method="cash")

    for way in ("confirmar", "sin-sena", "recibida"):
        answer = desk.post(f"/reservas/{held.id}/{way}", form, htmx=True)

        assert answer.status_code == 422
        assert by_id(answer, "f-name").get("aria-invalid") == "true"
    assert till.see(held).status is Status.HELD


@pytest.mark.parametrize("way", ["confirmar", "sin-sena", "recibida"])
def test_a_hold_that_lapsed_keeps_the_text_whatever_the_way(
    desk: Desk, till: Till, clock: Clock, way: str
) -> None:
    held = till.hold()
    form = form_of(desk, held, **TYPED, waive_reason="x", method="cash")
    till.session.commit()
    clock.advance(minutes=16)

    answer = desk.post(f"/reservas/{held.id}/{way}", form, htmx=True)

    assert answer.status_code == 409
    assert "venció" in words(answer)
    assert values(by_id(answer, "panel-conflict"))["name"] == "Ana Núñez"


def test_what_was_paid_is_green_and_told_in_the_history(desk: Desk, till: Till) -> None:
    page = words(panel(desk, till.paid()))

    assert "Seña recibida 08:00" in page
    assert "Seña recibida: R$ 50,00 · por Pix" in page
    assert "Confirmada · por Pix" in page
    assert "Código Pix creado: R$ 50,00 · por la API" in page
    assert "Copiar código" not in page


def test_a_code_that_is_over_is_not_shown_any_more(desk: Desk, till: Till, clock: Clock) -> None:
    waiting = till.ask()

    clock.advance(minutes=14, seconds=1)
    over = panel(desk, waiting)
    clock.advance(minutes=1)
    gone = panel(desk, waiting)

    assert "El código venció." in words(over)
    assert "el lugar se libera en" in words(over)
    assert not has(over, "pix-code")
    assert "Vencida" in words(gone)
    assert "Volver a tomar" in words(gone)


def test_another_amount_is_said_and_the_place_is_still_kept(desk: Desk, till: Till) -> None:
    waiting = till.ask()
    till.tell(till.pay(waiting, amount=Cents(40_00)))

    page = words(panel(desk, waiting))

    assert "Entró un pago para decidir: pagó otro importe." in page
    assert "vence en" in page
    assert "El código venció" not in page
    assert "Recibí la seña por otro medio" in page


def test_the_figure_of_the_sheet_is_the_figure_of_the_panel(
    desk: Desk, till: Till, clock: Clock
) -> None:
    waiting = till.ask()
    clock.advance(minutes=4)
    deposit = till.deposit(waiting)

    assert deposit is not None
    for address in (f"/agenda/{DAY}", f"/agenda/{DAY}/lista", f"/reservas/{waiting.id}"):
        page = desk.get(address)
        ends = set(re.findall(r'data-until="([^"]+)"', page.text))
        assert ends == {deposit.payable_until.isoformat()}


def test_money_that_did_not_stay_is_said(desk: Desk, another_desk: Desk, till: Till) -> None:
    booking = till.paid()
    desk.post(f"/reservas/{booking.id}/cancelar", {"reason": "Está enferma"})

    cancelled = panel(desk, booking)
    lucia = a_staff_user(
        till.session, till.location, role="professional", resource=till.lucia, name="Lucía"
    )
    another_desk.log_in(lucia)
    hers = panel(another_desk, booking)

    assert "Entró un pago para decidir: la reserva se canceló. Decidir" in words(cancelled)
    assert "Pago para decidir: R$ 50,00 · Rocío · La reserva se canceló" in words(cancelled)
    assert "Entró un pago para decidir" in words(hers)
    assert 'href="/revisar#payments"' not in hers.text


def unmatched(till: Till, wall: str = f"{DAY} 16:00") -> None:
    """Money of nobody known comes in."""
    stranger = till.ask(wall)
    till.tell(till.pay(stranger, tells_txid=False, note="para Paula"))
    actions.cancel(till.session, till.location.id, stranger.id, actor=DESK)
    till.session.commit()


@pytest.mark.parametrize("is_pending", [False, True])
def test_money_that_is_here_confirms(desk: Desk, till: Till, is_pending: bool) -> None:
    unmatched(till)
    booking = till.ask() if is_pending else till.hold()
    page = panel(desk, booking)
    button = next(each for each in by_id(page, "way-use").iter("button"))
    form = values(by_id(page, "way-use" if is_pending else "confirm"))
    form |= {"payment": button.get("value", "")} | ({} if is_pending else TYPED)

    answer = desk.post(f"/reservas/{booking.id}/usar-pago", form, htmx=True)

    assert "para Paula" in words(page)
    assert answer.status_code == 200
    assert till.see(booking).status is Status.CONFIRMED
    assert "Seña pagada con un pago anterior: R$ 50,00 · Rocío" in words(answer)
    assert till.due() == []
    till.check()


def test_only_money_that_fits_is_offered(desk: Desk, till: Till) -> None:
    paid = till.paid(f"{DAY} 12:00")
    actions.cancel(till.session, till.location.id, paid.id, actor=DESK)
    till.session.commit()

    same = till.hold(contact=ANA)
    assert has(panel(desk, same), "way-use")
    other = till.hold(f"{DAY} 14:00", contact=Contact(phone="+5511987650000"))
    assert not has(panel(desk, other), "way-use")
    unknown = till.hold(f"{DAY} 15:00")
    assert not has(panel(desk, unknown), "way-use")
    change(till, Service, deposit_cents=80_00)
    dearer = till.hold(f"{DAY} 16:00", contact=ANA)
    assert not has(panel(desk, dearer), "way-use")


def test_too_much_for_a_code_may_pay_its_own_booking(desk: Desk, till: Till) -> None:
    waiting = till.confirm(till.hold().id, Contact(name="Ana"))
    till.tell(till.pay(waiting, amount=Cents(55_00)))
    [due] = till.due()

    form = pending_form(desk, waiting, "way-use", payment=str(due.payment_id))
    answer = desk.post(f"/reservas/{waiting.id}/usar-pago", form, htmx=True)

    assert answer.status_code == 200
    assert till.see(waiting).status is Status.CONFIRMED
    till.check()


def test_money_that_was_decided_on_meanwhile_confirms_nothing(desk: Desk, till: Till) -> None:
    unmatched(till)
    held = till.hold()
    [due] = till.due()
    form = form_of(desk, held, **TYPED, payment=str(due.payment_id))
    actions.refund_payment(till.session, till.location.id, due.payment_id, actor=DESK)
    till.session.commit()

    answer = desk.post(f"/reservas/{held.id}/usar-pago", form, htmx=True)

    assert answer.status_code == 409
    assert "Ya lo decidió otra persona." in words(answer)
    assert values(by_id(answer, "confirm"))["name"] == "Ana Núñez"
    assert till.see(held).status is Status.HELD


def test_who_has_a_column_only_never_meets_the_money_of_the_place(
    another_desk: Desk, till: Till
) -> None:
    unmatched(till)
    held = till.hold()
    lucia = a_staff_user(
        till.session, till.location, role="professional", resource=till.lucia, name="Lucía"
    )
    another_desk.log_in(lucia)
    [due] = till.due()

    page = panel(another_desk, held)
    form = values(by_id(page, "confirm")) | TYPED | {"payment": str(due.payment_id)}

    assert not has(page, "way-use")
    assert another_desk.post(f"/reservas/{held.id}/usar-pago", form).status_code == 404
    assert another_desk.post(f"/reservas/{held.id}/confirmar", form).status_code == 303
    assert till.see(held).status is Status.PENDING_PAYMENT


def test_another_column_s_deposit_is_nobody_s_to_touch(
    another_desk: Desk, world: World, till: Till
) -> None:
    held = till.hold()
    marcos = a_staff_user(
        till.session, till.location, role="professional", resource=world.marcos, name="Marcos"
    )
    another_desk.log_in(marcos)

    for way in ("confirmar", "sin-sena", "recibida", "usar-pago"):
        form = {"waive_reason": "x", "method": "cash", "name": "x", "payment": str(uuid4())}
        assert another_desk.post(f"/reservas/{held.id}/{way}", form).status_code == 404
    assert another_desk.get(f"/vivo/pagada/{held.id}").status_code == 404


def test_the_page_is_told_whose_deposit_came_in(desk: Desk, till: Till) -> None:
    booking, by_hand = till.paid(), till.hold(f"{DAY} 12:00")
    desk.post(f"/reservas/{by_hand.id}/recibida", {"name": "Eva", "method": "cash"})

    told = desk.get(f"/vivo/pagada/{booking.id}")

    assert told.json == {"said": "Seña recibida: Ana"}
    assert desk.get(f"/vivo/pagada/{by_hand.id}").status_code == 204
    assert desk.get(f"/vivo/pagada/{uuid4()}").status_code == 404


def test_a_panel_costs_the_same_few_statements(
    desk: Desk, till: Till, connection: Connection
) -> None:
    held = till.hold(contact=ANA)

    def cost() -> int:
        with counting(connection) as counted:
            assert panel(desk, held).status_code == 200
        return len(counted.statements)

    none = cost()
    for wall in ("12:00", "13:00", "14:00"):
        paid = till.paid(f"{DAY} {wall}")
        actions.cancel(till.session, till.location.id, paid.id, actor=DESK)
        till.session.commit()
    some = cost()

    assert none <= 7
    assert some == none + 1  # the bookings that the money was meant for


def test_another_location_s_money_is_not_there(another_desk: Desk, till: Till) -> None:
    unmatched(till)
    [due] = till.due()
    elsewhere = a_location(till.session)
    stranger = a_staff_user(till.session, elsewhere, name="Otra")
    another_desk.log_in(stranger)

    assert another_desk.post(f"/revisar/pagos/{due.payment_id}/devolver").status_code == 404
    assert till.refunds() == []
