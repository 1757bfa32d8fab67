from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from app.payments.pix.brcode import NotBrCode, in_plain_letters, parse

SIMULATED_HOST = "pix.example.com"
"""Where the codes of the simulator point: a name that RFC 2606 keeps for examples, so that no
bank can ever pay one."""

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class WrongAccount(ValueError):
    """A setting of the account cannot work; the sentence says which one, never its value."""


@dataclass(frozen=True)
class ProviderAccount:
    """Where the money goes and how we prove who we are there. Secrets stay out of its ``repr``.

    ``name`` is ours and stable: money is known by (account, end-to-end id). ``certificate`` is
    a PEM file, or a .p12 or .pfx file that holds its key too; ``private_key_password`` opens
    either. There is no way to switch the checking of certificates off.
    """

    name: str
    provider: str
    base_url: str
    token_url: str
    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    key: str = field(repr=False)
    merchant_name: str
    merchant_city: str
    profile: str = "generic"
    application_key: str = field(default="", repr=False)
    certificate: Path | None = None
    private_key: Path | None = None
    private_key_password: str | None = field(default=None, repr=False)
    ca_bundle: Path | None = None

    def check(self) -> None:
        """Raise WrongAccount for what is certain to fail later, so that it fails at the start."""
        rules: dict[str, Callable[[], bool]] = {
            "the base address must be https": lambda: _is_safe(self.base_url),
            "the token address must be https": lambda: _is_safe(self.token_url),
            "the client id is missing": lambda: self.client_id != "",
            "the Pix key is missing or too long": lambda: 0 < len(self.key) <= 77,
            "the name or the city has no plain letter": self._has_plain_names,
            "the certificate is not a file": lambda: _is_file(self.certificate),
            "the private key is not a file": lambda: _is_file(self.private_key),
            "a .p12 file brings its own key": lambda: (
                not (self.private_key and self.certificate and is_p12(self.certificate))
            ),
            "the CA bundle is not a file": lambda: _is_file(self.ca_bundle),
        }
        for sentence, is_kept in rules.items():
            if not is_kept():
                raise WrongAccount(f"Pix account {self.name}: {sentence}.")

    def _has_plain_names(self) -> bool:
        return all(in_plain_letters(text, 15) for text in (self.merchant_name, self.merchant_city))


def is_p12(certificate: Path) -> bool:
    """Tell whether a certificate comes as banks send it, in one file with its key."""
    return certificate.suffix.lower() in {".p12", ".pfx"}


def is_simulated(copy_paste: str) -> bool:
    """Whether a code points at the simulator, so that no bank can pay it."""
    try:
        location = parse(copy_paste).location
    except NotBrCode:
        return False
    return location is not None and location.startswith(f"{SIMULATED_HOST}/")


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    is_local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    return bool(parts.hostname) and (parts.scheme == "https" or is_local)


def _is_file(path: Path | None) -> bool:
    return path is None or path.is_file()
