import pytest
from sqlalchemy import text

from app.booking.queries import get_booking
from app.booking.states import Status
from app.booking.views import Contact
from app.checkout.integrity import FAULTS
from tests.cli.conftest import Ceibo, Shell
from tests.conftest import Clock
from tests.factories import a_booking, a_hold, at

TEN = "2026-03-10 10:00"


def test_a_healthy_desk_passes_every_check(shell: Shell, ceibo: Ceibo) -> None:
    a_booking(ceibo.session, ceibo.location, ceibo.cut, at(TEN))

    number = len(FAULTS)
    assert shell.done("bookings", "check") == f"{number} of {number} checks passed.\n"


def test_a_fault_is_a_table_and_a_failure(shell: Shell, ceibo: Ceibo) -> None:
    broken = a_booking(ceibo.session, ceibo.location, ceibo.cut, at(TEN))
    ceibo.session.execute(text("UPDATE allocation SET active = false"))

    result = shell.run("bookings", "check")

    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == f"{len(FAULTS) - 2} of {len(FAULTS)} checks passed."
    assert lines[1].split() == ["FAULT", "WHERE"]
    assert any(
        line.startswith("an allocation that does not follow") and str(broken.id) in line
        for line in lines
    )


def test_lapsed_holds_are_written_down(shell: Shell, ceibo: Ceibo, clock: Clock) -> None:
    hold = a_hold(ceibo.session, ceibo.location, ceibo.cut, at(TEN))
    assert shell.done("bookings", "expire") == "0 holds expired.\n"
    clock.advance(minutes=10)

    assert shell.done("bookings", "expire") == "1 hold expired.\n"
    found = get_booking(ceibo.session, ceibo.location.id, hold.id)
    assert found.status is Status.EXPIRED


def test_a_day_is_listed_in_local_time_with_every_state(shell: Shell, ceibo: Ceibo) -> None:
    ana = Contact(name="Ana")
    a_booking(
        *(ceibo.session, ceibo.location, ceibo.cut, at("2026-03-10 17:00")),
        resource_ids=(ceibo.marcos.id,),
        contact=ana,
    )
    a_hold(ceibo.session, ceibo.location, ceibo.massage, at(TEN))
    a_hold(ceibo.session, ceibo.location, ceibo.massage, at("2026-03-11 10:00"))

    lines = shell.done("bookings", "list", "ceibo", "2026-03-10").splitlines()

    assert [line.split()[:7] for line in lines[1:]] == [
        ["2026-03-10", "10:00", "2026-03-10", "11:00", "held", "Masaje", "Camillas"],
        ["2026-03-10", "17:00", "2026-03-10", "18:00", "confirmed", "Corte", "Marcos"],
    ]
    assert "  Ana  " in lines[2]
    assert shell.done("bookings", "list", "ceibo", "2026-03-12") == "None.\n"


@pytest.mark.parametrize("day", ["2027-02-29", "hoy"])
def test_a_day_that_does_not_exist_has_no_list(shell: Shell, ceibo: Ceibo, day: str) -> None:
    assert "day: invalid_day" in shell.refused("bookings", "list", "ceibo", day)
    assert "(not_found)" in shell.refused("bookings", "list", "nowhere", "2026-03-10")
