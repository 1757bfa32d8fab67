import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.database import (
    DEADLOCK,
    EXCLUSION_VIOLATION,
    LOCK_TIMEOUT,
    SERIALIZATION_FAILURE,
    UNIQUE_VIOLATION,
    sqlstate,
)


@pytest.mark.parametrize(
    "state",
    [DEADLOCK, SERIALIZATION_FAILURE, LOCK_TIMEOUT, EXCLUSION_VIOLATION, UNIQUE_VIOLATION],
)
def test_the_sqlstate_behind_an_error_is_told(session: Session, state: str) -> None:
    statement = text(f"DO $$ BEGIN RAISE 'no' USING ERRCODE = '{state}'; END $$")

    with pytest.raises(DBAPIError) as error, session.begin_nested():
        session.execute(statement)

    assert sqlstate(error.value) == state
    assert sqlstate(ValueError()) is None
