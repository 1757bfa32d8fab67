"""The kinds of values that requests carry, and what a wrong one is called."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from app.customers.models import LONGEST_EMAIL, LONGEST_NAME
from app.customers.phones import LONGEST_PHONE
from app.errors import InvalidFields, NotFound
from app.web.api.instants import read_instant, read_instant_of_query
from app.web.writable import is_address, is_writable

MOST_ERRORS = 50
"""Named in one answer, so that a body full of unknown fields gets no larger answer."""

LONGEST_NAME_SHOWN = 100

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)

_CODES = {
    "missing": "required",
    "extra_forbidden": "unknown_field",
    "string_too_short": "required",
    "string_too_long": "too_long",
    "too_long": "too_long",
    "string_unicode": "invalid_text",
    "greater_than_equal": "out_of_range",
    "less_than_equal": "out_of_range",
    "model_type": "not_an_object",
    "string_type": "invalid_type",
    "int_type": "invalid_type",
    "list_type": "invalid_type",
}
"""Pydantic's words in ours. A custom error's type is one of ours already."""

_OURS = {
    "offset_required",
    "invalid_instant",
    "out_of_range",
    "invalid_type",
    "invalid_text",
    "invalid_email",
    "required",
    "twice",
}


class OffsetRequired(InvalidFields):
    """An instant has no offset; nobody guesses one."""

    code = "offset_required"


class Asked(BaseModel):
    """What a request may contain: nothing else, and nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Model = TypeVar("Model", bound=Asked)


def _storable(text: str) -> str:
    """Refuse what cannot be kept or shown: control characters, halves of a surrogate pair."""
    if not is_writable(text):
        raise PydanticCustomError("invalid_text", "cannot be stored")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("required", "blank")
    return text


def _address(text: str) -> str:
    if not is_address(text):
        raise PydanticCustomError("invalid_email", "not an address")
    return text


def _each_once(texts: list[str]) -> list[str]:
    if len({text.lower() for text in texts}) < len(texts):
        raise PydanticCustomError("twice", "not unique")
    return texts


_STORABLE = AfterValidator(_storable)
Notes = Annotated[str, Field(max_length=2000), _STORABLE]
Reason = Annotated[str, Field(max_length=500), _STORABLE]
Name = Annotated[
    str, Field(min_length=1, max_length=LONGEST_NAME), _STORABLE, AfterValidator(_not_blank)
]
Phone = Annotated[str, Field(min_length=1, max_length=LONGEST_PHONE), _STORABLE]
Email = Annotated[
    str, Field(min_length=3, max_length=LONGEST_EMAIL), _STORABLE, AfterValidator(_address)
]
Channel = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[a-z_-]+$"), _STORABLE]
Units = Annotated[int, Field(ge=1, le=1000)]
Id = Annotated[str, Field(min_length=1, max_length=64), _STORABLE]
Ids = Annotated[
    list[Id],
    Field(max_length=20, json_schema_extra={"uniqueItems": True}),
    AfterValidator(_each_once),
]
_INSTANT_SCHEMA = WithJsonSchema({"type": "string", "format": "date-time"})
Instant = Annotated[datetime, BeforeValidator(read_instant), _INSTANT_SCHEMA]
QueryInstant = Annotated[datetime, BeforeValidator(read_instant_of_query), _INSTANT_SCHEMA]


def check(model: type[Model], told: object) -> Model:
    """Read what was told as ``model``.

    Raises:
        InvalidFields: names every field that is wrong; ``OffsetRequired`` if an offset is missing.
    """
    try:
        return model.model_validate(told)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        errors = [(_field(each["loc"]), _code(each["type"])) for each in found[:MOST_ERRORS]]
    lacks_offset = any(code == "offset_required" for _, code in errors)
    refusal = OffsetRequired if lacks_offset else InvalidFields
    raise refusal(*errors)


def _field(location: Iterable[int | str]) -> str:
    name = ".".join(str(part) for part in location) or "body"
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name)
    return shown if len(shown) <= LONGEST_NAME_SHOWN else f"{shown[:LONGEST_NAME_SHOWN]}…"


def _code(kind: str) -> str:
    return kind if kind in _OURS else _CODES.get(kind, "invalid")


def read_id(text: str) -> UUID:
    """Read an id; to callers it is an opaque text, so a wrong one is simply unknown.

    Raises:
        NotFound: nothing can have this id.
    """
    if not _UUID.fullmatch(text):
        raise NotFound
    return UUID(text)
