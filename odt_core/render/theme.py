"""Colours of drawings and figures, for a light and a dark page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """Colours as ``#rrggbb``.

    Attributes
    ----------
    name : str
        ``light`` or ``dark``.
    page : str
        The page behind a drawing in a file; on screen, drawings are transparent.
    ink, muted, line, grid : str
        Text, secondary text, outlines, grid lines.
    node : str
        Fill of decision nodes.
    negative, positive : str
        Fill of leaves that predict the negative and the positive class (white and grey in the
        paper).
    accent : str
        Highlighted parts, and the best tree in figures.
    second : str
        The positive part of a bar, and everything else in figures that has a colour.
    """

    name: str
    page: str
    ink: str
    muted: str
    line: str
    grid: str
    node: str
    negative: str
    positive: str
    accent: str
    second: str


LIGHT = Theme(
    name="light",
    page="#ffffff",
    ink="#17232b",
    muted="#4c5b64",
    line="#73828b",
    grid="#dfe5e8",
    node="#f2f5f6",
    negative="#ffffff",
    positive="#d3dbdf",
    accent="#b5651d",
    second="#0f5e6e",
)

DARK = Theme(
    name="dark",
    page="#11181d",
    ink="#e3eaee",
    muted="#b4c0c7",
    line="#82919a",
    grid="#2a363e",
    node="#1a242b",
    negative="#11181d",
    positive="#3a4952",
    accent="#e0a050",
    second="#5db6c7",
)

THEMES: dict[str, Theme] = {theme.name: theme for theme in (LIGHT, DARK)}
