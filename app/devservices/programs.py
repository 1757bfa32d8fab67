"""The programs of a desk: the customer's bank, the web server and a worker for each queue."""

from __future__ import annotations

import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from app.devservices.children import Child, Children
from app.devservices.errors import CannotStart
from app.devservices.processes import make_private
from app.devservices.progress import showing
from app.devservices.stores import ROOT
from app.queues import BANK

HEALTHY_WITHIN_SECONDS = 60.0
LARGEST_LOG = 10_000_000  # bytes
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
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


def hosts_of(host: str) -> list[str]:
    """Where the web listens: the simulated bank calls it on the loopback, whatever the host is."""
    is_there = host in (LOOPBACK, "localhost", *EVERYWHERE)
    return [host] if is_there else [host, LOOPBACK]


def in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def shown(host: str) -> str:
    """The host as a person opens it."""
    return "localhost" if host in EVERYWHERE else in_url(host)


def start_bank(children: Children, logs: Path, *, folder: Path, port: int) -> None:
    """Start the simulated bank; its books are in its folder.

    Raises: CannotStart when it gives no answer.
    """
    make_private(folder)  # its books hold the secret of our webhook
    words = ["-m", "app.devservices.pix_bank", "--port", str(port), "--data", str(folder)]
    bank = Child("simulated bank", [sys.executable, *words], _log(logs, "pix_bank"), str(folder))
    children.add(bank)
    with showing("Opening the simulated bank"):
        _wait_until_answered(f"http://{LOOPBACK}:{port}/", children, bank)


def start_desk(children: Children, logs: Path, *, hosts: list[str], port: int) -> Child:
    """Start the workers and the web server, which is open a little later."""
    binds = [word for host in hosts for word in ("--bind", f"{in_url(host)}:{port}")]
    command = [sys.executable, "-m", "gunicorn", *GUNICORN, *binds, APP]
    web = Child("web", command, log=_log(logs, "web"), mark=f"{in_url(hosts[-1])}:{port} {APP}")
    children.add(web)
    worker = str(ROOT / "worker.py")
    desk, bank = [sys.executable, worker], [sys.executable, worker, BANK]
    children.add(Child("worker", desk, log=_log(logs, "worker"), mark=worker))
    children.add(Child("bank worker", bank, log=_log(logs, "bank_worker"), mark=f"{worker} {BANK}"))
    return web


def wait_until_open(children: Children, web: Child, *, host: str, port: int) -> None:
    """Raises: CannotStart when the web server gives no answer."""
    own = {"0.0.0.0": LOOPBACK, "::": "[::1]"}.get(host, in_url(host))
    with showing("Starting the web server"):
        _wait_until_answered(f"http://{own}:{port}/healthz", children, web)


def _wait_until_answered(url: str, children: Children, child: Child) -> None:
    deadline = time.monotonic() + HEALTHY_WITHIN_SECONDS
    while not _answers(url):
        if not children.is_alive(child.name) or time.monotonic() > deadline:
            raise CannotStart(f"The {child.name} does not answer: see {child.log}.")
        time.sleep(0.05)


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _log(logs: Path, name: str) -> Path:
    """The log of a child; one that grew large makes room for a new one."""
    log = logs / f"{name}.log"
    if log.exists() and log.stat().st_size > LARGEST_LOG:
        log.replace(log.with_suffix(".log.1"))
    return log
