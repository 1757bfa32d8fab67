import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from app.events import WORKER, Actor, Audit
from app.ids import new_id
from tests.conftest import Clock


def an_audit_line(session: Session) -> Audit:
    line = Audit(
        location_id=new_id(),
        door="cli",
        actor="ana",
        action="catalog.hours_changed",
        subject_id=new_id(),
        detail={"hours": "09:00-13:00"},
    )
    session.add(line)
    session.commit()
    return line


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'nobody'",
        "UPDATE audit SET actor = 'nobody' WHERE false",
        "DELETE FROM audit",
        "TRUNCATE audit",
        """INSERT INTO audit SELECT * FROM audit ON CONFLICT (location_id, id)
            DO UPDATE SET actor = 'nobody'""",
    ],
)
def test_the_trail_only_grows(session: Session, statement: str) -> None:
    an_audit_line(session)

    with pytest.raises(ProgrammingError, match="audit is append-only"), session.begin_nested():
        session.execute(text(statement))

    assert session.scalars(text("SELECT actor FROM audit")).all() == ["ana"]


def test_a_line_is_timed_by_the_database_s_clock(session: Session, clock: Clock) -> None:
    line = an_audit_line(session)
    session.refresh(line)

    assert line.at == clock.now()


def test_lines_are_numbered_as_they_come(session: Session) -> None:
    first, second = an_audit_line(session), an_audit_line(session)

    assert first.id < second.id


def test_the_worker_is_no_person() -> None:
    assert Actor(door="worker", name="system", id=None, is_person=False) == WORKER
