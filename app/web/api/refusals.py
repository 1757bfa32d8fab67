"""Refusals that offer something else."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from app.booking.availability import alternatives
from app.booking.errors import (
    BeyondHorizon,
    HoldExpired,
    InThePast,
    NoticeTooShort,
    OutsideHours,
    SlotTaken,
)
from app.booking.placing import Wanted
from app.errors import DomainError, NotFound
from app.web.api.answered import Alternative

OFFERING = (SlotTaken, HoldExpired, InThePast, OutsideHours, NoticeTooShort, BeyondHorizon)


def offer_others(
    session: Session,
    error: DomainError,
    wanted: Callable[[Session], Wanted] | None,
    *,
    zone: ZoneInfo,
    now: datetime,
) -> None:
    """Put ``alternatives`` into a refusal that offers some; read anew, after its transaction.

    The refusal may say by itself what was wanted; else ``wanted`` does.
    """
    if not isinstance(error, OFFERING):
        return
    told: Wanted | None = error.values.get("wanted")
    if told is None and wanted is not None:
        told = wanted(session)
    error.facts = {**error.facts, "alternatives": _others(session, told, zone, now)}


def _others(
    session: Session, wanted: Wanted | None, zone: ZoneInfo, now: datetime
) -> list[dict[str, object]]:
    if wanted is None:
        return []
    try:
        starts = alternatives(
            session,
            wanted.location_id,
            wanted.service_id,
            starts_at=wanted.starts_at,
            now=now,
            resource_ids=wanted.resource_ids,
            units=wanted.units,
        )
    except NotFound:  # the service was taken off the list meanwhile
        return []
    return [Alternative.of(start, zone).body() for start in starts]
