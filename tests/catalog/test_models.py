"""The database's last word: what no code of ours may write, whatever it forgot to check."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.catalog.models import Requirement, RequirementOption
from app.database import sqlstate
from app.ids import new_id
from app.tables import METADATA
from tests.factories import a_booking, a_location, a_resource, a_service, a_staff_user, at

CHECKED = "23514"
NO_SUCH_ROW = "23503"


def refused(session: Session, statement: str, **values: Any) -> tuple[str | None, str | None]:
    """Run what the database must refuse; tell the kind of refusal and the constraint's name."""
    session.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
    with pytest.raises(IntegrityError) as refusal, session.begin_nested():
        session.execute(text(statement), values)
    assert refusal.value.orig is not None
    return sqlstate(refusal.value), refusal.value.orig.diag.constraint_name  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("location SET hold_minutes = 0", "ck_location_hold_minutes"),
        ("location SET hold_minutes = 121", "ck_location_hold_minutes"),
        ("location SET deposit_hold_minutes = 0", "ck_location_deposit_hold_minutes"),
        ("location SET horizon_days = 731", "ck_location_horizon"),
        ("location SET notice_minutes = -1", "ck_location_notice"),
        ("service SET duration_minutes = 4", "ck_service_duration"),
        ("service SET duration_minutes = 1441", "ck_service_duration"),
        ("service SET buffer_before_minutes = -1", "ck_service_buffer_before"),
        ("service SET buffer_after_minutes = 721", "ck_service_buffer_after"),
        ("service SET grid_minutes = 0", "ck_service_grid"),
        ("service SET price_cents = -1, deposit_cents = -1", "ck_service_deposit"),
        ("service SET price_cents = -1", "ck_service_deposit"),  # it says all that the price's does
        ("service SET deposit_cents = 1", "ck_service_deposit"),
        ("resource SET capacity = 2", "ck_resource_exclusive_is_one"),
        ("resource SET capacity = 0, kind = 'pooled'", "ck_resource_capacity"),
        ("resource SET kind = 'shared'", "ck_resource_kind"),
        ("requirement SET units = 0", "ck_requirement_units"),
        ("weekly_hours SET weekday = 7", "ck_weekly_hours_weekday"),
        ("weekly_hours SET opens = 1440, closes = 1500", "ck_weekly_hours_span"),
        ("weekly_hours SET closes = opens", "ck_weekly_hours_span"),
        ("weekly_hours SET closes = 2881", "ck_weekly_hours_span"),
        ("membership SET role = 'boss'", "ck_membership_role"),
        ("membership SET role = 'professional'", "ck_membership_own_column"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused(
    session: Session, change: str, constraint: str
) -> None:
    location = a_location(session)
    a_service(session, location, a_resource(session, location))
    a_staff_user(session, location)

    assert refused(session, f"UPDATE {change}") == (CHECKED, constraint)


@pytest.mark.parametrize(
    ("opens", "closes"), [(540, None), (None, 540), (540, 540), (1440, 1441), (0, 2881)]
)
def test_dated_hours_are_an_interval_or_none_at_all(
    session: Session, opens: int | None, closes: int | None
) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)

    assert refused(
        session,
        "INSERT INTO dated_hours VALUES (:location, :id, :resource, '2026-12-24', :opens, :closes)",
        location=location.id,
        id=new_id(),
        resource=marcos.id,
        opens=opens,
        closes=closes,
    ) == (CHECKED, "ck_dated_hours_span")


def test_time_off_ends_after_it_begins(session: Session) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)

    assert refused(
        session,
        "INSERT INTO time_off VALUES (:location, :id, :resource, :moment, :moment)",
        location=location.id,
        id=new_id(),
        resource=marcos.id,
        moment=at("2026-12-24 10:00"),
    ) == (CHECKED, "ck_time_off_span")


def test_an_option_of_another_location_is_impossible(session: Session) -> None:
    location, other = a_location(session), a_location(session)
    cut = a_service(session, location, a_resource(session, location))
    theirs = a_resource(session, other)
    requirement = session.scalars(
        text("SELECT id FROM requirement WHERE service_id = :id"), {"id": cut.id}
    ).one()

    for location_id in (location.id, other.id):
        with pytest.raises(IntegrityError) as refusal, session.begin_nested():
            session.add(
                RequirementOption(
                    location_id=location_id,
                    service_id=cut.id,
                    requirement_id=requirement,
                    resource_id=theirs.id,
                )
            )
        assert sqlstate(refusal.value) == NO_SUCH_ROW


