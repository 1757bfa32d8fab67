import secrets
from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.models import ApiKey, Membership, User
from app.accounts.passwords import hash_password
from app.accounts.queries import hash_of
from app.errors import NotFound
from app.ids import new_id


def add_user(session: Session, *, email: str, name: str, password: str) -> User:
    """Add a person who may log in."""
    user = User(email=email.strip(), name=name, password_hash=hash_password(password))
    session.add(user)
    session.flush()
    return user


def change_password(session: Session, user: User, password: str) -> None:
    """Set a new password; every session opened with the old one ends."""
    user.password_hash = hash_password(password)
    user.session_token = new_id()
    session.flush()


def add_membership(
    session: Session,
    location_id: UUID,
    user_id: UUID,
    *,
    role: str,
    resource_id: UUID | None = None,
) -> Membership:
    """Let a user work at a location; a professional needs the resource that is their column."""
    membership = Membership(
        location_id=location_id, user_id=user_id, role=role, resource_id=resource_id
    )
    session.add(membership)
    session.flush()
    return membership


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
