"""The leaf table."""

from __future__ import annotations

import numpy as np

from odt_core.evaluation import Rate, leaf_table
from odt_core.problem import EncodedData
from odt_core.tree import Leaf, Tree
from tests.core.trees import mushroom_tree


def rows_of(tree: Tree, codes: list[list[int]], y: list[bool]) -> EncodedData:
    return EncodedData(
        np.array(codes, dtype=np.int32), np.array(y), np.ones(len(y), dtype=np.int64), tree.features
    )


def test_training_and_test_stand_side_by_side():
    tree = mushroom_tree()
    test = rows_of(tree, [[0, 0], [0, 0], [2, 0], [-1, 3]], [True, False, False, True])
    first, second, third = leaf_table(tree, test)
    assert (first.number, first.predicted, first.label) == (1, "edible", True)
    assert first.rule == "odor is almond, anise or none AND cap size <= 2.5 (or missing)"
    assert first.train == Rate(95, 97)
    assert first.test == Rate(2, 3)
    assert (second.test.n, second.test.value) == (0, None)
    assert (third.train, third.test) == (Rate(0, 80), Rate(0, 1))


def test_without_test_rows_there_is_no_test():
    assert [row.test for row in leaf_table(mushroom_tree())] == [None, None, None]


def test_small_leaves_are_flagged():
    small = Tree(Leaf(True, 4, 5), ())
    assert leaf_table(small)[0].is_small
    assert not leaf_table(Tree(Leaf(True, 4, 6), ()))[0].is_small
    assert not leaf_table(small, small=9)[0].is_small
