"""Where a database's files live. PostgreSQL refuses root, so root lends them to `nobody`."""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from app.devservices.errors import CannotStart, sentence_for
from app.devservices.processes import make_private


@dataclass(frozen=True)
class Home:
    """The folder with the cluster, and as whom the server runs (None: as us)."""

    place: Path
    user: tuple[int, int] | None
    is_elsewhere: bool

    @property
    def cluster(self) -> Path:
        return self.place / "pg"

    @property
    def sockets(self) -> Path:
        return self.place / "sockets"

    def give(self, path: Path) -> None:
        """Make the server's user the owner of what we just made."""
        if self.user:
            os.chown(path, *self.user)

    def set_orphan_aside(self) -> None:
        """Keep, out of the way, data whose passwords went with a deleted folder."""
        aside = self.place / "pg.orphaned"
        shutil.rmtree(aside, ignore_errors=True)
        self.cluster.rename(aside)


def home_for(folder: Path) -> Home:
    """Where the database of a folder is: in it, or in /var/tmp when `nobody` cannot get there.

    Root serves data that an ordinary user made as that user. No folder that was there before, but
    our own, changes its mode or owner.
    Raises: CannotStart when the data is somebody else's, or root has no user `nobody`.
    """
    place = folder / "files"
    owner = _owner_of(place / "pg")
    if os.getuid() != 0:
        if owner not in (None, os.getuid()):
            raise CannotStart(
                f"The database in {place} belongs to another user: "
                "start as that user, or choose another folder with FIRME_VAR."
            )
        return Home(make_private(place), None, is_elsewhere=False)
    user = _user_of(owner) if owner else _nobody()
    elsewhere = _elsewhere_path(place)
    if owner is None and (elsewhere / "pg").exists():
        return Home(_elsewhere(place, user), user, is_elsewhere=True)
    if _is_reached_by(user, folder.parent):
        return Home(_own_place(place, user), user, is_elsewhere=False)
    if owner is not None:
        raise CannotStart(
            f"The user that owns {place} can no longer reach it: open {folder.parent}."
        )
    return Home(_elsewhere(place, user), user, is_elsewhere=True)


def _owner_of(cluster: Path) -> int | None:
    try:
        return cluster.stat().st_uid
    except OSError:
        return None


def _user_of(uid: int) -> tuple[int, int]:
    try:
        return uid, pwd.getpwuid(uid).pw_gid
    except KeyError:
        raise CannotStart(f"The database belongs to user {uid}, whom this system lacks.") from None


def _nobody() -> tuple[int, int]:
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise CannotStart(
            "PostgreSQL does not run as root and there is no user `nobody`: "
            "run as an ordinary user, or name a server with DATABASE_URL."
        ) from None
    return entry.pw_uid, entry.pw_gid


def _own_place(place: Path, user: tuple[int, int]) -> Path:
    """A folder of the server's user below ours; ours lets it pass and shows it nothing."""
    make_private(place)
    try:
        os.chown(place, *user)
        if place.parent.stat().st_uid == 0:
            place.parent.chmod(0o711)
    except OSError as error:
        raise sentence_for(error, place) from error
    return place


def _elsewhere_path(place: Path) -> Path:
    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
    return Path("/var/tmp") / f"firme-pg-{digest}"


def _elsewhere(place: Path, user: tuple[int, int] | None) -> Path:
    chosen = make_private(_elsewhere_path(place))
    status = chosen.lstat()
    trusted = (0, user[0] if user else 0)
    if chosen.is_symlink() or status.st_uid not in trusted:
        raise CannotStart(f"{chosen} belongs to somebody else: remove it, then start again.")
    if user:
        os.chown(chosen, *user)
    return chosen


def _is_reached_by(user: tuple[int, int], folder: Path) -> bool:
    uid, gid = user
    answer = subprocess.run(
        ["/bin/sh", "-c", 'cd "$1"', "sh", str(folder)],
        user=uid,
        group=gid,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        check=False,
    )
    return answer.returncode == 0
