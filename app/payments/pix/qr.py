"""The picture of a copy-and-paste text."""

import io

import segno

_QUIET_ZONE = 4
"""Modules of white around the code: with fewer, cameras may not find it (ISO 18004)."""


def as_svg(text: str) -> str:
    """Draw a code as an ``<svg>`` element that takes the size of its place, black on white."""
    code = segno.make_qr(text, error="m")
    return code.svg_inline(border=_QUIET_ZONE, light="#fff", omitsize=True)


def as_svg_file(text: str) -> str:
    """Draw the same as a document of its own, for ``<img>`` and for saving."""
    picture = io.BytesIO()
    segno.make_qr(text, error="m").save(
        picture, kind="svg", border=_QUIET_ZONE, light="#fff", scale=8
    )
    return picture.getvalue().decode()


def as_png(text: str, *, pixels_per_module: int = 8) -> bytes:
    """Draw a code as a PNG file, for messages and mail."""
    picture = io.BytesIO()
    segno.make_qr(text, error="m").save(
        picture, kind="png", border=_QUIET_ZONE, scale=pixels_per_module
    )
    return picture.getvalue()
