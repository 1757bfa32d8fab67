"""The worker: RQ's jobs and the clock that schedules them. Run as many as you like."""

import logging
import sys
import time

from redis import Redis
from redis.exceptions import ConnectionError as NoRedis
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from app import create_app
from app.config import Config, ConfigError
from app.jobs.schedule import Clock, make_queue

MAINTENANCE_SECONDS = 30
"""RQ's default of ten minutes leaves a dead worker's jobs lying about as long."""


def main() -> None:
    """Work until told to stop; jobs run in this process, each in a transaction of its own."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("rq").setLevel(logging.WARNING)
    config = Config.from_environment()
    connection = Redis.from_url(config.redis_url)
    _wait_for(connection)
    with create_app(config).app_context():
        clock = Clock(Redis.from_url(config.redis_url))
        clock.start()
        worker = SimpleWorker(
            [make_queue(connection)],
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
    try:
        main()
    except ConfigError as error:
        sys.exit(str(error))
