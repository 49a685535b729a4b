"""Figures of comparisons: every candidate is a point, with its interval, and files have all."""

from __future__ import annotations

import pytest

from odt_core.render import (
    DARK,
    ComparedPoint,
    FigureFormat,
    Rank,
    comparison_alt_text,
    comparison_figure,
    figure_file,
    questions_figure,
)

POINTS = (
    ComparedPoint("depth-1", Rank.SIMPLEST, 0.9, 0.85, 0.95, 0.91, 1.0),
    ComparedPoint("depth-2, sets of at most 1, every cut, CART's columns", Rank.BEST, 0.93, 0.86,
                  1.0, 0.96, 1.8),
    ComparedPoint("CART, depth 3", Rank.BASELINE, 0.88, None, None, 0.97, None),
)  # fmt: skip


def test_each_candidate_has_its_mean_interval_and_training_mean() -> None:
    figure = comparison_figure(POINTS, "accuracy", theme=DARK)
    trained, *ranks = figure.data
    assert list(trained.x) == [0.91, 0.96, 0.97] and list(trained.y) == [0, -1, -2]
    found = {place: trace for trace in ranks for place in trace.customdata}
    for place, point in enumerate(POINTS):
        trace = found[place]
        at = list(trace.customdata).index(place)
        assert (trace.x[at], trace.y[at], trace.name) == (point.mean, -place, point.rank.value)
        high = trace.x[at] + trace.error_x.array[at]
        assert high == pytest.approx(min(point.high or point.mean, 1.0))
        assert trace.x[at] - trace.error_x.arrayminus[at] == pytest.approx(point.low or point.mean)
    assert list(figure.layout.yaxis.ticktext) == [
        "depth-1",
        "depth-2, sets of at most 1,<br>every cut, CART's columns",
        "CART, depth 3",
    ]


def test_questions_are_across_and_what_has_none_is_left_out() -> None:
    figure = questions_figure(POINTS, "accuracy")
    drawn = [(x, y) for trace in figure.data for x, y in zip(trace.x, trace.y, strict=True)]
    assert sorted(drawn) == [(1.0, 0.9), (1.8, 0.93)]
    assert all(trace.error_y.array is not None for trace in figure.data)


def test_the_words_name_every_candidate_and_the_choice() -> None:
    text = comparison_alt_text(POINTS, "accuracy")
    assert "depth-1: 90.0% (85.0% to 95.0%), simplest within one standard error." in text
    assert "CART's columns: 93.0% (86.0% to 100%), best." in text
    assert "CART, depth 3: 88.0%." in text


@pytest.mark.parametrize("kind", list(FigureFormat))
def test_the_figures_are_files_too(kind: FigureFormat) -> None:
    for draw in (comparison_figure, questions_figure):
        content = figure_file(draw(POINTS, "accuracy", opaque=True), kind, "Comparison")
        assert len(content) > 1000
        if kind is FigureFormat.SVG and draw is comparison_figure:
            assert b"every cut" in content, "names stand beside their points"
