"""The worth of columns over near-optimal trees: how many use each, and the loss without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odt_core.render.layout import MARGIN, axis_name, lay_out
from odt_core.render.theme import LIGHT, Theme
from odt_core.words import number_words, percent_words, printable

if TYPE_CHECKING:
    import plotly.graph_objects as go

LINE, FRAME = 27, 110
"""Height of a column's line, and of everything else, in pixels."""
NAME = 20
"""Number of characters of a name for which the axis has space."""
MOST_COLUMNS = 15
TICKS = 4
"""Largest number of ticks on the right: short numbers then stand side by side, even on a phone."""
GAP = 0.52
"""The left end of the right part, as a share of the width."""


@dataclass(frozen=True)
class ColumnMark:
    """A column with its worth.

    Attributes
    ----------
    name : str
        The column's name.
    share : float
        Share of the listed trees with a question about it.
    without : float or None
        The least loss of trees without it; None without such a tree.
    is_proved : bool
        Whether the least loss is proved.
    """

    name: str
    share: float
    without: float | None
    is_proved: bool


def columns_figure(
    marks: Sequence[ColumnMark],
    *,
    best: float,
    unit: str,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """Draw, for each column, the share of trees that use it and the least loss without it.

    Parameters
    ----------
    marks : sequence of ColumnMark
        The columns. The first `MOST_COLUMNS` are drawn.
    best : float
        The loss of the optimum, which a dotted line shows.
    unit : str
        The unit of the losses, such as ``errors``.
    theme : Theme
        The colours.
    opaque : bool
        Whether to paint the page behind the figure, for files.
    """
    import plotly.graph_objects as go  # slow to import

    shown = list(marks[:MOST_COLUMNS])
    places = list(range(len(shown)))
    figure = go.Figure()
    figure.add_bar(
        x=[mark.share for mark in shown],
        y=places,
        orientation="h",
        name="trees that ask about it",
        marker={"color": theme.second, "line": {"width": 0}},
        text=[
            f"{percent_words(mark.share)} ask about {axis_name(mark.name, 60)}" for mark in shown
        ],
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
    )
    for is_proved, name in ((True, "best tree without it"), (False, "best found, not proved")):
        _add_losses(figure, shown, is_proved, name, unit, theme)
    lay_out(
        figure,
        theme,
        x={"title": "of the trees", "range": [0, 1], "tickformat": ".0%"},
        y={
            "range": [len(shown) - 0.5, -0.5],
            "tickvals": places,
            "ticktext": [axis_name(mark.name, NAME) for mark in shown],
            "showgrid": False,
        },
        height=FRAME + LINE * max(len(shown), 2),
        opaque=opaque,
    )
    _lay_out_right(figure, shown, best, unit)
    figure.add_shape(
        type="line", xref="x2", yref="paper", x0=best, x1=best, y0=0, y1=1,
        line={"color": theme.muted, "width": 1.4, "dash": "dot"},
    )  # fmt: skip
    return figure


def _add_losses(
    figure: go.Figure,
    shown: Sequence[ColumnMark],
    is_proved: bool,
    name: str,
    unit: str,
    theme: Theme,
) -> None:
    """Add the proved losses as filled marks, or the others as hollow marks."""
    some = [
        (place, mark)
        for place, mark in enumerate(shown)
        if mark.without is not None and mark.is_proved == is_proved
    ]
    if not some:
        return
    figure.add_scatter(
        x=[mark.without for _, mark in some],
        y=[place for place, _ in some],
        xaxis="x2",
        mode="markers",
        name=name,
        marker={
            "symbol": "diamond",
            "size": 10,
            "color": theme.accent if is_proved else theme.page,
            "line": {"color": theme.accent, "width": 1.8},
        },
        text=[
            f"without {axis_name(mark.name, 60)}: {number_words(mark.without or 0.0)} {unit}"
            for _, mark in some
        ],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
    )


def _lay_out_right(figure: go.Figure, shown: Sequence[ColumnMark], best: float, unit: str) -> None:
    """Put the losses beside the shares, on the same lines."""
    values = [best, *(mark.without for mark in shown if mark.without is not None)]
    room = 0.08 * (max(values) - min(values)) or 1.0
    left = figure.layout.xaxis.to_plotly_json()
    right = left | {
        "title": left["title"] | {"text": unit},
        "range": [min(values) - room, max(values) + room],
        "tickformat": ",d" if unit == "errors" else "",
        "nticks": TICKS,
        **({"dtick": 1} if unit == "errors" and max(values) - min(values) < TICKS else {}),
        "domain": [GAP + 0.06, 1],
        "anchor": "y",
    }
    figure.layout.xaxis2 = right
    figure.layout.xaxis.domain = [0, GAP - 0.06]
    figure.layout.bargap = 0.35
    figure.layout.margin = {**MARGIN, "l": 160, "t": 58}


def columns_alt_text(marks: Sequence[ColumnMark], best: float, unit: str) -> str:
    """Describe the figure, one sentence for each column that is drawn."""
    parts = [f"Columns over the near-optimal trees; the best tree has {number_words(best)} {unit}."]
    for mark in marks[:MOST_COLUMNS]:
        text = f"{printable(mark.name)}: {percent_words(mark.share)} of the trees ask about it"
        if mark.without is not None:
            proved = "" if mark.is_proved else ", not proved"
            text += f"; the best without it has {number_words(mark.without)} {unit}{proved}"
        parts.append(f"{text}.")
    return " ".join(parts)
