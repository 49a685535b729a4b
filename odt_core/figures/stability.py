"""The stability of a tree over refits: its columns, its cut points, and its answers for rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from odt_core.figures.chart import Chart
from odt_core.figures.layout import MARGIN, axis_name, escaped, lay_out, new_figure
from odt_core.render import LIGHT, Theme
from odt_core.studies import OriginalFit, StabilityResult
from odt_core.studies.stability_result import ColumnStability, RowBubble
from odt_core.words import count_words, percent_words, printable

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


def asked_chart(found: StabilityResult, *, theme: Theme = LIGHT) -> Chart:
    """Draw bars: in how many refits the tree asks about each column, and asks about it first.

    Parameters
    ----------
    found : StabilityResult
        The result. At most `MOST_COLUMNS` of its columns are drawn.
    theme : Theme
        The colours.
    """
    shown, n = found.asked_columns[:MOST_COLUMNS], len(found.fitted)
    places = list(range(len(shown)))
    figure = new_figure()
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
    )
    figure.layout.barmode = "stack"
    figure.layout.bargap = 0.3
    figure.layout.legend.traceorder = "normal"
    figure.layout.margin = {**MARGIN, "l": 170}
    parts = [f"{c.name} in {c.asked:,} (first in {c.at_root:,})" for c in shown]
    alt = f"Columns asked about in {count_words(n, 'resample')}: {', '.join(parts)}."
    return Chart(figure, alt, theme)


def cuts_chart(found: StabilityResult, *, theme: Theme = LIGHT) -> Chart:
    """Draw a stem for each cut point of the most asked numerical columns, one panel a column.

    Parameters
    ----------
    found : StabilityResult
        The result. At most `MOST_PANELS` of its columns are drawn.
    theme : Theme
        The colours.
    """
    shown = found.cut_columns[:MOST_PANELS]
    figure = new_figure()
    lay_out(figure, theme, x={}, y={}, height=40 + 110 * max(len(shown), 1))
    share = 1 / max(len(shown), 1)
    for place, column in enumerate(shown):
        _add_panel(figure, column, place, share, theme)
    figure.layout.margin = {**MARGIN, "l": 44, "t": 8, "b": 12}
    return Chart(figure, _cuts_text(shown), theme)


def _add_panel(
    figure: go.Figure, column: ColumnStability, place: int, share: float, theme: Theme
) -> None:
    """Add the panel of a column, whose height is a share of the figure."""
    number = "" if place == 0 else str(place + 1)
    shared = {"xaxis": f"x{number}", "yaxis": f"y{number}", "showlegend": False}
    stems = [(each.cut, each.n) for each in column.cuts]
    most = max(n for _, n in stems)
    figure.add_scatter(
        x=[x for cut, _ in stems for x in (cut, cut, None)],
        y=[y for _, k in stems for y in (0, k, None)],
        mode="lines",
        line={"color": theme.second, "width": 3},
        hoverinfo="skip",
        **shared,
    )
    figure.add_scatter(
        x=[cut for cut, _ in stems],
        y=[n for _, n in stems],
        mode="markers",
        marker={"color": theme.second, "size": 6},
        text=[f"{axis_name(column.name, 60)}, cut at {cut:.6g}<br>{count_words(k, 'question')}"
              for cut, k in stems],
        hovertemplate="%{text}<extra></extra>",
        cliponaxis=False,
        **shared,
    )  # fmt: skip
    top = 1 - place * share
    low, high = stems[0][0], stems[-1][0]
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


def _cuts_text(columns: Sequence[ColumnStability]) -> str:
    """Describe the cut points in plain words."""
    parts = []
    for column in columns:
        often = max(column.cuts, key=lambda each: (each.n, each.cut))
        parts.append(
            f"{column.name} from {column.cuts[0].cut:.6g} to {column.cuts[-1].cut:.6g}, "
            f"most often at {often.cut:.6g} ({often.n:,})"
        )
    return f"Cut points over resamples: {'; '.join(parts)}."


def instability_chart(
    found: StabilityResult, labels: tuple[str, str], *, theme: Theme = LIGHT
) -> Chart:
    """Draw circles: for how many training rows of each leaf the answer changes how often.

    Parameters
    ----------
    found : StabilityResult
        A result with the tree of all training rows. The areas of circles show numbers of rows.
    labels : tuple of str
        The negative and the positive class.
    theme : Theme
        The colours.
    """
    assert found.original is not None and found.rows is not None
    leaves = _leaf_names(found.original, labels)
    circles = found.rows.bubbles(found.original.leaves)
    most = max(circle.n for circle in circles)
    figure = new_figure()
    figure.add_scatter(
        x=[circle.share for circle in circles],
        y=[circle.leaf for circle in circles],
        mode="markers",
        marker={
            "color": theme.second,
            "opacity": 0.75,
            "size": [max(6.0, WIDEST * (circle.n / most) ** 0.5) for circle in circles],
            "line": {"color": theme.page, "width": 1},
        },
        text=[
            f"{escaped(leaves[circle.leaf])}<br>{count_words(circle.n, 'row')}: another answer in "
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
    )
    figure.layout.margin = {**MARGIN, "l": 190, "t": 12, "b": MARGIN["b"] + LINE_HEIGHT}
    return Chart(figure, _instability_text(circles, leaves), theme)


def _leaf_names(original: OriginalFit, labels: tuple[str, str]) -> list[str]:
    """Names for the leaves of the original tree: number, answer, share of positive rows."""
    names = []
    for leaf, label in enumerate(original.labels):
        n = original.leaves.count(leaf)
        share = percent_words(original.positives[leaf] / n, 0) if n else "-"
        names.append(f"{leaf + 1}: {printable(labels[label])} ({share})")
    return names


def _instability_text(circles: Sequence[RowBubble], leaves: Sequence[str]) -> str:
    """Describe the circles in plain words."""
    parts = []
    for leaf, name in enumerate(leaves):
        here = [circle for circle in circles if circle.leaf == leaf]
        n = sum(circle.n for circle in here)
        if n:
            mean = sum(circle.n * circle.share for circle in here) / n
            parts.append(f"{name}: {count_words(n, 'row')}, {percent_words(mean, 0)} on average")
    return f"How often answers change over resamples, by leaf. {'; '.join(parts)}."
