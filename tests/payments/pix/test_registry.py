from pathlib import Path
from typing import Any

import pytest

from app.devservices.pix_bank.server import PixBank
from app.payments.pix.account import WrongAccount, is_simulated
from app.payments.pix.brcode import dynamic
from app.payments.pix.registry import PROVIDERS, open_gateway
from tests.payments.mercado_pago import (
    SIGNATURE_SECRET,
    TOKEN,
    FakeMercadoPago,
    shop_account,
)
from tests.payments.mercado_pago_books import EMAIL
from tests.payments.scenes import TXID, an_account


def test_the_provider_of_an_account_is_opened(bank: PixBank) -> None:
    gateway = open_gateway(an_account(bank))

    assert gateway.find_charge(TXID) is None
    gateway.close()


def test_every_provider_has_a_name_that_settings_can_hold() -> None:
    assert set(PROVIDERS) == {"api_pix", "mercadopago"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"provider": "no such bank"},
        {"profile": "no such bank"},
        {"base_url": "http://bank.example.com/api"},
        {"base_url": "ftp://127.0.0.1/api"},
        {"base_url": ""},
        {"token_url": "http://bank.example.com/token"},
        {"client_id": ""},
        {"key": ""},
        {"key": "k" * 78},
        {"merchant_name": "日本"},
        {"merchant_city": ""},
        {"certificate": Path("/no/such/file.pem")},
        {"private_key": Path("/no/such/file.pem")},
        {"ca_bundle": Path("/no/such/file.pem")},
        {"ca_bundle": Path(__file__)},
        {"certificate": Path(__file__)},
    ],
    ids=str,
)
def test_an_account_that_cannot_work_is_refused_at_the_start(
    bank: PixBank, wrong: dict[str, Any]
) -> None:
    with pytest.raises(WrongAccount, match="Pix account main: ") as met:
        open_gateway(an_account(bank, **wrong))

    assert not any(value and str(value) in str(met.value) for value in wrong.values())


def test_an_account_at_mercado_pago_is_opened(shop: FakeMercadoPago) -> None:
    gateway = open_gateway(shop_account(shop))

    assert gateway.find_charge(TXID) is None
    gateway.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "http://api.mercadopago.example.com"},
        {"client_secret": ""},
        {"client_secret": "a token\n"},
        {"client_secret": "señal"},
        {"signature_secret": ""},
        {"signature_secret": " "},
        {"payer_email": ""},
        {"payer_email": "nobody"},
        {"payer_email": "a b@desk.example.com"},
        {"shortest_expiry_seconds": 0},
        {"notification_url": "http://desk.example.com/hook"},
        {"notification_url": "https://desk.example.com/" + "x" * 480},
        {"ca_bundle": Path("/no/such/file.pem")},
    ],
    ids=str,
)
def test_an_account_at_mercado_pago_that_cannot_work_is_refused_at_the_start(
    shop: FakeMercadoPago, wrong: dict[str, Any]
) -> None:
    with pytest.raises(WrongAccount, match="Pix account main: ") as met:
        open_gateway(shop_account(shop, **wrong))

    values = [str(value).strip() for value in wrong.values()]
    assert not any(value and value in str(met.value) for value in values if value != "0")


def test_no_secret_of_an_account_is_in_its_repr(shop: FakeMercadoPago) -> None:
    account = shop_account(shop)

    for secret in (TOKEN, SIGNATURE_SECRET, EMAIL, "the-webhook-secret"):
        assert secret not in repr(account)


def test_only_codes_of_the_simulator_are_simulated() -> None:
    def code(location: str) -> str:
        return dynamic(location, merchant_name="Firme", merchant_city="Recife")

    assert is_simulated(code("pix.example.com/qr/v2/1"))
    assert not is_simulated(code("pix.bank.example/qr/pix.example.com/1"))
    assert not is_simulated(code("pix.example.com.bank.example/1"))
    assert not is_simulated("pix.example.com/qr")
