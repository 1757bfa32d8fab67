from datetime import timedelta

import pytest

from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.money import Cents
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.gateway import (
    RefundStatus,
    Rejected,
)
from tests.payments.scenes import (
    CLIENT,
    NOON,
    PRICE,
    BankClock,
    a_payment,
)

DOES_THE_WORK = [Fault.LOST, Fault.LATE, Fault.EMPTY, Fault.JUNK]
DOES_NOTHING_SURELY = [Fault.DOWN, Fault.LIMITED]
DOES_NOTHING_PERHAPS = [Fault.BROKEN, Fault.HTML, Fault.CUT, Fault.NOWHERE]


def test_a_refund_goes_from_in_process_to_done(
    gateway: ApiPix, bank: PixBank, bank_clock: BankClock
) -> None:
    e2e = a_payment(gateway, bank)

    asked = gateway.refund(e2e, "r1", PRICE, note="Turno cancelado")
    bank_clock.advance(seconds=3)
    bank.tick()
    found = gateway.find_refund(e2e, "r1")

    assert (asked.status, asked.amount, asked.is_ours) == (RefundStatus.PENDING, PRICE, True)
    assert (asked.requested_at, asked.settled_at) == (NOON, None)
    assert found is not None
    assert (found.status, found.settled_at) == (RefundStatus.DONE, NOON + timedelta(seconds=3))
    assert (found.return_id or "").startswith("D00000000")
    payment = gateway.find_payment(e2e)
    assert payment is not None
    assert payment.refunds == (found,)


def test_a_refund_may_fail_and_a_new_one_may_work(gateway: ApiPix, bank: PixBank) -> None:
    e2e = a_payment(gateway, bank)
    bank.refunds.decision = "refuse"
    gateway.refund(e2e, "r1", PRICE)
    bank.tick()
    failed = gateway.find_refund(e2e, "r1")
    bank.refunds.decision = "accept"

    gateway.refund(e2e, "r2", PRICE)
    bank.tick()

    assert failed is not None
    assert failed.status is RefundStatus.FAILED
    assert failed.reason != ""
    done = gateway.find_refund(e2e, "r2")
    assert done is not None
    assert done.status is RefundStatus.DONE


def test_the_same_refund_asked_twice_goes_back_once(gateway: ApiPix, bank: PixBank) -> None:
    e2e = a_payment(gateway, bank)

    first = gateway.refund(e2e, "r1", PRICE)

    assert gateway.refund(e2e, "r1", PRICE) == first
    assert len(bank.books.payment(CLIENT, e2e)["devolucoes"]) == 1


@pytest.mark.parametrize("fault", [*DOES_THE_WORK, *DOES_NOTHING_PERHAPS])
def test_a_refund_in_doubt_is_looked_up_and_goes_back_once(
    gateway: ApiPix, bank: PixBank, fault: Fault
) -> None:
    e2e = a_payment(gateway, bank)
    bank.faults.add("PUT /pix", fault)

    assert gateway.refund(e2e, "r1", PRICE).status is RefundStatus.PENDING
    assert len(bank.books.payment(CLIENT, e2e)["devolucoes"]) == 1


def test_a_refund_id_never_serves_two_amounts(gateway: ApiPix, bank: PixBank) -> None:
    e2e = a_payment(gateway, bank)
    gateway.refund(e2e, "r1", Cents(100))

    with pytest.raises(Rejected, match="RefundIdInUse"):
        gateway.refund(e2e, "r1", Cents(200))


def test_never_more_goes_back_than_came_in(gateway: ApiPix, bank: PixBank) -> None:
    e2e = a_payment(gateway, bank, Cents(5_780))
    for number, cents in enumerate([100, 2_490, 2_490, 700]):
        gateway.refund(e2e, f"r{number}", Cents(cents))

    with pytest.raises(Rejected) as met:
        gateway.refund(e2e, "r4", Cents(1))

    assert (met.value.kind, met.value.fields) == ("PixDevolucaoInvalida", ("devolucao.valor",))


def test_a_refund_after_ninety_days_is_refused(
    gateway: ApiPix, bank: PixBank, bank_clock: BankClock
) -> None:
    e2e = a_payment(gateway, bank)
    bank_clock.advance(days=91)

    with pytest.raises(Rejected, match="PixDevolucaoInvalida"):
        gateway.refund(e2e, "r1", PRICE)


def test_a_refund_of_what_never_came_is_refused(gateway: ApiPix) -> None:
    with pytest.raises(Rejected):
        gateway.refund("E" + "0" * 31, "r1", PRICE)


@pytest.mark.parametrize("refund_id", ["", "a-b", "x" * 36, "r1\n"])
def test_a_refund_id_that_no_bank_takes_is_a_mistake_of_ours(
    gateway: ApiPix, refund_id: str
) -> None:
    with pytest.raises(ValueError, match="refund"):
        gateway.refund("E" + "0" * 31, refund_id, PRICE)


def test_money_that_the_bank_takes_back_by_itself_is_not_ours(
    gateway: ApiPix, bank: PixBank
) -> None:
    e2e = a_payment(gateway, bank)
    bank.refunds.take_back(CLIENT, e2e, PRICE)

    payment = gateway.find_payment(e2e)

    assert payment is not None
    [refund] = payment.refunds
    assert (refund.is_ours, refund.status, refund.amount) == (False, RefundStatus.DONE, PRICE)
