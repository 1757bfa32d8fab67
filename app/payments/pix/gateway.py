"""What Firme asks of a Pix provider, whoever it is. No call may run inside a transaction."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from app.money import Cents


class GatewayError(Exception):
    """A provider did not do as asked. No text of one holds a secret or anything of a person."""


class ProviderDown(GatewayError):
    """Nothing was done: it cannot be reached, is closed, or wants fewer calls. Later may work."""

    def __init__(self, reason: str, *, retry_after: timedelta | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class OutcomeUnknown(GatewayError):
    """It may or may not have been done. Ask again with the same ids; never with new ones."""


class Unreadable(GatewayError):
    """The answer says something about money or time that cannot be trusted: a person must look."""


class Rejected(GatewayError):
    """It was understood and refused for good. ``fields`` names what was wrong with the request."""

    def __init__(self, kind: str, *, status: int, fields: tuple[str, ...] = ()) -> None:
        super().__init__(f"{kind} ({status}) {', '.join(fields)}".strip())
        self.kind = kind
        self.status = status
        self.fields = fields


class AccessDenied(Rejected):
    """Our credentials, certificate or granted scopes do not do: the settings are wrong."""


class ChargeStatus(StrEnum):
    """Of the record, which says nothing about time: a charge that expired may read ``ACTIVE``."""

    ACTIVE = "active"
    PAID = "paid"
    REMOVED_BY_US = "removed_by_us"
    REMOVED_BY_PROVIDER = "removed_by_provider"
    UNKNOWN = "unknown"


class RefundStatus(StrEnum):
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class RefundState:
    """Money on its way back, or not. ``is_ours`` is false when the bank itself took it back.

    ``refund_id`` is the id that we gave it, ``return_id`` the provider's own.
    """

    refund_id: str
    amount: Cents
    status: RefundStatus
    is_ours: bool = True
    return_id: str | None = None
    requested_at: datetime | None = None
    settled_at: datetime | None = None
    reason: str = ""


@dataclass(frozen=True)
class PaidPix:
    """Money that arrived, known by ``end_to_end_id``. ``paid_at`` is by the provider's clock.

    At Mercado Pago ``end_to_end_id`` is the number of its payment, and ``refunds`` are only those
    that we did not ask for, as it does not tell which of the others is which.

    ``txid`` may be missing although the money belongs to a charge: some banks lose it.
    """

    end_to_end_id: str
    amount: Cents
    paid_at: datetime
    txid: str | None = None
    key: str | None = None
    payer_note: str = ""
    refunds: tuple[RefundState, ...] = ()


@dataclass(frozen=True)
class ChargeState:
    """A charge as the provider has it. Both instants are by the provider's clock.

    ``copy_paste`` is missing only where the provider tells neither the code nor its place.
    """

    txid: str
    status: ChargeStatus
    amount: Cents
    created_at: datetime
    expires_at: datetime
    copy_paste: str | None = None
    payments: tuple[PaidPix, ...] = ()


@dataclass(frozen=True)
class Notice:
    """What a provider's message points at. Anybody may have sent it: look, and believe nothing."""

    end_to_end_id: str | None = None
    txid: str | None = None
    key: str | None = None


class PixGateway(Protocol):
    """One account at one provider. Safe to share between threads.

    Every call may raise ProviderDown, Rejected, AccessDenied and Unreadable; those that change
    something also OutcomeUnknown, and asking them again with the same ids is always safe.
    """

    lists_our_refunds: bool
    """Whether a payment that is read comes with the refunds that we asked for ourselves."""

    def open_charge(
        self,
        txid: str,
        amount: Cents,
        *,
        expires_in: timedelta,
        note: str = "",
        is_first: bool = False,
    ) -> ChargeState:
        """Create the charge, or return it if ``txid`` was opened before, paid or removed as it is.

        ``expires_in`` counts whole seconds from the provider's now, one at least; ``note`` is shown
        to who pays, 140 characters at most. ``is_first`` spares one call when no earlier one with
        this ``txid`` can have arrived; otherwise the charge is looked for before it is made, since
        making it again would give it a new deadline.

        Raises:
            Rejected: also when ``txid`` is a charge of another amount.
        """
        ...

    def find_charge(self, txid: str) -> ChargeState | None:
        """Return the charge with what was paid, or nothing when the provider has none."""
        ...

    def remove_charge(self, txid: str) -> ChargeState | None:
        """Make the charge unpayable and return what it is now: ``PAID`` when the payer was first.

        Nothing when the provider has no such charge.
        """
        ...

    def find_payment(self, end_to_end_id: str) -> PaidPix | None:
        """Return one payment with its refunds, or nothing when the provider has none."""
        ...

    def list_payments(
        self, since: datetime, until: datetime, *, txid: str | None = None
    ) -> Iterator[PaidPix]:
        """Yield what was paid from ``since`` to ``until``, both included, page after page.

        Raises:
            Unreadable: after the last one, if any could not be read.
        """
        ...

    def refund(
        self, end_to_end_id: str, refund_id: str, amount: Cents, *, note: str = ""
    ) -> RefundState:
        """Give money back; the same ``refund_id`` never gives it twice.

        ``refund_id`` is ours, of 1 to 35 letters and digits; a new try after a failed one needs a
        new id. The answer is seldom the end: ask with ``find_refund`` until it is done or failed.

        Raises:
            Rejected: more than what is left of the payment, or too late, or ``refund_id`` was
                used for another amount.
        """
        ...

    def find_refund(
        self, end_to_end_id: str, refund_id: str, *, return_id: str | None = None
    ) -> RefundState | None:
        """Return what became of a refund, or nothing when the provider never got it.

        ``return_id`` is the provider's name for it, if an earlier answer told it; Mercado Pago
        knows a refund by no other.
        """
        ...

    def set_webhook(self, url: str) -> None:
        """Have payments to this account's key told to ``url``, to which ``/pix`` is added."""
        ...

    def find_webhook(self) -> str | None:
        """Return the address that is told, if any."""
        ...

    def remove_webhook(self) -> None:
        """Tell nobody any more; nothing happens when nobody was told."""
        ...

    def is_for_us(self, payment: PaidPix) -> bool:
        """Tell whether money that came into the provider's account came to our key.

        A bank lists what came to any key of the account; another location may have another key.
        """
        ...

    def read_notices(self, body: bytes) -> list[Notice]:
        """Read what a message points at. Junk yields nothing and never raises."""
        ...

    def is_genuine(self, *, query: Mapping[str, str], headers: Mapping[str, str]) -> bool:
        """Tell whether a message to our webhook carries the provider's own signature.

        True where the provider signs nothing: there the secret in the address is the only proof,
        and the charge is always read back. ``headers`` may be written in capitals or not.
        """
        ...

    def close(self) -> None:
        """Let go of the connections to the provider."""
        ...
