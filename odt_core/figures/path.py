"""A path by number of questions: the share of wrong rows in training and on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from odt_core.figures.chart import Chart
from odt_core.figures.layout import MARGIN, PERCENT, add_line, error_bars, lay_out, new_figure
from odt_core.render import LIGHT, Theme
from odt_core.studies import PathPoint, PathView
from odt_core.studies.path import UnseenError
from odt_core.words import count_words, percent_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 360


def path_chart(view: PathView, *, chosen: int | None = None, theme: Theme = LIGHT) -> Chart:
    """Draw the errors in training and on unseen rows over the number of questions.

    Parameters
    ----------
    view : PathView
        The path. The custom data of a point is its number of questions.
    chosen : int, optional
        Number of questions of the tree that is shown.
    theme : Theme
        The colours.
    """
    figure, top = new_figure(), _top(view)
    if view.elbow is not None:
        add_line(figure, [view.elbow] * 2, [0, top], "elbow", theme.muted, width=1.4, dash="dot")
    _add_unseen(figure, view.unseen, theme)
    _add_train(figure, [point for point in view.points if point.train is not None], chosen, theme)
    most = view.points[-1].questions
    lay_out(
        figure,
        theme,
        x={"title": "most questions", "range": [-0.4, most + 0.4], "dtick": 1},
        y={"title": "wrong rows", "range": [0, top], "tickformat": PERCENT},
        height=HEIGHT,
    )
    figure.layout.margin = {**MARGIN, "t": 58}
    return Chart(figure, _alt_text(view), theme)


def _add_train(
    figure: go.Figure, points: Sequence[PathPoint], chosen: int | None, theme: Theme
) -> None:
    """Add the line. Points that are not proved are hollow; the chosen point has a ring."""
    color = {"color": theme.second, "width": 1.8}
    figure.add_scatter(
        **_places(points),
        mode="lines+markers",
        name="in training, the least possible",
        line=color,
        marker={"symbol": "circle", "size": 10, "color": theme.second},
    )
    open_ = [point for point in points if not point.is_proved]
    if open_:
        hollow = {"symbol": "circle", "size": 10, "color": theme.page, "line": color}
        figure.add_scatter(**_places(open_), mode="markers", name="not proved", marker=hollow)
    ring = [point for point in points if point.questions == chosen]
    if ring:
        line = {"color": theme.accent, "width": 2.5}
        marker = {"symbol": "circle-open", "size": 18, "color": theme.accent, "line": line}
        figure.add_scatter(**_places(ring), mode="markers", name="the chosen tree", marker=marker)


def _places(points: Sequence[PathPoint]) -> dict[str, Any]:
    """Positions and hover texts of the training errors."""
    return {
        "x": [point.questions for point in points],
        "y": [_share(point) for point in points],
        "cliponaxis": False,
        "customdata": [point.questions for point in points],
        "text": [_train_words(point) for point in points],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _share(point: PathPoint) -> float:
    """The share of wrong training rows of a point with a tree."""
    assert point.train is not None
    return point.train.errors / max(point.train.n, 1)


def _add_unseen(figure: go.Figure, unseen: Sequence[UnseenError], theme: Theme) -> None:
    if not unseen:
        return
    errors = [each.standard_error or 0.0 for each in unseen]
    figure.add_scatter(
        x=[each.questions for each in unseen],
        y=[each.share for each in unseen],
        mode="lines+markers",
        name="on unseen rows",
        line={"color": theme.accent, "width": 1.8, "dash": "dash"},
        marker={"symbol": "diamond", "size": 10, "color": theme.accent},
        error_y=error_bars(theme.accent, above=errors, below=errors, thickness=1.4, width=4),
        cliponaxis=False,
        customdata=[each.questions for each in unseen],
        text=[_unseen_words(each) for each in unseen],
        hovertemplate="%{text}<extra></extra>",
    )


def _top(view: PathView) -> float:
    """The upper end of the axis, with space above the largest error and its standard error."""
    ends = [_share(point) for point in view.points if point.train is not None]
    ends += [each.share + (each.standard_error or 0) for each in view.unseen]
    return min(1.08 * max(ends, default=0.5) + 0.005, 1.02)


def _train_words(point: PathPoint) -> str:
    proved = "proved" if point.is_proved else "best found, not proved"
    at_most = f"at most {count_words(point.questions, 'question')}"
    return f"{at_most}<br>in training {percent_words(_share(point))} wrong, {proved}"


def _unseen_words(each: UnseenError) -> str:
    error = "" if each.standard_error is None else f" ± {percent_words(each.standard_error)}"
    at_most = f"at most {count_words(each.questions, 'question')}"
    return f"{at_most}<br>on unseen rows {percent_words(each.share)}{error} wrong"


def _alt_text(view: PathView) -> str:
    """Describe the figure in one sentence for each number of questions."""
    unseen = {each.questions: each for each in view.unseen}
    parts = ["Wrong rows by the largest number of questions."]
    for point in view.points:
        if point.train is None:
            continue
        text = f"{point.questions}: {percent_words(_share(point))} in training"
        text += "" if point.is_proved else ", not proved"
        if point.questions in unseen:
            text += f", {percent_words(unseen[point.questions].share)} on unseen rows"
        parts.append(f"{text}{', the elbow' if point.questions == view.elbow else ''}.")
    return " ".join(parts)
