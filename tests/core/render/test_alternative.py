"""Everything a drawing says is there as text."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from odt_core.problem import EncodedData
from odt_core.render import topology_alt_text, tree_alt_text, tree_summary
from odt_core.topology import Topology
from odt_core.tree import Leaf, Tree
from odt_core.words import printable, split_words
from tests.core.trees import mushroom_tree, random_tree, unhurried

randoms = st.randoms(use_true_random=False)


def test_a_tree_as_text():
    tree = mushroom_tree()
    codes = np.array([[0, 0], [0, 0], [2, 0]], dtype=np.int32)
    test = EncodedData(
        codes, np.array([True, False, False]), np.ones(3, dtype=np.int64), tree.features
    )
    assert tree_alt_text(tree, test).splitlines() == [
        "Decision tree for class, positive class edible: 2 questions about odor, cap size; "
        "3 leaves.",
        "question 1: odor is almond, anise or none? (200 training rows)",
        "  yes (almond, anise, none): question 2: cap size <= 2.5 or missing? (120 training rows)",
        "    yes (<= 2.5 or missing): leaf 1: edible; 95 of 97 training rows are edible (97.9%); "
        "1 of 2 test rows is edible (50.0%)",
        "    no (> 2.5): leaf 2: poisonous; 3 of 23 training rows are edible (13.0%); no test rows",
        "  no (foul, musty, (missing); not seen here: spicy): leaf 3: poisonous; 0 of 80 training "
        "rows are edible (0%); 0 of 1 test row is edible (0%)",
        "A value that no training row had takes the branch of most training rows: yes to "
        "question 1 (a new value of odor). No training row supports these answers, as none had "
        "the value at the question: no to question 1 (odor = spicy).",
    ]


def test_a_lone_leaf_as_text():
    tree = Tree(Leaf(True, 0, 1), ())
    assert tree_alt_text(tree).splitlines() == [
        "Decision tree for class, positive class positive: 0 questions; 1 leaf.",
        "leaf 1: positive; 1 of 1 training row is positive (100%); few rows",
    ]


@unhurried
@given(randoms)
def test_the_text_names_every_question_and_leaf_once(random):
    tree, data = random_tree(random)
    lines = tree_alt_text(tree, data).splitlines()
    assert lines[0] == tree_summary(tree)
    for number, node in enumerate(tree.decisions, start=1):
        (line,) = [line for line in lines if f"question {number}: " in line]
        assert split_words(tree, node).question in line
    for number, leaf in enumerate(tree.leaves, start=1):
        (line,) = [line for line in lines if f"leaf {number}: " in line]
        assert printable(tree.label_name(leaf.label)) in line


def test_a_shape_as_text():
    assert topology_alt_text(Topology.parse("depth-2.5")) == (
        "Tree shape depth-2.5: 5 questions on 3 levels, 6 leaves."
    )
    assert topology_alt_text(Topology.parse("depth-1")) == (
        "Tree shape depth-1: 1 question on 1 level, 2 leaves."
    )
