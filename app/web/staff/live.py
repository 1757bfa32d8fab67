"""Changes made anywhere reach every open agenda: one light reader per process, many listeners."""

import json
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from uuid import UUID

from flask import Blueprint, Response, current_app, request
from flask.typing import ResponseReturnValue
from sqlalchemy import Engine

from app.booking.queries import history
from app.events import WORKER, Event
from app.extensions import db
from app.web.auth import scope
from app.web.staff.outbox_tail import Doorbell, OutboxTail, newest_event
from app.web.staff.panel import find_seen
from app.web.staff.scope import Scope
from app.web.staff.wording import gettext

bp = Blueprint("live", __name__)

MOST_STREAMS = 40
"""Each stream keeps a thread of the web server; beyond this, pages refresh by themselves."""

HEARTBEAT_SECONDS = 10
"""A dead client is noticed when something is written to it."""

LONGEST_STREAM_SECONDS = 600
"""Then the browser connects again, and whoever may not look any more is turned away."""

POLL_SECONDS = 0.25
PAUSE_AFTER_FAILURE_SECONDS = 1.0
MOST_WAITING = 200


LONGEST_WAIT_SECONDS = 2.0
"""For the reader to find the outbox's end; where the database is away, pages find out anyway."""

_MISSED = Doorbell(UUID(int=0), UUID(int=0), "missed", resources=(), times=())
"""Something happened while the page was on its way; no resources means: renew everything."""


class Listener:
    """One open agenda, waiting for doorbells of its location."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.inbox: queue.Queue[Doorbell | None] = queue.Queue(MOST_WAITING)

    def dismiss(self) -> None:
        """End the stream; the browser comes back by itself."""
        with suppress(queue.Full):
            self.inbox.put_nowait(None)

    def hear(self, bell: Doorbell) -> None:
        if bell.location_id != self.scope.location_id or not self.scope.covers(bell.resources):
            return
        with suppress(queue.Full):  # a reader so far behind renews everything when it reconnects
            self.inbox.put_nowait(bell)


class Hub:
    """The process's one reader of the outbox; starts with the first listener."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._listeners: set[Listener] = set()
        self._thread: threading.Thread | None = None
        self._reading = threading.Event()

    @property
    def is_reading(self) -> bool:
        return self._thread is not None

    def close(self) -> None:
        """Send everybody away and wait until nothing reads any more."""
        with self._lock:
            thread, listeners = self._thread, list(self._listeners)
            self._listeners.clear()
        for listener in listeners:
            listener.dismiss()
        if thread is not None:
            thread.join()

    def join(self, listener: Listener, engine: Engine) -> bool:
        """Add a listener that misses nothing from now on; False when there are too many."""
        with self._lock:
            if len(self._listeners) >= MOST_STREAMS:
                return False
            self._listeners.add(listener)
            if self._thread is None or not self._thread.is_alive():
                self._reading.clear()
                self._thread = threading.Thread(
                    target=self._read, args=(engine,), name="live-hub", daemon=True
                )
                self._thread.start()
        self._reading.wait(LONGEST_WAIT_SECONDS)
        return True

    def leave(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.discard(listener)

    def _read(self, engine: Engine) -> None:
        """Poll until nobody listens. A database that is away is asked again."""
        tail = OutboxTail()
        while True:
            with self._lock:
                listeners = list(self._listeners)
                if not listeners:
                    self._thread = None
                    return
            try:
                with engine.connect() as connection:
                    bells = tail.read(connection, monotonic=time.monotonic())
            except Exception:  # noqa: BLE001 - the reader outlives a restart of the database
                time.sleep(PAUSE_AFTER_FAILURE_SECONDS)
                continue
            self._reading.set()
            for bell in bells:
                for listener in listeners:
                    listener.hear(bell)
            time.sleep(POLL_SECONDS)


def hub() -> Hub:
    """Give the process's hub."""
    return current_app.extensions.setdefault("live_hub", Hub())  # type: ignore[no-any-return]


@bp.get("/vivo")
def stream() -> ResponseReturnValue:
    """Ring for every change at the reader's location. Holds a thread, but no connection.

    ``desde`` is the latest event the page knew of when it was drawn: when there was another
    before the stream began, it rings at once.
    """
    listener, engine, listeners = Listener(scope()), db.engine, hub()
    if not listeners.join(listener, engine):
        return Response(status=503, headers={"Retry-After": "30"})
    if newest_event(db.session(), listener.scope.location_id) > _seen():
        listener.inbox.put_nowait(_MISSED)
    db.session.remove()
    answer = Response(_ring(listeners, listener), mimetype="text/event-stream")
    answer.headers["X-Accel-Buffering"] = "no"
    answer.call_on_close(lambda: listeners.leave(listener))
    return answer


@bp.get("/vivo/pagada/<uuid:booking_id>")
def paid(booking_id: UUID) -> ResponseReturnValue:
    """Say whose deposit has come in by itself, in the reader's words; nothing if nobody's has."""
    booking = find_seen(booking_id)
    lines = history(db.session(), booking.location_id, booking_id)
    last = next((line for line in lines if line.action == Event.PAYMENT_PAID), None)
    if last is None or last.door != WORKER.door:
        return Response(status=204)
    name = booking.contact.name or gettext("Sin nombre")
    return {"said": gettext("Seña recibida: %(name)s", name=name)}


def _seen() -> int:
    seen = request.args.get("desde", "0")
    return int(seen) if seen.isascii() and seen.isdigit() else 0


def _ring(listeners: Hub, listener: Listener) -> Iterator[str]:
    ends_at = time.monotonic() + LONGEST_STREAM_SECONDS
    try:
        yield "retry: 1500\n: abierto\n\n"
        while time.monotonic() < ends_at:
            try:
                bell = listener.inbox.get(timeout=HEARTBEAT_SECONDS)
            except queue.Empty:
                yield ": sigo\n\n"
            else:
                if bell is None:
                    return
                yield f"event: change\ndata: {json.dumps(_told(bell, listener.scope))}\n\n"
    finally:
        listeners.leave(listener)


def _told(bell: Doorbell, scope: Scope) -> dict[str, str | list[str]]:
    """Say which parts changed and no more: each reader asks for what it may see."""
    return {
        "resources": [str(resource_id) for resource_id in bell.resources],
        "days": bell.days(scope.zone),
        "booking": str(bell.booking_id or ""),
        "kind": bell.kind,
    }
