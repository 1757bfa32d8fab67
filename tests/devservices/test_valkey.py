import os
import signal
import time
from pathlib import Path

from redis import Redis

from app.devservices.valkey import ValkeyServer


def test_jobs_survive_a_restart(folder: Path) -> None:
    with ValkeyServer(folder) as server, Redis.from_url(server.url) as client:
        client.set("job", "remind Helena")

    with ValkeyServer(folder) as server, Redis.from_url(server.url) as client:
        assert client.get("job") == b"remind Helena"


def test_a_second_start_joins_the_running_server(folder: Path) -> None:
    with ValkeyServer(folder, durable=False) as first:
        with ValkeyServer(folder, durable=False) as second:
            assert second.url == first.url
            assert second.pid is None

        with Redis.from_url(first.url) as client:
            assert client.ping()


def test_a_killed_server_comes_back(folder: Path) -> None:
    with ValkeyServer(folder, durable=False) as server:
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        while not server.has_died:
            time.sleep(0.02)

        server.start()

        with Redis.from_url(server.url) as client:
            assert client.ping()


def test_a_pid_file_of_a_pid_that_is_somebody_elses_now_is_no_obstacle(folder: Path) -> None:
    (folder / "valkey.pid").write_text(str(os.getpid()))

    with ValkeyServer(folder, durable=False) as server, Redis.from_url(server.url) as client:
        assert client.ping()
