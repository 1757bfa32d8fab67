"""How we prove by certificate who we are, and check who the provider is."""

import ssl

from app.payments.pix.account import ProviderAccount, WrongAccount


def tls_of(account: ProviderAccount) -> ssl.SSLContext:
    """Make the TLS settings of an account's connections.

    Raises:
        WrongAccount: a certificate, its key or the CA bundle cannot be loaded.
    """
    try:
        context = ssl.create_default_context(cafile=account.ca_bundle)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if account.certificate:
            password = account.private_key_password or ""  # nothing would ask on the terminal
            context.load_cert_chain(account.certificate, account.private_key, password)
    except (ssl.SSLError, OSError):
        raise WrongAccount(
            f"Pix account {account.name}: a certificate or its key cannot be loaded."
        ) from None
    return context
