"""The OpenAPI document, generated from the views and their models.

It validates nothing by itself: an Idempotency-Key has to be looked up before a body may be
refused (see ``idempotency.py``).
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from spectree import Response, SecurityScheme, SpecTree
from spectree.models import SecureType, SecuritySchemeData, Server
from spectree.plugins.flask_plugin import FlaskPlugin

from app.web.api.answered import Problem
from app.web.api.codes import status_of
from app.web.api.fields import Asked

INTRODUCTION = """\
Books at one location: the one of the API key.

- **Key**: `Authorization: Bearer firme_…`. Scopes: `read` to read, `book` to change, and with
  `manage` cancelling is not bound to the cancellation window.
- **Instants** are RFC 3339 with an offset, from 2000 to 2100; answers are in UTC with `Z`.
  `local` is what a person reads: the location's wall time. In a query write `+` as `%2B`; a
  space in its place is understood.
- **Money** is in cents of `currency`.
- **Fields** that are unknown are refused, texts that are too long too; nothing is cut or
  converted. `null` is the same as leaving a field out.
- **Lists** come in pages: `next_cursor` is null on the last one.
- **Idempotency-Key**: repeat a request with the same key and body, and it is done once. The
  retry answers what the first answered, with `Idempotent-Replayed: true`, for three days; after
  that a booking that was made is still found and answered as it is by then. Stored are 2xx, 404
  and 422; the other refusals are not, so a retry can win.
- **Deposits**: confirming a service with `deposit_cents` answers `pending_payment` with a Pix code
  in `payment`, payable until `payment.expires_at`. The booking is `confirmed` once the money is
  here; nothing else confirms it, so poll it while the customer pays. What is paid late, twice or
  in another amount is given back: `payment.refund` tells.
- **Refusals** are `application/problem+json`: act on `code`, show `title` in the language of
  `Accept-Language` (es, pt, en).
"""

_READING = ("unauthenticated", "forbidden", "rate_limited", "internal_error", "busy")
_QUERYING = ("invalid_request",)
_CHANGING = (
    "malformed_json",
    "unsupported_media_type",
    "body_too_large",
    "invalid_request",
    "idempotency_key_reused",
    "idempotency_key_in_use",
)

View = Callable[..., Any]


class KeyHeader(BaseModel):
    """The header of calls that may come with a key."""

    model_config = ConfigDict(title="Idempotency")

    key: str = Field(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern="^[ -~]+$",
        description="Names this request, so that a retry does nothing twice.",
    )


class OptionalKeyHeader(BaseModel):
    key: str = Field(
        "",
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern="^[ -~]+$",
        description="Optional here. Names this request, so that a retry does nothing twice.",
    )


_KEY_HEADERS = {"required": KeyHeader, "accepted": OptionalKeyHeader, None: None}


class _Document(FlaskPlugin):
    """spectree's reader of views, without its validation and without its pages."""

    def validate(self, func: View, *_: Any, **arguments: Any) -> Any:
        return func(**arguments)

    def register_route(self, app: Any) -> None:
        """Serve nothing: ``documents.py`` does, without any outside host."""


spec = SpecTree(
    backend=_Document,
    title="Firme",
    version="1",
    description=INTRODUCTION,
    mode="strict",
    annotations=False,
    servers=[Server(url="/", description="This server")],
    security_schemes=[
        SecurityScheme(
            name="apiKey",
            data=SecuritySchemeData(
                type=SecureType.HTTP, scheme="bearer", description="An API key."
            ),
        )
    ],
    security={"apiKey": []},
    validation_error_model=Problem,
    naming_strategy=lambda model: model.__name__,
    nested_naming_strategy=lambda _, name: name,
)


def described(
    tag: str,
    *,
    answers: dict[int, type[BaseModel] | None],
    query: type[Asked] | None = None,
    json: type[Asked] | None = None,
    key: str | None = None,
    refusals: tuple[str, ...] = (),
) -> Callable[[View], View]:
    """Put a view into the document, with what it takes and all that it may answer.

    ``refusals`` are the codes of its own; those of every call are added. The view's docstring is
    what callers read. ``key`` tells whether an Idempotency-Key is ``required`` or ``accepted``.
    """
    codes = [*_READING, *refusals]
    codes += _CHANGING if json else _QUERYING if query else ()
    codes += ["idempotency_key_required"] if key == "required" else []
    codes += ["offset_required"] if _has_instants(query or json) else []

    def mark(view: View) -> View:
        return spec.validate(  # type: ignore[no-any-return]
            query=query,
            json=json,
            headers=_KEY_HEADERS[key],
            resp=_responses(answers, codes),
            tags=[tag],
            operation_id=view.__name__,
            path_parameter_descriptions=_IDS,
        )(view)

    return mark


_IDS = {
    "booking_id": "The `id` of a booking.",
    "hold_id": "The `id` of a booking that is held.",
    "txid": "The `txid` of a payment.",
}


def _has_instants(model: type[Asked] | None) -> bool:
    return model is not None and "date-time" in str(model.model_json_schema())


def _responses(answers: dict[int, type[BaseModel] | None], codes: list[str]) -> Response:
    by_status: dict[int, list[str]] = defaultdict(list)
    for code in sorted(set(codes), key=lambda each: (status_of(each), codes.index(each))):
        by_status[status_of(code)].append(code)
    if "idempotency_key_reused" in codes:
        by_status[400].append("invalid_request")
    told: dict[str, Any] = {f"HTTP_{status}": model for status, model in answers.items()}
    for status, names in by_status.items():
        told[f"HTTP_{status}"] = (Problem, ", ".join(f"`{name}`" for name in names))
    return Response(**told)
