"""A path by number of questions: the share of wrong rows in training and on held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from odt_core.render.layout import MARGIN, PERCENT, error_bars, lay_out
from odt_core.render.theme import LIGHT, Theme
from odt_core.words import count_words, percent_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 360


@dataclass(frozen=True)
class PathMark:
    """The best tree with at most k questions; shares in [0, 1].

    Attributes
    ----------
    questions : int
        The largest number of questions, k.
    train : float or None
        Share of training rows that the tree gets wrong; None without a tree.
    is_proved : bool
        Whether it is proved that no tree of any shape with at most k questions is better.
    unseen, error : float or None
        Share of wrong held-out rows in cross-validation, and its standard error.
    """

    questions: int
    train: float | None
    is_proved: bool
    unseen: float | None = None
    error: float | None = None


def path_figure(
    marks: Sequence[PathMark],
    *,
    chosen: int | None = None,
    elbow: int | None = None,
    theme: Theme = LIGHT,
    opaque: bool = False,
) -> go.Figure:
    """Draw both errors over the number of questions.

    Parameters
    ----------
    marks : sequence of PathMark
        The best trees, by rising number of questions.
    chosen : int, optional
        Number of questions of the tree that is shown.
    elbow : int, optional
        Number of questions that is marked as the elbow.
    theme : Theme
        The colours.
    opaque : bool
        Whether to paint the page behind the figure, for files.
    """
    import plotly.graph_objects as go  # slow to import

    figure = go.Figure()
    if elbow is not None:
        line = {"color": theme.muted, "width": 1.4, "dash": "dot"}
        ends = {"x": [elbow, elbow], "y": [0, _top(marks)]}
        figure.add_scatter(**ends, mode="lines", name="elbow", line=line, hoverinfo="skip")
    _add_unseen(figure, [mark for mark in marks if mark.unseen is not None], theme)
    _add_train(figure, [mark for mark in marks if mark.train is not None], chosen, theme)
    most = max((mark.questions for mark in marks), default=1)
    lay_out(
        figure,
        theme,
        x={"title": "questions at most", "range": [-0.4, most + 0.4], "dtick": 1},
        y={"title": "wrong rows", "range": [0, _top(marks)], "tickformat": PERCENT},
        height=HEIGHT,
        opaque=opaque,
    )
    figure.layout.margin = {**MARGIN, "t": 58}
    return figure


def _add_train(
    figure: go.Figure, marks: Sequence[PathMark], chosen: int | None, theme: Theme
) -> None:
    """Add the line. Points that are not proved are hollow; the chosen point has a ring."""
    color = {"color": theme.second, "width": 1.8}
    figure.add_scatter(
        **_places(marks),
        mode="lines+markers",
        name="in training, the least possible",
        line=color,
        marker={"symbol": "circle", "size": 10, "color": theme.second},
    )
    open_ = [mark for mark in marks if not mark.is_proved]
    if open_:
        hollow = {"symbol": "circle", "size": 10, "color": theme.page, "line": color}
        figure.add_scatter(**_places(open_), mode="markers", name="not proved", marker=hollow)
    ring = [mark for mark in marks if mark.questions == chosen]
    if ring:
        line = {"color": theme.accent, "width": 2.5}
        marker = {"symbol": "circle-open", "size": 18, "color": theme.accent, "line": line}
        figure.add_scatter(**_places(ring), mode="markers", name="the chosen tree", marker=marker)


def _places(marks: Sequence[PathMark]) -> dict[str, Any]:
    """Positions and hover texts of the training errors."""
    return {
        "x": [mark.questions for mark in marks],
        "y": [mark.train for mark in marks],
        "cliponaxis": False,
        "customdata": [mark.questions for mark in marks],
        "text": [_train_words(mark) for mark in marks],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _add_unseen(figure: go.Figure, marks: Sequence[PathMark], theme: Theme) -> None:
    if not marks:
        return
    errors = [mark.error or 0.0 for mark in marks]
    figure.add_scatter(
        x=[mark.questions for mark in marks],
        y=[mark.unseen for mark in marks],
        mode="lines+markers",
        name="on unseen rows",
        line={"color": theme.accent, "width": 1.8, "dash": "dash"},
        marker={"symbol": "diamond", "size": 10, "color": theme.accent},
        error_y=error_bars(theme.accent, above=errors, below=errors, thickness=1.4, width=4),
        cliponaxis=False,
        customdata=[mark.questions for mark in marks],
        text=[_unseen_words(mark) for mark in marks],
        hovertemplate="%{text}<extra></extra>",
    )


def _top(marks: Sequence[PathMark]) -> float:
    """The upper end of the axis, with space above the largest error and its standard error."""
    ends = [mark.train for mark in marks if mark.train is not None]
    ends += [mark.unseen + (mark.error or 0) for mark in marks if mark.unseen is not None]
    return min(1.08 * max(ends, default=0.5) + 0.005, 1.02)


def _train_words(mark: PathMark) -> str:
    proved = "proved" if mark.is_proved else "best found, not proved"
    at_most = f"at most {count_words(mark.questions, 'question')}"
    return f"{at_most}<br>in training {percent_words(mark.train or 0.0)} wrong, {proved}"


def _unseen_words(mark: PathMark) -> str:
    error = "" if mark.error is None else f" ± {percent_words(mark.error)}"
    at_most = f"at most {count_words(mark.questions, 'question')}"
    return f"{at_most}<br>on unseen rows {percent_words(mark.unseen or 0.0)}{error} wrong"


def path_alt_text(marks: Sequence[PathMark], elbow: int | None = None) -> str:
    """Describe the figure in one sentence for each number of questions."""
    parts = ["Wrong rows by the largest number of questions."]
    for mark in marks:
        if mark.train is None:
            continue
        text = f"{mark.questions}: {percent_words(mark.train)} in training"
        text += "" if mark.is_proved else ", not proved"
        if mark.unseen is not None:
            text += f", {percent_words(mark.unseen)} on unseen rows"
        parts.append(f"{text}{', the elbow' if mark.questions == elbow else ''}.")
    return " ".join(parts)
