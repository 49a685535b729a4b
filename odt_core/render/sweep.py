"""Rates in training against rates on held-out rows: the figure of the paper's section 5.8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from odt_core.confusion import Confusion
from odt_core.evaluation.rates import Rate
from odt_core.render.layout import PERCENT, faded, lay_out
from odt_core.render.roc import RocPoint, lay_out_plane, mark_in_plane, rate_bars
from odt_core.render.theme import LIGHT, Theme
from odt_core.words import percent_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

LATEST_START = 0.96
"""Start of the axes. If an axis started later, it would have ticks beyond 100%."""
HEIGHT = 380
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True)
class SweepPoint:
    """One shape with one floor, over repeats; rates in [0, 1].

    Attributes
    ----------
    floor : float
        The floor in training, on sensitivity or specificity.
    train, test : float
        The mean rates that were reached.
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
    """The points of one shape."""

    name: str
    points: tuple[SweepPoint, ...]


def sweep_figure(
    series: Sequence[SweepSeries],
    rate: str,
    *,
    tree: RocPoint | None = None,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """Draw mean test rates over mean training rates, a band over repeats, and the diagonal.

    Parameters
    ----------
    series : sequence of SweepSeries
        One for each shape.
    rate : str
        ``sensitivity`` or ``specificity``.
    tree : RocPoint, optional
        A single tree to mark, with the 95% interval of its test rate.
    theme : Theme
        The colours.
    opaque : bool
        Whether to paint the page behind the figure, for files.
    """
    import plotly.graph_objects as go  # slow to import

    figure = go.Figure()
    pair = None if tree is None else _rates_of(tree, rate)
    everything = [x for one in series for p in one.points for x in (p.train, p.low, p.high)]
    trains = [p.train for one in series for p in one.points]
    if pair is not None:
        everything += [x for x in (pair[0].value, pair[1].low) if x is not None]
        trains += [pair[0].value or 0.0]
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
    if pair is not None:
        _mark(figure, *pair, theme)
    train = sorted(trains) or [0.0, 1.0]
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


def _rates_of(tree: RocPoint, rate: str) -> tuple[Rate, Rate] | None:
    """A tree's rate in training and in test; None if one of them is not defined."""
    if tree.test is None:
        return None

    def of(counts: Confusion) -> Rate:
        if rate == "sensitivity":
            return Rate(counts.tp, counts.n_positive)
        return Rate(counts.tn, counts.n_negative)

    train, test = of(tree.train), of(tree.test)
    return (train, test) if train.n and test.n else None


def _mark(figure: go.Figure, train: Rate, test: Rate, theme: Theme) -> None:
    """Draw a single tree as a large ringed diamond, with the interval of its test rate."""
    assert train.value is not None and test.value is not None
    figure.add_scatter(
        x=[train.value],
        y=[test.value],
        mode="markers",
        marker={
            "size": 15,
            "symbol": "diamond",
            "color": theme.page,
            "line": {"color": theme.ink, "width": 3},
        },
        error_y=rate_bars(test, theme.ink),
        cliponaxis=False,
        name="chosen",
        showlegend=False,
        text=[
            f"the tree beside, current split<br>training {percent_words(train.value)} "
            f"({train.successes}/{train.n})<br>test {percent_words(test.value)} "
            f"({test.successes}/{test.n})"
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _add_series(figure: go.Figure, one: SweepSeries, rate: str, index: int, color: str) -> None:
    order = sorted(range(len(one.points)), key=lambda place: one.points[place].train)
    points = [one.points[place] for place in order]
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
        cliponaxis=False,  # so that a mark at 100% is not cut
        name=one.name,
        line={"color": color, "width": 2, "dash": DASHES[index % len(DASHES)]},
        marker={"size": 8, "symbol": SYMBOLS[index % len(SYMBOLS)], "color": color},
        customdata=[[index, place] for place in order],
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
    tree: RocPoint | None = None,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """Draw the same means in the ROC plane: training filled, test hollow.

    Parameters
    ----------
    sensitivity, specificity : sequence of SweepSeries
        The same shapes and floors in the same order for both rates.
    tree : RocPoint, optional
        A single tree to mark, with the 95% intervals of its test rates.
    theme : Theme
        The colours.
    opaque : bool
        Whether to paint the page behind the figure, for files.
    """
    import plotly.graph_objects as go  # slow to import

    figure = go.Figure()
    colors = (theme.second, theme.accent, theme.ink, theme.muted)
    for index, (tprs, tnrs) in enumerate(zip(sensitivity, specificity, strict=True)):
        for which, dash in (("train", "solid"), ("test", "dot")):
            pairs = sorted(
                (1 - getattr(b, which), getattr(a, which), a.floor, place)
                for place, (a, b) in enumerate(zip(tprs.points, tnrs.points, strict=True))
            )
            word = "training" if which == "train" else "test"
            color = colors[index % len(colors)]
            figure.add_scatter(
                x=[x for x, _, _, _ in pairs],
                y=[y for _, y, _, _ in pairs],
                mode="lines+markers",
                name=f"{tprs.name}, {word}",
                line={"color": color, "width": 1.6, "dash": dash},
                marker={
                    "size": 8,
                    "symbol": SYMBOLS[index % len(SYMBOLS)],
                    "color": color if which == "train" else theme.page,
                    "line": {"color": color, "width": 1.6},
                },
                customdata=[[index, place] for _, _, _, place in pairs],
                text=[
                    f"{tprs.name}, {word}, floor {100 * floor:g}%<br>sensitivity "
                    f"{percent_words(y)}<br>specificity {percent_words(1 - x)}"
                    for x, y, floor, _ in pairs
                ],
                hovertemplate="%{text}<extra></extra>",
            )
    if tree is not None:
        mark_in_plane(figure, tree, theme, theme.ink, "chosen")
    lay_out_plane(figure, theme, height=HEIGHT, opaque=opaque, mean=True)
    return figure


def sweep_alt_text(series: Sequence[SweepSeries], rate: str) -> str:
    """Describe the figure in one sentence for each shape."""
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
