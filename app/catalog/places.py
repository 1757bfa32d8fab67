"""Locations and their policies."""

import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

import phonenumbers
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.errors import UnknownTimezone
from app.catalog.models import Location
from app.errors import InvalidFields, NotFound
from app.money import CURRENCIES

LANGUAGES = frozenset({"es", "pt", "en"})

A_YEAR_OF_MINUTES = 366 * 24 * 60

POLICIES: dict[str, tuple[int, int]] = {
    "hold_minutes": (1, 120),
    "deposit_hold_minutes": (1, 120),
    "settlement_margin_seconds": (0, 3600),
    "no_show_grace_minutes": (0, 24 * 60),
    "cancellation_window_minutes": (0, A_YEAR_OF_MINUTES),
    "notice_minutes": (0, A_YEAR_OF_MINUTES),
    "horizon_days": (1, 730),
}
"""What an owner may choose, and the least and most of each."""

_FIXED_OFFSETS = ("Etc/", "UTC", "GMT", "SystemV/", "posix/", "right/")
_SLUG = re.compile(r"[a-z0-9-]{2,40}")


def check_timezone(name: str) -> str:
    """Accept the IANA name of an area (``America/Montevideo``).

    Raises:
        UnknownTimezone: a fixed offset, an abbreviation or no zone at all.
    """
    if "/" not in name or name.startswith(_FIXED_OFFSETS) or name not in available_timezones():
        raise UnknownTimezone(facts={"timezone": name})
    return name


def add_location(session: Session, *, timezone: str, **fields: Any) -> Location:
    """Add a business at a place; ``fields`` are the columns of ``Location``.

    Raises:
        UnknownTimezone: see ``check_timezone``.
        InvalidFields: a policy out of its range, a slug that is taken, an unknown currency,
            country or language.
    """
    location = Location(timezone=timezone, **fields)
    _check(session, {"timezone": timezone, **fields})
    session.add(location)
    session.flush()
    return location


def change_location(session: Session, location_id: UUID, **changes: Any) -> dict[str, list[Any]]:
    """Change columns of a location; tell of each what it was and what it is now.

    Raises:
        NotFound: there is no such location.
        UnknownTimezone, InvalidFields: as when it is added.
    """
    location = session.get(Location, location_id, with_for_update=True)
    if location is None:
        raise NotFound
    changed = {
        name: [getattr(location, name), value]
        for name, value in changes.items()
        if getattr(location, name) != value
    }
    _check(session, {name: value for name, (_, value) in changed.items()})
    for name, (_, value) in changed.items():
        setattr(location, name, value)
    session.flush()
    return changed


def _check(session: Session, fields: Mapping[str, Any]) -> None:
    wrong = [
        (name, "out_of_range")
        for name, (least, most) in POLICIES.items()
        if name in fields and not least <= fields[name] <= most
    ]
    if fields.get("currency", "BRL") not in CURRENCIES:
        wrong.append(("currency", "unknown"))
    if fields.get("country", "BR") not in phonenumbers.SUPPORTED_REGIONS:
        wrong.append(("country", "unknown"))
    if fields.get("language", "es") not in LANGUAGES:
        wrong.append(("language", "unknown"))
    if "slug" in fields:
        wrong += _faults_of_slug(session, fields["slug"])
    if wrong:
        raise InvalidFields(*wrong)
    if "timezone" in fields:
        check_timezone(fields["timezone"])


def _faults_of_slug(session: Session, slug: str) -> list[tuple[str, str]]:
    if not _SLUG.fullmatch(slug):
        return [("slug", "invalid_slug")]
    taken = session.scalar(select(Location.id).where(Location.slug == slug))
    return [("slug", "taken")] if taken else []
