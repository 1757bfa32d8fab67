"""HTTP as Mercado Pago wants it: one token for ever, and a key that makes repeating safe."""

from collections.abc import Mapping
from urllib.parse import quote

import httpx

from app.payments.pix.account import ProviderAccount
from app.payments.pix.gateway import OutcomeUnknown, Rejected
from app.payments.pix.provider_http import (
    TIMEOUT,
    Answer,
    Document,
    as_question,
    judge,
    open_client,
    send,
)
from app.payments.pix.reading import entries

_STILL_AT_IT = {409, 423, 425}
"""An earlier call with the same key is being worked on, or the payment is."""


class MercadoPagoHttp:
    """One account's connection. Safe to share between threads; not across a fork."""

    def __init__(self, account: ProviderAccount, *, timeout: httpx.Timeout = TIMEOUT) -> None:
        self._account = account
        self._client = open_client(account, timeout)

    def close(self) -> None:
        self._client.close()

    def read(self, *path: str, query: Mapping[str, str] | None = None) -> Answer:
        """GET /v1/payments/...; every failure is ProviderDown, since nothing can have changed."""
        return as_question(lambda: self._call("GET", path, query=query))

    def write(self, method: str, *path: str, body: bytes, key: str = "") -> Answer:
        """POST or PUT; with the same ``key`` a second time it does nothing and answers the same.

        Raises:
            OutcomeUnknown: it was sent and the answer never came, or says nothing.
        """
        return self._call(method, path, body=body, key=key)

    def _call(
        self,
        method: str,
        path: tuple[str, ...],
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        key: str = "",
    ) -> Answer:
        headers = {
            "Authorization": f"Bearer {self._account.client_secret}",
            # Without it a refund that waits for the bank is answered as if it were refused.
            "X-Render-In-Process-Refunds": "true",
        }
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key:
            headers["X-Idempotency-Key"] = key
        parts = [self._account.base_url.rstrip("/"), "v1", "payments"]
        request = self._client.build_request(
            method,
            "/".join([*parts, *(quote(part, safe="") for part in path)]),
            params=query,
            content=body,
            headers=headers,
        )
        try:
            return judge(send(self._client, request), _faults)
        except Rejected as refusal:
            if refusal.status in _STILL_AT_IT:
                raise OutcomeUnknown(refusal.kind) from None
            raise


def _faults(document: Document) -> tuple[str, ...]:
    """The numbers of the causes; their descriptions may repeat what was sent."""
    return tuple(f"cause.{each.get('code', '')}" for each in entries(document.get("cause")))
