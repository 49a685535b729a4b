"""Problems: exact goals and floors, what a node may ask, merged rows."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odt_core.confusion import Confusion
from odt_core.errors import InputError
from odt_core.problem import (
    EncodedData,
    Feature,
    FeatureKind,
    Gains,
    Goal,
    LeafCount,
    NodeRule,
    Objective,
    Problem,
    Rules,
    SmallestLeaf,
    Split,
    is_threshold,
)
from odt_core.topology import Topology
from tests.core.trees import unhurried
from tests.properties.referee import is_legal, questions
from tests.properties.strategies import make_problem, problems

randoms = st.randoms(use_true_random=False)


def small_data(n_values: int = 5) -> EncodedData:
    feature = Feature("c", FeatureKind.CATEGORICAL, tuple("abcdefgh"[:n_values]))
    other = Feature("x", FeatureKind.NUMERICAL, ("low", "mid", "high"), (1.0, 2.0))
    codes = np.array([[i % n_values, i % 3] for i in range(12)], dtype=np.int32)
    y = np.arange(12) % 2 == 0
    return EncodedData(codes, y, np.ones(12, dtype=np.int64), (feature, other))


# --- goals in whole numbers -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "rate", "name"),
    [(Goal.MAX_TPR, "tnr", "specificity"), (Goal.MAX_TNR, "tpr", "sensitivity")],
)
def test_a_goal_of_one_rate_needs_a_floor_on_the_other(goal: Goal, rate: str, name: str) -> None:
    with pytest.raises(InputError, match=f"{goal} needs a floor on {name}: give min-{rate}"):
        Objective(goal)
    assert goal.floor_rate == rate and goal.loses_rows and not goal.counts_rows


@unhurried
@given(
    st.sampled_from(list(Goal)),
    st.fractions(min_value=Fraction(1, 50), max_value=50),
    *[st.integers(0, 40)] * 4,
)
def test_totals_are_the_goal_exactly(goal, weight, tp, fp, tn, fn):
    objective = Objective(
        goal,
        weight if goal is Goal.ACCURACY else Fraction(1),
        min_tpr=Fraction(0),
        min_tnr=Fraction(0),
    )
    positives, negatives = tp + fn, tn + fp
    gains = objective.gains(positives, negatives)
    tpr = Fraction(tp, max(positives, 1))
    tnr = Fraction(tn, max(negatives, 1))
    expected = {
        Goal.ACCURACY: tp + weight * tn,
        Goal.BALANCED: (tpr + tnr) / 2,
        Goal.MAX_TPR: tpr,
        Goal.MAX_TNR: tnr,
    }[goal]
    assert gains.value(gains.total(Confusion(tp, fp, tn, fn))) == expected


@pytest.mark.parametrize(
    ("floor", "n", "least"),
    [
        ("0.95", 100, 95),
        ("0.95", 20, 19),
        ("0.95", 21, 20),
        ("0", 7, 0),
        ("1", 7, 7),
        ("1/3", 9, 3),
        ("0.07", 100, 7),
        ("0.29", 100, 29),
    ],
)
def test_floors_round_up_without_floating_point(floor, n, least):
    objective = Objective(Goal.ACCURACY, min_tpr=Fraction(floor), min_tnr=Fraction(floor))
    gains = objective.gains(n, n)
    assert (gains.min_tp, gains.min_tn) == (least, least)
    assert gains.has_floor == (least > 0)
    assert gains.allows(Confusion(least, n - least, least, n - least))
    if least:
        assert not gains.allows(Confusion(least - 1, 0, n, 0))
        assert not gains.allows(Confusion(n, 0, least - 1, 0))


def test_no_floor_is_a_floor_of_nothing():
    assert Objective().gains(10, 10) == Gains(1, 1, 1, 0, 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_tpr": Fraction(3, 2)}, "min-tpr is 1.5"),
        ({"min_tnr": Fraction(-1, 10)}, "min-tnr is -0.1"),
        ({"class_weight": Fraction(0)}, "class-weight must be greater than 0"),
        ({"goal": Goal.BALANCED, "class_weight": Fraction(2)}, "not to balanced"),
        ({"goal": Goal.MAX_TPR}, "give min-tnr"),
        ({"goal": Goal.MAX_TNR}, "give min-tpr"),
    ],
)
def test_goals_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Objective(**settings)


# --- what a node may ask --------------------------------------------------------------------


@unhurried
@given(problems())
def test_a_node_may_ask_exactly_what_the_definitions_allow(problem):
    for node in range(problem.topology.n_nodes):
        allowed = questions(problem, node)
        for g, feature in enumerate(problem.data.features):
            for mask in product((False, True), repeat=feature.n_values):
                left = frozenset(code for code, inside in enumerate(mask) if inside)
                assert problem.admits(node, Split(g, left)) == ((g, left) in allowed)
        assert not problem.admits(node, Split(0, frozenset({99})))


@unhurried
@given(randoms)
def test_a_tree_is_admitted_exactly_if_its_questions_and_bound_labels_are(random):
    problem = make_problem(random)
    splits = []
    for node in range(problem.topology.n_nodes):
        g, left = random.choice(
            sorted(questions(problem, node), key=lambda q: (q[0], sorted(q[1])))
        )
        splits.append(Split(g, left))
    labels = []
    for leaf in range(problem.topology.n_leaves):
        fixed = problem.fixed_label(leaf)
        labels.append(random.random() < 0.5 if fixed is None or random.random() < 0.1 else fixed)
    assert problem.admits_all(splits, labels) == is_legal(problem, splits, labels)
    assert not problem.admits_all(splits[1:], labels)
    assert not problem.admits_all(splits, labels[1:])


@pytest.mark.parametrize(
    ("has_missing", "left", "answer"),
    [
        (False, set(), True),
        (False, {0}, True),
        (False, {2, 3}, True),
        (False, {0, 1, 2, 3}, True),
        (False, {1, 2}, False),
        (False, {0, 2}, False),
        (False, {0, 3}, False),
        (True, {3}, True),
        (True, {0, 3}, True),
        (True, {1, 2}, True),
        (True, {1, 3}, False),
        (True, {0, 2, 3}, False),
    ],
)
def test_a_threshold_is_one_side_of_a_cut_with_the_missing_bin_on_either(has_missing, left, answer):
    cuts = (1.0, 2.0) if has_missing else (1.0, 2.0, 3.0)
    feature = Feature("x", FeatureKind.NUMERICAL, tuple("abcd"), cuts, has_missing)
    assert is_threshold(feature, frozenset(left)) is answer


def test_bins_that_do_not_fit_their_cuts_are_refused():
    with pytest.raises(ValueError, match="cuts do not fit"):
        Feature("x", FeatureKind.NUMERICAL, ("a", "b"), (1.0, 2.0))


@pytest.mark.parametrize(("n_values", "capped"), [(4, False), (5, False), (6, True)])
def test_a_cap_matters_only_where_a_set_can_be_too_large(n_values, capped):
    problem = Problem(small_data(n_values), Topology.parse("depth-1"), max_card=2)
    assert problem.caps(problem.data.features[0]) is capped
    assert problem.caps(problem.data.features[1]) is False


def test_labels_are_bound_below_two_leaves_only_and_not_under_a_fixed_question():
    data, topology = small_data(), Topology.parse("(. ((. .)(. .)))")
    fixed = NodeRule(split=Split(0, frozenset({0})))
    problem = Problem(data, topology, rules=Rules(nodes=((2, fixed),)))
    assert [problem.fixed_label(leaf) for leaf in range(5)] == [None, None, None, False, True]


def test_a_node_is_reversible_if_both_sides_have_the_same_shape_and_rules():
    data, topology = small_data(), Topology.parse("depth-3")
    assert [Problem(data, topology).is_reversible(n) for n in range(7)] == [1, 1, 0, 0, 1, 0, 0]
    one_side = Rules(nodes=((2, NodeRule(features=frozenset({0}))),))
    assert not Problem(data, topology, rules=one_side).is_reversible(0)
    itself = Rules(nodes=((0, NodeRule(split=Split(0, frozenset({0})))),))
    assert not Problem(data, topology, rules=itself).is_reversible(0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"smallest_leaf": SmallestLeaf(13)},
            "min-leaf is 13, but there are only 12",
        ),
        (
            {"smallest_leaf": SmallestLeaf(7, LeafCount.RARER_CLASS)},
            "only 6 training rows of the rarer class",
        ),
        ({"max_card": 0}, "max-card must be at least 1"),
        ({"rules": Rules(nodes=((3, NodeRule()),))}, "names decision node 4"),
        ({"rules": Rules(forbidden=frozenset({0, 1}))}, "node 1 has no feature left"),
        ({"rules": Rules(nodes=((1, NodeRule(split=Split(0, frozenset({9})))),))}, "node 2 on 'c'"),
        ({"rules": Rules(nodes=((1, NodeRule(split=Split(1, frozenset({1})))),))}, "not a thresh"),
        (
            {
                "rules": Rules(nodes=((1, NodeRule(split=Split(0, frozenset()))),)),
                "forbid_empty_branches": True,
            },
            "leaves a branch empty",
        ),
    ],
)
def test_problems_that_make_no_sense_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        Problem(small_data(), Topology.parse("depth-2"), **settings)


def test_a_smallest_leaf_holds_at_least_one_row():
    with pytest.raises(InputError, match="min-leaf is 0"):
        SmallestLeaf(0)


@pytest.mark.parametrize(("positives", "counted"), [(1, True), (2, True), (3, False)])
def test_the_rarer_class_is_the_positive_one_if_both_are_equally_many(positives, counted):
    data = small_data().take(np.arange(4))
    data = replace(data, y=np.arange(4) < positives, weight=np.ones(4, dtype=np.int64))
    leaf = SmallestLeaf(1, LeafCount.RARER_CLASS)
    assert leaf.counted(data).tolist() == (data.y == counted).astype(int).tolist()


def test_a_problem_needs_rows_and_features():
    data = small_data()
    with pytest.raises(InputError, match="no training rows"):
        Problem(data.take(np.array([], dtype=np.int64)), Topology.parse("depth-1"))
    bare = EncodedData(data.codes[:, :0], data.y, data.weight, ())
    with pytest.raises(InputError, match="no feature to split on"):
        Problem(bare, Topology.parse("depth-1"))


# --- rows -----------------------------------------------------------------------------------


@unhurried
@given(randoms)
def test_merged_rows_are_the_same_rows_once_each(random):
    data = make_problem(random).data
    order = np.array(random.sample(range(len(data.y)), len(data.y)))
    merged, again = data.merged(), data.take(order).merged()
    assert np.array_equal(merged.codes, again.codes)
    assert np.array_equal(merged.weight, again.weight)
    assert _table(merged) == _table(data)
    assert len(merged.y) == len(_table(data))
    assert (merged.n_rows, merged.n_positive) == (data.n_rows, data.n_positive)
    assert merged.merged() is merged
    sent = pickle.loads(pickle.dumps(merged))
    assert sent.merged() is sent and np.array_equal(sent.codes, merged.codes)
    key = np.column_stack([merged.y, merged.codes]).tolist()
    assert key == sorted(key)


def _table(data: EncodedData) -> dict[tuple, int]:
    table: dict[tuple, int] = {}
    for codes, y, weight in zip(data.codes.tolist(), data.y, data.weight, strict=True):
        table[(bool(y), *codes)] = table.get((bool(y), *codes), 0) + int(weight)
    return table


def test_many_wide_features_merge_without_overflow():
    random = np.random.default_rng(0)
    features = tuple(
        Feature(f"c{g}", FeatureKind.CATEGORICAL, tuple(str(v) for v in range(1000)))
        for g in range(12)
    )
    distinct = random.integers(0, 1000, (50, 12)).astype(np.int32)
    codes = distinct[random.integers(0, 50, 400)]
    y = codes[:, 11] % 2 == 0
    data = EncodedData(codes, y, np.ones(400, dtype=np.int64), features)
    assert _table(data.merged()) == _table(data)


def test_counts_of_rows_follow_their_weights():
    data = replace(small_data(), weight=np.arange(12, dtype=np.int64))
    assert (data.n_rows, data.n_positive, data.n_negative) == (66, 30, 36)
    assert (data.n_features, data.n_columns) == (2, 8)


def test_parts_that_do_not_fit_each_other_are_refused():
    data = small_data()
    with pytest.raises(ValueError, match="do not fit"):
        EncodedData(data.codes, data.y[1:], data.weight, data.features)
