"""How the bank tells what came in, well-behaved or not."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.devservices.pix_bank.server import PixBank
from tests.payments.scenes import (
    BODY,
    CLIENT,
    TXID,
    BankClock,
    Inbox,
    an_inbox,
    enter,
    told,
)


@pytest.fixture
def clock() -> BankClock:
    return BankClock()


@pytest.fixture
def bank(clock: BankClock) -> Iterator[PixBank]:
    with PixBank(clients=(CLIENT,), now=clock.now) as bank:
        yield bank


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with an_inbox() as inbox:
        yield inbox


@pytest.fixture
def api(bank: PixBank) -> Iterator[httpx.Client]:
    with enter(bank) as api:
        yield api


@pytest.mark.parametrize(
    ("manners", "entries"),
    [
        ({}, [[0], [1]]),
        ({"copies": 2}, [[0], [0], [1], [1]]),
        ({"is_reversed": True}, [[1], [0]]),
        ({"is_batched": True}, [[0, 1]]),
        ({"is_batched": True, "copies": 2, "is_reversed": True}, [[1, 1, 0, 0]]),
        ({"drops": True}, []),
    ],
    ids=str,
)
def test_notices_come_as_the_manners_say(
    bank: PixBank, inbox: Inbox, manners: dict[str, Any], entries: list[list[int]]
) -> None:
    vars(bank.notices.manners).update(manners)
    ids = [told(bank, inbox, number) for number in range(2)]

    bank.tick()

    assert [
        [ids.index(pix["endToEndId"]) for pix in json.loads(body)["pix"]] for body in inbox.bodies
    ] == entries


def test_junk_and_lost_txids_come_on_demand(bank: PixBank, inbox: Inbox) -> None:
    bank.notices.manners.adds_junk = True
    bank.notices.manners.with_txid = False
    e2e = told(bank, inbox)

    bank.tick()

    [body] = inbox.bodies
    first, *junk = json.loads(body)["pix"]
    assert (first["endToEndId"], first.get("txid")) == (e2e, None)
    assert len(junk) == 4


def test_a_notice_that_is_not_taken_is_sent_again_later_and_later(
    bank: PixBank, inbox: Inbox, clock: BankClock
) -> None:
    inbox.statuses = [503, 202, 200]
    told(bank, inbox)

    taken = [bank.tick()]
    for seconds in (0.5, 0.5, 1.5, 0.5, 60):
        clock.advance(seconds=seconds)
        taken.append(bank.tick())

    assert taken == [0, 0, 0, 0, 1, 0]
    assert len(inbox.told) == 3
    assert len(set(inbox.bodies)) == 1


def test_a_notice_to_an_address_where_nobody_is_waits(bank: PixBank, inbox: Inbox) -> None:
    told(bank, inbox)
    bank.books.set_webhook(CLIENT, CLIENT.key, "https://127.0.0.1:1/nobody")

    assert bank.tick() == 0
    assert len(bank.notices.list_waiting()) == 1


def test_a_notice_without_a_webhook_is_forgotten(bank: PixBank, inbox: Inbox) -> None:
    told(bank, inbox)
    bank.books.delete_webhook(CLIENT, CLIENT.key)

    assert bank.tick() == 0
    assert bank.notices.list_waiting() == []


def test_a_notice_that_nobody_ever_takes_is_given_up(
    bank: PixBank, inbox: Inbox, clock: BankClock
) -> None:
    inbox.statuses = [500]
    told(bank, inbox)

    for _ in range(15):
        bank.tick()
        clock.advance(hours=1)

    assert len(inbox.told) == 11
    assert bank.notices.list_waiting() == []


def test_a_payment_without_a_txid_is_told_to_nobody(bank: PixBank, inbox: Inbox) -> None:
    bank.books.set_webhook(CLIENT, CLIENT.key, inbox.url)
    bank.books.put_charge(CLIENT, TXID, BODY)

    bank.notices.tell(bank.books.pay(CLIENT, TXID, tells_txid=False))
    bank.tick()

    assert inbox.told == []
    assert bank.books.charge(CLIENT, TXID)["status"] == "ATIVA"


def test_the_bank_makes_its_rounds_by_itself(inbox: Inbox) -> None:
    with PixBank(clients=(CLIENT,), is_prompt=True) as bank:
        arrived = threading.Event()
        bank.notices.on_told = arrived.set
        told(bank, inbox)

        assert arrived.wait(10)
    assert len(inbox.told) == 1
