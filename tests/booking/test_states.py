from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from app.booking.errors import NotAllowedNow
from app.booking.moves import EVENT_OF
from app.booking.states import MOVES, OCCUPYING, TEMPORARY, Move, Status, after, allowed

DESIGNED = {
    ("held", "confirm", "confirmed"),
    ("held", "ask_deposit", "pending_payment"),
    ("held", "extend", "held"),
    ("held", "expire", "expired"),
    ("held", "cancel", "cancelled"),
    ("pending_payment", "pay", "confirmed"),
    ("pending_payment", "waive", "confirmed"),
    ("pending_payment", "expire", "expired"),
    ("pending_payment", "cancel", "cancelled"),
    ("confirmed", "check_in", "checked_in"),
    ("confirmed", "cancel", "cancelled"),
    ("confirmed", "mark_no_show", "no_show"),
    ("checked_in", "complete", "completed"),
    ("checked_in", "undo", "confirmed"),
    ("no_show", "undo", "confirmed"),
    ("expired", "pay", "confirmed"),
}


def test_the_table_is_the_designed_one() -> None:
    assert {(*pair, after) for pair, after in MOVES.items()} == DESIGNED


@pytest.mark.parametrize(("status", "move"), list(product(Status, Move)))
def test_what_is_not_in_the_table_is_refused(status: Status, move: Move) -> None:
    if move in allowed(status):
        assert after(status, move) is MOVES[status, move]
    else:
        with pytest.raises(NotAllowedNow) as refusal:
            after(status, move)
        assert refusal.value.facts == {"status": status.value}


def test_every_move_has_its_event() -> None:
    assert set(EVENT_OF) == set(Move)


def test_only_the_writers_of_moves_write_a_status() -> None:
    writers = {
        path.name
        for path in Path("app").rglob("*.py")
        if "status = :status" in path.read_text() or "SET status = " in path.read_text()
    }

    assert writers - {"queries.py"} == {"moves.py", "expiry.py"}


def test_the_database_knows_the_same_states(session: Session) -> None:
    check = session.scalar(
        text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name"),
        {"name": "ck_booking_status"},
    )
    expiry = session.scalar(
        text("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = :name"),
        {"name": "ck_booking_expiry"},
    )

    assert check is not None
    assert expiry is not None
    assert {status for status in Status if f"'{status}'" in check} == set(Status)
    assert {status for status in Status if f"'{status}'" in expiry} == TEMPORARY
    assert TEMPORARY < OCCUPYING
