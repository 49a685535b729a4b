"""Figures of comparisons: every candidate is a point, with its interval, and files have all."""

from __future__ import annotations

import pytest

from odt_core.figures import FigureFormat, chart_file, comparison_chart, questions_chart
from odt_core.render import DARK
from tests.core.study_results import comparison

FOUND = comparison()


def test_each_candidate_has_its_mean_interval_and_training_mean() -> None:
    figure = comparison_chart(FOUND, theme=DARK).figure
    trained, *ranks = figure.data
    assert list(trained.x) == [0.91, 0.96, 0.97] and list(trained.y) == [0, -1, -2]
    found = {place: trace for trace in ranks for place in trace.customdata}
    names = ("simplest within one standard error", "best", "baselines")
    ends = ((0.85, 0.95), (0.86, 1.0), (0.88, 0.88))
    for place, (row, name, (low, high)) in enumerate(zip(FOUND.rows, names, ends, strict=True)):
        trace = found[place]
        at = list(trace.customdata).index(place)
        assert row.score is not None
        assert (trace.x[at], trace.y[at], trace.name) == (row.score.mean, -place, name)
        assert trace.x[at] + trace.error_x.array[at] == pytest.approx(high)
        assert trace.x[at] - trace.error_x.arrayminus[at] == pytest.approx(low)
    assert list(figure.layout.yaxis.ticktext) == [
        "depth-1",
        "depth-2, sets of at most 1,<br>every cut",
        "CART, depth 3",
    ]


def test_candidates_without_a_number_of_questions_are_left_out() -> None:
    figure = questions_chart(FOUND).figure
    drawn = [(x, y) for trace in figure.data for x, y in zip(trace.x, trace.y, strict=True)]
    assert sorted(drawn) == [(1.0, 0.9), (1.8, 0.93)]
    assert all(trace.error_y.array is not None for trace in figure.data)


def test_the_words_name_every_candidate_and_the_choice() -> None:
    text = comparison_chart(FOUND).alt
    assert "depth-1: 90.0% (85.0% to 95.0%), simplest within one standard error." in text
    assert "every cut: 93.0% (86.0% to 100%), best." in text
    assert "CART, depth 3: 88.0%." in text


@pytest.mark.parametrize("kind", list(FigureFormat))
def test_the_figures_are_files_too(kind: FigureFormat) -> None:
    for draw in (comparison_chart, questions_chart):
        content = chart_file(draw(FOUND), kind)
        assert len(content) > 1000
        if kind is FigureFormat.SVG and draw is comparison_chart:
            assert b"every cut" in content, "names stand beside their points"
