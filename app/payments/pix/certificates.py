"""How we prove by certificate who we are, and check who the provider is."""

import os
import secrets
import ssl
import tempfile
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    pkcs12,
)

from app.payments.pix.account import ProviderAccount, WrongAccount, is_p12


def tls_of(account: ProviderAccount) -> ssl.SSLContext:
    """Make the TLS settings of an account's connections.

    Raises:
        WrongAccount: a certificate, its key or the CA bundle cannot be loaded.
    """
    try:
        context = ssl.create_default_context(cafile=account.ca_bundle)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if account.certificate and is_p12(account.certificate):
            _load_p12(context, account, account.certificate)
        elif account.certificate:
            password = account.private_key_password or ""  # nothing would ask on the terminal
            context.load_cert_chain(account.certificate, account.private_key, password)
    except (ssl.SSLError, OSError):
        raise WrongAccount(
            f"Pix account {account.name}: a certificate or its key cannot be loaded."
        ) from None
    return context


def _load_p12(context: ssl.SSLContext, account: ProviderAccount, certificate: Path) -> None:
    """Load a .p12 file, whose key Python takes only from a PEM file.

    That file is readable by its owner alone, its key is encrypted with a password that is thrown
    away, and it is gone when this returns.
    """
    password = secrets.token_bytes(32).hex()
    text = _as_pem(account, certificate, password)
    handle, name = tempfile.mkstemp(suffix=".pem")  # mode 600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        context.load_cert_chain(name, password=password)
    finally:
        Path(name).unlink()


def _as_pem(account: ProviderAccount, certificate: Path, password: str) -> bytes:
    known = (account.private_key_password or "").encode() or None
    try:
        key, own, others = pkcs12.load_key_and_certificates(certificate.read_bytes(), known)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise WrongAccount(
            f"Pix account {account.name}: the .p12 file cannot be opened; "
            "its password is wrong, or it is no such file."
        ) from None
    if key is None or own is None:
        raise WrongAccount(
            f"Pix account {account.name}: the .p12 file has no certificate with its key."
        )
    return b"".join(
        [
            *(each.public_bytes(Encoding.PEM) for each in (own, *others)),
            key.private_bytes(
                Encoding.PEM,
                PrivateFormat.PKCS8,
                BestAvailableEncryption(password.encode()),
            ),
        ]
    )
