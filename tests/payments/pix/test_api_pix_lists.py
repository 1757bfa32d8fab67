from datetime import timedelta

import httpx
import pytest

from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.money import Cents
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.gateway import (
    OutcomeUnknown,
    ProviderDown,
    Rejected,
)
from tests.payments.scenes import (
    CLIENT,
    NOON,
    TXID,
    BankClock,
    Inbox,
    a_charge,
    a_payment,
    answering,
)


def test_the_list_has_every_payment_of_its_span_over_all_pages(
    gateway: ApiPix, bank: PixBank, bank_clock: BankClock
) -> None:
    a_charge(gateway)
    bank.books.pay(CLIENT, TXID)
    for minute in range(1, 206):
        bank_clock.advance(minutes=1)
        bank.books.pay(CLIENT, TXID, amount=Cents(minute), is_forced=True)
    since, until = NOON + timedelta(minutes=1), NOON + timedelta(minutes=204)

    found = list(gateway.list_payments(since, until))

    assert [payment.amount for payment in found] == [Cents(minute) for minute in range(1, 205)]


def test_a_bank_that_ignores_paging_is_not_asked_for_ever(gateway: ApiPix, bank: PixBank) -> None:
    bank.books.quirks.ignores_paging = True
    e2e = a_payment(gateway, bank)

    found = list(gateway.list_payments(NOON, NOON))

    assert [payment.end_to_end_id for payment in found] == [e2e]


def test_the_list_also_has_money_without_a_txid_and_can_be_asked_for_one(
    gateway: ApiPix, bank: PixBank
) -> None:
    a_charge(gateway)
    bank.books.pay(CLIENT, TXID, tells_txid=False)
    bank.books.pay(CLIENT, TXID)

    everything = [payment.txid for payment in gateway.list_payments(NOON, NOON)]
    mine = [payment.txid for payment in gateway.list_payments(NOON, NOON, txid=TXID)]

    assert everything == [None, TXID]
    assert mine == [TXID]


def test_an_empty_list_is_empty(gateway: ApiPix) -> None:
    assert list(gateway.list_payments(NOON, NOON)) == []


def test_a_list_that_breaks_off_says_so(gateway: ApiPix, bank: PixBank) -> None:
    bank.faults.add("GET /pix", Fault.BROKEN)

    with pytest.raises(ProviderDown):
        list(gateway.list_payments(NOON, NOON))


def test_a_webhook_is_set_found_and_removed(gateway: ApiPix) -> None:
    assert gateway.find_webhook() is None

    gateway.set_webhook("https://desk.example.com/webhooks/pix/main/secret")
    assert gateway.find_webhook() == "https://desk.example.com/webhooks/pix/main/secret"

    gateway.remove_webhook()
    gateway.remove_webhook()
    assert gateway.find_webhook() is None


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LATE, Fault.EMPTY])
def test_a_webhook_that_was_set_in_silence_is_set(
    gateway: ApiPix, bank: PixBank, fault: Fault
) -> None:
    bank.faults.add("PUT /webhook", fault)

    gateway.set_webhook("https://desk.example.com/webhooks")

    assert gateway.find_webhook() == "https://desk.example.com/webhooks"


def test_a_webhook_that_was_not_set_is_not_taken_for_set(gateway: ApiPix, bank: PixBank) -> None:
    bank.faults.add("PUT /webhook", Fault.BROKEN)

    with pytest.raises(OutcomeUnknown):
        gateway.set_webhook("https://desk.example.com/webhooks")
    with pytest.raises(Rejected, match=r"webhook\.webhookUrl"):
        gateway.set_webhook("gopher://desk.example.com")


def test_a_notice_points_at_the_payment_that_the_bank_then_shows(
    gateway: ApiPix, bank: PixBank, inbox: Inbox
) -> None:
    gateway.set_webhook(inbox.url)
    e2e = a_payment(gateway, bank)
    bank.notices.tell(bank.books.payment(CLIENT, e2e))

    assert bank.tick() == 1

    [(path, body)] = inbox.told
    assert path == "/webhooks/pix/main/secret/pix"
    [notice] = gateway.read_notices(body)
    assert (notice.end_to_end_id, notice.txid, notice.key) == (e2e, TXID, CLIENT.key)


def test_every_message_is_genuine_where_the_bank_signs_nothing(gateway: ApiPix) -> None:
    assert gateway.is_genuine(query={}, headers={})


def test_a_list_that_is_not_there_is_no_empty_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a wrong base address the daily list would find nothing, and nobody would know."""
    problem = httpx.Response(
        404, json={"type": "about:blank"}, headers={"content-type": "application/problem+json"}
    )
    gateway = ApiPix(answering(lambda _: problem, monkeypatch))

    with pytest.raises(Rejected, match="404"):
        list(gateway.list_payments(NOON, NOON))
