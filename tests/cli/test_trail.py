import os

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.cli.trail import audit
from app.events import Audit
from app.ids import new_id
from tests.conftest import Clock


def test_a_change_is_written_with_its_detail(session: Session, clock: Clock) -> None:
    location, subject = new_id(), new_id()

    audit(session, location, "catalog.hours_changed", subject, weekdays="mon")
    session.commit()

    line = session.scalars(select(Audit)).one()
    session.refresh(line)
    assert (line.location_id, line.subject_id, line.door) == (location, subject, "cli")
    assert (line.action, line.detail, line.at) == (
        *("catalog.hours_changed", {"weekdays": "mon"}, clock.now()),
    )


def test_an_account_without_a_name_is_cli(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)

    audit(session, new_id(), "catalog.hours_changed", new_id())
    session.flush()

    assert session.scalars(select(Audit.actor)).one() == "cli"
