import pytest
from sqlalchemy.orm import Session

from app.catalog.actions import archive_resource
from app.catalog.models import Resource
from app.catalog.names import (
    check_name,
    free_name,
    get_location_by_slug,
    get_resource_named,
    get_service_named,
)
from app.errors import InvalidFields, NotFound
from tests.conftest import Clock
from tests.factories import a_location, a_resource, a_service


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Lucía ", "Lucía"),
        ("Luci\u0301a", "Lucía"),
        ("Zoë D'Ávila 💇‍♀️", "Zoë D'Ávila 💇‍♀️"),
        ("\u200fשרה", "\u200fשרה"),
        ("x" * 100, "x" * 100),
        ("<b>&", "<b>&"),
    ],
)
def test_a_name_is_kept_as_people_write_it(text: str, name: str) -> None:
    """H03."""
    assert check_name(text) == name


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "required"),
        (" \t", "required"),
        ("x" * 101, "too_long"),
        ("a\0b", "invalid_text"),
        ("a\x1bb", "invalid_text"),
        ("a\nb", "invalid_text"),
        ("a\ud800", "invalid_text"),
        ("a\uffff", "invalid_text"),
    ],
)
def test_what_nobody_can_read_is_no_name(text: str, code: str) -> None:
    with pytest.raises(InvalidFields) as refusal:
        check_name(text, field="label")

    assert refusal.value.facts["errors"] == [{"field": "label", "code": code}]


@pytest.mark.parametrize("text", ["Lucía", "LUCÍA", " lucía ", "luci\u0301a"])
def test_a_resource_is_found_whatever_the_capitals(session: Session, text: str) -> None:
    location = a_location(session)
    lucia = a_resource(session, location, "Lucía")

    assert get_resource_named(session, location.id, text) is lucia
    assert get_resource_named(session, location.id, str(lucia.id)) is lucia


def test_names_do_not_cross_locations_and_archived_ones_are_free(
    session: Session, clock: Clock
) -> None:
    location, other = a_location(session), a_location(session)
    lucia = a_resource(session, location, "Lucía")
    cut = a_service(session, location, lucia)

    assert get_service_named(session, location.id, "corte") is cut
    for text in ("Lucía", str(lucia.id)):
        with pytest.raises(NotFound) as refusal:
            get_resource_named(session, other.id, text)
        assert refusal.value.values == {"what": "resource", "name": text}
    with pytest.raises(InvalidFields):
        free_name(session, Resource, location.id, "LUCÍA")
    assert free_name(session, Resource, other.id, "LUCÍA") == "LUCÍA"
    archive_resource(session, location.id, lucia.id, now=clock.now())
    assert free_name(session, Resource, location.id, "Lucía") == "Lucía"
    with pytest.raises(NotFound):
        get_resource_named(session, location.id, str(lucia.id))


def test_a_name_of_two_is_told_apart_by_id(session: Session) -> None:
    location = a_location(session)
    first, second = a_resource(session, location, "Ana"), a_resource(session, location, "ANA")

    with pytest.raises(InvalidFields):
        get_resource_named(session, location.id, "ana")
    assert get_resource_named(session, location.id, str(second.id)) is second
    assert first is not second


def test_a_location_is_found_by_its_slug_alone(session: Session) -> None:
    location = a_location(session, slug="ceibo")

    assert get_location_by_slug(session, "ceibo") is location
    for slug in ("Ceibo", "ceibo ", "cei\0bo", "ceibó", str(location.id)):
        with pytest.raises(NotFound):
            get_location_by_slug(session, slug)
