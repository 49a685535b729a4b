"""Candidates of a comparison: points with intervals, and rates against numbers of questions."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from textwrap import wrap
from typing import TYPE_CHECKING

from odt_core.figures.chart import Chart
from odt_core.figures.layout import FONT_SIZE, MARGIN, PERCENT, error_bars, lay_out, new_figure
from odt_core.render import LIGHT, Theme
from odt_core.studies import CandidateRow, Comparison
from odt_core.studies.comparison_words import measure_words
from odt_core.words import capitalized, percent_words

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


def comparison_chart(found: Comparison, *, theme: Theme = LIGHT) -> Chart:
    """Draw a line for each candidate: its test rate with the interval, and its training rate.

    Parameters
    ----------
    found : Comparison
        The comparison. The custom data of a point is the place in `Comparison.scored`.
    theme : Theme
        The colours.
    """
    figure, rows = new_figure(), found.scored
    trains = [row.train(found.measure).mean for row in rows]
    trained = [(place, train) for place, train in enumerate(trains) if train is not None]
    figure.add_scatter(
        x=[train for _, train in trained],
        y=[-place for place, _ in trained],
        mode="markers",
        name="in training",
        marker={"symbol": "line-ns-open", "size": 11, "color": theme.muted, "line": {"width": 2}},
        text=[f"{rows[place].words}<br>in training {percent_words(x)}" for place, x in trained],
        hovertemplate="%{text}<extra></extra>",
    )
    for rank in Rank:
        _add_rank(figure, found, rank, theme, is_plane=False)
    lay_out(
        figure,
        theme,
        x={
            "title": f"{measure_words(found)} on test rows",
            "range": _span([x for row in rows for x in _rates(row)] + [x for _, x in trained]),
            "tickformat": PERCENT,
        },
        y={
            "range": [-len(rows) + 0.4, 0.6],
            "tickvals": [-place for place in range(len(rows))],
            "ticktext": [_wrapped(row.words) for row in rows],
            "tickfont": {"size": FONT_SIZE - 1},
            "showgrid": False,
        },
        height=max(LEAST_HEIGHT, LINE * len(rows) + 110),
    )
    figure.layout.margin = {**MARGIN, "l": NAME_ROOM, "t": 58}
    return Chart(figure, _alt_text(found), theme)


def questions_chart(found: Comparison, *, theme: Theme = LIGHT) -> Chart:
    """Draw the test rate over the number of questions per case; see `comparison_chart`."""
    figure, rows = new_figure(), found.scored
    for rank in Rank:
        _add_rank(figure, found, rank, theme, is_plane=True)
    most = max((row.questions for row in rows if row.questions is not None), default=1.0)
    lay_out(
        figure,
        theme,
        x={"title": "questions asked per case, mean", "range": [-0.15, 1.08 * most + 0.1]},
        y={
            "title": f"{measure_words(found)} on test rows",
            "range": _span([x for row in rows for x in _rates(row)]),
            "tickformat": PERCENT,
        },
        height=PLANE_HEIGHT,
    )
    figure.layout.margin = {**MARGIN, "t": 58}
    return Chart(figure, _alt_text(found), theme)


def _rank(found: Comparison, row: CandidateRow) -> Rank:
    place = found.rows.index(row)
    if place == found.best:
        return Rank.BEST
    if place == found.simplest:
        return Rank.SIMPLEST
    return Rank.BASELINE if row.is_baseline else Rank.OTHER


def _rates(row: CandidateRow) -> list[float]:
    """The mean, and the ends of its interval if it has one."""
    score = row.score
    assert score is not None
    if score.low is None or score.high is None or score.is_constant:
        return [score.mean]
    return [score.mean, score.low, score.high]


def _add_rank(
    figure: go.Figure, found: Comparison, rank: Rank, theme: Theme, *, is_plane: bool
) -> None:
    """Add the points of one rank, in one colour and form."""
    here = [
        (place, row)
        for place, row in enumerate(found.scored)
        if _rank(found, row) is rank and not (is_plane and row.questions is None)
    ]
    if not here:
        return
    symbol, color, fill = {
        Rank.BEST: ("diamond", theme.accent, theme.accent),
        Rank.SIMPLEST: ("square", theme.second, theme.second),
        Rank.OTHER: ("circle", theme.second, theme.second),
        Rank.BASELINE: ("circle", theme.muted, theme.page),
    }[rank]
    rates = [_rates(row) for _, row in here]
    means = [mean for mean, *_ in rates]
    bars = error_bars(
        color,
        above=[max(each) - each[0] for each in rates],
        below=[each[0] - min(each) for each in rates],
        thickness=1.6,
        width=4,
    )
    places = [place for place, _ in here]
    figure.add_scatter(
        x=[row.questions for _, row in here] if is_plane else means,
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
        text=[_hover(row) for _, row in here],
        hovertemplate="%{text}<extra></extra>",
        **{"error_y" if is_plane else "error_x": bars},
    )


def _interval_words(row: CandidateRow) -> str:
    """The mean with its interval, in plain words."""
    mean, *ends = map(percent_words, _rates(row))
    return f"{mean} ({ends[0]} to {ends[1]})" if ends else mean


def _hover(row: CandidateRow) -> str:
    text = f"{row.words}<br>in test {_interval_words(row)}"
    if row.questions is not None:
        text += f"<br>{row.questions:.1f} questions per case"
    return text


def _span(ends: Sequence[float]) -> list[float]:
    """A range around the values, with room for the marks but almost within 0 and 1."""
    low, high = max(min(ends, default=0.0), 0.0), min(max(ends, default=1.0), 1.0)
    room = max(0.01, 0.04 * (high - low))
    return [max(low - room, -0.02), min(high + room, 1.015)]


def _wrapped(name: str) -> str:
    """Wrap a long name onto two lines, and cut it if it still does not fit."""
    lines = wrap(name, LINE_LETTERS, max_lines=2, placeholder=" …")
    return "<br>".join(lines)


def _alt_text(found: Comparison) -> str:
    """Describe the figures in one sentence for each candidate."""
    parts = []
    for row in found.scored:
        rank = _rank(found, row)
        choice = f", {rank.value}" if rank in (Rank.BEST, Rank.SIMPLEST) else ""
        parts.append(f"{row.words}: {_interval_words(row)}{choice}.")
    return f"{capitalized(measure_words(found))} on test rows. " + " ".join(parts)
