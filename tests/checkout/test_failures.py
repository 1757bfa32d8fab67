"""The thirty failures of design/pix.md section 7, each by its number.

Some are also looked at nearer to where they happen: 14, 15 and 17 at the door
(``tests/web/api/test_payments.py``), 16 with the adapter that signs, 24 to 28 in
``tests/payments/pix``.
"""

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from app.booking.errors import PaymentsUnavailable, SlotTaken
from app.booking.states import Status
from app.cashier import reading
from app.cashier.reading import read_inbox
from app.cashier.refunding import send_refunds
from app.cashier.sweeping import sweep_accounts
from app.checkout import actions, settling
from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.refunds import ACCEPT, REFUSE, WAIT
from app.money import Cents
from app.payments.accounts import is_secret_of
from app.payments.errors import MoreThanPaid, NotDue, RefundTooLate
from app.payments.pix.account import ProviderAccount
from app.payments.pix.api_pix_reading import read_amount
from app.payments.pix.brcode import format_amount, parse
from app.payments.pix.gateway import Unreadable
from tests.checkout.scenes import ANA, DEPOSIT, Desk
from tests.conftest import ROOT, Clock
from tests.factories import DESK
from tests.payments.scenes import CLIENT

VECTORS = json.loads((Path(__file__).parents[1] / "payments" / "vectors.json").read_text())
BODIES = {name: json.dumps(body).encode() for name, body in VECTORS["webhook_bodies"].items()}


def test_01_duplicate_notification(desk: Desk) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)

    desk.put(pix)
    desk.put(pix)
    desk.tell(pix, pix)
    desk.look()

    assert len(desk.payments()) == 1
    assert desk.events().count("payment.paid") == 1
    assert desk.events("booking.").count("booking.confirmed") == 1
    desk.check()


def test_02_a_refund_callback_looks_like_a_payment(desk: Desk) -> None:
    booking = desk.paid()
    actions.cancel(desk.session, desk.location.id, booking.id, actor=DESK)
    desk.session.commit()
    [payment] = desk.payments()
    actions.refund_payment(desk.session, desk.location.id, payment.id, actor=DESK)
    desk.session.commit()
    send_refunds()
    desk.bank.tick()
    pix = desk.bank.books.payment(CLIENT, payment.end_to_end_id or "")

    desk.tell(pix)
    desk.tell(pix)

    [payment] = desk.payments()
    assert (payment.standing, payment.amount_cents, payment.returned_cents) == (
        "returned",
        DEPOSIT,
        DEPOSIT,
    )
    assert desk.see(booking).status is Status.CANCELLED
    assert desk.events().count("payment.paid") == desk.events().count("payment.refunded") == 1
    desk.check()


def test_03_the_notice_comes_before_the_answer_is_stored(desk: Desk) -> None:
    held = desk.hold()
    desk.bank.faults.add("PUT /cob", Fault.LOST)
    desk.bank.faults.add("GET /cob", Fault.DOWN, times=2)
    with pytest.raises(PaymentsUnavailable):
        desk.confirm(held.id)
    desk.bank.faults.clear()
    [charge] = desk.charges()
    assert (charge.status, charge.copy_paste) == ("asked", None)
    pix = desk.bank.books.pay(CLIENT, charge.txid)

    desk.tell(pix)

    assert desk.see(held).status is Status.CONFIRMED
    assert desk.see(held).contact.name == ANA.name
    assert desk.events() == ["payment.created", "payment.paid"]
    desk.check()


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LATE, Fault.JUNK, Fault.EMPTY])
def test_04_a_timeout_while_creating_is_adopted(desk: Desk, fault: Fault) -> None:
    held = desk.hold()
    desk.bank.faults.add("PUT /cob", fault)

    waiting = desk.confirm(held.id)

    assert waiting.status is Status.PENDING_PAYMENT
    [charge] = desk.charges()
    assert list(desk.bank.books.charges) == [(CLIENT.client_id, charge.txid)]
    assert desk.bank.books.charge(CLIENT, charge.txid)["revisao"] == 0


