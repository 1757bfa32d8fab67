import re
import secrets
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.models import PROFESSIONAL, ApiKey, Membership, User
from app.accounts.passwords import LONGEST, SHORTEST, hash_password
from app.accounts.queries import find_user_by_email, hash_of
from app.errors import InvalidFields, NotFound
from app.ids import new_id

LONGEST_EMAIL = 254
"""Characters: what a mail server takes (RFC 5321)."""

_EMAIL = re.compile(r"[!-?A-~]+@[!-?A-~]+\.[!-?A-~]+")
"""Visible ASCII around one @. Which addresses exist only a mail can tell."""


def add_user(session: Session, *, email: str, name: str, password: str) -> User:
    """Add a person who may log in.

    Raises:
        InvalidFields: no address, one that somebody has, or a password too short or too long.
    """
    email = email.strip()
    if not _EMAIL.fullmatch(email) or len(email) > LONGEST_EMAIL:
        raise InvalidFields(("email", "invalid_email"))
    if find_user_by_email(session, email) is not None:
        raise InvalidFields(("email", "taken"))
    user = User(email=email, name=name, password_hash=_hashed(password))
    session.add(user)
    session.flush()
    return user


def change_password(session: Session, user: User, password: str) -> None:
    """Set a new password; every session opened with the old one ends.

    Raises:
        InvalidFields: a password too short or too long.
    """
    user.password_hash = _hashed(password)
    user.session_token = new_id()
    session.flush()


def disable_user(session: Session, user: User, *, now: datetime) -> None:
    """Let a person log in no more; their open sessions end. What they did stays theirs."""
    user.disabled_at = user.disabled_at or now
    user.session_token = new_id()
    session.flush()


def enable_user(session: Session, user: User) -> None:
    """Let a disabled person log in again."""
    user.disabled_at = None
    session.flush()


def add_membership(
    session: Session,
    location_id: UUID,
    user_id: UUID,
    *,
    role: str,
    resource_id: UUID | None = None,
) -> Membership:
    """Let a user work at a location; a professional needs the resource that is their column.

    Raises:
        InvalidFields: a professional without one.
    """
    _check_column(role, resource_id)
    membership = Membership(
        location_id=location_id, user_id=user_id, role=role, resource_id=resource_id
    )
    session.add(membership)
    session.flush()
    return membership


def set_role(
    session: Session,
    location_id: UUID,
    user_id: UUID,
    *,
    role: str,
    resource_id: UUID | None = None,
) -> str | None:
    """Change what a user is at a location, where they may be new; tell what they were.

    Raises:
        InvalidFields: a professional without a resource.
    """
    membership = session.get(Membership, (location_id, user_id), with_for_update=True)
    if membership is None:
        add_membership(session, location_id, user_id, role=role, resource_id=resource_id)
        return None
    _check_column(role, resource_id)
    before, membership.role = membership.role, role
    membership.resource_id = resource_id
    session.flush()
    return before


def add_api_key(
    session: Session, location_id: UUID, *, name: str, scopes: list[str]
) -> tuple[ApiKey, str]:
    """Make an API key; the second value is its text, which is shown once and never stored."""
    secret = secrets.token_urlsafe(32)
    key = ApiKey(location_id=location_id, name=name, scopes=scopes, secret_hash=hash_of(secret))
    session.add(key)
    session.flush()
    return key, f"firme_{location_id.hex}_{secret}"


def revoke_api_key(session: Session, location_id: UUID, key_id: UUID, *, now: datetime) -> None:
    """End an API key at once.

    Raises:
        NotFound: the location has no such key.
    """
    key = session.get(ApiKey, (location_id, key_id))
    if key is None:
        raise NotFound
    key.revoked_at = key.revoked_at or now
    session.flush()


def _hashed(password: str) -> str:
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidFields(("password", "invalid_length"))
    return hash_password(password)


def _check_column(role: str, resource_id: UUID | None) -> None:
    if role == PROFESSIONAL and resource_id is None:
        raise InvalidFields(("resource", "required"))
