import logging

import httpx
import pytest

from app.devservices.pix_bank.faults import Fault
from app.money import Cents
from app.payments.pix.gateway import (
    AccessDenied,
    GatewayError,
    OutcomeUnknown,
    ProviderDown,
    Rejected,
    Unreadable,
)
from app.payments.pix.mercado_pago import MercadoPago
from app.payments.pix.mercado_pago_http import MercadoPagoHttp
from tests.payments.mercado_pago import (
    SIGNATURE_SECRET,
    TOKEN,
    FakeMercadoPago,
    paid_at,
    shop_account,
)
from tests.payments.mercado_pago_books import EMAIL
from tests.payments.scenes import PRICE, QUARTER, TXID, answering

REFUSAL = b'{"error": "bad_request", "message": "payer@x.br", "cause": [{"code": 2018}, 7]}'


@pytest.mark.parametrize(
    ("status", "body", "kind", "text"),
    [
        (400, REFUSAL, Rejected, "bad_request (400) cause.2018"),
        (400, b'{"cause": {"code": 23}}', Rejected, "http_400 (400) cause.23"),
        (400, b'{"cause": [{"code": "<payer@x.br>"}]}', Rejected, "http_400 (400)"),
        (400, b'{"error": "CPF 12345678909"}', Rejected, "http_400 (400)"),
        (422, b"<html>", Rejected, "http_422 (422)"),
        (302, b"", Rejected, "http_302 (302)"),
        (401, b"", AccessDenied, "http_401 (401)"),
        (403, b'{"error": "forbidden"}', AccessDenied, "forbidden (403)"),
        (409, b'{"error": "Conflict"}', OutcomeUnknown, "Conflict"),
        (423, b"", OutcomeUnknown, "http_423"),
        (425, b"", OutcomeUnknown, "http_425"),
        (408, b"", OutcomeUnknown, "http_408"),
        (500, b"", OutcomeUnknown, "http_500"),
        (504, b"{}", OutcomeUnknown, "http_504"),
        (429, b"", ProviderDown, "http_429"),
        (503, b"", ProviderDown, "http_503"),
    ],
)
def test_refusals_and_failures_are_told_apart_without_repeating_their_text(
    monkeypatch: pytest.MonkeyPatch,
    shop: FakeMercadoPago,
    status: int,
    body: bytes,
    kind: type[GatewayError],
    text: str,
) -> None:
    answering(lambda _: httpx.Response(status, content=body), monkeypatch)
    http = MercadoPagoHttp(shop_account(shop))

    with pytest.raises(kind) as met:
        http.write("POST", body=b"{}", key="k")

    assert type(met.value) is kind
    assert str(met.value).strip() == text
    http.close()


def test_numbers_with_a_point_are_exact(
    monkeypatch: pytest.MonkeyPatch, shop: FakeMercadoPago
) -> None:
    body = b'{"amount": 99999999999999.99}'
    answering(lambda _: httpx.Response(200, content=body), monkeypatch)

    document = MercadoPagoHttp(shop_account(shop)).read("1").document

    assert str((document or {})["amount"]) == "99999999999999.99"


def test_an_answer_about_another_payment_or_refund_is_never_taken_for_ours(
    mp: MercadoPago, shop: FakeMercadoPago, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = paid_at(shop, mp)
    refund = mp.refund(number, "r1", Cents(100))
    other = {**shop.books.payments[number], "id": 5, "external_reference": "x" * 32}

    with monkeypatch.context() as patch:
        patch.setattr(shop.books, "payment", lambda _: other)
        with pytest.raises(Unreadable, match="another payment"):
            mp.find_charge(TXID)
        with pytest.raises(Unreadable, match="another payment"):
            mp.find_payment(number)
    with monkeypatch.context() as patch:
        patch.setattr(shop.books, "create", lambda _: other)
        patch.setattr(shop.books, "search", lambda _: {"results": []})
        with pytest.raises(Unreadable, match="another charge"):
            mp.open_charge("z" * 32, PRICE, expires_in=QUARTER, is_first=True)
    with monkeypatch.context() as patch:
        made = {"id": 1, "payment_id": 5, "amount": 1, "status": "approved"}
        patch.setattr(shop.books, "refund", lambda *_: made)
        with pytest.raises(Unreadable, match="another payment"):
            mp.refund(number, "r2", Cents(100))
    shop.books.refunds[number][0]["id"] = refund.return_id
    monkeypatch.setattr(shop, "answer", lambda _: (200, {**made, "id": 9}))
    with pytest.raises(Unreadable, match="another refund"):
        mp.find_refund(number, "r1", return_id=refund.return_id)


def test_a_list_of_refunds_that_is_none_is_not_taken_for_an_empty_one(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    shop.faults.add(f"GET /payments/{number}/refunds", Fault.EMPTY)

    with pytest.raises(ProviderDown):
        mp.find_refund(number, "r1")


def test_no_secret_and_nothing_of_a_person_in_any_log_or_error(
    mp: MercadoPago, shop: FakeMercadoPago, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    number = paid_at(shop, mp)
    texts = []
    for fault in Fault:
        for ask in (
            lambda: mp.open_charge("z" * 32, PRICE, expires_in=QUARTER),
            lambda: mp.find_charge(TXID),
            lambda: mp.remove_charge(TXID),
            lambda: mp.find_payment(number),
            lambda: mp.refund(number, "r1", Cents(1)),
            lambda: mp.refund(number, "r2", Cents(PRICE + 1)),
            lambda: mp.find_refund(number, "r2"),
        ):
            for call in ("GET", "POST", "PUT"):
                shop.faults.add(call, fault, times=2)
            try:
                ask()
            except GatewayError as failure:
                texts.append(f"{failure!r} {failure.__cause__!r} {failure.__dict__}")
            shop.faults.clear()

    written = caplog.text + " ".join(texts) + repr(shop_account(shop))

    assert len(texts) > 50
    for secret in (TOKEN, SIGNATURE_SECRET, EMAIL, "the-webhook-secret", "Bearer"):
        assert secret not in written