@pytest.mark.parametrize("fault", [Fault.BROKEN, Fault.HTML])
def test_04_what_never_arrived_is_asked_for_with_the_same_name(desk: Desk, fault: Fault) -> None:
    held = desk.hold()
    desk.bank.faults.add("PUT /cob", fault)

    assert desk.confirm(held.id).status is Status.PENDING_PAYMENT
    assert [txid for _, txid in desk.bank.books.charges] == [c.txid for c in desk.charges()]


def test_05_the_provider_is_down(desk: Desk) -> None:
    held = desk.hold()
    desk.bank.faults.add("PUT /cob", Fault.DOWN, times=3)

    for _ in range(2):
        with pytest.raises(PaymentsUnavailable):
            desk.confirm(held.id)

    assert desk.see(held) == held
    assert desk.deposit(held) is None
    desk.pass_time(seconds=6)  # the third try is the worker's
    assert desk.see(held).status is Status.HELD
    desk.pass_time(seconds=11)
    now = desk.see(held)
    assert (now.status, now.contact.name) == (Status.PENDING_PAYMENT, ANA.name)
    assert desk.events() == ["payment.created"]
    desk.check()


def test_05_a_hold_ends_at_its_own_deadline_though_the_provider_is_down(desk: Desk) -> None:
    held = desk.hold()
    desk.bank.faults.add("", Fault.DOWN, times=1000)
    with pytest.raises(PaymentsUnavailable):
        desk.confirm(held.id)

    desk.pass_time(minutes=15, seconds=1)

    assert desk.see(held).status is Status.EXPIRED
    assert desk.hold().status is Status.HELD
    desk.bank.faults.clear()
    desk.pass_time(seconds=30)
    assert [charge.status for charge in desk.charges()] == ["over"]
    desk.check()


def test_06_paid_after_expiry(desk: Desk) -> None:
    booking = desk.ask()
    desk.pass_time(minutes=15, seconds=1)
    pix = desk.pay(booking, is_late=True, is_forced=True)

    desk.tell(pix)

    [payment] = desk.payments()
    assert (payment.standing, payment.reason) == ("due", "paid_late")
    assert desk.see(booking).status is Status.EXPIRED
    assert desk.events()[-1] == "payment.refund_due"
    desk.check()


def test_06_a_second_late_is_late(desk: Desk) -> None:
    """Late by the provider's clock, although the hold itself lives for its margin more."""
    booking = desk.ask()
    desk.clock.advance(minutes=14, seconds=1)
    pix = desk.pay(booking, is_late=True)

    desk.tell(pix)

    assert [payment.reason for payment in desk.payments()] == ["paid_late"]
    assert desk.see(booking).status is Status.PENDING_PAYMENT


def test_06_the_last_second_is_in_time(desk: Desk) -> None:
    booking = desk.ask()
    desk.clock.advance(minutes=14)
    pix = desk.pay(booking)
    desk.clock.advance(seconds=59)

    desk.tell(pix)

    assert desk.see(booking).status is Status.CONFIRMED


def unheard(desk: Desk) -> tuple[Status, dict[str, str]]:
    """A booking that was paid at the last moment, and expired before anybody could know."""
    booking = desk.ask()
    desk.clock.advance(minutes=13, seconds=59)
    pix = desk.pay(booking)
    desk.bank.faults.add("GET /cob", Fault.DOWN, times=1000)
    desk.pass_time(minutes=2)
    assert desk.see(booking).status is Status.PENDING_PAYMENT
    desk.pass_time(minutes=11)
    desk.bank.faults.clear()
    desk.clock.advance(seconds=11)  # nothing is asked of a bank for so long after it was down
    return desk.see(booking).status, pix


def test_07_paid_in_time_and_noticed_late_with_the_slot_free(desk: Desk) -> None:
    status, pix = unheard(desk)
    assert status is Status.EXPIRED

    desk.tell(pix)

    [payment] = desk.payments()
    assert payment.standing == "applied"
    assert desk.see_by_id(payment.booking_id).status is Status.CONFIRMED  # type: ignore[arg-type]
    desk.check()


def test_07_paid_in_time_and_noticed_late_with_the_slot_resold(desk: Desk) -> None:
    _, pix = unheard(desk)
    other = desk.hold()

    desk.tell(pix)

    [payment] = desk.payments()
    assert (payment.standing, payment.reason) == ("due", "slot_taken")
    assert desk.see(other).status is Status.HELD
    desk.check()


