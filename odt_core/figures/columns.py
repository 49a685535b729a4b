"""The worth of columns over near-optimal trees: how many use each, and the loss without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from odt_core.alternatives import AlternativesView, ColumnView
from odt_core.figures.chart import Chart
from odt_core.figures.layout import MARGIN, axis_name, lay_out, new_figure
from odt_core.render import LIGHT, Theme
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


def columns_chart(view: AlternativesView, *, theme: Theme = LIGHT) -> Chart:
    """Draw, for each column, the share of trees that use it and the least loss without it.

    Parameters
    ----------
    view : AlternativesView
        The trees. The first `MOST_COLUMNS` of its ranked columns are drawn.
    theme : Theme
        The colours.
    """
    shown = view.ranked_columns[:MOST_COLUMNS]
    best, unit = float(view.least or 0), view.unit
    shares = [column.n_trees / max(len(view.trees), 1) for column in shown]
    places = list(range(len(shown)))
    figure = new_figure()
    figure.add_bar(
        x=shares,
        y=places,
        orientation="h",
        name="trees that ask about it",
        marker={"color": theme.second, "line": {"width": 0}},
        text=[
            f"{percent_words(share)} ask about {axis_name(column.name, 60)}"
            for column, share in zip(shown, shares, strict=True)
        ],
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
    )
    losses = [
        (place, column, float(column.least_without))
        for place, column in enumerate(shown)
        if column.least_without is not None
    ]
    for is_proved, name in ((True, "best tree without it"), (False, "best found, not proved")):
        some = [each for each in losses if each[1].is_proved is is_proved]
        _add_losses(figure, some, name, unit, theme, is_proved=is_proved)
    lay_out(
        figure,
        theme,
        x={"title": "of the trees", "range": [0, 1], "tickformat": ".0%"},
        y={
            "range": [len(shown) - 0.5, -0.5],
            "tickvals": places,
            "ticktext": [axis_name(column.name, NAME) for column in shown],
            "showgrid": False,
        },
        height=FRAME + LINE * max(len(shown), 2),
    )
    _lay_out_right(figure, [best, *(loss for _, _, loss in losses)], unit)
    figure.add_shape(
        type="line", xref="x2", yref="paper", x0=best, x1=best, y0=0, y1=1,
        line={"color": theme.muted, "width": 1.4, "dash": "dot"},
    )  # fmt: skip
    return Chart(figure, _alt_text(view, shown), theme)


def _add_losses(
    figure: go.Figure,
    losses: Sequence[tuple[int, ColumnView, float]],
    name: str,
    unit: str,
    theme: Theme,
    *,
    is_proved: bool,
) -> None:
    """Add the proved losses as filled marks, or the others as hollow marks."""
    if not losses:
        return
    figure.add_scatter(
        x=[loss for _, _, loss in losses],
        y=[place for place, _, _ in losses],
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
            f"without {axis_name(column.name, 60)}: {number_words(loss)} {unit}"
            for _, column, loss in losses
        ],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
    )


def _lay_out_right(figure: go.Figure, values: Sequence[float], unit: str) -> None:
    """Put the losses beside the shares, on the same lines."""
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


def _alt_text(view: AlternativesView, shown: Sequence[ColumnView]) -> str:
    """Describe the figure, one sentence for each column that is drawn."""
    best, unit = number_words(view.least or 0), view.unit
    parts = [f"Columns over the near-optimal trees; the best tree has {best} {unit}."]
    for column in shown:
        share = percent_words(column.n_trees / max(len(view.trees), 1))
        text = f"{printable(column.name)}: {share} of the trees ask about it"
        if column.least_without is not None:
            proved = "" if column.is_proved else ", not proved"
            least = number_words(column.least_without)
            text += f"; the best without it has {least} {unit}{proved}"
        parts.append(f"{text}.")
    return " ".join(parts)
