import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from app.accounts.models import ApiKey, Membership, User
from app.errors import InvalidFields, NotFound


@dataclass(frozen=True)
class KeyHolder:
    """A program that showed a live API key: which location it serves and what it may do.

    With what every answer needs of the location, so that no request reads it again.
    """

    location_id: UUID
    key_id: UUID
    name: str
    scopes: frozenset[str]
    timezone: str
    country: str
    currency: str


_KEY_HOLDER = text("""
    SELECT k.id, k.name, k.scopes, l.timezone, l.country, l.currency
    FROM api_key k JOIN location l ON l.id = k.location_id
    WHERE k.location_id = :location_id AND k.secret_hash = :secret_hash AND k.revoked_at IS NULL
""")


def find_user_for_login(session: Session, email: str) -> User | None:
    """Find who logs in with this address, whatever its capitals; disabled users are unknown."""
    return session.scalar(
        select(User).where(
            func.lower(User.email) == email.strip().lower(), User.disabled_at.is_(None)
        )
    )


def find_user_by_email(session: Session, email: str) -> User | None:
    """Find the user with this address, whatever its capitals, disabled or not."""
    if not email.isascii() or "\0" in email:
        return None
    return session.scalar(select(User).where(func.lower(User.email) == email.strip().lower()))


def get_user_by_email(session: Session, email: str) -> User:
    """Read the user with this address, whatever its capitals, disabled or not.

    Raises:
        NotFound: nobody has it.
    """
    user = find_user_by_email(session, email)
    if user is None:
        raise NotFound(what="user", name=email)
    return user


def list_memberships(session: Session, user_id: UUID) -> Sequence[Membership]:
    """List where a user works and as what."""
    return session.scalars(
        select(Membership).where(Membership.user_id == user_id).order_by(Membership.location_id)
    ).all()


def list_staff(
    session: Session, location_id: UUID | None = None
) -> list[tuple[User, Membership | None]]:
    """List who has a login with each place they work at, or only who works at one location."""
    found = select(User, Membership).outerjoin(Membership, Membership.user_id == User.id)
    if location_id is not None:
        found = found.where(Membership.location_id == location_id)
    rows = session.execute(found.order_by(func.lower(User.email), Membership.location_id))
    return [(user, membership) for user, membership in rows]


def list_api_keys(session: Session, location_id: UUID) -> Sequence[ApiKey]:
    """List the keys of a location, revoked ones too, the oldest first."""
    return session.scalars(
        select(ApiKey).where(ApiKey.location_id == location_id).order_by(ApiKey.id)
    ).all()


def get_api_key_named(session: Session, location_id: UUID, text: str) -> ApiKey:
    """Read the live key that has this name, whatever its capitals, or this id.

    Raises:
        NotFound: the location has none.
        InvalidFields: several are called so; the id tells them apart.
    """
    live = [key for key in list_api_keys(session, location_id) if key.revoked_at is None]
    wanted = text.strip()
    by_id = [key for key in live if str(key.id) == wanted.lower()]
    found = by_id or [key for key in live if key.name.casefold() == wanted.casefold()]
    if not found:
        raise NotFound(what="API key", name=text)
    if len(found) > 1:
        raise InvalidFields(("key", "ambiguous"))
    return found[0]


def hash_of(secret: str) -> str:
    """Digest an API key's secret. It has 256 random bits, so a plain digest is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def find_key_holder(session: Session, presented: str) -> KeyHolder | None:
    """Find the live API key behind ``firme_<location>_<secret>``. One statement."""
    prefix, _, rest = presented.partition("_")
    location, _, secret = rest.partition("_")
    try:
        location_id = UUID(hex=location)
    except ValueError:
        return None
    if prefix != "firme" or not secret:
        return None
    row = session.execute(
        _KEY_HOLDER, {"location_id": location_id, "secret_hash": hash_of(secret)}
    ).first()
    if row is None:
        return None
    return KeyHolder(
        location_id=location_id,
        key_id=row.id,
        name=row.name,
        scopes=frozenset(row.scopes),
        timezone=row.timezone,
        country=row.country,
        currency=row.currency,
    )
