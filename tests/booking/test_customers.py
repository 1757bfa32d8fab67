import json
from uuid import UUID

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.orm import Session

from app.booking.customers import bookings_of, counts_of, find_customers
from app.booking.views import Contact
from app.catalog.models import Location, Service
from app.checkout.actions import cancel, check_in, complete, release, reschedule
from app.customers.actions import find_or_add
from app.customers.searching import read_search
from tests.conftest import Clock
from tests.factories import DESK, a_booking, a_hold, a_location, a_resource, a_service, at

PAULA = Contact(name="Paula Menoni", phone="+5555991234567")
MANY = 20_000


@pytest.fixture
def location(session: Session) -> Location:
    return a_location(session)


@pytest.fixture
def cut(session: Session, location: Location) -> Service:
    return a_service(session, location, a_resource(session, location))


def add(session: Session, location: Location, *people: tuple[str, str]) -> list[UUID]:
    return [
        find_or_add(session, location.id, phone=phone, name=name, email=None)
        for name, phone in people
    ]


def found(session: Session, location: Location, typed: str, *, limit: int = 8) -> list[str]:
    search = read_search(typed, location.country)
    rows = find_customers(session, location.id, search, limit=limit, best_first=True)
    return [row.name for row in rows]


@pytest.mark.parametrize(
    "typed",
    ["4567", "99123-4567", "9123-4567", "(55) 99123-4567", "(55) 9123-4567", "5555991234567", "67"],
)
def test_a_mobile_is_found_with_and_without_its_ninth_digit(
    session: Session, location: Location, typed: str
) -> None:
    add(session, location, ("Con", "+5555991234567"), ("Sin", "+555591234567"))
    add(session, location, ("Otra", "+5555998888888"))

    assert found(session, location, typed) == ["Con", "Sin"]


@pytest.mark.parametrize(
    "typed", ["nunez ana", "ANA NÚÑEZ", "núñ an", "ana", "mar", "an nu ma", "ana 3456"]
)
def test_a_name_is_found_without_accents_and_in_any_order(
    session: Session, location: Location, typed: str
) -> None:
    add(session, location, ("Ana María Núñez", "+59899123456"), ("Zoe Paz", "+59899000000"))

    assert found(session, location, typed) == ["Ana María Núñez"]


def test_who_ends_or_begins_so_comes_first(session: Session, location: Location) -> None:
    add(
        session,
        location,
        ("Bea Ana", "+59894567111"),
        ("Ana", "+59899114567"),
        ("Zoe", "+59899224567"),
    )

    assert found(session, location, "4567") == ["Ana", "Zoe", "Bea Ana"]
    assert found(session, location, "ana") == ["Ana", "Bea Ana"]


def test_each_location_finds_its_own(session: Session, location: Location) -> None:
    add(session, a_location(session), ("Ana", "+59899123456"))

    assert found(session, location, "ana") == []
    assert found(session, location, "") == []


def test_the_list_goes_by_name_and_the_nameless_come_last(
    session: Session, location: Location
) -> None:
    add(session, location, ("", "+1"), ("Zoe", "+2"), ("ánge", "+3"), ("Bea", "+4"), ("Bea", "+5"))
    everybody = read_search("", "BR")

    seen, after = [], None
    for _ in range(4):
        rows = find_customers(session, location.id, everybody, limit=2, after=after)
        seen += [row.phone for row in rows]
        after = rows[-1].id if rows else after

    assert seen == ["+3", "+4", "+5", "+2", "+1"]


def test_what_bookings_came_to(
    session: Session, location: Location, cut: Service, clock: Clock
) -> None:
    done, here, gone, moved = (
        a_booking(session, location, cut, at(f"2026-03-10 {hour:02}:00"), contact=PAULA)
        for hour in (9, 10, 11, 12)
    )
    clock.set(at("2026-03-10 10:00"))
    for booking in (done, here):
        check_in(session, location.id, booking.id, actor=DESK)
    complete(session, location.id, done.id, actor=DESK)
    cancel(session, location.id, gone.id, actor=DESK)
    reschedule(
        session,
        location.id,
        moved.id,
        starts_at=at("2026-03-12 12:00"),
        actor=DESK,
        now=clock.now(),
    )
    held = a_hold(session, location, cut, at("2026-03-11 09:00"), contact=PAULA)
    release(session, location.id, held.id, actor=DESK)
    lapsed = a_hold(session, location, cut, at("2026-03-11 10:00"), contact=PAULA)
    session.commit()
    customer_id = done.contact.customer_id
    assert customer_id is not None
    clock.set(lapsed.expires_at)  # type: ignore[arg-type]

    counts = counts_of(session, location.id, customer_id)

    assert counts.last_visit == at("2026-03-10 10:00")
    assert counts.next_visit == at("2026-03-12 12:00")
    assert (counts.visits, counts.absences, counts.cancellations) == (2, 0, 1)
    (row,) = find_customers(session, location.id, read_search("paula", "BR"), limit=8)
    assert row.counts == counts
    listed = bookings_of(session, location.id, customer_id)
    assert [each.starts_at for each in listed] == [
        at("2026-03-12 12:00"),
        at("2026-03-11 10:00"),
        gone.starts_at,
        here.starts_at,
        done.starts_at,
    ]
    assert listed[0].resources[0].name == "R1"


@pytest.fixture
def crowd(session: Session, location: Location) -> Location:
    """A location among others with many customers, as the planner knows them."""
    session.execute(
        text("""
            INSERT INTO customer (location_id, id, name, phone)
            SELECT :location_id, gen_random_uuid(),
                initcap(substr(md5(n::text), 1, 6) || ' ' || substr(md5((-n)::text), 1, 8)),
                '+55559' || lpad((n * 7919 % 100000000)::text, 8, '0')
            FROM generate_series(1, :many) n
        """),
        {"location_id": location.id, "many": MANY},
    )
    session.execute(text("SELECT gin_clean_pending_list('ix_customer_words')"))
    session.execute(text("ANALYZE customer"))
    return location


@pytest.mark.parametrize(
    ("typed", "is_suggested"),
    [
        ("4567", True),
        ("67", True),
        ("991234567", True),
        ("aba cde", True),
        ("", False),
        ("aba", False),
    ],
)
def test_a_search_among_many_uses_its_index(
    session: Session, connection: Connection, crowd: Location, typed: str, is_suggested: bool
) -> None:
    run: list[tuple[str, object]] = []

    def note(*arguments: object) -> None:
        run.append((str(arguments[2]), arguments[3]))

    event.listen(connection, "before_cursor_execute", note)
    search = read_search(typed, "BR")
    find_customers(session, crowd.id, search, limit=8, best_first=is_suggested)
    event.remove(connection, "before_cursor_execute", note)
    statement, parameters = next(each for each in run if "FROM customer" in each[0])

    plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).scalar_one()  # type: ignore[arg-type]

    nodes = list(_nodes(plan[0]["Plan"]))
    used = {node["Index Name"] for node in nodes if "Index Name" in node}
    whole = {node["Alias"] for node in nodes if node["Node Type"] == "Seq Scan"} - {"b"}
    assert "f" not in whole, json.dumps(plan)
    assert not whole or len(typed) == 2  # one in fifty: their rows may be read in one go
    assert ("ix_customer_words" if typed else "ix_customer_list") in used


def _nodes(plan: dict[str, object]) -> list[dict[str, object]]:
    below = plan.get("Plans", [])
    assert isinstance(below, list)
    return [plan, *(node for each in below for node in _nodes(each))]
