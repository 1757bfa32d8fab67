"""What an account keeps secret is typed without echo, or read from the environment.

Never from an argument: those stay in the shell's history and are shown to everybody by `ps`.
"""

import os
from dataclasses import dataclass

import click

from app.payments.pix.account import MERCADO_PAGO
from app.payments.pix.api_pix_profiles import PROFILES, TokenAuth


@dataclass(frozen=True)
class Secret:
    """One field of an account, the variable that may hold it, and what is asked otherwise."""

    field: str
    variable: str
    question: str
    may_be_empty: bool = False


CLIENT_ID = Secret("client_id", "PIX_CLIENT_ID", "Client id")
CLIENT_SECRET = Secret("client_secret", "PIX_CLIENT_SECRET", "Client secret")
KEY = Secret("key", "PIX_KEY", "Pix key")
APPLICATION_KEY = Secret("application_key", "PIX_APPLICATION_KEY", "Application key")
PASSWORD = Secret(
    "private_key_password",
    "PIX_PRIVATE_KEY_PASSWORD",
    "Password of the certificate's key (empty if it has none)",
    may_be_empty=True,
)
ACCESS_TOKEN = Secret("client_secret", "PIX_ACCESS_TOKEN", "Access token")
SIGNATURE = Secret("signature_secret", "PIX_SIGNATURE_SECRET", "Secret of the signatures")

ALL = (CLIENT_ID, CLIENT_SECRET, KEY, APPLICATION_KEY, PASSWORD, ACCESS_TOKEN, SIGNATURE)


def read_secrets(provider: str, profile: str, *, has_certificate: bool) -> dict[str, str]:
    """Read what an account at this provider needs, by the names of its fields."""
    found = {"client_secret": ""}
    for secret in _needed(provider, profile, has_certificate=has_certificate):
        found[secret.field] = _read(secret)
    return found


def _needed(provider: str, profile: str, *, has_certificate: bool) -> list[Secret]:
    certificate = [PASSWORD] if has_certificate else []
    if provider == MERCADO_PAGO:
        return [ACCESS_TOKEN, SIGNATURE, *certificate]
    known = PROFILES[profile]
    is_secretless = known.token_auth is TokenAuth.BODY_WITHOUT_SECRET
    return [
        CLIENT_ID,
        *([] if is_secretless else [CLIENT_SECRET]),
        KEY,
        *([APPLICATION_KEY] if known.application_parameter else []),
        *certificate,
    ]


def _read(secret: Secret) -> str:
    if secret.variable in os.environ:
        return os.environ[secret.variable].strip()
    default = "" if secret.may_be_empty else None
    typed: str = click.prompt(
        secret.question, hide_input=True, default=default, show_default=False, err=True
    )
    return typed.strip()
