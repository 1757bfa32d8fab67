import pytest
from sqlalchemy import func, select

from app.booking.integrity import find_faults
from app.catalog.models import Service
from app.catalog.names import get_service_named
from app.catalog.queries import list_services
from app.checkout.actions import cancel
from app.events import Audit
from tests.cli.conftest import Ceibo, Shell
from tests.factories import DESK, a_booking, at

TEN = "2026-03-10 10:00"
COLOR = ("services", "add", "ceibo", "Color", "--minutes", "90")


def needs_of(ceibo: Ceibo, name: str) -> list[tuple[int, list[str]]]:
    found = {each.name: each for each in list_services(ceibo.session, ceibo.location.id)}
    return [(need.units, [option.name for option in need.options]) for need in found[name].needs]


def test_a_service_is_sold_with_all_it_needs(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(
        *COLOR,
        *("--buffer-before", 5, "--buffer-after", 15, "--grid", 30),
        *("--price", "180.50", "--deposit", "40"),
        *("--needs", "lucía ferreira, Marcos", "--needs", "Camillas*2"),
    )

    added = get_service_named(ceibo.session, ceibo.location.id, "color")
    assert said == f"Color is sold: 90 minutes ({added.id}).\n"
    assert (added.buffer_before_minutes, added.buffer_after_minutes, added.grid_minutes) == (
        *(5, 15, 30),
    )
    assert (added.price_cents, added.deposit_cents, added.position) == (180_50, 40_00, 2)
    assert needs_of(ceibo, "Color") == [(1, ["Lucía Ferreira", "Marcos"]), (2, ["Camillas"])]
    assert ceibo.last_audit().subject_id == added.id
    action, detail = ceibo.audited()
    assert action == "catalog.service_added"
    assert detail["price_cents"] == 180_50


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "needs: required"),
        (("--needs", ""), "needs: required"),
        (("--needs", "Nadie"), "No resource is called “Nadie” here. (not_found)"),
        (("--needs", "Marcos,Marcos"), "needs: twice"),
        (("--needs", "Marcos", "--needs", "marcos"), "needs: twice"),
        (("--needs", "Camillas*4"), "needs: too_many_units"),
        (("--needs", "Camillas*0"), "needs: too_many_units"),
        (("--needs", "Marcos*2"), "needs: too_many_units"),
        (("--needs", "Marcos", "--price", "40,00"), "amount: invalid_money"),
        (("--needs", "Marcos", "--price", "-1"), "amount: invalid_money"),
        (("--needs", "Marcos", "--price", "1.005"), "amount: invalid_money"),
        (("--needs", "Marcos", "--price", "1e3"), "amount: invalid_money"),
        (("--needs", "Marcos", "--price", "999999999"), "amount: out_of_range"),
        (("--needs", "Marcos", "--deposit", "1"), "deposit_cents: more_than_price"),
        (("--needs", "Marcos", "--grid", "4"), "grid_minutes: out_of_range"),
        (("--needs", "Marcos", "--buffer-after", "721"), "buffer_after_minutes: out_of_range"),
        (("--needs", "Camillas", "--buffer-after", "7"), "duration_minutes: not_a_multiple_of_5"),
        (("--needs", "Marcos", "--minutes", "0"), "duration_minutes: out_of_range"),
        (
            ("--needs", "Marcos", "--minutes", "1440", "--buffer-before", "5"),
            "duration_minutes: too_long",
        ),
    ],
)
def test_what_cannot_be_sold_is_refused_in_words(
    shell: Shell, ceibo: Ceibo, words: tuple[str, ...], told: str
) -> None:
    assert told in shell.refused(*COLOR, *words)
    assert ceibo.session.scalar(select(func.count()).select_from(Audit)) == 0
    assert ceibo.session.scalar(select(func.count()).select_from(Service)) == 2


def test_a_name_is_sold_once(shell: Shell, ceibo: Ceibo) -> None:
    words = ("services", "add", "ceibo", "corte", "--minutes", 30, "--needs", "Marcos")

    assert "name: taken" in shell.refused(*words)
    shell.done("services", "archive", "ceibo", "Corte")
    shell.done(*words)


def test_a_service_changes_and_the_trail_has_both_values(shell: Shell, ceibo: Ceibo) -> None:
    said = shell.done(
        *("services", "set", "ceibo", "corte", "--name", "Corte corto"),
        *("--minutes", 30, "--price", "45", "--grid", 30),
    )

    ceibo.session.refresh(ceibo.cut)
    assert said == "Corte corto: duration_minutes, price_cents, name changed.\n"
    assert (ceibo.cut.name, ceibo.cut.duration_minutes, ceibo.cut.price_cents) == (
        *("Corte corto", 30, 45_00),
    )
    assert ceibo.audited() == (
        "catalog.service_changed",
        {
            "duration_minutes": [60, 30],
            "price_cents": [0, 45_00],
            "name": ["Corte", "Corte corto"],
        },
    )


def test_needs_are_replaced_all_together(shell: Shell, ceibo: Ceibo) -> None:
    shell.done("services", "set", "ceibo", "Corte", "--needs", "Marcos", "--needs", "Camillas*2")

    assert needs_of(ceibo, "Corte") == [(1, ["Marcos"]), (2, ["Camillas"])]
    assert ceibo.audited()[1] == {"needs": ["Marcos", "Camillas*2"]}


def test_a_change_is_checked_with_what_stays(shell: Shell, ceibo: Ceibo) -> None:
    """A pool's service keeps to fives; a deposit to the price that is there."""
    words = ("services", "set", "ceibo")

    assert "not_a_multiple_of_5" in shell.refused(*words, "Masaje", "--minutes", 52)
    assert "more_than_price" in shell.refused(*words, "Corte", "--deposit", "10")
    assert "options: nothing" in shell.refused(*words, "Corte")
    assert "name: taken" in shell.refused(*words, "Corte", "--name", "MASAJE")
    assert "(not_found)" in shell.refused(*words, "Nada", "--minutes", 30)


def test_a_service_with_live_bookings_needs_no_more_than_they_take(
    shell: Shell, ceibo: Ceibo
) -> None:
    booking = a_booking(ceibo.session, ceibo.location, ceibo.cut, at(TEN))
    words = ("services", "set", "ceibo", "Corte", "--needs", "Marcos", "--needs", "Camillas")

    assert "needs: in_use" in shell.refused(*words)
    assert find_faults(ceibo.session) == []

    cancel(ceibo.session, ceibo.location.id, booking.id, actor=DESK)
    shell.done(*words)
    assert find_faults(ceibo.session) == []


def test_services_are_listed_with_price_and_needs(shell: Shell, ceibo: Ceibo) -> None:
    shell.done(*COLOR, "--price", "1450", "--needs", "Marcos", "--needs", "Camillas*2")

    lines = shell.done("services", "list", "ceibo").splitlines()

    assert len(lines) == 4
    assert "R$\N{NO-BREAK SPACE}1,450.00" in lines[3]
    assert "Marcos and Camillas*2" in lines[3]


def test_an_archived_service_is_sold_no_more_and_names_its_bookings(
    shell: Shell, ceibo: Ceibo
) -> None:
    a_booking(ceibo.session, ceibo.location, ceibo.cut, at(TEN))

    warning = shell.warned("services", "archive", "ceibo", "Corte")

    assert warning == "Warning: 1 booking stays: 2026-03-10 10:00 Corte\n"
    assert "Corte" not in shell.done("services", "list", "ceibo")
    assert ceibo.audited() == ("catalog.service_archived", {"name": "Corte"})
