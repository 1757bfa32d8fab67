from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from app.booking.views import BookingView
from app.catalog.models import Location, Service
from app.checkout import actions
from app.extensions import db, transact
from tests.factories import BOT, a_location, a_resource, a_service, a_wish


@dataclass(frozen=True)
class Scene:
    """A business with one service that any of its people, or its pool, can serve."""

    location: Location
    service: Service

    def hold(self, starts_at: datetime, **wish: object) -> BookingView:
        return transact(
            lambda session: actions.place_hold(
                session,
                a_wish(self.location, self.service, starts_at, **wish),
                actor=BOT,
                now=datetime.now(UTC),
            )
        )

    def confirm(self, booking_id: UUID) -> BookingView:
        return transact(
            lambda session: actions.confirm(session, self.location.id, booking_id, actor=BOT)
        )


def a_scene(*, people: int = 1, capacity: int = 1) -> Scene:
    session = db.session()
    location = a_location(session)
    team = [
        a_resource(session, location, f"R{number}", capacity=capacity)
        for number in range(1, people + 1)
    ]
    scene = Scene(location, a_service(session, location, team))
    session.rollback()
    return scene
