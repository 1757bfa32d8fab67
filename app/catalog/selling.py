"""Services: what a customer buys, and what each of them needs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from app.catalog.models import (
    LONGEST_VISIT,
    MINUTES_OF_A_DAY,
    POOLED,
    Requirement,
    RequirementOption,
    Resource,
    Service,
)
from app.errors import InvalidFields, NotFound
from app.money import MOST_CENTS

POOL_STEP = 5
"""Minutes. Lengths of services that use a pool are multiples of it, as the pool counts so."""

LONGEST_BUFFER = MINUTES_OF_A_DAY // 2

Needs = Sequence[tuple[Sequence[Resource], int]]
"""Per need the resources of which any one serves, and the units it takes of a pool."""

_LENGTHS = ("duration_minutes", "buffer_before_minutes", "buffer_after_minutes", "grid_minutes")

_DEFAULTS = {
    "buffer_before_minutes": 0,
    "buffer_after_minutes": 0,
    "grid_minutes": 15,
    "price_cents": 0,
    "deposit_cents": 0,
}

_RANGES: dict[str, tuple[int, int]] = {
    "duration_minutes": (5, LONGEST_VISIT),
    "buffer_before_minutes": (0, LONGEST_BUFFER),
    "buffer_after_minutes": (0, LONGEST_BUFFER),
    "grid_minutes": (5, MINUTES_OF_A_DAY),
    "price_cents": (0, MOST_CENTS),
    "deposit_cents": (0, MOST_CENTS),
}


def add_service(
    session: Session,
    location_id: UUID,
    *,
    name: str,
    duration_minutes: int,
    needs: Needs,
    **fields: Any,
) -> Service:
    """Add a service with what it needs: per need the resources that serve, and the units.

    The first need sets the grid. ``fields`` are further columns of ``Service``.

    Raises:
        InvalidFields: a length that a pool cannot count, a visit longer than a day with its
            buffers, a deposit above the price, a resource in two needs, a need that nothing
            serves, or more units than a pool has.
    """
    service = Service(
        location_id=location_id, name=name, duration_minutes=duration_minutes, **fields
    )
    numbers = {**_DEFAULTS, "duration_minutes": duration_minutes, **fields}
    _check_needs(needs)
    _check_numbers(numbers, [resource for resources, _ in needs for resource in resources])
    session.add(service)
    session.flush()
    _add_needs(session, service, needs)
    return service


def change_service(
    session: Session,
    location_id: UUID,
    service_id: UUID,
    *,
    needs: Needs | None = None,
    **changes: Any,
) -> dict[str, list[Any]]:
    """Change columns of a service and, when given, all it needs; bookings stay as they are.

    Tells of each changed column what it was and what it is now.

    Raises:
        NotFound: the location has no such service.
        InvalidFields: as when it is added.
    """
    service = session.get(Service, (location_id, service_id), with_for_update=True)
    if service is None:
        raise NotFound
    changed = {
        name: [getattr(service, name), value]
        for name, value in changes.items()
        if getattr(service, name) != value
    }
    if needs is None:
        options = _options_of(session, service)
    else:
        _check_needs(needs)
        options = [resource for resources, _ in needs for resource in resources]
    _check_numbers({**{name: getattr(service, name) for name in _RANGES}, **changes}, options)
    for name, (_, value) in changed.items():
        setattr(service, name, value)
    if needs is not None:
        _remove_needs(session, service)
        _add_needs(session, service, needs)
    session.flush()
    return changed


def archive_service(
    session: Session, location_id: UUID, service_id: UUID, *, now: datetime
) -> None:
    """Sell a service no more; its bookings stay.

    Raises:
        NotFound: the location has no such service.
    """
    service = session.get(Service, (location_id, service_id))
    if service is None:
        raise NotFound
    service.archived_at = now
    session.flush()


def _check_needs(needs: Needs) -> None:
    options = [resource for resources, _ in needs for resource in resources]
    if not needs or any(not resources for resources, _ in needs):
        raise InvalidFields(("needs", "required"))
    if len({option.id for option in options}) < len(options):
        raise InvalidFields(("needs", "twice"))
    for resources, units in needs:
        pools = [resource.capacity for resource in resources if resource.kind == POOLED]
        if units < 1 or units > min(pools, default=1):
            raise InvalidFields(("needs", "too_many_units"))


def _check_numbers(numbers: Mapping[str, int], options: Sequence[Resource]) -> None:
    wrong = [
        (name, "out_of_range")
        for name, (least, most) in _RANGES.items()
        if not least <= numbers[name] <= most
    ]
    if wrong:
        raise InvalidFields(*wrong)
    lengths = [numbers[name] for name in _LENGTHS]
    if sum(lengths[:3]) > LONGEST_VISIT:
        raise InvalidFields(("duration_minutes", "too_long"))
    if any(o.kind == POOLED for o in options) and any(length % POOL_STEP for length in lengths):
        raise InvalidFields(("duration_minutes", "not_a_multiple_of_5"))
    if numbers["deposit_cents"] > numbers["price_cents"]:
        raise InvalidFields(("deposit_cents", "more_than_price"))


def _options_of(session: Session, service: Service) -> Sequence[Resource]:
    return session.scalars(
        select(Resource)
        .join(
            RequirementOption,
            (RequirementOption.location_id == Resource.location_id)
            & (RequirementOption.resource_id == Resource.id),
        )
        .where(
            RequirementOption.location_id == service.location_id,
            RequirementOption.service_id == service.id,
        )
    ).all()


def _remove_needs(session: Session, service: Service) -> None:
    for table in (RequirementOption, Requirement):
        session.execute(
            delete(table).where(
                table.location_id == service.location_id, table.service_id == service.id
            )
        )


def _add_needs(session: Session, service: Service, needs: Needs) -> None:
    for position, (resources, units) in enumerate(needs):
        requirement = Requirement(
            location_id=service.location_id,
            service_id=service.id,
            position=position,
            units=units,
        )
        session.add(requirement)
        session.flush()
        session.add_all(
            RequirementOption(
                location_id=service.location_id,
                service_id=service.id,
                requirement_id=requirement.id,
                resource_id=resource.id,
            )
            for resource in resources
        )
    session.flush()
