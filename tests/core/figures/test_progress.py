"""The figure of a solve's progress."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from odt_core.figures import progress_chart
from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective, Problem
from odt_core.render import DARK, LIGHT
from odt_core.solution import TracePoint
from odt_core.topology import Topology

TRACE = [
    TracePoint(0.5, None, 100),
    TracePoint(1.0, 80, 100),
    TracePoint(2.0, 90, 95),
    TracePoint(4.0, 90, 92),
]


def problem_of(objective: Objective | None = None) -> Problem:
    data = EncodedData(
        np.zeros((100, 1), dtype=np.int32),
        np.arange(100) < 40,
        np.ones(100, dtype=np.int64),
        (Feature("c", FeatureKind.CATEGORICAL, ("a", "b")),),
        "state",
        "ill <b>",
        "well",
    )
    return Problem(data, Topology.parse("depth-1"), objective or Objective())


def test_the_text_and_the_lines_end_with_the_run():
    assert progress_chart(TRACE, problem_of(), until=6.0).alt.startswith("After 6 s: ")
    assert progress_chart(TRACE, problem_of()).alt.startswith("After 4 s: ")


def test_both_lines_step_and_run_on_to_the_present():
    figure = progress_chart(TRACE, problem_of(), until=5.0).figure
    found, bound = figure.data
    assert (found.name, bound.name) == ("best tree", "proved bound")
    assert list(found.x) == [1.0, 2.0, 4.0, 5.0] and list(found.y) == [80, 90, 90, 90]
    assert list(bound.x) == [0.5, 1.0, 2.0, 4.0, 5.0] and list(bound.y) == [100, 100, 95, 92, 92]
    assert found.line.shape == bound.line.shape == "hv"
    assert found.line.dash != bound.line.dash  # colour is not the only difference
    assert [a.text for a in figure.layout.annotations] == [
        "best tree<br><b>90</b>",
        "proved bound<br><b>92</b>",
    ]
    assert figure.layout.title.text == "training rows classified correctly"


@pytest.mark.parametrize(
    ("objective", "unit", "value", "words"),
    [
        (Objective(Goal.MAX_TPR, min_tnr=Fraction(0)), "sensitivity (TPR)", 0.5, "50.00%"),
        (Objective(Goal.BALANCED), "balanced accuracy", 20 * 3 / 240, "25.00%"),
        (Objective(class_weight=Fraction(1, 2)), "correctly, weighted", 10, "10"),
    ],
)
def test_values_are_in_the_goals_unit(objective, unit, value, words):
    problem = problem_of(objective)
    total = 60 if objective.goal is Goal.BALANCED else 20
    figure = progress_chart([TracePoint(1.0, total, None)], problem).figure
    assert unit in figure.layout.title.text
    assert list(figure.data[0].y) == pytest.approx([value])
    assert words in figure.layout.annotations[0].text


def test_an_empty_trace_is_an_empty_figure():
    assert len(progress_chart([], problem_of()).figure.data) == 0
    assert progress_chart([], problem_of()).alt == "The solve has not reported yet."


def test_nothing_is_loaded_from_outside_and_colours_are_the_themes():
    for theme in (LIGHT, DARK):
        text = progress_chart(TRACE, problem_of(), theme=theme).figure.to_json()
        assert "http" not in text
        assert theme.accent in text and theme.second in text and theme.ink in text


@pytest.mark.parametrize(
    ("trace", "words"),
    [
        (TRACE[:1], "After 0.5 s: no tree yet, proved bound 100"),
        ([TracePoint(1.0, 80, None)], "After 1 s: best tree 80, no bound yet"),
        (
            TRACE,
            "After 4 s: best tree 90, proved bound 92, "
            "a better tree gets at most 2 more rows right",
        ),
        ([TracePoint(1.0, 80, 80)], "After 1 s: best tree 80, proved bound 80, proved optimal"),
    ],
)
def test_progress_as_text(trace, words):
    text = progress_chart(trace, problem_of()).alt
    assert text == f"{words} (training rows classified correctly)."
