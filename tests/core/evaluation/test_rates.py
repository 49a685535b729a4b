"""Rates and their intervals."""

from __future__ import annotations

import doctest
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from scipy.stats.contingency import relative_risk

import odt_core.evaluation.rates
from odt_core.confusion import Confusion
from odt_core.errors import InputError
from odt_core.evaluation import (
    Estimate,
    Rate,
    floors,
    metrics,
    predictive_values,
    rates_differ,
)
from odt_core.problem import Goal, Objective
from tests.core.trees import unhurried

counts = st.integers(0, 60)
confusions = st.builds(Confusion, counts, counts, counts, counts)

NOTHING = Estimate(None)
EXAMPLE = Confusion(tp=90, fn=10, fp=20, tn=80)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [  # Newcombe 1998 (one proportion), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_of_the_literature(successes, n, low, high):
    rate = Rate(successes, n)
    assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [
        # Newcombe 1998, table II, method 10: 56/70 - 48/80 is 0.0524 to 0.3339
        (Rate(56, 70), Rate(48, 80), True),
        # 9/10 - 3/10 is 0.1705 to 0.8090; 5/56 - 0/29 is -0.0381 to 0.1926
        (Rate(9, 10), Rate(3, 10), True),
        (Rate(5, 56), Rate(0, 29), False),
        (Rate(331_107, 1_000_000), Rate(810, 2400), False),
        (Rate(0, 0), Rate(1, 2), None),
    ],
)
def test_proportions_differ_where_the_interval_of_their_difference_excludes_0(
    first: Rate, second: Rate, differ: bool | None
) -> None:
    assert rates_differ(first, second) is differ
    assert rates_differ(second, first) is differ


