"""Children that never outlive us, the lock that says who owns a folder, and short socket paths."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

from app.devservices.errors import CannotStart, sentence_for

PR_SET_PDEATHSIG = 1
LONGEST_SOCKET_PATH = 100  # Linux takes 107 bytes, macOS 103
NOT_FOR_SERVERS = ("PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATA", "PGDATABASE", "PGOPTIONS")

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def clean_environment(**extra: str) -> dict[str, str]:
    """Our environment without the PG* names that would move a server or its clients."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_FOR_SERVERS}
    return {**kept, **extra}


def _die_with(parent: int, last_signal: signal.Signals) -> Callable[[], None]:
    def prepare() -> None:
        if _libc is not None:
            _libc.prctl(PR_SET_PDEATHSIG, int(last_signal))
            if os.getppid() != parent:
                os._exit(1)

    return prepare


def spawn(
    command: Sequence[str | Path],
    *,
    log: Path,
    environment: Mapping[str, str],
    user: tuple[int, int] | None = None,
    last_signal: signal.Signals = signal.SIGTERM,
    folder: Path,
) -> subprocess.Popen[bytes]:
    """Start a child in its own group, its words going to `log`.

    On Linux it gets `last_signal` when the thread that called this ends, even by kill -9: call it
    from a thread that lives as long as the child should. `user`, a uid and gid, is for root only.
    """
    uid, gid = user or (None, None)
    try:
        with log.open("ab") as output:
            return subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                cwd=str(folder),
                user=uid,
                group=gid,
                extra_groups=[] if user else None,
                start_new_session=True,
                preexec_fn=_die_with(os.getpid(), last_signal),
            )
    except OSError as error:
        raise sentence_for(error, log) from error


def stop(
    process: subprocess.Popen[bytes],
    *,
    polite: signal.Signals,
    seconds: float,
    harsh: signal.Signals,
) -> None:
    """Ask a child to end, wait that long, then insist; idempotent."""
    for wish, patience in ((polite, seconds), (harsh, 5.0), (signal.SIGKILL, 5.0)):
        if process.poll() is not None:
            return
        process.send_signal(wish)
        try:
            process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            continue


def is_running(pid: int, *, command_holds: str) -> bool:
    """Whether that pid lives and its command line holds the text: pids are used again."""
    try:
        command_line = Path(f"/proc/{pid}/cmdline")
        if Path("/proc/self").exists():
            return command_holds.encode() in command_line.read_bytes().replace(b"\0", b" ")
        shown = subprocess.run(
            ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
        )
        return command_holds in shown.stdout
    except OSError:
        return False


def stop_stranger(pid: int, *, command_holds: str, wishes: Sequence[signal.Signals]) -> None:
    """End a process of an earlier run that is not our child; each wish gets eight seconds."""
    for wish in wishes:
        if not is_running(pid, command_holds=command_holds):
            return
        try:
            os.kill(pid, wish)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + 8
        while time.monotonic() < deadline:
            if not is_running(pid, command_holds=command_holds):
                return
            time.sleep(0.02)


def make_private(folder: Path) -> Path:
    """Make a folder that only its owner reads; parents get their usual mode."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise sentence_for(error, folder) from error
    return folder


def write_private(path: Path, text: str) -> None:
    """Write a secret whole or not at all, readable by its owner alone."""
    unfinished = path.with_name(path.name + ".new")
    try:
        unfinished.unlink(missing_ok=True)
        number = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise sentence_for(error, path) from error


def socket_folder(wanted: Path, *, longest_name: str, owner: int | None = None) -> Path:
    """The folder for a unix socket: the wanted one, or a short one in /tmp when that is too long.

    Raises: CannotStart when somebody else made the short one first.
    """
    if len(os.fsencode(wanted / longest_name)) <= LONGEST_SOCKET_PATH:
        chosen = make_private(wanted)
    else:
        digest = hashlib.sha256(os.fsencode(wanted)).hexdigest()[:12]
        chosen = make_private(Path(f"/tmp/firme-{os.getuid()}-{digest}"))
    status = chosen.lstat()
    if chosen.is_symlink() or status.st_uid not in (os.getuid(), owner):
        raise CannotStart(f"{chosen} belongs to somebody else: remove it, then start again.")
    if owner is not None and os.getuid() == 0:
        os.chown(chosen, owner, -1)
    return chosen


class FolderLock:
    """Who owns a folder: one living process at a time; the system frees it when that one dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def take(self) -> bool:
        """Take it without waiting; False when another process has it. Idempotent."""
        if self._file is not None:
            return True
        try:
            file = self._path.open("ab")
        except OSError as error:
            raise sentence_for(error, self._path) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
