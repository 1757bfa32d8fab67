import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.errors import KeyReused, SlotTaken
from app.booking.idempotency import Answer, RequestKey, once, prune_keys
from app.booking.views import BookingView
from app.catalog.models import Location, Service
from app.checkout.actions import cancel, place_hold
from app.extensions import transact
from tests.conftest import Clock
from tests.factories import BOT, a_booking, a_location, a_resource, a_service, a_wish, at

TEN = "2026-03-10 10:00"


@pytest.fixture
def location(session: Session) -> Location:
    return a_location(session)


@pytest.fixture
def corte(session: Session, location: Location) -> Service:
    return a_service(session, location, a_resource(session, location))


def a_key(location: Location, text: str = "k1", **changes: object) -> RequestKey:
    parts = {"client": "bot", "call": "POST /holds", "body": {"a": 1, "b": [1, 2]}, **changes}
    return RequestKey.of(location.id, key=text, **parts)  # type: ignore[arg-type]


def hold_once(location: Location, corte: Service, key: RequestKey, clock: Clock) -> Answer:
    def work_in(session: Session) -> Answer:
        def work() -> Answer:
            wish = a_wish(location, corte, at(TEN), request_key=key.digest)
            return Answer(201, shown(place_hold(session, wish, actor=BOT, now=clock.now())))

        return once(session, key, work, revive=lambda found: Answer(201, {"id": str(found)}))

    return transact(work_in)


def shown(booking: BookingView) -> dict[str, str]:
    return {"id": str(booking.id), "status": booking.status.value}


def test_a_repeated_request_is_answered_like_the_first(
    session: Session, clock: Clock, location: Location, corte: Service
) -> None:
    first = hold_once(location, corte, a_key(location), clock)
    again = hold_once(location, corte, a_key(location), clock)

    assert not first.is_replayed
    assert again == Answer(first.status, first.body, is_replayed=True)
    assert session.scalar(text("SELECT count(*) FROM booking")) == 1


def test_the_order_of_fields_does_not_matter_but_their_values_do(location: Location) -> None:
    key = a_key(location)

    assert a_key(location, body={"b": [1, 2], "a": 1}) == key
    for body in ({"a": 1, "b": [2, 1]}, {"a": 1}, {"a": "1", "b": [1, 2]}):
        changed = a_key(location, body=body)
        assert changed.digest == key.digest
        assert changed.fingerprint != key.fingerprint


def test_a_key_belongs_to_its_client_and_its_call(location: Location) -> None:
    keys = [a_key(location), a_key(location, client="other"), a_key(location, call="POST /x")]

    assert len({key.digest for key in keys}) == 3


def test_the_same_key_with_another_body_is_refused(
    clock: Clock, location: Location, corte: Service
) -> None:
    hold_once(location, corte, a_key(location), clock)

    with pytest.raises(KeyReused):
        hold_once(location, corte, a_key(location, body={"a": 2}), clock)


def test_a_refused_request_does_not_keep_its_key(
    session: Session, clock: Clock, location: Location, corte: Service
) -> None:
    """H12, P02: taken, then free again, then the same key wins."""
    rival = a_booking(session, location, corte, at(TEN))
    with pytest.raises(SlotTaken):
        hold_once(location, corte, a_key(location), clock)
    cancel(session, location.id, rival.id, actor=BOT)
    session.commit()

    assert hold_once(location, corte, a_key(location), clock).status == 201


def test_after_the_answers_are_pruned_a_retry_still_finds_its_booking(
    session: Session, clock: Clock, location: Location, corte: Service
) -> None:
    first = hold_once(location, corte, a_key(location), clock)
    clock.advance(days=4)
    assert prune_keys(session) == 1
    session.commit()

    again = hold_once(location, corte, a_key(location), clock)

    assert again.is_replayed
    assert again.body["id"] == first.body["id"]
    assert session.scalar(text("SELECT count(*) FROM booking")) == 1


def test_a_request_that_lost_to_its_own_twin_gets_the_twin_s_answer(
    session: Session, clock: Clock, location: Location
) -> None:
    """The twin committed between our look at the key and our work."""
    key = a_key(location)

    def work() -> Answer:
        once(session, key, lambda: Answer(201, {"id": "the twin's"}))
        raise SlotTaken

    assert once(session, key, work) == Answer(201, {"id": "the twin's"}, is_replayed=True)
