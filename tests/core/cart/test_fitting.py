"""CART as a tree of ours gives scikit-learn's answers."""

from __future__ import annotations

import inspect
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from odt_core.cart import cart_columns, cart_feature_selection, fit_cart, fitting
from odt_core.cart.fitting import WIDE, sparse_columns
from odt_core.problem import EncodedData, Feature, FeatureKind
from odt_core.tree import Leaf
from tests.core.trees import unhurried
from tests.examples import examples
from tests.properties.strategies import make_problem

randoms = st.randoms(use_true_random=False)


def train_and_test(random) -> tuple[EncodedData, np.ndarray]:
    """Training rows, and codes that hold every value and unseen ones."""
    data = make_problem(random).data
    codes = np.array(
        [[random.randrange(-1, f.n_values) for f in data.features] for _ in range(200)],
        dtype=np.int32,
    )
    return data, codes


@unhurried
@given(randoms)
def test_it_predicts_exactly_as_scikit_learn_does(random):
    data, codes = train_and_test(random)
    depth = random.choice((1, 2, 3, None))
    weight = random.choice((Fraction(1), Fraction(1, 3), Fraction(5, 2)))
    tree = fit_cart(data, max_depth=depth, class_weight=weight, seed=7)
    reference = DecisionTreeClassifier(
        max_depth=depth, class_weight={False: float(weight), True: 1.0}, random_state=7
    ).fit(cart_columns(data.features, data.codes), data.y, sample_weight=data.weight)
    # A value that no row had: in scikit-learn a category is then none of the known ones, and a
    # number is missing, so both go where fit_cart says that they go.
    for rows in (data.codes, codes):
        expected = reference.predict(cart_columns(data.features, rows))
        assert np.array_equal(tree.predict(rows), expected)
    assert tree.depth == reference.get_depth()
    assert tree.n_leaves == reference.get_n_leaves()


@unhurried
@given(randoms)
def test_its_counts_are_the_training_rows(random):
    data, _ = train_and_test(random)
    tree = fit_cart(data, max_depth=3)
    assert tree.leaf_counts(data) == [(leaf.n_negative, leaf.n_positive) for leaf in tree.leaves]
    assert (tree.root.n_negative, tree.root.n_positive) == (data.n_negative, data.n_positive)


@unhurried
@given(randoms)
def test_selected_features_are_those_of_an_unlimited_cart(random):
    data, _ = train_and_test(random)
    assert cart_feature_selection(data, seed=3) == frozenset(fit_cart(data, seed=3).used_features)


def rows(feature: Feature, codes: list[int], y: list[bool]) -> EncodedData:
    return EncodedData(
        np.array(codes, dtype=np.int32)[:, None],
        np.array(y),
        np.ones(len(y), dtype=np.int64),
        (feature,),
        "state",
        "ill",
        "well",
    )


def test_wide_tables_are_split_as_well_as_by_scikit_learn():
    """Sparse columns: the first split may differ, but is worth as much."""
    n_values = WIDE + 100
    random = np.random.default_rng(5)
    codes = random.integers(0, n_values, 3000)
    y = random.random(3000) < np.where(codes < 40, 0.9, 0.2)
    feature = Feature("c", FeatureKind.CATEGORICAL, tuple(str(i) for i in range(n_values)))
    data = rows(feature, codes.tolist(), y.tolist())
    tree = fit_cart(data, max_depth=3)
    shallow = DecisionTreeClassifier(max_depth=3, random_state=0).fit(
        cart_columns(data.features, data.codes), data.y
    )
    predicted = shallow.predict(cart_columns(data.features, data.codes))
    assert (tree.predict(data.codes) == predicted).mean() > 0.99
    assert cart_feature_selection(data) == {0}


LETTERS = Feature("c", FeatureKind.CATEGORICAL, ("a", "b"))


def test_columns_are_categories_and_bin_numbers():
    number = Feature("x", FeatureKind.NUMERICAL, ("low", "high", "(missing)"), (1.0,), True)
    codes = np.array([[0, 0], [1, 1], [-1, 2], [1, -1]])
    columns = cart_columns((LETTERS, number), codes)
    assert columns[:, :2].tolist() == [[1, 0], [0, 1], [0, 0], [0, 1]]
    assert columns[:2, 2].tolist() == [0, 1]
    assert np.isnan(columns[2:, 2]).all()


def test_sparse_columns_are_the_same_columns():
    number = Feature("x", FeatureKind.NUMERICAL, ("low", "middle", "high"), (1.0, 2.0))
    codes = np.array([[0, 2], [1, 0], [-1, 1], [1, 0], [0, 2]])
    features = (LETTERS, number, LETTERS)
    codes = np.column_stack([codes, codes[::-1, 0]])
    sparse = sparse_columns(features, codes)
    assert sparse.has_sorted_indices
    assert sparse.toarray().tolist() == cart_columns(features, codes).tolist()


def test_missing_numbers_have_no_sparse_columns():
    number = Feature("x", FeatureKind.NUMERICAL, ("low", "high", "(missing)"), (1.0,), True)
    assert sparse_columns((number,), np.array([[0], [2]])) is None


def impurity(tree) -> float:
    """The Gini impurity of the leaves, which CART makes small."""
    return sum(2 * leaf.n_negative * leaf.n_positive / leaf.n for leaf in tree.leaves)


@examples(15)
@given(randoms)
def test_many_rows_are_split_as_well_as_few(random):
    data, _ = train_and_test(random)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "MANY_CELLS", 0)
        many = fit_cart(data, max_depth=1)
    assert impurity(many) == pytest.approx(impurity(fit_cart(data, max_depth=1)))


def test_class_weight_counts_negatives():
    data = rows(LETTERS, [0, 0, 0, 1], [True, True, False, False])
    assert fit_cart(data, max_depth=1).predict(data.codes).tolist() == [True, True, True, False]
    heavy = fit_cart(data, max_depth=1, class_weight=Fraction(3))
    assert heavy.predict(data.codes).tolist() == [False] * 4


def test_one_class_gives_a_lone_leaf_with_the_users_names():
    tree = fit_cart(rows(LETTERS, [0, 1], [True, True]), max_depth=2)
    assert tree.root == Leaf(True, 0, 2)
    assert tree.label_name(True) == "ill" and tree.target == "state"


def test_selection_copes_with_a_cart_deeper_than_recursion_allows():
    n = 500  # one category against the rest, again and again: 250 levels
    feature = Feature("id", FeatureKind.CATEGORICAL, tuple(str(i) for i in range(n)))
    data = rows(feature, list(range(n)), [i % 2 == 0 for i in range(n)])
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 200)
    try:
        with pytest.raises(RecursionError):
            fit_cart(data)
        assert cart_feature_selection(data) == {0}
    finally:
        sys.setrecursionlimit(limit)
