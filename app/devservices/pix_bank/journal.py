"""What the bank remembers across restarts: one line of JSON for each change, the last one wins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

Document = dict[str, Any]
FILE_NAME = "bank.jsonl"


class Journal:
    """Without a folder it remembers nothing, which is what most tests want."""

    def __init__(self, folder: Path | None) -> None:
        self._path = folder / FILE_NAME if folder else None
        self._file: IO[str] | None = None

    def load(self) -> Iterator[tuple[str, str, Document]]:
        """Yield each thing as it was last, then write them down anew without their past."""
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        last = dict(self._read(self._path))
        yield from ((kind, name, document) for (kind, name), document in last.items())
        fresh = self._path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as file:
            file.writelines(_line(*key, document) for key, document in last.items())
        fresh.replace(self._path)
        self._file = self._path.open("a", encoding="utf-8")

    def write(self, kind: str, name: str, document: Document) -> None:
        if self._file is not None:
            self._file.write(_line(kind, name, document))
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self, path: Path) -> Iterator[tuple[tuple[str, str], Document]]:
        if not path.exists():
            return
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    kind, name, document = json.loads(line)
                except ValueError:
                    continue  # the end of a line that a power cut swallowed
                yield (kind, name), document


def _line(kind: str, name: str, document: Document) -> str:
    return json.dumps([kind, name, document], ensure_ascii=False) + "\n"
