import json
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from app.devservices.pix_bank.faults import Fault
from app.money import Cents
from app.payments.pix.brcode import parse
from app.payments.pix.gateway import (
    AccessDenied,
    ChargeStatus,
    OutcomeUnknown,
    PixGateway,
    ProviderDown,
    Rejected,
)
from app.payments.pix.mercado_pago import MercadoPago
from tests.payments.mercado_pago import (
    ADDRESS,
    FakeMercadoPago,
    charge_at,
    paid_at,
    shop_account,
)
from tests.payments.mercado_pago_books import EMAIL
from tests.payments.scenes import NOON, PRICE, QUARTER, TXID, BankClock

DOES_THE_WORK = [Fault.LOST, Fault.LATE, Fault.EMPTY, Fault.JUNK]
DOES_NOTHING_SURELY = [Fault.DOWN, Fault.LIMITED]
DOES_NOTHING_PERHAPS = [Fault.BROKEN, Fault.HTML, Fault.CUT, Fault.NOWHERE]
HALF_AN_HOUR = timedelta(minutes=30)


def test_it_is_a_gateway_like_any_other(mp: MercadoPago) -> None:
    gateway: PixGateway = mp

    assert gateway.find_charge(TXID) is None


def test_a_charge_is_opened_with_a_code_an_amount_and_a_deadline(mp: MercadoPago) -> None:
    charge = mp.open_charge(TXID, PRICE, expires_in=QUARTER, note="Seña", is_first=True)

    assert (charge.txid, charge.status, charge.amount) == (TXID, ChargeStatus.ACTIVE, PRICE)
    assert (charge.created_at, charge.expires_at) == (NOON, NOON + QUARTER)
    assert charge.copy_paste is not None
    assert (parse(charge.copy_paste).location or "").startswith("pix.example.com/")
    assert charge.payments == ()
    assert mp.find_charge(TXID) == charge


