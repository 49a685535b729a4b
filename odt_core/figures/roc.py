"""The ROC plane with the exact frontier: all trade-offs that a shape can reach in training."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from odt_core.confusion import Confusion
from odt_core.evaluation.rates import Rate
from odt_core.figures.chart import Chart
from odt_core.figures.layout import PERCENT, add_line, error_bars, faded, lay_out, new_figure
from odt_core.render import LIGHT, Theme
from odt_core.studies import FrontierView, OperatingPoint, Sweep
from odt_core.words import RATE_NAMES, count_words, percent_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 400
FEW = 12
"""Largest number of points that are drawn large; more points lie close together in a corner."""
EXACT, FOUND = "training (exact frontier)", "training (best found)"
TEST = "same trees in test\N{NO-BREAK SPACE}"
PLANE = (-0.03, 1.03)
"""Range of both axes: 0 to 100%, with space for marks on the edge."""


Counts = tuple[Confusion, Confusion | None]
"""A tree's counts on the training rows and on the test rows; None without test rows."""


def roc_chart(
    view: FrontierView,
    *,
    chosen: int | None = None,
    compared: int | None = None,
    tree: Counts | None = None,
    floor: Fraction | None = None,
    sweep: Sweep = Sweep.TPR,
    theme: Theme = LIGHT,
) -> Chart:
    """Draw a frontier in training and the same trees in test; specificity falls to the right.

    Parameters
    ----------
    view : FrontierView
        The frontier. Trace 0 draws its points in their order. If not everything is proved, a line
        shows the frontier's bound. Nothing is known about the area between the two.
    chosen, compared : int, optional
        Two points to mark. The chosen point also gets the intervals of its test rates.
    tree : (Confusion, Confusion or None), optional
        The counts of a tree to mark like a chosen point. It need not be one of the points.
    floor : Fraction, optional
        A floor to draw as a line.
    sweep : Sweep
        The rate that has the floor.
    theme : Theme
        The colours.
    """
    figure, points = new_figure(), view.points
    _add_train(figure, points, EXACT if view.bound is None else FOUND, theme)
    if any(point.test is not None for point in points):
        _add_test(figure, points, theme)
    if view.bound is not None and points:
        counts = points[0].train
        _add_unknown(figure, counts, view.bound.steps(counts.n_positive), theme)
    if compared is not None:
        mark_in_plane(figure, _counts(points[compared]), theme, theme.ink, "compared")
    if chosen is not None:
        mark_in_plane(figure, _counts(points[chosen]), theme, theme.accent, "chosen")
    if tree is not None:
        mark_in_plane(figure, tree, theme, theme.accent, "tree")
    if floor is not None:
        _add_floor(figure, float(floor), sweep, theme)
    lay_out_plane(figure, theme, height=HEIGHT)
    return Chart(figure, _alt_text(points, chosen), theme)


def lay_out_plane(figure: go.Figure, theme: Theme, *, height: int, mean: bool = False) -> None:
    """Give a figure the whole ROC plane, with the line of answers by chance.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        The figure, which is changed in place.
    theme : Theme
        The colours.
    height : int
        Height in pixels.
    mean : bool
        Whether the points are means.
    """
    add_line(figure, [0, 1], [0, 1], "chance", theme.line, in_legend=False, width=1, dash="dot")
    of = ", mean" if mean else ""
    ticks = {"range": list(PLANE), "tickformat": PERCENT, "dtick": 0.2}
    lay_out(
        figure,
        theme,
        x={"title": f"1 − specificity (FPR){of}", **ticks},
        y={"title": RATE_NAMES["tpr"] + of, **ticks},
        height=height,
    )


def _add_train(
    figure: go.Figure, points: Sequence[OperatingPoint], name: str, theme: Theme
) -> None:
    figure.add_scatter(
        x=[_fpr(point.train) for point in points],
        y=[float(point.train.tpr) for point in points],
        mode="lines+markers",
        name=name,
        line={"color": theme.second, "width": 1.5, "shape": "vh"},
        marker={
            "size": _size(len(points)),
            "color": [theme.second if point.proved else theme.page for point in points],
            "line": {"color": theme.second, "width": 1},
        },
        customdata=list(range(len(points))),
        text=[_words(point.train, "training") for point in points],
        hovertemplate="%{text}<extra></extra>",
    )


