from dataclasses import replace

import pytest
from flask import Flask

from app.cashier.gateways import gateways, sealer
from app.devservices.pix_bank.faults import Fault
from app.payments.accounts import change_account, is_secret_of, read_account
from app.payments.models import PaymentAccount
from app.payments.pix.account import ProviderAccount
from tests.checkout.scenes import Desk
from tests.cli.conftest import Shell
from tests.payments.scenes import CLIENT, an_account

HERE = "https://firme.example"


def set_webhook(desk: Desk, base: str = HERE) -> tuple[str, ...]:
    slug = desk.location.slug
    return ("payments", "set-webhook", "--location", slug, "--base-url", base)


def check_account(desk: Desk) -> tuple[str, ...]:
    return ("payments", "check-account", "--location", desk.location.slug)


def row_of(desk: Desk) -> PaymentAccount:
    desk.session.expire_all()
    return desk.session.get_one(PaymentAccount, (desk.location.id, desk.account.id))


def told_at(desk: Desk) -> str:
    return str(desk.bank.books.webhook(CLIENT, CLIENT.key)["webhookUrl"])


def put(desk: Desk, account: ProviderAccount) -> None:
    """Give the location's account other settings."""
    change_account(desk.session, row_of(desk), account, sealer=sealer())
    desk.session.commit()


def test_the_provider_is_given_an_address_with_a_new_secret(shell: Shell, desk: Desk) -> None:
    said = shell.done(*set_webhook(desk, f"{HERE}/"))

    url = told_at(desk)
    assert said == f"main tells payments at\n{url}\n"
    start, _, secret = url.rpartition("/")
    assert start == f"{HERE}/webhooks/pix/{desk.account.id}"
    assert is_secret_of(row_of(desk), secret)
    assert not is_secret_of(row_of(desk), desk.secret)
    assert f"It tells of payments at {HERE}.\n" in shell.done(*check_account(desk))


def test_a_refused_address_changes_nothing(shell: Shell, desk: Desk) -> None:
    desk.bank.faults.add("PUT /webhook", Fault.DOWN)

    refusal = shell.refused(*set_webhook(desk))

    assert "Nothing is changed: ServicoIndisponivel" in refusal
    assert is_secret_of(row_of(desk), desk.secret)


def test_an_answer_that_got_lost_is_looked_up(shell: Shell, desk: Desk) -> None:
    desk.bank.faults.add("PUT /webhook", Fault.LOST)

    said = shell.done(*set_webhook(desk))

    assert told_at(desk) in said


def test_an_answer_that_nobody_can_look_up_says_to_do_it_again(shell: Shell, desk: Desk) -> None:
    desk.bank.faults.add("PUT /webhook", Fault.LOST)
    desk.bank.faults.add("GET /webhook", Fault.DOWN)

    refusal = shell.refused(*set_webhook(desk))

    assert "Nobody knows whether main took the address" in refusal
    assert is_secret_of(row_of(desk), told_at(desk).rpartition("/")[2])


@pytest.mark.parametrize("base", ["http://firme.example", "firme.example", "ftp://x"])
def test_an_address_that_no_provider_calls_is_refused(shell: Shell, desk: Desk, base: str) -> None:
    assert "base_url: not_https" in shell.refused(*set_webhook(desk, base))
    assert is_secret_of(row_of(desk), desk.secret)


def test_mercado_pago_s_address_is_kept_in_the_account(shell: Shell, desk: Desk) -> None:
    put(
        desk,
        an_account(
            desk.bank,
            provider="mercadopago",
            signature_secret="signature",
            payer_email="pix@ceibo.example",
        ),
    )

    url = shell.done(*set_webhook(desk)).splitlines()[1]

    assert read_account(row_of(desk), sealer()).notification_url == url
    assert is_secret_of(row_of(desk), url.rpartition("/")[2])


def test_an_account_that_works_says_so(shell: Shell, desk: Desk) -> None:
    desk.paid()
    desk.bank.books.set_webhook(CLIENT, CLIENT.key, "https://elsewhere.example/x")

    result = shell.run(*check_account(desk))

    assert result.exit_code == 0
    assert result.stdout == "main works: 1 payment today.\n"
    assert "it tells of payments at another address" in result.stderr


def test_an_account_that_tells_nobody_is_warned_of(shell: Shell, desk: Desk) -> None:
    assert "it tells nobody of payments" in shell.warned(*check_account(desk))
    desk.bank.faults.add("GET /webhook", Fault.FORBIDDEN)
    assert "look at the scopes" in shell.warned(*check_account(desk))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"client_secret": "wrong"}, "it does not know us; look at the client id"),
        ({"base_url": "http://127.0.0.1:1"}, "no connection (ConnectError); look at --base-url"),
        ({"token_url": "http://127.0.0.1:1"}, "no connection (ConnectError); look at --base-url"),
    ],
)
def test_what_is_wrong_with_an_account_is_told(
    shell: Shell, desk: Desk, changes: dict[str, str], told: str
) -> None:
    put(desk, an_account(desk.bank, **changes))

    refusal = shell.refused(*check_account(desk))

    assert "main does not work: " in refusal
    assert told in refusal
    assert "wrong" not in refusal


def test_a_simulated_bank_has_to_be_allowed(
    app: Flask, shell: Shell, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = replace(app.extensions["firme_config"], allow_simulated_pix=False)
    monkeypatch.setitem(app.extensions, "firme_config", strict)
    gateways().close()

    for words in (check_account(desk), set_webhook(desk)):
        assert "ALLOW_SIMULATED_PIX=1 allows it" in shell.refused(*words)
    assert is_secret_of(row_of(desk), desk.secret)
