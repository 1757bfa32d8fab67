from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.money import Cents
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.brcode import parse
from app.payments.pix.gateway import (
    ChargeStatus,
    OutcomeUnknown,
    ProviderDown,
    Rejected,
)
from tests.payments.scenes import (
    CLIENT,
    NOON,
    PRICE,
    QUARTER,
    TXID,
    BankClock,
    a_charge,
    an_account,
)

DOES_THE_WORK = [Fault.LOST, Fault.LATE, Fault.EMPTY, Fault.JUNK]
DOES_NOTHING_SURELY = [Fault.DOWN, Fault.LIMITED]
DOES_NOTHING_PERHAPS = [Fault.BROKEN, Fault.HTML, Fault.CUT, Fault.NOWHERE]


def test_a_charge_is_opened_with_a_code_an_amount_and_a_deadline(gateway: ApiPix) -> None:
    charge = gateway.open_charge(TXID, PRICE, expires_in=QUARTER, note="Seña", is_first=True)

    assert (charge.txid, charge.status, charge.amount) == (TXID, ChargeStatus.ACTIVE, PRICE)
    assert (charge.created_at, charge.expires_at) == (NOON, NOON + QUARTER)
    assert charge.copy_paste is not None
    assert (parse(charge.copy_paste).location or "").startswith("pix.example.com/")
    assert charge.payments == ()
    assert gateway.find_charge(TXID) == charge


def test_what_was_never_opened_is_not_found(gateway: ApiPix) -> None:
    assert gateway.find_charge(TXID) is None
    assert gateway.remove_charge(TXID) is None
    assert gateway.find_payment("E" + "0" * 31) is None
    assert gateway.find_refund("E" + "0" * 31, "r1") is None


def test_opening_a_charge_again_gives_it_no_new_deadline(
    gateway: ApiPix, bank_clock: BankClock
) -> None:
    first = a_charge(gateway)
    bank_clock.advance(minutes=10)

    again = gateway.open_charge(TXID, PRICE, expires_in=QUARTER)

    assert again == first


def test_a_txid_never_serves_two_amounts(gateway: ApiPix) -> None:
    a_charge(gateway)

    with pytest.raises(Rejected, match=r"TxidInUse \(409\) valor.original"):
        gateway.open_charge(TXID, Cents(5_001), expires_in=QUARTER)


@pytest.mark.parametrize("seconds", [-5, 0, 0.4, 1, 839.9])
def test_a_charge_lives_whole_seconds_and_one_at_least(gateway: ApiPix, seconds: float) -> None:
    charge = gateway.open_charge(TXID, PRICE, expires_in=timedelta(seconds=seconds))

    assert charge.expires_at - charge.created_at == timedelta(seconds=max(1, int(seconds)))


@pytest.mark.parametrize("txid", ["short", "x" * 36, "a-b" * 10, "１" * 30, "x" * 30 + "\n", ""])
def test_a_txid_that_no_bank_takes_is_a_mistake_of_ours(gateway: ApiPix, txid: str) -> None:
    with pytest.raises(ValueError, match="txid"):
        gateway.open_charge(txid, PRICE, expires_in=QUARTER)


@pytest.mark.parametrize("fault", DOES_THE_WORK)
def test_a_charge_whose_answer_was_lost_is_found_and_not_made_twice(
    gateway: ApiPix, bank: PixBank, fault: Fault
) -> None:
    bank.faults.add("PUT /cob", fault)

    charge = a_charge(gateway)

    assert charge.status is ChargeStatus.ACTIVE
    assert bank.books.charge(CLIENT, TXID)["revisao"] == 0


@pytest.mark.parametrize("fault", DOES_NOTHING_PERHAPS)
def test_a_charge_that_was_perhaps_not_made_is_made_after_a_look(
    gateway: ApiPix, bank: PixBank, fault: Fault
) -> None:
    bank.faults.add("PUT /cob", fault)

    assert a_charge(gateway).status is ChargeStatus.ACTIVE
    assert bank.books.charge(CLIENT, TXID)["revisao"] == 0


