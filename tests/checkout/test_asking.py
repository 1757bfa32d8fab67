"""A deposit is asked for: the code on the screen, and what may go wrong until it is there."""

from datetime import timedelta

from app.booking.states import Status
from app.booking.views import Contact
from tests.checkout.scenes import ANA, DEPOSIT, Desk


def test_confirming_asks_for_the_deposit(desk: Desk) -> None:
    held = desk.hold()

    waiting = desk.confirm(held.id)

    assert waiting.status is Status.PENDING_PAYMENT
    assert waiting.contact.name == ANA.name
    assert waiting.expires_at == held.expires_at
    deposit = desk.deposit(waiting)
    assert deposit is not None
    assert deposit.status == "pending"
    assert deposit.amount_cents == DEPOSIT
    assert deposit.payable_until == held.expires_at - timedelta(seconds=60)
    assert desk.events() == ["payment.created"]
    desk.check()


def test_a_payment_confirms(desk: Desk) -> None:
    booking = desk.ask()
    pix = desk.pay(booking)

    desk.tell(pix)

    assert desk.see(booking).status is Status.CONFIRMED
    assert desk.events() == ["payment.created", "payment.paid"]
    desk.check()


def test_without_a_notice_the_worker_asks(desk: Desk) -> None:
    booking = desk.ask()
    desk.pay(booking)

    desk.pass_time(seconds=31)

    assert desk.see(booking).status is Status.CONFIRMED
    desk.check()


def test_nobody_pays(desk: Desk) -> None:
    booking = desk.ask()

    desk.pass_time(minutes=15)
    desk.pass_time(seconds=5)

    assert desk.see(booking).status is Status.EXPIRED
    assert [charge.status for charge in desk.charges()] == ["over"]
    desk.check()


def test_what_was_told_last_is_what_counts(desk: Desk) -> None:
    """A retry after a bank that was down may bring a better name."""
    held = desk.hold()
    desk.ask_in_vain(held)

    waiting = desk.confirm(held.id, Contact(name="Ana Núñez", phone="+5511911112222"))

    assert (waiting.contact.name, waiting.contact.phone) == ("Ana Núñez", "+5511911112222")
    desk.check()
