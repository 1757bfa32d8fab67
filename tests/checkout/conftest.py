import logging
from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from app.cashier.gateways import gateways
from app.devservices.pix_bank.server import PixBank
from tests.checkout.scenes import Desk, open_desk
from tests.conftest import Clock
from tests.payments.scenes import CLIENT


@pytest.fixture
def faults_are_meant() -> None:
    """For tests that break our own code on purpose."""


@pytest.fixture(autouse=True)
def no_hidden_fault(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """The worker's rounds go on after a fault of ours, so a test has to look for it."""
    yield
    hidden = [
        record.getMessage()
        for record in caplog.get_records("call")
        if record.name == "app.cashier.rounds" and record.levelno >= logging.ERROR
    ]
    assert hidden == [] or "faults_are_meant" in request.fixturenames


@pytest.fixture
def bank(clock: Clock) -> Iterator[PixBank]:
    """A bank whose clock is the test's."""
    with PixBank(clients=(CLIENT,), now=clock.now) as bank:
        yield bank


@pytest.fixture
def desk(app: Flask, session: Session, clock: Clock, bank: PixBank) -> Iterator[Desk]:
    """A business whose service asks a deposit of 50.00, with an account at the bank."""
    yield open_desk(session, clock, bank)
    gateways().close()
