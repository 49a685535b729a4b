"""The progress of a solve as a Plotly figure: the best tree and the proved bound over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from odt_core.figures.chart import Chart
from odt_core.figures.layout import FONT_SIZE, lay_out, new_figure
from odt_core.problem import Problem
from odt_core.render import LIGHT, Theme
from odt_core.solution import TracePoint
from odt_core.words import GOAL_NAMES, gap_words, number_words, percent_words, seconds_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 260
"""Height of the figure in pixels."""

LABEL_WIDTH = 112
"""Space for the lines' names to their right, in pixels."""

FOUND, BOUND = "best tree", "proved bound"


def progress_chart(
    trace: Sequence[TracePoint],
    problem: Problem,
    *,
    theme: Theme = LIGHT,
    until: float | None = None,
) -> Chart:
    """Draw the best tree found and the proved bound over time.

    The best tree is a solid line, the bound a dotted line. Each line has its name at its end.

    Parameters
    ----------
    trace : sequence of TracePoint
        Points in the order of time; may be empty.
    problem : Problem
        Gives the unit of the goal.
    theme : Theme
        The colours.
    until : float, optional
        Seconds up to which the last values are extended; by default up to the last point.
    """
    figure = new_figure()
    _lay_out(figure, theme, problem)
    for name, points, color, dash in (
        (FOUND, [(p.seconds, p.incumbent) for p in trace], theme.accent, "solid"),
        (BOUND, [(p.seconds, p.bound) for p in trace], theme.second, "dot"),
    ):
        known = [(seconds, total) for seconds, total in points if total is not None]
        if not known:
            continue
        end = max(until or 0.0, trace[-1].seconds)
        if end > known[-1][0]:
            known.append((end, known[-1][1]))
        values = [_value(problem, total) for _, total in known]
        figure.add_scatter(
            x=[seconds for seconds, _ in known],
            y=values,
            mode="lines",
            name=name,
            line={"color": color, "width": 2.5, "dash": dash, "shape": "hv"},
            text=[_value_words(problem, total) for _, total in known],
            hovertemplate=f"{name}: %{{text}}<br>after %{{x:.2f}} s<extra></extra>",
        )
        figure.add_annotation(
            x=1,
            xref="paper",
            xshift=8,
            y=values[-1],
            text=f"{name}<br><b>{_value_words(problem, known[-1][1])}</b>",
            align="left",
            showarrow=False,
            xanchor="left",
            yanchor="top" if name == FOUND else "bottom",
            yshift=2 if name == FOUND else -2,
            font={"color": color},
        )
    return Chart(figure, _alt_text(trace, problem, until), theme)


def _alt_text(trace: Sequence[TracePoint], problem: Problem, until: float | None) -> str:
    """Describe the progress of a solve in one sentence."""
    found = next((p.incumbent for p in reversed(trace) if p.incumbent is not None), None)
    bound = next((p.bound for p in reversed(trace) if p.bound is not None), None)
    if not trace:
        return "The solve has not reported yet."
    parts = ["no tree yet" if found is None else f"{FOUND} {_value_words(problem, found)}"]
    parts.append("no bound yet" if bound is None else f"{BOUND} {_value_words(problem, bound)}")
    if found is not None and bound is not None:
        parts.append(gap_words(problem, bound - found) if bound > found else "proved optimal")
    end = max(until or 0.0, trace[-1].seconds)
    return f"After {seconds_words(end)}: {', '.join(parts)} ({_unit(problem)})."


def _unit(problem: Problem) -> str:
    objective = problem.objective
    if objective.goal.counts_rows:
        weighted = ", weighted" if objective.class_weight != 1 else ""
        return f"training rows classified correctly{weighted}"
    return f"{GOAL_NAMES[objective.goal]} in training"


def _value(problem: Problem, total: int) -> float:
    return float(problem.gains.value(total))


def _value_words(problem: Problem, total: int) -> str:
    value = problem.gains.value(total)
    is_count = problem.objective.goal.counts_rows
    return number_words(value) if is_count else percent_words(value, 2)


def _lay_out(figure: go.Figure, theme: Theme, problem: Problem) -> None:
    shares = {} if problem.objective.goal.counts_rows else {"tickformat": ".1%"}
    lay_out(
        figure,
        theme,
        x={"title": "seconds", "rangemode": "tozero", "showgrid": False, "automargin": True},
        y={"automargin": True, **shares},
        height=HEIGHT,
    )
    font = {"size": FONT_SIZE}
    title = {"text": _unit(problem), "font": font, "x": 0, "xref": "paper", "y": 0.98}
    margin = {"l": 8, "r": LABEL_WIDTH, "t": 28, "b": 8}
    figure.update_layout(margin=margin, showlegend=False, title=title)
