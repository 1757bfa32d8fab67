from datetime import timedelta

import pytest
from sqlalchemy import text

from app.cashier.gateways import sealer
from app.money import Cents
from app.payments.accounts import add_account
from tests.checkout.scenes import Desk
from tests.cli.conftest import Shell
from tests.factories import a_location
from tests.payments.scenes import CLIENT, an_account

FIFTY, NOTHING = "R$\N{NO-BREAK SPACE}50.00", "R$\N{NO-BREAK SPACE}0.00"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_books_that_agree_are_told_with_their_totals(shell: Shell, desk: Desk) -> None:
    desk.paid()

    assert shell.done("payments", "reconcile") == (
        f"{desk.location.slug}, main: 1 payment, no difference.\n"
        f"  here  received {FIFTY}, returned {NOTHING}\n"
        f"  there received {FIFTY}, returned {NOTHING}\n"
    )


def test_money_that_only_the_bank_knows_of_is_a_row_and_a_failure(shell: Shell, desk: Desk) -> None:
    desk.paid()
    pix = desk.pay(desk.ask("2026-03-10 12:00"), tells_txid=False)

    result = shell.run("payments", "reconcile", "--location", desk.location.slug)

    assert result.exit_code == 1
    first, _, _, head, row = result.stdout.splitlines()
    assert first.endswith("2 payments, 1 difference.")
    assert cells(head) == ["END-TO-END ID", "RECEIVED HERE", "THERE", "RETURNED HERE", "THERE"]
    assert cells(row) == [pix["endToEndId"], "unknown", FIFTY, "unknown", NOTHING]


def test_money_that_the_bank_took_back_is_a_difference(shell: Shell, desk: Desk) -> None:
    desk.paid()
    known = str(desk.payments()[0].end_to_end_id)
    desk.bank.refunds.take_back(CLIENT, known, Cents(50_00))

    result = shell.run("payments", "reconcile")

    assert result.exit_code == 1
    assert cells(result.stdout.splitlines()[-1]) == [known, FIFTY, FIFTY, NOTHING, FIFTY]


def test_a_provider_that_cannot_be_read_keeps_no_other_out(shell: Shell, desk: Desk) -> None:
    desk.paid()
    far = a_location(desk.session, slug="far")
    nowhere = an_account(desk.bank, name="away", base_url="http://127.0.0.1:1")
    add_account(desk.session, far.id, nowhere, currency="BRL", sealer=sealer())
    desk.session.commit()

    result = shell.run("payments", "reconcile")

    assert result.exit_code == 2
    assert "far, away: could not be read: no connection" in result.stderr
    assert f"{desk.location.slug}, main: 1 payment, no difference." in result.stdout


@pytest.mark.parametrize(
    ("since", "until", "number"),
    [
        ("2026-03-10", "2026-03-10", 1),
        ("2026-03-10", None, 1),
        ("2026-03-04", "2026-03-09", 0),
        ("2026-03-11", "2026-03-12", 0),
        (None, "2026-03-17", 1),
        (None, "2026-03-18", 0),
    ],
)
def test_days_are_the_location_s_own(
    shell: Shell, desk: Desk, since: str | None, until: str | None, number: int
) -> None:
    """Paid at 23:30 of the tenth in Sao Paulo, where it is the eleventh in Greenwich."""
    desk.clock.advance(hours=15, minutes=30)
    desk.paid("2026-03-11 10:00")
    desk.clock.advance(days=10)
    wish = [*(("--since", since) if since else ()), *(("--until", until) if until else ())]

    assert f"main: {number} payment" in shell.done("payments", "reconcile", *wish)


def test_days_in_the_wrong_order_and_unknown_places_are_refused(shell: Shell, desk: Desk) -> None:
    span = ("--since", "2026-03-11", "--until", "2026-03-10")

    assert "until: before_start" in shell.refused("payments", "reconcile", *span)
    assert "day: invalid_day" in shell.refused("payments", "reconcile", "--since", "ayer")
    assert "(not_found)" in shell.refused("payments", "reconcile", "--location", "nowhere")


def test_an_account_is_compared_until_nothing_can_come_into_it(shell: Shell, desk: Desk) -> None:
    shell.done("payments", "close-account", "--location", desk.location.slug)
    assert "main: 0 payments" in shell.done("payments", "reconcile")

    desk.session.execute(
        text("UPDATE payment_account SET closed_at = clock_now() - cast(:ago AS interval)"),
        {"ago": timedelta(days=9)},
    )
    desk.session.commit()

    assert shell.done("payments", "reconcile") == "No account to compare.\n"
