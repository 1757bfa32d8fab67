import importlib
from collections.abc import Iterator

import pytest
from flask import Flask
from redis import Redis
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from app.jobs.schedule import SCHEDULE, Clock
from app.queues import BANK, DESK, QUEUES, make_queue
from tests.conftest import redis_url


@pytest.fixture
def redis() -> Iterator[Redis]:
    """An empty database of the test server that nobody else uses."""
    connection = Redis.from_url(redis_url(1))
    connection.flushdb()
    yield connection
    connection.flushdb()
    connection.close()


def sweeps_of(queue: str) -> int:
    return sum(sweep.queue == queue for sweep in SCHEDULE)


@pytest.mark.parametrize("queue", QUEUES)
def test_two_clocks_enqueue_a_slot_once(redis: Redis, queue: str) -> None:
    clocks = [Clock(redis, queue), Clock(redis, queue)]

    for clock in clocks:
        clock.tick(1_000_000.0)
        clock.tick(1_000_000.4)

    assert len(make_queue(redis, queue).job_ids) == sweeps_of(queue)


def test_what_waits_for_providers_keeps_nothing_else_waiting() -> None:
    at_providers = {sweep.name for sweep in SCHEDULE if sweep.queue == BANK}

    assert at_providers == {"read-inbox", "look-after-charges", "send-refunds", "sweep-payments"}


def test_an_emptied_redis_costs_one_slot(redis: Redis) -> None:
    clock = Clock(redis)
    clock.tick(1_000_000.0)
    redis.flushdb()

    clock.tick(1_003_600.0)

    assert len(make_queue(redis).job_ids) == sweeps_of(DESK)


@pytest.mark.parametrize("name", QUEUES)
def test_jobs_travel_as_json_and_end_well(redis: Redis, app: Flask, name: str) -> None:
    Clock(redis, name).tick(1_000_000.0)
    queue = make_queue(redis, name)
    worker = SimpleWorker([queue], connection=redis, serializer=JSONSerializer)

    worker.work(burst=True, logging_level="ERROR")

    assert queue.failed_job_registry.count == 0
    assert queue.finished_job_registry.count == sweeps_of(name)


@pytest.mark.parametrize("sweep", SCHEDULE, ids=lambda sweep: sweep.name)
def test_every_scheduled_job_is_there(sweep: object) -> None:
    module, _, name = sweep.job.rpartition(".")  # type: ignore[attr-defined]

    assert callable(getattr(importlib.import_module(module), name))
