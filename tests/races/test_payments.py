"""Money under fire: the same notice many times at once, and payments that meet other changes."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.booking.queries import get_booking
from app.booking.views import BookingView
from app.cashier.gateways import gateways, sealer
from app.checkout import actions, asking, returning, settling
from app.checkout.asked import Ask
from app.checkout.settling import conclude, settle_unmatched
from app.extensions import db, transact
from app.money import Cents
from app.payments.accounts import add_account
from app.payments.charges import claim_charge
from app.payments.models import Charge, Payment
from app.payments.pix.account import ProviderAccount
from app.payments.pix.brcode import dynamic
from app.payments.pix.gateway import ChargeState, ChargeStatus, PaidPix
from tests.factories import BOT, DESK, a_location, a_resource, a_service
from tests.races.conftest import Arena
from tests.races.scenes import Scene

CALLERS = 8
ROUNDS = 30
CODE = dynamic("pix.example.com/qr/v2/1", merchant_name="FIRME", merchant_city="RECIFE")
UNIQUE = "uq_payment_location_id_account_id_end_to_end_id"
RESTORE_UNIQUE = (
    "ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_append_only",
    "TRUNCATE payment, ledger_entry CASCADE",
    "ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_append_only",
    f"ALTER TABLE payment ADD CONSTRAINT {UNIQUE} UNIQUE (location_id, account_id, end_to_end_id)",
)


@dataclass(frozen=True)
class Till(Scene):
    """A business that takes deposits, and what its bank would say."""

    account_id: UUID

    def ask(self, starts_at: datetime) -> BookingView:
        """A booking that waits for its deposit, as if the bank had given the code."""
        held = self.hold(starts_at)
        wanted = transact(
            lambda session: asking.order(session, Ask(self.location.id, held.id, BOT))
        )
        assert wanted is not None
        state = self.state(wanted.txid)
        transact(lambda s: asking.begin(s, self.location.id, wanted.charge_id, state))
        return self.see(held.id)

    def see(self, booking_id: UUID) -> BookingView:
        db.session.rollback()
        booking = get_booking(db.session(), self.location.id, booking_id)
        db.session.rollback()
        return booking

    def charge(self) -> Charge:
        db.session.rollback()
        found = db.session.scalars(select(Charge).order_by(Charge.id.desc())).first()
        assert found is not None
        db.session.expunge(found)
        db.session.rollback()
        return found

    def state(self, txid: str, *paid: PaidPix) -> ChargeState:
        now = datetime.now(UTC)
        return ChargeState(
            txid=txid,
            status=ChargeStatus.PAID if paid else ChargeStatus.ACTIVE,
            amount=Cents(50_00),
            created_at=now - timedelta(seconds=1),
            expires_at=now + timedelta(minutes=14),
            copy_paste=CODE,
            payments=paid,
        )

    def settle(self, charge: Charge, *paid: PaidPix) -> str:
        state = self.state(charge.txid, *paid)
        transact(lambda session: conclude(session, self.location.id, charge.id, state))
        return "settled"

    def payments(self) -> list[Payment]:
        db.session.rollback()
        found = list(db.session.scalars(select(Payment).order_by(Payment.id)))
        db.session.expunge_all()
        db.session.rollback()
        return found


_NUMBERS = count(1)


def a_pix(txid: str | None = None) -> PaidPix:
    name = f"E00000000{next(_NUMBERS):023d}"
    return PaidPix(name, Cents(50_00), datetime.now(UTC), txid=txid)


@pytest.fixture
def till(arena: Arena) -> Iterator[Till]:
    session = db.session()
    location = a_location(session)
    lucia = a_resource(session, location)
    service = a_service(session, location, lucia, price_cents=180_00, deposit_cents=50_00)
    account = add_account(session, location.id, an_account(), currency="BRL", sealer=sealer())
    session.commit()
    session.expunge_all()
    yield Till(location, service, account.id)
    gateways().close()


def an_account() -> ProviderAccount:
    return ProviderAccount(
        name="main",
        provider="api_pix",
        base_url="https://bank.example.com",
        token_url="https://bank.example.com/token",
        client_id="c",
        client_secret="s",
        key="k",
        merchant_name="Firme",
        merchant_city="Recife",
    )


def starts(next_week: datetime) -> Iterator[datetime]:
    """Free times, one after the other, over many days."""
    day = next_week
    while True:
        for hour in range(6):
            yield day.replace(hour=13 + hour)
        day += timedelta(days=1)
        if day.weekday() == 6:
            day += timedelta(days=1)


def settle_all_at_once(arena: Arena, till: Till, starts_at: datetime) -> Counter[str]:
    booking = till.ask(starts_at)
    charge = till.charge()
    pix = a_pix(charge.txid)
    met = arena.race(CALLERS, lambda _: till.settle(charge, pix))
    assert till.see(booking.id).status == "confirmed"
    return met


def test_01_the_same_notice_at_once_is_one_payment(
    arena: Arena, till: Till, next_week: datetime
) -> None:
    times = starts(next_week)

    for number in range(1, 11):
        assert settle_all_at_once(arena, till, next(times)) == {"settled": CALLERS}
        assert len(till.payments()) == number

    assert paid_events() == 10
    assert arena.faults() == []


def paid_events() -> int:
    kind = text("SELECT count(*) FROM outbox WHERE kind = 'payment.paid'")
    found = int(db.session.scalar(kind) or 0)
    db.session.rollback()
    return found


def without_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settle without the locks of booking and charge, all callers past their look at once."""
    together = threading.Barrier(CALLERS, timeout=2)
    look = settling.find_payment

    def lock(session: Session, location_id: UUID, charge_id: UUID) -> Any:
        charge = session.get_one(Charge, (location_id, charge_id), populate_existing=True)
        booking = get_booking(session, location_id, charge.booking_id)
        return charge, booking, session.scalar(text("SELECT clock_now()"))

    def look_and_wait(*arguments: Any) -> Any:
        found = look(*arguments)
        try:
            together.wait()
        except threading.BrokenBarrierError:
            together.reset()
        return found

    monkeypatch.setattr(settling, "lock", lock)
    monkeypatch.setattr(settling, "find_payment", look_and_wait)


