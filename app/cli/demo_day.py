"""The bookings of the demo's day: made through the booking actions, in the states of the hour."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.booking.models import Booking
from app.booking.views import BookingView, Contact
from app.catalog.actions import add_time_off
from app.catalog.hours import local_to_utc
from app.catalog.models import Location, Resource, Service, TimeOff
from app.checkout.actions import (
    Wish,
    cancel,
    check_in,
    complete,
    confirm,
    confirm_no_show,
    place_hold,
    receive_by_hand,
)
from app.cli.demo_business import CAMILA, LUCIA, MARCOS, TABLES, VALENTINA, at
from app.errors import NotFound
from app.events import Actor
from app.payments.models import Method

HELD, CANCELLED, ABSENT, LATE, PAID = "held", "cancelled", "absent", "late", "paid"


@dataclass(frozen=True)
class Planned:
    """One visit of the day; ``fate`` is what sets it apart from those that come and go."""

    minutes: int
    service: str
    column: str
    customer: str
    fate: str = ""
    channel: str = "desk"


DAY = (
    Planned(at(9), "Corte y peinado", LUCIA, "Sofía Olivera"),
    Planned(at(9, 45), "Color y brushing", LUCIA, "Mariana Antúnez"),
    Planned(at(14), "Alisado", LUCIA, "Gabriela Nuñes", channel="public"),
    Planned(at(16), "Corte y peinado", LUCIA, "Valeria Chagas"),
    Planned(at(17), "Balayage", LUCIA, "Ivana Suárez"),
    Planned(at(9), "Corte", MARCOS, "Diego Umpiérrez"),
    Planned(at(9, 30), "Corte", MARCOS, "Bruno Leites", fate=ABSENT),
    Planned(at(10), "Barba", MARCOS, "Thiago Pereira"),
    Planned(at(10, 30), "Corte", MARCOS, "Joaquín Silveira", fate=LATE),
    Planned(at(12), "Corte", MARCOS, "Rosana da Silva", fate=HELD),
    Planned(at(14), "Barba", MARCOS, "Nicolás Vaz", fate=CANCELLED),
    Planned(at(14, 30), "Corte y barba", MARCOS, "Matías Ferrón", channel="public"),
    Planned(at(15, 30), "Corte", MARCOS, "Lucas Moreira"),
    Planned(at(16, 15), "Barba", MARCOS, "Rafael Borges"),
    Planned(at(10), "Semipermanente", VALENTINA, "Cecilia Bentancor"),
    Planned(at(11), "Kapping", VALENTINA, "Andrea Sosa"),
    Planned(at(13), "Pedicuría", VALENTINA, "Luana Machado", channel="api"),
    Planned(at(16, 30), "Semipermanente", VALENTINA, "Romina Olivera"),
    Planned(at(9, 30), "Limpieza facial", CAMILA, "Silvia Camargo"),
    Planned(at(10, 45), "Peeling", CAMILA, "Eliana Brum"),
    Planned(at(14), "Dermaplaning", CAMILA, "Natalia Godoy", channel="public"),
    Planned(at(9), "Relax", TABLES, "Ana Clara Méndez"),
    Planned(at(9, 30), "Espalda", TABLES, "Raúl Techeira"),
    Planned(at(10), "Relax", TABLES, "Helena Prates"),
    Planned(at(10, 30), "Espalda", TABLES, "Carlos Tavares"),
    Planned(at(11), "Piedras", TABLES, "Inés Viera"),
    Planned(at(11), "Relax", TABLES, "João Batista", channel="api"),
    Planned(at(12), "Relax", TABLES, "Mirta Silvera"),
    Planned(at(14), "Piedras", TABLES, "Elsa Rivero"),
    Planned(at(14), "Relax", TABLES, "Noelia Duarte"),
    Planned(at(14), "Espalda", TABLES, "Darío Lemos"),
    Planned(at(16), "Relax", TABLES, "Beatriz Oxley"),
    Planned(at(16, 30), "Espalda", TABLES, "Sonia Fagúndez"),
    Planned(at(12), "Corte y brushing", LUCIA, "Patricia Lemes", fate=PAID),
    Planned(at(14, 30), "Kapping con diseño", VALENTINA, "Florencia Paz", fate=PAID),
)

NEXT_DAY = tuple(planned for planned in DAY if not planned.fate)[::3]


@dataclass(frozen=True)
class Visit:
    """A planned visit on a day, with the key that makes it once."""

    day: date
    planned: Planned

    @property
    def key(self) -> str:
        return f"demo:{self.day}:{DAY.index(self.planned)}"


def visits_of(location: Location, now: datetime) -> Iterator[Visit]:
    """List the visits of the location's today, and some of its tomorrow."""
    today = now.astimezone(ZoneInfo(location.timezone)).date()
    yield from (Visit(today, planned) for planned in DAY)
    yield from (Visit(today + timedelta(days=1), planned) for planned in NEXT_DAY)


