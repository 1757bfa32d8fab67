from uuid import UUID

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.ids import new_id

_FIND_OR_ADD = text("""
    INSERT INTO customer AS known (location_id, id, name, phone, email)
    VALUES (:location_id, :id, :name, :phone, :email)
    ON CONFLICT (location_id, phone) DO UPDATE
        SET name = CASE WHEN known.name = '' THEN excluded.name ELSE known.name END,
            email = coalesce(known.email, excluded.email)
    RETURNING id
""")


def find_or_add(
    session: Session, location_id: UUID, *, phone: str, name: str | None, email: str | None
) -> UUID:
    """Give the customer with this phone (E.164), making the record at the first visit.

    What is known is never overwritten by what a caller types; only gaps are filled.
    """
    customer_id: UUID = session.execute(
        _FIND_OR_ADD,
        {
            "location_id": location_id,
            "id": new_id(),
            "phone": phone,
            "name": name or "",
            "email": email,
        },
    ).scalar_one()
    return customer_id