@pytest.mark.parametrize("fault", DOES_NOTHING_SURELY)
def test_a_closed_bank_has_made_nothing_and_is_not_bothered_again(
    gateway: ApiPix, bank: PixBank, fault: Fault
) -> None:
    bank.faults.add("PUT /cob", fault)

    with pytest.raises(ProviderDown) as met:
        a_charge(gateway)

    assert met.value.retry_after == (timedelta(seconds=7) if fault is Fault.LIMITED else None)
    assert gateway.find_charge(TXID) is None


def test_a_bank_that_answers_too_late_is_looked_at_before_it_is_asked_again(
    bank: PixBank, bank_clock: BankClock
) -> None:
    impatient = httpx.Timeout(1.0, connect=5.0)
    gateway = ApiPix(an_account(bank), now=bank_clock.now, timeout=impatient)
    bank.faults.add("PUT /cob", Fault.LOST, seconds=60.0)

    charge = a_charge(gateway)

    assert charge == gateway.find_charge(TXID)
    assert bank.books.charge(CLIENT, TXID)["revisao"] == 0
    gateway.close()


def test_a_bank_lost_in_the_middle_leaves_the_outcome_unknown_until_the_next_call(
    gateway: ApiPix, bank: PixBank, bank_clock: BankClock
) -> None:
    bank.faults.add("PUT /cob", Fault.LOST)
    bank.faults.add("GET /cob", Fault.DOWN)
    with pytest.raises(OutcomeUnknown):
        a_charge(gateway)
    bank_clock.advance(minutes=1)

    charge = gateway.open_charge(TXID, PRICE, expires_in=QUARTER)

    assert charge.created_at == NOON


def test_twice_in_doubt_is_unknown_and_the_third_time_goes_on(
    gateway: ApiPix, bank: PixBank
) -> None:
    bank.faults.add("PUT /cob", Fault.BROKEN, times=2)
    with pytest.raises(OutcomeUnknown):
        a_charge(gateway)

    assert gateway.open_charge(TXID, PRICE, expires_in=QUARTER).status is ChargeStatus.ACTIVE


def test_a_bank_that_refuses_a_repetition_is_asked_what_it_has(
    gateway: ApiPix, bank: PixBank
) -> None:
    bank.books.quirks.refuses_repeated_put = True
    first = a_charge(gateway)

    assert a_charge(gateway) == first


def test_a_refused_charge_says_what_was_wrong_and_nothing_of_its_content(
    gateway: ApiPix, bank: PixBank
) -> None:
    bank.books.clients[CLIENT.client_id] = replace(CLIENT, key="another key")

    with pytest.raises(Rejected) as met:
        a_charge(gateway)

    assert (met.value.kind, met.value.status) == ("CobOperacaoInvalida", 400)
    assert met.value.fields == ("cob.chave",)
    assert CLIENT.key not in str(met.value)


def test_a_paid_charge_tells_when_and_by_which_payment(
    gateway: ApiPix, bank: PixBank, bank_clock: BankClock
) -> None:
    a_charge(gateway)
    bank_clock.advance(minutes=5)
    bank.books.pay(CLIENT, TXID, note="Oi")

    charge = gateway.find_charge(TXID)

    assert charge is not None
    assert charge.status is ChargeStatus.PAID
    [payment] = charge.payments
    assert (payment.amount, payment.paid_at) == (PRICE, NOON + timedelta(minutes=5))
    assert (payment.txid, payment.key, payment.payer_note) == (TXID, CLIENT.key, "Oi")
    assert payment.paid_at <= charge.expires_at
    assert gateway.find_payment(payment.end_to_end_id) == payment


def test_the_last_second_is_in_time_and_the_next_one_is_not(
    gateway: ApiPix, bank: PixBank, bank_clock: BankClock
) -> None:
    a_charge(gateway)
    bank_clock.advance(minutes=15)
    bank.books.pay(CLIENT, TXID)
    bank.books.pay(CLIENT, TXID, is_late=True)

    charge = gateway.find_charge(TXID)

    assert charge is not None
    assert [each.paid_at <= charge.expires_at for each in charge.payments] == [True, False]


def test_an_expired_charge_still_reads_active(
    gateway: ApiPix, bank: PixBank, bank_clock: BankClock
) -> None:
    a_charge(gateway)
    bank_clock.advance(hours=1)

    charge = gateway.find_charge(TXID)

    assert charge is not None
    assert charge.status is ChargeStatus.ACTIVE
    assert charge.expires_at < bank_clock.now()