def test_07_a_lapsed_hold_in_the_way_is_none(desk: Desk, clock: Clock) -> None:
    _, pix = unheard(desk)
    other = desk.hold()
    clock.advance(minutes=16)

    desk.tell(pix)

    assert [payment.standing for payment in desk.payments()] == ["applied"]
    assert desk.see(other).status is Status.EXPIRED
    desk.check()


def test_07_nobody_is_booked_into_the_past(desk: Desk, clock: Clock) -> None:
    _, pix = unheard(desk)
    clock.advance(hours=3)

    desk.tell(pix)

    assert [payment.reason for payment in desk.payments()] == ["time_passed"]
    desk.check()


@pytest.mark.parametrize("seconds", [31, 91, 361, 601, 836])
def test_08_a_lost_notice_is_made_up_for_by_asking(desk: Desk, seconds: int) -> None:
    booking = desk.ask()
    for _ in range(4):  # earlier looks find nothing
        desk.pass_time(seconds=(seconds - 2) / 4)
    desk.pay(booking)

    desk.pass_time(seconds=2)
    desk.pass_time(seconds=31)

    assert desk.see(booking).status is Status.CONFIRMED
    desk.check()


def test_08_before_a_booking_expires_the_provider_is_asked(desk: Desk) -> None:
    booking = desk.ask()
    desk.clock.advance(minutes=13, seconds=58)
    desk.pay(booking)

    desk.pass_time(minutes=1, seconds=3)  # nobody looked between: the worker was away

    assert desk.see(booking).status is Status.CONFIRMED
    desk.check()


@pytest.mark.parametrize("minutes", [2.1, 61])
def test_08_what_came_in_after_the_end_is_found_later(desk: Desk, minutes: float) -> None:
    booking = desk.ask()
    desk.bank.faults.add("PATCH /cob", Fault.FORBIDDEN, times=9)
    desk.pass_time(minutes=15, seconds=1)
    if minutes > 60:
        desk.pass_time(minutes=2)
    desk.pay(booking, is_late=True)

    desk.pass_time(minutes=minutes)

    assert [payment.reason for payment in desk.payments()] == ["paid_late"]
    desk.check()


def test_08_the_daily_list_finds_what_nobody_told(desk: Desk) -> None:
    booking = desk.ask()
    desk.pass_time(minutes=15, seconds=1)
    desk.pass_time(hours=2)
    desk.pay(booking, is_late=True, is_forced=True)
    sweep_accounts()
    assert len(desk.payments()) == 1
    desk.pay(booking, is_forced=True, tells_txid=False)

    desk.clock.advance(hours=23)
    sweep_accounts()
    assert len(desk.payments()) == 1
    desk.clock.advance(hours=2)
    sweep_accounts()

    assert [payment.reason for payment in desk.payments()] == ["paid_late", "unmatched"]
    desk.check()


@pytest.mark.parametrize("cents", [49_99, 50_01, 110_00, 1])
def test_09_the_amount_differs(desk: Desk, cents: int) -> None:
    booking = desk.ask()
    pix = desk.pay(booking, amount=Cents(cents))

    desk.tell(pix)

    [payment] = desk.payments()
    assert (payment.standing, payment.reason) == ("due", "wrong_amount")
    assert payment.amount_cents == cents
    assert desk.see(booking).status is Status.PENDING_PAYMENT
    desk.check()


def test_10_two_payments_to_one_code(desk: Desk) -> None:
    booking = desk.ask()
    first = desk.pay(booking)
    desk.clock.advance(seconds=5)
    second = desk.pay(booking, is_forced=True)

    desk.tell(second)
    desk.tell(first)

    assert [(p.end_to_end_id, p.standing, p.reason) for p in desk.payments()] == [
        (first["endToEndId"], "applied", None),
        (second["endToEndId"], "due", "second_payment"),
    ]
    assert desk.see(booking).status is Status.CONFIRMED
    desk.check()


def test_10_giving_the_second_back_leaves_the_booking(desk: Desk) -> None:
    """C08."""
    booking = desk.ask()
    desk.pay(booking)
    desk.pay(booking, is_forced=True)
    desk.look()
    second = desk.payments()[1]

    actions.refund_payment(desk.session, desk.location.id, second.id, actor=DESK)
    desk.session.commit()
    desk.work()
    desk.bank.tick()
    desk.pass_time(seconds=5)

    assert [payment.standing for payment in desk.payments()] == ["applied", "returned"]
    assert desk.see(booking).status is Status.CONFIRMED
    desk.check()


