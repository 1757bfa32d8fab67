"""What runs on a timer, and the clock that puts it into the queue."""

import logging
import threading
import time
from dataclasses import dataclass

from redis import Redis
from redis.exceptions import RedisError
from rq.exceptions import DuplicateJobError
from rq.scheduler import RQScheduler
from rq.serializers import JSONSerializer

from app.queues import BANK, DESK, make_queue

log = logging.getLogger(__name__)

JOB_TIMEOUT_SECONDS = {DESK: 30, BANK: 100}
"""A sweep works in small batches; one that takes longer hangs, and the next will go on. A provider
may take 15 seconds for each of the calls that one thing needs."""

TICK_SECONDS = 0.5


@dataclass(frozen=True)
class Sweep:
    """A job that finds its own work in PostgreSQL, so that running it again is harmless."""

    name: str
    job: str
    every_seconds: int
    queue: str = DESK


SCHEDULE = (
    Sweep("drain-outbox", "app.jobs.outbox.drain", 1),
    Sweep("expire-holds", "app.jobs.holds.expire", 2),
    Sweep("suggest-no-shows", "app.jobs.no_shows.suggest", 10),
    Sweep("prune-keys", "app.jobs.keys.prune", 3600),
    Sweep("prune-notices", "app.jobs.pix.prune", 3600),
    Sweep("read-inbox", "app.jobs.pix.read", 1, BANK),
    Sweep("look-after-charges", "app.jobs.pix.look", 1, BANK),
    Sweep("send-refunds", "app.jobs.pix.refund", 1, BANK),
    Sweep("sweep-payments", "app.jobs.pix.sweep", 60, BANK),
)


class Clock(threading.Thread):
    """Enqueue what is due in one queue, once per time slot however many clocks tick.

    Runs RQ's own scheduler too (retries, jobs put off), as a part of the same thread: as a process
    of its own it would outlive a killed worker and not come back after a Redis restart. Losing
    Redis costs a pause: the slot after its return is enqueued as usual.
    """

    def __init__(self, connection: Redis, queue: str = DESK) -> None:
        super().__init__(name="clock", daemon=True)
        self._name = queue
        self._queue = make_queue(connection, queue)
        self._scheduler = RQScheduler([queue], connection=connection, serializer=JSONSerializer)
        self._last: dict[str, int] = {}
        self._stopped = threading.Event()

    def run(self) -> None:
        is_lost = False
        while not self._stopped.wait(TICK_SECONDS):
            try:
                self.tick(time.time())  # noqa: TID251 - slots of real time, no rule of booking
                is_lost = False
            except RedisError as error:
                if not is_lost:
                    log.warning("no queue, waiting for it: %s", error)
                is_lost = True

    def stop(self) -> None:
        self._stopped.set()

    def tick(self, now: float) -> None:
        """Enqueue each sweep whose time slot began since the last tick."""
        for sweep in SCHEDULE:
            if sweep.queue != self._name:
                continue
            slot = int(now // sweep.every_seconds)
            if self._last.get(sweep.name) != slot:
                self._enqueue(sweep, slot)
                self._last[sweep.name] = slot
        if self._scheduler.should_reacquire_locks:
            self._scheduler.acquire_locks()  # type: ignore[no-untyped-call]
        self._scheduler.enqueue_scheduled_jobs()  # type: ignore[no-untyped-call]

    def _enqueue(self, sweep: Sweep, slot: int) -> None:
        keep = max(60, 3 * sweep.every_seconds)
        try:
            self._queue.enqueue_call(
                sweep.job,
                job_id=f"{sweep.name}-{slot}",
                unique=True,
                timeout=JOB_TIMEOUT_SECONDS[self._name],
                ttl=keep,
                result_ttl=keep,
                failure_ttl=keep,
            )
        except DuplicateJobError:
            log.debug("%s is queued already", sweep.name)
