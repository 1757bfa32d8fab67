import pytest
from sqlalchemy import func, select

from app.booking.models import PoolUsage
from app.catalog.models import Resource
from app.catalog.names import get_resource_named
from app.events import Audit
from tests.cli.conftest import Ceibo, Shell
from tests.factories import a_booking, a_hold, a_location, a_resource, at

TEN = "2026-03-10 10:00"


def test_a_person_is_added_behind_the_others(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done("resources", "add", "ceibo", " Valentina ", "--label", "Manos")

    added = get_resource_named(ceibo.session, ceibo.location.id, "valentina")
    assert said.startswith(f"Valentina is here ({added.id}).")
    assert (added.name, added.label, added.kind, added.capacity) == (
        *("Valentina", "Manos", "exclusive", 1),
    )
    assert added.position == 3
    assert ceibo.last_audit().subject_id == added.id
    assert ceibo.audited() == (
        "catalog.resource_added",
        {"name": "Valentina", "kind": "exclusive", "capacity": 1},
    )


def test_several_places_are_a_pool_and_one_place_may_be(shell: Shell, ceibo: Ceibo) -> None:
    shell.done("resources", "add", "ceibo", "Sillas", "--capacity", 4)
    shell.done("resources", "add", "ceibo", "Sala", "--pool")

    assert get_resource_named(ceibo.session, ceibo.location.id, "Sillas").capacity == 4
    assert get_resource_named(ceibo.session, ceibo.location.id, "Sala").kind == "pooled"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("Marcos",), "name: taken"),
        (("lucía ferreira",), "name: taken"),
        (("LUCI\u0301A FERREIRA",), "name: taken"),
        (("  ",), "name: required"),
        (("x\x1b[0m",), "name: invalid_text"),
        (("Sala", "--capacity", "0"), "capacity: out_of_range"),
        (("Sala", "--capacity", "10001"), "capacity: out_of_range"),
    ],
)
def test_what_cannot_be_added_is_refused_in_words(
    shell: Shell, ceibo: Ceibo, words: tuple[str, ...], told: str
) -> None:
    assert told in shell.refused("resources", "add", "ceibo", *words)
    assert ceibo.session.scalar(select(func.count()).select_from(Audit)) == 0


def test_resources_are_listed_in_the_owner_s_order(shell: Shell, ceibo: Ceibo) -> None:
    lines = shell.done("resources", "list", "ceibo").splitlines()

    assert [line.split("  ")[0] for line in lines[1:]] == ["Lucía Ferreira", "Marcos", "Camillas"]
    assert str(ceibo.beds.id) in lines[3]


def test_a_resource_is_renamed(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done("resources", "rename", "ceibo", "LUCÍA FERREIRA", "Lucía F.")

    ceibo.session.refresh(ceibo.lucia)
    assert said == "Lucía Ferreira is called Lucía F. now.\n"
    assert ceibo.lucia.name == "Lucía F."
    assert ceibo.audited() == (
        "catalog.resource_renamed",
        {"name": ["Lucía Ferreira", "Lucía F."]},
    )


def test_a_rename_may_change_capitals_only_but_takes_nobody_s_name(
    shell: Shell, ceibo: Ceibo
) -> None:
    assert "is called MARCOS" in shell.done("resources", "rename", "ceibo", "Marcos", "MARCOS")
    assert "name: taken" in shell.refused("resources", "rename", "ceibo", "Marcos", "camillas")


def test_a_name_of_two_needs_the_id(shell: Shell, ceibo: Ceibo) -> None:
    twin = a_resource(ceibo.session, ceibo.location, "marcos")

    assert "resource: ambiguous" in shell.refused("resources", "archive", "ceibo", "Marcos")
    assert "Zoe now" in shell.done("resources", "rename", "ceibo", str(twin.id).upper(), "Zoe")


def test_a_resource_of_another_location_is_not_found(shell: Shell, ceibo: Ceibo) -> None:
    other = a_location(ceibo.session)
    theirs = a_resource(ceibo.session, other, "Zoe")

    assert "(not_found)" in shell.refused("resources", "archive", "ceibo", "Zoe")
    assert "(not_found)" in shell.refused("resources", "archive", "ceibo", theirs.id)
    ceibo.session.refresh(theirs)
    assert theirs.archived_at is None


def test_a_pool_grows_and_shrinks_to_what_is_sold(shell: Shell, ceibo: Ceibo) -> None:
    a_booking(ceibo.session, ceibo.location, ceibo.massage, at(TEN))

    assert shell.done("resources", "capacity", "ceibo", "camillas", 5) == (
        "Camillas has 5 places; it had 3.\n"
    )
    shell.done("resources", "capacity", "ceibo", "Camillas", 1)

    ceibo.session.refresh(ceibo.beds)
    assert ceibo.beds.capacity == 1
    assert set(ceibo.session.scalars(select(PoolUsage.capacity))) == {1}
    assert ceibo.audited() == ("catalog.capacity_changed", {"capacity": [5, 1]})


def test_a_pool_does_not_shrink_below_what_is_sold_and_says_to_whom(
    shell: Shell, ceibo: Ceibo
) -> None:
    sold = [a_hold(ceibo.session, ceibo.location, ceibo.massage, at(TEN)) for _ in range(2)]

    refusal = shell.refused("resources", "capacity", "ceibo", "Camillas", 1).splitlines()

    assert refusal[0].endswith("(capacity_in_use)")
    assert len(refusal) == 3
    assert all("2026-03-10 10:00  Masaje" in line for line in refusal[1:])
    assert {line.split()[-1] for line in refusal[1:]} == {str(each.id) for each in sold}
    ceibo.session.refresh(ceibo.beds)
    assert ceibo.beds.capacity == 3


@pytest.mark.parametrize(("name", "places"), [("Marcos", 2), ("Camillas", 0), ("Camillas", 10**9)])
def test_a_person_has_no_places_and_a_pool_at_least_one(
    shell: Shell, ceibo: Ceibo, name: str, places: int
) -> None:
    assert "capacity: " in shell.refused("resources", "capacity", "ceibo", name, places)


def test_an_archived_resource_is_offered_no_more(shell: Shell, ceibo: Ceibo) -> None:
    assert shell.done("resources", "archive", "ceibo", "Marcos") == "Marcos is archived.\n"

    assert "Marcos" not in shell.done("resources", "list", "ceibo")
    assert "(not_found)" in shell.refused("resources", "archive", "ceibo", "Marcos")
    assert ceibo.audited() == ("catalog.resource_archived", {"name": "Marcos"})
    assert ceibo.session.get(Resource, (ceibo.location.id, ceibo.marcos.id)) is not None


def test_archiving_warns_of_its_bookings_and_of_what_nobody_serves_any_more(
    shell: Shell, ceibo: Ceibo
) -> None:
    a_booking(ceibo.session, ceibo.location, ceibo.massage, at(TEN))

    warnings = shell.warned("resources", "archive", "ceibo", "Camillas")

    assert "1 booking lies outside: 2026-03-10 10:00 Masaje" in warnings
    assert "nothing serves any more: Masaje" in warnings
