"""The stability of a tree over refits: its columns, its cut points, and its answers for rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odt_core.render.layout import MARGIN, axis_name, escaped, lay_out
from odt_core.render.theme import LIGHT, Theme
from odt_core.words import count_words, percent_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

LINE = 26
"""Height of a column's line, in pixels."""
FRAME = 96
LINE_HEIGHT = 17
"""Height of each further line of a title, in pixels."""
MOST_COLUMNS = 12
MOST_PANELS = 4
NAME = 22
"""Number of characters of a name for which an axis has space."""
WIDEST = 34
"""Diameter of the largest circle, in pixels."""


@dataclass(frozen=True)
class AskedColumn:
    """How often refits ask about a column.

    Attributes
    ----------
    name : str
        The column's name.
    asked, at_root : int
        Numbers of refits whose tree asks about it at all, and whose tree asks about it first.
    """

    name: str
    asked: int
    at_root: int


@dataclass(frozen=True)
class CutColumn:
    """The cut points of a numerical column, rising, and how many questions have each of them."""

    name: str
    cuts: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class RowCircle:
    """Training rows of one leaf for which about as many refits change the answer.

    Attributes
    ----------
    leaf : str
        The leaf in plain words.
    share : float
        Share of refits that give another answer, in [0, 1].
    n : int
        Number of rows.
    """

    leaf: str
    share: float
    n: int


