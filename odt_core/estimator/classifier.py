"""The exact search as a scikit-learn classifier."""

from __future__ import annotations

import dataclasses
import warnings
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import narwhals
import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import (
    Tags,
    assert_all_finite,
    check_consistent_length,
    check_random_state,
    column_or_1d,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from odt_core.errors import InputError
from odt_core.estimator.frames import FROM_DTYPE, categorical_mask, column_names, with_numbers
from odt_core.estimator.weights import negative_weight, whole_weights
from odt_core.problem import Goal, Objective, Problem
from odt_core.solution import Status

# Encoding, solving and export are imported where they are used. So importing the classifier takes
# little longer than importing scikit-learn.
if TYPE_CHECKING:
    from odt_core.data import Encoder, Schema, Table, Unseen
    from odt_core.export import Model
    from odt_core.solution import Solution
    from odt_core.studies import OperatingPoint
    from odt_core.training import TrainedTree, TrainSpec
    from odt_core.tree import Tree

TARGET = "class"
"""The outcome's name in trees and models if `y` has no name."""


class OptimalTreeClassifier(ClassifierMixin, BaseEstimator):
    """The provably best small decision tree for two classes.

    An exact search finds the tree and proves that no tree of the same shape does better on the
    training rows. A split on a categorical feature is a set of categories. A split on a numerical
    feature is a threshold. A missing value is a value of its own. The model comes from Günlük,
    Kalagnanam, Li, Menickelly and Scheinberg, *Optimal Decision Trees for Categorical Data via
    Integer Programming*.

    Parameters
    ----------
    topology : str, default="depth-2"
        The tree's shape: ``depth-1``, ``depth-2``, ``depth-2.5``, ``depth-3``, ``imbalanced``,
        ``depth-4``, a text form such as ``((. .)(. .))``, or ``any-7`` for any shape with at most
        seven questions.
    max_card : int or None, default=None
        The largest set of categories in a split; None for no cap (paper, section 4.5).
    objective : {"accuracy", "balanced", "max-tpr", "max-tnr"}, default="accuracy"
        The quantity to maximise on the training rows: accuracy, the mean of sensitivity and
        specificity, sensitivity, or specificity. ``max-tpr`` needs `min_tnr` and ``max-tnr`` needs
        `min_tpr`.
    min_tpr, min_tnr : float or None, default=None
        Floors on sensitivity (TPR) and specificity (TNR) on the training rows, as shares. 0.95
        means exactly 95%.
    class_weight : dict, "balanced" or None, default=None
        The weight of a row of each class, for the objective ``accuracy``. A label that is not named
        has the weight 1.
    positive : label or None, default=None
        The positive class; None for the last of `classes_`.
    categorical_features : "from_dtype", None, or array-like of bool, int or str, \
default="from_dtype"
        The categorical features as a mask, numbers or names. ``from_dtype`` takes the columns of
        categories, text and booleans.
    cuts : "deciles", "every", int, sequence of float, or dict, default="deciles"
        The allowed cut points of numerical features: the deciles of the training rows, between any
        two values, a number of quantiles, or given numbers. A dict sets the cuts of single columns.
    min_leaf : int or None, default=None
        The smallest weighted number of training rows in a leaf. Leaves without rows are allowed.
    min_leaf_of : {"rows", "rarer-class"}, default="rows"
        Whether `min_leaf` counts all rows or only those of the rarer class.
    engine : {"search", "hybrid", "cbc", "highs"}, default="search"
        The solver. ``hybrid`` is the search with a confirmation by CBC in the paper's integer
        program.
    time_limit : float, default=60.0
        Seconds for the solve.
    threads : int, default=1
        Processor threads for the solve.
    random_state : int, RandomState instance or None, default=None
        The seed for CBC and HiGHS. The search makes no random choices.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The class labels, sorted.
    positive_ : label
        The positive class.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if `X` had names.
    tree_ : odt_core.tree.Tree
        The tree. Its counts are sums of row weights, multiplied by `weight_factor_`.
    status_ : {"optimal", "feasible"}
        ``optimal``: no tree of this shape does better on the training rows, by proof.
        ``feasible``: time ran out, and `tree_` is the best tree found.
    objective_ : float
        The tree's objective: for ``accuracy`` the weighted number of correct rows (a positive row
        has the weight 1), for the others a share.
    bound_ : float
        A proved upper bound on the objective of trees of this shape, in the same unit.
    gap_ : float
        ``bound_ - objective_``; 0 if the tree is proved optimal.
    weight_factor_ : float
        The factor that makes all row weights whole numbers; 1 for whole weights.

    See Also
    --------
    sklearn.tree.DecisionTreeClassifier : Trees that grow greedily, question by question.

    Notes
    -----
    `predict` gives the label of the leaf, and `predict_proba` the shares of the classes among its
    training rows. With floors or class weights a leaf need not have the label of its larger class.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> tree = OptimalTreeClassifier(topology="depth-2").fit(X, y)
    >>> tree.status_, round(tree.score(X, y), 3)
    ('optimal', 0.958)

    Find at least 99 % of the malignant cases (class 0), with as few false alarms as possible:

    >>> tree = OptimalTreeClassifier(objective="max-tnr", positive=0, min_tpr=0.99).fit(X, y)
    >>> found = tree.predict(X) == 0
    >>> bool(found[y == 0].mean() >= 0.99)
    True
    """

    def __init__(
        self,
        topology: str = "depth-2",
        *,
        max_card: int | None = None,
        objective: str = "accuracy",
        min_tpr: float | None = None,
        min_tnr: float | None = None,
        class_weight: Any = None,
        positive: Any = None,
        categorical_features: Any = FROM_DTYPE,
        cuts: Any = "deciles",
        min_leaf: int | None = None,
        min_leaf_of: str = "rows",
        engine: str = "search",
        time_limit: float = 60.0,
        threads: int = 1,
        random_state: Any = None,
    ) -> None:
        self.topology = topology
        self.max_card = max_card
        self.objective = objective
        self.min_tpr = min_tpr
        self.min_tnr = min_tnr
        self.class_weight = class_weight
        self.positive = positive
        self.categorical_features = categorical_features
        self.cuts = cuts
        self.min_leaf = min_leaf
        self.min_leaf_of = min_leaf_of
        self.engine = engine
        self.time_limit = time_limit
        self.threads = threads
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything except the training rows, which only `frontier` needs."""
        return {**super().__getstate__(), "_problem": None}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OptimalTreeClassifier:
        """Find the best tree of the shape on the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features, best as a data frame.
        y : array-like of shape (n_samples,)
            The labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Row weights: the number of rows that each row stands for. Rows of weight 0 are left out.

        Returns
        -------
        self : OptimalTreeClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If the rows or a parameter cannot be used, or no tree meets the floors.
        """
        from odt_core.training import train_tree

        frame, labels, weights = self._checked(X, y, sample_weight)
        self._take_classes(labels)
        is_positive = labels == self.positive_
        whole, factor = whole_weights(weights)
        self.weight_factor_ = float(factor)
        table, schema = self._table(frame, labels, getattr(y, "name", None))
        n_positive, n_negative = int(whole[is_positive].sum()), int(whole[~is_positive].sum())
        spec = self._spec(
            schema,
            negative_weight(
                self.class_weight, self._negative, self.positive_, n_negative, n_positive
            ),
            factor,
        )
        self._take(train_tree(table, spec, whole), factor)
        return self

    def _checked(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[pd.DataFrame, npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Features, labels and weights of the rows whose weight is not 0."""
        if narwhals.dependencies.is_into_dataframe(X):
            frame = self._frame(X, reset=True)
            validate_data(self, X, y, reset=True, skip_check_array=True)
            labels = column_or_1d(y, warn=True)
            assert_all_finite(labels, input_name="y")
            check_consistent_length(X, labels)
        else:
            values, labels = validate_data(self, X, y, dtype=None, ensure_all_finite=False)
            frame = self._named(pd.DataFrame(values))
        if pd.isna(labels).any():
            raise InputError("Input y contains NaN: leave out rows whose class is not known.")
        weights = np.ones(len(labels))
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, frame, dtype=np.float64, ensure_non_negative=True
            )
            counts = weights > 0
            if not counts.any():
                raise InputError("Sample weights are all zero: give some row a weight above 0.")
            frame, labels, weights = frame[counts], labels[counts], weights[counts]
        return frame, labels, weights

    def _frame(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """The features as a data frame with a name for each column."""
        if not narwhals.dependencies.is_into_dataframe(X):
            X = validate_data(self, X, dtype=None, ensure_all_finite=False, reset=reset)
            return self._named(pd.DataFrame(X))
        validate_data(self, X, reset=reset, skip_check_array=True)
        if 0 in X.shape:
            raise InputError(
                f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) "
                f"(shape={X.shape}) while a minimum of 1 is required."
            )
        return self._named(narwhals.from_native(X, eager_only=True).to_pandas())

    def _named(self, frame: pd.DataFrame) -> pd.DataFrame:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{g}" for g in range(frame.shape[1])]
        return frame.set_axis(column_names(names), axis=1).reset_index(drop=True)

    def _take_classes(self, labels: npt.NDArray[Any]) -> None:
        check_classification_targets(labels)
        classes = np.unique(labels)
        shown = ", ".join(repr(label) for label in classes[:5].tolist())
        if len(classes) > 2:
            raise InputError(
                "Only binary classification is supported. The type of the target is multiclass: y "
                f"has {len(classes)} classes ({shown}{', ...' if len(classes) > 5 else ''}). Make "
                f"it two, such as y == {classes.tolist()[0]!r} against the rest, or wrap the "
                "classifier in sklearn.multiclass.OneVsRestClassifier."
            )
        if len(classes) == 1:
            raise InputError(f"y has one class only ({shown}), but a tree tells two apart.")
        positive = classes[1] if self.positive is None else self.positive
        if positive not in classes.tolist():
            raise InputError(f"positive is {positive!r}, but the classes are {shown}.")
        self.classes_ = classes
        self.positive_ = classes[classes.tolist().index(positive)]

    @property
    def _negative(self) -> Any:
        return self.classes_[0] if self.classes_[1] == self.positive_ else self.classes_[1]

    def _table(
        self, frame: pd.DataFrame, labels: npt.NDArray[Any], target: Any
    ) -> tuple[Table, Schema]:
        """The training rows as a `Table`, with the schema of its columns."""
        from odt_core.data import Schema, table_from_frame
        from odt_core.estimator.settings import FrameColumns

        has_names = hasattr(self, "feature_names_in_")
        mask = categorical_mask(frame, self.categorical_features, has_names=has_names)
        names = frame.columns.tolist()
        numerical = [
            name for name, is_categorical in zip(names, mask, strict=True) if not is_categorical
        ]
        name = TARGET if not isinstance(target, str) or not target else target
        while name in names:
            name += "_"
        frame = with_numbers(frame, numerical).assign(**{name: labels})
        table = table_from_frame(frame)
        texts = table.factor(name)
        positive = texts.values[int(texts.codes[np.argmax(labels == self.positive_)])].as_py()
        if "" in texts.texts or len(texts.texts) < 2:
            raise InputError(
                "The two classes of y must differ in more than blanks, and must not be empty."
            )
        columns = FrameColumns(names, numerical).schemas(self.cuts)
        return table, Schema(name, positive, columns, missing_tokens=())

    def _spec(self, schema: Schema, class_weight: Fraction, factor: Fraction) -> TrainSpec:
        from odt_core.data import SplitSpec
        from odt_core.estimator.settings import cap, objective, one_of, smallest_leaf
        from odt_core.solution import Engine
        from odt_core.topology import parse_shape
        from odt_core.training import TrainSpec

        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        return TrainSpec(
            schema=schema,
            split=SplitSpec("all"),
            topology=parse_shape(self.topology),
            objective=objective(self.objective, class_weight, self.min_tpr, self.min_tnr),
            max_card=cap(self.max_card),
            smallest_leaf=smallest_leaf(self.min_leaf, self.min_leaf_of, factor),
            engine=one_of(Engine, self.engine, "engine"),
            time_limit=float(self.time_limit),
            threads=int(self.threads),
            seed=seed,
        )

    def _take(self, trained: TrainedTree, factor: Fraction) -> None:
        """Set the fitted attributes from a solved problem.

        Raises
        ------
        InputError
            If the problem has no tree.
        """
        solution, sentence = trained.solution, trained.status_sentence
        model = trained.model
        if solution.tree is None or model is None:
            raise InputError(f"{sentence}: lower the floors, or choose another shape.")
        if not solution.status.is_settled:
            warnings.warn(
                f"{sentence}. Give a higher time_limit, or a smaller topology.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self._take_model(model)
        self._problem: Problem | None = trained.problem
        self._take_proof(solution, factor)

    def _take_model(self, model: Model) -> None:
        from odt_core.data import Encoder

        self._model = model
        self._encoder: Encoder = Encoder.from_json(model.encoder)
        self.tree_: Tree = model.tree

    def _take_proof(self, solution: Solution, factor: Fraction) -> None:
        assert solution.value is not None and solution.value_bound is not None
        unit = factor if Goal(self.objective).counts_rows else 1
        self.status_ = solution.status.value
        self.objective_ = float(solution.value / unit)
        self.bound_ = float(solution.value_bound / unit)
        self.gap_ = float((solution.value_bound - solution.value) / unit)

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the leaf of each row, counted from 0, left to right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.tree_.apply(self._encoder.encode(self._frame(X, reset=False)))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of each row, which is the label of its leaf.

        At a node, a value that no training row had follows the branch of most training rows (see
        `unseen`).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        leaves = self.apply(X)
        is_positive = np.array([leaf.label for leaf in self.tree_.leaves])
        labels = np.where(is_positive, self.positive_, self._negative)
        return labels[leaves].astype(self.classes_.dtype)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the class shares of the leaf's training rows, in the order of `classes_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_samples, 2)
        """
        leaves = self.apply(X)
        counts = np.array(self.tree_.training_counts)
        shares = counts / counts.sum(axis=1, keepdims=True)
        if self.classes_[0] == self.positive_:
            shares = shares[:, ::-1]
        return shares[leaves]

    def unseen(self, X: Any) -> tuple[Unseen, ...]:
        """Find values that no training row had, with their columns and numbers of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.

        Returns
        -------
        tuple of odt_core.data.Unseen
            At most 20 values for each column. Numerical columns report only missing values, if no
            training row had one.
        """
        check_is_fitted(self)
        return self._encoder.unseen(self._frame(X, reset=False))

    def frontier(self, time_limit: float | None = None) -> tuple[OperatingPoint, ...]:
        """Find every best trade-off between false negatives and false positives in training.

        A tree of the shape reaches each point. No tree makes fewer errors of one kind without more
        errors of the other. Objective, class weight and floors are ignored. To use a point's tree,
        fit again with the objective ``max-tnr`` and ``min_tpr=point.tpr``.

        Parameters
        ----------
        time_limit : float or None
            Seconds; None for the classifier's time limit.

        Returns
        -------
        tuple of odt_core.studies.OperatingPoint
            The points by rising false negatives, each with `tree`, `tpr`, `tnr` and `proved`.

        Raises
        ------
        ValueError
            If the topology is not a single shape, or the classifier was loaded from a file, which
            has no training rows.
        """
        from odt_core.solvers.control import Control
        from odt_core.studies.frontier import search_frontier

        check_is_fitted(self)
        if self._problem is None:
            raise InputError("A frontier needs the training rows: fit the classifier first.")
        _spec_of(self._model).one_topology("The frontier")
        found = search_frontier(
            dataclasses.replace(self._problem, objective=Objective()),
            None,
            Control(float(self.time_limit if time_limit is None else time_limit)),
        )
        if found.status is not Status.OPTIMAL:
            warnings.warn(
                "Time ran out: points may be missing, and those with proved=False may be beaten.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return found.points

    def to_model(self) -> Model:
        """Convert the tree to a model, which the dashboard, the command line and exports read.

        ``classifier.to_model().to_text()`` is the text of a model.json. Its labels are text.

        Returns
        -------
        odt_core.export.Model
        """
        check_is_fitted(self)
        return self._model

    @classmethod
    def from_model(cls, model: Model | str | bytes) -> OptimalTreeClassifier:
        """Load a fitted classifier from a model of the dashboard or of ``odt train``.

        It has the parameters of the model's training, as far as the classifier has such parameters.
        Its labels are text. Its features have the model's names.

        Parameters
        ----------
        model : odt_core.export.Model, str or bytes
            The model, or the text of a model.json.

        Raises
        ------
        ValueError
            If `model` is not a model or is damaged.
        """
        from odt_core.data import Schema
        from odt_core.estimator.settings import parameters
        from odt_core.export import Model

        model = Model.from_text(model) if isinstance(model, (str, bytes)) else model
        classifier = cls(**parameters(_spec_of(model), model.tree))
        names = [column.name for column in Schema.from_json(model.schema).features]
        labels = [model.tree.negative_label, model.tree.positive_label]
        classifier._take_model(model)
        classifier._problem = None
        classifier.feature_names_in_ = np.array(names, dtype=object)
        classifier.n_features_in_ = len(names)
        classifier.classes_ = np.array(sorted(labels))
        classifier.positive_ = classifier.classes_[sorted(labels).index(labels[1])]
        classifier.weight_factor_ = 1.0
        classifier._take_recorded_proof()
        return classifier

    def _take_recorded_proof(self) -> None:
        """Set the attributes of the proof, if the model has one."""
        result = self._model.facts.get("result")
        if result is None:
            return
        self.status_ = result["status"]
        self.objective_ = result["objective"]["value"]
        self.bound_ = result["objective"]["bound"]
        self.gap_ = self.bound_ - self.objective_


def _spec_of(model: Model) -> TrainSpec:
    """Return the specification of a model's training.

    Raises
    ------
    InputError
        If the model has no specification.
    """
    from odt_core.training import TrainSpec

    if "settings" not in model.facts:
        raise InputError("The model does not say how it was trained: give a trained model.")
    return TrainSpec.from_json(model.facts["settings"])
