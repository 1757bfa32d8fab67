import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.checkout import actions
from app.events import Event, Outbox
from app.jobs import outbox
from tests.conftest import Clock
from tests.factories import DESK, a_booking, a_location, a_resource, a_service, at


def three_events(session: Session) -> None:
    location = a_location(session)
    corte = a_service(session, location, a_resource(session, location))
    booking = a_booking(session, location, corte, at("2026-03-10 10:00"))
    actions.check_in(session, location.id, booking.id, actor=DESK)
    session.commit()


def test_every_event_is_handed_over_once_and_in_order(
    session: Session, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_events(session)
    heard: list[str] = []
    listener = lambda _, event: heard.append(event.kind)  # noqa: E731
    monkeypatch.setattr(outbox, "HANDLERS", dict.fromkeys(Event, (listener,)))

    assert outbox.drain() == 3
    assert outbox.drain() == 0

    assert heard == ["booking.held", "booking.confirmed", "booking.checked_in"]


def test_an_event_whose_handler_fails_waits_and_the_others_go_on(
    session: Session, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_events(session)
    heard: list[str] = []

    def listener(_: Session, event: Outbox) -> None:
        if event.kind == Event.CONFIRMED:
            raise ValueError("poison")
        heard.append(event.kind)

    monkeypatch.setattr(outbox, "HANDLERS", dict.fromkeys(Event, (listener,)))
    outbox.drain()

    assert heard == ["booking.held", "booking.checked_in"]
    waiting = session.execute(
        text(
            "SELECT kind, attempts, next_try_at > now() AS later FROM outbox"
            " WHERE handled_at IS NULL"
        )
    ).one()
    assert tuple(waiting) == ("booking.confirmed", 1, True)


def test_every_kind_of_event_has_a_listener() -> None:
    assert set(outbox.HANDLERS) == set(Event)
