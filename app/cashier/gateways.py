"""The ways to the providers: opened at the first call, kept for the life of the process."""

import threading
from datetime import datetime
from uuid import UUID

from flask import current_app
from sqlalchemy.orm import Session

from app.config import Config
from app.extensions import transact
from app.payments.accounts import read_account
from app.payments.models import PaymentAccount
from app.payments.pix.account import WrongAccount, is_local, is_simulated
from app.payments.pix.gateway import AccessDenied, PixGateway
from app.payments.pix.registry import open_gateway
from app.payments.sealing import CannotOpen, Sealer

SIMULATED = (
    "this account is at a simulated bank, which nobody can pay; ALLOW_SIMULATED_PIX=1 allows it"
)


class Gateways:
    """One process's open gateways. An account that was changed is opened again.

    The one before is not closed: somebody may be asking by it still.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[tuple[UUID, UUID], tuple[datetime, PixGateway]] = {}

    def find(self, row: PaymentAccount, sealer: Sealer, *, allow_simulated: bool) -> PixGateway:
        """Give the gateway of an account.

        Raises:
            AccessDenied: its settings cannot work here.
        """
        key = (row.location_id, row.id)
        with self._lock:
            known = self._open.get(key)
            if known is not None and known[0] == row.updated_at:
                return known[1]
            try:
                account = read_account(row, sealer)
                if is_local(account) and not allow_simulated:
                    raise WrongAccount(SIMULATED)
                gateway = open_gateway(account)
            except (WrongAccount, CannotOpen) as wrong:
                raise AccessDenied(str(wrong), status=0) from None
            self._open[key] = (row.updated_at, gateway)
            return gateway

    def close(self) -> None:
        """Let go of every connection."""
        with self._lock:
            for _, gateway in self._open.values():
                gateway.close()
            self._open.clear()


def sealer() -> Sealer:
    """Give what opens the accounts' secrets."""
    config: Config = current_app.extensions["firme_config"]
    return Sealer(config.secret_key)


def gateways() -> Gateways:
    """Give the process's gateways."""
    return current_app.extensions.setdefault("gateways", Gateways())  # type: ignore[no-any-return]


def gateway_of(location_id: UUID, account_id: UUID) -> PixGateway:
    """Open the way to an account's provider. Reads the account in a transaction of its own.

    Raises:
        AccessDenied: its settings cannot work here.
    """

    def find(session: Session) -> PaymentAccount:
        row = session.get_one(PaymentAccount, (location_id, account_id))
        session.expunge(row)
        return row

    return gateway_for(transact(find))


def gateway_for(row: PaymentAccount) -> PixGateway:
    """The same for who has the account's row.

    Raises:
        AccessDenied: its settings cannot work here.
    """
    config: Config = current_app.extensions["firme_config"]
    return gateways().find(row, sealer(), allow_simulated=config.allow_simulated_pix)


def check_code(copy_paste: str | None) -> None:
    """Refuse to show a code that nobody can pay, unless this deployment plays.

    Raises:
        AccessDenied: the code is a simulator's.
    """
    config: Config = current_app.extensions["firme_config"]
    if copy_paste and is_simulated(copy_paste) and not config.allow_simulated_pix:
        raise AccessDenied(SIMULATED, status=0)
