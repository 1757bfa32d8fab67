import random
import time
from collections.abc import Callable
from typing import TypeVar

from flask_babel import Babel
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from flask_login import LoginManager
from flask_sqlalchemy import SQLAlchemy
from flask_wtf import CSRFProtect
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from app.database import (
    DEADLOCK,
    LOCK_TIMEOUT,
    SERIALIZATION_FAILURE,
    UNIQUE_VIOLATION,
    leave_rows_out,
    sqlstate,
)
from app.errors import DomainError, Unavailable
from app.tables import METADATA

db = SQLAlchemy(metadata=METADATA, session_options={"expire_on_commit": False})
"""What a transaction read may be shown after it ended, without being read again."""

babel = Babel()
csrf = CSRFProtect()
limiter = Limiter(get_remote_address)
login = LoginManager()

TRIES = 4
"""One and three more: a deadlock victim that lost four times meets a real overload."""

_WORTH_RETRYING = {DEADLOCK, SERIALIZATION_FAILURE, UNIQUE_VIOLATION}
"""A unique violation is a race with a twin request, whose row the next try reads and answers."""

_BUSY = {DEADLOCK, SERIALIZATION_FAILURE, LOCK_TIMEOUT}

LONGEST_PAUSE_SECONDS = 0.05


class Busy(Unavailable):
    """The database is overloaded, restarting or holding a lock too long."""


Result = TypeVar("Result")


def transact(work: Callable[[Session], Result]) -> Result:
    """Run one use case in one transaction, and again if the database asks for it.

    ``work`` gets the session, may run up to four times, and must not touch anything but the
    database. A refusal that has a remedy gets it, and ``work`` runs again. Doors call this;
    nothing below them commits or rolls back.

    Raises:
        Busy: a lock was held too long, or the database could not be reached.
    """
    tries, remedy = TRIES, None
    while True:
        tries -= 1
        try:
            if remedy is not None:
                _attempt(remedy)
            return _attempt(work)
        except DBAPIError as error:
            if not tries or sqlstate(error) not in _WORTH_RETRYING:
                raise _as_busy(error) from error
            time.sleep(random.uniform(0, LONGEST_PAUSE_SECONDS))  # noqa: S311 - jitter
        except DomainError as refusal:
            if not tries or refusal.remedy is None:
                raise
            remedy = refusal.remedy


def _attempt(work: Callable[[Session], Result]) -> Result:
    session = db.session()
    try:
        result = work(session)
        session.commit()
    except PoolTimeout as error:
        raise Busy from error
    except DBAPIError as error:
        session.rollback()
        leave_rows_out(error)
        raise
    except BaseException:
        session.rollback()
        raise
    return result


def _as_busy(error: DBAPIError) -> Exception:
    state = sqlstate(error)
    is_gone = error.connection_invalidated or (isinstance(error, OperationalError) and not state)
    if is_gone or state in _BUSY or (state or "")[:2] in {"53", "57", "08"}:
        return Busy()
    return error
