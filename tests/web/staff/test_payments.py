"""Money that came in and stayed nowhere: a person decides on each payment."""

from typing import Any
from uuid import uuid4
from xml.etree.ElementTree import Element

import pytest
from sqlalchemy import Connection, text
from werkzeug.test import TestResponse

from app.booking.states import Status
from app.booking.views import BookingView
from app.checkout import actions
from app.devservices.pix_bank.refunds import ACCEPT, REFUSE, WAIT
from app.money import Cents
from app.payments.queries import DueView
from tests.checkout.scenes import Desk as Till
from tests.conftest import Clock
from tests.factories import DESK, a_service, a_staff_user, at
from tests.payments.scenes import CLIENT
from tests.web.conftest import DAY, Desk, World, by_id, counting, parsed, values, words

NOON = f"{DAY} 12:00"


def cancelled(till: Till, wall: str = f"{DAY} 10:00") -> BookingView:
    """A booking that was paid for and cancelled."""
    booking = till.paid(wall)
    actions.cancel(till.session, till.location.id, booking.id, actor=DESK)
    till.session.commit()
    return till.see(booking)


def due(till: Till) -> DueView:
    [found] = till.due()
    return found


def row(answer: TestResponse, payment: DueView) -> str:
    return " ".join("".join(by_id(answer, f"p-{payment.payment_id}").itertext()).split())


def has(answer: TestResponse, name: str) -> bool:
    return any(each.get("id") == name for each in parsed(answer).iter())


def press(
    desk: Desk, payment: DueView, deed: str, *, htmx: bool = False, **typed: str
) -> TestResponse:
    return desk.post(f"/revisar/pagos/{payment.payment_id}/{deed}", typed, htmx=htmx)


def late(till: Till) -> None:
    booking = till.ask()
    till.pay(booking, is_late=True)
    till.pass_time(minutes=15, seconds=2)
    till.look()


def other_amount(till: Till) -> None:
    till.tell(till.pay(till.ask(), amount=Cents(40_00)))


def twice(till: Till) -> None:
    booking = till.ask()
    till.pay(booking)
    till.clock.advance(seconds=5)
    till.pay(booking, is_forced=True)
    till.look()


def nobody_s(till: Till) -> None:
    till.tell(till.pay(till.ask(), tells_txid=False, note="para Paula"))


@pytest.mark.parametrize(
    ("happen", "said"),
    [
        (late, "Pagó después de que venció"),
        (other_amount, "Pagó R$ 40,00 y la seña es de R$ 50,00"),
        (twice, "Pagó dos veces"),
        (nobody_s, "No sabemos de qué reserva es"),
        (cancelled, "La reserva se canceló"),
    ],
)
def test_each_says_why_it_is_here(desk: Desk, till: Till, happen: Any, said: str) -> None:
    happen(till)

    page = desk.get("/revisar")

    payment = due(till)
    shown = row(page, payment)
    assert said in shown
    assert "Devolver por Pix" in shown
    assert "se devuelve por Pix hasta el lun 8 jun" in shown
    assert (payment.end_to_end_id or "")[-6:] in shown
    assert ("Ana" in shown) == (payment.booking_id is not None)


def test_what_the_payer_wrote_is_shown(desk: Desk, till: Till) -> None:
    nobody_s(till)

    shown = row(desk.get("/revisar"), due(till))

    assert "Sin reserva" in shown
    assert "Escribió: «para Paula»" in shown


def test_absences_and_payments_are_counted_together(desk: Desk, till: Till) -> None:
    cancelled(till)

    page = desk.get(f"/agenda/{DAY}")

    assert "1 pago para decidir" in words(page)
    counts = [each for each in parsed(page).iter() if "data-review-count" in each.attrib]
    assert [each.text for each in counts] == ["1", "1"]
    assert "Ausencias 0 Pagos 1" in words(desk.get("/revisar"))


