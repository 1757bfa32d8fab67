"""Read and write Mercado Pago's documents: strictly about money and time."""

import json
import logging
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from app.money import Cents
from app.payments.pix.brcode import format_amount
from app.payments.pix.gateway import (
    ChargeState,
    ChargeStatus,
    Notice,
    PaidPix,
    RefundState,
    RefundStatus,
    Unreadable,
)
from app.payments.pix.provider_http import Document
from app.payments.pix.reading import (
    entries,
    instant_or_none,
    part,
    payable,
    read_instant,
    status,
    text_or_none,
    word_or_none,
)

log = logging.getLogger(__name__)

EXPIRES_IN = "expires_in"
"""Seconds; our own mark in a payment's metadata, as the provider may be given more."""

_ID = re.compile(r"[0-9]{1,20}")
_SECONDS = re.compile(r"[0-9]{1,9}")
_LONGEST_AMOUNT = 10
"""Digits before the point."""
_TAKEN_BACK = "chargeback"
_BY_OTHERS = {"admin", "bpp"}
"""Who may send money back without us: Mercado Pago's own people and its protection of buyers."""

_PAID = {"approved", "in_mediation", "refunded", "charged_back"}
_CHARGES = {
    "pending": ChargeStatus.ACTIVE,
    "in_process": ChargeStatus.ACTIVE,
    "cancelled": ChargeStatus.REMOVED_BY_PROVIDER,
    "rejected": ChargeStatus.REMOVED_BY_PROVIDER,
    **dict.fromkeys(_PAID, ChargeStatus.PAID),
}
_REFUNDS = {
    "in_process": RefundStatus.PENDING,
    "pending": RefundStatus.PENDING,
    "authorized": RefundStatus.PENDING,
    "approved": RefundStatus.DONE,
    "rejected": RefundStatus.FAILED,
    "cancelled": RefundStatus.FAILED,
}
_CHARGEBACKS = {
    "in_process": RefundStatus.PENDING,
    "settled": RefundStatus.DONE,
    "reimbursed": RefundStatus.FAILED,
}


def with_amount(name: str, amount: Cents, document: dict[str, Any]) -> bytes:
    """Write JSON with an exact decimal number in it, which the standard library cannot."""
    rest = json.dumps(document).removeprefix("{")
    comma = ", " if document else ""
    return f'{{"{name}": {format_amount(amount)}{comma}{rest}'.encode()


