import pytest
from sqlalchemy.orm import Session

from app.catalog.models import LARGEST_POOL
from app.catalog.resources import add_resource, archive_resource, rename_resource
from app.errors import InvalidFields, NotFound
from app.ids import new_id
from tests.conftest import Clock
from tests.factories import a_location


@pytest.mark.parametrize(
    ("capacity", "kind", "is_pool"),
    [(1, None, False), (2, None, True), (LARGEST_POOL, None, True), (1, "pooled", True)],
)
def test_several_places_are_a_pool(
    session: Session, capacity: int, kind: str | None, is_pool: bool
) -> None:
    made = add_resource(session, a_location(session).id, name="R", capacity=capacity, kind=kind)

    assert (made.kind == "pooled") is is_pool


@pytest.mark.parametrize(
    ("capacity", "kind"), [(0, None), (-1, None), (LARGEST_POOL + 1, None), (2, "exclusive")]
)
def test_what_is_one_has_one_place(session: Session, capacity: int, kind: str | None) -> None:
    with pytest.raises(InvalidFields):
        add_resource(session, a_location(session).id, name="R", capacity=capacity, kind=kind)


def test_a_resource_is_renamed_and_archived_in_its_location_only(
    session: Session, clock: Clock
) -> None:
    location, other = a_location(session), a_location(session)
    marcos = add_resource(session, location.id, name="Marcos")

    assert rename_resource(session, location.id, marcos.id, name="Marco") == "Marcos"
    archive_resource(session, location.id, marcos.id, now=clock.now())

    assert (marcos.name, marcos.archived_at) == ("Marco", clock.now())
    for place, resource in ((other.id, marcos.id), (location.id, new_id())):
        with pytest.raises(NotFound):
            rename_resource(session, place, resource, name="X")
        with pytest.raises(NotFound):
            archive_resource(session, place, resource, now=clock.now())
