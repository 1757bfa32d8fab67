"""What a log may not hold: secrets, certificates, and anything of a person."""

import json
import logging

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from app.checkout import actions
from app.devservices.pix_bank.faults import Fault
from app.money import Cents
from app.payments.accounts import new_webhook_secret
from app.payments.models import PaymentAccount
from tests.checkout.scenes import ANA, Desk
from tests.factories import DESK
from tests.payments.scenes import CLIENT, KEY, SECRET

NOTE = "sou a Ana, CPF 12345678909"


def everything_happens(desk: Desk, client: FlaskClient) -> list[str]:
    """A day on which all goes well and all goes wrong; what nobody may read of it."""
    row = desk.session.get_one(PaymentAccount, (desk.location.id, desk.account.id))
    secret = new_webhook_secret(row)
    desk.session.commit()
    address = f"/webhooks/pix/{desk.account.id}"
    for fault in Fault:
        desk.bank.faults.clear()
        if fault is not Fault.SLOW:
            desk.bank.faults.add("", fault, times=2)
        held = desk.hold("2026-03-10 16:00")
        try:
            desk.confirm(held.id)
        except Exception:  # noqa: BLE001 - any way to fail is welcome here
            desk.session.rollback()
        actions.release(desk.session, desk.location.id, held.id, actor=DESK)
        desk.session.commit()
        desk.pass_time(seconds=11)
    desk.bank.faults.clear()
    booking = desk.ask("2026-03-10 13:00")
    pix = desk.pay(booking, amount=Cents(49_00), note=NOTE)
    client.post(f"{address}/{secret}/pix", json={"pix": [{"endToEndId": pix["endToEndId"]}]})
    client.post(f"{address}/wrong-{secret}", json={"pix": [{"infoPagador": NOTE}]})
    client.post(f"{address}/{secret}", data=json.dumps({"pix": [{"txid": NOTE}, NOTE]}))
    desk.work()
    [due] = desk.due()
    for fault in (Fault.LOST, Fault.FORBIDDEN, Fault.JUNK):
        desk.bank.faults.add("PUT /pix", fault)
    actions.refund_payment(desk.session, desk.location.id, due.payment_id, actor=DESK)
    desk.session.commit()
    for _ in range(5):
        desk.pass_time(seconds=20)
    desk.session.execute(text("SELECT 1"))
    return [SECRET, KEY, secret, CLIENT.client_id, NOTE, "Bearer", (ANA.phone or "")[-9:]]


def test_no_log_holds_a_secret_or_anything_of_a_person(
    desk: Desk,
    client: FlaskClient,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)

    secrets = everything_happens(desk, client)

    written = caplog.text + "".join(capfd.readouterr())
    assert "account" in written  # something was said
    for secret in secrets:
        assert secret not in written, secret


def test_no_failure_that_is_shown_holds_any_either(desk: Desk, client: FlaskClient) -> None:
    secrets = everything_happens(desk, client)

    shown = [str(charge.last_failure) for charge in desk.charges()]
    shown += [str(refund.failure) for refund in desk.refunds()]
    audit = desk.session.scalars(text("SELECT detail::text FROM audit")).all()
    outbox = desk.session.scalars(text("SELECT payload::text FROM outbox")).all()
    for secret in secrets:
        assert secret not in "".join([*shown, *audit, *outbox]), secret