def read_amount(value: object) -> Cents:
    """Read a JSON number of reais with no part of a cent.

    Raises:
        Unreadable: a text, a float, a negative amount, a third place that is not zero.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise Unreadable("an amount is no number")
    amount = Decimal(value)
    if not amount.is_finite() or amount < 0 or amount.adjusted() >= _LONGEST_AMOUNT:
        raise Unreadable("an amount is no sum of money")
    cents = amount.scaleb(2)
    if cents != cents.to_integral_value():
        raise Unreadable("an amount has a part of a cent")
    return Cents(int(cents))


def read_id(value: object) -> str:
    """Read a number that names something, which comes as a number or as a text.

    Raises:
        Unreadable: it is missing or something else.
    """
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not _ID.fullmatch(text):
        raise Unreadable("an id is missing or odd")
    return text


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def is_active(document: Document) -> bool:
    return _CHARGES.get(_state(document)) is ChargeStatus.ACTIVE


def is_by_others(refund: Document) -> bool:
    return str(part(refund, "source").get("type")).lower() in _BY_OTHERS


def is_paid_pix(document: Document) -> bool:
    return document.get("payment_method_id") == "pix" and _state(document) in _PAID


def read_charge(documents: list[Document]) -> ChargeState:
    """Read the payments of one ``external_reference``, of which there is one unless all went wrong.

    It expires by what we asked, which is in its metadata; Mercado Pago may have given it longer.

    Raises:
        Unreadable: amount, times or id, its own or those of a refund in it.
    """
    paid = [document for document in documents if _state(document) in _PAID]
    main = next(iter([*paid, *filter(is_active, documents), *documents]))
    txid = word_or_none(main.get("external_reference"))
    if txid is None:
        raise Unreadable("a payment is of no charge of ours")
    created_at = read_instant(main.get("date_created"))
    return ChargeState(
        txid=txid,
        status=_charge_status(main),
        amount=_price(main),
        created_at=created_at,
        expires_at=_expires_at(main, created_at),
        copy_paste=payable(
            part(part(main, "point_of_interaction"), "transaction_data").get("qr_code")
        ),
        payments=tuple(read_payment(document) for document in paid),
    )


def read_payment(document: Document) -> PaidPix:
    """Read a payment that was paid, with what others than we sent back of it.

    Raises:
        Unreadable: its id, amount or time, or those of a refund in it.
    """
    refunds = entries(document.get("refunds"))
    by_others = [read_refund(each) for each in refunds if is_by_others(each)]
    amount = _price(document)
    if _state(document) == "charged_back":
        states = [read_refund(each) for each in refunds]
        gone = sum(state.amount for state in states if state.status is RefundStatus.DONE)
        if gone < amount:
            by_others.append(_chargeback(document, Cents(amount - gone)))
    return PaidPix(
        end_to_end_id=read_id(document.get("id")),
        amount=amount,
        paid_at=read_instant(document.get("date_approved")),
        txid=word_or_none(document.get("external_reference")),
        refunds=tuple(by_others),
    )


def read_payments(documents: list[Document]) -> Iterator[PaidPix | None]:
    """Read a list of payments; nothing stands for one that cannot be read."""
    for document in documents:
        if is_paid_pix(document):
            try:
                yield read_payment(document)
            except Unreadable:
                log.error("a payment in an answer of Mercado Pago cannot be read")
                yield None


def read_refund(document: Document, refund_id: str | None = None) -> RefundState:
    """Read a refund: ours by the id we know it by, else one that others made.

    Raises:
        Unreadable: its id or amount.
    """
    return_id = read_id(document.get("id"))
    return RefundState(
        refund_id=refund_id or return_id,
        amount=read_amount(document.get("amount")),
        status=status(document.get("status"), _REFUNDS, RefundStatus.UNKNOWN),
        is_ours=refund_id is not None,
        return_id=return_id,
        requested_at=instant_or_none(document.get("date_created")),
        reason=text_or_none(document.get("reason")) or "",
    )


def read_notices(body: bytes) -> list[Notice]:
    """Read what a webhook's body points at; see ``PixGateway.read_notices``."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return []
    if not isinstance(document, dict) or document.get("type") != "payment":
        return []
    try:
        return [Notice(end_to_end_id=read_id(part(document, "data").get("id")))]
    except Unreadable:
        return []


def _chargeback(document: Document, amount: Cents) -> RefundState:
    """What a payer's bank took back, which is no refund in Mercado Pago's own list."""
    return RefundState(
        refund_id=_TAKEN_BACK,
        amount=amount,
        status=status(document.get("status_detail"), _CHARGEBACKS, RefundStatus.UNKNOWN),
        is_ours=False,
        reason=_TAKEN_BACK,
    )


def _state(document: Document) -> str:
    return str(document.get("status"))


def _charge_status(document: Document) -> ChargeStatus:
    if _state(document) == "cancelled" and document.get("status_detail") == "by_collector":
        return ChargeStatus.REMOVED_BY_US
    return status(document.get("status"), _CHARGES, ChargeStatus.UNKNOWN)


def _price(document: Document) -> Cents:
    if (document.get("currency_id") or "BRL") != "BRL":
        raise Unreadable("an amount is in the money of another country")
    return read_amount(document.get("transaction_amount"))


def _expires_at(document: Document, created_at: datetime) -> datetime:
    asked = str(part(document, "metadata").get(EXPIRES_IN, "")).removesuffix(".0")
    if _SECONDS.fullmatch(asked):
        return created_at + timedelta(seconds=int(asked))
    return read_instant(document.get("date_of_expiration"))
