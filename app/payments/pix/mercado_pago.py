"""Mercado Pago's payments, as a Pix provider.

A charge is a payment of theirs whose ``external_reference`` is our txid; the money's end-to-end id
is the number of that payment. Not tried against their servers: it holds what their documents and
their own clients say (design/pix.md sections 2 and 3).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

import httpx

from app.clock import SystemClock
from app.money import Cents
from app.payments.pix.account import ProviderAccount, is_address_to_notify
from app.payments.pix.doubt import after_doubt, surely
from app.payments.pix.gateway import (
    ChargeState,
    GatewayError,
    Notice,
    OutcomeUnknown,
    PaidPix,
    RefundState,
    RefundStatus,
    Rejected,
    Unreadable,
)
from app.payments.pix.mercado_pago_http import MercadoPagoHttp
from app.payments.pix.mercado_pago_lookup import Lookup
from app.payments.pix.mercado_pago_reading import (
    EXPIRES_IN,
    is_active,
    is_id,
    is_paid_pix,
    read_charge,
    read_id,
    read_notices,
    read_payment,
    read_payments,
    read_refund,
    with_amount,
)
from app.payments.pix.mercado_pago_signature import is_signed
from app.payments.pix.provider_http import TIMEOUT, Document, found
from app.payments.pix.terms import LONGEST_NOTE, check_charge, check_refund, whole_seconds

_CANCEL = json.dumps({"status": "cancelled"}).encode()


class MercadoPago:
    """A ``PixGateway``; see there for what each call promises."""

    lists_our_refunds = False

    def __init__(
        self,
        account: ProviderAccount,
        *,
        now: Callable[[], datetime] | None = None,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> None:
        self._account = account
        self._now = now or SystemClock().now
        self._notification_url = account.notification_url
        self._http = MercadoPagoHttp(account, timeout=timeout)
        self._lookup = Lookup(self._http)

    def close(self) -> None:
        self._http.close()

    def open_charge(
        self,
        txid: str,
        amount: Cents,
        *,
        expires_in: timedelta,
        note: str = "",
        is_first: bool = False,
    ) -> ChargeState:
        check_charge(txid, amount)
        charge = None if is_first else self.find_charge(txid)
        if charge is None:
            body = self._wish(txid, amount, whole_seconds(expires_in), note)
            charge = surely(lambda: self._create(txid, body), lambda: self.find_charge(txid))
        if charge.amount != amount:
            raise Rejected("TxidInUse", status=409, fields=("transaction_amount",))
        return charge

    def find_charge(self, txid: str) -> ChargeState | None:
        documents = self._lookup.of_charge(txid)
        return read_charge(documents) if documents else None

    def remove_charge(self, txid: str) -> ChargeState | None:
        documents = self._lookup.of_charge(txid)
        active = [document for document in documents if is_active(document)]
        doubt: GatewayError | None = None
        for document in active:
            try:
                self._http.write("PUT", read_id(document.get("id")), body=_CANCEL)
            except (Rejected, OutcomeUnknown) as failure:
                doubt = failure
        if active:
            documents = after_doubt(lambda: self._lookup.again(documents))
        if any(is_active(document) for document in documents):
            raise doubt or OutcomeUnknown("a cancelled charge is still there")
        return read_charge(documents) if documents else None

    def find_payment(self, end_to_end_id: str) -> PaidPix | None:
        document = self._lookup.payment(end_to_end_id) if is_id(end_to_end_id) else None
        return read_payment(document) if document and is_paid_pix(document) else None

    def list_payments(
        self, since: datetime, until: datetime, *, txid: str | None = None
    ) -> Iterator[PaidPix]:
        query = {
            "range": "date_approved",
            "begin_date": _instant(since),
            "end_date": _instant(until),
            "sort": "date_approved",
            "criteria": "asc",
        }
        if txid is not None:
            query["external_reference"] = txid
        seen: set[str] = set()
        unread = 0
        for results in self._lookup.pages(query):
            for payment in read_payments(results):
                if payment is None:
                    unread += 1
                elif payment.end_to_end_id not in seen and txid in {None, payment.txid}:
                    seen.add(payment.end_to_end_id)
                    yield payment
        if unread:
            raise Unreadable(f"{unread} payments cannot be read")

    def refund(
        self, end_to_end_id: str, refund_id: str, amount: Cents, *, note: str = ""
    ) -> RefundState:
        """Give money back; see ``PixGateway``. Mercado Pago has no place for the ``note``.

        A whole refund is looked for before it is asked for again. For a part only Mercado Pago's
        memory of keys keeps it from going back twice, and it does not say how long that is.
        """
        check_refund(refund_id, amount)
        refund = surely(
            lambda: self._give_back(end_to_end_id, refund_id, amount),
            lambda: self._known_refund(end_to_end_id, refund_id),
        )
        if refund.amount != amount:
            raise Rejected("RefundIdInUse", status=409, fields=("amount",))
        return refund

    def find_refund(
        self, end_to_end_id: str, refund_id: str, *, return_id: str | None = None
    ) -> RefundState | None:
        """Return what became of a refund.

        Mercado Pago keeps no id of ours with a refund, so without ``return_id`` only one that gave
        all of the payment back is known to be the one asked for. Nothing is also the answer when
        none worked: ask for it again with the same id, which is what tells how it ended.

        Raises:
            Unreadable: parts went back, and it does not say by which request.
        """
        if return_id is not None and is_id(return_id):
            return self._lookup.refund(end_to_end_id, return_id, refund_id)
        return self._lookup.whole_refund(end_to_end_id, refund_id)

    def set_webhook(self, url: str) -> None:
        """Have the payments opened from now on in this process told to ``url``.

        Mercado Pago keeps an address with each payment and none with the account, so that only the
        account's ``notification_url`` lasts. No ``/pix`` is added to it.
        """
        if not is_address_to_notify(url):
            raise Rejected("WebhookUrl", status=400, fields=("notification_url",))
        self._notification_url = url

    def find_webhook(self) -> str | None:
        return self._notification_url or None

    def remove_webhook(self) -> None:
        """Name no address any more in new payments; what the panel says is told all the same."""
        self._notification_url = ""

    def is_for_us(self, payment: PaidPix) -> bool:
        return True

    def read_notices(self, body: bytes) -> list[Notice]:
        return read_notices(body)

    def is_genuine(self, *, query: Mapping[str, str], headers: Mapping[str, str]) -> bool:
        return is_signed(
            secret=self._account.signature_secret, query=query, headers=headers, now=self._now()
        )

    def _wish(self, txid: str, amount: Cents, seconds: int, note: str) -> bytes:
        lives = max(seconds, self._account.shortest_expiry_seconds)
        document: Document = {
            "payment_method_id": "pix",
            "external_reference": txid,
            "date_of_expiration": _instant(self._now() + timedelta(seconds=lives)),
            "metadata": {EXPIRES_IN: seconds},
            "payer": {"email": self._account.payer_email},
        }
        if note:
            document["description"] = note[:LONGEST_NOTE]
        if self._notification_url:
            join = "&" if "?" in self._notification_url else "?"
            # Without it each payment is told a second time, in an older form without a signature.
            document["notification_url"] = f"{self._notification_url}{join}source_news=webhooks"
        return with_amount("transaction_amount", amount, document)

    def _create(self, txid: str, body: bytes) -> ChargeState:
        charge = read_charge([found(self._http.write("POST", body=body, key=txid))])
        if charge.txid != txid:
            raise Unreadable("the answer is about another charge")
        return charge

    def _give_back(self, payment_id: str, refund_id: str, amount: Cents) -> RefundState:
        """Ask for a refund, and how it ended if a repetition is answered as the first time was."""
        key = f"{payment_id}-{refund_id}"
        body = with_amount("amount", amount, {})
        document = found(self._http.write("POST", payment_id, "refunds", body=body, key=key))
        if read_id(document.get("payment_id", payment_id)) != payment_id:
            raise Unreadable("the answer is about another payment")
        refund = read_refund(document, refund_id)
        if refund.status is RefundStatus.DONE or refund.return_id is None:
            return refund
        try:
            return self._lookup.refund(payment_id, refund.return_id, refund_id) or refund
        except GatewayError:
            return refund

    def _known_refund(self, payment_id: str, refund_id: str) -> RefundState | None:
        """What a doubtful refund came to; if it cannot be told, asking with the same key tells."""
        try:
            return self._lookup.whole_refund(payment_id, refund_id)
        except Unreadable:
            return None


def _instant(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="milliseconds")
