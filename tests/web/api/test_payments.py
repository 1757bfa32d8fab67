"""Deposits as programs meet them."""

import json
from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.cashier.reading import read_inbox
from app.cashier.watching import look_after_charges
from app.catalog.models import Location, Service
from app.devservices.pix_bank.faults import Fault
from app.devservices.pix_bank.server import PixBank
from app.payments.accounts import new_webhook_secret
from app.payments.models import Charge, PaymentAccount
from app.payments.pix.account import is_simulated
from tests.conftest import Clock
from tests.factories import a_location, an_api_key
from tests.payments.scenes import CLIENT
from tests.web.api.conftest import Api, refused, utc


def test_confirming_answers_what_is_to_be_paid(api: Api, color: Service, bank: PixBank) -> None:
    hold = api.hold(color).json

    answer = api.confirm(hold, customer={"name": "Ana", "phone": "11987654321"})

    booking = answer.json
    assert (answer.status_code, booking["status"]) == (200, "pending_payment")
    assert booking["expires_at"] == hold["expires_at"] == utc("2026-03-10 08:15:00")
    payment = booking["payment"]
    assert is_simulated(payment.pop("br_code"))
    txid = payment.pop("txid")
    assert payment == {
        "status": "pending",
        "amount_cents": 50_00,
        "currency": "BRL",
        "qr_url": f"http://localhost/api/v1/payments/{txid}/qr.svg",
        "expires_at": utc("2026-03-10 08:14:00"),
        "paid_at": None,
        "refund": None,
    }
    assert bank.books.charge(CLIENT, txid)["valor"]["original"] == "50.00"


def test_paying_confirms_and_every_answer_says_so(
    api: Api, color: Service, bank: PixBank, clock: Clock
) -> None:
    booking = api.book(color)
    bank.books.pay(CLIENT, booking["payment"]["txid"])
    clock.advance(seconds=31)

    look_after_charges()

    now = api.get(f"/bookings/{booking['id']}").json
    assert (now["status"], now["payment"]["status"]) == ("confirmed", "paid")
    assert now["payment"]["paid_at"] == utc("2026-03-10 08:00:00")
    assert api.get("/bookings").json["data"] == [now]
    assert api.get(f"/payments/{booking['payment']['txid']}").json == now["payment"]


def test_confirming_again_answers_the_same(api: Api, color: Service, bank: PixBank) -> None:
    hold = api.hold(color).json
    first = api.confirm(hold, key="k")

    again, other = api.confirm(hold, key="k"), api.confirm(hold)

    assert again.json == first.json
    assert again.headers["Idempotent-Replayed"] == "true"
    assert other.json == first.json
    assert len(bank.books.charges) == 1


@pytest.mark.parametrize("fault", [Fault.DOWN, Fault.CUT, Fault.BROKEN])
def test_a_provider_that_is_down_leaves_the_hold_and_a_retry_goes_on(
    api: Api, color: Service, bank: PixBank, fault: Fault
) -> None:
    hold = api.hold(color).json
    bank.faults.add("PUT /cob", fault, times=2)
    bank.faults.add("GET /cob", fault)

    down = api.confirm(hold, key="k")
    bank.faults.clear()

    refused(down, 503, "payment_provider_unavailable")
    assert int(down.headers["Retry-After"]) >= 5
    assert api.get(f"/bookings/{hold['id']}").json == hold
    again = api.confirm(hold, key="k")
    assert again.json["status"] == "pending_payment"
    assert again.json["payment"]["expires_at"] == utc("2026-03-10 08:14:00")
    assert len(bank.books.charges) == 1


def test_the_code_comes_as_a_picture_too(api: Api, color: Service) -> None:
    payment = api.book(color)["payment"]

    svg = api.get(f"/payments/{payment['txid']}/qr.svg")
    png = api.get(f"/payments/{payment['txid']}/qr.png")

    assert (svg.status_code, svg.mimetype) == (200, "image/svg+xml")
    assert b'xmlns="http://www.w3.org/2000/svg"' in svg.data
    assert (png.status_code, png.mimetype) == (200, "image/png")
    assert png.data.startswith(b"\x89PNG")


def test_a_charge_of_another_location_is_nowhere(
    api: Api, color: Service, client: FlaskClient, session: Session
) -> None:
    txid = api.book(color)["payment"]["txid"]
    stranger = Api(client, an_api_key(session, a_location(session)))

    for path in ("", "/qr.svg", "/qr.png"):
        refused(stranger.get(f"/payments/{txid}{path}"), 404, "not_found")


def test_a_charge_without_its_code_is_not_shown(
    api: Api, color: Service, bank: PixBank, session: Session
) -> None:
    bank.faults.add("PUT /cob", Fault.DOWN, times=2)
    api.confirm(api.hold(color).json)

    txid = session.scalar(text("SELECT txid FROM charge"))

    refused(api.get(f"/payments/{txid}"), 404, "not_found")


def test_what_is_paid_late_is_to_be_given_back(
    api: Api, color: Service, bank: PixBank, clock: Clock, session: Session
) -> None:
    booking = api.book(color)
    bank.books.pay(CLIENT, booking["payment"]["txid"], is_late=True)
    clock.advance(minutes=16)

    look_after_charges()

    now = api.get(f"/bookings/{booking['id']}").json
    assert now["status"] == "expired"
    assert now["payment"]["status"] == "paid"
    assert now["payment"]["refund"] == {"status": "due", "reason": "paid_late"}