def asked_figure(
    columns: Sequence[AskedColumn], n: int, *, theme: Theme = LIGHT, opaque: bool = False
) -> go.Figure:
    """Draw bars: in how many refits the tree asks about each column, and asks about it first.

    Parameters
    ----------
    columns : sequence of AskedColumn
        Columns by falling number of refits; at most `MOST_COLUMNS` are drawn.
    n : int
        Number of refits.
    theme : Theme
        The colours.
    opaque : bool
        Whether to paint the page behind the figure, for files.
    """
    import plotly.graph_objects as go  # slow to import

    shown = columns[:MOST_COLUMNS]
    places = list(range(len(shown)))
    figure = go.Figure()
    for name, counts, color in (
        ("first question", [column.at_root for column in shown], theme.second),
        ("a later question", [column.asked - column.at_root for column in shown], theme.positive),
    ):
        figure.add_bar(
            x=counts,
            y=places,
            orientation="h",
            name=name,
            marker={"color": color, "line": {"width": 0}},
            text=[f"{axis_name(column.name, 60)}: {name} in {k:,} of {n:,}" for column, k in zip(
                shown, counts, strict=True)],
            textposition="none",
            hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    lay_out(
        figure,
        theme,
        x={"title": f"of {count_words(n, 'resample')}", "range": [0, n], "tickformat": ",d"},
        y={
            "autorange": "reversed",
            "tickvals": places,
            "ticktext": [axis_name(column.name, NAME) for column in shown],
            "showgrid": False,
        },
        height=FRAME + LINE * max(len(shown), 2),
        opaque=opaque,
    )
    figure.layout.barmode = "stack"
    figure.layout.bargap = 0.3
    figure.layout.legend.traceorder = "normal"
    figure.layout.margin = {**MARGIN, "l": 170}
    return figure


def asked_alt_text(columns: Sequence[AskedColumn], n: int) -> str:
    """Describe the bars in plain words."""
    parts = [
        f"{column.name} in {column.asked:,} (first in {column.at_root:,})"
        for column in columns[:MOST_COLUMNS]
    ]
    return f"Columns asked about in {count_words(n, 'resample')}: {', '.join(parts)}."


def cuts_figure(
    columns: Sequence[CutColumn], *, theme: Theme = LIGHT, opaque: bool = False
) -> go.Figure:
    """Draw a stem for each cut point of the most asked numerical columns, one panel a column.

    Parameters
    ----------
    columns : sequence of CutColumn
        Columns by falling number of refits, each with cuts; at most `MOST_PANELS` are drawn.
    theme, opaque
        As for `asked_figure`.
    """
    import plotly.graph_objects as go  # slow to import

    shown = columns[:MOST_PANELS]
    figure = go.Figure()
    lay_out(figure, theme, x={}, y={}, height=40 + 110 * max(len(shown), 1), opaque=opaque)
    share = 1 / max(len(shown), 1)
    for place, column in enumerate(shown):
        number = "" if place == 0 else str(place + 1)
        most = max(column.counts)
        stems = [(c, k) for c, k in zip(column.cuts, column.counts, strict=True)]
        figure.add_scatter(
            x=[x for cut, _ in stems for x in (cut, cut, None)],
            y=[y for _, k in stems for y in (0, k, None)],
            mode="lines",
            line={"color": theme.second, "width": 3},
            hoverinfo="skip",
            showlegend=False,
            xaxis=f"x{number}",
            yaxis=f"y{number}",
        )
        figure.add_scatter(
            x=list(column.cuts),
            y=list(column.counts),
            mode="markers",
            marker={"color": theme.second, "size": 6},
            text=[f"{axis_name(column.name, 60)}, cut at {cut:.6g}<br>{count_words(k, 'question')}"
                  for cut, k in stems],
            hovertemplate="%{text}<extra></extra>",
            showlegend=False,
            cliponaxis=False,
            xaxis=f"x{number}",
            yaxis=f"y{number}",
        )  # fmt: skip
        top = 1 - place * share
        low, high = column.cuts[0], column.cuts[-1]
        room = 0.06 * (high - low) or 0.05 * abs(low) or 1.0
        figure.layout[f"xaxis{number}"] = {
            "domain": [0, 1],
            "anchor": f"y{number}",
            "range": [low - room, high + room],
            "showgrid": False,
            "zeroline": False,
            "linecolor": theme.line,
            "showline": True,
            "nticks": 8,
        }
        figure.layout[f"yaxis{number}"] = {
            "domain": [top - 0.7 * share, top - 0.26 * share],  # the name stands above
            "anchor": f"x{number}",
            "range": [0, 1.05 * most],
            "tickvals": [most],
            "gridcolor": theme.grid,
            "zeroline": False,
        }
        figure.add_annotation(
            text=axis_name(column.name, 2 * NAME),
            x=0,
            y=top,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="top",
            showarrow=False,
            font={"color": theme.ink},
        )
    figure.layout.margin = {**MARGIN, "l": 44, "t": 8, "b": 12}
    return figure


def cuts_alt_text(columns: Sequence[CutColumn]) -> str:
    """Describe the cut points in plain words."""
    parts = []
    for column in columns[:MOST_PANELS]:
        n, best = max(zip(column.counts, column.cuts, strict=True))
        parts.append(
            f"{column.name} from {column.cuts[0]:.6g} to {column.cuts[-1]:.6g}, "
            f"most often at {best:.6g} ({n:,})"
        )
    return f"Cut points over resamples: {'; '.join(parts)}."


def instability_figure(
    circles: Sequence[RowCircle],
    leaves: Sequence[str],
    *,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """Draw circles: for how many training rows of each leaf the answer changes how often.

    Parameters
    ----------
    circles : sequence of RowCircle
        The circles; their areas show the numbers of rows.
    leaves : sequence of str
        The leaves in plain words, all different, the first at the top.
    theme, opaque
        As for `asked_figure`.
    """
    import plotly.graph_objects as go  # slow to import

    most = max((circle.n for circle in circles), default=1)
    place = {leaf: number for number, leaf in enumerate(leaves)}
    figure = go.Figure()
    figure.add_scatter(
        x=[circle.share for circle in circles],
        y=[place[circle.leaf] for circle in circles],
        mode="markers",
        marker={
            "color": theme.second,
            "opacity": 0.75,
            "size": [max(6.0, WIDEST * (circle.n / most) ** 0.5) for circle in circles],
            "line": {"color": theme.page, "width": 1},
        },
        text=[
            f"{escaped(circle.leaf)}<br>{count_words(circle.n, 'row')}: another answer in "
            f"{'' if circle.share in (0, 1) else 'about '}{percent_words(circle.share, 0)} of "
            "resamples"
            for circle in circles
        ],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
        showlegend=False,
    )
    lay_out(
        figure,
        theme,
        x={
            "title": "resamples that<br>give another answer",  # as wide as a narrow window's plot
            "range": [-0.04, 1.04],
            "tickformat": ".0%",
        },
        y={
            "autorange": False,
            "range": [len(leaves) - 0.4, -0.6],
            "tickvals": list(range(len(leaves))),
            "ticktext": [axis_name(leaf, 26) for leaf in leaves],
            "ticklabelstandoff": 10,  # a large circle at 0% reaches beyond the axis
        },
        height=FRAME + LINE_HEIGHT + 44 * max(len(leaves), 2),
        opaque=opaque,
    )
    figure.layout.margin = {**MARGIN, "l": 190, "t": 12, "b": MARGIN["b"] + LINE_HEIGHT}
    return figure


def instability_alt_text(circles: Sequence[RowCircle], leaves: Sequence[str]) -> str:
    """Describe the circles in plain words."""
    parts = []
    for leaf in leaves:
        here = [circle for circle in circles if circle.leaf == leaf]
        n = sum(circle.n for circle in here)
        if n:
            mean = sum(circle.n * circle.share for circle in here) / n
            parts.append(f"{leaf}: {count_words(n, 'row')}, {percent_words(mean, 0)} on average")
    return f"How often answers change over resamples, by leaf. {'; '.join(parts)}."
