"""The promises about bookings and their money together, asked of the tables."""

from sqlalchemy.orm import Session

from app.booking import integrity
from app.booking.integrity import Fault

MONEY = {
    "a payment whose ledger does not say where it is": """
        SELECT p.id::text || ' is ' || p.standing FROM payment p
        LEFT JOIN LATERAL (
            SELECT sum(CASE WHEN e.source = 'payer' THEN e.cents ELSE 0 END) AS received,
                sum(CASE WHEN e.target = 'payer' THEN e.cents ELSE 0 END) AS returned,
                sum(CASE WHEN e.target = 'booking' THEN e.cents ELSE 0 END)
                    - sum(CASE WHEN e.source = 'booking' THEN e.cents ELSE 0 END) AS on_booking,
                sum(CASE WHEN e.target_booking_id = p.booking_id THEN e.cents ELSE 0 END)
                    - sum(CASE WHEN e.source_booking_id = p.booking_id THEN e.cents ELSE 0 END)
                    AS on_its_own,
                sum(CASE WHEN e.target = 'due' THEN e.cents ELSE 0 END)
                    - sum(CASE WHEN e.source = 'due' THEN e.cents ELSE 0 END) AS due,
                sum(CASE WHEN e.target = 'house' THEN e.cents ELSE 0 END)
                    - sum(CASE WHEN e.source = 'house' THEN e.cents ELSE 0 END) AS kept
            FROM ledger_entry e WHERE e.location_id = p.location_id AND e.payment_id = p.id
        ) l ON true
        CROSS JOIN LATERAL (SELECT p.amount_cents - p.returned_cents AS rest) r
        WHERE l.received IS DISTINCT FROM p.amount_cents
            OR l.returned IS DISTINCT FROM p.returned_cents
            OR l.on_booking <> CASE WHEN p.standing = 'applied' THEN r.rest ELSE 0 END
            OR (p.standing = 'applied' AND l.on_its_own <> r.rest)
            OR l.due <> CASE WHEN p.standing = 'due' THEN r.rest ELSE 0 END
            OR l.kept <> CASE WHEN p.standing = 'kept' THEN r.rest ELSE 0 END
    """,
    "more on its way back than came in": """
        SELECT p.id::text FROM payment p
        JOIN refund r ON r.location_id = p.location_id AND r.payment_id = p.id
        WHERE r.status IN ('asked', 'pending')
        GROUP BY p.location_id, p.id, p.amount_cents, p.returned_cents
        HAVING sum(r.amount_cents) > p.amount_cents - p.returned_cents
    """,
    "money on a booking that is over": """
        SELECT p.id::text || ' on ' || b.id::text FROM payment p
        JOIN booking b ON b.location_id = p.location_id AND b.id = p.booking_id
        WHERE p.standing = 'applied'
            AND b.status IN ('held', 'pending_payment', 'expired', 'cancelled')
    """,
    "a deposit paid twice": """
        SELECT p.booking_id::text FROM payment p WHERE p.standing = 'applied'
        GROUP BY p.location_id, p.booking_id HAVING count(*) > 1
    """,
    "a booking that waits for a payment without a charge": """
        SELECT b.id::text FROM booking b
        WHERE b.status = 'pending_payment' AND NOT EXISTS (
            SELECT 1 FROM charge c WHERE c.location_id = b.location_id AND c.booking_id = b.id
                AND c.next_look_at IS NOT NULL)
    """,
    "a booking with a deposit that was confirmed without it": """
        SELECT b.id::text FROM booking b
        WHERE b.status IN ('confirmed', 'checked_in', 'completed', 'no_show')
            AND b.deposit_cents > 0 AND b.starts_at > clock_now() - interval '30 days'
            AND NOT EXISTS (
                SELECT 1 FROM payment p
                WHERE p.location_id = b.location_id AND p.booking_id = b.id
                    AND (p.standing = 'applied' OR p.returned_cents > 0 OR p.is_flagged))
    """,
}
"""Each names a fault and finds its cases, as ``app.booking.integrity.FAULTS`` does."""

FAULTS = integrity.FAULTS | MONEY


def find_faults(session: Session) -> list[Fault]:
    """Check every promise that the tables can tell; an empty list is the only good answer."""
    return integrity.find_faults(session, FAULTS)
