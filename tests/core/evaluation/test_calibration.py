"""Expected against observed events in the leaves."""

from __future__ import annotations

import pytest

from odt_core.evaluation import leaf_calibration
from odt_core.problem import Feature, FeatureKind, Split
from odt_core.tree import Decision, Leaf, Tree


@pytest.fixture
def tree() -> Tree:
    feature = Feature("x", FeatureKind.CATEGORICAL, ("a", "b"))
    root = Decision(Split(0, frozenset({0})), Leaf(True, 20, 80), Leaf(False, 95, 5))
    return Tree(root, (feature,), "class", "ill", "well")


def test_expected_events_are_training_risks_times_rows(tree: Tree) -> None:
    found = leaf_calibration(tree, [(10, 40), (90, 10)])
    assert [leaf.expected for leaf in found.leaves] == [40.0, 5.0]
    assert [leaf.ratio.value for leaf in found.leaves] == [1.0, 2.0]
    assert found.observed.successes == 50 and found.expected == 45.0
    assert found.ratio.value == pytest.approx(50 / 45)
    assert [leaf.agrees for leaf in found.leaves] == [True, True]  # 5 and 10 of 100: chance
    assert leaf_calibration(tree, [(10, 40), (60, 40)]).leaves[1].agrees is False


def test_the_interval_is_that_of_the_logarithm(tree: Tree) -> None:
    ratio = leaf_calibration(tree, [(0, 0), (90, 10)]).leaves[1].ratio
    # 2 * exp(-+ 1.96 * sqrt(0.9 / 10))
    assert (ratio.low, ratio.high) == pytest.approx((1.1108, 3.6008), abs=1e-3)


def test_there_is_no_ratio_without_rows_and_no_interval_without_events(tree: Tree) -> None:
    empty, none = leaf_calibration(tree, [(0, 0), (50, 0)]).leaves
    assert empty.ratio.value is None and empty.agrees is None
    assert (none.ratio.value, none.ratio.low) == (0.0, None)
