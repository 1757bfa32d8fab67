import os
import pwd
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Session

from app.events import Audit


def audit(
    session: Session, location_id: UUID, action: str, subject_id: UUID, **detail: Any
) -> None:
    """Write who changed what through a command, in the transaction of the change."""
    session.add(
        Audit(
            location_id=location_id,
            door="cli",
            actor=_operator(),
            action=action,
            subject_id=subject_id,
            detail=detail,
        )
    )


def _operator() -> str:
    """Name the account that runs the command, by its id: the environment may say anything."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return "cli"
