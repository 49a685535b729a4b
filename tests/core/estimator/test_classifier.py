"""The classifier: what it takes, what it finds, and its way to a model and back."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from odt_core import OptimalTreeClassifier
from odt_core.data import SAMPLES, SplitSpec
from odt_core.errors import InputError
from odt_core.export import Model
from odt_core.topology import Topology
from odt_core.training import TrainSpec, train_tree


def people(n: int = 60) -> tuple[pd.DataFrame, pd.Series]:
    """The colour decides, except for the old. A few ages are not known."""
    random = np.random.default_rng(3)
    colour = random.choice(["red", "green", "blue", "grey"], n)
    age = random.integers(20, 90, n).astype(float)
    ill = np.isin(colour, ["red", "blue"]) | (age > 70)
    age[:4] = np.nan
    frame = pd.DataFrame({"colour": colour, "age": age, "smokes": random.random(n) < 0.4})
    return frame, pd.Series(np.where(ill, "ill", "well"), name="outcome")


@pytest.fixture(scope="module")
def monks() -> tuple[pd.DataFrame, pd.Series]:
    frame = SAMPLES["monks-1"].load().frame
    return frame.drop(columns="class"), frame["class"]


def test_it_finds_the_best_tree_and_proves_it(monks: tuple[pd.DataFrame, pd.Series]) -> None:
    X, y = monks
    tree = OptimalTreeClassifier(positive="monk").fit(X, y)
    assert tree.status_ == "optimal"
    assert (tree.objective_, tree.bound_, tree.gap_) == (336, 336, 0)
    assert tree.score(X, y) == 336 / 432
    assert tree.tree_.positive_label == "monk"
    assert tree.tree_.target == "class"
    exact = OptimalTreeClassifier("any-7", engine="hybrid").fit(X, y)
    assert exact.score(X, y) == 1


def test_text_categories_and_booleans_are_categorical_and_missing_is_a_value() -> None:
    X, y = people()
    tree = OptimalTreeClassifier("depth-3", cuts="every", positive="ill").fit(X, y)
    kinds = {feature.name: feature.is_numerical for feature in tree.tree_.features}
    assert kinds == {"colour": False, "age": True, "smokes": False}
    assert list(tree.feature_names_in_) == ["colour", "age", "smokes"]
    assert set(tree.predict(X)) == {"ill", "well"}
    as_category = X.astype({"colour": "category"})
    again = OptimalTreeClassifier("depth-3", cuts="every").fit(as_category, y)
    assert (again.predict(as_category) == tree.predict(X)).all()


def test_an_unseen_value_gets_a_warning_and_an_answer() -> None:
    X, y = people()
    tree = OptimalTreeClassifier().fit(X, y)
    new = X.head(3).assign(colour=["violet", "red", "violet"])
    assert [(found.column, found.value, found.rows) for found in tree.unseen(new)] == [
        ("colour", "violet", 2)
    ]
    assert set(tree.predict(new)) <= {"ill", "well"}


@pytest.mark.parametrize(
    "categorical", [["code"], [0], np.array([True, False])], ids=["names", "numbers", "mask"]
)
def test_categorical_features_are_named_as_histgradientboosting_does(categorical: object) -> None:
    X = pd.DataFrame({"code": [1, 2, 3, 1, 2, 3] * 4, "age": np.arange(24.0)})
    y = np.where(X["code"] == 2, "no", "yes")
    tree = OptimalTreeClassifier("depth-1", categorical_features=categorical).fit(X, y)
    assert tree.score(X, y) == 1  # no threshold parts 2 from 1 and 3
    assert OptimalTreeClassifier("depth-1").fit(X, y).score(X, y) < 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"categorical_features": ["size"]}, "names 'size', which is not a column"),
        ({"categorical_features": [7]}, "names the column 7"),
        ({"categorical_features": [True]}, "mask of 1 values"),
        ({"categorical_features": None}, "Column 'colour' holds 'gre.*', which is not a number"),
        ({"cuts": "often"}, "cuts is 'often'"),
        ({"cuts": {"colour": "every"}}, "cuts names 'colour'"),
        ({"cuts": {0: "every"}}, "cuts names '0'"),
        ({"objective": "speed"}, "objective is 'speed'"),
        ({"min_tpr": 1.5}, "min-tpr is 1.5"),
        ({"min_tpr": "much"}, "min_tpr is 'much'"),
        ({"positive": "dead"}, "positive is 'dead', but the classes are 'ill', 'well'"),
        ({"class_weight": {"dead": 2}}, "class_weight names 'dead'"),
        ({"class_weight": {"ill": 0}}, "weight 0: give a number above 0"),
        ({"max_card": "x"}, "max_card is 'x'"),
        ({"max_card": 0}, "max_card is 0"),
        ({"min_leaf": -1}, "min_leaf is -1"),
        ({"min_leaf": np.inf}, "min_leaf is inf"),
        ({"min_leaf": 500}, "min-leaf is 500"),
        ({"topology": "depth-9"}, "depth-9"),
        ({"engine": "magic"}, "engine is 'magic'"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(parameters: dict, message: str) -> None:
    X, y = people()
    with pytest.raises(InputError, match=message):
        OptimalTreeClassifier(**parameters).fit(X, y)


def test_cuts_name_a_column_however_its_accents_are_written() -> None:
    X, y = pd.DataFrame({"a\u0302ge": np.arange(20.0)}), np.arange(20) > 3
    classifier = OptimalTreeClassifier("depth-1", cuts={"a\u0302ge": [3]})
    assert classifier.fit(X, y).score(X, y) == 1


def test_more_than_two_classes_get_a_way_out() -> None:
    X, _ = people()
    y = np.arange(60) % 3
    with pytest.raises(ValueError, match=r"3 classes \(0, 1, 2\).*OneVsRestClassifier"):
        OptimalTreeClassifier().fit(X, y)
    numbers = X[["age"]].to_numpy()
    wrapped = OneVsRestClassifier(OptimalTreeClassifier("depth-1")).fit(numbers, y)
    assert set(wrapped.predict(numbers)) <= {0, 1, 2}


def test_a_floor_holds_and_an_impossible_floor_is_reported() -> None:
    X, y = people()
    tree = OptimalTreeClassifier("depth-1", objective="max-tnr", min_tpr=0.95, positive="ill").fit(
        X, y
    )
    found = tree.predict(X) == "ill"
    assert found[y == "ill"].mean() >= 0.95
    with pytest.raises(InputError, match="Proved impossible.*lower the floors"):
        OptimalTreeClassifier("depth-1", min_tpr=1.0, min_tnr=1.0).fit(X, y)


def test_weights_stand_for_repeated_rows_and_fractions_keep_their_proportions() -> None:
    X, y = people()
    weights = np.arange(60) % 3
    repeated = X.loc[X.index.repeat(weights)], y.loc[y.index.repeat(weights)]
    weighted = OptimalTreeClassifier().fit(X, y, sample_weight=weights)
    plain = OptimalTreeClassifier().fit(*repeated)
    halves = OptimalTreeClassifier().fit(X, y, sample_weight=weights / 2)
    assert weighted.tree_ == plain.tree_ == halves.tree_
    assert weighted.objective_ == plain.objective_ == 2 * halves.objective_
    assert halves.weight_factor_ == 2
    thirds = OptimalTreeClassifier().fit(X, y, sample_weight=weights / 3)
    assert thirds.objective_ == pytest.approx(plain.objective_ / 3)
    assert (thirds.predict(X) == plain.predict(X)).all()


def test_class_weights_are_those_of_the_paper() -> None:
    X, y = people()
    weighted = OptimalTreeClassifier(
        "depth-1", class_weight={"ill": 1, "well": 2.5}, positive="ill"
    ).fit(X, y)
    right = weighted.predict(X) == y
    assert weighted.objective_ == right[y == "ill"].sum() + 2.5 * right[y == "well"].sum()
    same = OptimalTreeClassifier("depth-1", class_weight="balanced", positive="ill").fit(X, y)
    balanced = OptimalTreeClassifier("depth-1", objective="balanced", positive="ill").fit(X, y)
    assert same.tree_ == balanced.tree_


def test_probabilities_are_the_shares_in_the_leaf() -> None:
    X, y = people()
    tree = OptimalTreeClassifier(positive="ill").fit(X, y)
    assert list(tree.classes_) == ["ill", "well"]
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        here = leaves == leaf
        expected = [(y[here] == label).mean() for label in tree.classes_]
        assert tree.predict_proba(X)[here][0] == pytest.approx(expected)


def test_the_frontier_has_a_tree_for_each_trade_off() -> None:
    X, y = people()
    tree = OptimalTreeClassifier("depth-1", positive="ill").fit(X, y)
    points = tree.frontier()
    assert [point.fn for point in points] == sorted(point.fn for point in points)
    assert all(point.proved for point in points)
    chosen = points[1]
    again = clone(tree).set_params(objective="max-tnr", min_tpr=chosen.tpr).fit(X, y)
    assert ((again.predict(X) == "ill") & (y == "well")).sum() == chosen.fp
    with pytest.raises(InputError, match="frontier is made for one shape"):
        OptimalTreeClassifier("any-2").fit(X, y).frontier()


def test_a_pickle_answers_alike_and_holds_no_training_rows() -> None:
    X, y = people()
    tree = OptimalTreeClassifier().fit(X, y)
    loaded = pickle.loads(pickle.dumps(tree))
    assert (loaded.predict(X) == tree.predict(X)).all()
    with pytest.raises(InputError, match="needs the training rows"):
        loaded.frontier()


def test_a_model_goes_out_and_comes_back() -> None:
    X, y = people()
    tree = OptimalTreeClassifier(
        max_card=2, min_tpr=Fraction(1, 2), class_weight={"well": 2}, cuts={"age": [30, 50, 70]}
    ).fit(X, y)
    text = tree.to_model().to_text()
    back = OptimalTreeClassifier.from_model(text)
    assert (back.predict(X) == tree.predict(X)).all()
    assert (back.predict_proba(X) == tree.predict_proba(X)).all()
    assert list(back.classes_) == list(tree.classes_)
    assert (back.status_, back.bound_, back.gap_) == (tree.status_, tree.bound_, tree.gap_)
    assert back.to_model().to_text() == text
    assert clone(back).fit(X, y).tree_ == tree.tree_


def test_a_model_of_the_product_becomes_a_classifier() -> None:
    sample = SAMPLES["breast-cancer"]
    table = sample.load()
    spec = TrainSpec(sample.schema(), SplitSpec("all"), Topology.parse("depth-1"))
    model = train_tree(table, spec).model
    assert isinstance(model, Model)
    tree = OptimalTreeClassifier.from_model(model)
    X = table.frame[tree.feature_names_in_]
    right = tree.predict(X) == table.frame["diagnosis"]
    assert right.sum() == model.facts["result"]["objective"]["value"]
    assert (tree.predict(X.astype(float)) == tree.predict(X)).all()
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(X.iloc[:, ::-1])


def test_it_works_in_pipelines_and_searches() -> None:
    X, y = people(120)
    pipeline = make_pipeline(FunctionTransformer(), OptimalTreeClassifier("depth-1"))
    assert cross_val_score(pipeline, X, y, cv=3).min() > 0.5
    search = GridSearchCV(OptimalTreeClassifier(), {"topology": ["depth-1", "depth-2"]}, cv=3)
    search.fit(X, y)
    assert search.best_params_ == {"topology": "depth-2"}
    assert search.best_estimator_.status_ == "optimal"


def test_a_solve_that_runs_out_of_time_says_so() -> None:
    random = np.random.default_rng(0)
    X, y = random.random((4000, 30)), random.integers(0, 2, 4000)
    tree = OptimalTreeClassifier("depth-4", cuts="every", time_limit=0.3)
    with pytest.warns(ConvergenceWarning, match="Give a higher time_limit"):
        tree.fit(X, y)
    assert tree.status_ == "feasible"
    assert tree.gap_ > 0


def test_no_warning_without_a_reason(monks: tuple[pd.DataFrame, pd.Series]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifier("depth-1").fit(*monks).predict(monks[0])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"a": [1.0, np.inf, 2.0]}), "infinity in column 'a'"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"] * 3)}), "Column 'a' holds dates"),
        (pd.DataFrame({"a": [1.0, 1.0, 1.0]}), "no feature to split on"),
        (pd.DataFrame({"a": []}), "minimum of 1 is required"),
        (
            pd.DataFrame([[1, 2], [3, 4], [5, 6]], columns=["a", "a"]),
            "unique column names, got:\n- 'a'",
        ),
    ],
)
def test_rows_that_cannot_be_used_are_refused_in_words(X: pd.DataFrame, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier().fit(X, ["yes", "no", "no"][: len(X)])
