import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.accounts.passwords import is_right
from app.accounts.queries import find_key_holder, find_user_for_login
from app.booking.models import Booking
from app.catalog.models import Location
from app.checkout.integrity import find_faults
from app.cli.demo import fill_days, open_demo
from app.cli.demo_people import Remembered, remembered
from app.extensions import transact
from app.payments.models import Payment
from tests.conftest import Clock

NOTHING = Remembered(None, {})
QUARTER_TO_ELEVEN = datetime(2026, 12, 3, 13, 45, tzinfo=UTC)
"""A Thursday, 10:45 in Rivera."""


@pytest.fixture
def morning(clock: Clock) -> datetime:
    clock.set(QUARTER_TO_ELEVEN)
    return clock.now()


def opened(morning: datetime, known: Remembered = NOTHING) -> dict[str, Any]:
    return transact(lambda session: open_demo(session, known, now=morning))


def as_remembered(content: dict[str, Any]) -> Remembered:
    passwords = {person["email"]: person["password"] for person in content["staff"]}
    return Remembered(content["api_key"], passwords)


def states(session: Session) -> dict[str, int]:
    rows = session.execute(
        select(Booking.status, func.count().label("number")).group_by(Booking.status)
    )
    return {row.status: row.number for row in rows}


@pytest.mark.usefixtures("app")
def test_the_demo_has_a_login_for_each_role_and_a_key_that_works(
    session: Session, morning: datetime
) -> None:
    content = opened(morning)

    assert [person["role"] for person in content["staff"]] == [
        "owner",
        "receptionist",
        "professional",
    ]
    for person in content["staff"]:
        user = find_user_for_login(session, person["email"])
        assert user is not None
        assert is_right(person["password"], user.password_hash)
    holder = find_key_holder(session, content["api_key"])
    assert holder is not None
    assert str(holder.location_id) == content["location"]["id"]


@pytest.mark.usefixtures("app")
def test_the_day_shows_bookings_in_the_states_of_the_hour(
    session: Session, morning: datetime
) -> None:
    opened(morning)

    fill_days(morning)

    found = states(session)
    assert found["completed"] >= 3
    assert found["checked_in"] >= 3
    assert found["confirmed"] >= 15
    assert found["held"] == found["cancelled"] == found["no_show"] == 1
    assert find_faults(session) == []


@pytest.mark.usefixtures("app")
def test_the_day_has_deposits_that_the_desk_took_by_hand(
    session: Session, morning: datetime
) -> None:
    opened(morning)

    fill_days(morning)

    taken = session.scalars(select(Payment).order_by(Payment.amount_cents)).all()
    assert [(each.amount_cents, each.method, each.standing) for each in taken] == [
        (40_00, "transfer", "applied"),
        (60_00, "transfer", "applied"),
    ]


@pytest.mark.usefixtures("app")
def test_seeding_again_changes_nothing(session: Session, morning: datetime) -> None:
    first = opened(morning)
    fill_days(morning)
    before = states(session)

    again = opened(morning, as_remembered(first))

    assert again == first
    assert fill_days(morning) == 0
    assert states(session) == before
    assert session.scalar(select(func.count()).select_from(Location)) == 1


@pytest.mark.usefixtures("app")
def test_every_planned_visit_finds_its_place(morning: datetime) -> None:
    opened(morning)

    assert fill_days(morning) == 35 + 10


@pytest.mark.usefixtures("app")
def test_a_lost_demo_json_brings_new_secrets_and_ends_the_old_key(
    session: Session, morning: datetime
) -> None:
    first = opened(morning)

    again = opened(morning)

    assert again["api_key"] != first["api_key"]
    assert find_key_holder(session, first["api_key"]) is None
    assert again["staff"][0]["password"] != first["staff"][0]["password"]


@pytest.mark.usefixtures("app")
def test_a_password_that_a_person_changed_stays_theirs(session: Session, morning: datetime) -> None:
    first = opened(morning)
    stale = as_remembered(first)
    stale.passwords[first["staff"][0]["email"]] = "the one before"

    again = opened(morning, stale)

    assert again["staff"][0]["password"] is None
    user = find_user_for_login(session, first["staff"][0]["email"])
    assert user is not None
    assert is_right(first["staff"][0]["password"], user.password_hash)


def test_a_damaged_demo_json_is_as_good_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRME_VAR", str(tmp_path))
    (tmp_path / "demo.json").write_text('{"api_key": ')

    assert remembered() == NOTHING


def test_the_command_prints_what_demo_json_needs(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRME_VAR", str(tmp_path))

    done = app.test_cli_runner().invoke(args=["demo", "seed", "--json"])

    assert done.exit_code == 0
    assert json.loads(done.stdout).keys() == {"api_key", "staff", "location", "services", "pix"}