def test_11_several_entries_in_one_body(desk: Desk) -> None:
    a, b = desk.ask("2026-03-10 10:00"), desk.ask("2026-03-10 12:00")
    one, two = desk.pay(a), desk.pay(b)
    junk = {"endToEndId": "E" + "0" * 31, "valor": "1.00", "horario": "ontem"}
    entries = [{k: v for k, v in pix.items() if not k.startswith("_")} for pix in (one, two, two)]

    desk.tell(body=json.dumps({"pix": [junk, entries[0], 7, *entries[1:], "x", None]}).encode())

    assert [desk.see(booking).status for booking in (a, b)] == [Status.CONFIRMED] * 2
    assert desk.events().count("payment.paid") == 2
    desk.check()


def test_12_unknown_txid_and_no_txid(desk: Desk) -> None:
    booking = desk.ask()
    without = desk.pay(booking, tells_txid=False)
    desk.bank.books.put_charge(
        CLIENT,
        "b" * 32,
        {"calendario": {"expiracao": 900}, "valor": {"original": "50.00"}, "chave": CLIENT.key},
    )
    unknown = desk.bank.books.pay(CLIENT, "b" * 32)

    desk.tell(without)
    desk.tell(unknown)

    assert [(p.standing, p.reason, p.booking_id) for p in desk.payments()] == [
        ("due", "unmatched", None)
    ] * 2
    assert desk.see(booking).status is Status.PENDING_PAYMENT
    assert [each.reason for each in desk.due()] == ["unmatched"] * 2
    desk.check()


def test_12_a_person_says_what_it_is_for(desk: Desk) -> None:
    booking = desk.ask()
    desk.tell(desk.pay(booking, tells_txid=False))
    [payment] = desk.payments()

    actions.use_payment(
        desk.session, desk.location.id, booking.id, payment_id=payment.id, actor=DESK
    )
    desk.session.commit()

    assert desk.see(booking).status is Status.CONFIRMED
    assert desk.due() == []
    desk.work()
    desk.check()


def test_13_outgoing_pix_in_the_same_hook(desk: Desk) -> None:
    desk.tell(body=BODIES["outgoing_efi"])

    assert desk.payments() == []
    assert desk.waiting_notices() == 0


@pytest.mark.parametrize("name", ["test_ping", "no_list", "empty"])
def test_13_what_says_nothing_is_done_with(desk: Desk, name: str) -> None:
    desk.tell(body=BODIES[name])

    assert desk.waiting_notices() == 0


def test_14_a_spoofed_notice_changes_nothing(desk: Desk) -> None:
    booking = desk.ask()
    forged = {
        "endToEndId": "E00000000202603101100abcdefghijk",
        "txid": desk.txid(booking),
        "valor": "50.00",
        "horario": desk.clock.now().isoformat(),
        "chave": CLIENT.key,
    }

    desk.tell(body=json.dumps({"pix": [forged]}).encode())
    for _ in range(3):
        desk.pass_time(seconds=8)

    assert desk.see(booking).status is Status.PENDING_PAYMENT
    assert desk.payments() == []
    assert desk.events() == ["payment.created"]


def test_15_no_secret_hears_nobody(desk: Desk) -> None:
    desk.account.webhook_digest = None

    assert not is_secret_of(desk.account, "")
    assert not is_secret_of(desk.account, desk.secret)


def test_18_partial_refunds(desk: Desk) -> None:
    booking = desk.ask()
    desk.pay(booking, amount=Cents(57_80))
    desk.look()
    [payment] = desk.payments()

    for cents in (1_00, 24_90, 24_90, 7_00):
        actions.refund_payment(
            desk.session, desk.location.id, payment.id, actor=DESK, amount=Cents(cents)
        )
    desk.session.commit()
    with pytest.raises(NotDue):
        actions.refund_payment(
            desk.session, desk.location.id, payment.id, actor=DESK, amount=Cents(1)
        )
    desk.session.rollback()
    desk.work()
    desk.bank.tick()
    desk.pass_time(seconds=5)

    assert len({refund.refund_id for refund in desk.refunds()}) == 4
    assert [refund.status for refund in desk.refunds()] == ["done"] * 4
    assert [p.returned_cents for p in desk.payments()] == [57_80]
    desk.check()