def test_the_database_alone_keeps_the_payment_one(
    arena: Arena, till: Till, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_locks(monkeypatch)

    met = settle_all_at_once(arena, till, next_week)

    assert sum(met.values()) == CALLERS
    assert len(till.payments()) == 1
    assert arena.faults() == []


def test_this_test_would_notice_if_both_guards_were_gone(
    arena: Arena, till: Till, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_locks(monkeypatch)

    with arena.without(f"ALTER TABLE payment DROP CONSTRAINT {UNIQUE}", restore=RESTORE_UNIQUE):
        settle_all_at_once(arena, till, next_week)
        seen, faults = len(till.payments()), arena.faults()

    assert seen > 1
    assert any("paid twice" in fault for fault in faults)


def write_unmatched(till: Till, pix: PaidPix, _: int = 0) -> str:
    transact(lambda s: settle_unmatched(s, till.location.id, till.account_id, pix))
    return "settled"


def test_money_without_a_charge_is_written_once(arena: Arena, till: Till) -> None:
    for number in range(1, 11):
        write = partial(write_unmatched, till, a_pix())
        assert arena.race(CALLERS, write) == {"settled": CALLERS}
        assert len(till.payments()) == number
    assert arena.faults() == []


def let_others_go_first(*, is_late: bool) -> None:
    """Make both outcomes happen on any machine; who is not late races as it comes."""
    if is_late:
        time.sleep(0.1)


def play_late_notice(arena: Arena, till: Till, starts_at: datetime, number: int) -> str:
    """Let a payment that was in time meet those who want the slot; tell what the booking is."""
    booking = till.ask(starts_at)
    charge = till.charge()
    lapse(booking.id)
    pix = a_pix(charge.txid)

    def act(caller: int) -> str:
        let_others_go_first(is_late=number % 3 == (1 if caller else 2))
        if caller == 0:
            return till.settle(charge, pix)
        till.hold(starts_at)
        return "held"

    met = arena.race(4, act)
    payment, now = till.payments()[-1], till.see(booking.id)
    assert met["settled"] == 1
    assert met["held"] == (now.status == "expired")
    assert payment.standing == ("applied" if now.status == "confirmed" else "due")
    return now.status


def lapse(booking_id: UUID) -> None:
    over = text("UPDATE booking SET expires_at = clock_now() WHERE id = :id")
    db.session.execute(over, {"id": booking_id})
    db.session.commit()


def test_07_a_late_notice_against_who_takes_the_slot(
    arena: Arena, till: Till, next_week: datetime
) -> None:
    """Paid in time, expired, and free: the payment or a new hold gets it, never both."""
    times = starts(next_week)

    owners = Counter(play_late_notice(arena, till, next(times), n) for n in range(ROUNDS))

    assert set(owners) == {"confirmed", "expired"}
    assert arena.faults() == []


def play_cancel(arena: Arena, till: Till, starts_at: datetime, number: int) -> None:
    booking = till.ask(starts_at)
    charge = till.charge()
    pix = a_pix(charge.txid)

    def act(caller: int) -> str:
        let_others_go_first(is_late=number % 3 == 1 + caller % 2)
        if caller % 2:
            transact(lambda s: actions.cancel(s, till.location.id, booking.id, actor=DESK))
            return "cancelled"
        return till.settle(charge, pix)

    met = arena.race(4, act)
    payment = till.payments()[-1]
    assert met == {"settled": 2, "cancelled": 1, "invalid_transition": 1}
    assert till.see(booking.id).status == "cancelled"
    assert (payment.standing, payment.reason) == ("due", "booking_cancelled")


def test_22_paying_against_cancelling(arena: Arena, till: Till, next_week: datetime) -> None:
    times = starts(next_week)

    for number in range(ROUNDS):
        play_cancel(arena, till, next(times), number)

    assert 0 < paid_events() < ROUNDS
    assert arena.faults() == []


def play_move(arena: Arena, till: Till, starts_at: datetime, target: datetime) -> None:
    booking = till.ask(starts_at)
    charge = till.charge()
    pix = a_pix(charge.txid)
    move = {"starts_at": target, "actor": DESK, "now": datetime.now(UTC)}

    def act(number: int) -> str:
        if number:
            return till.settle(charge, pix)
        transact(lambda s: actions.reschedule(s, till.location.id, booking.id, **move))
        return "moved"

    met = arena.race(3, act)
    moved = till.see(booking.id).rescheduled_to
    assert met == {"moved": 1, "settled": 2}
    assert moved is not None
    assert till.see(moved).status == "confirmed"
    assert [p.booking_id for p in till.payments()][-1] == moved


def test_a_move_takes_the_money_along_whoever_is_first(
    arena: Arena, till: Till, next_week: datetime
) -> None:
    times = starts(next_week)

    for _ in range(ROUNDS // 2):
        play_move(arena, till, next(times), next(times))

    assert arena.faults() == []


def a_due_payment(till: Till) -> Payment:
    write_unmatched(till, a_pix())
    return till.payments()[-1]


def decide(till: Till, payment: Payment, booking: BookingView | None, number: int) -> str:
    key = (till.location.id, payment.id)
    work = (
        lambda s: actions.refund_payment(s, *key, actor=DESK),
        lambda s: (
            booking and actions.use_payment(s, key[0], booking.id, payment_id=key[1], actor=DESK)
        ),
        lambda s: actions.note_returned(s, *key, note="en efectivo", actor=DESK),
        lambda s: actions.keep_payment(s, *key, note="no vino", actor=DESK),
    )[number % 4]
    transact(work)
    return "decided"


def test_19_two_people_decide_at_once(arena: Arena, till: Till, next_week: datetime) -> None:
    times = starts(next_week)

    for _ in range(ROUNDS // 2):
        payment, booking = a_due_payment(till), till.ask(next(times))
        met = arena.race(CALLERS, partial(decide, till, payment, booking))
        assert met["decided"] == 1, met
        assert set(met) <= {"decided", "payment_decided", "invalid_transition"}

    assert arena.faults() == []


def test_this_test_would_notice_if_nobody_locked_the_payment(
    arena: Arena, till: Till, next_week: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(CALLERS, timeout=5)

    def look(session: Session, location_id: UUID, payment_id: UUID) -> Payment | None:
        payment = session.get(Payment, (location_id, payment_id), populate_existing=True)
        together.wait()
        return payment

    monkeypatch.setattr(returning, "lock_payment", look)
    payment = a_due_payment(till)

    met = arena.race(CALLERS, lambda _: decide(till, payment, None, 0))

    assert met["decided"] > 1
    assert any("on its way back" in fault for fault in arena.faults())


def test_workers_at_once_claim_each_thing_once(
    arena: Arena, till: Till, next_week: datetime
) -> None:
    times = starts(next_week)
    for _ in range(12):
        till.ask(next(times))
    db.session.execute(text("ANALYZE charge"))
    db.session.execute(text("UPDATE charge SET next_look_at = clock_now()"))
    db.session.commit()
    claimed: list[UUID] = []

    def claim(_: int) -> str:
        found = transact(claim_charge)
        if found is None:
            return "nothing"
        claimed.append(found.id)
        return "claimed"

    met = arena.race(CALLERS, claim) + arena.race(CALLERS, claim)

    assert len(set(claimed)) == len(claimed) == met["claimed"]
    while claim(0) == "claimed":
        assert len(claimed) <= 12
    assert len(set(claimed)) == 12
