from typing import Any

import pytest
from sqlalchemy.orm import Session

from app.catalog.queries import list_services
from app.catalog.selling import add_service, archive_service, change_service
from app.errors import InvalidFields, NotFound
from app.ids import new_id
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service


def codes(refusal: pytest.ExceptionInfo[InvalidFields]) -> list[tuple[str, str]]:
    return [(error["field"], error["code"]) for error in refusal.value.facts["errors"]]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"duration_minutes": 4}, [("duration_minutes", "out_of_range")]),
        ({"duration_minutes": 1441}, [("duration_minutes", "out_of_range")]),
        ({"grid_minutes": 0}, [("grid_minutes", "out_of_range")]),
        ({"buffer_before_minutes": -1}, [("buffer_before_minutes", "out_of_range")]),
        ({"buffer_after_minutes": 721}, [("buffer_after_minutes", "out_of_range")]),
        ({"price_cents": -1}, [("price_cents", "out_of_range")]),
        ({"price_cents": 10**13}, [("price_cents", "out_of_range")]),
        ({"price_cents": 100, "deposit_cents": 101}, [("deposit_cents", "more_than_price")]),
        (
            {"duration_minutes": 1430, "buffer_after_minutes": 15},
            [("duration_minutes", "too_long")],
        ),
        (
            {"duration_minutes": 0, "grid_minutes": 0},
            [("duration_minutes", "out_of_range"), ("grid_minutes", "out_of_range")],
        ),
    ],
)
def test_numbers_that_cannot_be_are_refused_when_added_and_when_changed(
    session: Session, fields: dict[str, Any], told: list[tuple[str, str]]
) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)
    cut = a_service(session, location, marcos)
    added: dict[str, Any] = {"duration_minutes": 60, **fields}

    with pytest.raises(InvalidFields) as on_adding:
        add_service(session, location.id, name="X", needs=[([marcos], 1)], **added)
    with pytest.raises(InvalidFields) as on_changing:
        change_service(session, location.id, cut.id, **fields)

    assert codes(on_adding) == codes(on_changing) == told
    assert (cut.duration_minutes, cut.price_cents) == (60, 0)


@pytest.mark.parametrize(
    "field", ["duration_minutes", "buffer_before_minutes", "buffer_after_minutes", "grid_minutes"]
)
def test_a_pool_counts_in_fives(session: Session, field: str) -> None:
    location = a_location(session)
    beds = a_resource(session, location, capacity=3)
    marcos = a_resource(session, location)
    cut = a_service(session, location, marcos)

    twelve: dict[str, Any] = {field: 12}
    change_service(session, location.id, cut.id, **twelve)
    with pytest.raises(InvalidFields) as refusal:
        change_service(session, location.id, cut.id, needs=[([marcos], 1), ([beds], 1)])

    assert codes(refusal) == [("duration_minutes", "not_a_multiple_of_5")]


def test_needs_that_cannot_be_served_are_refused(session: Session) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)
    beds = a_resource(session, location, capacity=3)

    def told(*needs: tuple[list[Any], int]) -> list[tuple[str, str]]:
        with pytest.raises(InvalidFields) as refusal:
            add_service(session, location.id, name="X", duration_minutes=60, needs=needs)
        return codes(refusal)

    assert told() == [("needs", "required")]
    assert told(([marcos], 1), ([], 1)) == [("needs", "required")]
    assert told(([marcos, marcos], 1)) == [("needs", "twice")]
    assert told(([marcos], 1), ([marcos, beds], 1)) == [("needs", "twice")]
    assert told(([beds], 4)) == [("needs", "too_many_units")]
    assert told(([beds], 0)) == [("needs", "too_many_units")]
    assert told(([marcos], 2)) == [("needs", "too_many_units")]
    assert list_services(session, location.id) == []


def test_a_change_tells_what_was_and_replaces_needs_in_order(session: Session) -> None:
    location = a_location(session)
    marcos, lucia = (a_resource(session, location, name) for name in ("Marcos", "Lucía"))
    beds = a_resource(session, location, "Camillas", capacity=3)
    cut = a_service(session, location, marcos, beds)

    changed = change_service(
        session,
        location.id,
        cut.id,
        needs=[([beds], 2), ([lucia, marcos], 1)],
        name="Corte",
        price_cents=45_00,
    )

    (view,) = list_services(session, location.id)
    assert changed == {"price_cents": [0, 45_00]}
    assert [(need.units, {o.name for o in need.options}) for need in view.needs] == [
        (2, {"Camillas"}),
        (1, {"Lucía", "Marcos"}),
    ]


def test_a_service_is_changed_and_archived_in_its_location_only(
    session: Session, clock: Clock
) -> None:
    location, other = a_location(session), a_location(session)
    cut = a_service(session, location, a_resource(session, location))

    for place, service in ((other.id, cut.id), (location.id, new_id())):
        with pytest.raises(NotFound):
            change_service(session, place, service, name="X")
        with pytest.raises(NotFound):
            archive_service(session, place, service, now=clock.now())
    archive_service(session, location.id, cut.id, now=clock.now())
    assert cut.archived_at == clock.now()
