"""The page on which a person plays the customer's bank."""

from collections.abc import Iterator

import httpx
import pytest

from app.devservices.pix_bank.server import PixBank
from tests.payments.scenes import (
    BODY,
    CLIENT,
    TXID,
    WEBHOOK,
    BankClock,
    Inbox,
    an_inbox,
    enter,
)


@pytest.fixture
def clock() -> BankClock:
    return BankClock()


@pytest.fixture
def bank(clock: BankClock) -> Iterator[PixBank]:
    with PixBank(clients=(CLIENT,), now=clock.now) as bank:
        yield bank


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with an_inbox() as inbox:
        yield inbox


@pytest.fixture
def api(bank: PixBank) -> Iterator[httpx.Client]:
    with enter(bank) as api:
        yield api


def post(bank: PixBank, path: str, **form: str) -> httpx.Response:
    return httpx.post(f"{bank.url}/{path}", data={"client": CLIENT.client_id, **form})


def page(bank: PixBank, **query: str) -> str:
    return httpx.get(bank.url, params=query).text


def test_a_person_pays_on_the_page(bank: PixBank, api: httpx.Client, inbox: Inbox) -> None:
    api.put(WEBHOOK, json={"webhookUrl": inbox.url})
    code = api.put(f"/cob/{TXID}", json={**BODY, "solicitacaoPagador": "Seña <b>"}).json()
    before = page(bank, code=code["pixCopiaECola"])

    assert post(bank, "pay", txid=TXID).status_code == 303
    bank.tick()

    assert "Pagar R$\N{NO-BREAK SPACE}50,00" in before
    assert "Seña &lt;b&gt;" in before
    assert "Esperando el pago" in before
    assert "Pagado" in page(bank)
    assert api.get(f"/cob/{TXID}").json()["status"] == "CONCLUIDA"
    assert len(inbox.told) == 1


@pytest.mark.parametrize(
    ("form", "amounts", "late", "notices"),
    [
        ({"amount": "10,50"}, ["10.50"], False, 1),
        ({"amount": "7"}, ["7.00"], False, 1),
        ({"late": "1"}, ["50.00"], True, 1),
        ({"notice": "never"}, ["50.00"], False, 0),
        ({"notice": "later"}, ["50.00"], False, 0),
        ({"notice": "twice"}, ["50.00"], False, 2),
        ({"lose_txid": "1"}, [], False, 0),
    ],
    ids=str,
)
def test_a_person_pays_in_every_other_way(
    bank: PixBank,
    inbox: Inbox,
    form: dict[str, str],
    amounts: list[str],
    late: bool,
    notices: int,
) -> None:
    bank.books.set_webhook(CLIENT, CLIENT.key, inbox.url)
    bank.books.put_charge(CLIENT, TXID, BODY)

    assert post(bank, "pay", txid=TXID, **form).status_code == 303
    bank.tick()

    payments = bank.books.payments_of(CLIENT, TXID)
    assert [pix["valor"] for pix in payments] == amounts
    assert any("15:15:01" in pix["horario"] for pix in payments) is late
    assert len(inbox.told) == notices


def test_a_delayed_notice_comes_half_a_minute_later(
    bank: PixBank, inbox: Inbox, clock: BankClock
) -> None:
    bank.books.set_webhook(CLIENT, CLIENT.key, inbox.url)
    bank.books.put_charge(CLIENT, TXID, BODY)
    post(bank, "pay", txid=TXID, notice="later")
    bank.tick()

    clock.advance(seconds=30)
    bank.tick()

    assert len(inbox.told) == 1


def test_a_paid_or_an_expired_charge_is_paid_again_only_on_purpose(
    bank: PixBank, clock: BankClock
) -> None:
    bank.books.put_charge(CLIENT, TXID, BODY)
    clock.advance(minutes=16)
    refused = post(bank, "pay", txid=TXID)
    post(bank, "pay", txid=TXID, forced="1")
    post(bank, "pay", txid=TXID, forced="1")

    assert refused.status_code == 400
    assert "Ese cobro ya no se puede pagar." in refused.text
    assert len(bank.books.payments_of(CLIENT, TXID)) == 2


@pytest.mark.parametrize("amount", ["0", "-1", "diez", "1.000,00", "١"])
def test_an_amount_that_is_none_is_asked_for_again(bank: PixBank, amount: str) -> None:
    bank.books.put_charge(CLIENT, TXID, BODY)

    answer = post(bank, "pay", txid=TXID, amount=amount)

    assert answer.status_code == 400
    assert "El importe no se entiende" in answer.text
    assert bank.books.payments(CLIENT) == []


def test_a_person_decides_about_refunds(bank: PixBank) -> None:
    bank.books.put_charge(CLIENT, TXID, BODY)
    e2e = bank.books.pay(CLIENT, TXID)["endToEndId"]
    post(bank, "decide", decision="wait")
    for refund in ("r1", "r2"):
        bank.refunds.ask(CLIENT, e2e, refund, {"valor": "10.00"})
    bank.tick()
    waiting = page(bank)

    post(bank, "settle", e2e=e2e, refund="r1", done="1")
    post(bank, "settle", e2e=e2e, refund="r2", refused="1")
    post(bank, "take-back", e2e=e2e)

    assert waiting.count("en proceso") == 2
    refunds = bank.books.payment(CLIENT, e2e)["devolucoes"]
    assert [(each["status"], each["valor"]) for each in refunds] == [
        ("DEVOLVIDO", "10.00"),
        ("NAO_REALIZADO", "10.00"),
        ("DEVOLVIDO", "40.00"),
    ]


def test_a_person_makes_the_next_call_fail(bank: PixBank, api: httpx.Client) -> None:
    post(bank, "fail", call="PUT /cob", fault="down")
    assert "Crear un cobro: Banco cerrado (503)" in page(bank)

    first = api.put(f"/cob/{TXID}", json=BODY)
    second = api.put(f"/cob/{TXID}", json=BODY)

    assert (first.status_code, second.status_code) == (503, 201)
    post(bank, "fail", call="PUT /cob", fault="down")
    post(bank, "fail", clear="1")
    assert api.put(f"/cob/{TXID}", json=BODY).status_code == 201


def test_another_site_s_form_is_refused_and_nothing_comes_from_outside(bank: PixBank) -> None:
    bank.books.put_charge(CLIENT, TXID, BODY)
    foreign = httpx.post(
        f"{bank.url}/pay",
        data={"client": CLIENT.client_id, "txid": TXID},
        headers={"Sec-Fetch-Site": "cross-site"},
    )
    shown = httpx.get(bank.url)

    assert foreign.status_code == 403
    assert bank.books.payments(CLIENT) == []
    assert "default-src 'none'" in shown.headers["Content-Security-Policy"]
    assert "http://" not in shown.text
    assert "https://" not in shown.text
    assert "<script" not in shown.text


def test_a_form_about_nothing_that_is_there_gets_a_sentence(bank: PixBank) -> None:
    assert "No hay tal cobro." in post(bank, "pay", txid="x" * 30).text
    assert "No hay tal pago." in post(bank, "take-back", e2e="E1").text
    assert post(bank, "pay", client="nobody").status_code == 404
    assert "Ningún cobro tiene ese código." in page(bank, code="no code")