def made_keys(session: Session, location_id: UUID) -> set[str | None]:
    """Tell which visits were made already, whatever became of them."""
    known = select(Booking.request_key).where(
        Booking.location_id == location_id, Booking.request_key.startswith("demo:")
    )
    return set(session.scalars(known))


def add_leave(session: Session, location: Location, now: datetime) -> None:
    """Let Camila go at four today, once."""
    zone = ZoneInfo(location.timezone)
    today = now.astimezone(zone).date()
    camila = _resource(session, location.id, CAMILA)
    starts_at, ends_at = (local_to_utc(zone, today, minutes) for minutes in (at(16), at(18)))
    known = select(TimeOff.id).where(
        TimeOff.location_id == location.id,
        TimeOff.resource_id == camila,
        TimeOff.starts_at == starts_at,
    )
    if session.scalar(known) is None:
        add_time_off(
            session, location.id, camila, starts_at=starts_at, ends_at=ends_at, reason="Licencia"
        )


def make_visit(
    session: Session, location: Location, visit: Visit, *, actor: Actor, now: datetime
) -> None:
    """Book a visit and bring it to the state it would have at this hour.

    Raises:
        SlotTaken: somebody has the time.
        NotFound: the owner renamed what it needs.

    """
    planned = visit.planned
    starts_at = local_to_utc(ZoneInfo(location.timezone), visit.day, planned.minutes)
    number = 100 + DAY.index(planned)
    wish = Wish(
        location_id=location.id,
        service_id=_service(session, location.id, planned.service),
        starts_at=starts_at,
        resource_ids=(_resource(session, location.id, planned.column),),
        at_desk=True,
        override="demo" if starts_at < now else None,
        contact=Contact(name=planned.customer, phone=f"+59899000{number:03}"),
        channel=planned.channel,
        request_key=visit.key,
    )
    booking = place_hold(session, wish, actor=actor, now=now)
    if planned.fate == HELD and starts_at > now:
        return
    booking = _confirm(session, booking, planned.fate, actor=actor)
    _live(session, booking, planned.fate, actor=actor, now=now)


def _confirm(session: Session, booking: BookingView, fate: str, *, actor: Actor) -> BookingView:
    key = booking.location_id, booking.id
    if fate == PAID:
        note = "Comprobante por WhatsApp"
        return receive_by_hand(session, *key, method=Method.TRANSFER, note=note, actor=actor)
    return confirm(session, *key, actor=actor)


def _live(
    session: Session, booking: BookingView, fate: str, *, actor: Actor, now: datetime
) -> None:
    key = booking.location_id, booking.id
    if fate == CANCELLED:
        cancel(session, *key, actor=actor, reason="Avisó por WhatsApp")
    elif booking.starts_at > now or (fate == LATE and booking.ends_at > now):
        return
    elif fate == ABSENT:
        confirm_no_show(session, *key, actor=actor)
    else:
        check_in(session, *key, actor=actor)
        if booking.ends_at <= now:
            complete(session, *key, actor=actor)


def _service(session: Session, location_id: UUID, name: str) -> UUID:
    found = select(Service.id).where(Service.location_id == location_id, Service.name == name)
    return _first(session.scalars(found.order_by(Service.id)).first())


def _resource(session: Session, location_id: UUID, name: str) -> UUID:
    found = select(Resource.id).where(Resource.location_id == location_id, Resource.name == name)
    return _first(session.scalars(found.order_by(Resource.id)).first())


def _first(found: UUID | None) -> UUID:
    if found is None:
        raise NotFound  # the owner renamed it, and the demo goes on without
    return found
