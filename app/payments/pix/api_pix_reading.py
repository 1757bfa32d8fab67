"""Read what an API Pix answers: leniently about form, strictly about money and time."""

import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from app.money import Cents
from app.payments.pix.brcode import NotBrCode, dynamic
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
    word,
    word_or_none,
)

log = logging.getLogger(__name__)

_AMOUNT = re.compile(r"([0-9]{1,10})\.([0-9]{2})")
_SECONDS = re.compile(r"[0-9]{1,10}")
_DEFAULT_EXPIRY = 86_400
"""Seconds; what a charge lives when nobody says how long."""
_BY_THE_BANK = "MED_"

_CHARGES = {
    "ATIVA": ChargeStatus.ACTIVE,
    "CONCLUIDA": ChargeStatus.PAID,
    "REMOVIDA_PELO_USUARIO_RECEBEDOR": ChargeStatus.REMOVED_BY_US,
    "REMOVIDA_PELO_PSP": ChargeStatus.REMOVED_BY_PROVIDER,
}
_REFUNDS = {
    "EM_PROCESSAMENTO": RefundStatus.PENDING,
    "DEVOLVIDO": RefundStatus.DONE,
    "NAO_REALIZADO": RefundStatus.FAILED,
}


def read_amount(value: object) -> Cents:
    """Read ``"10.00"`` and nothing else.

    Raises:
        Unreadable: a number, a comma, a missing place, a sign, a blank: all the same.
    """
    read = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if not read:
        raise Unreadable("an amount is not written as the API Pix writes amounts")
    return Cents(int(read[1] + read[2]))


def read_charge(
    document: Document,
    *,
    copy_paste_fields: tuple[str, ...],
    merchant_name: str,
    merchant_city: str,
) -> ChargeState:
    """Read a charge, making its code from its location when the bank leaves the code out.

    Raises:
        Unreadable: amount, times or txid, its own or those of a payment in it.
    """
    calendar = part(document, "calendario")
    created_at = read_instant(calendar.get("criacao"))
    payments = read_payments(document.get("pix"))
    return ChargeState(
        txid=word(document.get("txid")),
        status=status(document.get("status"), _CHARGES, ChargeStatus.UNKNOWN),
        amount=read_amount(part(document, "valor").get("original")),
        created_at=created_at,
        expires_at=_plus_seconds(created_at, calendar.get("expiracao")),
        copy_paste=_copy_paste(document, copy_paste_fields)
        or _from_location(document, merchant_name, merchant_city),
        payments=tuple(payments),
    )


def read_payments(value: object) -> Iterator[PaidPix]:
    """Read a list of payments one after the other.

    Raises:
        Unreadable: after the last one, if any was not read, so that one hides no other.
    """
    unread = 0
    for entry in entries(value):
        try:
            yield read_payment(entry)
        except Unreadable:
            unread += 1
    if unread:
        log.error("%d payments in an answer of the Pix provider cannot be read", unread)
        raise Unreadable(f"{unread} payments cannot be read")


def read_payment(document: Document) -> PaidPix:
    """Raises: Unreadable for its id, amount or time, or those of a refund in it."""
    return PaidPix(
        end_to_end_id=word(document.get("endToEndId")),
        amount=read_amount(document.get("valor")),
        paid_at=read_instant(document.get("horario")),
        txid=word_or_none(document.get("txid")),
        key=text_or_none(document.get("chave")),
        payer_note=text_or_none(document.get("infoPagador")) or "",
        refunds=tuple(read_refund(entry) for entry in entries(document.get("devolucoes"))),
    )


def read_refund(document: Document) -> RefundState:
    """Raises: Unreadable for its id or amount."""
    times = part(document, "horario")
    return RefundState(
        refund_id=word(document.get("id")),
        amount=read_amount(document.get("valor")),
        status=status(document.get("status"), _REFUNDS, RefundStatus.UNKNOWN),
        is_ours=not str(document.get("natureza", "")).startswith(_BY_THE_BANK),
        return_id=word_or_none(document.get("rtrId")),
        requested_at=instant_or_none(times.get("solicitacao")),
        settled_at=instant_or_none(times.get("liquidacao")),
        reason=text_or_none(document.get("motivo")) or "",
    )


def read_notices(body: bytes) -> list[Notice]:
    """Read what a webhook's body points at; see ``PixGateway.read_notices``."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return []
    notices = []
    for entry in entries(document.get("pix") if isinstance(document, dict) else None):
        notice = Notice(
            end_to_end_id=word_or_none(entry.get("endToEndId")),
            txid=word_or_none(entry.get("txid")),
            key=text_or_none(entry.get("chave")),
        )
        is_money_going_out = str(entry.get("tipo", "")) == "SOLICITACAO"
        if (notice.end_to_end_id or notice.txid) and not is_money_going_out:
            notices.append(notice)
    return notices


def _copy_paste(document: Document, names: tuple[str, ...]) -> str | None:
    codes = (payable(document.get(name)) for name in names)
    return next((code for code in codes if code), None)


def _from_location(document: Document, merchant_name: str, merchant_city: str) -> str | None:
    location = document.get("location") or part(document, "loc").get("location")
    try:
        return dynamic(
            str(location or "").removeprefix("https://"),
            merchant_name=merchant_name,
            merchant_city=merchant_city,
        )
    except NotBrCode:
        return None


def _plus_seconds(created_at: datetime, expiry: object) -> datetime:
    seconds = _DEFAULT_EXPIRY if expiry is None else expiry
    if isinstance(seconds, bool) or not _SECONDS.fullmatch(str(seconds)):
        raise Unreadable("a charge's expiry is no number of seconds")
    try:
        return created_at + timedelta(seconds=int(str(seconds)))
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)
