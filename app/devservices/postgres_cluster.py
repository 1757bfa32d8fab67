"""The files of a database: made whole or not at all, and what their complaints mean."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from app.devservices.errors import CannotStart, disk_is_full, sentence_for
from app.devservices.homes import Home
from app.devservices.postgres_binaries import Binaries
from app.devservices.processes import clean_environment, write_private

OWNER = "postgres"  # the server's own role; only the server's supervisor signs in as it


def make_cluster(home: Home, binaries: Binaries, *, password: str, durable: bool) -> None:
    """Make the cluster of a home beside its place and move it there when it is complete.

    Raises: CannotStart, with nothing left behind.
    """
    unfinished = home.cluster.with_name("pg.new")
    password_file = home.place / "owner-password"
    shutil.rmtree(unfinished, ignore_errors=True)
    write_private(password_file, password)
    home.give(password_file)
    command = [str(binaries.initdb), "-D", str(unfinished), "-U", OWNER, "--encoding=UTF8"]
    command += ["--auth=scram-sha-256", f"--pwfile={password_file}", "--locale=C"]
    if binaries.has_builtin_locale:
        command += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    if not durable:
        command.append("--no-sync")
    user, group = home.user or (None, None)
    try:
        made = subprocess.run(
            command,
            env=clean_environment(LC_ALL="C"),
            cwd=home.place,
            capture_output=True,
            text=True,
            user=user,
            group=group,
            extra_groups=[] if home.user else None,
            check=False,
        )
        if made.returncode == 0:
            unfinished.rename(home.cluster)
            return
    except OSError as error:
        raise sentence_for(error, home.cluster) from error
    finally:
        password_file.unlink(missing_ok=True)
    shutil.rmtree(unfinished, ignore_errors=True)
    raise sentence_from(made.stderr, home.cluster)


def major_of(cluster: Path) -> int | None:
    """The major version that made a cluster; None when there is none or it cannot be told."""
    try:
        return int((cluster / "PG_VERSION").read_text().split(".", 1)[0])
    except (OSError, ValueError):
        return None


def sentence_from(words: str, cluster: Path) -> CannotStart:
    """One sentence out of what PostgreSQL said when it gave up."""
    if "No space left on device" in words or "Disk quota exceeded" in words:
        return disk_is_full(cluster)
    signs = ("FATAL", "PANIC", "error:", "could not")
    told = [line for line in words.splitlines() if any(sign in line for sign in signs)]
    last = re.split(r"(?:FATAL|PANIC|error):\s*", told[-1])[-1] if told else "it said nothing"
    return CannotStart(
        f"PostgreSQL did not start with the data in {cluster} ({last}): "
        "restore that folder, or move it away to begin anew."
    )
