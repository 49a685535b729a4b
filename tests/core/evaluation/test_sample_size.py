"""Rows and events for each question of a shape."""

from __future__ import annotations

import numpy as np
import pytest

from odt_core.evaluation import sample_size
from odt_core.problem import EncodedData, Feature, FeatureKind
from odt_core.topology import parse_shape


def rows(n_positive: int, n_negative: int) -> EncodedData:
    y = np.array([True] * n_positive + [False] * n_negative)
    feature = Feature("x", FeatureKind.CATEGORICAL, ("a", "b"))
    codes = np.zeros((len(y), 1), dtype=np.int32)
    return EncodedData(
        codes, y, np.ones(len(y), dtype=np.int64), (feature,), "class", "ill", "well"
    )


@pytest.mark.parametrize(
    ("shape", "questions"), [("depth-2", 3), ("depth-3", 7), ("any-5", 5), ("(. (. .))", 2)]
)
def test_events_are_rows_of_the_rarer_class(shape: str, questions: int) -> None:
    found = sample_size(rows(30, 170), parse_shape(shape))
    assert (found.rows, found.events, found.event, found.questions) == (200, 30, "ill", questions)
    assert found.events_per_question == 30 / questions
    assert sample_size(rows(170, 30), parse_shape(shape)).event == "well"


def test_few_events_are_reported_with_what_to_do() -> None:
    assert "may fit chance. A smaller shape is safer." in (
        sample_size(rows(20, 100), parse_shape("depth-2")).words
    )
    assert sample_size(rows(30, 100), parse_shape("depth-2")).words.endswith(
        "for 3 questions: 43.3 rows and 10 events for each."
    )
