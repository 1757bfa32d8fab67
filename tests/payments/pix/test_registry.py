from pathlib import Path
from typing import Any

import pytest

from app.devservices.pix_bank.server import PixBank
from app.payments.pix.account import WrongAccount, is_simulated
from app.payments.pix.brcode import dynamic
from app.payments.pix.registry import PROVIDERS, open_gateway
from tests.payments.scenes import TXID, an_account


def test_the_provider_of_an_account_is_opened(bank: PixBank) -> None:
    gateway = open_gateway(an_account(bank))

    assert gateway.find_charge(TXID) is None
    gateway.close()


def test_every_provider_has_a_name_that_settings_can_hold() -> None:
    assert set(PROVIDERS) == {"api_pix"}


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


def test_only_codes_of_the_simulator_are_simulated() -> None:
    def code(location: str) -> str:
        return dynamic(location, merchant_name="Firme", merchant_city="Recife")

    assert is_simulated(code("pix.example.com/qr/v2/1"))
    assert not is_simulated(code("pix.bank.example/qr/pix.example.com/1"))
    assert not is_simulated(code("pix.example.com.bank.example/1"))
    assert not is_simulated("pix.example.com/qr")
