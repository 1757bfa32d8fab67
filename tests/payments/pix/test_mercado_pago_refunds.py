from decimal import Decimal

import pytest

from app.devservices.pix_bank.faults import Fault
from app.money import Cents
from app.payments.pix.gateway import (
    ChargeStatus,
    OutcomeUnknown,
    ProviderDown,
    RefundStatus,
    Rejected,
    Unreadable,
)
from app.payments.pix.mercado_pago import MercadoPago
from tests.payments.mercado_pago import FakeMercadoPago, paid_at
from tests.payments.scenes import NOON, PRICE, TXID

DOES_THE_WORK = [Fault.LOST, Fault.LATE, Fault.EMPTY, Fault.JUNK]
DOES_NOTHING_SURELY = [Fault.DOWN, Fault.LIMITED]
DOES_NOTHING_PERHAPS = [Fault.BROKEN, Fault.HTML, Fault.CUT, Fault.NOWHERE]


def test_a_refund_is_done_at_once_or_after_a_while(mp: MercadoPago, shop: FakeMercadoPago) -> None:
    number = paid_at(shop, mp)
    shop.books.refunds_are = "in_process"

    asked = mp.refund(number, "r1", PRICE)
    waiting = mp.find_refund(number, "r1")
    shop.books.settle(number, "approved")
    done = mp.find_refund(number, "r1")

    assert (asked.refund_id, asked.status, asked.amount) == ("r1", RefundStatus.PENDING, PRICE)
    assert (asked.is_ours, asked.requested_at) == (True, NOON)
    assert waiting == asked
    assert done is not None
    assert (done.status, done.return_id) == (RefundStatus.DONE, asked.return_id)


def test_a_refund_is_asked_for_with_a_key_of_its_own_and_told_while_it_waits(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)

    mp.refund(number, "r1", Cents(29))

    call = shop.calls("POST")[-1]
    assert call.path == f"/v1/payments/{number}/refunds"
    assert call.headers["x-idempotency-key"] == f"{number}-r1"
    assert call.headers["x-render-in-process-refunds"] == "true"
    assert call.text == '{"amount": 0.29}'


def test_the_same_refund_asked_twice_goes_back_once(mp: MercadoPago, shop: FakeMercadoPago) -> None:
    number = paid_at(shop, mp)

    first = mp.refund(number, "r1", Cents(100))

    assert mp.refund(number, "r1", Cents(100)) == first
    assert len(shop.books.refunds[number]) == 1


@pytest.mark.parametrize("amount", [PRICE, Cents(100)])
@pytest.mark.parametrize("fault", [*DOES_THE_WORK, *DOES_NOTHING_PERHAPS])
def test_a_refund_in_doubt_goes_back_once(
    mp: MercadoPago, shop: FakeMercadoPago, fault: Fault, amount: Cents
) -> None:
    number = paid_at(shop, mp)
    shop.faults.add("POST /payments/9", fault)

    assert mp.refund(number, "r1", amount).status is RefundStatus.DONE
    assert len(shop.books.refunds[number]) == 1


