"""The queues of the workers. Redis holds nothing that PostgreSQL does not know."""

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

DESK = "firme"
"""Work that touches only the database."""

BANK = "bank"
"""Work that waits for providers: a slow one must not keep a hold from expiring."""

QUEUES = (DESK, BANK)
"""One queue a worker: RQ hands a job over safely only to a worker that listens to one."""


def make_queue(connection: Redis, name: str = DESK) -> Queue:
    """Open a queue; jobs travel as JSON, never as pickle."""
    return Queue(name, connection=connection, serializer=JSONSerializer)