def test_intervals_are_those_of_a_library():
    for n in (*range(1, 40), 997, 300_000, 10**9):
        for x in {0, 1, n // 3, n // 2, n - 1, n}:
            asked = binomtest(x, n).proportion_ci(0.95, method="wilson")
            found = Rate(x, n)
            assert (found.low, found.high) == pytest.approx((asked.low, asked.high), abs=1e-12)
    for x, n, y, m in product((1, 2, 17, 60), (60, 61, 4_000), (1, 5, 33), (34, 90_000)):
        ratio = relative_risk(x, n, y, m)
        asked = ratio.confidence_interval(0.95)
        found = metrics(Confusion(tp=x, fn=n - x, fp=y, tn=m - y)).lr_positive
        assert (found.value, found.low, found.high) == pytest.approx(
            (ratio.relative_risk, asked.low, asked.high), rel=1e-12
        )


def test_a_rate_without_rows_is_nothing():
    rate = Rate(0, 0)
    assert (rate.value, rate.exact, rate.low, rate.high) == (None, None, None, None)


def test_all_rates_of_a_table():
    found = metrics(EXAMPLE)
    assert {
        name: (getattr(found, name).successes, getattr(found, name).n)
        for name in ("sensitivity", "specificity", "ppv", "npv", "accuracy", "prevalence")
    } == {
        "sensitivity": (90, 100),
        "specificity": (80, 100),
        "ppv": (90, 110),
        "npv": (80, 90),
        "accuracy": (170, 200),
        "prevalence": (100, 200),
    }
    assert found.confusion is EXAMPLE


def test_likelihood_ratios_by_the_log_method():
    # LR+ = 0.9 / 0.2; standard error of its logarithm: sqrt(1/90 - 1/100 + 1/20 - 1/100).
    positive, negative = metrics(EXAMPLE).lr_positive, metrics(EXAMPLE).lr_negative
    assert positive.value == pytest.approx(4.5)
    assert (positive.low, positive.high) == pytest.approx((3.0243, 6.6958), abs=5e-5)
    # LR- = 0.1 / 0.8; sqrt(1/10 - 1/100 + 1/80 - 1/100).
    assert negative.value == pytest.approx(0.125)
    assert (negative.low, negative.high) == pytest.approx((0.06887, 0.22688), abs=5e-5)


def test_balanced_accuracy_by_newcombes_square_and_add():
    found = metrics(EXAMPLE)
    se, sp, mean = found.sensitivity, found.specificity, found.balanced_accuracy
    assert mean.value == pytest.approx(0.85)
    below = ((0.9 - se.low) ** 2 + (0.8 - sp.low) ** 2) ** 0.5
    above = ((se.high - 0.9) ** 2 + (sp.high - 0.8) ** 2) ** 0.5
    assert (mean.low, mean.high) == pytest.approx((0.85 - below / 2, 0.85 + above / 2))


def test_a_perfect_table_still_has_an_interval_for_balanced_accuracy():
    mean = metrics(Confusion(tp=20, fp=0, tn=20, fn=0)).balanced_accuracy
    assert mean.value == 1 and mean.high == 1
    assert 0.85 < mean.low < 0.95


@pytest.mark.parametrize(
    ("confusion", "positive", "negative"),
    [
        (Confusion(tp=0, fp=0, tn=0, fn=0), NOTHING, NOTHING),
        (Confusion(tp=5, fp=0, tn=9, fn=5), NOTHING, Estimate(0.5)),
        (Confusion(tp=0, fp=3, tn=6, fn=5), Estimate(0.0), None),
        (Confusion(tp=5, fp=3, tn=0, fn=0), None, NOTHING),
        (Confusion(tp=5, fp=3, tn=0, fn=2), None, NOTHING),
        (Confusion(tp=5, fp=3, tn=0, fn=0), Estimate(1.0), NOTHING),
        (Confusion(tp=5, fp=0, tn=0, fn=2), NOTHING, NOTHING),
    ],
)
def test_ratios_are_nothing_where_their_denominator_is_0(confusion, positive, negative):
    found = metrics(confusion)
    if positive is not None:
        assert found.lr_positive == positive
    if negative is not None:
        assert found.lr_negative.value == negative.value


@unhurried
@given(confusions)
def test_intervals_hold_their_values_and_stay_in_bounds(confusion):
    found = metrics(confusion)
    for name in ("sensitivity", "specificity", "ppv", "npv", "accuracy", "balanced_accuracy"):
        rate = getattr(found, name)
        if rate.value is None:
            assert rate.low is None and rate.high is None
        else:
            assert 0 <= rate.low <= rate.value <= rate.high <= 1
            assert rate.low < rate.high
    for ratio in (found.lr_positive, found.lr_negative):
        if ratio.low is not None:
            assert 0 < ratio.low < ratio.value < ratio.high


@unhurried
@given(confusions)
def test_at_the_rows_own_prevalence_predictive_values_are_those_of_the_rows(confusion):
    found = metrics(confusion)
    if not 0 < confusion.n_positive < confusion.n:
        return
    ppv, npv = predictive_values(confusion, confusion.n_positive / confusion.n)
    for estimate, rate in ((ppv, found.ppv), (npv, found.npv)):
        if rate.value is None:
            assert estimate.value is None
        else:
            assert estimate.value == pytest.approx(rate.value)
            if estimate.low is not None:
                assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


def test_predictive_values_follow_bayes_at_another_prevalence():
    ppv, npv = predictive_values(EXAMPLE, 0.01)
    assert ppv.value == pytest.approx(0.9 * 0.01 / (0.9 * 0.01 + 0.2 * 0.99))
    assert npv.value == pytest.approx(0.8 * 0.99 / (0.8 * 0.99 + 0.1 * 0.01))
    assert ppv.low < ppv.value < ppv.high < 0.1
    assert 0.99 < npv.low < npv.value < npv.high


@pytest.mark.parametrize("prevalence", [0, 1, -0.1, 1.2])
def test_a_prevalence_outside_0_to_1_is_refused(prevalence):
    with pytest.raises(InputError, match="prevalence is"):
        predictive_values(EXAMPLE, prevalence)


def test_floors_stand_beside_what_was_reached():
    objective = Objective(Goal.MAX_TNR, min_tpr=Fraction(9, 10), min_tnr=Fraction(1, 2))
    test = metrics(Confusion(tp=8, fn=1, fp=1, tn=1))
    sensitivity, specificity = floors(objective, metrics(EXAMPLE), test)
    assert (sensitivity.name, sensitivity.asked) == ("sensitivity", Fraction(9, 10))
    assert (sensitivity.train.successes, sensitivity.test.successes) == (90, 8)
    assert sensitivity.met_in_test is False  # 8 of 9 is less than 90%
    assert specificity.met_in_test is True  # 1 of 2 is exactly half
    (alone,) = floors(Objective(min_tpr=Fraction(1, 2)), metrics(EXAMPLE), None)
    assert alone.test is None and alone.met_in_test is None
    assert floors(Objective(), metrics(EXAMPLE), test) == ()


def test_the_examples_in_the_docstrings():
    results = doctest.testmod(odt_core.evaluation.rates)
    assert results.attempted > 0 and results.failed == 0
