"""A hold is over from its second on, whether or not anybody sweeps."""

from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.expiry import expire_due
from app.catalog.models import Service
from tests.conftest import Clock
from tests.web.api.conftest import (
    TEN,
    Api,
    refused,
    utc,
    walls,
)


def test_a_lapsed_hold_is_over_for_its_owner_and_free_for_others(
    api: Api, corte: Service, clock: Clock
) -> None:
    """A03: nobody swept; the second hold confirms, the first is told what else is free."""
    first = api.hold(corte).json
    clock.advance(minutes=11)
    second = api.hold(corte).json
    clock.advance(minutes=1)

    late = refused(api.confirm(first), 409, "hold_expired")
    in_time = api.confirm(second)

    assert len(late["alternatives"]) == 5
    assert "10:00" not in walls(late["alternatives"])
    assert in_time.status_code == 200
    assert in_time.json["status"] == "confirmed"


def test_a_lapsed_hold_reads_as_expired_before_anybody_sweeps(
    api: Api, corte: Service, clock: Clock
) -> None:
    hold = api.hold(corte).json
    clock.advance(minutes=10)

    seen = api.get(f"/bookings/{hold['id']}").json

    assert (seen["status"], seen["expires_at"]) == ("expired", None)
    assert api.get("/bookings", status="held").json["data"] == []
    assert [b["status"] for b in api.get("/bookings").json["data"]] == ["expired"]


def test_a_lapsed_hold_can_be_taken_back_where_it_is_still_free(
    api: Api, corte: Service, clock: Clock
) -> None:
    hold = api.hold(corte).json
    clock.advance(minutes=10)

    document = refused(api.confirm(hold), 409, "hold_expired")

    assert walls(document["alternatives"])[0] == "10:00"


def test_a_hold_expires_with_one_event(
    api: Api, corte: Service, clock: Clock, session: Session
) -> None:
    """B06: two sweeps, and a look at it in between."""
    hold = api.hold(corte).json
    clock.advance(minutes=10)
    expire_due(session)
    session.commit()
    api.confirm(hold)
    expire_due(session)
    session.commit()

    seen = "SELECT count(*) FROM {} WHERE {} = 'booking.expired'"

    assert session.scalar(text(seen.format("outbox", "kind"))) == 1
    assert session.scalar(text(seen.format("audit", "action"))) == 1


def test_one_s_own_hold_counts_as_taken_and_confirms(api: Api, corte: Service) -> None:
    """B01."""
    hold = api.hold(corte).json

    assert utc(TEN) not in api.starts(corte, "2026-03-10 00:00", "2026-03-11 00:00")
    assert api.confirm(hold).status_code == 200
