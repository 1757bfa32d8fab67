"""HTTP as an API Pix wants it: a token for each call, and failures told apart."""

import logging
import re
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx

from app.payments.pix.account import ProviderAccount, WrongAccount
from app.payments.pix.api_pix_profiles import Profile, TokenAuth
from app.payments.pix.gateway import (
    AccessDenied,
    GatewayError,
    OutcomeUnknown,
    ProviderDown,
    Rejected,
)
from app.payments.pix.tokens import OwnTokens, Token, TokenStore

log = logging.getLogger(__name__)
for _chatty in ("httpx", "httpcore"):
    # They log addresses and headers: a Pix key in a path may be somebody's document.
    logging.getLogger(_chatty).setLevel(logging.WARNING)

TIMEOUT = httpx.Timeout(15.0, connect=5.0)
"""Seconds. Banks answer in one or two; a person waits in front of a booking being confirmed."""

_EARLY = timedelta(seconds=60)
"""A token is replaced this long before it ends, so that none ends on its way."""
_SHORTEST_TOKEN = timedelta(seconds=5)
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
    """A 2xx answer, or a 404 that is the bank's own and not some page in between."""

    status: int
    document: dict[str, Any] | None

    @property
    def is_missing(self) -> bool:
        return self.status in {404, 410}


class ApiPixHttp:
    """One account's connection. Safe to share between threads; not across a fork."""

    def __init__(
        self,
        account: ProviderAccount,
        profile: Profile,
        *,
        now: Callable[[], datetime],
        tokens: TokenStore | None = None,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> None:
        account.check()
        self._account = account
        self._profile = profile
        self._tokens = tokens or OwnTokens()
        self._now = now
        self._asking = threading.Lock()
        self._client = httpx.Client(
            verify=_tls(account), timeout=timeout, trust_env=False, follow_redirects=False
        )

    def close(self) -> None:
        self._client.close()

    def read(self, path: str, *, query: Mapping[str, str] | None = None) -> Answer:
        """GET; every failure is ProviderDown, since nothing can have changed."""
        try:
            return self._call("GET", path, query=query)
        except OutcomeUnknown as failure:
            raise ProviderDown(str(failure)) from None

    def write(
        self,
        method: str,
        path: str,
        document: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """PUT, PATCH or DELETE.

        Raises:
            OutcomeUnknown: it was sent and the answer never came, or says nothing.
        """
        return self._call(method, path, document=document, headers=headers)

    def _call(
        self,
        method: str,
        path: str,
        *,
        document: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        token = self._token()
        for is_last in (False, True):
            response = self._send(
                self._client.build_request(
                    method,
                    self._account.base_url.rstrip("/") + path,
                    params={**(query or {}), **self._application()},
                    json=document,
                    headers={**(headers or {}), "Authorization": f"Bearer {token.value}"},
                )
            )
            if response.status_code != 401 or is_last:
                break
            token = self._token(instead_of=token)
        return _judge(response)

    def _application(self) -> dict[str, str]:
        name = self._profile.application_parameter
        return {name: self._account.application_key} if name else {}

    def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._client.send(request)
        except _NEVER_SENT as failure:
            raise ProviderDown(f"no connection ({type(failure).__name__})") from None
        except httpx.HTTPError as failure:
            raise OutcomeUnknown(f"no answer ({type(failure).__name__})") from None

    def _token(self, *, instead_of: Token | None = None) -> Token:
        """One thread asks the bank; the others wait for what it gets."""
        with self._asking:
            known = self._tokens.find(self._account.name)
            if known and known != instead_of and known.ends_at > self._now():
                return known
            token = self._ask_for_token()
            self._tokens.keep(self._account.name, token)
            return token

    def _ask_for_token(self) -> Token:
        """Raises: AccessDenied when refused; ProviderDown for all else, as no harm was done."""
        asked_at = self._now()
        form = {"grant_type": "client_credentials", "scope": " ".join(self._profile.scopes)}
        basic: httpx.BasicAuth | None = None
        if self._profile.token_auth is TokenAuth.BASIC:
            basic = httpx.BasicAuth(self._account.client_id, self._account.client_secret)
        else:
            form["client_id"] = self._account.client_id
        if self._profile.token_auth is TokenAuth.BODY:
            form["client_secret"] = self._account.client_secret
        request = self._client.build_request("POST", self._account.token_url, data=form)
        if basic is not None:
            request = next(basic.sync_auth_flow(request))
        try:
            answer = _judge(self._send(request))
        except OutcomeUnknown as failure:
            raise ProviderDown(f"no token: {failure}") from None
        except AccessDenied:
            raise
        except Rejected as refusal:
            raise AccessDenied("token_refused", status=refusal.status) from None
        return self._read_token(answer, asked_at)

    def _read_token(self, answer: Answer, asked_at: datetime) -> Token:
        document = answer.document or {}
        value, seconds = document.get("access_token"), str(document.get("expires_in", ""))
        if answer.is_missing or not isinstance(value, str) or not value:
            raise AccessDenied("token_missing", status=answer.status)
        granted = document.get("scope")
        missing = set(self._profile.scopes) - set(str(granted).split())
        if granted and missing:
            log.warning("the Pix provider granted less than asked: no %s", ", ".join(missing))
        lasts = timedelta(seconds=int(seconds) if seconds.isdecimal() else 300)
        return Token(value, asked_at + max(lasts - _EARLY, _SHORTEST_TOKEN))


def _judge(response: httpx.Response) -> Answer:
    """Tell a refusal from a failure.

    Raises:
        Rejected, AccessDenied, ProviderDown, OutcomeUnknown: as ``gateway`` tells them apart.
    """
    status, document = response.status_code, _document(response)
    if response.is_success:
        return Answer(status, document)
    if status in {404, 410} and "html" not in response.headers.get("content-type", ""):
        return Answer(status, document)
    raise _failure(status, document or {}, response.headers)


def _failure(status: int, document: dict[str, Any], headers: Mapping[str, str]) -> GatewayError:
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
    return Rejected(kind, status=status, fields=_fields(document))


def _kind(document: dict[str, Any]) -> str | None:
    """The last word of the problem's type, or what Efi calls its name. Never its free text."""
    kind = document.get("type") or document.get("nome") or document.get("error")
    word = str(kind or "").rstrip("/").rpartition("/")[2]
    return word if _NAME.fullmatch(word) else None


def _fields(document: dict[str, Any]) -> tuple[str, ...]:
    violations = document.get("violacoes")
    names = [
        str(each.get("propriedade", ""))
        for each in (violations if isinstance(violations, list) else [])
        if isinstance(each, dict)
    ]
    return tuple(name for name in names if _NAME.fullmatch(name))


def _document(response: httpx.Response) -> dict[str, Any] | None:
    try:
        document = response.json()
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _tls(account: ProviderAccount) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=account.ca_bundle)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if account.certificate:
            password = account.private_key_password or ""  # nothing would ask on the terminal
            context.load_cert_chain(account.certificate, account.private_key, password)
    except (ssl.SSLError, OSError):
        raise WrongAccount(
            f"Pix account {account.name}: a certificate or its key cannot be loaded."
        ) from None
    return context