@pytest.mark.parametrize("htmx", [False, True])
def test_it_goes_back_by_pix(desk: Desk, till: Till, htmx: bool) -> None:
    booking = cancelled(till)
    payment = due(till)
    till.bank.refunds.decision = WAIT

    answer = press(desk, payment, "devolver", htmx=htmx)

    assert answer.status_code == (200 if htmx else 303)
    shown = answer if htmx else desk.get(answer.location)
    assert "Devolución en proceso" in row(shown, payment)
    assert "Se pidió la devolución al banco." in words(shown)
    assert "Pagos 0" in words(shown)
    till.bank.refunds.decision = ACCEPT
    till.work()
    till.bank.tick()
    till.pass_time(seconds=5)
    assert "Ningún pago espera." in words(desk.get("/revisar"))
    history = words(desk.get(f"/reservas/{booking.id}"))
    assert "Pago devuelto: R$ 50,00 · por Pix" in history
    assert "Se pidió devolver el pago: R$ 50,00 · Rocío" in history
    till.check()


def test_the_question_names_person_and_amount(desk: Desk, till: Till) -> None:
    cancelled(till)

    page = desk.get("/revisar")

    asked = "".join(by_id(page, f"refund-{due(till).payment_id}").itertext())
    assert "Se devuelven R$\xa050,00 a Ana, a la misma cuenta. No se puede deshacer." in asked


def test_a_refund_that_failed_says_why_and_is_tried_again(desk: Desk, till: Till) -> None:
    cancelled(till)
    payment = due(till)
    till.bank.refunds.decision = REFUSE
    press(desk, payment, "devolver")
    till.work()
    till.bank.tick()
    till.pass_time(seconds=5)

    page = desk.get("/revisar")
    again = press(desk, payment, "devolver", htmx=True)

    assert "No se pudo devolver: Simulado: saldo insuficiente." in row(page, payment)
    assert "Reintentar la devolución" in row(page, payment)
    assert again.status_code == 200
    assert "Devolución en proceso" in row(again, payment)
    assert len({refund.refund_id for refund in till.refunds()}) == 2


@pytest.mark.parametrize("second", ["devolver", "devuelta", "quedarse"])
@pytest.mark.parametrize("first", ["devolver", "devuelta", "quedarse"])
@pytest.mark.parametrize("htmx", [False, True])
def test_who_presses_second_is_told(
    desk: Desk, till: Till, first: str, second: str, htmx: bool
) -> None:
    cancelled(till)
    payment = due(till)
    typed = {"proof": "comprobante 4411", "why": "no vino"}
    assert press(desk, payment, first, **typed).status_code == 303

    answer = press(desk, payment, second, htmx=htmx, **typed)

    assert answer.status_code == (409 if htmx else 303)
    assert "Ya lo decidió otra persona." in words(answer if htmx else desk.get(answer.location))
    assert len(till.refunds()) == (0 if first == "quedarse" else 1)
    till.check()


@pytest.mark.parametrize(
    ("deed", "name", "said"),
    [
        ("devuelta", "proof", "Pago devuelto: R$ 50,00 · Rocío · comprobante 4411"),
        ("quedarse", "why", "El negocio se queda el pago: R$ 50,00 · Rocío · comprobante 4411"),
    ],
)
@pytest.mark.parametrize("htmx", [False, True])
def test_what_is_noted_needs_words_which_stay(
    desk: Desk, till: Till, deed: str, name: str, said: str, htmx: bool
) -> None:
    booking = cancelled(till)
    payment = due(till)

    without = press(desk, payment, deed, htmx=htmx)
    too_long = press(desk, payment, deed, htmx=htmx, **{name: "x" * 301})
    given = press(desk, payment, deed, htmx=htmx, **{name: "comprobante 4411"})

    assert without.status_code == too_long.status_code == 422
    field = f"{name}-text-{payment.payment_id}"
    assert by_id(without, field).get("aria-invalid") == "true"
    assert by_id(too_long, field).get("value") == "x" * 301
    assert without.text.lstrip().startswith("<!doctype") is not htmx
    assert given.status_code == (200 if htmx else 303)
    if htmx:
        assert "Devolver por Pix" not in row(given, payment)
    assert not has(desk.get("/revisar"), f"p-{payment.payment_id}")
    assert said in words(desk.get(f"/reservas/{booking.id}"))
    till.check()


def test_too_late_for_pix_leaves_the_other_ways(desk: Desk, till: Till, clock: Clock) -> None:
    cancelled(till)
    payment = due(till)
    clock.advance(days=91)

    page = desk.get("/revisar")
    pressed = press(desk, payment, "devolver", htmx=True)

    assert "Devolver por Pix" not in row(page, payment)
    assert "Ya la devolví" in row(page, payment)
    assert pressed.status_code == 409
    assert "Devolvelo a mano" in words(pressed)
    assert press(desk, payment, "devuelta", proof="transferencia").status_code == 303


