"""Find resources for a wish and take them: every hold and every reschedule goes through here."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.booking.allocation import Want, take
from app.booking.availability import Diary, check_policy
from app.booking.errors import OutsideHours, SlotTaken, TooManyUnits
from app.booking.occupancy import Occupancy, read_occupancy
from app.catalog.offer import Candidate, Offer
from app.catalog.queries import load_offer
from app.errors import InvalidFields, NotFound


@dataclass(frozen=True)
class Wanted:
    """A place and time somebody asked for; refusals carry it, so a door can offer others.

    ``at_desk`` lets a person start at any minute and ignores notice and horizon. ``override`` is
    a person's reason to book outside the hours or in the past; nothing overrides what is taken.
    """

    location_id: UUID
    service_id: UUID
    starts_at: datetime
    resource_ids: tuple[UUID, ...] = ()
    units: int = 1
    at_desk: bool = False
    override: str | None = None


@dataclass(frozen=True)
class Placed:
    """What was taken: one resource for each need."""

    offer: Offer
    resources: tuple[tuple[Candidate, int], ...]


def find_place(
    session: Session, wanted: Wanted, *, now: datetime, prefer: frozenset[UUID] = frozenset()
) -> tuple[Offer, list[list[Candidate]]]:
    """List for each need who could serve it by the rules, the fairest first.

    One statement when every need leaves one candidate, two when there is a choice.

    Raises:
        NotFound: no such service or resource at the location.
        Invalid: the time or the choice breaks a rule.
    """
    offer = load_offer(
        session,
        wanted.location_id,
        wanted.service_id,
        since=wanted.starts_at,
        until=wanted.starts_at,
    )
    if not wanted.at_desk:
        check_policy(offer.place, wanted.starts_at, now=now)
    elif wanted.override is None:
        check_policy(offer.place, wanted.starts_at, now=now, only_past=True)
    _check_units(offer, wanted.units)
    choices = _narrow(offer, wanted.resource_ids)
    window = (wanted.starts_at, wanted.starts_at)
    has_choice = any(len(choice) > 1 for choice in choices)
    occupancy = read_occupancy(session, offer, window) if has_choice else Occupancy.empty(offer)
    diary = Diary(offer, window, occupancy, wanted.units)
    if wanted.override is None:
        choices = _keep_rules(diary, choices, wanted)
    fairest = [
        diary.fairest(index, wanted.starts_at, choice) for index, choice in enumerate(choices)
    ]
    return offer, [sorted(choice, key=lambda c: c.id not in prefer) for choice in fairest]


def place(
    session: Session,
    booking_id: UUID,
    wanted: Wanted,
    *,
    now: datetime,
    prefer: frozenset[UUID] = frozenset(),
) -> Placed:
    """Take a resource for each need of the service, all or nothing.

    When somebody else was quicker at a candidate, the next one is tried in the same transaction.
    Those in ``prefer`` come first.

    Raises:
        SlotTaken: nobody is left for one of the needs.
    """
    offer, choices = find_place(session, wanted, now=now, prefer=prefer)
    during = offer.during(wanted.starts_at)
    while all(choices):
        chosen = [choice[0] for choice in choices]
        wants = [
            Want(c.id, need.units_for(c, wanted.units), c.is_exclusive)
            for need, c in zip(offer.needs, chosen, strict=True)
        ]
        missing = take(session, wanted.location_id, booking_id, wants, during=during)
        if not missing:
            return Placed(offer, tuple(zip(chosen, (want.units for want in wants), strict=True)))
        choices = [[c for c in choice if c.id not in missing] for choice in choices]
    raise SlotTaken


def _check_units(offer: Offer, units: int) -> None:
    pools = [need for need in offer.needs if any(not c.is_exclusive for c in need.candidates)]
    if units > 1 and not pools:
        raise TooManyUnits
    for need in pools:
        if all(need.units_for(c, units) > c.capacity for c in need.candidates):
            raise TooManyUnits


def _narrow(offer: Offer, resource_ids: Sequence[UUID]) -> list[list[Candidate]]:
    """Keep to the chosen resources where some were chosen.

    Raises:
        NotFound: the service cannot use one of them, here or at all.
        InvalidFields: two were chosen for one need, or nothing can serve it.
    """
    chosen = set(resource_ids)
    known = {c.id for need in offer.needs for c in need.candidates}
    if chosen - known:
        raise NotFound
    choices = []
    for need in offer.needs:
        among = [c for c in need.candidates if c.id in chosen]
        if len(among) > 1:
            raise InvalidFields(("resource_ids", "one_per_need"))
        choices.append(among or list(need.candidates))
    if not choices:
        raise InvalidFields(("service_id", "not_bookable"))
    return choices


def _keep_rules(
    diary: Diary, choices: list[list[Candidate]], wanted: Wanted
) -> list[list[Candidate]]:
    opened = [[c for c in choice if diary.is_open(c, wanted.starts_at)] for choice in choices]
    if not all(opened):
        raise OutsideHours
    if not wanted.at_desk:
        opened[0] = [c for c in opened[0] if diary.is_on_grid(c, wanted.starts_at)]
        if not opened[0]:
            raise InvalidFields(("starts_at", "not_on_grid"))
    return opened