def test_a_second_payment_and_another_amount_are_both_seen(gateway: ApiPix, bank: PixBank) -> None:
    a_charge(gateway)
    bank.books.pay(CLIENT, TXID, amount=Cents(11_000))
    bank.books.pay(CLIENT, TXID, is_forced=True)

    charge = gateway.find_charge(TXID)

    assert charge is not None
    assert [payment.amount for payment in charge.payments] == [Cents(11_000), PRICE]
    assert len({payment.end_to_end_id for payment in charge.payments}) == 2


def test_a_paid_charge_whose_payment_the_bank_leaves_out_is_completed_from_the_list(
    gateway: ApiPix, bank: PixBank
) -> None:
    bank.books.quirks.leaves_payments_out = True
    a_charge(gateway)
    bank.books.pay(CLIENT, TXID)

    charge = gateway.find_charge(TXID)

    assert charge is not None
    assert [payment.amount for payment in charge.payments] == [PRICE]


def test_a_paid_charge_whose_payment_cannot_be_listed_is_asked_for_again(
    gateway: ApiPix, bank: PixBank
) -> None:
    """Paid without its payment would look like nobody had paid."""
    bank.books.quirks.leaves_payments_out = True
    a_charge(gateway)
    bank.books.pay(CLIENT, TXID)
    bank.faults.add("GET /pix", Fault.DOWN)

    with pytest.raises(ProviderDown):
        gateway.find_charge(TXID)


def test_a_removed_charge_is_removed_for_good(gateway: ApiPix) -> None:
    a_charge(gateway)

    removed = gateway.remove_charge(TXID)

    assert removed is not None
    assert removed.status is ChargeStatus.REMOVED_BY_US
    assert gateway.remove_charge(TXID) == removed


def test_a_payer_who_was_first_wins_against_the_removal(gateway: ApiPix, bank: PixBank) -> None:
    a_charge(gateway)
    bank.books.pay(CLIENT, TXID)

    charge = gateway.remove_charge(TXID)

    assert charge is not None
    assert charge.status is ChargeStatus.PAID
    assert len(charge.payments) == 1


@pytest.mark.parametrize("fault", DOES_THE_WORK)
def test_a_removal_whose_answer_was_lost_is_looked_up(
    gateway: ApiPix, bank: PixBank, fault: Fault
) -> None:
    a_charge(gateway)
    bank.faults.add("PATCH /cob", fault)

    removed = gateway.remove_charge(TXID)

    assert removed is not None
    assert removed.status is ChargeStatus.REMOVED_BY_US


@pytest.mark.parametrize("fault", DOES_NOTHING_PERHAPS)
def test_a_removal_that_did_not_work_is_no_removal(
    gateway: ApiPix, bank: PixBank, fault: Fault
) -> None:
    a_charge(gateway)
    bank.faults.add("PATCH /cob", fault)

    with pytest.raises(OutcomeUnknown):
        gateway.remove_charge(TXID)


@pytest.mark.parametrize("fault", [*DOES_NOTHING_SURELY, *DOES_NOTHING_PERHAPS, *DOES_THE_WORK])
def test_a_question_that_fails_is_never_taken_for_nothing_found(
    gateway: ApiPix, bank: PixBank, fault: Fault
) -> None:
    a_charge(gateway)
    bank.faults.add("GET", fault)

    with pytest.raises(ProviderDown):
        gateway.find_charge(TXID)


@pytest.mark.parametrize(
    "quirk", ["leaves_code_out", "writes_expiry_as_text", "writes_local_times", "grants_less"]
)
def test_what_real_banks_do_differently_changes_nothing(
    gateway: ApiPix, bank: PixBank, quirk: str
) -> None:
    usual = a_charge(gateway)
    bank.books.pay(CLIENT, TXID)
    setattr(bank.books.quirks, quirk, True)

    charge = gateway.find_charge(TXID)

    assert charge is not None
    assert (charge.created_at, charge.expires_at) == (usual.created_at, usual.expires_at)
    assert [payment.paid_at for payment in charge.payments] == [NOON]
    assert charge.copy_paste is not None
    assert usual.copy_paste is not None
    assert parse(charge.copy_paste).location == parse(usual.copy_paste).location
