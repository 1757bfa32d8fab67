"""`python -m app.devservices.pix_bank --port N --data FOLDER`: the bank alone, until Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from datetime import timedelta
from pathlib import Path

from app.devservices.errors import CannotStart, sentence_for
from app.devservices.pix_bank.server import PixBank, Tls
from app.devservices.pix_bank.wire import Client
from app.devservices.preflight import check_port
from app.devservices.processes import FolderLock
from app.devservices.progress import say

REFUND_SECONDS = 5
"""How long a refund stays in process: long enough to see it so."""


def main(words: list[str] | None = None) -> int:
    """Run until a signal; 1 with one sentence when it cannot start."""
    asked = _parse(words)
    try:
        check_port("127.0.0.1", asked.port)
        asked.data.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(asked.data / "lock")
        if not lock.take():
            raise CannotStart(f"A simulated bank already runs on {asked.data}.")
        with lock:
            run(asked)
    except CannotStart as sentence:
        print(sentence, file=sys.stderr)
        return 1
    except OSError as error:
        print(sentence_for(error, asked.data), file=sys.stderr)
        return 1
    return 0


def run(asked: argparse.Namespace) -> None:
    """Serve until SIGINT or SIGTERM."""
    is_over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: is_over.set())
    usual = Client()
    client = Client(
        client_id=asked.client_id, client_secret=asked.client_secret, key=asked.key or usual.key
    )
    tls = None
    if asked.tls_port:
        tls = Tls(asked.tls_certificate, asked.tls_private_key, asked.tls_client_authority)
    bank = PixBank(
        port=asked.port,
        folder=asked.data,
        clients=(client,),
        is_prompt=True,
        tls=tls,
        tls_port=asked.tls_port,
    )
    bank.refunds.delay = timedelta(seconds=REFUND_SECONDS)
    with bank:
        say(f"The simulated bank is open: {bank.url} (API: {bank.base_url})")
        is_over.wait()


def _parse(words: list[str] | None) -> argparse.Namespace:
    usual = Client()
    parser = argparse.ArgumentParser(prog="app.devservices.pix_bank", description=__doc__)
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--data", type=Path, required=True, help="a folder of its own")
    parser.add_argument("--client-id", default=usual.client_id)
    parser.add_argument("--client-secret", default=usual.client_secret)
    parser.add_argument("--key", default=usual.key, help="the Pix key of the account")
    parser.add_argument("--tls-port", type=int, default=0, help="listen with mTLS there too")
    for name in ("certificate", "private-key", "client-authority"):
        parser.add_argument(f"--tls-{name}", type=Path, help="a PEM file")
    asked = parser.parse_args(words)
    if asked.tls_port and not (
        asked.tls_certificate and asked.tls_private_key and asked.tls_client_authority
    ):
        parser.error("--tls-port needs the three PEM files")
    return asked


if __name__ == "__main__":
    sys.exit(main())
