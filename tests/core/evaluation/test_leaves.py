"""The leaf table."""

from __future__ import annotations

import numpy as np
import pytest

from odt_core.evaluation import Rate, leaf_table
from odt_core.problem import EncodedData, Feature, FeatureKind
from odt_core.tree import Leaf, Tree
from tests.core.trees import decision, mushroom_tree


def rows_of(tree: Tree, codes: list[list[int]], y: list[bool]) -> EncodedData:
    return EncodedData(
        np.array(codes, dtype=np.int32), np.array(y), np.ones(len(y), dtype=np.int64), tree.features
    )


def test_training_and_test_stand_side_by_side():
    tree = mushroom_tree()
    test = rows_of(tree, [[0, 0], [0, 0], [2, 0], [-1, 3]], [True, False, False, True])
    first, second, third = leaf_table(tree, test)
    assert (first.number, first.predicted, first.label) == (1, "edible", True)
    assert first.rule == "odor is almond, anise or none and cap size is at most 2.5 (or missing)"
    assert first.train == Rate(95, 97)
    assert first.test == Rate(2, 3)
    assert (second.test.n, second.test.value) == (0, None)
    assert (third.train, third.test) == (Rate(0, 80), Rate(0, 1))


def test_without_test_rows_there_is_no_test():
    assert [row.test for row in leaf_table(mushroom_tree())] == [None, None, None]


@pytest.mark.parametrize(
    ("leaf", "marks"),
    [
        (Leaf(True, 4, 5), ("few rows",)),
        (Leaf(True, 4, 6), ()),
        (Leaf(True, 16, 4), ("few positive",)),
        (Leaf(False, 4, 16), ("few negative",)),
        (Leaf(False, 20, 0), ()),
    ],
)
def test_leaves_with_few_rows_or_few_of_their_class_are_marked(leaf: Leaf, marks: tuple[str, ...]):
    assert leaf_table(Tree(leaf, ()))[0].marks == marks


def test_a_leaf_whose_test_rows_are_mostly_of_the_other_class_is_marked():
    tree = mushroom_tree()
    test = rows_of(tree, [[0, 0], [0, 0], [0, 0], [2, 0]], [True, False, False, False])
    assert [row.marks for row in leaf_table(tree, test)] == [("test disagrees",), (), ()]
    even = rows_of(tree, [[0, 0], [0, 0]], [True, False])
    assert leaf_table(tree, even)[0].marks == ()


def test_a_leaf_that_a_floor_made_positive_is_held_to_the_share_of_all_test_rows():
    feature = Feature("x", FeatureKind.NUMERICAL, ("a", "b"), (1.0,))
    tree = Tree(decision(0, {0}, Leaf(True, 70, 30), Leaf(False, 90, 0), {0, 1}), (feature,))
    codes = [[0]] * 10 + [[1]] * 10
    risky = rows_of(tree, codes, [True] * 3 + [False] * 17)
    assert leaf_table(tree, risky)[0].marks == ()
    harmless = rows_of(tree, codes, [True] + [False] * 9 + [True] * 3 + [False] * 7)
    assert leaf_table(tree, harmless)[0].marks == ("test disagrees",)
