"""The Banco Central's API Pix, 2.9.0, as banks speak it."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import httpx

from app.clock import SystemClock
from app.money import Cents
from app.payments.pix.account import ProviderAccount, WrongAccount
from app.payments.pix.api_pix_http import ApiPixHttp
from app.payments.pix.api_pix_profiles import PROFILES
from app.payments.pix.api_pix_reading import (
    read_charge,
    read_notices,
    read_payment,
    read_payments,
    read_refund,
)
from app.payments.pix.brcode import format_amount
from app.payments.pix.doubt import after_doubt, surely
from app.payments.pix.gateway import (
    AccessDenied,
    ChargeState,
    ChargeStatus,
    Notice,
    OutcomeUnknown,
    PaidPix,
    RefundState,
    Rejected,
    Unreadable,
)
from app.payments.pix.provider_http import TIMEOUT, Answer, Document, certain, found
from app.payments.pix.terms import LONGEST_NOTE, check_charge, check_refund, whole_seconds
from app.payments.pix.tokens import TokenStore

log = logging.getLogger(__name__)

_PAGE = 100
"""Payments in a page: what the Banco Central's text takes for granted."""
_SKEW = timedelta(minutes=5)
"""How far a bank's clock may be ahead of ours when we ask for what came in until now."""


class ApiPix:
    """A ``PixGateway``; see there for what each call promises."""

    lists_our_refunds = True

    def __init__(
        self,
        account: ProviderAccount,
        *,
        tokens: TokenStore | None = None,
        now: Callable[[], datetime] | None = None,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> None:
        if account.profile not in PROFILES:
            raise WrongAccount(f"Pix account {account.name}: no bank has that profile.")
        self._account = account
        self._profile = PROFILES[account.profile]
        self._now = now or SystemClock().now
        self._http = ApiPixHttp(
            account, self._profile, tokens=tokens, now=self._now, timeout=timeout
        )

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
            document: Document = {
                "calendario": {"expiracao": whole_seconds(expires_in)},
                "valor": {"original": format_amount(amount)},
                "chave": self._account.key,
            }
            if note:
                document["solicitacaoPagador"] = note[:LONGEST_NOTE]
            charge = surely(
                lambda: self._charge(self._http.write("PUT", self._cob(txid), document), txid),
                lambda: self.find_charge(txid),
            )
        if charge.amount != amount:
            raise Rejected("TxidInUse", status=409, fields=("valor.original",))
        return charge

    def find_charge(self, txid: str) -> ChargeState | None:
        answer = self._http.read(self._cob(txid))
        if answer.is_missing:
            return None
        charge = self._charge(certain(answer), txid)
        if charge.status is ChargeStatus.PAID and not charge.payments:
            return self._with_payments(charge)
        return charge

    def remove_charge(self, txid: str) -> ChargeState | None:
        wish = {"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"}
        try:
            answer = self._http.write("PATCH", self._cob(txid), wish)
            return None if answer.is_missing else self._charge(answer, txid)
        except AccessDenied:
            raise
        except (Rejected, OutcomeUnknown, Unreadable) as doubt:
            charge = after_doubt(lambda: self.find_charge(txid))
            if charge is not None and charge.status is ChargeStatus.ACTIVE:
                raise doubt from None
            return charge

    def find_payment(self, end_to_end_id: str) -> PaidPix | None:
        answer = self._http.read(self._profile.path("pix", quote(end_to_end_id, safe="")))
        return None if answer.is_missing else read_payment(certain(answer).document or {})

    def list_payments(
        self, since: datetime, until: datetime, *, txid: str | None = None
    ) -> Iterator[PaidPix]:
        query = {
            "inicio": _rfc3339(since),
            "fim": _rfc3339(until),
            "paginacao.itensPorPagina": str(_PAGE),
        }
        if txid is not None:
            query["txid"] = txid
        seen: set[str] = set()
        unreadable: Unreadable | None = None
        page = 0
        while True:
            query["paginacao.paginaAtual"] = str(page)
            document = self._page(query)
            before = len(seen)
            try:
                for payment in read_payments(document.get("pix")):
                    if payment.end_to_end_id not in seen:
                        seen.add(payment.end_to_end_id)
                        yield payment
            except Unreadable as failure:
                unreadable = failure
            page += 1
            if not _has_page(document, page) or len(seen) == before:
                break
        if unreadable:
            raise unreadable

    def _page(self, query: dict[str, str]) -> Document:
        answer = certain(self._http.read(self._profile.path("pix"), query=query))
        if answer.is_missing:  # a list may be empty, but it is there: the address is wrong
            raise Rejected("http_404", status=answer.status)
        return answer.document or {}

    def refund(
        self, end_to_end_id: str, refund_id: str, amount: Cents, *, note: str = ""
    ) -> RefundState:
        check_refund(refund_id, amount)
        document = {"valor": format_amount(amount)}
        if note:
            document["descricao"] = note[:LONGEST_NOTE]
        path = self._refund_path(end_to_end_id, refund_id)
        refund = surely(
            lambda: _refund(self._http.write("PUT", path, document), refund_id),
            lambda: self.find_refund(end_to_end_id, refund_id),
        )
        if refund.amount != amount:
            raise Rejected("RefundIdInUse", status=409, fields=("valor",))
        return refund

    def find_refund(
        self, end_to_end_id: str, refund_id: str, *, return_id: str | None = None
    ) -> RefundState | None:
        answer = self._http.read(self._refund_path(end_to_end_id, refund_id))
        return None if answer.is_missing else _refund(certain(answer), refund_id)

    def set_webhook(self, url: str) -> None:
        try:
            answer = self._http.write(
                "PUT",
                self._webhook(),
                {"webhookUrl": url},
                headers=self._profile.webhook_headers,
            )
        except OutcomeUnknown:
            if after_doubt(self.find_webhook) != url:
                raise
        else:
            if answer.is_missing:
                raise Rejected("http_404", status=answer.status)

    def find_webhook(self) -> str | None:
        answer = self._http.read(self._webhook())
        url = (answer.document or {}).get("webhookUrl")
        return url if isinstance(url, str) and not answer.is_missing else None

    def remove_webhook(self) -> None:
        self._http.write("DELETE", self._webhook())

    def is_for_us(self, payment: PaidPix) -> bool:
        return payment.key in {None, self._account.key}

    def read_notices(self, body: bytes) -> list[Notice]:
        return read_notices(body)

    def is_genuine(self, *, query: Mapping[str, str], headers: Mapping[str, str]) -> bool:
        return True

    def _cob(self, txid: str) -> str:
        return self._profile.path("cob", quote(txid, safe=""))

    def _refund_path(self, end_to_end_id: str, refund_id: str) -> str:
        parts = (quote(part, safe="") for part in (end_to_end_id, "devolucao", refund_id))
        return self._profile.path("pix", *parts)

    def _webhook(self) -> str:
        return self._profile.path("webhook", quote(self._account.key, safe=""))

    def _charge(self, answer: Answer, txid: str) -> ChargeState:
        charge = read_charge(
            found(answer),
            copy_paste_fields=self._profile.copy_paste_fields,
            merchant_name=self._account.merchant_name,
            merchant_city=self._account.merchant_city,
        )
        if charge.txid != txid:
            raise Unreadable("the answer is about another charge")
        return charge

    def _with_payments(self, charge: ChargeState) -> ChargeState:
        """Add the payments that the bank leaves out of a paid charge."""
        until = max(charge.created_at, self._now()) + _SKEW
        payments = tuple(self.list_payments(charge.created_at, until, txid=charge.txid))
        return replace(charge, payments=payments)


def _refund(answer: Answer, refund_id: str) -> RefundState:
    refund = read_refund(found(answer))
    if refund.refund_id != refund_id:
        raise Unreadable("the answer is about another refund")
    return refund


def _has_page(document: Document, page: int) -> bool:
    """Whether there is a page of that number; if the bank does not say, look until one is empty."""
    asked = document.get("parametros")
    paging = asked.get("paginacao") if isinstance(asked, dict) else None
    pages = str(paging.get("quantidadeDePaginas", "")) if isinstance(paging, dict) else ""
    return page < int(pages) if pages.isdecimal() else True


def _rfc3339(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
