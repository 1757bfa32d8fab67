"""The one place that knows which Pix providers there are."""

from collections.abc import Callable
from types import MappingProxyType

from app.payments.pix.account import MERCADO_PAGO, ProviderAccount, WrongAccount
from app.payments.pix.api_pix import ApiPix
from app.payments.pix.gateway import PixGateway
from app.payments.pix.mercado_pago import MercadoPago
from app.payments.pix.tokens import TokenStore

Opener = Callable[[ProviderAccount, TokenStore | None], PixGateway]


def _api_pix(account: ProviderAccount, tokens: TokenStore | None) -> PixGateway:
    return ApiPix(account, tokens=tokens)


def _mercado_pago(account: ProviderAccount, _: TokenStore | None) -> PixGateway:
    return MercadoPago(account)


PROVIDERS: MappingProxyType[str, Opener] = MappingProxyType(
    {"api_pix": _api_pix, MERCADO_PAGO: _mercado_pago}
)


def open_gateway(account: ProviderAccount, *, tokens: TokenStore | None = None) -> PixGateway:
    """Open the way to an account's provider; keep it for the life of the process.

    Raises:
        WrongAccount: a setting of it cannot work.
    """
    if account.provider not in PROVIDERS:
        raise WrongAccount(f"Pix account {account.name}: there is no such provider.")
    return PROVIDERS[account.provider](account, tokens)
