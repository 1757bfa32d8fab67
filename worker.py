"""The worker: RQ's jobs and the clock that schedules them. Run as many as you like of each queue.

``worker.py`` does what touches only the database, ``worker.py bank`` what waits for providers.
"""

import logging
import sys
import time

from redis import Redis
from redis.exceptions import ConnectionError as NoRedis
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from app import create_app
from app.config import Config, ConfigError
from app.jobs.schedule import Clock
from app.queues import DESK, QUEUES, make_queue

MAINTENANCE_SECONDS = 30
"""RQ's default of ten minutes leaves a dead worker's jobs lying about as long."""


def main(queue: str) -> None:
    """Work until told to stop; jobs run in this process, each in transactions of its own."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("rq").setLevel(logging.WARNING)
    config = Config.from_environment()
    connection = Redis.from_url(config.redis_url)
    _wait_for(connection)
    with create_app(config).app_context():
        clock = Clock(Redis.from_url(config.redis_url), queue)
        clock.start()
        worker = SimpleWorker(
            [make_queue(connection, queue)],
            connection=connection,
            serializer=JSONSerializer,
            maintenance_interval=MAINTENANCE_SECONDS,
        )
        worker.work(logging_level="WARNING")
        clock.stop()


def _wait_for(connection: Redis) -> None:
    while True:
        try:
            connection.ping()
        except NoRedis:
            time.sleep(1)
        else:
            return


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else DESK
    if wanted not in QUEUES:
        sys.exit(f"There is no queue {wanted!r}: use one of {', '.join(QUEUES)}.")
    try:
        main(wanted)
    except ConfigError as error:
        sys.exit(str(error))
