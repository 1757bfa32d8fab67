from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.catalog.models import EXCLUSIVE, LARGEST_POOL, POOLED, Resource
from app.errors import InvalidFields, NotFound


def add_resource(
    session: Session,
    location_id: UUID,
    *,
    name: str,
    capacity: int = 1,
    kind: str | None = None,
    label: str = "",
    position: int = 0,
) -> Resource:
    """Add a person, room or machine, or with a capacity above one a pool of equal places.

    Raises:
        InvalidFields: no number of places, or several of what is one.
    """
    kind = kind or (POOLED if capacity > 1 else EXCLUSIVE)
    if not 1 <= capacity <= LARGEST_POOL or (kind == EXCLUSIVE and capacity > 1):
        raise InvalidFields(("capacity", "out_of_range"))
    resource = Resource(
        location_id=location_id,
        name=name,
        label=label,
        kind=kind,
        capacity=capacity,
        position=position,
    )
    session.add(resource)
    session.flush()
    return resource


def rename_resource(session: Session, location_id: UUID, resource_id: UUID, *, name: str) -> str:
    """Call a resource something else; tell what it was called. Bookings show the new name.

    Raises:
        NotFound: the location has no such resource.
    """
    resource = _get(session, location_id, resource_id)
    before, resource.name = resource.name, name
    session.flush()
    return before


def archive_resource(
    session: Session, location_id: UUID, resource_id: UUID, *, now: datetime
) -> None:
    """Take a resource out of use; its history stays.

    Raises:
        NotFound: the location has no such resource.
    """
    _get(session, location_id, resource_id).archived_at = now
    session.flush()


def _get(session: Session, location_id: UUID, resource_id: UUID) -> Resource:
    resource = session.get(Resource, (location_id, resource_id))
    if resource is None:
        raise NotFound
    return resource
