"""Answers that no simulator would think of."""

from typing import Any

import httpx
import pytest

from app.payments.pix.api_pix import ApiPix
from app.payments.pix.gateway import (
    AccessDenied,
    ChargeStatus,
    GatewayError,
    OutcomeUnknown,
    ProviderDown,
    Rejected,
    Unreadable,
)
from tests.payments.scenes import NOON, PRICE, TXID, a_charge, answering

E2E = "E12345678202009091221kkkkkkkkkkk"
CHARGE = {
    "calendario": {"criacao": "2020-09-09T20:15:00.358Z", "expiracao": 3600},
    "txid": TXID,
    "status": "ATIVA",
    "valor": {"original": "50.00"},
}
PIX = {"endToEndId": E2E, "valor": "50.00", "horario": "2020-09-09T20:15:00Z"}
REFUND = {"id": "r1", "valor": "50.00", "status": "DEVOLVIDO"}


def bank_with(monkeypatch: pytest.MonkeyPatch, **answers: httpx.Response | Exception) -> ApiPix:
    """A bank that has one answer for each method, asked as often as may be."""

    def serve(request: httpx.Request) -> httpx.Response:
        answer = answers[request.method]
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, content=answer.content)

    return ApiPix(answering(serve, monkeypatch))


def ok(document: Any) -> httpx.Response:
    return httpx.Response(200, json=document)


def test_an_answer_about_another_charge_is_never_taken_for_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = ok({**CHARGE, "txid": "x" * 32})
    gateway = bank_with(monkeypatch, PUT=other, GET=other)

    with pytest.raises(Unreadable, match="another charge"):
        gateway.find_charge(TXID)
    with pytest.raises(Unreadable, match="another charge"):
        a_charge(gateway)


def test_an_answer_about_another_refund_is_never_taken_for_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gateway = bank_with(monkeypatch, PUT=ok(REFUND), GET=ok(REFUND))

    with pytest.raises(Unreadable, match="another refund"):
        gateway.refund(E2E, "r2", PRICE)
    assert gateway.refund(E2E, "r1", PRICE).amount == PRICE


def test_money_that_cannot_be_read_never_becomes_a_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ok({**CHARGE, "valor": {"original": 50.0}})

    with pytest.raises(Unreadable, match="amount"):
        a_charge(bank_with(monkeypatch, PUT=odd, GET=odd))


def test_a_charge_answered_oddly_is_taken_as_it_reads_when_looked_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odd = ok({**CHARGE, "valor": {"original": 50.0}})

    assert a_charge(bank_with(monkeypatch, PUT=odd, GET=ok(CHARGE))).amount == PRICE


def test_the_readable_payments_come_before_the_complaint_about_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gateway = bank_with(monkeypatch, GET=ok({"pix": [{**PIX, "valor": "1,00"}, PIX]}))

    payments = gateway.list_payments(NOON, NOON)

    assert next(payments).end_to_end_id == E2E
    with pytest.raises(Unreadable):
        next(payments)


@pytest.mark.parametrize(
    "document",
    [{}, {"pix": None}, {"pix": [], "parametros": None}, {"parametros": {"paginacao": 7}}],
    ids=str,
)
def test_a_list_without_content_or_paging_is_empty(
    monkeypatch: pytest.MonkeyPatch, document: dict[str, Any]
) -> None:
    assert list(bank_with(monkeypatch, GET=ok(document)).list_payments(NOON, NOON)) == []


def test_closed_doors_are_told_at_once_and_looked_behind_by_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closed = httpx.Response(403)
    gateway = bank_with(monkeypatch, PUT=closed, PATCH=closed, GET=RuntimeError("nobody looks"))

    for ask in (
        lambda: a_charge(gateway),
        lambda: gateway.remove_charge(TXID),
        lambda: gateway.refund(E2E, "r1", PRICE),
    ):
        with pytest.raises(AccessDenied):
            ask()


def test_a_removal_without_an_answer_or_a_look_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = bank_with(monkeypatch, PATCH=httpx.ReadTimeout("slow"), GET=httpx.Response(503))

    with pytest.raises(OutcomeUnknown):
        gateway.remove_charge(TXID)


def test_a_removal_that_is_refused_for_an_active_charge_stays_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gateway = bank_with(monkeypatch, PATCH=httpx.Response(400), GET=ok(CHARGE))

    with pytest.raises(Rejected):
        gateway.remove_charge(TXID)


def test_a_removed_charge_without_a_body_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    removed = ok({**CHARGE, "status": "REMOVIDA_PELO_PSP"})
    gateway = bank_with(monkeypatch, PATCH=httpx.Response(204), GET=removed)

    charge = gateway.remove_charge(TXID)

    assert charge is not None
    assert charge.status is ChargeStatus.REMOVED_BY_PROVIDER


@pytest.mark.parametrize(
    ("status", "kind"), [(404, Rejected), (410, Rejected), (400, Rejected), (503, ProviderDown)]
)
def test_a_key_without_a_place_for_webhooks_is_refused(
    monkeypatch: pytest.MonkeyPatch, status: int, kind: type[GatewayError]
) -> None:
    gateway = bank_with(monkeypatch, PUT=httpx.Response(status))

    with pytest.raises(kind):
        gateway.set_webhook("https://desk.example.com/x")


def test_a_webhook_without_an_address_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bank_with(monkeypatch, GET=ok({"webhookUrl": None})).find_webhook() is None
