"""Compile the translation catalogues: the repository holds the .po files, the app reads .mo."""

from __future__ import annotations

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from app.devservices.errors import sentence_for


def compile_stale(folder: Path) -> None:
    """Compile every .po below the folder that is newer than its .mo.

    Raises: CannotStart when the checkout cannot be written.
    """
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        compiled = source.with_suffix(".mo")
        if compiled.exists() and compiled.stat().st_mtime >= source.stat().st_mtime:
            continue
        unfinished = compiled.with_suffix(".mo.new")
        try:
            with source.open("rb") as text, unfinished.open("wb") as target:
                write_mo(target, read_po(text, locale=source.parent.parent.name))
            unfinished.replace(compiled)
        except OSError as error:
            raise sentence_for(error, compiled) from error
