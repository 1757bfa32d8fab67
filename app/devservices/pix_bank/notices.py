"""The bank tells its clients what came in: at once, later, twice, in a heap, or never."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx

from app.devservices.pix_bank.books import Books
from app.devservices.pix_bank.journal import Document
from app.devservices.pix_bank.wire import instant, public, written

log = logging.getLogger(__name__)
RETRIES = tuple(timedelta(seconds=seconds) for seconds in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512))
"""Efi's ten tries in three days and a half, made short enough to watch."""
JUNK = ({"endToEndId": "E" + "0" * 31, "valor": "1.00", "horario": "ontem"}, "junk", None, 7)
PATIENCE_SECONDS = 10.0


@dataclass
class Manners:
    """How the bank tells; by itself each payment once, at once, in order."""

    drops: bool = False
    copies: int = 1
    is_reversed: bool = False
    is_batched: bool = False
    adds_junk: bool = False
    with_txid: bool = True


class Notices:
    """Notices wait in the books until `deliver_due`; what is not answered 200 is tried again."""

    def __init__(self, books: Books, *, tls: ssl.SSLContext | bool = True) -> None:
        self._books = books
        self._waiting: dict[str, Document] = {}
        self._delivering = threading.Lock()
        self._client = httpx.Client(verify=tls, timeout=PATIENCE_SECONDS, trust_env=False)
        self._count = 0
        self.manners = Manners()
        self.on_told: Callable[[], None] = lambda: None

    def close(self) -> None:
        with self._delivering:
            self._client.close()

    def remember(self, name: str, document: Document) -> None:
        self._count = max(self._count, int(name))
        if document:
            self._waiting[name] = document

    def list_waiting(self) -> list[Document]:
        with self._books.lock:
            return [deepcopy(self._waiting[name]) for name in sorted(self._waiting, key=int)]

    def tell(
        self, pix: Document, *, delay: timedelta = timedelta(0), copies: int | None = None
    ) -> None:
        """Have a payment told, as the manners say; one without a txid is told to nobody."""
        if "txid" not in pix or self.manners.drops:
            return
        with self._books.lock:
            for _ in range(self.manners.copies if copies is None else copies):
                self._count += 1
                due = written(self._books.now() + delay)
                self._keep(str(self._count), {"due": due, "tries": 0, "pix": public(pix)})

    def deliver_due(self) -> int:
        """Send what is due, as the manners say; how many messages were answered 200."""
        with self._delivering:
            with self._books.lock:
                now = self._books.now()
                waiting = sorted(self._waiting, key=int, reverse=self.manners.is_reversed)
                due = [name for name in waiting if instant(self._waiting[name]["due"]) <= now]
                keys = {name: self._waiting[name]["pix"]["chave"] for name in due}
            heaps: dict[str, list[str]] = {}
            for name in due:
                heaps.setdefault(keys[name] if self.manners.is_batched else name, []).append(name)
            return sum(self._deliver(heap) for heap in heaps.values())

    def _deliver(self, names: list[str]) -> bool:
        with self._books.lock:
            entries = [deepcopy(self._waiting[name]["pix"]) for name in names]
            webhook = self._books.webhooks.get(entries[0]["chave"])
        if not webhook:
            for name in names:
                self._keep(name, {})
            return False
        body: list[Any] = [*entries, *JUNK] if self.manners.adds_junk else entries
        if not self.manners.with_txid:
            for entry in entries:
                entry.pop("txid", None)
        is_told = self._post(webhook["webhookUrl"].rstrip("/") + "/pix", {"pix": body})
        for name in names:
            self._settle(name, is_told=is_told)
        self.on_told()
        return is_told

    def _post(self, url: str, document: Document) -> bool:
        try:
            return self._client.post(url, json=document).status_code == 200
        except (httpx.HTTPError, httpx.InvalidURL) as failure:
            log.info("a notice did not arrive: %s", type(failure).__name__)
            return False

    def _settle(self, name: str, *, is_told: bool) -> None:
        with self._books.lock:
            notice = self._waiting[name]
            tries = notice["tries"] + 1
            if is_told or tries > len(RETRIES):
                self._keep(name, {})
            else:
                due = written(self._books.now() + RETRIES[tries - 1])
                self._keep(name, {**notice, "tries": tries, "due": due})

    def _keep(self, name: str, notice: Document) -> None:
        with self._books.lock:
            self._books.journal.write("notice", name, notice)
            self._waiting.pop(name, None)
            if notice:
                self._waiting[name] = notice
