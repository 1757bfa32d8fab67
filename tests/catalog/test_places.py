from zoneinfo import available_timezones

import pytest
from sqlalchemy.orm import Session

from app.catalog.errors import UnknownTimezone
from app.catalog.places import POLICIES, add_location, change_location, check_timezone
from app.errors import InvalidFields, NotFound
from app.ids import new_id
from tests.factories import a_location


@pytest.mark.parametrize(
    "zone",
    [
        "UTC-3",
        "GMT-3",
        "Etc/GMT+3",
        "Etc/UTC",
        "BRT",
        "UTC",
        "EST",
        "-03:00",
        "",
        "America/Atlantis",
    ],
)
def test_a_fixed_offset_is_no_time_zone(zone: str) -> None:
    """D07."""
    with pytest.raises(UnknownTimezone) as refusal:
        check_timezone(zone)

    assert refusal.value.facts == {"timezone": zone}


@pytest.mark.parametrize("zone", ["America/Montevideo", "America/Argentina/Salta", "Europe/Lisbon"])
def test_an_area_is(zone: str) -> None:
    assert zone in available_timezones()
    assert check_timezone(zone) == zone


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_every_policy_has_a_least_and_a_most(session: Session, name: str) -> None:
    location = a_location(session)
    least, most = POLICIES[name]

    for fits in (least, most):
        change_location(session, location.id, **{name: fits})
        session.refresh(location)
        assert getattr(location, name) == fits
    for wrong in (least - 1, most + 1):
        with pytest.raises(InvalidFields):
            change_location(session, location.id, **{name: wrong})


def test_all_that_is_wrong_is_told_at_once(session: Session) -> None:
    with pytest.raises(InvalidFields) as refusal:
        add_location(
            session,
            name="X",
            slug="X",
            timezone="America/Bahia",
            currency="EUR",
            country="XX",
            language="fr",
            hold_minutes=0,
        )

    assert refusal.value.facts["errors"] == [
        {"field": "hold_minutes", "code": "out_of_range"},
        {"field": "currency", "code": "unknown"},
        {"field": "country", "code": "unknown"},
        {"field": "language", "code": "unknown"},
        {"field": "slug", "code": "invalid_slug"},
    ]


def test_only_what_differs_is_a_change(session: Session) -> None:
    location = a_location(session, slug="ceibo")

    changed = change_location(session, location.id, slug="ceibo", hold_minutes=20, city="Rivera")

    assert changed == {"hold_minutes": [10, 20], "city": ["", "Rivera"]}


def test_a_slug_is_taken_once_and_nothing_is_changed_of_nobody(session: Session) -> None:
    location = a_location(session, slug="ceibo")
    a_location(session, slug="parque")

    with pytest.raises(InvalidFields):
        change_location(session, location.id, slug="parque", hold_minutes=20)
    with pytest.raises(NotFound):
        change_location(session, new_id(), hold_minutes=20)
    assert location.hold_minutes == 10
