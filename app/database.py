import re
from datetime import date, datetime
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import BigInteger, Date, MetaData, SmallInteger, Text, Uuid, text
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase, Session

from app.money import Cents

DEADLOCK = "40P01"
SERIALIZATION_FAILURE = "40001"
LOCK_TIMEOUT = "55P03"
EXCLUSION_VIOLATION = "23P01"
UNIQUE_VIOLATION = "23505"


class Base(DeclarativeBase):
    """Every table of Firme. Constraint names say the rule, so that errors can name it."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it as a plain class attribute
        datetime: TIMESTAMP(timezone=True),
        date: Date(),
        str: Text(),
        UUID: Uuid(),
        Cents: BigInteger(),
        dict[str, Any]: JSONB(),
    }


Minutes = SmallInteger
"""Column type of a length of time or a wall time in whole minutes."""


_CLOCK = text("SELECT clock_now()")

_ROW = re.compile("^DETAIL:.*$", re.MULTILINE | re.DOTALL)


def leave_rows_out(error: DBAPIError) -> None:
    """Take PostgreSQL's DETAIL out of an error: it may show a whole row, and end in a log."""
    for each in (error, error.orig):
        if each is not None:
            each.args = tuple(_ROW.sub("", a) if isinstance(a, str) else a for a in each.args)


def clock_of(session: Session) -> datetime:
    """Tell the database's time, which decides what lives and what is due."""
    clock: datetime = session.execute(_CLOCK).scalar_one()
    return clock


def sqlstate(error: BaseException) -> str | None:
    """Tell the SQLSTATE behind an SQLAlchemy error.

    By SQLSTATE and not by constraint name where a table may be spread one day: partitions and
    Citus report the name of the part (design/dependencies.md, G).
    """
    orig = getattr(error, "orig", None)
    return orig.sqlstate if isinstance(orig, psycopg.Error) else None
