"""`make run`: everything a desk needs, in the foreground, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from app.devservices.catalogues import compile_stale
from app.devservices.children import Children, stop_leftovers
from app.devservices.demo import Demo, seed, show, upgrade
from app.devservices.errors import CannotStart, sentence_for
from app.devservices.preflight import bank_port, check_folder, check_port, port_from
from app.devservices.processes import FolderLock
from app.devservices.programs import (
    LOOPBACK,
    hosts_of,
    shown,
    start_bank,
    start_desk,
    wait_until_open,
)
from app.devservices.progress import say, showing
from app.devservices.stores import ROOT, Stores, data_folder

FOR_MACS = {"OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES"}  # gunicorn forks its workers


def main() -> int:
    """Run until a signal; 0 when it stopped as asked, 1 with one sentence when it cannot start."""
    folder = data_folder()
    try:
        run(folder)
    except CannotStart as sentence:
        print(sentence, file=sys.stderr)
        return 1
    except OSError as error:
        print(sentence_for(error, folder), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("Stopped.")
    return 0


def run(folder: Path) -> None:
    """Start everything in order, and stay.

    Raises: CannotStart with what is in the way; KeyboardInterrupt on SIGINT, SIGTERM and SIGHUP.
    """
    host = _named("HOST") or LOOPBACK
    port = port_from(_named("PORT") or "8000")
    stop_on_signals(None)
    check_folder(folder)
    lock = FolderLock(folder / "lock")
    if not lock.take():
        raise CannotStart(
            f"Firme already runs on {folder}: stop it, "
            "or start a second copy with its own FIRME_VAR and PORT."
        )
    pid_file = folder / "running.json"
    with lock:
        stop_leftovers(pid_file)
        hosts = hosts_of(host)
        for each in hosts:
            check_port(each, port)
        bank = bank_port(_named("PIX_BANK_PORT"), desk=port)
        logs = folder / "log"
        logs.mkdir(exist_ok=True)
        compile_stale(ROOT / "app" / "translations")
        base_url = _named("BASE_URL") or f"http://{shown(host)}:{port}"
        with Stores(folder) as stores:
            environment = stores.environment(
                BASE_URL=base_url,
                PORT=str(port),
                FIRME_PIX_BANK=f"http://{LOOPBACK}:{bank}",
                **FOR_MACS,
            )
            upgrade(environment, logs)
            children = Children(environment, folder=ROOT, pid_file=pid_file)
            stop_on_signals(children)
            try:
                web = start_desk(children, logs, hosts=hosts, port=port)
                start_bank(children, logs, folder=folder / "pix_bank", port=bank)
                demo = seed(environment, logs, base_url=base_url)
                wait_until_open(children, web, host=host, port=port)
                demo.write(folder / "demo.json")
                greet(demo, folder)
                stay(children, stores)
            finally:
                with showing("Stopping"):
                    children.stop()


def greet(demo: Demo, folder: Path) -> None:
    show(demo)
    say(f"\nData and logs are in {folder}. Ctrl-C stops everything; the data stays.")


def stay(children: Children, stores: Stores) -> None:
    """Keep everything running; only an exception leads out."""
    while True:
        time.sleep(0.25)
        for name in stores.revive():
            say(f"{name} had ended; it runs again.")
        children.revive()


def stop_on_signals(children: Children | None) -> None:
    """The first signal stops politely; the second one kills."""
    asked = 0

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise KeyboardInterrupt
        if children is not None:
            children.kill()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)


def _named(name: str) -> str:
    return os.environ.get(name, "").strip()


if __name__ == "__main__":
    sys.exit(main())
