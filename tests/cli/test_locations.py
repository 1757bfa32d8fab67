import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.catalog.models import Location
from app.catalog.names import get_location_by_slug
from app.events import Audit
from tests.cli.conftest import Ceibo, Shell
from tests.factories import a_booking, at

ADD = ("locations", "add", "parque", "--country", "uy", "--currency", "uyu")


def test_a_location_is_added_with_its_policies(shell: Shell, session: Session) -> None:
    said = shell.done(
        *ADD,
        *("--timezone", "America/Montevideo", "--name", "Parque Sur", "--city", "Salto"),
        *("--hold-minutes", 5, "--deposit-hold-minutes", 20, "--settlement-margin-seconds", 90),
        *("--no-show-grace-minutes", 10, "--cancellation-window-minutes", 1440),
        *("--notice-minutes", 30, "--horizon-days", 90, "--language", "pt"),
    )

    place = get_location_by_slug(session, "parque")
    assert said == "Parque Sur is known as parque.\n"
    assert (place.name, place.city, place.country, place.currency, place.language) == (
        *("Parque Sur", "Salto", "UY", "UYU", "pt"),
    )
    assert (place.hold_minutes, place.deposit_hold_minutes, place.horizon_days) == (5, 20, 90)
    assert (place.settlement_margin_seconds, place.no_show_grace_minutes) == (90, 10)
    assert (place.cancellation_window_minutes, place.notice_minutes) == (1440, 30)
    line = session.scalars(select(Audit)).one()
    assert (line.action, line.subject_id, line.door) == (
        "catalog.location_added",
        place.id,
        "cli",
    )


def test_a_location_needs_no_more_than_its_place(shell: Shell, session: Session) -> None:
    shell.done(*ADD, "--timezone", "America/Montevideo")

    place = get_location_by_slug(session, "parque")
    session.refresh(place)
    assert (place.name, place.hold_minutes, place.language) == ("parque", 10, "es")


@pytest.mark.parametrize(
    "zone", ["UTC-3", "GMT-3", "Etc/GMT+3", "BRT", "UTC", "EST5EDT", "America/Rivera", ""]
)
def test_only_areas_are_time_zones(shell: Shell, zone: str) -> None:
    """D07."""
    assert "(unknown_timezone)" in shell.refused(*ADD, "--timezone", zone)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--currency", "XXX", "currency: unknown"),
        ("--country", "UK", "country: unknown"),
        ("--country", "URY", "country: unknown"),
        ("--language", "fr", "language: unknown"),
        ("--hold-minutes", "0", "hold_minutes: out_of_range"),
        ("--no-show-grace-minutes", "-1", "no_show_grace_minutes: out_of_range"),
        ("--no-show-grace-minutes", "99999", "no_show_grace_minutes: out_of_range"),
        ("--cancellation-window-minutes", "-1", "cancellation_window_minutes: out_of_range"),
        ("--settlement-margin-seconds", "-1", "settlement_margin_seconds: out_of_range"),
        ("--horizon-days", "731", "horizon_days: out_of_range"),
        ("--notice-minutes", "99999999999", "notice_minutes: out_of_range"),
        ("--name", " ", "name: required"),
        ("--name", "n" * 101, "name: too_long"),
        ("--city", "a\nb", "city: invalid_text"),
        ("--slug", "Ceibo", "slug: invalid_slug"),
        ("--slug", "x", "slug: invalid_slug"),
        ("--slug", "s" * 41, "slug: invalid_slug"),
    ],
)
def test_what_a_location_cannot_be_is_refused_in_words(
    shell: Shell, ceibo: Ceibo, option: str, value: str, told: str
) -> None:
    refusal = shell.refused("locations", "set", "ceibo", option, value)

    assert f"(invalid_request, {told})" in refusal
    assert ceibo.session.scalar(select(func.count()).select_from(Audit)) == 0


def test_a_slug_has_one_location(shell: Shell, ceibo: Ceibo) -> None:
    shell.done(*ADD, "--timezone", "America/Montevideo")

    assert "slug: taken" in shell.refused(*ADD, "--timezone", "America/Montevideo")
    assert "slug: taken" in shell.refused("locations", "set", "ceibo", "--slug", "parque")


def test_a_policy_changes_and_the_trail_has_both_values(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(
        *("locations", "set", "ceibo", "--hold-minutes", 8, "--horizon-days", 60),
    )

    ceibo.session.refresh(ceibo.location)
    assert said == "Changed: hold_minutes.\n"
    assert ceibo.location.hold_minutes == 8
    assert ceibo.audited() == ("catalog.location_changed", {"hold_minutes": [10, 8]})


def test_a_change_to_what_is_changes_nothing(shell: Shell, ceibo: Ceibo) -> None:
    assert shell.done("locations", "set", "ceibo", "--horizon-days", 60) == "Nothing changed.\n"
    assert "options: nothing" in shell.refused("locations", "set", "ceibo")


def test_another_time_zone_warns_of_bookings_that_it_leaves_outside(
    shell: Shell, ceibo: Ceibo
) -> None:
    a_booking(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-10 09:00"))

    warning = shell.warned("locations", "set", "ceibo", "--timezone", "America/Manaus")

    assert "1 booking lies outside: 2026-03-10 08:00 Corte" in warning


def test_locations_are_listed_and_shown(shell: Shell, ceibo: Ceibo) -> None:
    assert "ceibo" in shell.done("locations", "list")
    shown = shell.done("locations", "show", "ceibo")
    assert "timezone: America/Sao_Paulo\n" in shown
    assert "cancellation_window_minutes: 0\n" in shown


@pytest.mark.parametrize("slug", ["nowhere", "CEIBO", "ceibó", ""])
def test_an_unknown_location_is_told(shell: Shell, ceibo: Ceibo, slug: str) -> None:
    refusal = shell.refused("locations", "show", slug)

    assert refusal == f"Error: No location is called “{slug}” here. (not_found)\n"


def test_nothing_yet_is_said(shell: Shell, session: Session) -> None:
    assert shell.done("locations", "list") == "None.\n"
    assert session.scalar(select(func.count()).select_from(Location)) == 0
