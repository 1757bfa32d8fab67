"""What a confirmation asked for, kept with the charge until the provider gave its code."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.booking.views import Contact
from app.events import Actor


@dataclass(frozen=True)
class Ask:
    """Who confirms a hold with a deposit, and for whom."""

    location_id: UUID
    booking_id: UUID
    actor: Actor
    contact: Contact | None = None
    notes: str | None = None

    def document(self) -> dict[str, Any]:
        """Give it as JSON."""
        contact, actor = self.contact, self.actor
        return {
            "actor": {
                "door": actor.door,
                "name": actor.name,
                "id": str(actor.id) if actor.id else None,
                "is_person": actor.is_person,
            },
            "contact": contact
            and {"name": contact.name, "phone": contact.phone, "email": contact.email},
            "notes": self.notes,
        }

    @staticmethod
    def of(location_id: UUID, booking_id: UUID, document: dict[str, Any]) -> "Ask":
        """Read it back."""
        actor, contact = document["actor"], document["contact"]
        return Ask(
            location_id,
            booking_id,
            Actor(
                door=actor["door"],
                name=actor["name"],
                id=UUID(actor["id"]) if actor["id"] else None,
                is_person=actor["is_person"],
            ),
            contact and Contact(**contact),
            document["notes"],
        )