def test_18_never_more_than_was_paid(desk: Desk) -> None:
    booking = desk.ask()
    desk.pay(booking, amount=Cents(49_00))
    desk.look()
    [payment] = desk.payments()
    key = (desk.session, desk.location.id, payment.id)
    actions.refund_payment(*key, actor=DESK, amount=Cents(48_99))

    for cents in (2, 49_00, 0, -1):
        with pytest.raises(MoreThanPaid):
            actions.refund_payment(*key, actor=DESK, amount=Cents(cents))


@pytest.mark.parametrize("fault", [Fault.LOST, Fault.LATE, Fault.BROKEN, Fault.DOWN, Fault.CUT])
def test_19_a_refund_repeated_is_one(desk: Desk, fault: Fault) -> None:
    desk.tell(desk.pay(desk.ask(), amount=Cents(49_00)))
    [payment] = desk.payments()
    actions.refund_payment(desk.session, desk.location.id, payment.id, actor=DESK)
    desk.session.commit()
    desk.bank.faults.add("PUT /pix", fault)
    desk.bank.faults.add("GET /pix", Fault.DOWN)

    for _ in range(6):
        desk.work()
        desk.bank.tick()
        desk.pass_time(seconds=5)

    pix = desk.bank.books.payment(CLIENT, payment.end_to_end_id or "")
    assert [refund["status"] for refund in pix["devolucoes"]] == ["DEVOLVIDO"]
    assert [p.standing for p in desk.payments()] == ["returned"]
    assert desk.events().count("payment.refunded") == 1
    desk.check()


def test_19_two_clicks_are_one_refund(desk: Desk) -> None:
    """C09."""
    desk.tell(desk.pay(desk.ask(), amount=Cents(49_00)))
    [payment] = desk.payments()
    key = (desk.session, desk.location.id, payment.id)
    actions.refund_payment(*key, actor=DESK)

    with pytest.raises(NotDue):
        actions.refund_payment(*key, actor=DESK)


def test_20_a_refund_fails_and_is_tried_with_a_new_name(desk: Desk) -> None:
    desk.tell(desk.pay(desk.ask(), amount=Cents(49_00)))
    [payment] = desk.payments()
    desk.bank.refunds.decision = WAIT
    actions.refund_payment(desk.session, desk.location.id, payment.id, actor=DESK)
    desk.session.commit()
    desk.work()
    assert [each.refund for each in desk.due()] == ["in_progress"]
    assert "payment.refunded" not in desk.events()

    desk.bank.refunds.decision = REFUSE
    desk.bank.tick()
    desk.pass_time(seconds=5)

    [due] = desk.due()
    assert (due.refund, due.left_cents) == ("failed", 49_00)
    assert "saldo insuficiente" in (due.failure or "")
    assert desk.events()[-1] == "payment.refund_failed"
    desk.bank.refunds.decision = ACCEPT
    actions.refund_payment(desk.session, desk.location.id, payment.id, actor=DESK)
    desk.session.commit()
    desk.work()
    desk.bank.tick()
    desk.pass_time(seconds=5)
    assert [refund.status for refund in desk.refunds()] == ["failed", "done"]
    assert len({refund.refund_id for refund in desk.refunds()}) == 2
    assert desk.due() == []
    assert desk.events()[-1] == "payment.refunded"
    desk.check()


def test_20_after_ninety_days_the_bank_gives_nothing_back(desk: Desk, clock: Clock) -> None:
    desk.tell(desk.pay(desk.ask(), amount=Cents(49_00)))
    [payment] = desk.payments()
    clock.advance(days=90, seconds=1)
    key = (desk.session, desk.location.id, payment.id)

    with pytest.raises(RefundTooLate):
        actions.refund_payment(*key, actor=DESK)
    actions.note_returned(*key, note="transferencia 4411", actor=DESK)
    desk.session.commit()

    assert desk.due() == []
    desk.check()


