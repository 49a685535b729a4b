"""CART as a baseline and as a feature filter (paper, sections 5.1 and 5.4).

scikit-learn's trees know thresholds only. So a categorical feature becomes one-hot columns, and
each of its splits is "one category against the rest". A numerical feature becomes its bin numbers,
so CART sees the same cut points as the exact solvers. A missing bin becomes NaN, which scikit-learn
sends to either side, as our solvers do.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from odt_core.problem import EncodedData, Feature, Split
from odt_core.tree import Decision, Leaf, Node, Tree

WIDE = 300
MANY_CELLS = 10_000_000
"""Numbers of columns, and of columns times rows, from which scikit-learn gets sparse columns.

With 2,400 categories and no limit on depth, that takes a second instead of minutes. It may break
ties between splits differently, so tables of the usual size are passed as they are.
"""


def fit_cart(
    train: EncodedData,
    *,
    max_depth: int | None = None,
    class_weight: Fraction = Fraction(1),
    seed: int = 0,
    pruning: float = 0.0,
) -> Tree:
    """Fit a CART on encoded rows, as a `Tree` that predicts exactly as scikit-learn's does.

    All settings but depth, class weight and pruning are scikit-learn's defaults. The tree is not
    simplified: two leaves of one node may predict the same class, as in CART.

    Parameters
    ----------
    train : EncodedData
        The training rows.
    max_depth : int, optional
        Number of levels of decision nodes; no limit by default.
    class_weight : Fraction
        Weight of a negative row (the paper's C); a positive row weighs 1.
    seed : int
        Breaks ties between equally good splits.
    pruning : float
        The alpha of cost-complexity pruning, scikit-learn's ``ccp_alpha``.
    """
    train = shorter(train)
    classifier = cart_classifier(max_depth, class_weight, seed, pruning)
    fitted = classifier.fit(_columns_of(train), train.y, sample_weight=train.weight)
    return _tree_of(fitted, train)


def _tree_of(fitted: Any, train: EncodedData) -> Tree:
    """Read scikit-learn's tree, and count its training rows."""
    columns = _columns(train.features)
    inner = fitted.tree_
    classes = [bool(label) for label in fitted.classes_]

    def visit(index: int, rows: npt.NDArray[np.int64]) -> Node:
        weight, y = train.weight[rows], train.y[rows]
        n_positive = int(weight[y].sum())
        n_negative = int(weight.sum()) - n_positive
        if inner.children_left[index] < 0:
            label = classes[int(np.argmax(inner.value[index][0]))]
            return Leaf(label, n_negative, n_positive)
        g, category = columns[inner.feature[index]]
        # scikit-learn's left branch has the rows "at most the threshold": for a one-hot column, the
        # rows without the category. Our left branch has the rows with the category.
        low, high = int(inner.children_left[index]), int(inner.children_right[index])
        if category is None:
            missing_left = bool(inner.missing_go_to_left[index])
            left = _low_bins(train.features[g], float(inner.threshold[index]), missing_left)
            first, second, unseen_left = low, high, missing_left
        else:
            left = frozenset({category})
            first, second, unseen_left = high, low, False
        values = train.codes[rows, g]
        goes_left = np.isin(values, sorted(left))
        return Decision(
            split=Split(g, left),
            left=visit(first, rows[goes_left]),
            right=visit(second, rows[~goes_left]),
            observed=frozenset(int(value) for value in np.unique(values)),
            unseen_left=unseen_left,
            n_negative=n_negative,
            n_positive=n_positive,
        )

    root = visit(0, np.arange(len(train.y)))
    return Tree(root, train.features, train.target, train.positive_label, train.negative_label)


def cart_feature_selection(
    train: EncodedData, *, seed: int = 0, at_least: int = 0
) -> frozenset[int]:
    """Find the features that a default CART on the training rows uses (paper, 5.1 and 5.7).

    Parameters
    ----------
    train : EncodedData
        The training rows.
    seed : int
        Breaks ties between equally good splits.
    at_least : int
        Least number of features. While there are fewer, CART is run again on the remaining
        features, and the features that it uses are added. If it uses none, all are added.
    """
    train = shorter(train)
    left = frozenset(range(train.n_features))
    selected = _used_by_cart(train, left, seed)
    while len(selected) < min(at_least, train.n_features):
        left = frozenset(range(train.n_features)) - selected
        selected |= _used_by_cart(train, left, seed) or left
    return selected


def _used_by_cart(train: EncodedData, features: frozenset[int], seed: int) -> frozenset[int]:
    """The features that a CART uses if it sees only these features."""
    # Read scikit-learn's arrays directly: an unlimited CART can be too deep for recursion.
    order = sorted(features)
    seen = train
    if len(order) < train.n_features:
        columns = tuple(train.features[g] for g in order)
        seen = dataclasses.replace(train, codes=train.codes[:, order], features=columns)
    marks = _columns(seen.features)
    classifier = cart_classifier(None, Fraction(1), seed)
    fitted = classifier.fit(_columns_of(seen), seen.y, sample_weight=seen.weight)
    return frozenset(order[marks[column][0]] for column in fitted.tree_.feature if column >= 0)


def cart_columns(
    features: tuple[Feature, ...], codes: npt.NDArray[np.integer]
) -> npt.NDArray[np.float32]:
    """Make the columns that CART sees.

    Parameters
    ----------
    features : tuple of Feature
        The G features.
    codes : int[N, G]
        Encoded rows; -1 is a value that no training row had.

    Returns
    -------
    float32[N, D]
        One 0/1 column for each category of a categorical feature (all 0 for an unseen value), one
        column of bin numbers for each numerical feature (NaN for a missing or unseen value).
    """
    columns: list[npt.NDArray[np.float32]] = []
    for g, category in _columns(features):
        values = codes[:, g]
        if category is not None:
            columns.append((values == category).astype(np.float32))
            continue
        known = (values >= 0) & (values < features[g].n_ordered)
        columns.append(np.where(known, values, np.nan).astype(np.float32))
    return np.column_stack(columns)


def _is_long(train: EncodedData) -> bool:
    return len(train.y) * train.n_columns > MANY_CELLS


def shorter(train: EncodedData) -> EncodedData:
    """Merge equal rows of a long table. CART finds the same tree in less time."""
    return train.merged() if _is_long(train) else train


def load_cart() -> None:
    """Import scikit-learn's trees, which takes a second, before the rows are there."""
    cart_classifier(None, Fraction(1), 0)


def cart_classifier(
    max_depth: int | None, class_weight: Fraction, seed: int, pruning: float = 0.0
) -> Any:  # scikit-learn has no types
    """Make scikit-learn's CART, not yet fitted. See `fit_cart`."""
    from sklearn.tree import DecisionTreeClassifier  # takes a second to import

    return DecisionTreeClassifier(
        max_depth=max_depth,
        class_weight=None if class_weight == 1 else {False: float(class_weight), True: 1.0},
        random_state=seed,
        ccp_alpha=pruning,
    )


def _columns_of(train: EncodedData) -> Any:
    """Make scikit-learn's input: the columns of `cart_columns`, sparse if there are many."""
    columns: Any = None
    if train.n_columns > WIDE or _is_long(train):
        columns = sparse_columns(train.features, train.codes)
    return cart_columns(train.features, train.codes) if columns is None else columns


def sparse_columns(features: tuple[Feature, ...], codes: npt.NDArray[np.integer]) -> Any:
    """Make CART's columns as a sparse matrix; None if a number is missing.

    scikit-learn takes no missing values in a sparse matrix.
    """
    from scipy.sparse import csc_matrix

    # Short integers and floats of the very type that scikit-learn wants: it copies all others.
    rows: list[npt.NDArray[np.int32]] = []
    values: list[npt.NDArray[np.float32]] = []
    sizes: list[int] = []
    for g, feature in enumerate(features):
        column = codes[:, g]
        n_codes = feature.n_ordered if feature.is_numerical else feature.n_values
        if feature.is_numerical and ((column < 0) | (column >= n_codes)).any():
            return None
        # Radix sort for short numbers: rows by category, in rising order.
        short = column.astype(np.min_scalar_type(-n_codes)) if n_codes < 2**15 else column
        order = np.argsort(short, kind="stable")
        ends = np.cumsum(np.bincount(column + 1, minlength=n_codes + 1))
        if feature.is_numerical:
            order = np.sort(order[ends[1] :])
            values.append(column[order].astype(np.float32))
            sizes.append(len(order))
        else:
            order = order[ends[0] :]
            values.append(np.ones(len(order), dtype=np.float32))
            sizes += np.diff(ends).tolist()
        rows.append(order.astype(np.int32))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    found = (np.concatenate(values), np.concatenate(rows), starts)
    return csc_matrix(found, shape=(len(codes), len(sizes)))


def _columns(features: tuple[Feature, ...]) -> list[tuple[int, int | None]]:
    """For each column, its feature and the category that it marks (None for a column of bins)."""
    columns: list[tuple[int, int | None]] = []
    for g, feature in enumerate(features):
        if feature.is_numerical:
            columns.append((g, None))
        else:
            columns += [(g, code) for code in range(feature.n_values)]
    return columns


def _low_bins(feature: Feature, threshold: float, missing_left: bool) -> frozenset[int]:
    low = {code for code in range(feature.n_ordered) if code <= threshold}
    if missing_left and feature.has_missing:
        low.add(feature.n_values - 1)
    return frozenset(low)
