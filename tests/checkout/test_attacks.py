"""What a second pair of eyes broke, so that it stays mended."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.states import Status
from app.cashier.gateways import sealer
from app.cashier.reading import read_inbox
from app.cashier.sweeping import sweep_accounts
from app.catalog.actions import add_time_off
from app.checkout import actions
from app.checkout.asked import Ask
from app.checkout.asking import order
from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.refunds import WAIT
from app.errors import Invalid
from app.events import Outbox
from app.extensions import db, transact
from app.money import Cents
from app.payments.accounts import add_account, close_account
from app.payments.charges import claim_charge
from app.payments.errors import AccountInUse
from app.payments.models import Method, PaymentAccount
from tests.checkout.scenes import DEPOSIT, Desk
from tests.factories import DESK, a_location, at
from tests.payments.scenes import CLIENT, an_account

AFTER_A_DAY = {"hours": 25}


def take_back(desk: Desk, cents: int) -> dict[str, str]:
    [payment] = desk.payments()
    desk.bank.refunds.take_back(CLIENT, payment.end_to_end_id or "", Cents(cents))
    return desk.bank.books.payment(CLIENT, payment.end_to_end_id or "")


def test_what_the_bank_took_back_is_counted_once_however_often_it_is_seen(desk: Desk) -> None:
    desk.paid()
    pix = take_back(desk, 10_00)

    for _ in range(7):
        desk.tell(pix)
    desk.look()

    assert [(p.returned_cents, p.is_flagged) for p in desk.payments()] == [(10_00, True)]
    assert desk.waiting_notices() == 0
    desk.check()


def test_money_that_went_back_twice_stops_nothing(desk: Desk) -> None:
    """Somebody gave it back in cash, and then the bank took it back, too."""
    booking = desk.paid()
    actions.cancel(desk.session, desk.location.id, booking.id, actor=DESK)
    [due] = desk.due()
    actions.note_returned(
        desk.session, desk.location.id, due.payment_id, note="en efectivo", actor=DESK
    )
    desk.session.commit()
    desk.bank.books.put_charge(
        CLIENT,
        "b" * 32,
        {"calendario": {"expiracao": 900}, "valor": {"original": "12.34"}, "chave": CLIENT.key},
    )
    desk.bank.books.pay(CLIENT, "b" * 32)
    take_back(desk, DEPOSIT)

    desk.pass_time(**AFTER_A_DAY)
    sweep_accounts()

    first, second = desk.payments()
    assert (first.standing, first.is_flagged) == ("returned", True)
    assert second.amount_cents == 12_34
    assert "5000 cents more than was left" in desk.refunds()[-1].note
    desk.check()


def test_a_payment_that_cannot_be_read_hides_no_other(desk: Desk) -> None:
    booking = desk.ask()
    desk.pay(booking, tells_txid=False)
    desk.pay(booking, tells_txid=False, is_forced=True)
    first = min(desk.bank.books.pix)
    desk.bank.faults.add(f"GET /pix/{first}", Fault.BROKEN, times=50)

    desk.pass_time(**AFTER_A_DAY)
    sweep_accounts()

    assert len(desk.payments()) == 1
    desk.bank.faults.clear()
    desk.pass_time(hours=2)
    sweep_accounts()
    assert len(desk.payments()) == 2
    desk.check()


@pytest.mark.parametrize("horario", ["9999-12-31T23:59:59.999Z", "not a time"])
def test_a_payment_that_makes_no_sense_expires_like_any_other(desk: Desk, horario: str) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)
    stored = desk.bank.books.pix[pix["endToEndId"]]
    stored["horario"] = horario

    desk.pass_time(minutes=15, seconds=1)
    desk.pass_time(minutes=11)
    desk.pass_time(minutes=11)

    assert desk.see(booking).status in {Status.EXPIRED, Status.CONFIRMED}


def test_nothing_that_came_without_its_txid_is_lost_to_its_booking(desk: Desk) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)
    stored = desk.bank.books.pix[pix["endToEndId"]]
    del stored["txid"]
    desk.tell(body=f'{{"pix": [{{"endToEndId": "{pix["endToEndId"]}"}}]}}'.encode())
    assert [p.reason for p in desk.payments()] == ["unmatched"]

    stored["txid"] = desk.txid(booking)
    desk.look()

    assert desk.see(booking).status is Status.CONFIRMED
    [payment] = desk.payments()
    assert (payment.standing, payment.reason, payment.booking_id) == ("applied", None, booking.id)
    desk.check()


def test_money_that_somebody_decided_on_is_not_taken_away_again(desk: Desk) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)
    stored = desk.bank.books.pix[pix["endToEndId"]]
    del stored["txid"]
    desk.tell(body=f'{{"pix": [{{"endToEndId": "{pix["endToEndId"]}"}}]}}'.encode())
    [due] = desk.due()
    actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.session.commit()

    stored["txid"] = desk.txid(booking)
    desk.look()

    assert desk.see(booking).status is Status.PENDING_PAYMENT
    desk.check()


def test_two_locations_never_have_the_same_money(desk: Desk) -> None:
    other = a_location(desk.session)

    with pytest.raises(AccountInUse):
        add_account(desk.session, other.id, an_account(desk.bank), currency="BRL", sealer=sealer())


def test_an_account_that_comes_back_knows_its_money(desk: Desk) -> None:
    desk.paid()
    row = desk.session.get_one(PaymentAccount, (desk.location.id, desk.account.id))
    close_account(row, desk.clock.now())
    desk.session.commit()

    again = add_account(
        desk.session, desk.location.id, an_account(desk.bank), currency="BRL", sealer=sealer()
    )
    desk.session.commit()
    assert (again.id, again.closed_at) == (desk.account.id, None)
    desk.pass_time(**AFTER_A_DAY)
    sweep_accounts()

    assert [p.standing for p in desk.payments()] == ["applied"]


def test_money_that_came_to_another_key_of_the_bank_s_account_is_not_ours(desk: Desk) -> None:
    booking = desk.ask()
    pix = desk.pay(booking, tells_txid=False)
    desk.bank.books.pix[pix["endToEndId"]]["chave"] = "another-key"

    desk.pass_time(**AFTER_A_DAY)
    sweep_accounts()

    assert desk.payments() == []


def test_what_came_in_before_the_account_was_here_is_not_ours(desk: Desk) -> None:
    desk.bank.books.put_charge(
        CLIENT,
        "b" * 32,
        {"calendario": {"expiracao": 900}, "valor": {"original": "9.00"}, "chave": CLIENT.key},
    )
    pix = desk.bank.books.pay(CLIENT, "b" * 32)
    old = datetime(2026, 3, 9, 12, 0, tzinfo=UTC).isoformat().replace("+00:00", "Z")
    desk.bank.books.pix[pix["endToEndId"]]["horario"] = old

    desk.pass_time(**AFTER_A_DAY)
    sweep_accounts()

    assert desk.payments() == []


def test_a_claim_takes_one_whatever_the_plan(desk: Desk) -> None:
    """As a subquery of the update, PostgreSQL chose anew for each row and took them all."""
    desk.ask("2026-03-10 09:00")
    desk.session.execute(text("ANALYZE charge"))
    for hour in (11, 13, 15):
        desk.ask(f"2026-03-10 {hour}:00")
    due = text("UPDATE charge SET next_look_at = clock_now()")
    desk.session.execute(due)
    left = text("SELECT count(*) FROM charge WHERE next_look_at <= clock_now()")

    for number in (3, 2, 1, 0):
        assert claim_charge(desk.session) is not None
        assert desk.session.scalar(left) == number
    assert claim_charge(desk.session) is None


def test_a_bank_that_hangs_keeps_no_other_waiting(desk: Desk) -> None:
    """Its account pauses, by the database's clock, for all that is to be asked of it."""
    desk.ask("2026-03-10 09:00")
    desk.ask("2026-03-10 11:00")
    calls: list[str] = []
    desk.bank.faults.add("GET /cob", Fault.DOWN, times=99)
    take = desk.bank.faults.take
    desk.bank.faults.take = lambda *call: calls.append(call[1]) or take(*call)  # type: ignore[method-assign]

    desk.look()
    desk.look()

    assert len(calls) == 1
    desk.clock.advance(seconds=11)
    desk.look()
    assert len(calls) == 2


