"""Who signs in to the demo, and with what: random secrets that live in demo.json alone."""

import json
import os
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.actions import (
    add_api_key,
    add_membership,
    add_user,
    change_password,
    revoke_api_key,
)
from app.accounts.models import BOOK, MANAGE, OWNER, PROFESSIONAL, READ, RECEPTIONIST, ApiKey, User
from app.accounts.passwords import is_right
from app.accounts.queries import find_key_holder, find_user_for_login
from app.catalog.models import Location, Resource
from app.cli.demo_business import LUCIA

KEY_NAME = "Demo"


@dataclass(frozen=True)
class Person:
    """Somebody of the demo's staff; a professional's name is also the name of their column."""

    email: str
    name: str
    role: str


PEOPLE = (
    Person("ana@ceibo.example", "Ana Ceibo", OWNER),
    Person("recepcion@ceibo.example", "Paola Recepción", RECEPTIONIST),
    Person("lucia@ceibo.example", LUCIA, PROFESSIONAL),
)


@dataclass(frozen=True)
class Remembered:
    """The secrets of an earlier start, as demo.json in the data folder has them."""

    api_key: str | None
    passwords: dict[str, str | None]
    webhook_url: str = ""


def remembered() -> Remembered:
    """Read demo.json of the data folder; nothing when it is missing or damaged."""
    path = Path(os.environ.get("FIRME_VAR", "var")) / "demo.json"
    try:
        content: dict[str, Any] = json.loads(path.read_text())
        people = {person["email"]: person["password"] for person in content["staff"]}
        pix = content.get("pix") or {}
        return Remembered(content["api_key"], people, pix.get("webhook_url", ""))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Remembered(None, {})


def have_staff(session: Session, location: Location, known: Remembered) -> list[dict[str, Any]]:
    """Give the logins: the ones demo.json knows while they work, else new passwords.

    A password that a person changed is theirs: it stays, and the answer has none.
    """
    logins = []
    for person in PEOPLE:
        password = known.passwords.get(person.email)
        user = find_user_for_login(session, person.email)
        if user is None:
            password = secrets.token_urlsafe(9)
            _add(session, location, person, password)
        elif person.email not in known.passwords:
            password = secrets.token_urlsafe(9)
            change_password(session, user, password)
        elif password is not None and not is_right(password, user.password_hash):
            password = None
        logins.append({"email": person.email, "password": password, "role": person.role})
    return logins


def have_api_key(session: Session, location: Location, known: Remembered, *, now: datetime) -> str:
    """Give the demo's API key: the one demo.json knows while it works, else a new one."""
    if known.api_key:
        holder = find_key_holder(session, known.api_key)
        if holder is not None and holder.location_id == location.id:
            return known.api_key
    lost = select(ApiKey).where(
        ApiKey.location_id == location.id, ApiKey.name == KEY_NAME, ApiKey.revoked_at.is_(None)
    )
    for key in session.scalars(lost).all():
        revoke_api_key(session, location.id, key.id, now=now)
    _, text = add_api_key(session, location.id, name=KEY_NAME, scopes=[READ, BOOK, MANAGE])
    return text


def owner_of(session: Session) -> User:
    """Give the owner, in whose name the demo's day is made."""
    return session.scalars(select(User).where(User.email == PEOPLE[0].email)).one()


def _add(session: Session, location: Location, person: Person, password: str) -> None:
    user = add_user(session, email=person.email, name=person.name, password=password)
    column = None
    if person.role == PROFESSIONAL:
        found = select(Resource.id).where(
            Resource.location_id == location.id, Resource.name == person.name
        )
        column = session.scalars(found).first()
    add_membership(session, location.id, user.id, role=person.role, resource_id=column)
