import pytest

from app.checkout import actions
from app.extensions import transact
from tests.checkout.scenes import ANA, Desk
from tests.cli.conftest import Shell
from tests.factories import DESK

FIFTY, NOTHING = "R$\N{NO-BREAK SPACE}50.00", "R$\N{NO-BREAK SPACE}0.00"


def parts(shown: str) -> dict[str, list[str]]:
    """The rows below each headline, without the names of their columns."""
    blocks = [block.splitlines() for block in shown.strip().split("\n\n")[1:]]
    return {block[0]: [line for line in block[2:] if line] for block in blocks}


def test_a_booking_is_shown_with_its_money(shell: Shell, desk: Desk) -> None:
    booking = desk.paid()
    payment = desk.payments()[0]

    shown = shell.done("payments", "show", booking.id)

    assert shown.splitlines()[:2] == [
        f"Corte, 2026-03-10 10:00, {ANA.name}: confirmed",
        f"Deposit {FIFTY}; the ledger has {FIFTY} on this booking.",
    ]
    found = parts(shown)
    assert desk.charges()[0].txid in found["Charges"][0]
    assert f"  applied  -    {payment.end_to_end_id}  {payment.id}" in found["Payments"][0]
    assert found["Refunds"] == []
    assert "  payer  this booking  " in found["Ledger"][0]


def test_money_that_went_back_is_shown_on_its_way(shell: Shell, desk: Desk) -> None:
    booking = desk.paid()
    key = desk.location.id, booking.id
    transact(lambda session: actions.cancel(session, *key, actor=DESK, reason="x"))
    payment = desk.payments()[0].id
    transact(lambda session: actions.refund_payment(session, desk.location.id, payment, actor=DESK))
    desk.work()
    desk.bank.tick()
    desk.pass_time(minutes=1)

    shown = shell.done("payments", "show", booking.id)

    assert f"Deposit {FIFTY}; the ledger has {NOTHING} on this booking.\n" in shown
    found = parts(shown)
    assert f"  {DESK.name}  " in found["Refunds"][0]
    assert len(found["Ledger"]) == 3
    assert "  payer  " in found["Ledger"][-1]


def test_money_that_moved_on_is_shown_where_it_is(shell: Shell, desk: Desk) -> None:
    booking = desk.paid()
    key = desk.location.id, booking.id
    transact(lambda session: actions.cancel(session, *key, actor=DESK, reason="x"))
    other = desk.hold("2026-03-10 12:00")
    payment = desk.payments()[0].id
    transact(
        lambda session: actions.use_payment(
            session, desk.location.id, other.id, payment_id=payment, actor=DESK, contact=ANA
        )
    )

    shown = shell.done("payments", "show", booking.id)

    assert f"  on {other.id}  " in parts(shown)["Payments"][0]
    assert f"  booking {other.id}  " in parts(shown)["Ledger"][-1]
    assert f"the ledger has {FIFTY}" in shell.done("payments", "show", other.id)


@pytest.mark.parametrize("wanted", ["x", "01a2301b-63d2-7dbc-b8e8-51a403e4656e"])
def test_an_unknown_booking_is_told(shell: Shell, desk: Desk, wanted: str) -> None:
    assert f"No booking is called “{wanted}” here." in shell.refused("payments", "show", wanted)
