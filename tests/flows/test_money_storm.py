"""Two thousand charges, notices lost, doubled, late and in any order, and the worker killed."""

import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import text

from app.booking.views import BookingView
from app.cashier.charging import charge
from app.cashier.gateways import gateways, sealer
from app.cashier.reconciling import reconcile
from app.cashier.sweeping import AccountToSweep, sweep_account
from app.catalog.models import Location, Service
from app.checkout import actions
from app.checkout.errors import ChargeMissing
from app.checkout.integrity import find_faults
from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.devservices.pix_bank.wire import Refusal
from app.errors import DomainError
from app.extensions import db, transact
from app.money import Cents
from app.payments.accounts import add_account, new_webhook_secret
from tests.conftest import ROOT, redis_url
from tests.factories import BOT, DESK, a_location, a_resource, a_service, a_wish
from tests.payments.scenes import CLIENT, an_account

log = logging.getLogger(__name__)

CHARGES = int(os.environ.get("STORM_CHARGES", "2000"))
SEED = int(os.environ.get("STORM_SEED", "20261201"))
CUSTOMERS = 3
"""Threads that book and pay; more would only wait for each other on a small machine."""
PEOPLE = 24
PATIENCE_SECONDS = 240
EVERY_QUARTER = timedelta(minutes=15)


@dataclass
class Storm:
    """A business with many people, its bank, and the fates of its customers."""

    app: Flask
    bank: PixBank
    location: Location
    service: Service
    account_id: UUID
    begun: datetime
    fates: dict[str, int] = field(default_factory=dict)
    opened: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def customer(self, number: int) -> None:
        """Book and pay, or not, until all charges are there."""
        chance = random.Random(SEED + number)
        with self.app.app_context():
            while self.next_one():
                self.visit(chance)
                db.session.remove()

    def next_one(self) -> bool:
        with self.lock:
            self.opened += 1
            return self.opened <= CHARGES

    def visit(self, chance: random.Random) -> None:
        """One customer: a hold on a time that others may want, its code, and a fate."""
        hours = 6 * 24 if chance.random() < 0.9 else 2  # a tenth fights for the same few times
        starts_at = self.begun + EVERY_QUARTER * chance.randrange(hours * 4)
        try:
            booking = self.ask(starts_at)
        except DomainError as refusal:
            self.note(refusal.code)
            with self.lock:
                self.opened -= 1
            return
        fate = chance.choices(*zip(*FATES.items(), strict=True))[0]
        self.note(fate.__name__)
        with suppress(DomainError, Refusal):
            fate(self, booking, self.txid(booking), chance)

    def ask(self, starts_at: datetime) -> BookingView:
        now = datetime.now(UTC)
        wish = a_wish(self.location, self.service, starts_at, at_desk=True)
        held = transact(lambda s: actions.place_hold(s, wish, actor=BOT, now=now))

        def confirm(session: Any) -> BookingView:
            return actions.confirm(session, self.location.id, held.id, actor=BOT)

        try:
            return transact(confirm)
        except ChargeMissing as missing:
            charge(missing.ask)
            return transact(confirm)

    def txid(self, booking: BookingView) -> str:
        found = db.session.execute(
            text("SELECT txid FROM charge WHERE booking_id = :id"), {"id": booking.id}
        ).scalar_one()
        db.session.rollback()
        return str(found)

    def note(self, what: str) -> None:
        with self.lock:
            self.fates[what] = self.fates.get(what, 0) + 1

    def pay(self, txid: str, chance: random.Random, **how: Any) -> None:
        """Money comes in; its notice is lost, doubled, late, or comes as it should."""
        pix = self.bank.books.pay(CLIENT, txid, **how)
        if chance.random() < 0.15:
            return
        later = timedelta(seconds=chance.choice((0, 0, 0, 1, 5, 15)))
        self.bank.notices.tell(pix, delay=later, copies=chance.choice((1, 1, 2, 3)))


def pays(storm: Storm, _: BookingView, txid: str, chance: random.Random) -> None:
    storm.pay(txid, chance)


def pays_late(storm: Storm, _: BookingView, txid: str, chance: random.Random) -> None:
    storm.pay(txid, chance, is_late=True, is_forced=True)


def pays_twice(storm: Storm, _: BookingView, txid: str, chance: random.Random) -> None:
    storm.pay(txid, chance)
    storm.pay(txid, chance, is_forced=True)


def pays_another_amount(storm: Storm, _: BookingView, txid: str, chance: random.Random) -> None:
    storm.pay(txid, chance, amount=Cents(chance.choice((49_99, 50_01, 1))))


def pays_without_txid(storm: Storm, _: BookingView, txid: str, chance: random.Random) -> None:
    storm.pay(txid, chance, tells_txid=False)


def pays_and_cancels(storm: Storm, it: BookingView, txid: str, chance: random.Random) -> None:
    storm.pay(txid, chance)
    transact(lambda s: actions.cancel(s, storm.location.id, it.id, actor=DESK))


def cancels_and_pays(storm: Storm, it: BookingView, txid: str, chance: random.Random) -> None:
    transact(lambda s: actions.cancel(s, storm.location.id, it.id, actor=DESK))
    storm.pay(txid, chance, is_forced=True)


def moves_and_pays(storm: Storm, it: BookingView, txid: str, chance: random.Random) -> None:
    now = datetime.now(UTC)
    target = storm.begun + EVERY_QUARTER * chance.randrange(6 * 24 * 4)
    with suppress(DomainError):
        transact(
            lambda s: actions.reschedule(
                s,
                storm.location.id,
                it.id,
                starts_at=target,
                actor=DESK,
                now=now,
                at_desk=True,
            )
        )
    storm.pay(txid, chance)


def never_pays(*_: object) -> None:
    return


