"""The demo's account at the bank of this run."""

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.cashier.gateways import gateways, sealer
from app.catalog.models import Location
from app.cli.demo_business import open_business
from app.cli.demo_people import Remembered, remembered
from app.cli.demo_pix import BANK, NAME, account_at, have_pix
from app.devservices.pix_bank.server import PixBank
from app.devservices.pix_bank.wire import Client
from app.payments.accounts import add_account, find_open_account, is_secret_of, read_account
from app.payments.models import PaymentAccount
from tests.conftest import Clock
from tests.payments.scenes import an_account

NOTHING = Remembered(None, {})


@pytest.fixture
def bank(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[PixBank]:
    monkeypatch.setenv("PORT", "8123")
    with PixBank(now=clock.now) as bank:
        monkeypatch.setenv(BANK, bank.url)
        yield bank


@pytest.fixture
def ceibo(app: Flask, session: Session) -> Iterator[Location]:
    location = open_business(session)
    session.commit()
    yield location
    gateways().close()


def told_at(bank: PixBank) -> str:
    return str(bank.books.webhook(Client(), Client().key)["webhookUrl"])


def account_of(session: Session, location_id: UUID) -> PaymentAccount:
    session.rollback()
    found = find_open_account(session, location_id)
    assert found is not None
    return found


def test_the_account_is_the_bank_s_own_client() -> None:
    account, client = account_at("http://127.0.0.1:1"), Client()

    assert (account.client_id, account.client_secret, account.key) == (
        *(client.client_id, client.client_secret, client.key),
    )


def test_the_demo_has_an_account_that_is_told_of_payments(
    session: Session, ceibo: Location, bank: PixBank
) -> None:
    pix = have_pix(ceibo.id, NOTHING)

    account = account_of(session, ceibo.id)
    assert pix is not None
    assert pix["simulator_url"] == bank.url
    start, _, secret = pix["webhook_url"].rpartition("/")
    assert start == f"http://127.0.0.1:8123/webhooks/pix/{account.id}"
    assert is_secret_of(account, secret)
    assert told_at(bank) == pix["webhook_url"]
    assert account.name == NAME


def test_a_restart_keeps_the_account_and_its_secret(
    session: Session, ceibo: Location, bank: PixBank
) -> None:
    first = have_pix(ceibo.id, NOTHING)
    assert first is not None

    again = have_pix(ceibo.id, Remembered(None, {}, first["webhook_url"]))
    forgotten = have_pix(ceibo.id, NOTHING)

    assert again == first
    assert forgotten != first
    assert forgotten is not None
    assert told_at(bank) == forgotten["webhook_url"]
    assert len(session.scalars(select(PaymentAccount)).all()) == 1


def test_a_bank_at_another_port_is_where_the_account_goes(
    session: Session,
    ceibo: Location,
    bank: PixBank,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = have_pix(ceibo.id, NOTHING)
    assert first is not None
    clock.advance(hours=1)
    with PixBank(now=bank.books.now) as moved:
        monkeypatch.setenv(BANK, moved.url)

        again = have_pix(ceibo.id, Remembered(None, {}, first["webhook_url"]))

        account = read_account(account_of(session, ceibo.id), sealer())
        assert (account.base_url, account.token_url) == (moved.base_url, moved.token_url)
        assert again == {"webhook_url": first["webhook_url"], "simulator_url": moved.url}
        assert told_at(moved) == first["webhook_url"]


def test_an_account_that_another_key_sealed_is_written_anew(
    session: Session, ceibo: Location, bank: PixBank
) -> None:
    have_pix(ceibo.id, NOTHING)
    session.execute(text("UPDATE payment_account SET sealed = 'gAAAA'"))
    session.commit()

    have_pix(ceibo.id, NOTHING)

    assert read_account(account_of(session, ceibo.id), sealer()) == account_at(bank.url)


def test_a_person_s_own_account_stays_theirs(
    session: Session, ceibo: Location, bank: PixBank
) -> None:
    add_account(session, ceibo.id, an_account(bank), currency="BRL", sealer=sealer())
    session.commit()

    assert have_pix(ceibo.id, NOTHING) is None
    assert account_of(session, ceibo.id).webhook_digest is None


def test_a_demo_that_takes_other_money_has_no_account(
    session: Session, ceibo: Location, bank: PixBank
) -> None:
    ceibo.currency = "UYU"
    session.commit()

    assert have_pix(ceibo.id, NOTHING) is None


def test_without_a_bank_there_is_no_pix(
    session: Session, ceibo: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(BANK, raising=False)

    assert have_pix(ceibo.id, NOTHING) is None
    assert find_open_account(session, ceibo.id) is None


def test_a_bank_that_does_not_answer_is_told_in_a_sentence(
    app: Flask, ceibo: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BANK, "http://127.0.0.1:1")

    result = app.test_cli_runner().invoke(args=["demo", "seed"])

    assert result.exit_code == 1
    assert result.stderr.startswith("Error: The simulated bank took no webhook: no connection")


def test_the_secret_is_remembered_from_demo_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRME_VAR", str(tmp_path))
    for pix, known in ((None, ""), ({"webhook_url": "http://x/y"}, "http://x/y"), ({}, "")):
        content = {"api_key": "k", "staff": [], "pix": pix}
        (tmp_path / "demo.json").write_text(json.dumps(content))

        assert remembered().webhook_url == known
