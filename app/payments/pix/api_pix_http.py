"""HTTP as an API Pix wants it: with a token for each call."""

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import httpx

from app.payments.pix.account import ProviderAccount
from app.payments.pix.api_pix_profiles import Profile, TokenAuth
from app.payments.pix.gateway import AccessDenied, OutcomeUnknown, ProviderDown, Rejected
from app.payments.pix.provider_http import (
    TIMEOUT,
    Answer,
    Document,
    as_question,
    judge,
    open_client,
    send,
)
from app.payments.pix.tokens import OwnTokens, Token, TokenStore

log = logging.getLogger(__name__)

_EARLY = timedelta(seconds=60)
"""A token is replaced this long before it ends, so that none ends on its way."""
_SHORTEST_TOKEN = timedelta(seconds=5)


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
        self._account = account
        self._profile = profile
        self._tokens = tokens or OwnTokens()
        self._now = now
        self._asking = threading.Lock()
        self._client = open_client(account, timeout)

    def close(self) -> None:
        self._client.close()

    def read(self, path: str, *, query: Mapping[str, str] | None = None) -> Answer:
        """GET; every failure is ProviderDown, since nothing can have changed."""
        return as_question(lambda: self._call("GET", path, query=query))

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
            response = send(
                self._client,
                self._client.build_request(
                    method,
                    self._account.base_url.rstrip("/") + path,
                    params={**(query or {}), **self._application()},
                    json=document,
                    headers={**(headers or {}), "Authorization": f"Bearer {token.value}"},
                ),
            )
            if response.status_code != 401 or is_last:
                break
            token = self._token(instead_of=token)
        return judge(response, _faults)

    def _application(self) -> dict[str, str]:
        name = self._profile.application_parameter
        return {name: self._account.application_key} if name else {}

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
            answer = judge(send(self._client, request), _faults)
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


def _faults(document: Document) -> tuple[str, ...]:
    violations = document.get("violacoes")
    return tuple(
        str(each.get("propriedade", ""))
        for each in (violations if isinstance(violations, list) else [])
        if isinstance(each, dict)
    )
