from collections.abc import Iterator

import pytest
from flask import Flask

from app.cashier.gateways import gateways, sealer
from app.devservices.pix_bank.server import PixBank
from app.money import Cents
from app.payments.accounts import add_account, new_webhook_secret
from tests.checkout.scenes import Desk as Till
from tests.conftest import Clock
from tests.factories import a_service
from tests.payments.scenes import CLIENT, an_account
from tests.web.conftest import World

DEPOSIT = Cents(50_00)


@pytest.fixture
def bank(clock: Clock) -> Iterator[PixBank]:
    with PixBank(clients=(CLIENT,), now=clock.now) as bank:
        yield bank


@pytest.fixture
def till(app: Flask, world: World, clock: Clock, bank: PixBank) -> Iterator[Till]:
    """The business's deposits behind the desk: a service that asks one, and an open account."""
    session, location = world.session, world.location
    color = a_service(
        session, location, world.lucia, name="Color", price_cents=180_00, deposit_cents=DEPOSIT
    )
    account = add_account(
        session, location.id, an_account(bank), currency=location.currency, sealer=sealer()
    )
    secret = new_webhook_secret(account)
    session.commit()
    session.expunge_all()
    yield Till(clock, bank, location, world.lucia, color, account, secret)
    gateways().close()
