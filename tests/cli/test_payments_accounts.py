from pathlib import Path

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from app.cashier.gateways import sealer
from app.payments.accounts import find_open_account, read_account
from app.payments.models import PaymentAccount
from app.payments.pix.account import ProviderAccount
from tests.checkout.scenes import Desk
from tests.cli.conftest import Ceibo, Shell
from tests.factories import a_location

BANK = (
    *("--base-url", "https://bank.example.com/v2", "--token-url", "https://bank.example.com/token"),
    *("--merchant-name", "Estudio Ceibo", "--merchant-city", "Rivera"),
)
ADD = ("payments", "add-account", "--location", "ceibo", "--provider", "api_pix", *BANK)
SHOP = ("payments", "add-account", "--location", "ceibo", "--provider", "mercadopago")


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CLIENT_ID", "CLIENT_SECRET", "KEY"):
        monkeypatch.setenv(f"PIX_{name}", f"the {name.lower()}")


def account_of(ceibo: Ceibo) -> tuple[PaymentAccount, ProviderAccount]:
    row = find_open_account(ceibo.session, ceibo.location.id)
    assert row is not None
    return row, read_account(row, sealer())


def account_at(desk: Desk) -> ProviderAccount:
    row = find_open_account(desk.session, desk.location.id)
    assert row is not None
    return read_account(row, sealer())


@pytest.mark.usefixtures("secrets")
def test_an_account_is_added_with_secrets_of_the_environment(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(*ADD, "--profile", "efi")

    row, account = account_of(ceibo)
    assert said.startswith(f"efi takes the deposits of ceibo ({row.id}).\n")
    assert (account.client_id, account.client_secret, account.key) == (
        *("the client_id", "the client_secret", "the key"),
    )
    assert (account.profile, account.merchant_city) == ("efi", "Rivera")
    action, detail = ceibo.audited()
    assert action == "payments.account_added"
    assert detail == {
        "name": "efi",
        "provider": "api_pix",
        "profile": "efi",
        "base_url": "https://bank.example.com/v2",
        "token_url": "https://bank.example.com/token",
    }
    assert "the client" not in said + str(row.settings)


@pytest.mark.parametrize(
    ("words", "typed", "known"),
    [
        (ADD, "id\nsecret\nkey\n", ("id", "secret", "key", "", None)),
        ((*ADD, "--profile", "sicoob"), "id\nkey\n", ("id", "", "key", "", None)),
        (
            (*ADD, "--profile", "banco_do_brasil"),
            "id\nsecret\nkey\napplication\n",
            ("id", "secret", "key", "application", None),
        ),
    ],
)
def test_what_a_provider_needs_is_asked_for_and_not_shown(
    shell: Shell, ceibo: Ceibo, words: tuple[str, ...], typed: str, known: tuple[str | None, ...]
) -> None:
    result = shell.run(*words, typed=typed)

    assert result.exit_code == 0, result.output
    _, account = account_of(ceibo)
    assert known == (
        account.client_id,
        account.client_secret,
        account.key,
        account.application_key,
        account.private_key_password,
    )
    shown = result.stdout + result.stderr
    assert "Pix key" in shown
    assert not any(f": {word}\n" in shown for word in typed.split())


def test_mercado_pago_has_settings_of_its_own(shell: Shell, ceibo: Ceibo) -> None:
    result = shell.run(
        *(*SHOP, "--merchant-city", "Rivera", "--payer-email", "pix@ceibo.example"),
        *("--shortest-expiry-seconds", 900),
        typed="token\nsignature\n",
    )

    assert result.exit_code == 0, result.output
    _, account = account_of(ceibo)
    assert (account.client_secret, account.signature_secret) == ("token", "signature")
    assert (account.base_url, account.merchant_name) == (
        *("https://api.mercadopago.com", ceibo.location.name),
    )
    assert (account.payer_email, account.shortest_expiry_seconds) == ("pix@ceibo.example", 900)


@pytest.mark.parametrize("name", ["client-id", "client-secret", "key", "access-token", "password"])
def test_no_secret_can_be_an_argument(shell: Shell, ceibo: Ceibo, name: str) -> None:
    assert shell.run(*ADD, f"--{name}", "x").exit_code == 2


@pytest.mark.usefixtures("secrets")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--base-url", "http://bank.example.com"), "the base address must be https"),
        (("--token-url", ""), "the token address must be https"),
        (("--merchant-city", "東京"), "the name or the city has no plain letter"),
        (("--private-key", "/nowhere.pem"), "the private key is not a file"),
        (("--location", "nowhere"), "(not_found)"),
    ],
)
def test_settings_that_cannot_work_are_refused_in_words(
    shell: Shell, ceibo: Ceibo, words: tuple[str, ...], told: str
) -> None:
    assert told in shell.refused(*ADD, *words)
    assert find_open_account(ceibo.session, ceibo.location.id) is None


