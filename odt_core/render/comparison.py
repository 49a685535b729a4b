"""Candidates of a comparison: points with intervals, and rates against numbers of questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from textwrap import wrap
from typing import TYPE_CHECKING

from odt_core.render.layout import FONT_SIZE, MARGIN, PERCENT, error_bars, lay_out
from odt_core.render.theme import LIGHT, Theme
from odt_core.words import percent_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

LINE, LEAST_HEIGHT, PLANE_HEIGHT = 38, 230, 360
NAME_ROOM = 178
LINE_LETTERS = 28


class Rank(StrEnum):
    """A candidate's place among the others."""

    BEST = "best"
    SIMPLEST = "simplest within one standard error"
    OTHER = "other trees"
    BASELINE = "baselines"


@dataclass(frozen=True)
class ComparedPoint:
    """A candidate's result over folds; rates in [0, 1].

    Attributes
    ----------
    name : str
        The candidate's name.
    rank : Rank
        Its place among the others.
    mean : float
        Its rate on test rows.
    low, high : float or None
        The rate's interval.
    train : float or None
        The same rate on training rows.
    questions : float or None
        Mean number of questions for each row.
    """

    name: str
    rank: Rank
    mean: float
    low: float | None
    high: float | None
    train: float | None
    questions: float | None


def comparison_figure(
    points: Sequence[ComparedPoint],
    rate: str,
    *,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """Draw a line for each candidate: its test rate with the interval, and its training rate.

    Parameters
    ----------
    points : sequence of ComparedPoint
        The candidates, from top to bottom.
    rate : str
        Name of the rate.
    theme : Theme
        The colours.
    opaque : bool
        Whether to paint the page behind the figure, for files.
    """
    import plotly.graph_objects as go  # slow to import

    figure = go.Figure()
    trained = [(place, p.train) for place, p in enumerate(points) if p.train is not None]
    figure.add_scatter(
        x=[train for _, train in trained],
        y=[-place for place, _ in trained],
        mode="markers",
        name="in training",
        marker={"symbol": "line-ns-open", "size": 11, "color": theme.muted, "line": {"width": 2}},
        text=[f"{points[place].name}<br>in training {percent_words(x)}" for place, x in trained],
        hovertemplate="%{text}<extra></extra>",
    )
    for rank in Rank:
        _add_rank(figure, points, rank, theme, is_plane=False)
    ends = [x for p in points for x in (p.low, p.high, p.mean, p.train) if x is not None]
    lay_out(
        figure,
        theme,
        x={"title": f"{rate} on test rows", "range": _span(ends), "tickformat": PERCENT},
        y={
            "range": [-len(points) + 0.4, 0.6],
            "tickvals": [-place for place in range(len(points))],
            "ticktext": [_wrapped(point.name) for point in points],
            "tickfont": {"size": FONT_SIZE - 1},
            "showgrid": False,
        },
        height=max(LEAST_HEIGHT, LINE * len(points) + 110),
        opaque=opaque,
    )
    figure.layout.margin = {**MARGIN, "l": NAME_ROOM, "t": 58}
    return figure


def questions_figure(
    points: Sequence[ComparedPoint],
    rate: str,
    *,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """Draw the test rate over the number of questions per case; see `comparison_figure`."""
    import plotly.graph_objects as go  # slow to import

    figure = go.Figure()
    for rank in Rank:
        _add_rank(figure, points, rank, theme, is_plane=True)
    ends = [x for p in points for x in (p.low, p.high, p.mean) if x is not None]
    most = max((p.questions for p in points if p.questions is not None), default=1.0)
    lay_out(
        figure,
        theme,
        x={"title": "questions asked per case, mean", "range": [-0.15, 1.08 * most + 0.1]},
        y={"title": f"{rate} on test rows", "range": _span(ends), "tickformat": PERCENT},
        height=PLANE_HEIGHT,
        opaque=opaque,
    )
    figure.layout.margin = {**MARGIN, "t": 58}
    return figure


def _add_rank(
    figure: go.Figure, points: Sequence[ComparedPoint], rank: Rank, theme: Theme, *, is_plane: bool
) -> None:
    """Add the points of one rank, in one colour and form."""
    places = [
        place
        for place, point in enumerate(points)
        if point.rank is rank and not (is_plane and point.questions is None)
    ]
    if not places:
        return
    here = [points[place] for place in places]
    symbol, color, fill = {
        Rank.BEST: ("diamond", theme.accent, theme.accent),
        Rank.SIMPLEST: ("square", theme.second, theme.second),
        Rank.OTHER: ("circle", theme.second, theme.second),
        Rank.BASELINE: ("circle", theme.muted, theme.page),
    }[rank]
    means = [point.mean for point in here]
    bars = error_bars(
        color,
        above=[0.0 if p.high is None else p.high - p.mean for p in here],
        below=[0.0 if p.low is None else p.mean - p.low for p in here],
        thickness=1.6,
        width=4,
    )
    figure.add_scatter(
        x=[point.questions for point in here] if is_plane else means,
        y=means if is_plane else [-place for place in places],
        mode="markers",
        name=rank.value,
        marker={
            "symbol": symbol,
            "size": 12 if rank in (Rank.BEST, Rank.SIMPLEST) else 9,
            "color": fill,
            "line": {"color": color, "width": 1.8},
        },
        cliponaxis=False,
        customdata=places,
        text=[_hover(point) for point in here],
        hovertemplate="%{text}<extra></extra>",
        **{"error_y" if is_plane else "error_x": bars},
    )


def _interval_words(point: ComparedPoint) -> str:
    """The mean with its interval, in plain words."""
    mean = percent_words(point.mean)
    if point.low is None or point.high is None:
        return mean
    return f"{mean} ({percent_words(point.low)} to {percent_words(point.high)})"


def _hover(point: ComparedPoint) -> str:
    text = f"{point.name}<br>in test {_interval_words(point)}"
    if point.questions is not None:
        text += f"<br>{point.questions:.1f} questions per case"
    return text


def _span(ends: Sequence[float]) -> list[float]:
    """A range around the values with room for the marks, hardly beyond 0 and 1."""
    low, high = max(min(ends, default=0.0), 0.0), min(max(ends, default=1.0), 1.0)
    room = max(0.01, 0.04 * (high - low))
    return [max(low - room, -0.02), min(high + room, 1.015)]


def _wrapped(name: str) -> str:
    """Wrap a long name onto two lines, and cut it if it still does not fit."""
    lines = wrap(name, LINE_LETTERS, max_lines=2, placeholder=" …")
    return "<br>".join(lines)


def comparison_alt_text(points: Sequence[ComparedPoint], rate: str) -> str:
    """Describe the figures in one sentence for each candidate."""
    parts = []
    for point in points:
        text = f"{point.name}: {_interval_words(point)}"
        if point.rank in (Rank.BEST, Rank.SIMPLEST):
            text += f", {point.rank.value}"
        parts.append(f"{text}.")
    return f"{rate[:1].upper()}{rate[1:]} on test rows. " + " ".join(parts)
