"""What training promises against what held-out rows keep: the figure of the paper's section 5.8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odt_core.render.layout import PERCENT, faded, lay_out
from odt_core.render.theme import LIGHT, Theme
from odt_core.words import percent_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

LATEST_START = 0.96
"""An axis that began later would have ticks beyond 100 %."""
HEIGHT = 380
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class SweepPoint:
    """One shape at one floor, over repeats; rates in [0, 1].

    Attributes
    ----------
    floor : float
        The floor in training, on sensitivity or specificity.
    train, test : float
        Mean rates reached.
    low, high : float
        The 10th and 90th percentile of the test rate over repeats.
    """

    floor: float
    train: float
    test: float
    low: float
    high: float


@dataclass(frozen=True)
class SweepSeries:
    """A shape's points."""

    name: str
    points: tuple[SweepPoint, ...]


def sweep_figure(
    series: Sequence[SweepSeries],
    rate: str,
    *,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """Mean test rate over mean training rate, a band over repeats, and the diagonal.

    Parameters
    ----------
    series : sequence of SweepSeries
        One for each shape.
    rate : str
        ``sensitivity`` or ``specificity``, for the words.
    theme : Theme
        Colours.
    opaque : bool
        Paint the page behind, for files.
    """
    import plotly.graph_objects as go  # slow to import: only where a figure is drawn

    figure = go.Figure()
    everything = [x for one in series for p in one.points for x in (p.train, p.low, p.high)]
    low = min(everything, default=0.0)
    room = max(0.01, 0.05 * (1 - low))
    start, end = max(min(low - room, LATEST_START), -0.02), 1.004 + room / 8
    colors = (theme.second, theme.accent, theme.ink, theme.muted)
    for index, one in enumerate(series):
        _add_series(figure, one, rate, index, colors[index % len(colors)])
    figure.add_scatter(
        x=[start, 1],
        y=[start, 1],
        mode="lines",
        name="test = training",
        line={"color": theme.muted, "width": 1.2, "dash": "dot"},
        hoverinfo="skip",
    )
    train = sorted(p.train for one in series for p in one.points) or [0.0, 1.0]
    width = max(0.01, 0.06 * (train[-1] - train[0]))
    lay_out(
        figure,
        theme,
        x={
            "title": f"{rate} in training, mean",
            "range": [min(train[0] - width, LATEST_START), min(train[-1] + width, 1 + 0.004)],
            "tickformat": PERCENT,
        },
        y={"title": f"{rate} in test", "range": [start, end], "tickformat": PERCENT},
        height=HEIGHT,
        opaque=opaque,
    )
    return figure


def _add_series(figure: go.Figure, one: SweepSeries, rate: str, index: int, color: str) -> None:
    points = sorted(one.points, key=lambda point: point.train)
    x = [point.train for point in points]
    figure.add_scatter(
        x=[*x, *reversed(x)],
        y=[*(point.high for point in points), *(point.low for point in reversed(points))],
        mode="lines",
        fill="toself",
        fillcolor=faded(color, 0.14),
        line={"width": 0, "color": faded(color, 0.14)},
        name=f"{one.name}, 10th to 90th percentile",
        showlegend=False,
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=x,
        y=[point.test for point in points],
        mode="lines+markers",
        name=one.name,
        line={"color": color, "width": 2, "dash": DASHES[index % len(DASHES)]},
        marker={"size": 8, "symbol": SYMBOLS[index % len(SYMBOLS)], "color": color},
        text=[
            f"{one.name}, floor {100 * point.floor:g}%<br>training {percent_words(point.train)}"
            f"<br>test {percent_words(point.test)} "
            f"({percent_words(point.low)} to {percent_words(point.high)})"
            for point in points
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def sweep_roc_figure(
    sensitivity: Sequence[SweepSeries],
    specificity: Sequence[SweepSeries],
    *,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """The same means in the ROC plane: training filled, test hollow.

    Parameters
    ----------
    sensitivity, specificity : sequence of SweepSeries
        The same shapes and floors in the same order.
    theme : Theme
        Colours.
    opaque : bool
        Paint the page behind, for files.
    """
    import plotly.graph_objects as go  # slow to import: only where a figure is drawn

    figure = go.Figure()
    rates = [1 - rate for one in specificity for p in one.points for rate in (p.train, p.test)]
    widest = max([*rates, 0.01])
    colors = (theme.second, theme.accent, theme.ink, theme.muted)
    for index, (tprs, tnrs) in enumerate(zip(sensitivity, specificity, strict=True)):
        for which, dash in (("train", "solid"), ("test", "dot")):
            pairs = sorted(
                (1 - getattr(b, which), getattr(a, which), a.floor)
                for a, b in zip(tprs.points, tnrs.points, strict=True)
            )
            word = "training" if which == "train" else "test"
            color = colors[index % len(colors)]
            figure.add_scatter(
                x=[x for x, _, _ in pairs],
                y=[y for _, y, _ in pairs],
                mode="lines+markers",
                name=f"{tprs.name}, {word}",
                line={"color": color, "width": 1.6, "dash": dash},
                marker={
                    "size": 8,
                    "symbol": SYMBOLS[index % len(SYMBOLS)],
                    "color": color if which == "train" else theme.page,
                    "line": {"color": color, "width": 1.6},
                },
                text=[
                    f"{tprs.name}, {word}, floor {100 * floor:g}%<br>sensitivity "
                    f"{percent_words(y)}<br>specificity {percent_words(1 - x)}"
                    for x, y, floor in pairs
                ],
                hovertemplate="%{text}<extra></extra>",
            )
    lay_out(
        figure,
        theme,
        x={
            "title": "1 − specificity (FPR), mean",
            "tickformat": PERCENT,
            "range": [-0.04 * widest, 1.04 * widest],
        },
        y={"title": "sensitivity (TPR), mean", "tickformat": PERCENT},
        height=HEIGHT,
        opaque=opaque,
    )
    return figure


def sweep_alt_text(series: Sequence[SweepSeries], rate: str) -> str:
    """What the figure shows, in one sentence for each shape."""
    parts = []
    for one in series:
        gap = [point.train - point.test for point in one.points]
        worst = max(one.points, key=lambda point: point.train - point.test, default=None)
        if worst is None:
            continue
        parts.append(
            f"{one.name}: test {rate} is {100 * sum(gap) / len(gap):.1f} points below training on "
            f"average, at most {100 * max(gap):.1f} (at a floor of {100 * worst.floor:g}%)."
        )
    return f"Training against test {rate}. " + " ".join(parts)
