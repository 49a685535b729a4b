"""CART as a baseline and as a feature filter (paper, sections 5.1 and 5.4).

scikit-learn's trees know thresholds only, so a categorical feature enters as one-hot columns and
each of its splits is "one category against the rest". Numerical features enter as their bins'
order, so CART sees the same cut points as the exact solvers; missing bins enter as NaN, which
scikit-learn sends to either side, as we do.
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
"""Columns, and columns times rows, beyond which scikit-learn is given sparse columns.

With 2,400 categories and no limit on depth, that takes a second instead of minutes. Equally good
splits may be told apart otherwise, so tables of the usual size are given as they are.
"""


def fit_cart(
    train: EncodedData,
    *,
    max_depth: int | None = None,
    class_weight: Fraction = Fraction(1),
    seed: int = 0,
    pruning: float = 0.0,
) -> Tree:
    """A CART on encoded rows, as a `Tree` that predicts exactly as scikit-learn's does.

    Everything but depth, class weight and pruning is at scikit-learn's defaults. The tree is not
    simplified: two leaves of one node may predict the same class, as CART's do.

    Parameters
    ----------
    train : EncodedData
        Training rows.
    max_depth : int, optional
        Levels of decisions; no limit by default.
    class_weight : Fraction
        Weight of a negative row (the paper's C); a positive row weighs 1.
    seed : int
        Breaks ties between equally good splits.
    pruning : float
        The alpha of cost-complexity pruning, scikit-learn's ``ccp_alpha``.
    """
    train = _shorter(train)
    classifier = cart_classifier(max_depth, class_weight, seed, pruning)
    fitted = classifier.fit(_columns_of(train), train.y, sample_weight=train.weight)
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
        # scikit-learn's left is "at most the threshold": of a one-hot column, the rows without
        # the category. Our left is the rows with it.
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
    """The features that a default CART on the training rows uses (paper, sections 5.1 and 5.7).

    Parameters
    ----------
    train : EncodedData
        Training rows.
    seed : int
        Breaks ties between equally good splits.
    at_least : int
        Fewest features to select. While there are fewer, CART is run again on the features that
        are left, and those that it uses then are added. If it uses none of these, all are added.
    """
    train = _shorter(train)
    left = frozenset(range(train.n_features))
    selected = _used_by_cart(train, left, seed)
    while len(selected) < min(at_least, train.n_features):
        left = frozenset(range(train.n_features)) - selected
        selected |= _used_by_cart(train, left, seed) or left
    return selected


def _used_by_cart(train: EncodedData, features: frozenset[int], seed: int) -> frozenset[int]:
    """The features that a CART uses when these are all that it sees."""
    # Read off scikit-learn's arrays: an unlimited CART can be deeper than recursion allows.
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
    """The columns that CART sees.

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


def _shorter(train: EncodedData) -> EncodedData:
    """The rows of a long table with equal ones merged, which get the same tree sooner."""
    return train.merged() if _is_long(train) else train


def cart_classifier(
    max_depth: int | None, class_weight: Fraction, seed: int, pruning: float = 0.0
) -> Any:  # scikit-learn has no types
    """scikit-learn's CART, not yet fitted. See `fit_cart`."""
    from sklearn.tree import DecisionTreeClassifier  # a second to import: only where it is needed

    return DecisionTreeClassifier(
        max_depth=max_depth,
        class_weight={False: float(class_weight), True: 1.0},
        random_state=seed,
        ccp_alpha=pruning,
    )


def _columns_of(train: EncodedData) -> Any:
    """What CART is given: the columns of `cart_columns`, sparse where they are many."""
    columns: Any = None
    if train.n_columns > WIDE or _is_long(train):
        columns = _sparse_columns(train.features, train.codes)
    return cart_columns(train.features, train.codes) if columns is None else columns


def _sparse_columns(features: tuple[Feature, ...], codes: npt.NDArray[np.integer]) -> Any:
    """The columns that CART sees as a sparse matrix; None if a number is missing.

    scikit-learn takes no missing values in a sparse matrix.
    """
    from scipy.sparse import csc_matrix

    rows: list[npt.NDArray[np.int64]] = []
    values: list[npt.NDArray[np.integer]] = []
    sizes: list[int] = []
    for g, feature in enumerate(features):
        column = codes[:, g]
        n_codes = feature.n_ordered if feature.is_numerical else feature.n_values
        if feature.is_numerical and ((column < 0) | (column >= n_codes)).any():
            return None
        # Short numbers are sorted by radix: rows by category, rising.
        short = column.astype(np.int16) if n_codes < 2**15 else column
        order = np.argsort(short, kind="stable")
        ends = np.cumsum(np.bincount(column + 1, minlength=n_codes + 1))
        if feature.is_numerical:
            order = np.sort(order[ends[1] :])
            values.append(column[order])
            sizes.append(len(order))
        else:
            order = order[ends[0] :]
            values.append(np.ones(len(order), dtype=column.dtype))
            sizes += np.diff(ends).tolist()
        rows.append(order)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    found = (np.concatenate(values).astype(np.float32), np.concatenate(rows), starts)
    return csc_matrix(found, shape=(len(codes), len(sizes)))


def _columns(features: tuple[Feature, ...]) -> list[tuple[int, int | None]]:
    """For each column: the feature, and the category it marks (None for a column of bins)."""
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