def test_a_refused_question_is_no_failed_refund(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.tell(desk.pay(desk.ask(), amount=Cents(49_00)))
    [due] = desk.due()
    actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.session.commit()
    desk.work()
    desk.bank.faults.add("GET /pix", Fault.FORBIDDEN, times=3)

    desk.pass_time(seconds=5)

    assert [refund.status for refund in desk.refunds()] == ["pending"]
    desk.bank.tick()
    desk.bank.faults.clear()
    for _ in range(3):
        desk.pass_time(seconds=61)
    assert [p.standing for p in desk.payments()] == ["returned"]


def test_a_notice_that_names_nonsense_ends(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put({"endToEndId": "E" + "0" * 31})

    for _ in range(40):
        desk.clock.advance(minutes=10)
        read_inbox()

    assert desk.waiting_notices() == 0


def test_a_hold_that_was_given_more_time_gives_it_to_its_code(desk: Desk) -> None:
    held = desk.hold()
    desk.ask_in_vain(held)
    actions.extend(desk.session, desk.location.id, held.id, minutes=10, actor=DESK)
    desk.session.commit()
    desk.clock.advance(minutes=16)

    waiting = desk.confirm(held.id)

    deposit = desk.deposit(waiting)
    assert deposit is not None
    assert deposit.status == "pending"
    assert (deposit.payable_until - desk.clock.now()).total_seconds() == 8 * 60
    desk.tell(desk.pay(waiting))
    assert desk.see(waiting).status is Status.CONFIRMED


def test_a_late_notice_books_nobody_with_who_is_away(desk: Desk, session: Session) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)
    desk.bank.faults.add("GET /cob", Fault.DOWN, times=1000)
    desk.pass_time(minutes=16)
    desk.pass_time(minutes=11)
    desk.bank.faults.clear()
    desk.clock.advance(seconds=11)
    add_time_off(
        db.session(),
        desk.location.id,
        desk.lucia.id,
        starts_at=at("2026-03-10 09:00"),
        ends_at=at("2026-03-10 18:00"),
        reason="enferma",
    )
    db.session.commit()

    desk.tell(pix)

    assert desk.see(booking).status is Status.EXPIRED
    assert [p.reason for p in desk.payments()] == ["slot_taken"]


def test_a_passing_404_does_not_end_a_charge(desk: Desk) -> None:
    booking = desk.ask()
    document = desk.bank.books.charges.pop((CLIENT.client_id, desk.txid(booking)))

    desk.look()
    desk.bank.books.charges[CLIENT.client_id, document["txid"]] = document

    deposit = desk.deposit(booking)
    assert deposit is not None
    assert deposit.status == "pending"
    desk.tell(desk.pay(booking))
    assert desk.see(booking).status is Status.CONFIRMED


def test_cash_after_a_code_is_a_paid_deposit(desk: Desk) -> None:
    booking = desk.ask()
    actions.receive_by_hand(
        desk.session, desk.location.id, booking.id, method=Method.CASH, note="", actor=DESK
    )
    desk.session.commit()

    deposit = desk.deposit(booking)
    assert deposit is not None
    assert deposit.status == "paid"


def test_who_looked_at_what_the_bank_took_is_in_the_history(desk: Desk) -> None:
    booking = desk.paid()
    desk.tell(take_back(desk, 10_00))
    [due] = desk.due()

    for _ in range(2):
        actions.acknowledge(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.session.commit()

    seen = desk.session.query(Outbox).filter_by(kind="payment.seen").all()
    assert [row.booking_id for row in seen] == [booking.id]


def test_no_error_of_the_database_shows_a_row(desk: Desk) -> None:
    def breaks(session: Session) -> None:
        session.execute(text("UPDATE payment SET amount_cents = 0"))

    desk.tell(desk.pay(desk.ask(), note="sou a Ana"))
    with pytest.raises(Exception, match="ck_payment") as error:
        transact(breaks)

    told = f"{error.value} {error.value.__cause__}"
    assert "sou a Ana" not in told
    assert not isinstance(error.value, Invalid)


def test_a_bank_that_gives_more_time_than_asked_gives_none(desk: Desk) -> None:
    booking = desk.ask()
    stored = desk.bank.books.charges[CLIENT.client_id, desk.txid(booking)]
    stored["calendario"]["expiracao"] = 86_400
    desk.clock.advance(minutes=14, seconds=30)

    desk.tell(desk.pay(booking))

    assert [p.reason for p in desk.payments()] == ["paid_late"]


def test_a_payment_that_the_bank_shows_days_later_is_found(desk: Desk) -> None:
    booking = desk.ask()
    desk.pass_time(minutes=16)
    pix = desk.pay(booking, is_late=True, is_forced=True, tells_txid=False)
    hidden = desk.bank.books.pix.pop(pix["endToEndId"])
    desk.pass_time(hours=25)
    sweep_accounts()
    assert desk.payments() == []

    desk.bank.books.pix[pix["endToEndId"]] = hidden
    desk.pass_time(hours=25)
    sweep_accounts()

    assert [p.end_to_end_id for p in desk.payments()] == [pix["endToEndId"]]


def test_a_hold_that_ends_while_its_door_asks_is_charged_for_nothing(desk: Desk) -> None:
    held = desk.hold()
    desk.clock.advance(minutes=15)

    wanted = order(desk.session, Ask(desk.location.id, held.id, DESK))

    assert wanted is None
    assert desk.charges() == []


def test_whom_it_is_for_is_not_kept_with_the_charge(desk: Desk) -> None:
    desk.ask("2026-03-10 09:00")
    held = desk.hold("2026-03-10 11:00")
    desk.ask_in_vain(held)
    assert [charge.asked is None for charge in desk.charges()] == [True, False]

    actions.release(desk.session, desk.location.id, held.id, actor=DESK)
    desk.session.commit()
    desk.work()
    desk.work()

    assert [charge.asked for charge in desk.charges()] == [None, None]


def test_what_is_left_is_what_goes_back(desk: Desk) -> None:
    booking = desk.paid()
    actions.cancel(desk.session, desk.location.id, booking.id, actor=DESK)
    desk.session.commit()
    desk.tell(take_back(desk, 10_00))
    [due] = desk.due()
    assert due.left_cents == 40_00

    actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.session.commit()
    for _ in range(4):
        desk.work()
        desk.bank.tick()
        desk.pass_time(seconds=61)

    assert [refund.amount_cents for refund in desk.refunds()] == [10_00, 40_00]
    assert [p.standing for p in desk.payments()] == ["returned"]
    desk.check()


def test_a_refund_that_is_known_is_asked_about_and_not_asked_for(desk: Desk) -> None:
    desk.tell(desk.pay(desk.ask(), amount=Cents(49_00)))
    [due] = desk.due()
    actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.session.commit()
    desk.bank.refunds.decision = WAIT
    desk.work()
    calls: list[tuple[str, ...]] = []
    take = desk.bank.faults.take
    desk.bank.faults.take = lambda *call: calls.append(call) or take(*call)  # type: ignore[method-assign]

    desk.pass_time(seconds=61)

    assert {method for method, path in calls if "/devolucao/" in path} == {"GET"}
