from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

SHORTEST = 8
LONGEST = 200

_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
"""OWASP's floor for argon2id: about a tenth of a second here, so a burst of logins cannot take
the machine's memory."""

_NOBODY = _HASHER.hash("nobody has this password")


def hash_password(password: str) -> str:
    """Hash a password with argon2id.

    Raises:
        ValueError: shorter than 8 or longer than 200 characters.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise ValueError(f"A password has {SHORTEST} to {LONGEST} characters.")
    return _HASHER.hash(password)


def is_right(password: str, password_hash: str | None) -> bool:
    """Check a password; for an unknown user (no hash) it takes the same time to say no."""
    try:
        matches = _HASHER.verify(password_hash or _NOBODY, password[:LONGEST])
    except VerifyMismatchError:
        return False
    return matches and password_hash is not None