FATES: dict[Any, int] = {
    pays: 50,
    never_pays: 12,
    pays_late: 8,
    pays_twice: 6,
    pays_another_amount: 6,
    pays_without_txid: 3,
    pays_and_cancels: 5,
    cancels_and_pays: 5,
    moves_and_pays: 5,
}


class Workers:
    """Both workers as processes; now and then one is killed and starts again."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._torment)
        self.killed = 0

    def start(self, queue: str) -> None:
        self._running[queue] = subprocess.Popen(
            [sys.executable, "worker.py", queue],
            cwd=ROOT,
            env=self._environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self, queue: str) -> None:
        process = self._running.pop(queue)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _torment(self) -> None:
        chance = random.Random(SEED)
        while not self._over.wait(chance.uniform(3, 7)):
            queue = chance.choice(("bank", "bank", "firme"))
            self.kill(queue)
            self.start(queue)
            self.killed += 1

    def __enter__(self) -> "Workers":
        for queue in ("firme", "bank"):
            self.start(queue)
        self._thread.start()
        return self

    def leave_alone(self) -> None:
        self._over.set()
        self._thread.join()

    def __exit__(self, *_: object) -> None:
        self.leave_alone()
        for queue in list(self._running):
            self.kill(queue)


@contextmanager
def a_storm(app: Flask, address: str) -> Iterator[Storm]:
    with PixBank(clients=(CLIENT,), is_prompt=True) as bank:
        session = db.session()
        location = a_location(
            session, deposit_hold_minutes=1, settlement_margin_seconds=40, horizon_days=30
        )
        team = [
            a_resource(session, location, f"R{n}", hours=((0, 24 * 60),), weekdays=range(7))
            for n in range(PEOPLE)
        ]
        service = a_service(
            session,
            location,
            team,
            duration_minutes=15,
            grid_minutes=15,
            price_cents=180_00,
            deposit_cents=50_00,
        )
        account = add_account(
            session, location.id, an_account(bank), currency="BRL", sealer=sealer()
        )
        url = f"{address}/webhooks/pix/{account.id}/{new_webhook_secret(account)}"
        session.commit()
        bank.books.set_webhook(CLIENT, CLIENT.key, url)
        manners = bank.notices.manners
        manners.is_reversed = manners.is_batched = manners.adds_junk = True
        session.expunge_all()
        session.rollback()
        now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        yield Storm(app, bank, location, service, account.id, now + timedelta(days=2))
        gateways().close()


def waiting() -> dict[str, int]:
    """What the worker still has to do."""
    questions = {
        "notices": "SELECT count(*) FROM pix_notice WHERE handled_at IS NULL AND attempts < 3",
        "bookings": "SELECT count(*) FROM booking WHERE status IN ('held', 'pending_payment')",
        "charges": "SELECT count(*) FROM charge WHERE status <> 'over'",
    }
    found = {name: int(db.session.scalar(text(sql)) or 0) for name, sql in questions.items()}
    db.session.rollback()
    return found


def wait_until_settled() -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while any(left := waiting().values()):
        assert time.monotonic() < deadline, left
        time.sleep(0.5)


@pytest.fixture
def environment(real_app: Flask) -> dict[str, str]:
    config = real_app.extensions["firme_config"]
    return {
        **os.environ,
        "DATABASE_URL": config.database_url,
        "REDIS_URL": redis_url(3),
        "SECRET_KEY": config.secret_key,
        "ALLOW_SIMULATED_PIX": "1",
    }


def test_every_cent_is_in_one_place(
    real_app: Flask, live_server: str, environment: dict[str, str]
) -> None:
    with a_storm(real_app, live_server) as storm, Workers(environment) as workers:
        for fault in (Fault.LOST, Fault.DOWN, Fault.LATE, Fault.CUT):
            storm.bank.faults.add("GET /cob", fault, times=20)
            storm.bank.faults.add("PUT /cob", fault, times=20)
        customers = [threading.Thread(target=storm.customer, args=(n,)) for n in range(CUSTOMERS)]
        for each in customers:
            each.start()
        for each in customers:
            each.join()
        storm.bank.faults.clear()
        wait_until_settled()
        workers.leave_alone()
        since, until = storm.begun - timedelta(days=3), datetime.now(UTC) + timedelta(minutes=5)
        sweep_account(AccountToSweep(storm.location.id, storm.account_id, since, until))
        found = reconcile(storm.location.id, storm.account_id, since=since, until=until)

        log.info("%s; killed %s, payments %s", storm.fates, workers.killed, found.payments)
        check_every_cent(storm)
        assert found.differences == ()
        assert found.ours == found.theirs
        assert workers.killed > 0
        assert [f"{fault.what}: {fault.where}" for fault in find_faults(db.session())] == []


def check_every_cent(storm: Storm) -> None:
    """By the bank's own books: each payment is on one booking or in the list, with its amount."""
    paid = {name: int(pix["valor"].replace(".", "")) for name, pix in storm.bank.books.pix.items()}
    rows = db.session.execute(
        text("""
            SELECT p.end_to_end_id, p.amount_cents, p.standing, b.status
            FROM payment p LEFT JOIN booking b
                ON b.location_id = p.location_id AND b.id = p.booking_id
        """)
    ).all()
    db.session.rollback()
    assert {row.end_to_end_id: row.amount_cents for row in rows} == paid
    assert len(rows) == len(paid) > CHARGES // 2
    for row in rows:
        assert row.standing in {"applied", "due"}
        if row.standing == "applied":
            assert row.status == "confirmed"
    confirmed = db.session.scalar(text("SELECT count(*) FROM booking WHERE status = 'confirmed'"))
    applied = sum(row.standing == "applied" for row in rows)
    assert confirmed == applied > 0
    db.session.rollback()
