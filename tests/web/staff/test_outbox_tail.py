import json
from uuid import uuid4
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, text

from app.ids import new_id
from app.web.staff.outbox_tail import GAP_SECONDS, OutboxTail

LOCATION = new_id()


def write(connection: Connection, number: int, **payload: object) -> None:
    connection.execute(
        text(
            "INSERT INTO outbox (location_id, id, booking_id, kind, payload)"
            " OVERRIDING SYSTEM VALUE"
            " VALUES (:location, :id, :booking, 'booking.held', cast(:payload AS jsonb))"
        ),
        {
            "location": LOCATION,
            "id": number,
            "booking": uuid4(),
            "payload": json.dumps({"resource_ids": [], **payload}),
        },
    )


def begun(connection: Connection, *known: int) -> OutboxTail:
    for number in known:
        write(connection, number)
    tail = OutboxTail()
    assert tail.read(connection, monotonic=0.0) == []
    return tail


def test_only_what_comes_after_the_beginning_rings(connection: Connection) -> None:
    tail = begun(connection, 1_000_001)
    write(connection, 1_000_002)

    assert len(tail.read(connection, monotonic=1.0)) == 1
    assert tail.read(connection, monotonic=2.0) == []


def test_an_id_that_commits_late_is_still_heard(connection: Connection) -> None:
    tail = begun(connection, 1_000_001)
    write(connection, 1_000_003)
    assert len(tail.read(connection, monotonic=1.0)) == 1

    write(connection, 1_000_002)

    assert len(tail.read(connection, monotonic=2.0)) == 1
    assert tail.read(connection, monotonic=3.0) == []


def test_an_id_missing_when_reading_began_is_heard(connection: Connection) -> None:
    tail = begun(connection, 1_000_001, 1_000_003)

    write(connection, 1_000_002)

    assert len(tail.read(connection, monotonic=1.0)) == 1


def test_a_gap_is_forgotten_when_no_transaction_can_fill_it(connection: Connection) -> None:
    tail = begun(connection, 1_000_001)
    write(connection, 1_000_003)
    tail.read(connection, monotonic=1.0)

    write(connection, 1_000_002)

    assert tail.read(connection, monotonic=2.0 + GAP_SECONDS) == []


def test_a_move_rings_for_the_old_place_too(connection: Connection) -> None:
    old, new = str(uuid4()), str(uuid4())
    tail = begun(connection, 1_000_001)
    write(
        connection,
        1_000_002,
        resource_ids=[new],
        old_resource_ids=[old],
        starts_at="2026-03-11T15:00:00+00:00",
        old_starts_at="2026-03-10T15:00:00+00:00",
    )

    (bell,) = tail.read(connection, monotonic=1.0)

    assert [str(each) for each in bell.resources] == [new, old]
    assert {"2026-03-10", "2026-03-11"} <= set(bell.days(ZoneInfo("America/Sao_Paulo")))
