import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from app.payments.pix.brcode import NotBrCode, in_plain_letters, parse

SIMULATED_HOST = "pix.example.com"
"""Where the codes of the simulator point: a name that RFC 2606 keeps for examples, so that no
bank can ever pay one."""

MERCADO_PAGO = "mercadopago"

Rules = dict[str, Callable[[], bool]]

_EMAIL = re.compile(r"[!-?A-~]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_LONGEST_ADDRESS = 480
"""Characters; Mercado Pago takes fewer than 500, some of which we add."""
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class WrongAccount(ValueError):
    """A setting of the account cannot work; the sentence says which one, never its value."""


@dataclass(frozen=True, kw_only=True)
class ProviderAccount:
    """Where the money goes and how we prove who we are there. Secrets stay out of its ``repr``.

    ``name`` is ours and stable: money is known by (account, end-to-end id). ``certificate`` is
    a PEM file, or a .p12 or .pfx file that holds its key too; ``private_key_password`` opens
    either. There is no way to switch the checking of certificates off.

    At Mercado Pago ``client_secret`` is the access token; ``signature_secret`` proves its
    messages; ``notification_url`` is where they go, if not where the panel says; ``payer_email``
    stands for payers, who tell us none; a charge never lives less than
    ``shortest_expiry_seconds`` there, 30 minutes by its documents.
    """

    name: str
    provider: str
    base_url: str
    token_url: str = ""
    client_id: str = field(default="", repr=False)
    client_secret: str = field(repr=False)
    key: str = field(default="", repr=False)
    merchant_name: str
    merchant_city: str
    profile: str = "generic"
    application_key: str = field(default="", repr=False)
    certificate: Path | None = None
    private_key: Path | None = None
    private_key_password: str | None = field(default=None, repr=False)
    ca_bundle: Path | None = None
    signature_secret: str = field(default="", repr=False)
    notification_url: str = field(default="", repr=False)
    payer_email: str = field(default="", repr=False)
    shortest_expiry_seconds: int = 1_800

    def check(self) -> None:
        """Raise WrongAccount for what is certain to fail later, so that it fails at the start."""
        is_mercado_pago = self.provider == MERCADO_PAGO
        own_rules = self._mercado_pago_rules() if is_mercado_pago else self._api_pix_rules()
        rules: Rules = {
            "the base address must be https": lambda: _is_safe(self.base_url),
            "the name or the city has no plain letter": self._has_plain_names,
            "the certificate is not a file": lambda: _is_file(self.certificate),
            "the private key is not a file": lambda: _is_file(self.private_key),
            "a .p12 file brings its own key": lambda: (
                not (self.private_key and self.certificate and is_p12(self.certificate))
            ),
            "the CA bundle is not a file": lambda: _is_file(self.ca_bundle),
            **own_rules,
        }
        for sentence, is_kept in rules.items():
            if not is_kept():
                raise WrongAccount(f"Pix account {self.name}: {sentence}.")

    def _api_pix_rules(self) -> Rules:
        return {
            "the token address must be https": lambda: _is_safe(self.token_url),
            "the client id is missing": lambda: self.client_id != "",
            "the Pix key is missing or too long": lambda: 0 < len(self.key) <= 77,
        }

    def _mercado_pago_rules(self) -> Rules:
        return {
            "the access token is missing or odd": lambda: _is_one_word(self.client_secret),
            "the secret of the signatures is missing": lambda: self.signature_secret.strip() != "",
            "the payer's e-mail is none": lambda: _EMAIL.fullmatch(self.payer_email) is not None,
            "the shortest expiry is no time": lambda: self.shortest_expiry_seconds > 0,
            "the notification address must be https and short": lambda: (
                self.notification_url == "" or is_address_to_notify(self.notification_url)
            ),
        }

    def _has_plain_names(self) -> bool:
        return all(in_plain_letters(text, 15) for text in (self.merchant_name, self.merchant_city))


def is_address_to_notify(url: str) -> bool:
    return _is_safe(url) and len(url) <= _LONGEST_ADDRESS


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


def is_local(account: ProviderAccount) -> bool:
    """Whether the provider is on this machine: a simulator, as no bank is."""
    return urlsplit(account.base_url).hostname in _LOOPBACK


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    is_local = parts.scheme == "http" and parts.hostname in _LOOPBACK
    return bool(parts.hostname) and (parts.scheme == "https" or is_local)


def _is_one_word(secret: str) -> bool:
    return secret != "" and all("!" <= letter <= "~" for letter in secret)


def _is_file(path: Path | None) -> bool:
    return path is None or path.is_file()