def test_a_whole_refund_in_doubt_needs_no_memory_of_keys(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    shop.books.forgets_keys = True
    number = paid_at(shop, mp)
    shop.faults.add("POST /payments/9", Fault.LOST)

    refund = mp.refund(number, "r1", PRICE)

    assert refund.status is RefundStatus.DONE
    assert mp.refund(number, "r1", PRICE) == refund
    assert len(shop.books.refunds[number]) == 1


@pytest.mark.parametrize("fault", DOES_NOTHING_SURELY)
def test_a_closed_provider_gives_nothing_back(
    mp: MercadoPago, shop: FakeMercadoPago, fault: Fault
) -> None:
    number = paid_at(shop, mp)
    shop.faults.add("POST /payments/9", fault)

    with pytest.raises(ProviderDown):
        mp.refund(number, "r1", PRICE)
    assert shop.books.refunds == {}


def test_a_refund_that_nobody_can_look_up_is_unknown_until_the_next_call(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    shop.faults.add("POST /payments/9", Fault.LOST)
    shop.faults.add("GET", Fault.DOWN)
    with pytest.raises(OutcomeUnknown):
        mp.refund(number, "r1", PRICE)

    assert mp.refund(number, "r1", PRICE).status is RefundStatus.DONE
    assert len(shop.books.refunds[number]) == 1


def test_a_failed_refund_is_told_by_asking_again_and_a_new_one_may_work(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    shop.books.refunds_are = "in_process"
    asked = mp.refund(number, "r1", PRICE)
    shop.books.settle(number, "rejected")

    assert mp.find_refund(number, "r1") is None
    named = mp.find_refund(number, "r1", return_id=asked.return_id)
    assert named is not None
    assert named.status is RefundStatus.FAILED
    assert mp.refund(number, "r1", PRICE) == named

    shop.books.refunds_are = "approved"
    assert mp.refund(number, "r2", PRICE).status is RefundStatus.DONE
    done = mp.find_refund(number, "r2")
    assert done is not None
    assert (done.refund_id, done.status) == ("r2", RefundStatus.DONE)


def test_parts_are_told_apart_by_the_provider_s_own_names_only(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    first = mp.refund(number, "r1", Cents(100))
    second = mp.refund(number, "r2", Cents(200))

    assert mp.find_refund(number, "r1", return_id=first.return_id) == first
    assert mp.find_refund(number, "r2", return_id=second.return_id) == second
    with pytest.raises(Unreadable, match="not told which is which"):
        mp.find_refund(number, "r1")
    with pytest.raises(Unreadable):
        mp.find_refund(number, "r3")


def test_never_more_goes_back_than_came_in(mp: MercadoPago, shop: FakeMercadoPago) -> None:
    number = paid_at(shop, mp, Cents(5_780))
    for index, cents in enumerate([100, 2_490, 2_490, 699]):
        mp.refund(number, f"r{index}", Cents(cents))

    with pytest.raises(Rejected, match=r"bad_request \(400\) cause\.2063"):
        mp.refund(number, "r4", Cents(2))
    assert mp.refund(number, "r5", Cents(1)).status is RefundStatus.DONE


def test_a_refund_id_never_serves_two_amounts(mp: MercadoPago, shop: FakeMercadoPago) -> None:
    number = paid_at(shop, mp)
    mp.refund(number, "r1", Cents(100))

    with pytest.raises(Rejected, match="RefundIdInUse"):
        mp.refund(number, "r1", Cents(200))


def test_what_the_owner_gave_back_in_the_panel_is_not_given_twice(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    shop.books.refund(number, None)

    refund = mp.refund(number, "r1", PRICE)

    assert (refund.status, refund.amount) == (RefundStatus.DONE, PRICE)
    assert len(shop.books.refunds[number]) == 1


def test_a_refund_of_what_never_came_is_refused(mp: MercadoPago) -> None:
    with pytest.raises(Rejected, match="404"):
        mp.refund("91", "r1", PRICE)


@pytest.mark.parametrize("refund_id", ["", "a-b", "x" * 36, "r1\n"])
def test_a_refund_id_that_no_bank_takes_is_a_mistake_of_ours(
    mp: MercadoPago, refund_id: str
) -> None:
    with pytest.raises(ValueError, match="refund"):
        mp.refund("91", refund_id, PRICE)


def test_our_own_refunds_are_not_told_as_if_others_had_made_them(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    mp.refund(number, "r1", PRICE)

    charge = mp.find_charge(TXID)

    assert charge is not None
    assert charge.status is ChargeStatus.PAID
    assert charge.payments[0].refunds == ()


@pytest.mark.parametrize("source", ["admin", "bpp", "Admin"])
def test_what_mercado_pago_gives_back_by_itself_is_not_ours(
    mp: MercadoPago, shop: FakeMercadoPago, source: str
) -> None:
    number = paid_at(shop, mp)
    shop.books.refund(number, Decimal("10"), source)

    payment = mp.find_payment(number)

    assert payment is not None
    [refund] = payment.refunds
    assert (refund.is_ours, refund.status) == (False, RefundStatus.DONE)
    assert (refund.amount, refund.refund_id) == (Cents(1_000), refund.return_id)
    assert mp.find_refund(number, "r1") is None


@pytest.mark.parametrize(
    ("detail", "status"),
    [
        ("in_process", RefundStatus.PENDING),
        ("settled", RefundStatus.DONE),
        ("reimbursed", RefundStatus.FAILED),
        ("news", RefundStatus.UNKNOWN),
    ],
)
def test_what_the_payer_s_bank_takes_back_is_a_refund_that_we_did_not_ask_for(
    mp: MercadoPago, shop: FakeMercadoPago, detail: str, status: RefundStatus
) -> None:
    number = paid_at(shop, mp)
    shop.books.payments[number].update(status="charged_back", status_detail=detail)

    charge = mp.find_charge(TXID)

    assert charge is not None
    assert charge.status is ChargeStatus.PAID
    [refund] = charge.payments[0].refunds
    assert (refund.is_ours, refund.status, refund.amount) == (False, status, PRICE)
    assert refund.refund_id == "chargeback"


def test_what_went_back_before_is_not_taken_back_again(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    mp.refund(number, "r1", Cents(1_000))
    shop.books.payments[number].update(status="charged_back", status_detail="settled")

    payment = mp.find_payment(number)
    assert payment is not None
    assert [refund.amount for refund in payment.refunds] == [Cents(4_000)]


def test_nothing_is_left_to_take_back_of_what_went_back_whole(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    mp.refund(number, "r1", PRICE)
    shop.books.payments[number].update(status="charged_back", status_detail="settled")

    payment = mp.find_payment(number)
    assert payment is not None
    assert payment.refunds == ()


def test_two_whole_refunds_of_one_payment_are_for_a_person_to_look_at(
    mp: MercadoPago, shop: FakeMercadoPago
) -> None:
    number = paid_at(shop, mp)
    mp.refund(number, "r1", PRICE)
    shop.books.refunds[number].append({**shop.books.refunds[number][0], "id": 8})

    with pytest.raises(Unreadable):
        mp.find_refund(number, "r1")
