"""Intervals that allow for overlapping training sets, against a second formula by scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from odt_core.evaluation import resampled_mean
from tests.core.trees import unhurried

values = st.lists(st.floats(-1, 1), min_size=2, max_size=60)


@unhurried
@given(values, st.floats(0, 2))
def test_the_interval_is_the_usual_one_widened_for_the_overlap(
    found: list[float], ratio: float
) -> None:
    """scipy's interval of a mean, whose half width grows by sqrt(1 + J * n_test / n_train)."""
    interval = resampled_mean(found, ratio)
    n, error = len(found), float(stats.sem(found))
    wider = math.sqrt(1 + n * ratio)
    assert interval.n == n and interval.mean == pytest.approx(np.mean(found), abs=1e-12)
    assert interval.error == pytest.approx(error * wider, abs=1e-9)
    assert interval.low is not None and interval.high is not None
    half = stats.t.ppf(0.975, n - 1) * error * wider
    assert interval.high - interval.mean == pytest.approx(half, abs=1e-9)
    assert interval.mean - interval.low == pytest.approx(half, abs=1e-9)


def test_without_overlap_it_is_the_paired_t_test() -> None:
    first, second = [0.8, 0.75, 0.9, 0.7, 0.85], [0.7, 0.76, 0.8, 0.72, 0.8]
    interval = resampled_mean([a - b for a, b in zip(first, second, strict=True)], 0.0)
    expected = stats.ttest_rel(first, second).confidence_interval(0.95)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_one_fold_has_no_interval() -> None:
    single = resampled_mean([0.8], 0.25)
    assert (single.n, single.mean, single.error, single.low, single.high) == (1, 0.8, *[None] * 3)


def test_equal_folds_have_an_interval_of_no_width() -> None:
    same = resampled_mean([0.0] * 5, 0.25)
    assert (same.low, same.mean, same.high) == (0, 0, 0)