def test_a_moved_booking_takes_its_deposit_along(
    api: Api, color: Service, bank: PixBank, clock: Clock
) -> None:
    booking = api.book(color)
    txid = booking["payment"]["txid"]
    bank.books.pay(CLIENT, txid)
    clock.advance(seconds=31)
    look_after_charges()

    moved = api.move(booking, "reschedule", starts_at="2026-03-10T17:00:00Z").json

    assert (moved["status"], moved["payment"]["status"]) == ("confirmed", "paid")
    assert moved["payment"]["txid"] == txid
    assert api.get(f"/bookings/{booking['id']}").json["payment"] is None
    assert api.get(f"/payments/{txid}").json["status"] == "paid"


def test_who_moves_while_the_code_is_open_pays_the_same_code(
    api: Api, color: Service, bank: PixBank, clock: Clock
) -> None:
    booking = api.book(color)

    moved = api.move(booking, "reschedule", starts_at="2026-03-10T17:00:00Z").json
    bank.books.pay(CLIENT, booking["payment"]["txid"])
    clock.advance(seconds=31)
    look_after_charges()

    assert moved["status"] == "pending_payment"
    assert moved["payment"] == booking["payment"]
    assert api.get(f"/bookings/{moved['id']}").json["status"] == "confirmed"
    assert api.get(f"/bookings/{booking['id']}").json["status"] == "cancelled"


def test_a_list_reads_all_deposits_at_once(
    api: Api, color: Service, session: Session, location: Location
) -> None:
    for hour in (9, 11, 13, 15):
        api.book(color, f"2026-03-10 {hour:02d}:00")

    listed = api.get("/bookings").json["data"]

    assert len({each["payment"]["txid"] for each in listed}) == 4


class TestWebhook:
    """The door of the providers: it keeps what it is told, and believes nothing."""

    @pytest.fixture
    def address(self, account: PaymentAccount, session: Session) -> str:
        secret = new_webhook_secret(account)
        session.commit()
        return f"/webhooks/pix/{account.id}/{secret}"

    def kept(self, session: Session) -> list[bytes]:
        session.rollback()
        return list(session.scalars(text("SELECT body FROM pix_notice ORDER BY id")))

    def test_a_notice_is_kept_and_settled(
        self, api: Api, color: Service, bank: PixBank, address: str, session: Session
    ) -> None:
        booking = api.book(color)
        pix = bank.books.pay(CLIENT, booking["payment"]["txid"])
        body = json.dumps({"pix": [{"endToEndId": pix["endToEndId"], "txid": pix["txid"]}]})

        answer = api.client.post(f"{address}/pix", data=body)

        assert (answer.status_code, answer.data) == (200, b"")
        assert self.kept(session) == [body.encode()]
        assert api.get(f"/bookings/{booking['id']}").json["status"] == "pending_payment"
        read_inbox()
        assert api.get(f"/bookings/{booking['id']}").json["status"] == "confirmed"

    @pytest.mark.parametrize("ending", ["", "/", "/pix", "/pix/"])
    def test_17_every_way_to_write_the_address(
        self, client: FlaskClient, session: Session, address: str, ending: str
    ) -> None:
        assert client.post(address + ending, data=b"{}").status_code == 200
        assert len(self.kept(session)) == 1

    @pytest.mark.parametrize("ending", ["?hmac={}&ignorar=/pix", "?hmac={}/pix", "/pix?hmac={}"])
    def test_17_a_secret_in_the_query(
        self, client: FlaskClient, session: Session, address: str, ending: str
    ) -> None:
        base, _, secret = address.rpartition("/")

        assert client.post(base + ending.format(secret), data=b"{}").status_code == 200
        assert client.post(base + ending.format("x" + secret), data=b"{}").status_code == 401
        assert len(self.kept(session)) == 1

    @pytest.mark.parametrize(
        "wrong", ["{account}/wrong/pix", "{account}", "nobody/{secret}", "{other}/{secret}/pix"]
    )
    def test_14_who_does_not_know_the_secret_leaves_nothing(
        self, client: FlaskClient, session: Session, address: str, wrong: str
    ) -> None:
        *_, account, secret = address.split("/")
        other = "00000000-0000-7000-8000-000000000000"
        path = wrong.format(account=account, secret=secret, other=other)

        answer = client.post(f"/webhooks/pix/{path}", data=b'{"pix": []}')

        assert answer.status_code == 401
        assert self.kept(session) == []

    def test_15_an_account_without_a_secret_hears_nobody(
        self, client: FlaskClient, session: Session, account: PaymentAccount
    ) -> None:
        for secret in (
            "",
            "x",
            "None",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ):
            assert client.post(f"/webhooks/pix/{account.id}/{secret}").status_code == 401
        assert self.kept(session) == []

    def test_a_body_without_end_is_not_read(self, client: FlaskClient, address: str) -> None:
        assert client.post(address, data=b"x" * 70_000).status_code == 413

    def test_looking_is_not_telling(self, client: FlaskClient, address: str) -> None:
        assert client.get(address).status_code == 405


def test_14_the_right_secret_and_an_unpaid_charge_change_nothing(
    api: Api, color: Service, session: Session, account: PaymentAccount, client: FlaskClient
) -> None:
    booking = api.book(color)
    secret = new_webhook_secret(account)
    session.commit()
    forged = {
        "endToEndId": "E00000000202603101100abcdefghijk",
        "txid": booking["payment"]["txid"],
        "valor": "50.00",
        "horario": datetime(2026, 3, 10, 11, 5, tzinfo=UTC).isoformat(),
        "chave": CLIENT.key,
    }

    client.post(f"/webhooks/pix/{account.id}/{secret}", json={"pix": [forged]})
    read_inbox()

    assert api.get(f"/bookings/{booking['id']}").json["status"] == "pending_payment"
    assert session.query(Charge).one().status == "open"
    assert session.scalar(text("SELECT count(*) FROM payment")) == 0
