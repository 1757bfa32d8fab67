import gettext
import os
from pathlib import Path

from app.devservices.catalogues import compile_stale

CATALOGUE = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"

msgid "Confirmar"
msgstr "{translation}"
"""


def a_catalogue(folder: Path, translation: str) -> Path:
    source = folder / "pt" / "LC_MESSAGES" / "messages.po"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(CATALOGUE.format(translation=translation))
    return source


def translated(folder: Path) -> str:
    with (folder / "pt" / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        return gettext.GNUTranslations(file).gettext("Confirmar")


def test_a_changed_catalogue_is_compiled_again(folder: Path) -> None:
    source = a_catalogue(folder, "Confirme")
    compile_stale(folder)
    assert translated(folder) == "Confirme"

    a_catalogue(folder, "Confirmar reserva")
    later = source.with_suffix(".mo").stat().st_mtime + 5
    os.utime(source, (later, later))
    compile_stale(folder)

    assert translated(folder) == "Confirmar reserva"


def test_an_unchanged_catalogue_is_left_alone(folder: Path) -> None:
    source = a_catalogue(folder, "Confirme")
    compile_stale(folder)
    compiled = source.with_suffix(".mo")
    before = compiled.stat().st_mtime_ns

    compile_stale(folder)

    assert compiled.stat().st_mtime_ns == before
