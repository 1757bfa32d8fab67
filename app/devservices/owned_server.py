"""What every embedded server has: a folder, a lock on it, and a process that is ours or not."""

from __future__ import annotations

import subprocess
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from app.devservices.processes import FolderLock

Self = TypeVar("Self", bound="OwnedServer")


class OwnedServer(ABC):
    """The server of one folder. Entering starts it, or joins the one another process started there.

    `durable=False` is for tests: what is written need not survive a power cut.
    """

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self._folder = folder.absolute()
        self._durable = durable
        self._lock = FolderLock(self._folder / "lock")
        self._process: subprocess.Popen[bytes] | None = None

    @abstractmethod
    def start(self) -> None:
        """Have a server that answers; idempotent.

        Raises: CannotStart with what is in the way.
        """

    @abstractmethod
    def stop(self) -> None:
        """Stop the server if this process started it; whoever is connected loses the connection."""

    @property
    def pid(self) -> int | None:
        """The server's pid while this process owns it and it runs."""
        running = self._process is not None and self._process.poll() is None
        return self._process.pid if running and self._process else None

    @property
    def has_died(self) -> bool:
        """Whether a server this process started ended by itself."""
        return self._process is not None and self._process.poll() is not None

    def __enter__(self: Self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