def test_what_the_bank_took_is_told_until_somebody_read_it(desk: Desk, till: Till) -> None:
    booking = till.paid()
    [payment] = till.payments()
    till.bank.refunds.take_back(CLIENT, payment.end_to_end_id or "", Cents(50_00))
    till.pass_time(minutes=10)
    till.look()
    flagged = due(till)

    page = desk.get("/revisar")
    answer = press(desk, flagged, "entendido", htmx=True)

    assert "El banco devolvió R$ 50,00 de una reserva que sigue" in row(page, flagged)
    assert "Devolver por Pix" not in row(page, flagged)
    assert "Pagos 1" in words(page)
    assert answer.status_code == 200
    assert "Pagos 0" in words(answer)
    assert "Ningún pago espera." in words(desk.get("/revisar"))
    assert press(desk, flagged, "entendido").status_code == 303
    history = words(desk.get(f"/reservas/{booking.id}"))
    assert "Pago devuelto: R$ 50,00 · por el banco" in history


def form_with_payment(desk: Desk, payment: DueView) -> dict[str, str]:
    """Follow the row's link to the quick hold."""
    page = by_id(desk.get("/revisar"), f"p-{payment.payment_id}")
    link: Element = next(a for a in page.iter("a") if "pago=" in a.get("href", ""))
    return values(by_id(desk.get(link.get("href", "")), "panel-new"))


def test_it_books_again_with_everything_filled_in(desk: Desk, till: Till) -> None:
    before = cancelled(till)
    form = form_with_payment(desk, due(till))

    answer = desk.post("/reservas", form)

    assert (form["service"], form["name"]) == (str(till.color.id), "Ana")
    assert form["starts_at"] == before.starts_at.isoformat()
    booking = till.see_by_id(answer.location.split("/")[-1])
    assert booking.status is Status.CONFIRMED
    assert booking.starts_at == before.starts_at
    assert "Reserva a las 10:00 confirmada con ese pago." in words(desk.get(answer.location))
    assert till.due() == []
    assert "La seña de R$ 50,00 paga ahora otra reserva." in words(
        desk.get(f"/reservas/{before.id}")
    )
    till.check()


def test_a_time_that_has_passed_is_asked_for_anew(desk: Desk, till: Till, clock: Clock) -> None:
    cancelled(till)
    clock.set(at(f"{DAY} 11:00"))

    form = form_with_payment(desk, due(till))

    assert "starts_at" not in form
    assert (form["day"], form["service"]) == (DAY, str(till.color.id))
    assert desk.post("/reservas", form | {"time": "12:00"}).status_code == 303
    till.check()


def test_money_of_nobody_known_books_for_a_name(desk: Desk, till: Till) -> None:
    nobody_s(till)
    form = form_with_payment(desk, due(till)) | {"time": "14:00", "service": str(till.color.id)}

    without = desk.post("/reservas", form, htmx=True)
    given = desk.post("/reservas", form | {"name": "Paula"}, htmx=True)

    assert without.status_code == 422
    assert by_id(without, "f-name").get("aria-invalid") == "true"
    assert values(by_id(without, "panel-new"))["payment"] == form["payment"]
    assert given.status_code == 200
    assert "Confirmada" in words(given)
    till.check()


def test_a_place_taken_meanwhile_offers_others_that_carry_the_payment(
    desk: Desk, till: Till
) -> None:
    cancelled(till)
    form = form_with_payment(desk, due(till))
    till.hold()

    refused = desk.post("/reservas", form, htmx=True)
    taken = desk.post("/reservas", values(by_id(refused, "panel-conflict")), htmx=True)

    assert refused.status_code == 409
    assert values(by_id(refused, "panel-conflict"))["payment"] == form["payment"]
    assert taken.status_code == 200
    assert "Confirmada" in words(taken)
    assert till.due() == []
    till.check()


