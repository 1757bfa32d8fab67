import pytest

from app.devservices.pix_bank.faults import Fault
from app.payments.pix.gateway import ChargeStatus, OutcomeUnknown, ProviderDown, Rejected
from app.payments.pix.mercado_pago import MercadoPago
from tests.payments.mercado_pago import FakeMercadoPago, charge_at
from tests.payments.mercado_pago_books import Refusal
from tests.payments.scenes import TXID

DOES_THE_WORK = [Fault.LOST, Fault.LATE, Fault.EMPTY, Fault.JUNK]
DOES_NOTHING_PERHAPS = [Fault.BROKEN, Fault.HTML, Fault.CUT, Fault.NOWHERE]


def test_a_removed_charge_is_removed_for_good(mp: MercadoPago, shop: FakeMercadoPago) -> None:
    charge_at(mp)

    removed = mp.remove_charge(TXID)

    assert removed is not None
    assert removed.status is ChargeStatus.REMOVED_BY_US
    assert mp.remove_charge(TXID) == removed
    assert len(shop.calls("PUT")) == 1


def test_a_payer_who_was_first_wins_against_the_removal(
    mp: MercadoPago, shop: FakeMercadoPago, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge_at(mp)
    change = shop.books.change

    def pay_first(number: str, wish: dict[str, str]) -> None:
        shop.books.pay()
        change(number, wish)

    monkeypatch.setattr(shop.books, "change", pay_first)

    charge = mp.remove_charge(TXID)

    assert charge is not None
    assert charge.status is ChargeStatus.PAID
    assert len(charge.payments) == 1


@pytest.mark.parametrize("fault", DOES_THE_WORK)
def test_a_removal_whose_answer_was_lost_is_looked_up(
    mp: MercadoPago, shop: FakeMercadoPago, fault: Fault
) -> None:
    charge_at(mp)
    shop.faults.add("PUT", fault)

    removed = mp.remove_charge(TXID)

    assert removed is not None
    assert removed.status is ChargeStatus.REMOVED_BY_US


@pytest.mark.parametrize("fault", DOES_NOTHING_PERHAPS)
def test_a_removal_that_did_not_work_is_no_removal(
    mp: MercadoPago, shop: FakeMercadoPago, fault: Fault
) -> None:
    charge_at(mp)
    shop.faults.add("PUT", fault)

    with pytest.raises(OutcomeUnknown):
        mp.remove_charge(TXID)


def test_a_removal_that_is_refused_for_an_active_charge_stays_a_refusal(
    mp: MercadoPago, shop: FakeMercadoPago, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge_at(mp)

    def refuse(*_: object) -> None:
        raise Refusal(400, 2018)

    monkeypatch.setattr(shop.books, "change", refuse)

    with pytest.raises(Rejected, match=r"cause\.2018"):
        mp.remove_charge(TXID)


def test_a_removal_without_a_look_after_it_is_unknown_until_the_next_call(
    mp: MercadoPago, shop: FakeMercadoPago, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge_at(mp)
    change = shop.books.change

    def change_and_close(number: str, wish: dict[str, str]) -> object:
        shop.faults.add("GET", Fault.DOWN)
        return change(number, wish)

    monkeypatch.setattr(shop.books, "change", change_and_close)
    with pytest.raises(OutcomeUnknown):
        mp.remove_charge(TXID)

    removed = mp.remove_charge(TXID)
    assert removed is not None
    assert removed.status is ChargeStatus.REMOVED_BY_US


def test_a_closed_provider_removes_nothing(mp: MercadoPago, shop: FakeMercadoPago) -> None:
    charge_at(mp)
    shop.faults.add("PUT", Fault.DOWN)

    with pytest.raises(ProviderDown):
        mp.remove_charge(TXID)
