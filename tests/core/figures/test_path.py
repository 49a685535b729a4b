"""The figure of a path: proved points are filled, the elbow and the chosen one are marked."""

from __future__ import annotations

import pytest

from odt_core.figures import FigureFormat, chart_file, path_chart
from odt_core.render import DARK
from tests.core.study_results import path

VIEW = path((40, 10, 5, None), ((0.4, 0.02), (0.12, 0.01), (0.11, 0.01)), unproved=(2,))


def test_both_errors_stand_over_the_number_of_questions() -> None:
    line, unseen, train, hollow, ring = path_chart(VIEW, chosen=1, theme=DARK).figure.data
    assert list(line.x) == [1, 1] and line.name == "elbow"
    assert list(train.x) == list(train.customdata) == [0, 1, 2]
    assert list(train.y) == [0.4, 0.1, 0.05]
    assert hollow.name == "not proved" and list(hollow.x) == [2]
    assert list(ring.customdata) == [1]
    assert list(unseen.y) == [0.4, 0.12, 0.11] and list(unseen.error_y.array) == [0.02, 0.01, 0.01]


def test_without_folds_there_is_one_line_and_no_elbow() -> None:
    figure = path_chart(path((40, 10))).figure
    assert len(figure.data) == 1 and figure.data[0].name.startswith("in training")


def test_the_words_say_what_the_figure_shows() -> None:
    text = path_chart(VIEW).alt
    assert "1: 10.0% in training, 12.0% on unseen rows, the elbow." in text
    assert "2: 5.0% in training, not proved, 11.0% on unseen rows." in text
    assert "3:" not in text


@pytest.mark.parametrize("kind", list(FigureFormat))
def test_the_figure_is_a_file_too(kind: FigureFormat) -> None:
    assert len(chart_file(path_chart(VIEW), kind)) > 1000