def test_a_resource_serves_one_need_of_a_service(session: Session) -> None:
    location = a_location(session)
    marcos = a_resource(session, location)
    cut = a_service(session, location, marcos)
    second = Requirement(location_id=location.id, service_id=cut.id, position=1)
    session.add(second)
    session.flush()

    assert refused(
        session,
        "INSERT INTO requirement_option VALUES (:location, :service, :resource, :requirement)",
        location=location.id,
        service=cut.id,
        resource=marcos.id,
        requirement=second.id,
    ) == ("23505", "pk_requirement_option")


@pytest.mark.parametrize(
    "table", ["weekly_hours", "dated_hours", "time_off", "membership", "allocation", "pool_usage"]
)
def test_nothing_of_one_location_names_a_resource_of_another(session: Session, table: str) -> None:
    location, other = a_location(session), a_location(session)
    beds = a_resource(session, location, capacity=2)
    theirs = a_resource(session, other, capacity=2)
    a_booking(session, location, a_service(session, location, beds), at("2026-03-10 10:00"))
    a_staff_user(session, location, resource=beds)
    session.execute(
        text("INSERT INTO dated_hours VALUES (:location, :id, :resource, '2026-12-24')"),
        {"location": location.id, "id": new_id(), "resource": beds.id},
    )
    start = at("2026-12-24 10:00")
    session.execute(
        text("INSERT INTO time_off VALUES (:location, :id, :resource, :start, :end)"),
        {
            "location": location.id,
            "id": new_id(),
            "resource": beds.id,
            "start": start,
            "end": start + timedelta(hours=1),
        },
    )

    state, constraint = refused(
        session,
        f"UPDATE {table} SET resource_id = :theirs WHERE resource_id = :ours",
        theirs=theirs.id,
        ours=beds.id,
    )

    assert state == NO_SUCH_ROW
    assert constraint is not None
    assert constraint.startswith(f"fk_{table}_location_id_resource_id")


@pytest.mark.parametrize("column", ["service_id", "customer_id", "rescheduled_to"])
def test_a_booking_names_only_what_its_location_has(session: Session, column: str) -> None:
    location, other = a_location(session), a_location(session)
    cut = a_service(session, location, a_resource(session, location))
    theirs = a_service(session, other, a_resource(session, other))
    a_booking(session, location, cut, at("2026-03-10 10:00"))
    their_booking = a_booking(session, other, theirs, at("2026-03-10 10:00"))
    customer = new_id()
    session.execute(
        text("INSERT INTO customer (location_id, id) VALUES (:location, :id)"),
        {"location": other.id, "id": customer},
    )
    target = {
        "service_id": theirs.id,
        "customer_id": customer,
        "rescheduled_to": their_booking.id,
    }[column]

    state, _ = refused(
        session,
        f"UPDATE booking SET {column} = :target, status = 'cancelled' WHERE location_id = :here",
        target=target,
        here=location.id,
    )

    assert state == NO_SUCH_ROW


def test_nothing_that_is_used_can_be_deleted(session: Session) -> None:
    """H06."""
    location = a_location(session)
    marcos = a_resource(session, location)
    cut = a_service(session, location, marcos)
    a_booking(session, location, cut, at("2026-03-10 10:00"))

    for statement in ("DELETE FROM service", "DELETE FROM resource", "DELETE FROM location"):
        assert refused(session, statement)[0] == NO_SUCH_ROW


def test_the_models_list_every_check_of_the_database(connection: Connection) -> None:
    rows = connection.execute(
        text("SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0")
    )
    made = {row.conname for row in rows}

    modelled = {
        str(constraint.name)
        for table in METADATA.sorted_tables
        for constraint in table.constraints
        if constraint.__visit_name__ == "check_constraint"
        or type(constraint).__name__ == "CheckConstraint"
    }
    assert made == modelled
