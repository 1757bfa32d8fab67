"""Read what an API Pix answers: leniently about form, strictly about money and time."""

import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from app.money import Cents
from app.payments.pix.brcode import NotBrCode, checksum, dynamic
from app.payments.pix.gateway import (
    ChargeState,
    ChargeStatus,
    Notice,
    PaidPix,
    RefundState,
    RefundStatus,
    Unreadable,
)

log = logging.getLogger(__name__)

Document = dict[str, Any]
Status = TypeVar("Status", ChargeStatus, RefundStatus)

_AMOUNT = re.compile(r"([0-9]{1,10})\.([0-9]{2})")
_SECONDS = re.compile(r"[0-9]{1,10}")
_WORD = re.compile(r"[A-Za-z0-9]{1,64}")
_DEFAULT_EXPIRY = 86_400
"""Seconds; what a charge lives when nobody says how long."""
_LONGEST_TEXT = 140
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


def read_instant(value: object) -> datetime:
    """Read an instant of any offset, into UTC.

    Raises:
        Unreadable: also without an offset: which day it was would be a guess.
    """
    try:
        instant = datetime.fromisoformat(value) if isinstance(value, str) else None
        if instant is None or instant.tzinfo is None:
            raise Unreadable("an instant is missing or has no offset")
        return instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Unreadable("an instant cannot be read") from None


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
    calendar = _part(document, "calendario")
    created_at = read_instant(calendar.get("criacao"))
    payments = read_payments(document.get("pix"))
    return ChargeState(
        txid=_word(document.get("txid")),
        status=_status(document.get("status"), _CHARGES, ChargeStatus.UNKNOWN),
        amount=read_amount(_part(document, "valor").get("original")),
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
    for entry in _entries(value):
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
        end_to_end_id=_word(document.get("endToEndId")),
        amount=read_amount(document.get("valor")),
        paid_at=read_instant(document.get("horario")),
        txid=_word_or_none(document.get("txid")),
        key=_text_or_none(document.get("chave")),
        payer_note=_text_or_none(document.get("infoPagador")) or "",
        refunds=tuple(read_refund(entry) for entry in _entries(document.get("devolucoes"))),
    )


def read_refund(document: Document) -> RefundState:
    """Raises: Unreadable for its id or amount."""
    times = _part(document, "horario")
    return RefundState(
        refund_id=_word(document.get("id")),
        amount=read_amount(document.get("valor")),
        status=_status(document.get("status"), _REFUNDS, RefundStatus.UNKNOWN),
        is_ours=not str(document.get("natureza", "")).startswith(_BY_THE_BANK),
        return_id=_word_or_none(document.get("rtrId")),
        requested_at=_instant_or_none(times.get("solicitacao")),
        settled_at=_instant_or_none(times.get("liquidacao")),
        reason=_text_or_none(document.get("motivo")) or "",
    )


def read_notices(body: bytes) -> list[Notice]:
    """Read what a webhook's body points at; see ``PixGateway.read_notices``."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return []
    notices = []
    for entry in _entries(document.get("pix") if isinstance(document, dict) else None):
        notice = Notice(
            end_to_end_id=_word_or_none(entry.get("endToEndId")),
            txid=_word_or_none(entry.get("txid")),
            key=_text_or_none(entry.get("chave")),
        )
        is_money_going_out = str(entry.get("tipo", "")) == "SOLICITACAO"
        if (notice.end_to_end_id or notice.txid) and not is_money_going_out:
            notices.append(notice)
    return notices


def _copy_paste(document: Document, names: tuple[str, ...]) -> str | None:
    """The bank's own code, unless its checksum is wrong: no bank would pay that."""
    for name in names:
        code = document.get(name)
        if isinstance(code, str) and len(code) > 8:
            if code[-8:-4] == "6304" and code[-4:].upper() == checksum(code[:-4]):
                return code
            log.error("the Pix provider sent a code with a wrong checksum")
    return None


def _from_location(document: Document, merchant_name: str, merchant_city: str) -> str | None:
    location = document.get("location") or _part(document, "loc").get("location")
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


def _status(value: object, known: dict[str, Status], unknown: Status) -> Status:
    status = known.get(value) if isinstance(value, str) else None
    if status is None:
        log.warning("the Pix provider has a status that Firme does not know")
        return unknown
    return status


def _part(document: Document, name: str) -> Document:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _entries(value: object) -> list[Document]:
    """A list, or the single thing that the spec's own example puts where a list belongs."""
    entries = value if isinstance(value, list) else [value]
    return [entry for entry in entries if isinstance(entry, dict) and entry]


def _word(value: object) -> str:
    word = _word_or_none(value)
    if word is None:
        raise Unreadable("an id is missing or odd")
    return word


def _word_or_none(value: object) -> str | None:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else None


def _text_or_none(value: object) -> str | None:
    """A text that a database and a page can take; a number that should be one becomes one."""
    if not isinstance(value, str | int):
        return None
    return "".join(letter for letter in str(value) if letter.isprintable())[:_LONGEST_TEXT] or None


def _instant_or_none(value: object) -> datetime | None:
    try:
        return read_instant(value)
    except Unreadable:
        return None
