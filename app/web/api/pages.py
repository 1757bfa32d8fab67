"""Lists that come in pages, and the cursor that leads from one to the next."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from pydantic_core import PydanticCustomError

from app.errors import InvalidFields, NotFound
from app.web.api.asked import PageQuery
from app.web.api.fields import read_id
from app.web.api.instants import read_instant, utc_text

Item = TypeVar("Item")


def write_cursor(starts_at: datetime, id: UUID) -> str:
    """Name the place behind a booking, in a form that nobody should look into."""
    return urlsafe_b64encode(f"{utc_text(starts_at)}~{id}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[datetime, UUID]:
    """Read what ``write_cursor`` wrote.

    Raises:
        InvalidFields: it did not.
    """
    try:
        starts_at, _, id = _decoded(cursor).partition("~")
        return read_instant(starts_at), read_id(id)
    except (ValueError, NotFound, PydanticCustomError) as error:
        raise InvalidFields(("cursor", "invalid_cursor")) from error


def cut_page(
    items: Sequence[Item], query: PageQuery, id_of: Callable[[Item], UUID]
) -> tuple[Sequence[Item], str | None]:
    """Cut a page out of a whole short list; the cursor names the item before the page.

    Raises:
        InvalidFields: the cursor names none of them (any more).
    """
    begin = 0
    if query.cursor is not None:
        positions = {str(id_of(item)): position for position, item in enumerate(items)}
        try:
            begin = positions[_decoded(query.cursor)] + 1
        except (ValueError, KeyError) as error:
            raise InvalidFields(("cursor", "invalid_cursor")) from error
    page = items[begin : begin + query.limit]
    if begin + query.limit >= len(items):
        return page, None
    return page, urlsafe_b64encode(str(id_of(page[-1])).encode()).decode().rstrip("=")


def _decoded(cursor: str) -> str:
    return urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
