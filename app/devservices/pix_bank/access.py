"""OAuth2 client credentials as banks give them out, and who may call what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from flask import Request

from app.devservices.pix_bank.wire import Client, Refusal

SCOPES = ("cob.read", "cob.write", "pix.read", "pix.write", "webhook.read", "webhook.write")


@dataclass(frozen=True)
class Grant:
    client: Client
    scopes: frozenset[str]
    ends_at: datetime


class Access:
    """Tokens are lost when the bank restarts, as banks' tokens now and then are."""

    def __init__(self, clients: dict[str, Client], *, now: Callable[[], datetime]) -> None:
        self._clients = clients
        self._now = now
        self._grants: dict[str, Grant] = {}
        self.lasts = timedelta(hours=1)
        self.issued = 0

    def revoke_all(self) -> None:
        self._grants.clear()

    def grant(self, request: Request, *, grants_less: bool) -> dict[str, object] | None:
        """The answer of the token endpoint, or nothing when the client is not known."""
        client = self._client(request)
        if client is None or request.form.get("grant_type") != "client_credentials":
            return None
        asked = request.form.get("scope", "").split() or SCOPES
        given = [scope for scope in asked if scope in SCOPES and not grants_less]
        given = given or ["cob.read"]
        self.issued += 1
        token = uuid5(NAMESPACE_URL, f"{client.client_id}/{self.issued}/{self._now()}").hex
        self._grants[token] = Grant(client, frozenset(given), self._now() + self.lasts)
        return {
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": int(self.lasts.total_seconds()),
            "scope": " ".join(given),
        }

    def client_of(self, request: Request, *, scope: str) -> Client:
        """Raises: Refusal with 401 without a live token, with 403 without the scope."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        grant = self._grants.get(token)
        if grant is None or grant.ends_at <= self._now():
            raise Refusal("NaoAutorizado", 401, "Token ausente, desconhecido ou expirado.")
        if scope not in grant.scopes:
            raise Refusal("AcessoNegado", 403, f"O token não concede {scope}.")
        return grant.client

    def _client(self, request: Request) -> Client | None:
        shown = request.authorization
        if shown is not None and shown.type == "basic":
            name, secret = shown.username or "", shown.password
        else:
            name, secret = request.form.get("client_id", ""), request.form.get("client_secret")
        client = self._clients.get(name)
        is_known = client is not None and client.client_secret == secret
        return client if is_known or (secret is None and request.is_secure) else None
