"""Estudio Ceibo of Rivera: what the demo sells, who works there and when."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.actions import add_location, add_resource, add_service, set_weekly_hours
from app.catalog.models import Location, Resource
from app.money import Cents

SLUG = "ceibo"


@dataclass(frozen=True)
class Column:
    """A resource of the day view; hours are wall time and the gap between two is a break."""

    name: str
    label: str
    hours: tuple[tuple[int, int], ...]
    capacity: int = 1


@dataclass(frozen=True)
class Sold:
    """A service: minutes and cents. Each need lists the columns of which any one serves it."""

    name: str
    minutes: int
    price: int
    needs: tuple[tuple[str, ...], ...]
    deposit: int = 0
    buffer_before: int = 0
    buffer_after: int = 0
    units: int = 1


LUCIA, MARCOS, VALENTINA = "Lucía Ferreira", "Marcos Acosta", "Valentina Píriz"
CAMILA, TABLES = "Camila Techera", "Camillas"


def at(hours: int, minutes: int = 0) -> int:
    return hours * 60 + minutes


COLUMNS = (
    Column(LUCIA, "Peluquería", ((at(9), at(13)), (at(14), at(19)))),
    Column(MARCOS, "Barbería", ((at(9), at(13)), (at(14), at(19)))),
    Column(VALENTINA, "Manos y pies", ((at(10), at(14)), (at(14, 30), at(19)))),
    Column(CAMILA, "Cosmetología", ((at(9), at(13)), (at(13, 30), at(18)))),
    Column(TABLES, "Masajes", ((at(9), at(20)),), capacity=3),
)

SERVICES = (
    Sold("Corte", 30, 45_00, ((MARCOS, LUCIA),)),
    Sold("Corte y barba", 40, 70_00, ((MARCOS,),)),
    Sold("Barba", 30, 35_00, ((MARCOS,),)),
    Sold("Corte y peinado", 45, 60_00, ((LUCIA,),)),
    Sold("Corte y brushing", 45, 90_00, ((LUCIA,),), deposit=40_00),
    Sold("Color y brushing", 90, 180_00, ((LUCIA,),), buffer_after=15),
    Sold("Alisado", 105, 220_00, ((LUCIA,),)),
    Sold("Balayage", 120, 280_00, ((LUCIA,),)),
    Sold("Semipermanente", 60, 60_00, ((VALENTINA,),)),
    Sold("Kapping", 60, 80_00, ((VALENTINA,),)),
    Sold("Kapping con diseño", 60, 110_00, ((VALENTINA,),), deposit=60_00),
    Sold("Pedicuría", 60, 65_00, ((VALENTINA,),)),
    Sold("Limpieza facial", 60, 120_00, ((CAMILA,),), buffer_before=5, buffer_after=10),
    Sold("Peeling", 60, 140_00, ((CAMILA,),)),
    Sold("Dermaplaning", 60, 130_00, ((CAMILA,),)),
    Sold("Ritual facial en camilla", 75, 190_00, ((CAMILA,), (TABLES,))),
    Sold("Relax", 60, 110_00, ((TABLES,),)),
    Sold("Espalda", 60, 90_00, ((TABLES,),)),
    Sold("Piedras", 60, 150_00, ((TABLES,),)),
    Sold("Relax de a dos", 60, 200_00, ((TABLES,),), units=2),
)


def open_business(session: Session) -> Location:
    """Give the demo's location, with everything it sells when it is new.

    What is there already stays as its owner left it.
    """
    known = session.scalar(select(Location).where(Location.slug == SLUG))
    if known is not None:
        return known
    location = add_location(
        session,
        name="Estudio Ceibo",
        slug=SLUG,
        city="Rivera",
        country="UY",
        timezone="America/Montevideo",
        currency="BRL",
        language="es",
        cancellation_window_minutes=120,
    )
    columns = {
        column.name: _add_column(session, location, column, position=position)
        for position, column in enumerate(COLUMNS)
    }
    for position, sold in enumerate(SERVICES):
        add_service(
            session,
            location.id,
            name=sold.name,
            duration_minutes=sold.minutes,
            needs=[([columns[name] for name in names], sold.units) for names in sold.needs],
            buffer_before_minutes=sold.buffer_before,
            buffer_after_minutes=sold.buffer_after,
            price_cents=Cents(sold.price),
            deposit_cents=Cents(sold.deposit),
            position=position,
        )
    return location


def _add_column(session: Session, location: Location, column: Column, *, position: int) -> Resource:
    resource = add_resource(
        session,
        location.id,
        name=column.name,
        label=column.label,
        capacity=column.capacity,
        position=position,
    )
    # Sundays too, so that the demo is alive on any day.
    set_weekly_hours(session, location.id, resource.id, range(7), column.hours)
    return resource
