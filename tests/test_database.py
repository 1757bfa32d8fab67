import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.orm import Session

from app.catalog.models import Holiday, Location
from app.database import (
    DEADLOCK,
    EXCLUSION_VIOLATION,
    LOCK_TIMEOUT,
    SERIALIZATION_FAILURE,
    UNIQUE_VIOLATION,
    sqlstate,
    translating,
)
from app.errors import Conflict
from tests.factories import a_location


def twin_of(location: Location) -> Location:
    return Location(
        name="Otro", slug=location.slug, timezone="America/Bahia", currency="BRL", country="BR"
    )


def test_the_violation_of_a_named_constraint_becomes_our_error(session: Session) -> None:
    location = a_location(session)

    with (
        pytest.raises(Conflict) as refusal,
        translating(session, {"uq_location_slug": Conflict}),
    ):
        session.add(twin_of(location))

    assert isinstance(refusal.value.__cause__, IntegrityError)
    assert session.scalar(select(func.count()).select_from(Location)) == 1


def test_what_was_written_before_and_after_it_stays(session: Session) -> None:
    location = a_location(session)
    session.add(Holiday(location_id=location.id, day=text("DATE '2026-12-25'"), name="Navidad"))
    session.flush()

    with pytest.raises(Conflict), translating(session, {"uq_location_slug": Conflict}):
        session.add(twin_of(location))
    session.add(Holiday(location_id=location.id, day=text("DATE '2026-12-31'")))
    session.commit()

    assert session.scalar(select(func.count()).select_from(Holiday)) == 2


def test_a_violation_that_is_not_named_passes_through(session: Session) -> None:
    location = a_location(session)

    with pytest.raises(IntegrityError), translating(session, {"another": Conflict}):
        session.add(twin_of(location))

    assert session.scalar(select(func.count()).select_from(Location)) == 1


def test_nothing_wrong_is_nothing_changed(session: Session) -> None:
    location = a_location(session)

    with translating(session, {"uq_location_slug": Conflict}):
        location.name = "Otro"

    assert session.scalar(text("SELECT name FROM location")) == "Otro"


@pytest.mark.parametrize(
    "state",
    [DEADLOCK, SERIALIZATION_FAILURE, LOCK_TIMEOUT, EXCLUSION_VIOLATION, UNIQUE_VIOLATION],
)
def test_the_sqlstate_behind_an_error_is_told(session: Session, state: str) -> None:
    statement = text(f"DO $$ BEGIN RAISE 'no' USING ERRCODE = '{state}'; END $$")

    with pytest.raises(DBAPIError) as error, session.begin_nested():
        session.execute(statement)

    assert sqlstate(error.value) == state
    assert sqlstate(ValueError()) is None
