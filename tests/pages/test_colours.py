"""The page's colours can be read (WCAG 2.2, contrast)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit" / "config.toml"


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_on_buttons_and_pages_stand_out(theme: str) -> None:
    colours = tomllib.loads(CONFIG.read_text())["theme"][theme]
    assert contrast(colours["primaryColor"], "#ffffff") >= 4.5, "white words on a button"
    assert contrast(colours["primaryColor"], colours["backgroundColor"]) >= 3, "the button itself"
    assert contrast(colours["textColor"], colours["backgroundColor"]) >= 7
    assert contrast(colours["linkColor"], colours["backgroundColor"]) >= 4.5


def test_the_dashboard_listens_on_this_machine_only() -> None:
    assert tomllib.loads(CONFIG.read_text())["server"]["address"] == "localhost"
