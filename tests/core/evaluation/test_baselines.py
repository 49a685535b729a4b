"""Baselines: pruned as scikit-learn's own cross-validation prunes, and labelled for the goal."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from odt_core.cart import cart_columns, cart_feature_selection, fit_cart
from odt_core.confusion import Confusion
from odt_core.data import SAMPLES, Fold, SplitSpec, prepare
from odt_core.evaluation import Baseline, fit_baseline
from odt_core.evaluation.baselines import label_leaves
from odt_core.evaluation.pruning import choose_pruning, pruned_answers
from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective
from odt_core.tree import Leaf
from tests.core.trees import unhurried
from tests.properties.strategies import make_problem

ACCURACY = Objective()
randoms = st.randoms(use_true_random=False)


@pytest.fixture(scope="module")
def triage() -> EncodedData:
    sample = SAMPLES["triage"]
    return prepare(sample.load(), sample.schema(), SplitSpec("all")).train


def test_pruning_is_that_of_a_grid_search(triage: EncodedData) -> None:
    """scikit-learn's own grid search gives these alphas, folds and scores."""
    columns = cart_columns(triage.features, triage.codes)
    path = DecisionTreeClassifier(random_state=5).cost_complexity_pruning_path(columns, triage.y)
    alphas = path.ccp_alphas.clip(0)
    tried = [*np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1]]
    kept = sorted({round(at) for at in np.linspace(0, len(tried) - 1, min(20, len(tried)))})
    grid = [tried[at] for at in kept]
    folds = StratifiedKFold(5, shuffle=True, random_state=Fold(0, 0, 5).seed(5))
    search = GridSearchCV(DecisionTreeClassifier(random_state=5), {"ccp_alpha": grid}, cv=folds)
    means = search.fit(columns, triage.y).cv_results_["mean_test_score"]
    found = choose_pruning(triage, Fraction(1), 5)
    assert means[grid.index(found)] >= means.max() - 0.01
    pruned = fit_baseline(Baseline.CART_PRUNED, triage, ACCURACY, seed=5)
    assert pruned is not None
    reference = DecisionTreeClassifier(random_state=5, ccp_alpha=found).fit(columns, triage.y)
    assert np.array_equal(pruned.predict(triage.codes), reference.predict(columns))
    assert pruned.n_leaves <= reference.get_n_leaves()


@pytest.mark.parametrize("seed", range(4))
def test_pruned_trees_are_read_off_as_they_would_be_fitted(seed: int) -> None:
    """As a check, scikit-learn prunes a separate tree for each alpha."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, 5, (300, 6)).astype(np.float32)
    columns[rng.random(columns.shape) < 0.05] = np.nan
    y = rng.random(300) < 0.2 + 0.15 * np.nan_to_num(columns[:, 0])
    asked = {"class_weight": {False: 0.7, True: 1.0}, "random_state": seed}
    weight = rng.integers(1, 4, 300)
    whole = DecisionTreeClassifier(**asked).fit(columns, y, sample_weight=weight)
    path = whole.cost_complexity_pruning_path(columns, y, sample_weight=weight).ccp_alphas
    alphas = np.append((path[:-1] + path[1:])[np.diff(path) > 1e-12] / 2, path[-1] + 0.01)
    assert len(alphas) > 10
    found = pruned_answers(whole, columns, alphas)
    for at, alpha in enumerate(alphas):
        pruned = DecisionTreeClassifier(**asked, ccp_alpha=alpha)
        pruned.fit(columns, y, sample_weight=weight)
        assert np.array_equal(found[:, at], pruned.predict(columns)), alpha


def test_noise_is_pruned_to_a_leaf() -> None:
    random = np.random.default_rng(3)
    feature = Feature("noise", FeatureKind.CATEGORICAL, tuple("abcdefghij"))
    codes = random.integers(0, 10, (300, 1)).astype(np.int32)
    data = EncodedData(codes, random.random(300) < 0.3, np.ones(300, dtype=np.int64), (feature,))
    tree = fit_baseline(Baseline.CART_PRUNED, data, ACCURACY)
    assert tree is not None and tree.root == Leaf(False, data.n_negative, data.n_positive)


@unhurried
@given(randoms)
def test_labels_are_the_best_of_all_labels_for_the_goal(random) -> None:
    """No other labels of CART's leaves serve the goal better under the floors."""
    problem = make_problem(random)
    tree = fit_baseline(Baseline.CART_DEPTH_3, problem.data, ACCURACY, seed=1)
    assert tree is not None
    gains = problem.gains
    found = label_leaves(tree, gains)
    counts = [(leaf.n_negative, leaf.n_positive) for leaf in tree.leaves]
    tables = []
    for labels in itertools.product((False, True), repeat=len(counts)):
        tp = sum(p for (_, p), label in zip(counts, labels, strict=True) if label)
        tn = sum(n for (n, _), label in zip(counts, labels, strict=True) if not label)
        n_positive, n_negative = problem.data.n_positive, problem.data.n_negative
        tables.append(Confusion(tp, n_negative - tn, tn, n_positive - tp))
    allowed = [gains.total(table) for table in tables if gains.allows(table)]
    assert (found is None) == (not allowed)
    if found is not None:
        reached = found.confusion(problem.data)
        assert gains.allows(reached)
        if not gains.has_floor:
            assert gains.total(reached) == max(allowed)
        assert gains.total(reached) <= max(allowed)
        for node in found.decisions:
            pair = (node.left, node.right)
            assert not all(isinstance(n, Leaf) for n in pair) or pair[0].label != pair[1].label


