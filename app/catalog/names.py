"""What people call things: names are found whatever their capitals, ids always work."""

import re
import unicodedata
from typing import TypeVar
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.models import Location, Resource, Service
from app.errors import InvalidFields, NotFound

LONGEST_NAME = 100

_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters and half characters: neither the database nor a page may carry them."""

Named = TypeVar("Named", Resource, Service)


def check_name(text: str, *, field: str = "name", most: int = LONGEST_NAME) -> str:
    """Accept a name that pages and the database can carry; give it without blanks around.

    Raises:
        InvalidFields: nothing, too long, or characters that nobody can read.
    """
    name = unicodedata.normalize("NFC", text.strip())
    if not name:
        raise InvalidFields((field, "required"))
    if len(name) > most:
        raise InvalidFields((field, "too_long"))
    if _UNREADABLE.search(name):
        raise InvalidFields((field, "invalid_text"))
    return name


def get_location_by_slug(session: Session, slug: str) -> Location:
    """Read the location of a slug.

    Raises:
        NotFound: there is none.
    """
    known = slug.isascii() and "\0" not in slug
    location = session.scalar(select(Location).where(Location.slug == slug)) if known else None
    if location is None:
        raise NotFound(what="location", name=slug)
    return location


def get_resource_named(session: Session, location_id: UUID, text: str) -> Resource:
    """Read the live resource that has this name, or this id.

    Raises:
        NotFound: the location has none.
        InvalidFields: several are called so; the id tells them apart.
    """
    return _get_named(session, Resource, location_id, text)


def get_service_named(session: Session, location_id: UUID, text: str) -> Service:
    """Read the live service that has this name, or this id.

    Raises:
        NotFound: the location has none.
        InvalidFields: several are called so; the id tells them apart.
    """
    return _get_named(session, Service, location_id, text)


def free_name(session: Session, kind: type[Named], location_id: UUID, text: str) -> str:
    """Accept a name that no other live thing of its kind has at the location.

    Raises:
        InvalidFields: see ``check_name``; or it is taken.
    """
    name = check_name(text)
    if any(_folded(other.name) == _folded(name) for other in _live(session, kind, location_id)):
        raise InvalidFields(("name", "taken"))
    return name


def _get_named(session: Session, kind: type[Named], location_id: UUID, text: str) -> Named:
    what = kind.__tablename__
    live = _live(session, kind, location_id)
    by_id = [each for each in live if str(each.id) == text.strip().lower()]
    found = by_id or [each for each in live if _folded(each.name) == _folded(text)]
    if not found:
        raise NotFound(what=what, name=text)
    if len(found) > 1:
        raise InvalidFields((what, "ambiguous"))
    return found[0]


def _live(session: Session, kind: type[Named], location_id: UUID) -> list[Named]:
    return list(
        session.scalars(
            select(kind).where(kind.location_id == location_id, kind.archived_at.is_(None))
        )
    )


def _folded(name: str) -> str:
    """Fold capitals here and not in SQL, where the server's locale decides what "Í" is."""
    return unicodedata.normalize("NFC", name.strip()).casefold()
