"""A bank with a clock of its own, and an account at it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from app.devservices.pix_bank.server import PixBank
from app.devservices.pix_bank.wire import Client
from app.money import Cents
from app.payments.pix.account import ProviderAccount
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.gateway import ChargeState

NOON = datetime(2026, 3, 10, 15, 0, tzinfo=UTC)
SECRET = "a-client-secret-that-nobody-may-read"
KEY = "12345678909"
"""A key that is a person's document, as keys of small businesses often are."""
CLIENT = Client(client_id="the-client", client_secret=SECRET, key=KEY)
TXID = "c3e0e7a4e7f1469a9f782d3d4999343c"
PRICE = Cents(5_000)
TOKEN = {"access_token": "t", "expires_in": "300"}
QUARTER = timedelta(minutes=15)
BODY: dict[str, Any] = {
    "calendario": {"expiracao": 900},
    "valor": {"original": "50.00"},
    "chave": KEY,
}
"""What a charge is asked for with, on the wire."""

WEBHOOK = f"/webhook/{KEY}"


class BankClock:
    def __init__(self) -> None:
        self._now = NOON

    def now(self) -> datetime:
        return self._now

    def advance(self, **length: float) -> datetime:
        self._now += timedelta(**length)
        return self._now


def an_account(bank: PixBank, **changes: Any) -> ProviderAccount:
    usual: dict[str, Any] = {
        "name": "main",
        "provider": "api_pix",
        "base_url": bank.base_url,
        "token_url": bank.token_url,
        "client_id": CLIENT.client_id,
        "client_secret": CLIENT.client_secret,
        "key": CLIENT.key,
        "merchant_name": "Estética São João",
        "merchant_city": "Brasília",
    }
    return ProviderAccount(**{**usual, **changes})


def a_charge(gateway: ApiPix, txid: str = TXID, amount: Cents = PRICE) -> ChargeState:
    return gateway.open_charge(txid, amount, expires_in=QUARTER, is_first=True)


def a_payment(gateway: ApiPix, bank: PixBank, amount: Cents = PRICE) -> str:
    """Open a charge and pay it; the end-to-end id of the payment."""
    a_charge(gateway, amount=amount)
    return str(bank.books.pay(CLIENT, TXID)["endToEndId"])


@dataclass
class Inbox:
    """Who is told; answers with ``statuses``, the last one for ever."""

    url: str = ""
    told: list[tuple[str, bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=lambda: [200])

    @property
    def bodies(self) -> list[bytes]:
        return [body for _, body in self.told]


def enter(bank: PixBank, client: Client = CLIENT) -> httpx.Client:
    """A client of the bank's API with a token in its hand."""
    answer = httpx.post(
        bank.token_url,
        data={"grant_type": "client_credentials"},
        auth=(client.client_id, client.client_secret),
        trust_env=False,
    )
    token = answer.json()["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=bank.base_url, headers=headers, trust_env=False)


def told(bank: PixBank, inbox: Inbox, number: int = 0) -> str:
    """Pay a charge and have it told to the inbox; the end-to-end id of the payment."""
    bank.books.set_webhook(CLIENT, CLIENT.key, inbox.url)
    txid = f"{number:032d}"
    bank.books.put_charge(CLIENT, txid, BODY)
    pix = bank.books.pay(CLIENT, txid)
    bank.notices.tell(pix)
    return str(pix["endToEndId"])


Serve = Callable[[httpx.Request], httpx.Response]


def answering(serve: Serve, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> ProviderAccount:
    """An account at a bank that gives a token to anybody, and answers just so."""

    def with_token(request: httpx.Request) -> httpx.Response:
        is_token = request.url.path == "/token"
        return httpx.Response(200, json=TOKEN) if is_token else serve(request)

    real = httpx.Client
    monkeypatch.setattr(
        httpx, "Client", lambda **_: real(transport=httpx.MockTransport(with_token))
    )
    usual: dict[str, Any] = {
        "name": "main",
        "provider": "api_pix",
        "base_url": "https://bank.example.com",
        "token_url": "https://bank.example.com/token",
        "client_id": "c",
        "client_secret": "s",
        "key": "k",
        "merchant_name": "Firme",
        "merchant_city": "Recife",
    }
    return ProviderAccount(**{**usual, **changes})


@contextmanager
def an_inbox() -> Iterator[Inbox]:
    inbox = Inbox()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            inbox.told.append((self.path, body))
            statuses = inbox.statuses
            self.send_response(statuses.pop(0) if len(statuses) > 1 else statuses[0])
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    inbox.url = f"http://127.0.0.1:{server.server_address[1]}/webhooks/pix/main/secret"
    try:
        yield inbox
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
