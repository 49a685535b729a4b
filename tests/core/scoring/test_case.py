"""One case: its path, the distances to the cuts, and the changes that would turn the answer."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from odt_core.cart import fit_cart
from odt_core.problem import Feature, FeatureKind, Split
from odt_core.scoring.case import Value, answer_case, value_code
from odt_core.tree import Decision, Leaf, Tree
from tests.core.trees import unhurried
from tests.properties.strategies import make_problem


def value_of(feature: Feature, code: int) -> Value:
    """A value that has a code."""
    if not feature.is_numerical:
        return str(feature.values[code]) if code >= 0 else "never seen"
    if code < 0 or code >= feature.n_ordered:
        return None
    cuts = feature.cuts
    return cuts[code] if code < len(cuts) else (cuts[-1] + 1 if cuts else 0.0)


AGE = Feature("age", FeatureKind.NUMERICAL, ("<= 40", "40 to 60", "> 60"), (40.0, 60.0))
WARD = Feature("ward", FeatureKind.CATEGORICAL, ("a", "b", "c"))


def small_tree() -> Tree:
    """Old cases are ill, and other cases on ward a. No training row there was on ward c."""
    ward = Decision(
        Split(1, frozenset({0})), Leaf(True, 1, 9), Leaf(False, 20, 0), frozenset({0, 1}), False
    )
    root = Decision(Split(0, frozenset({0, 1})), ward, Leaf(True, 2, 8), frozenset({0, 1, 2}))
    return Tree(root, (AGE, WARD), "class", "ill", "well")


def test_the_path_says_question_answer_and_distance() -> None:
    answer = answer_case(small_tree(), {0: 52.5, 1: "b"})
    assert (answer.leaf, answer.nodes) == (1, (0, 1, 3))
    first, second = answer.steps
    assert (first.question, first.answer) == ("age ≤ 60?", "yes")
    assert first.distance_words == "7.5 below the cut 60"
    assert (second.question, second.answer, second.distance) == ("ward is a?", "no", None)
    assert answer.doubts == ()


def test_the_nearest_changes_are_those_of_one_column() -> None:
    answer = answer_case(small_tree(), {0: 52.5, 1: "b"})
    assert [change.words for change in answer.changes] == [
        "age were above 60 (now 52.5, 7.5 away)",
        "ward were a",
    ]


def test_the_path_goes_as_far_as_values_are_given() -> None:
    tree = small_tree()
    assert answer_case(tree, {}).waits_for == 0
    answer = answer_case(tree, {0: 50.0})
    assert (answer.leaf, answer.waits_for, answer.nodes) == (None, 1, (0, 1))
    assert len(answer.steps) == 1 and not answer.changes
    whole = answer_case(tree, {0: 65.0})
    assert (whole.leaf, whole.waits_for, whole.nodes) == (2, None, (0, 4))
    (change,) = whole.changes  # the ward is not known, so it is part of what would turn the answer
    assert change.words == "age were at most 60 (now 65, 5 away) and ward were b"


def test_values_that_say_little_are_flagged() -> None:
    tree = small_tree()
    assert "at the question" in answer_case(tree, {0: 50.0, 1: "c"}).doubts[0]
    assert "no training row had this value" in answer_case(tree, {0: 50.0, 1: "new"}).doubts[0]
    (doubt,) = answer_case(tree, {0: None, 1: "a"}).doubts
    assert doubt == "age: missing, but never missing in training"
    (doubt,) = answer_case(tree, {0: 130.0}, {0: (18.0, 99.0)}).doubts
    assert doubt == "age: a number outside the range of the training rows (18 to 99)"
    assert answer_case(tree, {0: 99.0}, {0: (18.0, 99.0)}).doubts == ()
    assert answer_case(tree, {0: 70.0, 1: "new"}).doubts == ()  # the ward is not asked about


@unhurried
@given(st.randoms(use_true_random=False))
def test_it_agrees_with_the_tree_and_no_change_of_fewer_columns_turns_the_answer(random) -> None:
    data = make_problem(random).data
    tree = fit_cart(data, max_depth=3)
    used = tree.used_features
    codes = {g: random.randrange(-1, tree.features[g].n_values) for g in used}
    values = {g: value_of(tree.features[g], code) for g, code in codes.items()}
    codes = {g: value_code(tree.features[g], value) for g, value in values.items()}

    def leaf_of(case: dict[int, int]) -> int:
        row = np.zeros((1, len(tree.features)), dtype=np.int32)
        for g, code in case.items():
            row[0, g] = code
        return int(tree.apply(row)[0])

    answer = answer_case(tree, values)
    assert answer.leaf == leaf_of(codes)
    label = tree.leaves[answer.leaf].label
    nodes = list(tree.walk())
    assert nodes[answer.nodes[-1]] is tree.leaves[answer.leaf]
    assert len(answer.nodes) == len(tree.paths[answer.leaf]) + 1
    fewest = [
        sum(codes[g] != other for g, other in zip(used, others, strict=True))
        for others in product(*(range(tree.features[g].n_values) for g in used))
        if tree.leaves[leaf_of(dict(zip(used, others, strict=True)))].label != label
    ]
    # a value that is not known may stay as it is
    known = all(code >= 0 for code in codes.values())
    if known:
        assert bool(fewest) == bool(answer.changes)
    for change in answer.changes:
        assert tree.leaves[change.leaf].label != label
        assert len(change.conditions) <= min(fewest)
        if known:
            assert len(change.conditions) == min(fewest)
