"""The bank's books: charges, what was paid and what went back. One lock guards them all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from app.devservices.pix_bank.journal import Document, Journal
from app.devservices.pix_bank.wire import (
    TXID,
    Client,
    Refusal,
    cents,
    check_charge,
    instant,
    public,
    written,
)
from app.money import Cents
from app.payments.pix.account import SIMULATED_HOST
from app.payments.pix.brcode import dynamic, format_amount

ACTIVE, PAID, REMOVED = "ATIVA", "CONCLUIDA", "REMOVIDA_PELO_USUARIO_RECEBEDOR"
SIMULATED_NAME, SIMULATED_CITY = "SIMULADO NO PAGAR", "SIMULADO"
_BANK = "00000000"
"""The bank's number in its ids: no bank has it."""


@dataclass
class Quirks:
    """What real banks do differently from the standard; each off by itself."""

    refuses_repeated_put: bool = False
    leaves_code_out: bool = False
    leaves_payments_out: bool = False
    writes_expiry_as_text: bool = False
    writes_local_times: bool = False
    grants_less: bool = False
    ignores_paging: bool = False


class Books:
    """Charges are known by (client, txid), money by its end-to-end id."""

    def __init__(
        self, journal: Journal, clients: tuple[Client, ...], *, now: Callable[[], datetime]
    ) -> None:
        self.lock = threading.RLock()
        self.quirks = Quirks()
        self.clients = {client.client_id: client for client in clients}
        self.charges: dict[tuple[str, str], Document] = {}
        self.pix: dict[str, Document] = {}
        self.webhooks: dict[str, Document] = {}
        self.now = now
        self.journal = journal

    def remember(self, kind: str, name: str, document: Document) -> None:
        """Take back what the journal kept."""
        match kind:
            case "charge":
                self.charges[document["_client"], document["txid"]] = document
            case "pix":
                self.pix[name] = document
            case "webhook":
                self.webhooks[name] = document

    def put_charge(self, client: Client, txid: str, body: Document) -> Document:
        """Make a charge, or write an active one anew: the standard allows both."""
        with self.lock:
            if not TXID.fullmatch(txid):
                reason = ("cob.txid", "não respeita o schema")
                raise Refusal("CobOperacaoInvalida", 400, "O txid é inválido.", reason)
            check_charge(body, keys={client.key}, is_new=True)
            known = self.charges.get((client.client_id, txid))
            if known and self.quirks.refuses_repeated_put:
                raise Refusal("txid_duplicado", 409, "A cobrança já existe.")
            if known and known["status"] != ACTIVE:
                raise Refusal("CobOperacaoInvalida", 400, "A cobrança não está ATIVA.")
            fresh = self._new_charge(client, txid) if known is None else _next_revision(known)
            return self._revise(fresh, {**body, "status": ACTIVE})

    def patch_charge(self, client: Client, txid: str, body: Document) -> Document:
        with self.lock:
            known = self.charge(client, txid)
            is_removal = "status" in body
            check_charge(body, keys={client.key}, is_new=False)
            if known["status"] != ACTIVE:
                raise Refusal("CobOperacaoInvalida", 400, "A cobrança não está ATIVA.")
            if is_removal and body != {"status": REMOVED}:
                reason = ("cob.status", "a remoção não admite outras alterações")
                raise Refusal("CobOperacaoInvalida", 400, "A revisão é inválida.", reason)
            return self._revise(_next_revision(known), body)

    def charge(self, client: Client, txid: str, revision: int | None = None) -> Document:
        """Raises: Refusal when there is no such charge, or no such revision of it."""
        with self.lock:
            known = self.charges.get((client.client_id, txid))
            if known is None:
                raise Refusal("CobNaoEncontrado", 404, "Cobrança não encontrada.")
            versions = [*known["_before"], known]
            if revision is not None and not 0 <= revision < len(versions):
                raise Refusal("CobConsultaInvalida", 400, "A revisão não existe.")
            return deepcopy(versions[revision] if revision is not None else known)

    def pay(
        self,
        client: Client,
        txid: str,
        *,
        amount: Cents | None = None,
        is_late: bool = False,
        is_forced: bool = False,
        tells_txid: bool = True,
        note: str = "",
    ) -> Document:
        """Let the customer pay. Late means one second after the deadline, whatever the hour is.

        Raises:
            Refusal: paid, removed or expired already; `is_forced` is a bank that lets it through.
        """
        with self.lock:
            charge = self.charge(client, txid)
            now, deadline = self.now(), deadline_of(charge)
            is_open = charge["status"] == ACTIVE and now <= deadline
            if not (is_open or is_forced or is_late):
                raise Refusal("CobOperacaoInvalida", 400, "A cobrança não pode ser paga.")
            paid_at = max(now, deadline + timedelta(seconds=1)) if is_late else now
            value = charge["valor"]["original"] if amount is None else format_amount(amount)
            pix = self._arrive(client, value, paid_at, txid=txid if tells_txid else "", note=note)
            if tells_txid and charge["status"] == ACTIVE:
                self._keep_charge({**charge, "status": PAID})
            return pix

    def payments_of(self, client: Client, txid: str) -> list[Document]:
        with self.lock:
            return [
                deepcopy(pix)
                for pix in self.pix.values()
                if pix.get("txid") == txid and pix["_client"] == client.client_id
            ]

    def list_charges(self, client: Client) -> list[Document]:
        """All that were made, the oldest first."""
        with self.lock:
            mine = [each for each in self.charges.values() if each["_client"] == client.client_id]
            return deepcopy(sorted(mine, key=lambda charge: charge["loc"]["id"]))

    def payments(self, client: Client) -> list[Document]:
        """All that came in, the oldest first."""
        with self.lock:
            mine = [pix for pix in self.pix.values() if pix["_client"] == client.client_id]
            return deepcopy(sorted(mine, key=lambda pix: (pix["horario"], pix["endToEndId"])))

    def payment(self, client: Client, end_to_end_id: str) -> Document:
        """Raises: Refusal when it is not there, or another's."""
        with self.lock:
            pix = self.pix.get(end_to_end_id)
            if pix is None or pix["_client"] != client.client_id:
                raise Refusal("PixNaoEncontrado", 404, "Pix não encontrado.")
            return deepcopy(pix)

    def keep_payment(self, pix: Document) -> None:
        with self.lock:
            self.pix[pix["endToEndId"]] = deepcopy(pix)
            self.journal.write("pix", pix["endToEndId"], pix)

    def set_webhook(self, client: Client, key: str, url: object) -> None:
        self._check_key(client, key)
        if not isinstance(url, str) or not url.startswith(("https://", "http://127.0.0.1")):
            reason = ("webhook.webhookUrl", "não respeita o schema")
            raise Refusal("WebhookOperacaoInvalida", 400, "A URL é inválida.", reason)
        self._keep_webhook(
            key,
            {
                "webhookUrl": url,
                "chave": key,
                "cnpj": "0" * 14,
                "criacao": written(self.now()),
            },
        )

    def webhook(self, client: Client, key: str) -> Document:
        self._check_key(client, key)
        with self.lock:
            if not self.webhooks.get(key):
                raise Refusal("WebhookNaoEncontrado", 404, "Não há webhook para a chave.")
            return dict(self.webhooks[key])

    def delete_webhook(self, client: Client, key: str) -> None:
        self.webhook(client, key)
        self._keep_webhook(key, {})

    def _check_key(self, client: Client, key: str) -> None:
        if key != client.key:
            raise Refusal("WebhookNaoEncontrado", 404, "A chave não pertence ao usuário.")

    def _keep_webhook(self, key: str, document: Document) -> None:
        with self.lock:
            self.webhooks[key] = document
            self.journal.write("webhook", key, document)

    def _new_charge(self, client: Client, txid: str) -> Document:
        created = written(self.now())
        token = uuid5(NAMESPACE_URL, f"{client.client_id}/{txid}").hex
        location = f"{SIMULATED_HOST}/qr/v2/{token}"
        return {
            "_client": client.client_id,
            "_before": [],
            "calendario": {"criacao": created, "expiracao": 86_400},
            "txid": txid,
            "revisao": 0,
            "loc": {
                "id": len(self.charges) + 1,
                "location": location,
                "tipoCob": "cob",
                "criacao": created,
                "txid": txid,
            },
            "location": location,
            "status": ACTIVE,
            "pixCopiaECola": dynamic(
                location, merchant_name=SIMULATED_NAME, merchant_city=SIMULATED_CITY
            ),
        }

    def _revise(self, charge: Document, body: Document) -> Document:
        names = ("valor", "chave", "devedor", "solicitacaoPagador", "infoAdicionais", "status")
        charge.update({name: body[name] for name in names if name in body})
        expiry = (body.get("calendario") or {}).get("expiracao")
        charge["calendario"]["expiracao"] = expiry or charge["calendario"]["expiracao"]
        self._keep_charge(charge)
        return deepcopy(charge)

    def _keep_charge(self, charge: Document) -> None:
        self.charges[charge["_client"], charge["txid"]] = deepcopy(charge)
        self.journal.write("charge", f"{charge['_client']}/{charge['txid']}", charge)

    def _arrive(
        self, client: Client, value: str, paid_at: datetime, *, txid: str, note: str
    ) -> Document:
        pix: Document = {
            "_client": client.client_id,
            "endToEndId": bank_id("E", paid_at, len(self.pix) + 1),
            "valor": value,
            "componentesValor": {"original": {"valor": value}},
            "chave": client.key,
            "horario": written(paid_at),
        }
        if txid:
            pix["txid"] = txid
        if note:
            pix["infoPagador"] = note[:140]
        self.keep_payment(pix)
        return deepcopy(pix)


def deadline_of(charge: Document) -> datetime:
    calendar = charge["calendario"]
    return instant(calendar["criacao"]) + timedelta(seconds=calendar["expiracao"])


def bank_id(letter: str, at: datetime, number: int) -> str:
    """An end-to-end id or a return id: letter, bank, minute, and a number instead of chance."""
    return f"{letter}{_BANK}{at:%Y%m%d%H%M}S{number:010d}"


def left_of(pix: Document) -> int:
    """Cents that may still go back."""
    sent = sum(
        cents(each["valor"])
        for each in pix.get("devolucoes", [])
        if each["status"] != "NAO_REALIZADO"
    )
    return cents(pix["valor"]) - sent


def _next_revision(charge: Document) -> Document:
    fresh = deepcopy(charge)
    before = {**public(deepcopy(charge)), "_client": charge["_client"], "_before": []}
    fresh["_before"] = [*charge["_before"], before]
    fresh["revisao"] += 1
    return fresh