@pytest.mark.parametrize(
    ("deposit", "said"),
    [
        (80_00, "El pago no alcanza para la seña de este servicio."),
        (0, "Este servicio no pide seña."),
    ],
)
def test_a_service_that_the_money_does_not_fit_is_said_and_nothing_is_lost(
    desk: Desk, till: Till, deposit: int, said: str
) -> None:
    cancelled(till)
    other = a_service(
        till.session,
        till.location,
        till.lucia,
        name="Alisado",
        price_cents=300_00,
        deposit_cents=deposit,
    )
    form = form_with_payment(desk, due(till)) | {"service": str(other.id), "key": str(uuid4())}

    answer = desk.post("/reservas", form, htmx=True)

    assert answer.status_code == 422
    assert said in words(answer)
    again = values(by_id(answer, "panel-new"))
    assert (again["name"], again["payment"]) == ("Ana", form["payment"])
    held = till.session.execute(text("SELECT count(*) FROM booking WHERE status = 'held'"))
    assert held.scalar_one() == 0
    fits = desk.post("/reservas", again | {"service": str(till.color.id)})
    assert fits.status_code == 303


def test_money_that_was_decided_on_meanwhile_books_nothing(desk: Desk, till: Till) -> None:
    cancelled(till)
    payment = due(till)
    form = form_with_payment(desk, payment)
    press(desk, payment, "quedarse", why="no vino")

    answer = desk.post("/reservas", form, htmx=True)

    assert answer.status_code == 409
    assert "Ya lo decidió otra persona." in words(answer)
    again = values(by_id(answer, "panel-new"))
    assert again["name"] == "Ana"
    assert "payment" not in again
    assert len([b for b in till.events("booking.held") if b]) == 1


def test_a_double_press_uses_the_money_once(desk: Desk, till: Till) -> None:
    cancelled(till)
    form = form_with_payment(desk, due(till))

    answers = [desk.post("/reservas", form) for _ in range(2)]

    assert answers[0].location == answers[1].location
    till.check()


def test_who_has_a_column_only_sees_and_decides_nothing(another_desk: Desk, till: Till) -> None:
    cancelled(till)
    payment = due(till)
    lucia = a_staff_user(
        till.session, till.location, role="professional", resource=till.lucia, name="Lucía"
    )
    another_desk.log_in(lucia)

    page = another_desk.get("/revisar")

    assert "Pagos" not in words(page)
    assert "pago para decidir" not in words(another_desk.get(f"/agenda/{DAY}"))
    for deed in ("devolver", "devuelta", "quedarse", "entendido"):
        answer = press(another_desk, payment, deed, proof="x", why="x")
        assert answer.status_code == 404, deed
    form = {
        "key": str(uuid4()),
        "service": str(till.color.id),
        "day": DAY,
        "time": "14:00",
        "name": "Ana",
        "payment": str(payment.payment_id),
    }
    assert another_desk.post("/reservas", form).status_code == 404
    opened = another_desk.get(f"/reservas/nueva?pago={payment.payment_id}")
    assert "payment" not in values(by_id(opened, "panel-new"))
    assert due(till) == payment


def test_what_is_not_there_is_not_found(desk: Desk, till: Till) -> None:
    for deed in ("devolver", "devuelta", "quedarse", "entendido"):
        answer = desk.post(f"/revisar/pagos/{uuid4()}/{deed}", {"proof": "x", "why": "x"})
        assert answer.status_code == 404
    for odd in ("x", str(uuid4())):
        assert desk.get(f"/reservas/nueva?pago={odd}").status_code == 200


def test_a_full_list_costs_the_same_few_statements(
    desk: Desk, world: World, till: Till, connection: Connection
) -> None:
    def cost(address: str) -> int:
        with counting(connection) as counted:
            assert desk.get(address).status_code == 200
        return len(counted.statements)

    addresses = ["/revisar", f"/agenda/{DAY}", f"/agenda/{DAY}/lista"]
    cancelled(till)
    one = [cost(address) for address in addresses]
    for hour in range(11, 17):
        cancelled(till, f"{DAY} {hour}:00")

    assert [cost(address) for address in addresses] == one
    assert one[0] <= 4


def test_the_list_speaks_the_reader_s_language(desk: Desk, till: Till) -> None:
    cancelled(till)

    assert "A reserva foi cancelada" in words(desk.get("/revisar", language="pt"))
    assert "Give back by Pix" in words(desk.get("/revisar", language="en"))
