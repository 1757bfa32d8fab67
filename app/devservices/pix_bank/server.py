"""The bank as a server: the API and the page on one port, the API behind mTLS on another."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from app.devservices.pix_bank.access import Access
from app.devservices.pix_bank.api import http_problem, make_api, problem
from app.devservices.pix_bank.books import Books
from app.devservices.pix_bank.failing import fail_as_planned
from app.devservices.pix_bank.faults import Faults
from app.devservices.pix_bank.journal import Journal
from app.devservices.pix_bank.notices import Notices
from app.devservices.pix_bank.page import make_page
from app.devservices.pix_bank.refunds import Refunds
from app.devservices.pix_bank.wire import Client, Refusal

log = logging.getLogger(__name__)
PREFIXES = ("/api", "/api/v2", "/api/v3")
LARGEST_BODY = 64 * 1024
ROUND_SECONDS = 0.2
CLOSING_SECONDS = 0.02


@dataclass(frozen=True)
class Tls:
    """PEM files of a listener that wants certificates from its clients."""

    certificate: Path
    private_key: Path
    client_authority: Path

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.private_key)
        context.load_verify_locations(self.client_authority)
        context.verify_mode = ssl.CERT_REQUIRED
        return context


class PixBank:
    """A bank on the loopback. Entering starts it; `port` 0 takes a free one.

    `is_prompt` sends notices and settles refunds by itself, five times a second; without it
    `tick` does, so that a test decides when. Its parts are there to be played with: `books`,
    `refunds`, `notices.manners`, `books.quirks`, `faults`, `access`.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        folder: Path | None = None,
        clients: tuple[Client, ...] = (Client(),),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        is_prompt: bool = False,
        tls: Tls | None = None,
        tls_port: int = 0,
        webhook_tls: ssl.SSLContext | bool = True,
    ) -> None:
        self._journal = Journal(folder)
        self.books = Books(self._journal, clients, now=now)
        self.notices = Notices(self.books, tls=webhook_tls)
        self.refunds = Refunds(self.books, on_settled=self.notices.tell)
        self.access = Access(self.books.clients, now=now)
        self.faults = Faults()
        self._is_prompt = is_prompt
        self._tls = tls
        self._ports = (port, tls_port)
        self._servers: list[BaseWSGIServer] = []
        self._threads: list[threading.Thread] = []

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self._servers[0].port}"

    @property
    def base_url(self) -> str:
        return f"{self.url}/api"

    @property
    def token_url(self) -> str:
        return f"{self.base_url}/oauth/token"

    @property
    def tls_base_url(self) -> str:
        return f"https://localhost:{self._servers[1].port}/api"

    def start(self) -> None:
        """Raises: OSError when a port is taken."""
        for kind, name, document in self._journal.load():
            if kind == "notice":
                self.notices.remember(name, document)
            else:
                self.books.remember(kind, name, document)
        self.refunds.restore()
        app = self._app()
        port, tls_port = self._ports
        self._serve(make_server("127.0.0.1", port, app, threaded=True, request_handler=_Quiet))
        if self._tls:
            context = self._tls.context()
            self._serve(
                make_server(
                    "127.0.0.1",
                    tls_port,
                    app,
                    threaded=True,
                    request_handler=_Quiet,
                    ssl_context=context,
                )
            )
        if self._is_prompt:
            self._run(self._make_rounds)

    def stop(self) -> None:
        self.faults.released.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join(timeout=5)
        self.notices.close()
        self._journal.close()

    def tick(self) -> int:
        """Settle refunds and send notices that are due; how many messages were taken."""
        self.refunds.settle_due()
        return self.notices.deliver_due()

    def __enter__(self) -> PixBank:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _serve(self, server: BaseWSGIServer) -> None:
        self._servers.append(server)
        self._run(lambda: server.serve_forever(poll_interval=CLOSING_SECONDS))

    def _run(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _make_rounds(self) -> None:
        while not self.faults.released.wait(ROUND_SECONDS):
            try:
                self.tick()
            except Exception:
                log.exception("the bank could not make its round")

    def _app(self) -> Flask:
        app = Flask("pix_bank", static_folder=None, template_folder=str(Path(__file__).parent))
        app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
        api = make_api(self.books, self.refunds, self.access)
        for prefix in PREFIXES:
            app.register_blueprint(api, url_prefix=prefix, name=prefix.strip("/").replace("/", "_"))
        app.register_blueprint(
            make_page(self.books, self.refunds, self.notices, self.faults, prompt=self._is_prompt)
        )
        app.register_error_handler(Refusal, problem)
        app.register_error_handler(HTTPException, http_problem)
        fail_as_planned(app, self.faults)
        return app


class _Quiet(WSGIRequestHandler):
    """Writes no line for each call: a path may hold a key, and a key may be a document."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        return
