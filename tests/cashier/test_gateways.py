"""The ways to the providers: opened once, opened again when the account changes."""

from dataclasses import replace

import pytest

from app.cashier.gateways import gateway_for, gateway_of, gateways
from app.payments.accounts import change_account, read_account
from app.payments.models import PaymentAccount
from app.payments.pix.gateway import AccessDenied
from app.payments.sealing import CannotOpen, Sealer
from tests.checkout.scenes import Desk
from tests.payments.scenes import CLIENT, KEY, SECRET


def sealer() -> Sealer:
    return Sealer("a key that only tests know, long enough")


def row_of(desk: Desk) -> PaymentAccount:
    return desk.session.get_one(PaymentAccount, (desk.location.id, desk.account.id))


def test_a_gateway_is_opened_once(desk: Desk) -> None:
    key = (desk.location.id, desk.account.id)

    assert gateway_of(*key) is gateway_of(*key)
    assert desk.bank.access.issued == 0


def test_a_changed_account_is_opened_again(desk: Desk) -> None:
    first = gateway_of(desk.location.id, desk.account.id)
    row = row_of(desk)
    account = replace(read_account(row, sealer()), merchant_city="Rivera")
    change_account(desk.session, row, account, sealer=sealer())
    desk.session.commit()

    assert gateway_of(desk.location.id, desk.account.id) is not first
    assert read_account(row_of(desk), sealer()).merchant_city == "Rivera"


def test_secrets_are_sealed(desk: Desk) -> None:
    row = row_of(desk)

    assert read_account(row, sealer()).client_secret == SECRET
    stored = f"{row.settings} {row.sealed!r} {row.name} {row.webhook_digest}"
    for secret in (SECRET, KEY, CLIENT.client_id, desk.secret):
        assert secret not in stored


def test_another_key_opens_nothing_and_is_said_plainly(desk: Desk) -> None:
    row = row_of(desk)
    with pytest.raises(CannotOpen):
        read_account(row, Sealer("another key, long enough to be one"))

    with pytest.raises(AccessDenied, match="SECRET_KEY"):
        gateways().find(row, Sealer("another key, long enough to be one"), allow_simulated=True)


def test_a_simulated_bank_is_refused_where_nobody_plays(desk: Desk) -> None:
    with pytest.raises(AccessDenied, match="ALLOW_SIMULATED_PIX"):
        gateways().find(row_of(desk), sealer(), allow_simulated=False)
    assert gateway_for(row_of(desk)) is not None
