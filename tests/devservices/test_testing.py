import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

SESSION = """
import sys
from app.devservices.testing import start_test_server, start_test_valkey
print(start_test_server(), start_test_valkey(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def clean_names(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    for name in ("TEST_DATABASE_URL", "FIRME_TEST_PG", "TEST_REDIS_URL", "FIRME_TEST_REDIS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FIRME_VAR", str(folder))


def a_session() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SESSION], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def urls_of(session: subprocess.Popen[str]) -> list[str]:
    assert session.stdout is not None
    return session.stdout.readline().split()


@pytest.mark.usefixtures("clean_names")
def test_two_test_runs_at_once_do_not_meet() -> None:
    first, second = a_session(), a_session()
    try:
        urls = [*urls_of(first), *urls_of(second)]

        assert len(set(urls)) == 4
    finally:
        first.communicate()
        second.communicate()


@pytest.mark.usefixtures("clean_names")
def test_a_test_run_may_make_databases_and_the_next_one_drops_what_was_left() -> None:
    first = a_session()
    with psycopg.connect(urls_of(first)[0], autocommit=True) as connection:
        connection.execute("CREATE DATABASE firme_test_left")
        connection.execute("CREATE DATABASE firme_template")
    first.communicate()

    second = a_session()
    with psycopg.connect(urls_of(second)[0], autocommit=True) as connection:
        names = {row[0] for row in connection.execute("SELECT datname FROM pg_database")}
    second.communicate()

    assert "firme_template" in names
    assert "firme_test_left" not in names


@pytest.mark.usefixtures("clean_names")
def test_named_servers_replace_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_DATABASE_URL", "postgresql://elsewhere/tests")
    monkeypatch.setenv("TEST_REDIS_URL", "redis://elsewhere/1")
    session = a_session()

    assert urls_of(session) == ["postgresql://elsewhere/tests", "redis://elsewhere/1"]
    session.communicate()
