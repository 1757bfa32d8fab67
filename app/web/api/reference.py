"""The OpenAPI document as the rows of a page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """A parameter or a field; the fields of an inner object carry its name before theirs."""

    name: str
    kind: str
    is_required: bool
    description: str


@dataclass(frozen=True)
class Reply:
    """One status: the codes that it comes with, or what it says when it is no refusal."""

    status: str
    description: str
    codes: tuple[str, ...]
    headers: tuple[str, ...]


@dataclass(frozen=True)
class Operation:
    """One call as the page shows it."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[Row, ...]
    body: tuple[Row, ...]
    answer: tuple[Row, ...]
    replies: tuple[Reply, ...]


def operations_of(document: dict[str, Any]) -> list[Operation]:
    """List the calls in the order of their paths, each with its fields flattened."""
    schemas = document["components"]["schemas"]
    return [
        Operation(
            id=operation["operationId"],
            method=method.upper(),
            path=path,
            summary=operation["summary"],
            description=operation["description"],
            parameters=tuple(
                Row(
                    each["name"],
                    _kind(each["schema"], schemas),
                    each["required"],
                    each["description"],
                )
                for each in operation["parameters"]
            ),
            body=tuple(_rows(_body_of(operation.get("requestBody")), schemas)),
            answer=tuple(_rows(_answer_of(operation["responses"]), schemas)),
            replies=tuple(
                _reply(status, answer) for status, answer in sorted(operation["responses"].items())
            ),
        )
        for path, operations in sorted(document["paths"].items())
        for method, operation in sorted(operations.items())
    ]


def paragraphs_of(markdown: str) -> list[str]:
    """Give the paragraphs and points of a description, without their marks."""
    joined = markdown.replace("\n  ", " ").replace("**", "")
    return [line.removeprefix("- ") for line in joined.splitlines() if line]


def _reply(status: str, answer: dict[str, Any]) -> Reply:
    described = answer["description"]
    codes = tuple(described.replace("`", "").split(", ")) if status >= "400" else ()
    return Reply(status, described, codes, tuple(answer["headers"]))


def _body_of(told: dict[str, Any] | None) -> dict[str, Any]:
    return next(iter(told["content"].values()))["schema"] if told and "content" in told else {}


def _answer_of(responses: dict[str, Any]) -> dict[str, Any]:
    return next((_body_of(told) for status, told in responses.items() if status < "300"), {})


def _rows(schema: dict[str, Any], schemas: dict[str, Any], before: str = "") -> Iterator[Row]:
    schema, _ = _resolved(schema, schemas)
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        yield Row(
            f"{before}{name}", _kind(inner, schemas), name in required, inner.get("description", "")
        )
        _, mark = _resolved(inner, schemas)
        yield from _rows(inner, schemas, f"{before}{name}{mark}.")


def _resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Give the object behind references, lists and "or null", and ``[]`` if it is a list."""
    if "$ref" in schema:
        return _resolved(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "anyOf" in schema:
        return _resolved(schema["anyOf"][0], schemas)
    if schema.get("type") == "array":
        return _resolved(schema["items"], schemas)[0], "[]"
    return schema, ""


def _kind(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(each, schemas) for each in schema["anyOf"])
    if "$ref" in schema:
        return "object"
    if "enum" in schema:
        return ", ".join(schema["enum"])
    kind: str = schema.get("type", "any")
    if kind == "array":
        kind = f"list of {_kind(schema['items'], schemas)}"
    if schema.get("format") == "date-time":
        return "instant"
    limits = [
        f"{word} {schema[limit]}"
        for limit, word in (
            ("minimum", "from"),
            ("maximum", "to"),
            ("maxLength", "up to"),
            ("maxItems", "at most"),
        )
        if limit in schema
    ]
    return f"{kind} ({' '.join(limits)})" if limits else kind
