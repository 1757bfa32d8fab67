from collections.abc import Iterator

import pytest

from app.devservices.pix_bank.server import PixBank
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.mercado_pago import MercadoPago
from tests.payments.mercado_pago import FakeMercadoPago, shop_account
from tests.payments.scenes import CLIENT, BankClock, Inbox, an_account, an_inbox


@pytest.fixture
def bank_clock() -> BankClock:
    return BankClock()


@pytest.fixture
def bank(bank_clock: BankClock) -> Iterator[PixBank]:
    with PixBank(clients=(CLIENT,), now=bank_clock.now) as bank:
        yield bank


@pytest.fixture
def gateway(bank: PixBank, bank_clock: BankClock) -> Iterator[ApiPix]:
    gateway = ApiPix(an_account(bank), now=bank_clock.now)
    yield gateway
    gateway.close()


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with an_inbox() as inbox:
        yield inbox


@pytest.fixture
def shop(bank_clock: BankClock) -> Iterator[FakeMercadoPago]:
    with FakeMercadoPago(bank_clock.now) as shop:
        yield shop


@pytest.fixture
def mp(shop: FakeMercadoPago, bank_clock: BankClock) -> Iterator[MercadoPago]:
    mp = MercadoPago(shop_account(shop), now=bank_clock.now)
    yield mp
    mp.close()
