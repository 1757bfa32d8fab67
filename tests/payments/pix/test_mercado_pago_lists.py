import json
from datetime import timedelta

import pytest

from app.devservices.pix_bank.faults import Fault
from app.payments.pix.gateway import Notice, ProviderDown, Rejected, Unreadable
from app.payments.pix.mercado_pago import MercadoPago
from tests.payments.mercado_pago import (
    ADDRESS,
    FakeMercadoPago,
    charge_at,
    paid_at,
    shop_account,
)
from tests.payments.scenes import NOON, TXID, BankClock


def test_payments_are_listed_page_after_page(
    mp: MercadoPago, shop: FakeMercadoPago, bank_clock: BankClock
) -> None:
    numbers = []
    for index in range(53):
        txid = f"{index:032d}"
        charge_at(mp, txid)
        bank_clock.advance(seconds=1)
        numbers.append(shop.books.pay(txid))
    until = bank_clock.now()
    shop.seen.clear()

    found = list(mp.list_payments(NOON, until))

    assert [payment.end_to_end_id for payment in found] == numbers
    assert len(shop.seen) == 2
    since = NOON + timedelta(seconds=52)
    assert [each.end_to_end_id for each in mp.list_payments(since, until)] == numbers[51:]
    [one] = mp.list_payments(NOON, until, txid=f"{7:032d}")
    assert one.end_to_end_id == numbers[7]


def test_one_payment_that_cannot_be_read_hides_no_other(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    charge_at(mp, "y" * 32)
    shop.books.payments[shop.books.pay("y" * 32)]["transaction_amount"] = "50.00"

    payments = mp.list_payments(NOON, NOON)

    assert next(payments).end_to_end_id == number
    with pytest.raises(Unreadable):
        next(payments)


@pytest.mark.parametrize("fault", [Fault.BROKEN, Fault.HTML, Fault.EMPTY, Fault.JUNK, Fault.CUT])
def test_a_list_that_breaks_off_says_so(
    mp: MercadoPago, shop: FakeMercadoPago, fault: Fault
) -> None:
    shop.faults.add("GET", fault)

    with pytest.raises(ProviderDown):
        list(mp.list_payments(NOON, NOON))


@pytest.mark.parametrize("document", [{}, [], {"results": None}, {"results": {}}], ids=str)
def test_a_search_that_does_not_say_what_it_found_found_something_perhaps(
    mp: MercadoPago, shop: FakeMercadoPago, monkeypatch: pytest.MonkeyPatch, document: object
) -> None:
    monkeypatch.setattr(shop.books, "search", lambda _: document)

    with pytest.raises(ProviderDown):
        mp.find_charge(TXID)
    with pytest.raises(ProviderDown):
        list(mp.list_payments(NOON, NOON))


def test_a_search_that_takes_no_notice_of_what_it_was_asked_finds_nothing_wrong(
    mp: MercadoPago, shop: FakeMercadoPago, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = paid_at(shop, mp)
    all_of_them = {"results": [shop.books.payments[number]] * 2}
    monkeypatch.setattr(shop.books, "search", lambda _: all_of_them)

    assert mp.find_charge("y" * 32) is None
    assert list(mp.list_payments(NOON, NOON, txid="y" * 32)) == []
    assert [payment.end_to_end_id for payment in mp.list_payments(NOON, NOON)] == [number]


def test_the_address_that_is_told_goes_with_each_payment(
    shop: FakeMercadoPago, bank_clock: BankClock
) -> None:
    mp = MercadoPago(shop_account(shop, notification_url=""), now=bank_clock.now)
    assert mp.find_webhook() is None
    charge_at(mp, "a" * 32)
    mp.set_webhook(f"{ADDRESS}?a=b")
    assert mp.find_webhook() == f"{ADDRESS}?a=b"
    charge_at(mp, "b" * 32)
    mp.remove_webhook()
    mp.remove_webhook()
    assert mp.find_webhook() is None
    charge_at(mp, "c" * 32)

    told = [payment["notification_url"] for payment in shop.books.payments.values()]
    assert told == [None, f"{ADDRESS}?a=b&source_news=webhooks", None]
    mp.close()


@pytest.mark.parametrize("url", ["gopher://desk.example.com", "http://desk.example.com", "", "x"])
def test_an_address_that_cannot_be_told_is_refused(mp: MercadoPago, url: str) -> None:
    with pytest.raises(Rejected):
        mp.set_webhook(url)
    assert mp.find_webhook() == ADDRESS


def test_a_notice_points_at_the_payment_that_is_then_shown(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    message = {"type": "payment", "action": "payment.updated", "data": {"id": number}, "id": 7}

    [notice] = mp.read_notices(json.dumps(message).encode())

    assert notice == Notice(end_to_end_id=number)
    payment = mp.find_payment(number)
    assert payment is not None
    assert payment.txid == TXID
