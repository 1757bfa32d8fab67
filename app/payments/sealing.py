"""Secrets of accounts at rest: readable with the deployment's key, and without it by nobody."""

import base64
import hmac
import json

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


class CannotOpen(Exception):
    """It was sealed with another key: SECRET_KEY changed, or the database is another's."""


class Sealer:
    """Seals small documents with a key made of the deployment's ``SECRET_KEY``."""

    def __init__(self, secret_key: str) -> None:
        derived = HKDF(SHA256(), length=64, salt=None, info=b"firme payment accounts")
        keys = derived.derive(secret_key.encode())
        self._fernet = Fernet(base64.urlsafe_b64encode(keys[:32]))
        self._mark = keys[32:]

    def fingerprint(self, *words: str) -> str:
        """Digest words that may be a person's; who has not the key can guess none from it."""
        return hmac.new(self._mark, "\0".join(words).encode(), "sha256").hexdigest()

    def seal(self, document: dict[str, str]) -> bytes:
        return self._fernet.encrypt(json.dumps(document).encode())

    def unseal(self, sealed: bytes) -> dict[str, str]:
        """Raises: CannotOpen."""
        try:
            document: dict[str, str] = json.loads(self._fernet.decrypt(sealed))
        except InvalidToken:
            raise CannotOpen("SECRET_KEY is not the one that sealed this account") from None
        return document
