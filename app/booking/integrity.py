"""Questions whose answer must always be empty: the promises, asked of the tables themselves."""

from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.orm import Session

FAULTS = {
    "two live bookings on one exclusive resource": """
        SELECT a.booking_id::text || ' and ' || b.booking_id::text
        FROM allocation a JOIN allocation b ON a.location_id = b.location_id
            AND a.resource_id = b.resource_id AND a.during && b.during AND a.id < b.id
        WHERE a.active AND b.active AND a.kind = 'exclusive' AND b.kind = 'exclusive'
    """,
    "an allocation that does not follow its booking's state": """
        SELECT a.booking_id::text FROM allocation a
        JOIN booking b ON b.location_id = a.location_id AND b.id = a.booking_id
        WHERE a.active <> (b.status IN ('held', 'pending_payment', 'confirmed', 'checked_in'))
    """,
    "a booking that takes fewer resources than its service needs": """
        SELECT b.id::text FROM booking b
        WHERE b.status IN ('held', 'pending_payment', 'confirmed', 'checked_in')
            AND (SELECT count(*) FROM allocation a
                WHERE a.location_id = b.location_id AND a.booking_id = b.id AND a.active)
              < (SELECT count(*) FROM requirement q
                WHERE q.location_id = b.location_id AND q.service_id = b.service_id)
    """,
    "a pool counter that differs from its allocations": """
        SELECT coalesce(u.resource_id, t.resource_id)::text || ' at '
            || coalesce(u.bucket_start, t.bucket)::text || ': counted ' || coalesce(u.used, 0)
            || ', taken ' || coalesce(t.units, 0)
        FROM pool_usage u
        FULL JOIN (
            SELECT a.location_id, a.resource_id, bucket, sum(a.units) AS units
            FROM allocation a CROSS JOIN generate_series(
                date_bin('5 minutes', lower(a.during), 'epoch'),
                upper(a.during) - interval '1 microsecond', interval '5 minutes') AS bucket
            WHERE a.active AND a.kind = 'pooled' GROUP BY 1, 2, 3
        ) t ON t.location_id = u.location_id AND t.resource_id = u.resource_id
            AND t.bucket = u.bucket_start
        WHERE coalesce(u.used, 0) <> coalesce(t.units, 0)
    """,
    "a booking whose last event is not its state": """
        SELECT b.id::text || ' is ' || b.status || ' after ' || coalesce(e.kind, 'nothing')
        FROM booking b LEFT JOIN LATERAL (
            SELECT o.kind, o.payload ->> 'status' AS status FROM outbox o
            WHERE o.location_id = b.location_id AND o.booking_id = b.id
                AND o.kind LIKE 'booking.%'
            ORDER BY o.id DESC LIMIT 1
        ) e ON true
        WHERE e.status IS DISTINCT FROM b.status
    """,
}
"""Each names a fault and finds its cases. They read everything: for checks, not for pages."""


@dataclass(frozen=True)
class Fault:
    """A broken promise and where."""

    what: str
    where: str


def find_faults(session: Session, faults: dict[str, str] = FAULTS) -> list[Fault]:
    """Check every promise that the tables can tell; an empty list is the only good answer."""
    return [
        Fault(what, where)
        for what, question in faults.items()
        for where in session.scalars(text(question))
    ]
