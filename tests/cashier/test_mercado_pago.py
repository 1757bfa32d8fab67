"""The second provider, through everything that the first one goes through."""

import hashlib
import hmac
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from app.booking.states import Status
from app.cashier.gateways import gateways, sealer
from app.cashier.reading import read_inbox
from app.cashier.reconciling import Sums, reconcile
from app.checkout import actions
from app.payments.accounts import change_account, new_webhook_secret
from app.payments.models import PaymentAccount
from tests.checkout.scenes import Desk
from tests.factories import DESK
from tests.payments.mercado_pago import SIGNATURE_SECRET, FakeMercadoPago, shop_account


def real_now() -> datetime:
    return datetime.now(UTC)


@pytest.fixture
def shop(desk: Desk) -> Iterator[FakeMercadoPago]:
    """The desk's account is at Mercado Pago, whose clock is the real one."""
    with FakeMercadoPago(real_now) as shop:
        row = desk.session.get_one(PaymentAccount, (desk.location.id, desk.account.id))
        change_account(desk.session, row, shop_account(shop), sealer=sealer())
        desk.session.commit()
        yield shop
        gateways().close()


def notify(client: FlaskClient, desk: Desk, number: str, *, secret: str = SIGNATURE_SECRET) -> int:
    """Send what Mercado Pago sends when a payment changed; the status of our answer."""
    row = desk.session.get_one(PaymentAccount, (desk.location.id, desk.account.id))
    address = f"/webhooks/pix/{row.id}/{new_webhook_secret(row)}"
    desk.session.commit()
    moment = int(real_now().timestamp() * 1000)
    text = f"id:{number};request-id:r-1;ts:{moment};"
    signature = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()
    answer = client.post(
        f"{address}?data.id={number}&type=payment",
        json={"type": "payment", "data": {"id": number}},
        headers={"x-signature": f"ts={moment},v1={signature}", "x-request-id": "r-1"},
    )
    return answer.status_code


def test_a_signed_notice_confirms(desk: Desk, shop: FakeMercadoPago, client: FlaskClient) -> None:
    booking = desk.ask()
    number = shop.books.pay(desk.txid(booking))

    assert notify(client, desk, number) == 200
    read_inbox()

    assert desk.see(booking).status is Status.CONFIRMED
    assert [p.end_to_end_id for p in desk.payments()] == [number]
    desk.check()


def test_16_a_signature_that_does_not_fit_costs_no_money(
    desk: Desk, shop: FakeMercadoPago, client: FlaskClient
) -> None:
    booking = desk.ask()
    number = shop.books.pay(desk.txid(booking))

    assert notify(client, desk, number, secret="another") == 401
    assert desk.waiting_notices() == 0
    desk.pass_time(seconds=31)

    assert desk.see(booking).status is Status.CONFIRMED
    desk.check()


def test_nobody_pays_and_the_charge_is_taken_back(desk: Desk, shop: FakeMercadoPago) -> None:
    booking = desk.ask()

    desk.pass_time(minutes=15, seconds=1)

    assert desk.see(booking).status is Status.EXPIRED
    assert [charge.status for charge in desk.charges()] == ["over"]
    assert [call.body for call in shop.calls("PUT")] == [{"status": "cancelled"}]


def test_money_goes_back_once_and_the_books_agree(desk: Desk, shop: FakeMercadoPago) -> None:
    booking = desk.ask()
    shop.books.pay(desk.txid(booking))
    desk.look()
    actions.cancel(desk.session, desk.location.id, booking.id, actor=DESK)
    [due] = desk.due()
    actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.session.commit()

    for _ in range(4):
        desk.pass_time(seconds=10)
        desk.look()

    assert [p.standing for p in desk.payments()] == ["returned"]
    assert len([call for call in shop.calls("POST") if call.path.endswith("/refunds")]) == 1
    now = real_now()
    found = reconcile(desk.location.id, desk.account.id, since=now - timedelta(hours=1), until=now)
    assert found.differences == ()
    assert found.ours == Sums(50_00, 0)
    desk.check()