def test_a_certificate_is_loaded_before_it_is_believed(
    shell: Shell, ceibo: Ceibo, tmp_path: Path, secrets: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIX_PRIVATE_KEY_PASSWORD", "")
    (tmp_path / "bank.pem").write_text("no certificate")

    refusal = shell.refused(*ADD, "--certificate", tmp_path / "bank.pem")

    assert "a certificate or its key cannot be loaded" in refusal


@pytest.mark.usefixtures("secrets")
def test_a_location_has_one_open_account_in_reais(
    shell: Shell, session: Session, ceibo: Ceibo
) -> None:
    shell.done(*ADD)
    a_location(session, slug="pesos", currency="UYU")

    assert "(account_in_use)" in shell.refused(*ADD)
    assert "currency: not_brl" in shell.refused(*ADD, "--location", "pesos")


def test_a_setting_changes_and_the_others_stay(shell: Shell, desk: Desk) -> None:
    words = ("payments", "change-account", "--location", desk.location.slug)
    assert shell.done(*words, "--merchant-city", "Rivera") == "Changed: merchant_city.\n"

    account = account_at(desk)
    assert (account.merchant_city, account.client_secret) == (
        *("Rivera", "a-client-secret-that-nobody-may-read"),
    )
    assert "options: nothing" in shell.refused(*words)


def test_secrets_are_changed_together(shell: Shell, desk: Desk, secrets: None) -> None:
    shell.done("payments", "change-account", "--location", desk.location.slug, "--secrets")

    assert account_at(desk).client_secret == "the client_secret"


def test_accounts_are_listed_and_closed(shell: Shell, desk: Desk, secrets: None) -> None:
    slug = desk.location.slug
    shell.done("payments", "close-account", "--location", slug)
    shell.done(*ADD[:3], slug, *ADD[4:], "--name", "new")

    _, first, second = shell.done("payments", "list-accounts", "--location", slug).splitlines()

    assert f"  closed {desk.clock.now():%Y-%m-%d}  {desk.account.id}" in first
    assert second.split()[1:5] == ["new", "api_pix", "generic", "https://bank.example.com/v2"]
    assert "  no " in second
    lines = desk.session.scalars(select(PaymentAccount.closed_at)).all()
    assert sum(each is None for each in lines) == 1


def test_a_location_without_an_account_is_told(shell: Shell, ceibo: Ceibo) -> None:
    for command in ("close-account", "set-webhook", "check-account"):
        refusal = shell.refused("payments", command, "--location", "ceibo")
        assert "ceibo has no open account" in refusal
    assert shell.done("payments", "list-accounts") == "None.\n"


def test_secrets_of_another_key_are_told(shell: Shell, desk: Desk) -> None:
    desk.session.execute(text("UPDATE payment_account SET sealed = 'gAAAA'"))
    desk.session.commit()

    refusal = shell.refused(
        *("payments", "change-account", "--location", desk.location.slug, "--name", "x")
    )

    assert "SECRET_KEY is not the one that sealed this account" in refusal


def test_with_new_secrets_an_account_is_sealed_anew(
    shell: Shell, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After SECRET_KEY changed: the account stays the same, and so does what it knows."""
    desk.session.execute(text("UPDATE payment_account SET sealed = 'gAAAA'"))
    desk.session.commit()
    for name, told in (("CLIENT_ID", "c"), ("CLIENT_SECRET", "new"), ("KEY", "k")):
        monkeypatch.setenv(f"PIX_{name}", told)

    shell.done("payments", "change-account", "--location", desk.location.slug, "--secrets")

    row = desk.session.get_one(PaymentAccount, (desk.location.id, desk.account.id))
    assert read_account(row, sealer()).client_secret == "new"
    assert row.settings["base_url"] == desk.bank.base_url