def test_one_answer_for_all_is_what_a_floor_demands(triage: EncodedData) -> None:
    assert triage.n_positive < triage.n_negative
    half = Fraction(1, 2)
    for objective, label in (
        (ACCURACY, False),
        (Objective(Goal.MAX_TNR, min_tpr=half), True),
        (Objective(Goal.MAX_TPR, min_tnr=half), False),
    ):
        tree = fit_baseline(Baseline.COMMONER_CLASS, triage, objective)
        assert tree is not None and tree.root == Leaf(label, triage.n_negative, triage.n_positive)
    both = Objective(Goal.BALANCED, min_tpr=half, min_tnr=half)
    assert fit_baseline(Baseline.COMMONER_CLASS, triage, both) is None


@pytest.mark.parametrize("baseline", [Baseline.CART_DEPTH_3, Baseline.CART_PRUNED])
def test_cart_keeps_a_floor_in_training(baseline: Baseline, triage: EncodedData) -> None:
    objective = Objective(Goal.MAX_TNR, min_tpr=Fraction(97, 100))
    tree = fit_baseline(baseline, triage, objective)
    assert tree is not None
    reached = tree.confusion(triage)
    assert reached.tp >= 0.97 * triage.n_positive
    plain = label_leaves(fit_cart(triage, max_depth=3), objective.gains(*sizes(triage)))
    assert plain is not None
    if baseline is Baseline.CART_DEPTH_3:
        assert reached.tn > plain.confusion(triage).tn, "other class weights serve the floor better"


def sizes(data: EncodedData) -> tuple[int, int]:
    return data.n_positive, data.n_negative


def test_pruning_keeps_groups_together(triage: EncodedData) -> None:
    """With a group for each class, both folds test an unseen class, so no question is of use."""
    groups = triage.y.astype(np.int64)
    alpha = choose_pruning(triage, Fraction(1), 0, groups)
    assert fit_cart(triage, pruning=alpha).n_leaves == 1
    assert fit_cart(triage, pruning=choose_pruning(triage, Fraction(1), 0)).n_leaves > 1
    assert choose_pruning(triage, Fraction(1), 0, np.zeros(len(groups), dtype=np.int64)) == 0


def test_at_least_so_many_features_are_selected() -> None:
    """CART needs one column. Then come the columns that it uses without it, then all others."""
    y = np.arange(40) % 2 == 0
    near = y.copy()
    near[:4] = ~near[:4]
    codes = np.column_stack([y, near, np.zeros(40)]).astype(np.int32)
    pair = ("no", "yes")
    features = tuple(Feature(name, FeatureKind.CATEGORICAL, pair) for name in ("y", "near", "same"))
    data = EncodedData(codes, y, np.ones(40, dtype=np.int64), features)
    for at_least, expected in ((0, {0}), (1, {0}), (2, {0, 1}), (3, {0, 1, 2}), (9, {0, 1, 2})):
        assert cart_feature_selection(data, at_least=at_least) == expected
