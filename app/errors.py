from collections.abc import Callable
from typing import Any, ClassVar


class DomainError(Exception):
    """Something a caller may do wrong or meet; doors turn it into an answer.

    ``code`` is stable and public (design/api.md). ``facts`` travel with the answer as extra members
    of the problem document, ``values`` fill the translated sentence.
    """

    code: ClassVar[str]

    remedy: Callable[[Any], object] | None = None
    """What may take the obstacle away, given a session: a transaction of its own, after which
    the refused work is worth another try."""

    def __init__(self, *, facts: dict[str, Any] | None = None, **values: Any) -> None:
        super().__init__(self.code)
        self.facts = facts or {}
        self.values = values


class Invalid(DomainError):
    """Breaks a rule whatever the state of the world."""

    code = "invalid_request"


class Refused(DomainError):
    """Not yours to do."""

    code = "forbidden"


class NotFound(DomainError):
    """No such thing, or not for you: both answer alike."""

    code = "not_found"


class Conflict(DomainError):
    """The world moved on."""

    code = "conflict"


class Unavailable(DomainError):
    """Something we depend on failed; the same request may work later."""

    code = "busy"
    retry_after_seconds: ClassVar[int] = 2


class TooMany(DomainError):
    """More than one caller's share; later is fine."""

    code = "rate_limited"
    retry_after_seconds: ClassVar[int] = 60


class InvalidFields(Invalid):
    """One or more fields of a request are wrong; ``facts["errors"]`` names each."""

    def __init__(self, *errors: tuple[str, str]) -> None:
        super().__init__(facts={"errors": [{"field": f, "code": c} for f, c in errors]})