def test_21_the_bank_takes_money_back(desk: Desk) -> None:
    booking = desk.paid()
    [payment] = desk.payments()
    desk.bank.refunds.take_back(CLIENT, payment.end_to_end_id or "", DEPOSIT)
    pix = desk.bank.books.payment(CLIENT, payment.end_to_end_id or "")

    desk.tell(pix)
    desk.tell(pix)

    [refund] = desk.refunds()
    assert (refund.is_ours, refund.status) == (False, "done")
    [due] = desk.due()
    assert (due.is_flagged, due.left_cents, due.booking_id) == (True, 0, booking.id)
    assert desk.see(booking).status is Status.CONFIRMED
    assert desk.events()[-1] == "payment.refunded"
    desk.check()
    actions.acknowledge(desk.session, desk.location.id, payment.id, actor=DESK)
    desk.session.commit()
    assert desk.due() == []
    desk.check()


def test_21_it_is_found_without_a_notice_too(desk: Desk) -> None:
    desk.paid()
    [payment] = desk.payments()
    desk.clock.advance(days=2)
    desk.bank.refunds.take_back(CLIENT, payment.end_to_end_id or "", Cents(10_00))

    sweep_accounts()

    assert [(p.returned_cents, p.standing, p.is_flagged) for p in desk.payments()] == [
        (10_00, "applied", True)
    ]
    desk.check()


def test_22_the_customer_pays_while_staff_cancels(desk: Desk) -> None:
    """C03: the money wins the facts, and is to be given back."""
    booking = desk.ask()
    desk.pay(booking)

    actions.cancel(desk.session, desk.location.id, booking.id, actor=DESK, reason="cerramos")
    desk.session.commit()
    desk.work()
    desk.work()

    assert desk.see(booking).status is Status.CANCELLED
    assert [(p.standing, p.reason) for p in desk.payments()] == [("due", "booking_cancelled")]
    assert desk.events()[-1] == "payment.refund_due"
    desk.check()


def test_22_a_cancelled_booking_s_code_is_taken_back(desk: Desk) -> None:
    booking = desk.ask()
    txid = desk.txid(booking)

    actions.cancel(desk.session, desk.location.id, booking.id, actor=DESK)
    desk.session.commit()
    desk.work()
    desk.work()

    status = desk.bank.books.charge(CLIENT, txid)["status"]
    assert status == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert [charge.status for charge in desk.charges()] == ["over"]


def test_23_a_slot_is_never_sold_twice(desk: Desk) -> None:
    """C01: A's code is paid after B has the slot."""
    a = desk.ask()
    desk.pass_time(minutes=15, seconds=1)
    b = desk.paid()
    late = desk.pay(a, is_late=True, is_forced=True)

    desk.tell(late)

    assert desk.see(a).status is Status.EXPIRED
    assert desk.see(b).status is Status.CONFIRMED
    assert [p.reason for p in desk.payments()] == [None, "paid_late"]
    with pytest.raises(SlotTaken):
        desk.hold()
    desk.session.rollback()
    desk.check()


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (1, "0.01"),
        (10, "0.10"),
        (100, "1.00"),
        (115, "1.15"),
        (999_999_999_999, "9999999999.99"),
    ],
)
def test_24_amounts_are_written_exactly(cents: int, text: str) -> None:
    assert format_amount(Cents(cents)) == text
    assert read_amount(text) == cents


@pytest.mark.parametrize(
    "text", ["10,00", "1.000,00", " 10.00", "１０.00", "10.00\n", "10.0", "10"]
)
def test_24_any_other_writing_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_amount(text)


def test_25_a_txid_is_fresh_and_says_nothing(desk: Desk) -> None:
    bookings = [desk.ask(f"2026-03-10 {hour:02d}:00") for hour in (9, 11, 13)]
    txids = [desk.txid(booking) for booking in bookings]

    assert len(set(txids)) == 3
    for booking, txid in zip(bookings, txids, strict=True):
        assert re.fullmatch("[0-9a-f]{32}", txid)
        assert booking.id.hex not in txid
        assert (ANA.phone or "")[1:] not in txid


def test_26_nothing_turns_the_checking_of_certificates_off() -> None:
    fields = ProviderAccount.__dataclass_fields__
    assert not [name for name in fields if "verify" in name or "insecure" in name]
    for path in (ROOT / "app" / "payments").rglob("*.py"):
        text = path.read_text()
        assert "verify=False" not in text
        assert "CERT_NONE" not in text
        assert "check_hostname = False" not in text


