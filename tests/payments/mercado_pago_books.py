"""What a Mercado Pago for tests knows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from app.payments.pix.brcode import dynamic
from tests.payments.scenes import TXID

EMAIL = "payer@desk.example.com"
HERE = timezone(timedelta(hours=-4))
"""The offset that Mercado Pago writes its times with."""
LEFT_OUT_BY_A_SEARCH = {"point_of_interaction", "metadata"}

Json = Any


class Refusal(Exception):
    def __init__(self, status: int, code: int = 0) -> None:
        super().__init__(status)
        self.status = status
        self.document = {
            "message": f"Refused for {EMAIL}",
            "error": {400: "bad_request", 404: "not_found", 401: "unauthorized"}.get(status),
            "status": status,
            "cause": [{"code": code, "description": f"{EMAIL} is odd"}],
        }


@dataclass
class Books:
    """What Mercado Pago knows. Amounts are floats, since it sends such numbers."""

    now: Callable[[], datetime]
    payments: dict[str, Json] = field(default_factory=dict)
    refunds: dict[str, list[Json]] = field(default_factory=dict)
    answered: dict[str, Json] = field(default_factory=dict)
    search_is_late: bool = False
    refunds_are: str = "approved"
    forgets_metadata: bool = False
    forgets_keys: bool = False

    def stamp(self) -> str:
        return self.now().astimezone(HERE).isoformat(timespec="milliseconds")

    def create(self, wish: Json) -> Json:
        if wish["payment_method_id"] != "pix" or "@" not in wish["payer"]["email"]:
            raise Refusal(400, 4006)
        number = 91_000_000_001 + len(self.payments)
        payment = {
            "id": number,
            "date_created": self.stamp(),
            "date_approved": None,
            "date_of_expiration": wish["date_of_expiration"],
            "payment_method_id": "pix",
            "status": "pending",
            "status_detail": "pending_waiting_transfer",
            "currency_id": "BRL",
            "external_reference": wish["external_reference"],
            "notification_url": wish.get("notification_url"),
            "transaction_amount": float(wish["transaction_amount"]),
            "metadata": {} if self.forgets_metadata else wish.get("metadata", {}),
            "refunds": [],
            "point_of_interaction": {
                "transaction_data": {
                    "qr_code": dynamic(
                        f"pix.example.com/qr/{number}",
                        merchant_name="Firme",
                        merchant_city="Recife",
                    )
                }
            },
        }
        self.payments[str(number)] = payment
        return payment

    def payment(self, number: str) -> Json:
        if number not in self.payments:
            raise Refusal(404, 2000)
        return self.payments[number]

    def search(self, query: dict[str, str]) -> Json:
        known = [] if self.search_is_late else list(self.payments.values())
        if "external_reference" in query:
            wanted = query["external_reference"]
            known = [each for each in known if each["external_reference"] == wanted]
        if query.get("range") == "date_approved":
            begin, end = (
                datetime.fromisoformat(query[f"{name}_date"]) for name in ("begin", "end")
            )
            known = [
                each
                for each in known
                if each["date_approved"]
                and begin <= datetime.fromisoformat(each["date_approved"]) <= end
            ]
        offset, limit = int(query.get("offset", "0")), int(query.get("limit", "30"))
        results = [
            {name: value for name, value in each.items() if name not in LEFT_OUT_BY_A_SEARCH}
            for each in known[offset : offset + limit]
        ]
        paging = {"total": len(known), "limit": limit, "offset": offset}
        return {"paging": paging, "results": results}

    def change(self, number: str, wish: Json) -> Json:
        payment = self.payment(number)
        if wish != {"status": "cancelled"} or payment["status"] not in {"pending", "in_process"}:
            raise Refusal(400, 2018)
        payment.update(status="cancelled", status_detail="by_collector")
        return payment

    def pay(self, txid: str = TXID) -> str:
        [payment] = [
            each
            for each in self.payments.values()
            if each["external_reference"] == txid and each["status"] == "pending"
        ]
        payment.update(status="approved", status_detail="accredited", date_approved=self.stamp())
        return str(payment["id"])

    def refund(self, number: str, amount: Decimal | None, source: str = "collector") -> Json:
        payment = self.payment(number)
        gone = sum(
            Decimal(str(each["amount"]))
            for each in self.refunds.get(number, [])
            if each["status"] != "rejected"
        )
        left = Decimal(str(payment["transaction_amount"])) - gone
        if payment["status"] != "approved" or (amount is not None and not 0 < amount <= left):
            raise Refusal(400, 2063)
        refund = {
            "id": 1_150_873_004 + sum(map(len, self.refunds.values())),
            "payment_id": int(number),
            "amount": float(left if amount is None else amount),
            "metadata": {},
            "source": {"id": "475845652", "name": "Somebody", "type": source},
            "date_created": self.stamp(),
            "status": self.refunds_are,
            "reason": None,
        }
        self.refunds.setdefault(number, []).append(refund)
        self._show(number)
        return refund

    def settle(self, number: str, status: str) -> None:
        for refund in self.refunds[number]:
            if refund["status"] == "in_process":
                refund["status"] = status
        self._show(number)

    def _show(self, number: str) -> None:
        """A payment shows only the refunds that worked, and is refunded when all went back."""
        payment = self.payments[number]
        payment["refunds"] = [each for each in self.refunds[number] if each["status"] == "approved"]
        if sum(each["amount"] for each in payment["refunds"]) == payment["transaction_amount"]:
            payment["status"] = "refunded"
