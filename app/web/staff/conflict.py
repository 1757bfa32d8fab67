"""The panel that says why a place was not to be had, and offers others, one click each."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from flask import Response

from app.booking.availability import Start, alternatives
from app.booking.errors import (
    BeyondHorizon,
    HoldExpired,
    InThePast,
    NoticeTooShort,
    OutsideHours,
    SlotTaken,
)
from app.booking.views import BookingView
from app.catalog.queries import list_resources
from app.errors import Conflict, DomainError, NotFound
from app.extensions import db
from app.web.auth import scope
from app.web.messages import sentence
from app.web.render import render
from app.web.staff.answers import now, refused
from app.web.staff.wording import clock_time, day_of, gettext, near_day

ABOUT_THE_TIME = (SlotTaken, HoldExpired, OutsideHours, InThePast, NoticeTooShort, BeyondHorizon)
"""Refusals that another time may get around."""

OVERRIDABLE = (OutsideHours, InThePast)
"""A person with a reason may book there all the same; it is audited."""


@dataclass(frozen=True)
class Wanted:
    """The place that was not to be had."""

    service_id: UUID
    starts_at: datetime
    resource_ids: tuple[UUID, ...]
    units: int = 1


@dataclass(frozen=True)
class Offer:
    """One other place, with what differs from the wanted one in words."""

    start: Start
    resources: str
    names: str
    differs: str
    key: str


@dataclass(frozen=True)
class ConflictPanel:
    title: str
    detail: str
    code: str
    offers: tuple[Offer, ...]
    typed: Mapping[str, str]
    wanted: Wanted
    moving: BookingView | None
    may_insist: bool
    key: str
    zone: ZoneInfo
    day: date


def refuse_place(
    refusal: DomainError,
    wanted: Wanted,
    typed: Mapping[str, str],
    *,
    moving: BookingView | None = None,
) -> Response:
    """Answer a place that was refused; what was typed travels in every form of the panel."""
    mine = scope()
    found = _alternatives(wanted)
    if mine.resource_id is not None:
        found = [s for s in found if any(r.id == mine.resource_id for r in s.resources)]
    panel = ConflictPanel(
        title=_title(refusal, wanted),
        detail=_detail(refusal, moving),
        code=refusal.code,
        offers=tuple(_offer(start, wanted) for start in found),
        typed=typed,
        wanted=wanted,
        moving=moving,
        may_insist=isinstance(refusal, OVERRIDABLE),
        key=str(uuid4()),
        zone=mine.zone,
        day=day_of(wanted.starts_at, mine.zone),
    )
    body = render("staff/bookings/conflict.html", "panel", conflict=panel)
    return refused(body, 409 if isinstance(refusal, Conflict) else 422)


def _alternatives(wanted: Wanted) -> list[Start]:
    """List what else is free; nothing when the service is not offered any more."""
    try:
        return alternatives(
            db.session(),
            scope().location_id,
            wanted.service_id,
            starts_at=wanted.starts_at,
            resource_ids=wanted.resource_ids,
            now=now(),
            units=wanted.units,
        )
    except NotFound:
        return []


def _names(resource_ids: tuple[UUID, ...]) -> str:
    known = list_resources(db.session(), scope().location_id)
    return ", ".join(resource.name for resource in known if resource.id in resource_ids)


def _title(refusal: DomainError, wanted: Wanted) -> str:
    time, names = clock_time(wanted.starts_at, scope().zone), _names(wanted.resource_ids)
    if isinstance(refusal, HoldExpired):
        return gettext("La pre-reserva de las %(time)s venció", time=time)
    if not isinstance(refusal, SlotTaken):
        return sentence(refusal.code)
    if names:
        return gettext("%(time)s con %(names)s ya está ocupado", time=time, names=names)
    return gettext("%(time)s ya está ocupado", time=time)


def _detail(refusal: DomainError, moving: BookingView | None) -> str:
    if moving is not None:
        return gettext(
            "La reserva de %(name)s sigue a las %(time)s.",
            name=moving.contact.name or gettext("la persona sin nombre"),
            time=clock_time(moving.starts_at, scope().zone),
        )
    if isinstance(refusal, HoldExpired):
        return gettext("El lugar quedó libre y no se cobró nada. Lo que escribiste sigue acá.")
    return gettext("No se guardó nada. Lo que escribiste sigue acá.")


def _offer(start: Start, wanted: Wanted) -> Offer:
    mine = scope()
    resource_ids = tuple(resource.id for resource in start.resources)
    is_same = not wanted.resource_ids or set(wanted.resource_ids) <= set(resource_ids)
    if start.starts_at == wanted.starts_at:
        differs = (
            gettext("el mismo lugar") if is_same else gettext("misma hora, otra persona o lugar")
        )
    else:
        differs = near_day(day_of(start.starts_at, mine.zone), mine.today(now()))
    return Offer(
        start=start,
        resources=",".join(str(resource_id) for resource_id in resource_ids),
        names=", ".join(resource.name for resource in start.resources),
        differs=differs,
        key=str(uuid4()),
    )
