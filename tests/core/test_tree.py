"""Trees: routing, counting, and the one canonical form."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.problem import (
    EncodedData,
    Feature,
    FeatureKind,
    LeafCount,
    NodeRule,
    Problem,
    Rules,
    Split,
    is_threshold,
)
from odt_core.topology import Topology
from odt_core.tree import (
    Decision,
    Leaf,
    Tree,
    build_tree,
    count_assignment,
    keeps_smallest_leaf,
    route,
)
from tests.core.trees import (
    decision,
    disguise,
    mushroom_tree,
    random_assignment,
    rows_at,
    tree_as_assignment,
    unhurried,
    without_rules,
)
from tests.properties import referee
from tests.properties.strategies import make_problem

randoms = st.randoms(use_true_random=False)


def built(random: Random) -> tuple[Problem, Tree]:
    """A random problem without expert rules, and a random tree of it."""
    problem = without_rules(make_problem(random))
    return problem, build_tree(problem, *random_assignment(random, problem))


# --- the canonical form ---------------------------------------------------------------------


@unhurried
@given(randoms)
def test_the_canonical_tree_classifies_training_rows_as_the_assignment_does(random):
    problem = make_problem(random)  # with expert rules
    splits, labels = random_assignment(random, problem)
    tree = build_tree(problem, splits, labels)
    reached = route(problem.topology, splits, problem.data.codes)
    assert np.array_equal(tree.predict(problem.data.codes), np.array(labels)[reached])
    assert tree.confusion(problem.data) == count_assignment(problem, splits, labels)


@unhurried
@given(randoms)
def test_the_canonical_form_of_a_canonical_tree_is_itself(random):
    problem, tree = built(random)
    if isinstance(tree.root, Decision):
        topology, (splits, labels) = tree_as_assignment(tree)
        assert build_tree(replace(problem, topology=topology), splits, labels) == tree


@unhurried
@given(randoms)
def test_disguises_of_an_assignment_have_the_same_canonical_tree(random):
    problem = without_rules(make_problem(random))
    splits, labels = random_assignment(random, problem)
    other, (other_splits, other_labels) = disguise(random, problem, splits, labels)
    tree = build_tree(problem, splits, labels)
    assert build_tree(other, other_splits, other_labels) == tree


@unhurried
@given(randoms)
def test_the_order_of_the_rows_does_not_matter(random):
    problem = without_rules(make_problem(random))
    splits, labels = random_assignment(random, problem)
    rows = np.array(random.sample(range(len(problem.data.y)), len(problem.data.y)))
    for data in (problem.data.take(rows), problem.data.merged()):
        shuffled = replace(problem, data=data)
        assert build_tree(shuffled, splits, labels) == build_tree(problem, splits, labels)


@unhurried
@given(randoms)
def test_caps_still_hold_and_numerical_questions_are_thresholds(random):
    problem, tree = built(random)
    for node in tree.decisions:
        feature = tree.features[node.split.feature]
        size = len(node.split.left)
        assert 0 < size < feature.n_values
        assert is_threshold(feature, node.split.left)
        if problem.max_card is not None and not feature.is_numerical:
            assert min(size, feature.n_values - size) <= problem.max_card


@unhurried
@given(randoms)
def test_a_categorical_question_states_the_shorter_side_of_what_was_seen(random):
    _, tree = built(random)
    for node in tree.decisions:
        if not tree.features[node.split.feature].is_numerical:
            stated, rest = node.split.left, node.observed - node.split.left
            assert stated <= node.observed
            assert (len(stated), min(stated)) < (len(rest), min(rest))


@unhurried
@given(randoms)
def test_every_question_parts_the_training_rows_and_changes_the_answer(random):
    problem, tree = built(random)
    for number, node in enumerate(tree.decisions):
        assert node.left.n > 0 and node.right.n > 0
        both = node.left, node.right
        if all(isinstance(child, Leaf) for child in both):
            assert node.left.label != node.right.label
        rows = rows_at(tree, problem.data)[number]
        values = set(problem.data.codes[rows, node.split.feature].tolist())
        assert node.observed == values
        assert node.n == problem.data.weight[rows].sum()
        assert node.n_positive == problem.data.weight[rows][problem.data.y[rows]].sum()


@unhurried
@given(randoms)
def test_leaf_counts_are_the_training_rows_that_arrive(random):
    problem, tree = built(random)
    counts = [(leaf.n_negative, leaf.n_positive) for leaf in tree.leaves]
    assert tree.leaf_counts(problem.data) == counts
    assert sum(leaf.n for leaf in tree.leaves) == problem.data.n_rows


@unhurried
@given(randoms)
def test_no_leaf_is_smaller_than_asked_if_those_of_the_shape_are_not(random):
    problem = make_problem(random, smallest_leaf=True)
    splits, labels = random_assignment(random, problem)
    keeps = keeps_smallest_leaf(problem, splits)
    assert keeps == referee.keeps_smallest_leaf(problem, splits)
    if keeps and problem.smallest_leaf.of is LeafCount.ROWS:
        tree = build_tree(problem, splits, labels)
        assert min(leaf.n for leaf in tree.leaves) >= problem.smallest_leaf.rows


@unhurried
@given(randoms)
def test_an_unseen_value_takes_the_branch_of_most_training_rows(random):
    problem, tree = built(random)
    codes = np.full((1, problem.data.n_features), -1, dtype=np.int32)
    node = tree.root
    while isinstance(node, Decision):
        node = node.left if node.left.n >= node.right.n else node.right
    assert tree.leaves[tree.apply(codes)[0]] is node
    assert tree.unseen_met(codes).anywhere.any() == isinstance(tree.root, Decision)
    trained = tree.unseen_met(problem.data.codes)
    assert not trained.anywhere.any() and not trained.here.any()


# --- single cases ---------------------------------------------------------------------------


def data_of(feature: Feature, values: list[int], positive: list[int]) -> EncodedData:
    """One feature; rows are positive where their value is among `positive`."""
    codes = np.array(values, dtype=np.int32)[:, None]
    return EncodedData(
        codes, np.isin(codes[:, 0], positive), np.ones(len(values), dtype=np.int64), (feature,)
    )


def numerical(n_bins: int, *, missing: bool = False) -> Feature:
    cuts = tuple(float(cut) for cut in range(1, n_bins))
    values = tuple(f"bin {b}" for b in range(n_bins + missing))
    return Feature("x", FeatureKind.NUMERICAL, values, cuts, missing)


def letters(text: str) -> Feature:
    return Feature("c", FeatureKind.CATEGORICAL, tuple(text))


def stump(data: EncodedData, left: set[int], labels: tuple[bool, bool] = (False, True)) -> Tree:
    problem = Problem(data, Topology.parse("depth-1"))
    return build_tree(problem, [Split(0, frozenset(left))], labels)


@pytest.mark.parametrize("asked", [{0, 1, 2}, {0, 1, 2, 3, 4, 5}])
def test_a_cut_moves_to_the_middle_of_empty_bins(asked):
    tree = stump(data_of(numerical(8), [2, 2, 6, 6], [6]), asked)
    assert tree.root.split.left == {0, 1, 2, 3}


def test_low_numbers_go_left_however_the_question_was_asked():
    data = data_of(numerical(4), [0, 1, 2, 3], [2, 3])
    tree = stump(data, {2, 3}, (True, False))
    assert tree.root.split.left == {0, 1}
    assert [leaf.label for leaf in tree.leaves] == [False, True]


@pytest.mark.parametrize("missing_with", [{0}, {3}])
def test_the_missing_bin_goes_where_its_rows_went(missing_with):
    data = data_of(numerical(4, missing=True), [0, 1, 2, 3, 4], [2, 3])
    tree = stump(data, {0, 1} | ({4} if missing_with == {0} else set()))
    assert (4 in tree.root.split.left) is (missing_with == {0})


def test_a_missing_bin_that_no_row_had_goes_right():
    tree = stump(data_of(numerical(4, missing=True), [0, 1, 2, 3], [2, 3]), {0, 1, 4})
    assert tree.root.split.left == {0, 1}


def test_a_question_that_parts_only_missing_values_asks_for_them():
    tree = stump(data_of(numerical(3, missing=True), [0, 1, 2, 3], [3]), {0, 1, 2})
    assert tree.root.split.left == {3}
    assert tree.leaves[0].label is True


def test_of_two_equally_short_sets_the_one_with_the_first_value_is_stated():
    data = data_of(letters("abcd"), [0, 1, 2, 3], [0, 3])
    assert stump(data, {1, 2}).root.split.left == {0, 3}
    assert stump(data, {0, 3}, (True, False)).root.split.left == {0, 3}


def test_questions_that_change_nothing_vanish():
    data = data_of(letters("abc"), [0, 1, 1], [0])
    assert stump(data, {2}, (True, False)).root == Leaf(False, 2, 1)
    assert stump(data, {0}, (True, True)).root == Leaf(True, 2, 1)


@pytest.mark.parametrize("left", [{0, 1, 2}, {3}, {2, 3}])
def test_a_fixed_question_is_kept_as_it_was_asked(left):
    data = data_of(letters("abcde"), [0, 1, 2, 3], [0, 3])
    split = Split(0, frozenset(left))
    rules = Rules(nodes=((0, NodeRule(split=split)),))
    problem = Problem(data, Topology.parse("depth-1"), rules=rules)
    tree = build_tree(problem, [split], (True, False))
    assert tree.root.split == split
    assert tree.predict(data.codes).tolist() == [code in left for code in range(4)]


def test_a_lone_leaf_predicts_one_class():
    tree = Tree(Leaf(True, 1, 2), (letters("ab"),))
    assert tree.predict(np.array([[0], [-1]])).tolist() == [True, True]
    assert (tree.depth, tree.n_leaves, tree.used_features, tree.paths) == (0, 1, (), ((),))


def test_paths_lead_to_the_leaves_in_order():
    tree = mushroom_tree()
    root, inner = tree.decisions
    assert tree.paths == (
        ((root, True), (inner, True)),
        ((root, True), (inner, False)),
        ((root, False),),
    )
    assert tree.depth == 2 and tree.used_features == (0, 1)


def test_only_rows_that_meet_the_question_meet_an_unseen_value():
    tree = mushroom_tree()
    codes = np.array([[0, -1], [2, -1], [-1, 0], [0, 0]])
    met = tree.unseen_met(codes)
    assert met.features == (0, 1)
    assert met.anywhere.tolist() == [[False, True], [False, False], [True, False], [False, False]]
    assert not met.here.any()
    assert tree.apply(codes).tolist() == [0, 2, 0, 0]


def test_a_value_of_training_rows_elsewhere_differs_from_a_new_value():
    tree = mushroom_tree()  # no training row had code 5 of feature 0 at the root
    assert tree.absent(tree.root) == {5}
    met = tree.unseen_met(np.array([[5, 0], [-1, 0], [2, 0]]))
    assert met.here.tolist() == [[True, False], [False, False], [False, False]]
    assert met.anywhere.tolist() == [[False, False], [True, False], [False, False]]


def test_bins_between_observed_ones_are_not_absent_but_a_missing_value_is():
    feature = numerical(4, missing=True)
    leaf = Leaf(True, 1, 1)
    for observed, absent in (({0, 3}, {4}), ({0, 3, 4}, set())):
        node = decision(0, {0}, leaf, leaf, observed)
        assert Tree(node, (feature,)).absent(node) == absent


def test_a_value_that_an_earlier_question_sends_elsewhere_is_not_absent():
    leaf = Leaf(True, 1, 1)
    below = decision(0, {2}, leaf, leaf, {2, 3})
    tree = Tree(decision(0, {0, 1}, leaf, below, {0, 1, 2, 3}), (letters("abcde"),))
    assert tree.absent(tree.root) == {4}
    assert tree.absent(below) == {4}
