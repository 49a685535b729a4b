"""Sensitivity and specificity of groups of rows, as a dot plot with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from odt_core.evaluation import Rate, Subgroup, Subgroups
from odt_core.figures.chart import Chart
from odt_core.figures.layout import MARGIN, PERCENT, axis_name, error_bars, lay_out, new_figure
from odt_core.render import LIGHT, Theme
from odt_core.words import count_words, percent_words, printable

if TYPE_CHECKING:
    import plotly.graph_objects as go

LINE, FRAME = 44, 110
"""Height in pixels of a group's line, and of everything around the lines."""
NAME = 20
"""Number of characters of a group's name for which the axis has space."""


def subgroup_chart(subgroups: Subgroups, *, theme: Theme = LIGHT) -> Chart:
    """Draw two dots with 95% intervals for each group; a small group's dots are hollow.

    Parameters
    ----------
    subgroups : Subgroups
        The groups of a column, the first at the top.
    theme : Theme
        The colours.
    """
    groups = subgroups.groups
    figure = new_figure()
    for name, color, symbol, shift in (
        ("sensitivity", theme.accent, "circle", -0.13),
        ("specificity", theme.second, "diamond", 0.13),
    ):
        _add_rates(figure, groups, name, color, symbol, shift, theme)
    names = [axis_name(group.name, NAME) for group in groups]
    lay_out(
        figure,
        theme,
        x={"title": "share, with its 95% interval", "tickformat": PERCENT, "range": [-0.02, 1.02]},
        y={
            "tickvals": list(range(len(groups))),
            "ticktext": names,
            "range": [len(groups) - 0.5, -0.5],
            "showgrid": False,
        },
        height=FRAME + LINE * len(groups),
    )
    figure.layout.margin = {**MARGIN, "l": 30 + 8 * max(map(len, names), default=0)}
    return Chart(figure, _alt_text(subgroups), theme)


def _add_rates(
    figure: go.Figure,
    groups: Sequence[Subgroup],
    name: str,
    color: str,
    symbol: str,
    shift: float,
    theme: Theme,
) -> None:
    """Add a rate of each group, and its entry in the legend."""
    rates: list[Rate] = [getattr(group.metrics, name) for group in groups]
    few = [
        group.has_few_positive if name == "sensitivity" else group.has_few_negative
        for group in groups
    ]
    figure.add_scatter(
        x=[rate.value for rate in rates],
        y=[place + shift for place in range(len(groups))],
        mode="markers",
        showlegend=False,
        marker={
            "color": [theme.page if is_few else color for is_few in few],
            "size": 10,
            "symbol": symbol,
            "line": {"color": color, "width": 2},
        },
        error_x=error_bars(
            color,
            above=[_gap(rate.value, rate.high) for rate in rates],
            below=[_gap(rate.low, rate.value) for rate in rates],
            thickness=1.6,
            width=0,
        ),
        text=[_hover(group.name, name, rate) for group, rate in zip(groups, rates, strict=True)],
        hovertemplate="%{text}<extra></extra>",
    )
    figure.add_scatter(  # so that the legend always shows a full dot
        x=[None],
        y=[None],
        mode="markers",
        name=name,
        marker={"color": color, "size": 10, "symbol": symbol},
    )


def _alt_text(subgroups: Subgroups) -> str:
    """List each group with its sensitivity and specificity."""
    parts = [
        f"{group.name} ({count_words(group.counts.n, 'row')}): sensitivity "
        f"{_share(group.metrics.sensitivity)}, specificity {_share(group.metrics.specificity)}"
        for group in subgroups.groups
    ]
    return f"Rates by {printable(subgroups.column)}. {'; '.join(parts)}."


def _gap(low: float | None, high: float | None) -> float:
    return 0.0 if low is None or high is None else high - low


def _share(rate: Rate) -> str:
    return "unknown" if rate.value is None else percent_words(rate.value)


def _hover(group: str, name: str, rate: Rate) -> str:
    return f"{axis_name(group, NAME)}: {name} {_share(rate)} ({rate.successes:,} of {rate.n:,})"
