from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True)
class Token:
    """What a bank lets us call it with, until ``ends_at`` (some time before it really ends)."""

    value: str = field(repr=False)
    ends_at: datetime


class TokenStore(Protocol):
    """Where tokens live between calls, by the account's name.

    Processes that share a store ask the bank less often; some banks shut out who asks for a token
    with each call. A lost or an old token costs one more question and nothing else.
    """

    def find(self, account: str) -> Token | None: ...

    def keep(self, account: str, token: Token) -> None: ...


class OwnTokens:
    """Tokens of this process alone."""

    def __init__(self) -> None:
        self._tokens: dict[str, Token] = {}

    def find(self, account: str) -> Token | None:
        return self._tokens.get(account)

    def keep(self, account: str, token: Token) -> None:
        self._tokens[account] = token
