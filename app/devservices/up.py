"""`make run`: everything a desk needs, in the foreground, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

from app.devservices.catalogues import compile_stale
from app.devservices.children import Child, Children, stop_leftovers
from app.devservices.demo import Demo, seed, show, upgrade
from app.devservices.errors import CannotStart, sentence_for
from app.devservices.preflight import check_folder, check_port, port_from
from app.devservices.processes import FolderLock
from app.devservices.progress import say, showing
from app.devservices.stores import ROOT, Stores, data_folder

HEALTHY_WITHIN_SECONDS = 60.0
LARGEST_LOG = 10_000_000  # bytes
GUNICORN = (
    "-k",
    "gthread",
    "--workers",
    "2",
    "--threads",
    "64",
    "--graceful-timeout",
    "3",
    "--no-control-socket",
)
APP = "app:create_app()"
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
    host = os.environ.get("HOST", "").strip() or "127.0.0.1"
    port = port_from(os.environ.get("PORT", "").strip() or "8000")
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
        check_port(host, port)
        logs = folder / "log"
        logs.mkdir(exist_ok=True)
        compile_stale(ROOT / "app" / "translations")
        base_url = os.environ.get("BASE_URL", "").strip() or f"http://{_shown(host)}:{port}"
        address = f"{_in_url(host)}:{port}"
        with Stores(folder) as stores:
            environment = stores.environment(BASE_URL=base_url, PORT=str(port), **FOR_MACS)
            upgrade(environment, logs)
            children = Children(environment, folder=ROOT, pid_file=pid_file)
            stop_on_signals(children)
            try:
                launch(children, logs, address=address)
                demo = seed(environment, logs, base_url=base_url)
                wait_until_open(children, logs, address=address)
                demo.write(folder / "demo.json")
                greet(demo, folder)
                stay(children, stores)
            finally:
                with showing("Stopping"):
                    children.stop()


def launch(children: Children, logs: Path, *, address: str) -> None:
    """Start web and worker."""
    web = [sys.executable, "-m", "gunicorn", *GUNICORN, "--bind", address, APP]
    children.add(Child("web", web, log=_log(logs, "web"), mark=f"{address} {APP}"))
    worker = ROOT / "worker.py"
    command = [sys.executable, str(worker)]
    children.add(Child("worker", command, log=_log(logs, "worker"), mark=str(worker)))


def wait_until_open(children: Children, logs: Path, *, address: str) -> None:
    """Raises: CannotStart when the web server gives no answer."""
    own_address = address.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]")
    deadline = time.monotonic() + HEALTHY_WITHIN_SECONDS
    with showing("Starting the web server"):
        while not _answers(f"http://{own_address}/healthz"):
            if not children.is_alive("web") or time.monotonic() > deadline:
                raise CannotStart(f"The web server does not answer: see {logs / 'web.log'}.")
            time.sleep(0.05)


def _log(logs: Path, name: str) -> Path:
    """The log of a child; one that grew large makes room for a new one."""
    log = logs / f"{name}.log"
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    return log


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


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _shown(host: str) -> str:
    return "localhost" if host in ("0.0.0.0", "::") else _in_url(host)


if __name__ == "__main__":
    sys.exit(main())