@pytest.mark.parametrize("skew", [-90, 90])
def test_27_the_provider_s_clock_is_off(desk: Desk, skew: int) -> None:
    books = desk.bank.books
    books.now = lambda: desk.clock.now() + timedelta(seconds=skew)
    booking = desk.ask()
    desk.clock.advance(minutes=13, seconds=59)
    pix = desk.pay(booking)

    desk.tell(pix)

    assert desk.see(booking).status is Status.CONFIRMED
    late = desk.ask("2026-03-10 12:00")
    desk.clock.advance(minutes=14, seconds=1)
    desk.tell(desk.pay(late, is_late=True))
    assert desk.payments()[-1].reason == "paid_late"


def test_27_a_code_lives_a_second_at_least(desk: Desk, clock: Clock) -> None:
    held = desk.hold()
    clock.advance(minutes=14, seconds=30)

    waiting = desk.confirm(held.id)

    charge = desk.bank.books.charge(CLIENT, desk.txid(waiting))
    assert charge["calendario"]["expiracao"] == 1


def test_28_odd_answers(desk: Desk) -> None:
    quirks = desk.bank.books.quirks
    quirks.leaves_code_out = quirks.leaves_payments_out = True
    quirks.writes_expiry_as_text = quirks.writes_local_times = True
    quirks.refuses_repeated_put = True
    booking = desk.ask()
    deposit = desk.deposit(booking)
    assert deposit is not None
    assert parse(deposit.copy_paste).location is not None

    desk.tell(desk.pay(booking))

    assert desk.see(booking).status is Status.CONFIRMED
    desk.check()


def test_29_the_code_is_never_a_static_one(desk: Desk) -> None:
    deposit = desk.deposit(desk.ask())
    assert deposit is not None

    code = parse(deposit.copy_paste)

    assert code.location is not None
    assert code.key is None


@pytest.mark.usefixtures("faults_are_meant")
def test_30_the_worker_dies_between_the_payment_and_the_confirmation(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)
    told = settling.tell

    def dies(*_: object, **__: object) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(settling, "tell", dies)
    desk.tell(pix)
    assert desk.see(booking).status is Status.PENDING_PAYMENT
    assert desk.payments() == []
    monkeypatch.setattr(settling, "tell", told)

    desk.clock.advance(seconds=21)  # the lease of the dead worker ends
    read_inbox()

    assert desk.see(booking).status is Status.CONFIRMED
    assert desk.events() == ["payment.created", "payment.paid"]
    desk.check()


@pytest.mark.parametrize("hours", [1, 24, 240])
def test_30_what_fails_every_time_is_tried_ever_more_seldom(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """A fault of ours, or an account that is gone, must not keep the worker busy for ever."""
    desk.ask()
    desk.bank.faults.add("", Fault.DOWN, times=10_000)
    desk.clock.advance(hours=hours)
    looks = []
    real = desk.bank.faults.take
    monkeypatch.setattr(desk.bank.faults, "take", lambda *a: looks.append(a) or real(*a))

    for _ in range(60):
        desk.pass_time(seconds=10)

    assert len(looks) <= (6 if hours == 1 else 2)


@pytest.mark.usefixtures("faults_are_meant")
def test_30_a_notice_that_breaks_us_does_not_come_back_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = []

    def breaks(*_: object) -> bool:
        broken.append(1)
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(reading, "follow", breaks)
    desk.put({"endToEndId": "E00000000202603101100abcdefghijk"})

    for _ in range(90):
        desk.clock.advance(seconds=20)
        read_inbox()

    assert 3 <= len(broken) <= 9


def test_the_simulator_s_codes_are_refused_where_nobody_plays(app: Flask, desk: Desk) -> None:
    playing = app.extensions["firme_config"]
    app.extensions["firme_config"] = replace(playing, allow_simulated_pix=False)
    held = desk.hold()

    try:
        with pytest.raises(PaymentsUnavailable):
            desk.confirm(held.id)
    finally:
        app.extensions["firme_config"] = playing

    assert desk.bank.books.charges == {}
    [charge] = desk.charges()
    assert "ALLOW_SIMULATED_PIX" in (charge.last_failure or "")
