"""Money on its way back: asked for, settled a moment later or refused, or taken by the bank."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from app.devservices.pix_bank.books import Books, bank_id, left_of
from app.devservices.pix_bank.journal import Document
from app.devservices.pix_bank.wire import (
    AMOUNT,
    REFUND_ID,
    Client,
    Refusal,
    cents,
    instant,
    written,
)
from app.money import Cents
from app.payments.pix.brcode import format_amount

PENDING, DONE, FAILED = "EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO"
WINDOW = timedelta(days=90)
ACCEPT, REFUSE, WAIT = "accept", "refuse", "wait"


class Refunds:
    """`decision` is what becomes of the next refunds; `delay` how long they stay in process."""

    def __init__(self, books: Books, *, on_settled: Callable[[Document], None]) -> None:
        self._books = books
        self._on_settled = on_settled
        self.decision = ACCEPT
        self.delay = timedelta(0)
        self._pending: set[tuple[str, str, str]] = set()

    def restore(self) -> None:
        """Look through the books for what was in process when the bank closed."""
        for pix in self._books.pix.values():
            for refund in pix.get("devolucoes", []):
                if refund["status"] == PENDING:
                    self._pending.add((pix["_client"], pix["endToEndId"], refund["id"]))

    def ask(self, client: Client, end_to_end_id: str, refund_id: str, body: Document) -> Document:
        """Take a refund in; the same id with the same amount answers what became of it.

        Raises:
            Refusal: more than is left, too late, or the id has another amount.
        """
        with self._books.lock:
            pix = self._books.payment(client, end_to_end_id)
            value = _check(refund_id, body)
            known = _find(pix, refund_id)
            if known is not None:
                if known["valor"] == value:
                    return known
                raise _invalid("devolucao.id", "já foi utilizado")
            now = self._books.now()
            if cents(value) > left_of(pix):
                raise _invalid("devolucao.valor", "supera o valor do Pix")
            if now > instant(pix["horario"]) + WINDOW:
                raise _invalid("devolucao", "o prazo de 90 dias terminou")
            refund = self._add(pix, refund_id, value, "ORIGINAL")
            if "descricao" in body:
                refund["descricao"] = body["descricao"]
            self._books.keep_payment(pix)
            self._pending.add((client.client_id, end_to_end_id, refund_id))
            return refund

    def find(self, client: Client, end_to_end_id: str, refund_id: str) -> Document:
        """Raises: Refusal when there is no such payment or refund."""
        refund = _find(self._books.payment(client, end_to_end_id), refund_id)
        if refund is None:
            raise Refusal("PixDevolucaoNaoEncontrada", 404, "Devolução não encontrada.")
        return refund

    def settle(self, client: Client, end_to_end_id: str, refund_id: str, *, is_done: bool) -> None:
        """Bring a refund to its end and say so; what has ended stays as it is."""
        with self._books.lock:
            pix = self._books.payment(client, end_to_end_id)
            refund = _find(pix, refund_id)
            if refund is None or refund["status"] != PENDING:
                return
            self._pending.discard((client.client_id, end_to_end_id, refund_id))
            refund["status"] = DONE if is_done else FAILED
            if is_done:
                refund["horario"]["liquidacao"] = written(self._books.now())
            else:
                refund["motivo"] = "Simulado: saldo insuficiente."
            self._books.keep_payment(pix)
        self._on_settled(pix)

    def settle_due(self) -> int:
        """Settle what has been in process long enough; how many that were."""
        if self.decision == WAIT:
            return 0
        with self._books.lock:
            due = [name for name in sorted(self._pending) if self._is_due(*name)]
        for client_id, end_to_end_id, refund_id in due:
            client = self._books.clients[client_id]
            self.settle(client, end_to_end_id, refund_id, is_done=self.decision == ACCEPT)
        return len(due)

    def _is_due(self, client_id: str, end_to_end_id: str, refund_id: str) -> bool:
        refund = self.find(self._books.clients[client_id], end_to_end_id, refund_id)
        return instant(refund["horario"]["solicitacao"]) + self.delay <= self._books.now()

    def take_back(
        self, client: Client, end_to_end_id: str, amount: Cents, *, nature: str = "MED_FRAUDE"
    ) -> None:
        """Let the bank itself return money that nobody asked it to.

        Raises:
            Refusal: more than is left.
        """
        with self._books.lock:
            pix = self._books.payment(client, end_to_end_id)
            if amount > left_of(pix):
                raise _invalid("devolucao.valor", "supera o valor do Pix")
            count = len(pix.get("devolucoes", [])) + 1
            refund = self._add(pix, f"MED{count}", format_amount(amount), nature)
            refund["status"] = DONE
            refund["horario"]["liquidacao"] = written(self._books.now())
            self._books.keep_payment(pix)
        self._on_settled(pix)

    def _add(self, pix: Document, refund_id: str, value: str, nature: str) -> Document:
        now = self._books.now()
        refunds = pix.setdefault("devolucoes", [])
        number = sum(len(each.get("devolucoes", [])) for each in self._books.pix.values()) + 1
        refund: Document = {
            "id": refund_id,
            "rtrId": bank_id("D", now, number),
            "valor": value,
            "natureza": nature,
            "horario": {"solicitacao": written(now)},
            "status": PENDING,
        }
        refunds.append(refund)
        return refund


def _check(refund_id: str, body: Document) -> str:
    value, note = body.get("valor"), body.get("descricao", "")
    if not REFUND_ID.fullmatch(refund_id):
        raise _invalid("devolucao.id", "não respeita o schema")
    if not isinstance(value, str) or not AMOUNT.fullmatch(value) or cents(value) == 0:
        raise _invalid("devolucao.valor", "não respeita o schema")
    if not isinstance(note, str) or len(note) > 140:
        raise _invalid("devolucao.descricao", "não respeita o schema")
    return value


def _invalid(name: str, reason: str) -> Refusal:
    return Refusal("PixDevolucaoInvalida", 400, "A devolução é inválida.", (name, reason))


def _find(pix: Document, refund_id: str) -> Document | None:
    for refund in pix.get("devolucoes", []):
        if refund["id"] == refund_id:
            found: Document = refund
            return found
    return None
