from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.errors import CapacityInUse
from app.catalog.models import LARGEST_POOL, POOLED
from app.errors import InvalidFields, NotFound

_LOCK = text("""
    SELECT kind FROM resource WHERE location_id = :location_id AND id = :resource_id
    FOR NO KEY UPDATE
""")

_IN_THE_WAY = text("""
    SELECT DISTINCT a.booking_id FROM allocation a
    JOIN pool_usage u ON u.location_id = a.location_id AND u.resource_id = a.resource_id
        AND a.during && tstzrange(u.bucket_start, u.bucket_start + interval '5 minutes')
    WHERE a.location_id = :location_id AND a.resource_id = :resource_id
        AND a.active AND a.kind = 'pooled'
        AND u.bucket_start + interval '5 minutes' > clock_now() AND u.used > :capacity
    LIMIT 100
""")

_CHANGE = text("""
    WITH changed AS (
        UPDATE resource SET capacity = :capacity
        WHERE location_id = :location_id AND id = :resource_id
    )
    UPDATE pool_usage SET capacity = :capacity
    WHERE location_id = :location_id AND resource_id = :resource_id
        AND bucket_start + interval '5 minutes' > clock_now()
""")


def change_capacity(session: Session, location_id: UUID, resource_id: UUID, capacity: int) -> None:
    """Give a pool more or fewer places; what is past stays as it was counted.

    Raises:
        CapacityInUse: more are sold at some moment to come; ``facts["bookings"]`` lists whose.
        InvalidFields: no pool, or no number of places.
        NotFound: the location has no such resource.
    """
    where = {"location_id": location_id, "resource_id": resource_id}
    kind = session.scalar(_LOCK, where)
    if kind is None:
        raise NotFound
    if kind != POOLED or not 1 <= capacity <= LARGEST_POOL:
        raise InvalidFields(("capacity", "out_of_range"))
    wanted = {**where, "capacity": capacity}
    in_the_way = session.scalars(_IN_THE_WAY, wanted).all()
    if in_the_way:
        raise CapacityInUse(facts={"bookings": sorted(map(str, in_the_way))})
    session.execute(_CHANGE, wanted)
