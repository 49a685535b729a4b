"""The choice of CART's pruning by cross-validation along its cost-complexity path.

Each fold's tree is grown once, and all its pruned trees are derived from it. So a large table needs
a few fits instead of a hundred. (Breiman, Friedman, Olshen and Stone, Classification and Regression
Trees, 1984, chapter 3.)
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt

from odt_core.cart import cart_classifier, cart_columns
from odt_core.data import Fold
from odt_core.data.folds import k_fold_rows
from odt_core.problem import EncodedData

INNER_FOLDS = 5
MOST_ALPHAS = 20
"""Largest number of points on the cost-complexity path to try; a longer path is thinned evenly."""


def choose_pruning(
    train: EncodedData,
    class_weight: Fraction,
    seed: int,
    groups: npt.NDArray[np.int64] | None = None,
) -> float:
    """Choose the alpha on CART's cost-complexity path that does best in cross-validation.

    The measure is weighted accuracy. The alphas are the geometric means of neighbours on the path
    of all rows. Among equally good alphas the largest is chosen (section 3.4 of the book).

    Parameters
    ----------
    class_weight : Fraction
        Weight of a negative row.
    seed : int
        Seed for the folds and for ties between splits.
    groups : int64[N], optional
        Group of each row; rows of one group stay together.
    """
    n_folds = min(INNER_FOLDS, int(train.y.sum()), int((~train.y).sum()))
    if groups is not None:
        n_folds = min(n_folds, len(np.unique(groups)))
    if n_folds < 2:
        return 0.0
    columns = cart_columns(train.features, train.codes)
    whole = cart_classifier(None, class_weight, seed)
    path = whole.cost_complexity_pruning_path(columns, train.y, sample_weight=train.weight)
    alphas = _tried(np.maximum(path.ccp_alphas, 0.0))
    worth = np.where(train.y, 1.0, float(class_weight)) * train.weight
    scores = np.zeros(len(alphas))
    for part in range(n_folds):
        inside, outside = k_fold_rows(train.y, Fold(0, part, n_folds), seed, groups)
        fitted = cart_classifier(None, class_weight, seed)
        fitted.fit(columns[inside], train.y[inside], sample_weight=train.weight[inside])
        is_right = pruned_answers(fitted, columns[outside], alphas) == train.y[outside, None]
        scores += worth[outside] @ is_right
    return float(alphas[np.flatnonzero(scores >= scores.max() - 1e-9)[-1]])


def _tried(path: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Geometric means of neighbours on a path, and the path's end; at most `MOST_ALPHAS`."""
    between = np.append(np.sqrt(path[:-1] * path[1:]), path[-1])
    if len(between) <= MOST_ALPHAS:
        return between
    return between[np.linspace(0, len(between) - 1, MOST_ALPHAS).round().astype(int)]


def pruned_answers(
    fitted: Any, columns: npt.NDArray[np.float32], alphas: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Compute a CART's answers after pruning with each alpha, as ``ccp_alpha`` would.

    Parameters
    ----------
    columns : float32[N, D]
        The rows to answer for.
    alphas : float64[A]
        The degrees of pruning.

    Returns
    -------
    bool[N, A]
    """
    inner = fitted.tree_
    says = fitted.classes_.astype(np.bool_)[inner.value[:, 0].argmax(axis=1)]
    is_leaf = _first_alphas(inner)[:, None] <= alphas
    answers = np.repeat(says[:, None], len(alphas), axis=1)
    for node in range(inner.node_count):  # a child's number is larger than its parent's
        for child in (inner.children_left[node], inner.children_right[node]):
            if child >= 0:
                answers[child] = np.where(is_leaf[node], answers[node], answers[child])
                is_leaf[child] |= is_leaf[node]
    return np.asarray(answers[fitted.apply(columns)])


def _first_alphas(inner: Any) -> npt.NDArray[np.float64]:
    """The alpha from which on each node is a leaf, found by repeatedly cutting the weakest link."""
    n, left, right = inner.node_count, inner.children_left, inner.children_right
    own = inner.impurity * inner.weighted_n_node_samples / inner.weighted_n_node_samples[0]
    below, n_leaves, parent = own.copy(), np.ones(n, np.int64), np.full(n, -1)
    for node in range(n - 1, -1, -1):
        if left[node] >= 0:
            both = [left[node], right[node]]
            below[node], n_leaves[node], parent[both] = below[both].sum(), sum(n_leaves[both]), node
    found = np.where(left < 0, 0.0, np.inf)

    def strength(node: int) -> float:
        return float((own[node] - below[node]) / (n_leaves[node] - 1))

    def is_cut_off(node: int) -> bool:
        while node >= 0 and n_leaves[node] > 1:
            node = int(parent[node])
        return node >= 0

    links = [(strength(node), node) for node in np.flatnonzero(left >= 0).tolist()]
    heapify(links)
    alpha = 0.0
    while links:
        weakest, node = heappop(links)
        if is_cut_off(node) or weakest != strength(node):
            continue  # after a cut below this node, the heap has a newer entry for it
        alpha = max(alpha, weakest)
        found[node] = alpha
        risk, leaves, at = own[node] - below[node], n_leaves[node] - 1, node
        while at >= 0:
            below[at] += risk
            n_leaves[at] -= leaves
            if n_leaves[at] > 1:
                heappush(links, (strength(at), at))
            at = int(parent[at])
    return found
