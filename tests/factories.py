from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from app.accounts.actions import add_api_key, add_membership, add_user
from app.accounts.models import BOOK, MANAGE, READ, User
from app.booking.views import BookingView
from app.catalog.actions import add_location, add_resource, add_service, set_weekly_hours
from app.catalog.models import Location, Resource, Service
from app.checkout.actions import Wish, check_in, confirm, place_hold
from app.events import Actor
from app.ids import new_id

DESK = Actor(door="desk", name="Rocío", is_person=True)
BOT = Actor(door="api", name="bot")
PASSWORD = "una clave larga de prueba"
NINE_TO_SIX = ((9 * 60, 18 * 60),)
MONDAY_TO_SATURDAY = range(6)


def at(wall: str, zone: str = "America/Sao_Paulo") -> datetime:
    """Read a wall time of the fixture's business: ``2026-03-10 10:00``."""
    return datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def a_location(session: Session, **fields: Any) -> Location:
    """A business in Sao Paulo without policies that refuse anything within two years."""
    defaults: dict[str, Any] = {
        "name": "Estudio Ceibo",
        "slug": f"ceibo-{new_id().hex}",
        "timezone": "America/Sao_Paulo",
        "currency": "BRL",
        "country": "BR",
        "language": "es",
        "horizon_days": 60,
    }
    location = add_location(session, **{**defaults, **fields})
    session.commit()
    return location


def a_resource(
    session: Session,
    location: Location,
    name: str = "R1",
    *,
    capacity: int = 1,
    hours: Sequence[tuple[int, int]] = NINE_TO_SIX,
    weekdays: Sequence[int] = MONDAY_TO_SATURDAY,
    **fields: Any,
) -> Resource:
    """A person, or a pool with a capacity above one, open Monday to Saturday 9 to 18."""
    resource = add_resource(session, location.id, name=name, capacity=capacity, **fields)
    set_weekly_hours(session, location.id, resource.id, weekdays, hours)
    session.commit()
    return resource


def a_service(
    session: Session,
    location: Location,
    *needs: Resource | Sequence[Resource] | tuple[Sequence[Resource], int],
    name: str = "Corte",
    duration_minutes: int = 60,
    grid_minutes: int = 30,
    **fields: Any,
) -> Service:
    """A service of an hour on a grid of half hours; each need a resource or several to choose."""
    service = add_service(
        session,
        location.id,
        name=name,
        duration_minutes=duration_minutes,
        grid_minutes=grid_minutes,
        needs=[_need(need) for need in needs],
        **fields,
    )
    session.commit()
    return service


def _need(need: Any) -> tuple[Sequence[Resource], int]:
    if isinstance(need, Resource):
        return [need], 1
    if isinstance(need, tuple) and len(need) == 2 and isinstance(need[1], int):
        return need
    return list(need), 1


def a_wish(location: Location, service: Service, starts_at: datetime, **fields: Any) -> Wish:
    return Wish(location.id, service.id, starts_at, **fields)


def a_hold(
    session: Session,
    location: Location,
    service: Service,
    starts_at: datetime,
    *,
    now: datetime | None = None,
    **fields: Any,
) -> BookingView:
    """A hold made at ``now``, by default an hour before it starts."""
    booking = place_hold(
        session,
        a_wish(location, service, starts_at, **fields),
        actor=BOT,
        now=now or starts_at - timedelta(hours=1),
    )
    session.commit()
    return booking


def a_booking(
    session: Session,
    location: Location,
    service: Service,
    starts_at: datetime,
    *,
    arrived: bool = False,
    **fields: Any,
) -> BookingView:
    """A confirmed booking, or with ``arrived`` one whose customer is there."""
    booking = a_hold(session, location, service, starts_at, **fields)
    booking = confirm(session, location.id, booking.id, actor=DESK)
    if arrived:
        booking = check_in(session, location.id, booking.id, actor=DESK)
    session.commit()
    return booking


def a_staff_user(
    session: Session,
    location: Location,
    *,
    role: str = "receptionist",
    email: str | None = None,
    resource: Resource | None = None,
    name: str = "Rocío",
) -> User:
    """Somebody who can log in with ``PASSWORD``."""
    user = add_user(
        session, email=email or f"{new_id()}@ceibo.example", name=name, password=PASSWORD
    )
    add_membership(
        session,
        location.id,
        user.id,
        role=role,
        resource_id=resource.id if resource else None,
    )
    session.commit()
    return user


def an_api_key(
    session: Session, location: Location, scopes: Sequence[str] = (READ, BOOK, MANAGE)
) -> str:
    """The text of a key that may do everything, unless told otherwise."""
    _, text = add_api_key(session, location.id, name="bot", scopes=list(scopes))
    session.commit()
    return text


def a_person(user: User) -> Actor:
    return Actor(door="desk", name=user.name, id=user.id, is_person=True)


def ids(resources: Sequence[Resource]) -> tuple[UUID, ...]:
    return tuple(resource.id for resource in resources)
