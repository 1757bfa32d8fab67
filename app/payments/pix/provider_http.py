"""What HTTP with every Pix provider has in common: answers, and failures told apart."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import httpx

from app.payments.pix.account import ProviderAccount
from app.payments.pix.certificates import tls_of
from app.payments.pix.gateway import (
    AccessDenied,
    GatewayError,
    OutcomeUnknown,
    ProviderDown,
    Rejected,
)

for _chatty in ("httpx", "httpcore"):
    # They log addresses and headers: a Pix key in a path may be somebody's document.
    logging.getLogger(_chatty).setLevel(logging.WARNING)

Document = dict[str, Any]
Faults = Callable[[Document], tuple[str, ...]]
"""Reads from a refusal the names of what was wrong with the request, never its content."""

TIMEOUT = httpx.Timeout(15.0, connect=5.0)
"""Seconds. Banks answer in one or two; a person waits in front of a booking being confirmed."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.\[\]-]{0,60}")

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
)
_CLOSED = {429, 503}


@dataclass(frozen=True)
class Answer:
    """A 2xx answer, or a 404 that is the provider's own and not some page in between.

    A body that is a list is in ``items`` and not in ``document``. Numbers with a point are
    ``Decimal``.
    """

    status: int
    document: Document | None
    items: list[Document] | None = None

    @property
    def is_missing(self) -> bool:
        return self.status in {404, 410}


def open_client(account: ProviderAccount, timeout: httpx.Timeout) -> httpx.Client:
    """Open connections to an account's provider. To be shared between threads, not across a fork.

    Raises:
        WrongAccount: a setting of it cannot work.
    """
    account.check()
    return httpx.Client(
        verify=tls_of(account), timeout=timeout, trust_env=False, follow_redirects=False
    )


def send(client: httpx.Client, request: httpx.Request) -> httpx.Response:
    """Send a request once.

    Raises:
        ProviderDown: it never left.
        OutcomeUnknown: it left and no answer came.
    """
    try:
        return client.send(request)
    except _NEVER_SENT as failure:
        raise ProviderDown(f"no connection ({type(failure).__name__})") from None
    except httpx.HTTPError as failure:
        raise OutcomeUnknown(f"no answer ({type(failure).__name__})") from None


def judge(response: httpx.Response, faults: Faults) -> Answer:
    """Tell an answer from a refusal and both from a failure.

    Raises:
        Rejected, AccessDenied, ProviderDown, OutcomeUnknown: as ``gateway`` tells them apart.
    """
    status, body = response.status_code, _body(response)
    document = body if isinstance(body, dict) else None
    if response.is_success:
        items = body if isinstance(body, list) else None
        return Answer(status, document, items)
    if status in {404, 410} and "html" not in response.headers.get("content-type", ""):
        return Answer(status, document)
    raise _failure(status, document or {}, response.headers, faults)


def as_question(ask: Callable[[], Answer]) -> Answer:
    """Ask what changes nothing: an unknown outcome is then no more than a provider that is down."""
    try:
        return ask()
    except OutcomeUnknown as failure:
        raise ProviderDown(str(failure)) from None


def found(answer: Answer) -> Document:
    """Return what an answer to a change says.

    Raises:
        Rejected: there is nothing of that name to change.
        OutcomeUnknown: the answer is empty.
    """
    if answer.is_missing:
        raise Rejected("http_404", status=answer.status)
    if answer.document is None:
        raise OutcomeUnknown("an answer without content")
    return answer.document


def certain(answer: Answer) -> Answer:
    """Return an answer to a question if it was read; an empty one is no answer.

    Raises:
        ProviderDown: the answer is empty.
    """
    if answer.document is None and not answer.is_missing:
        raise ProviderDown("an answer without content")
    return answer


def _failure(
    status: int, document: Document, headers: Mapping[str, str], faults: Faults
) -> GatewayError:
    kind = _kind(document) or f"http_{status}"
    if status in {401, 403}:
        return AccessDenied(kind, status=status)
    if status in _CLOSED:
        wait = headers.get("retry-after", "")
        seconds = int(wait) if wait.isdecimal() and len(wait) < 6 else None
        return ProviderDown(
            kind, retry_after=None if seconds is None else timedelta(seconds=seconds)
        )
    if status >= 500 or status in {404, 408, 410}:
        return OutcomeUnknown(kind)
    names = tuple(name for name in faults(document) if _NAME.fullmatch(name))
    return Rejected(kind, status=status, fields=names)


def _kind(document: Document) -> str | None:
    """The last word of the problem's type, or its short name elsewhere. Never its free text."""
    kind = document.get("type") or document.get("nome") or document.get("error")
    word = str(kind or "").rstrip("/").rpartition("/")[2]
    return word if _NAME.fullmatch(word) else None


def _body(response: httpx.Response) -> object:
    try:
        return response.json(parse_float=Decimal)
    except (ValueError, RecursionError):
        return None
