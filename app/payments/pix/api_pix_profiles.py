"""What one bank's API Pix does differently from the Banco Central's text."""

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class TokenAuth(StrEnum):
    """How the client shows who it is when it asks for a token."""

    BASIC = "basic"
    BODY = "body"
    BODY_WITHOUT_SECRET = "body_without_secret"  # noqa: S105


SCOPES = ("cob.read", "cob.write", "pix.read", "pix.write", "webhook.read", "webhook.write")


@dataclass(frozen=True)
class Profile:
    """The differences of one bank; the defaults are the standard.

    ``prefixes`` goes before a resource's path where a bank versions its resources apart;
    ``copy_paste_fields`` are read in this order; ``application_parameter`` is the query
    parameter that carries the account's application key, ``webhook_headers`` go with a
    registration.
    """

    token_auth: TokenAuth = TokenAuth.BASIC
    scopes: tuple[str, ...] = SCOPES
    prefixes: MappingProxyType[str, str] = field(default_factory=lambda: MappingProxyType({}))
    copy_paste_fields: tuple[str, ...] = ("pixCopiaECola",)
    application_parameter: str = ""
    webhook_headers: MappingProxyType[str, str] = field(
        default_factory=lambda: MappingProxyType({})
    )

    def path(self, resource: str, *parts: str) -> str:
        return "/".join([self.prefixes.get(resource, "") + f"/{resource}", *parts])


PROFILES = MappingProxyType(
    {
        "generic": Profile(),
        "efi": Profile(
            # Our secret is in the path and every notice is checked by reading the charge back.
            webhook_headers=MappingProxyType({"x-skip-mtls-checking": "true"}),
        ),
        "banco_do_brasil": Profile(
            copy_paste_fields=("pixCopiaECola", "textoImagemQRcode"),
            application_parameter="gw-dev-app-key",
        ),
        "sicoob": Profile(token_auth=TokenAuth.BODY_WITHOUT_SECRET),
        "sicredi": Profile(
            prefixes=MappingProxyType({"cob": "/v3", "pix": "/v2", "webhook": "/v2"}),
        ),
    }
)
"""None of these was tried against its bank: they hold what the banks' own texts and other
clients say (design/pix.md section 2)."""