def test_a_payment_is_asked_for_as_mercado_pago_wants_it(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    mp.open_charge(TXID, Cents(1_15), expires_in=QUARTER, note="x" * 200, is_first=True)

    [call] = shop.calls("POST")
    assert call.path == "/v1/payments"
    assert call.headers["x-idempotency-key"] == TXID
    assert call.headers["content-type"] == "application/json"
    assert '"transaction_amount": 1.15,' in call.text
    body = json.loads(call.text)
    assert datetime.fromisoformat(body.pop("date_of_expiration")) == NOON + HALF_AN_HOUR
    assert body == {
        "transaction_amount": 1.15,
        "payment_method_id": "pix",
        "external_reference": TXID,
        "metadata": {"expires_in": 900},
        "payer": {"email": EMAIL},
        "description": "x" * 140,
        "notification_url": f"{ADDRESS}?source_news=webhooks",
    }


@pytest.mark.parametrize("cents", [1, 10, 29, 100, 115, 5_000, 99_999_999_999])
def test_every_amount_goes_out_and_comes_back_to_the_cent(mp: MercadoPago, cents: int) -> None:
    charge_at(mp, amount=Cents(cents))

    charge = mp.find_charge(TXID)

    assert charge is not None
    assert charge.amount == cents


@pytest.mark.parametrize(
    ("asked", "shortest", "given"), [(15, 1_800, 30), (45, 1_800, 45), (15, 900, 15), (15, 60, 15)]
)
def test_the_provider_gets_its_shortest_expiry_and_we_keep_to_what_we_asked(
    shop: FakeMercadoPago, bank_clock: BankClock, asked: int, shortest: int, given: int
) -> None:
    mp = MercadoPago(shop_account(shop, shortest_expiry_seconds=shortest), now=bank_clock.now)

    charge = mp.open_charge(TXID, PRICE, expires_in=timedelta(minutes=asked))

    [payment] = shop.books.payments.values()
    assert datetime.fromisoformat(payment["date_of_expiration"]) == NOON + timedelta(minutes=given)
    assert charge.expires_at == NOON + timedelta(minutes=asked)
    mp.close()


def test_a_payment_that_lost_our_mark_expires_when_the_provider_says(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    shop.books.forgets_metadata = True

    assert charge_at(mp).expires_at == NOON + HALF_AN_HOUR


def test_what_was_never_opened_is_not_found(mp: MercadoPago) -> None:
    assert mp.find_charge(TXID) is None
    assert mp.remove_charge(TXID) is None
    assert mp.find_payment("91") is None
    assert mp.find_payment("E" + "0" * 31) is None
    assert mp.find_refund("91", "r1") is None
    assert mp.find_refund("91", "r1", return_id="7") is None


def test_opening_a_charge_again_gives_it_no_new_deadline(
    mp: MercadoPago, shop: FakeMercadoPago, bank_clock: BankClock
) -> None:
    first = charge_at(mp)
    bank_clock.advance(minutes=10)

    assert mp.open_charge(TXID, PRICE, expires_in=QUARTER) == first
    assert len(shop.books.payments) == 1


def test_a_charge_that_no_search_finds_yet_is_not_made_twice(
    mp: MercadoPago, shop: FakeMercadoPago, bank_clock: BankClock
) -> None:
    first = charge_at(mp)
    shop.books.search_is_late = True
    bank_clock.advance(minutes=10)

    assert mp.open_charge(TXID, PRICE, expires_in=QUARTER) == first
    assert len(shop.books.payments) == 1


def test_a_txid_never_serves_two_amounts(mp: MercadoPago) -> None:
    charge_at(mp)

    with pytest.raises(Rejected, match=r"TxidInUse \(409\) transaction_amount"):
        mp.open_charge(TXID, Cents(5_001), expires_in=QUARTER)


@pytest.mark.parametrize("txid", ["short", "x" * 36, "a-b" * 10, "x" * 30 + "\n", ""])
def test_a_txid_that_no_bank_takes_is_a_mistake_of_ours(mp: MercadoPago, txid: str) -> None:
    with pytest.raises(ValueError, match="txid"):
        mp.open_charge(txid, PRICE, expires_in=QUARTER)


@pytest.mark.parametrize("search_is_late", [False, True])
@pytest.mark.parametrize("fault", [*DOES_THE_WORK, *DOES_NOTHING_PERHAPS])
def test_a_charge_in_doubt_is_made_once(
    mp: MercadoPago, shop: FakeMercadoPago, fault: Fault, search_is_late: bool
) -> None:
    shop.books.search_is_late = search_is_late
    shop.faults.add("POST /payments", fault)

    assert charge_at(mp).status is ChargeStatus.ACTIVE
    assert len(shop.books.payments) == 1


@pytest.mark.parametrize("fault", DOES_NOTHING_SURELY)
def test_a_closed_provider_has_made_nothing_and_is_not_bothered_again(
    mp: MercadoPago, shop: FakeMercadoPago, fault: Fault
) -> None:
    shop.faults.add("POST /payments", fault)

    with pytest.raises(ProviderDown) as met:
        charge_at(mp)

    assert met.value.retry_after == (timedelta(seconds=7) if fault is Fault.LIMITED else None)
    assert shop.books.payments == {}


def test_a_provider_lost_in_the_middle_leaves_the_outcome_unknown_until_the_next_call(
    mp: MercadoPago, shop: FakeMercadoPago, bank_clock: BankClock
) -> None:
    shop.faults.add("POST /payments", Fault.LOST)
    shop.faults.add("GET /payments/search", Fault.DOWN)
    with pytest.raises(OutcomeUnknown):
        charge_at(mp)
    bank_clock.advance(minutes=1)

    assert mp.open_charge(TXID, PRICE, expires_in=QUARTER).created_at == NOON


def test_twice_in_doubt_is_unknown_and_the_third_time_goes_on(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    shop.faults.add("POST /payments", Fault.BROKEN, times=2)
    with pytest.raises(OutcomeUnknown):
        charge_at(mp)

    assert mp.open_charge(TXID, PRICE, expires_in=QUARTER).status is ChargeStatus.ACTIVE


def test_a_provider_that_is_not_there_is_down(bank_clock: BankClock) -> None:
    with FakeMercadoPago(bank_clock.now) as shop:
        mp = MercadoPago(shop_account(shop), now=bank_clock.now)

    with pytest.raises(ProviderDown, match="no connection"):
        charge_at(mp)
    mp.close()


def test_a_refused_charge_says_which_number_and_nothing_of_its_content(
    shop: FakeMercadoPago, bank_clock: BankClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    mp = MercadoPago(shop_account(shop), now=bank_clock.now)
    monkeypatch.setattr(mp, "_wish", lambda *_: b'{"payment_method_id": "x", "payer": {}}')

    with pytest.raises(Rejected) as met:
        charge_at(mp)

    assert str(met.value) == "bad_request (400) cause.4006"
    assert EMAIL not in repr(met.value)
    mp.close()


def test_a_wrong_token_is_a_wrong_setting_and_in_no_text(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    shop.token = "another"

    for ask in (
        lambda: charge_at(mp),
        lambda: mp.find_charge(TXID),
        lambda: mp.remove_charge(TXID),
        lambda: mp.refund("91", "r1", PRICE),
    ):
        with pytest.raises(AccessDenied, match=r"unauthorized \(401\)"):
            ask()


def test_a_paid_charge_tells_when_and_by_which_payment(
    mp: MercadoPago, shop: FakeMercadoPago, bank_clock: BankClock
) -> None:
    charge_at(mp)
    bank_clock.advance(minutes=5)
    number = shop.books.pay()

    charge = mp.find_charge(TXID)

    assert charge is not None
    assert charge.status is ChargeStatus.PAID
    [payment] = charge.payments
    assert (payment.end_to_end_id, payment.amount, payment.txid) == (number, PRICE, TXID)
    assert payment.paid_at == NOON + timedelta(minutes=5)
    assert payment.paid_at.tzinfo is UTC
    assert payment.paid_at <= charge.expires_at
    assert mp.find_payment(number) == payment


def test_money_after_our_deadline_is_late_although_the_provider_took_it(
    mp: MercadoPago, shop: FakeMercadoPago, bank_clock: BankClock
) -> None:
    charge_at(mp)
    bank_clock.advance(minutes=15, seconds=1)
    shop.books.pay()

    charge = mp.find_charge(TXID)

    assert charge is not None
    assert charge.payments[0].paid_at > charge.expires_at


def test_two_payments_of_one_charge_are_both_seen_and_both_cancelled(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    charge_at(mp)
    shop.books.answered.clear()
    shop.books.search_is_late = True
    charge_at(mp)
    shop.books.search_is_late = False
    first, second = shop.books.payments.values()

    removed = mp.remove_charge(TXID)
    assert removed is not None
    assert removed.status is ChargeStatus.REMOVED_BY_US
    assert (first["status"], second["status"]) == ("cancelled", "cancelled")

    first.update(status="approved", date_approved=shop.books.stamp())
    second.update(status="approved", date_approved=shop.books.stamp())
    charge = mp.find_charge(TXID)
    assert charge is not None
    assert [payment.end_to_end_id for payment in charge.payments] == list(shop.books.payments)


def test_a_payment_that_is_not_paid_yet_is_no_money(mp: MercadoPago, shop: FakeMercadoPago) -> None:
    charge_at(mp)

    assert mp.find_payment(next(iter(shop.books.payments))) is None


def test_money_that_is_no_pix_is_no_affair_of_ours(mp: MercadoPago, shop: FakeMercadoPago) -> None:
    number = paid_at(shop, mp)
    shop.books.payments[number]["payment_method_id"] = "visa"

    assert mp.find_payment(number) is None
    assert list(mp.list_payments(NOON, NOON)) == []


@pytest.mark.parametrize("call", ["GET /payments/search", "GET /payments/9"])
@pytest.mark.parametrize("fault", [*DOES_NOTHING_SURELY, *DOES_NOTHING_PERHAPS, *DOES_THE_WORK])
def test_a_question_that_fails_is_never_taken_for_nothing_found(
    mp: MercadoPago, shop: FakeMercadoPago, fault: Fault, call: str
) -> None:
    charge_at(mp)
    shop.faults.add(call, fault)

    with pytest.raises(ProviderDown):
        mp.find_charge(TXID)


def test_a_provider_that_answers_too_late_is_looked_at_before_it_is_asked_again(
    shop: FakeMercadoPago, bank_clock: BankClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    mp = MercadoPago(shop_account(shop), now=bank_clock.now)
    real, failed = httpx.Client.send, []

    def slow(client: httpx.Client, request: httpx.Request) -> httpx.Response:
        response = real(client, request)
        if request.method == "POST" and not failed:
            failed.append(request)
            raise httpx.ReadTimeout("slow")
        return response

    monkeypatch.setattr(httpx.Client, "send", slow)

    assert charge_at(mp) == mp.find_charge(TXID)
    assert len(shop.books.payments) == 1
    mp.close()
