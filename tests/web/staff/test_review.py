import pytest

from app.booking.no_shows import suggest_no_shows
from app.booking.queries import get_booking
from app.booking.states import Status
from app.booking.views import BookingView, Contact
from app.checkout.actions import check_in
from tests.conftest import Clock
from tests.factories import DESK, a_booking, a_staff_user, at
from tests.web.conftest import DAY, Desk, World, words


@pytest.fixture
def absent(world: World, clock: Clock) -> BookingView:
    """Somebody who did not come, put up for review by the worker."""
    booking = a_booking(
        world.session,
        world.location,
        world.cut,
        at("2026-03-10 10:00"),
        resource_ids=(world.marcos.id,),
        contact=Contact(name="Bruno Leites"),
    )
    clock.set(at("2026-03-10 10:30"))
    assert suggest_no_shows(world.session) == 1
    world.session.commit()
    return booking


def status(world: World, booking: BookingView) -> Status:
    world.session.expire_all()
    return get_booking(world.session, world.location.id, booking.id).status


def test_a_possible_absence_waits_for_a_person(
    desk: Desk, world: World, absent: BookingView
) -> None:
    page = words(desk.get("/revisar"))

    assert "Bruno Leites" in page
    assert "Sin llegada registrada." in page
    assert status(world, absent) is Status.CONFIRMED
    assert "1 posible ausencia" in words(desk.get(f"/agenda/{DAY}"))


@pytest.mark.parametrize("htmx", [False, True])
def test_a_person_confirms_it(desk: Desk, world: World, absent: BookingView, htmx: bool) -> None:
    answer = desk.post(f"/revisar/{absent.id}/ausente", htmx=htmx)

    assert answer.status_code == (200 if htmx else 303)
    assert status(world, absent) is Status.NO_SHOW
    assert "Bruno" not in desk.get("/revisar").text


def test_what_was_dismissed_by_mistake_can_still_be_marked(
    desk: Desk, world: World, absent: BookingView
) -> None:
    assert "Marcar ausente" not in desk.get(f"/reservas/{absent.id}").text
    desk.post(f"/revisar/{absent.id}/vino")

    assert "Marcar ausente" in desk.get(f"/reservas/{absent.id}").text
    assert desk.post(f"/reservas/{absent.id}/ausente").status_code == 303
    assert status(world, absent) is Status.NO_SHOW


@pytest.mark.parametrize("htmx", [False, True])
def test_a_person_dismisses_it(desk: Desk, world: World, absent: BookingView, htmx: bool) -> None:
    answer = desk.post(f"/revisar/{absent.id}/vino", htmx=htmx)

    assert answer.status_code == (200 if htmx else 303)
    assert status(world, absent) is Status.CONFIRMED
    assert "Nada para revisar." in words(desk.get("/revisar"))


def test_who_decides_second_is_told(desk: Desk, world: World, absent: BookingView) -> None:
    check_in(world.session, world.location.id, absent.id, actor=DESK)
    world.session.commit()

    answer = desk.post(f"/revisar/{absent.id}/ausente", htmx=True)

    assert answer.status_code == 409
    assert "Ya lo decidió otra persona." in words(answer)
    assert status(world, absent) is Status.CHECKED_IN


def test_a_professional_reviews_only_the_own(
    another_desk: Desk, world: World, absent: BookingView
) -> None:
    lucia = a_staff_user(
        world.session, world.location, role="professional", resource=world.lucia, name="Lucía"
    )
    another_desk.log_in(lucia)

    assert "Bruno" not in another_desk.get("/revisar").text
    assert another_desk.post(f"/revisar/{absent.id}/ausente").status_code == 404
    assert status(world, absent) is Status.CONFIRMED
