"""Waking the worker at once; without it the next sweep finds the work a second later."""

import logging

from flask import current_app
from redis import Redis
from redis.exceptions import RedisError

from app.config import Config
from app.queues import BANK, make_queue

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 0.3
"""Nobody waits for Redis: PostgreSQL has it all."""

JOB_TIMEOUT_SECONDS = 100
KEPT_SECONDS = 60


def wake(job: str) -> bool:
    """Put a job into the bank's queue; False when the queue cannot be reached."""
    try:
        queue = make_queue(_connection(), BANK)
        queue.enqueue_call(
            job,
            timeout=JOB_TIMEOUT_SECONDS,
            ttl=KEPT_SECONDS,
            result_ttl=0,
            failure_ttl=KEPT_SECONDS,
        )
    except (RedisError, OSError) as error:
        log.warning("no queue: %s", type(error).__name__)
        return False
    return True


def _connection() -> Redis:
    config: Config = current_app.extensions["firme_config"]
    known = current_app.extensions.get("nudges")
    if known is None:
        known = Redis.from_url(
            config.redis_url,
            socket_timeout=PATIENCE_SECONDS,
            socket_connect_timeout=PATIENCE_SECONDS,
        )
        current_app.extensions["nudges"] = known
    return known