def _add_test(figure: go.Figure, points: Sequence[OperatingPoint], theme: Theme) -> None:
    known = [(i, point.test) for i, point in enumerate(points) if point.test is not None]
    figure.add_scatter(
        x=[_fpr(test) for _, test in known],
        y=[float(test.tpr) for _, test in known],
        mode="markers",
        name=TEST,
        marker={
            "size": _size(len(points)),
            "symbol": "diamond",
            "color": faded(theme.accent, 0.6),
            "line": {"width": 0},
        },
        customdata=[i for i, _ in known],
        text=[_words(test, "test") for _, test in known],
        hovertemplate="%{text}<extra></extra>",
    )


def _size(n_points: int) -> int:
    """Size of a point's mark, in pixels."""
    return 8 if n_points <= FEW else 5


def _add_unknown(
    figure: go.Figure, counts: Confusion, bound: Sequence[tuple[int, int]], theme: Theme
) -> None:
    """Draw the line beyond which there is no tree."""
    n_positive, n_negative = max(counts.n_positive, 1), max(counts.n_negative, 1)
    x = [fp / n_negative for _, fp in bound]
    y = [1 - fn / n_positive for fn, _ in bound]
    name = "no tree lies beyond (proved)"
    add_line(figure, x, y, name, theme.muted, width=1.2, dash="dot", shape="vh")


def _add_floor(figure: go.Figure, floor: float, sweep: Sweep, theme: Theme) -> None:
    x, y = (PLANE, [floor] * 2) if sweep is Sweep.TPR else ([1 - floor] * 2, PLANE)
    add_line(figure, x, y, f"floor {100 * floor:g}%", theme.muted, width=1.2, dash="dash")


def _counts(point: OperatingPoint) -> Counts:
    return point.train, point.test


def mark_in_plane(figure: go.Figure, counts: Counts, theme: Theme, color: str, name: str) -> None:
    """Draw a ring at a tree's training rates, and a diamond with intervals at its test rates."""
    train, test = counts
    figure.add_scatter(
        x=[_fpr(train)],
        y=[float(train.tpr)],
        mode="markers",
        marker={"size": 14, "color": "rgba(0,0,0,0)", "line": {"color": color, "width": 2.5}},
        name=name,
        showlegend=False,
        hoverinfo="skip",
    )
    if test is None or not test.n_positive or not test.n_negative:
        return
    figure.add_scatter(
        x=[_fpr(test)],
        y=[float(test.tpr)],
        mode="markers",
        marker={
            "size": 12,
            "symbol": "diamond",
            "color": color,
            "line": {"color": theme.page, "width": 1},
        },
        error_x=rate_bars(Rate(test.fp, test.n_negative), color),
        error_y=rate_bars(Rate(test.tp, test.n_positive), color),
        name=f"{name}, test",
        showlegend=False,
        hoverinfo="skip",
    )


def rate_bars(rate: Rate, color: str) -> dict[str, Any]:
    """Write a rate's 95% interval as Plotly's error bars."""
    assert rate.value is not None and rate.low is not None and rate.high is not None
    above, below = [rate.high - rate.value], [rate.value - rate.low]
    return error_bars(color, above=above, below=below, thickness=1.4, width=4)


def _alt_text(points: Sequence[OperatingPoint], chosen: int | None) -> str:
    """Describe the figure in one or two sentences."""
    if not points:
        return "The ROC plane without any point."
    ends = f"from {_words(points[0].train, 'training')} to {_words(points[-1].train, 'training')}"
    text = f"ROC plane: the frontier has {count_words(len(points), 'point')}, {ends}."
    if chosen is not None:
        point = points[chosen]
        text += f" Chosen: {_words(point.train, 'training')}"
        text += f"; {_words(point.test, 'test')}." if point.test is not None else "."
    return text.replace("<br>", ", ")


def _words(counts: Confusion, which: str) -> str:
    sensitivity = f"{percent_words(float(counts.tpr))} ({counts.tp}/{counts.n_positive})"
    specificity = f"{percent_words(float(counts.tnr))} ({counts.tn}/{counts.n_negative})"
    return f"{which}: sensitivity {sensitivity}<br>specificity {specificity}"


def _fpr(counts: Confusion) -> float:
    return counts.fp / max(counts.n_negative, 1)
