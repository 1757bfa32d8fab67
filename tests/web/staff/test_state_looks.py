import re
from pathlib import Path

import pytest

from app.booking.states import Status
from app.web.staff.state_looks import LOOKS

STATIC = Path(__file__).parents[3] / "static"
TOKENS = (STATIC / "css" / "tokens.css").read_text()
LIGHT, DARK = (
    dict(re.findall(r"--([\w-]+):(#[0-9A-Fa-f]{6})", part))
    for part in TOKENS.split("@media (prefers-color-scheme:dark)")
)
THEMES = {"light": LIGHT, "dark": LIGHT | DARK}


def _light(color: str) -> float:
    def linear(channel: str) -> float:
        value = int(channel, 16) / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(color[place : place + 2]) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_light(one), _light(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_every_state_has_a_look_of_its_own() -> None:
    assert set(LOOKS) == set(Status)
    assert len({look.css for look in LOOKS.values()}) == len(LOOKS)
    assert len({look.icon for look in LOOKS.values()}) == len(LOOKS)


@pytest.mark.parametrize("status", list(Status))
def test_every_icon_is_drawn(status: Status) -> None:
    assert f'id="{LOOKS[status].icon}"' in (STATIC / "icons.svg").read_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("status", list(Status))
def test_every_state_can_be_read(status: Status, theme: str) -> None:
    colors, css = THEMES[theme], LOOKS[status].css
    text, fill, edge = (colors[f"{css}-{part}"] for part in "tfe")

    assert contrast(text, fill) >= 6.5
    assert contrast(edge, colors["sheet"]) >= 3.3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground", "least"),
    [
        ("ink", "sheet", 7),
        ("ink-2", "sheet", 7),
        ("ink-3", "sheet", 4.5),
        ("ink-3", "ground", 4.5),
        ("ceibo", "sheet", 4.5),
        ("ceibo", "confirmed-f", 4.5),
        ("on-ceibo", "ceibo", 4.5),
        ("line-2", "sheet", 3),
        ("focus", "sheet", 3),
        ("sheet", "held-e", 4.5),
        ("sheet", "pending-e", 4.5),
    ],
)
def test_words_and_lines_stand_out(theme: str, text: str, ground: str, least: float) -> None:
    colors = THEMES[theme]

    assert contrast(colors[text], colors[ground]) >= least
