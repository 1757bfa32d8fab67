"""A Mercado Pago that answers over HTTP, with what its documents and clients say it does."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from app.devservices.pix_bank.faults import WORKS_FIRST, Fault, Faults
from app.money import Cents
from app.payments.pix.account import ProviderAccount
from app.payments.pix.gateway import ChargeState
from app.payments.pix.mercado_pago import MercadoPago
from tests.payments.mercado_pago_books import EMAIL, Books, Json, Refusal
from tests.payments.scenes import PRICE, QUARTER, TXID

TOKEN = "APP_USR-a-token-that-nobody-may-read"
SIGNATURE_SECRET = "test-secret-0001"
ADDRESS = "https://desk.example.com/webhooks/pix/main/the-webhook-secret"


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: Json
    text: str


class FakeMercadoPago:
    """``seen`` holds every call; ``faults`` plans failures as the simulated bank does."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.books = Books(now)
        self.faults = Faults()
        self.seen: list[Seen] = []
        self.token = TOKEN
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _door(self))
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "FakeMercadoPago":
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def calls(self, method: str) -> list[Seen]:
        return [each for each in self.seen if each.method == method]

    def answer(self, seen: Seen) -> tuple[int, Json]:
        with self._lock:
            self.seen.append(seen)
            if seen.headers.get("authorization") != f"Bearer {self.token}":
                raise Refusal(401, 5)
            key = seen.headers.get("x-idempotency-key", "")
            if seen.method == "POST" and not key:
                raise Refusal(400, 4292)
            if seen.method == "POST" and key in self.books.answered:
                return 201, self.books.answered[key]
            document = self._act(seen)
            if seen.method == "POST" and not self.books.forgets_keys:
                self.books.answered[key] = json.loads(json.dumps(document))
            return (201 if seen.method == "POST" else 200), document

    def _act(self, seen: Seen) -> Json:
        parts = urlsplit(seen.path)
        path = parts.path.removeprefix("/v1/payments").strip("/").split("/")
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match seen.method, path:
            case "GET", ["search"]:
                return self.books.search(query)
            case "GET", [number]:
                return self.books.payment(number)
            case "GET", [number, "refunds"]:
                self.books.payment(number)
                return self.books.refunds.get(number, [])
            case "GET", [number, "refunds", refund]:
                known = self.books.refunds.get(number, [])
                for each in known:
                    if str(each["id"]) == refund:
                        return each
            case "PUT", [number]:
                return self.books.change(number, seen.body)
            case "POST", [""]:
                return self.books.create(seen.body)
            case "POST", [number, "refunds"]:
                return self.books.refund(number, seen.body.get("amount"))
        raise Refusal(404, 2000)


_STATUS = {
    Fault.DOWN: 503,
    Fault.BROKEN: 500,
    Fault.LIMITED: 429,
    Fault.UNAUTHORIZED: 401,
    Fault.FORBIDDEN: 403,
    Fault.HTML: 502,
    Fault.NOWHERE: 404,
    Fault.LATE: 504,
}
_TEXT = {
    Fault.EMPTY: "",
    Fault.JUNK: '{"half',
    Fault.HTML: "<html>",
    Fault.NOWHERE: "<html>",
}


def _door(fake: FakeMercadoPago) -> type[BaseHTTPRequestHandler]:
    class Door(BaseHTTPRequestHandler):
        def _meet(self) -> None:
            text = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(text, parse_float=Decimal) if text else {}
            seen = Seen(self.command, self.path, headers, body, text)
            plan = fake.faults.take(self.command, self.path.removeprefix("/v1"))
            fault = plan and plan.fault
            status, document = 200, None
            if fault is None or fault in WORKS_FIRST:
                try:
                    status, document = fake.answer(seen)
                except Refusal as refusal:
                    status, document = refusal.status, refusal.document
            self._send(fault, status, document)

        def _send(self, fault: Fault | None, status: int, document: Json) -> None:
            if fault in {Fault.LOST, Fault.CUT}:
                self.close_connection = True
                return
            status = _STATUS.get(fault, status) if fault else status
            page = fault in {Fault.HTML, Fault.NOWHERE}
            text = json.dumps(document) if fault is None else _TEXT.get(fault, "{}")
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if page else "application/json")
            if fault is Fault.LIMITED:
                self.send_header("Retry-After", "7")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:
            return

        def do_GET(self) -> None:
            self._meet()

        def do_POST(self) -> None:
            self._meet()

        def do_PUT(self) -> None:
            self._meet()

    return Door


def shop_account(shop: FakeMercadoPago, **changes: Any) -> ProviderAccount:
    usual: dict[str, Any] = {
        "name": "main",
        "provider": "mercadopago",
        "base_url": shop.base_url,
        "client_secret": TOKEN,
        "signature_secret": SIGNATURE_SECRET,
        "payer_email": EMAIL,
        "notification_url": ADDRESS,
        "merchant_name": "Estética São João",
        "merchant_city": "Brasília",
    }
    return ProviderAccount(**{**usual, **changes})


def charge_at(mp: MercadoPago, txid: str = TXID, amount: Cents = PRICE) -> ChargeState:
    return mp.open_charge(txid, amount, expires_in=QUARTER, is_first=True)


def paid_at(shop: FakeMercadoPago, mp: MercadoPago, amount: Cents = PRICE) -> str:
    """Open a charge and pay it; the number of the payment."""
    charge_at(mp, amount=amount)
    return shop.books.pay()
