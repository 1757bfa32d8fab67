"""How the bank writes and checks what the API Pix 2.9.0 puts on the wire."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from app.devservices.pix_bank.journal import Document
from app.money import Cents

AMOUNT = re.compile(r"[0-9]{1,10}\.[0-9]{2}")
TXID = re.compile(r"[a-zA-Z0-9]{26,35}")
REFUND_ID = re.compile(r"[a-zA-Z0-9]{1,35}")
_PERSON = {"cpf": re.compile(r"[0-9]{11}"), "cnpj": re.compile(r"[0-9A-Z]{14}")}

Violation = tuple[str, str]
"""A property and what is wrong with it."""


@dataclass(frozen=True)
class Client:
    """An account holder of the bank. The secret is none: nothing here is worth one."""

    client_id: str = "firme"
    client_secret: str = "simulado"
    key: str = "00000000-0000-4000-8000-000000000001"


class Refusal(Exception):
    """What the bank says no with: a problem document of RFC 7807."""

    def __init__(self, kind: str, status: int, detail: str, *violations: Violation) -> None:
        super().__init__(kind)
        self.kind, self.status, self.detail, self.violations = kind, status, detail, violations

    def document(self) -> Document:
        problem: Document = {
            "type": f"https://pix.bcb.gov.br/api/v2/error/{self.kind}",
            "title": self.kind,
            "status": self.status,
            "detail": self.detail,
        }
        if self.violations:
            problem["violacoes"] = [
                {"propriedade": name, "razao": reason} for name, reason in self.violations
            ]
        return problem


def cents(text: str) -> Cents:
    return Cents(int(text.replace(".", "")))


def written(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def instant(text: str) -> datetime:
    """Raises: Refusal when it is none, or has no offset."""
    with suppress(ValueError, OverflowError):
        read = datetime.fromisoformat(text)
        if read.tzinfo is not None:
            return read.astimezone(UTC)
    raise Refusal("RequisicaoInvalida", 400, "A data não respeita a RFC 3339.")


def public(document: Document) -> Document:
    """The document without what the bank keeps for itself."""
    return {name: value for name, value in document.items() if not name.startswith("_")}


def check_charge(body: Document, *, keys: set[str], is_new: bool) -> None:
    """Raises: Refusal with every violation of `PUT` and `PATCH /cob/{txid}`."""
    violations = list(_charge_violations(body, keys, is_new=is_new))
    if violations:
        raise Refusal("CobOperacaoInvalida", 400, "A cobrança não respeita o schema.", *violations)


def _charge_violations(body: Document, keys: set[str], *, is_new: bool) -> Iterator[Violation]:
    calendar, value = body.get("calendario"), body.get("valor")
    if is_new or calendar is not None:
        yield from _calendar(calendar)
    if is_new or value is not None:
        yield from _value(value)
    if is_new or "chave" in body:
        yield from _key(body.get("chave"), keys)
    if not _is_text(body.get("solicitacaoPagador", ""), 140):
        yield "cob.solicitacaoPagador", "não respeita o schema"
    if not _are_facts(body.get("infoAdicionais", [])):
        yield "cob.infoAdicionais", "não respeita o schema"
    if not _is_person(body.get("devedor")):
        yield "cob.devedor", "não respeita o schema"


def _key(key: object, keys: set[str]) -> Iterator[Violation]:
    if not _is_text(key, 77):
        yield "cob.chave", "não respeita o schema"
    elif key not in keys:
        yield "cob.chave", "corresponde a uma conta que não pertence a este usuário recebedor"


def _calendar(calendar: object) -> Iterator[Violation]:
    expiry = calendar.get("expiracao", 86_400) if isinstance(calendar, dict) else None
    if not isinstance(expiry, int) or isinstance(expiry, bool) or not 0 < expiry < 2**31:
        yield "cob.calendario.expiracao", "é igual ou menor que zero ou não respeita o schema"


def _value(value: object) -> Iterator[Violation]:
    original = value.get("original") if isinstance(value, dict) else None
    if not isinstance(original, str) or not AMOUNT.fullmatch(original):
        yield "cob.valor.original", "não respeita o schema"
    elif cents(original) == 0:
        yield "cob.valor.original", "é zero"


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and len(value) <= longest


def _are_facts(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= 50
        and all(
            isinstance(fact, dict)
            and _is_text(fact.get("nome"), 50)
            and _is_text(fact.get("valor"), 200)
            for fact in value
        )
    )


def _is_person(value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or not _is_text(value.get("nome"), 200):
        return False
    ids = [name for name in _PERSON if name in value]
    return len(ids) == 1 and bool(_PERSON[ids[0]].fullmatch(str(value[ids[0]])))
