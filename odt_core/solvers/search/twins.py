"""Twins in plain NumPy of the compiled primitives: short and untuned. They need no compiler.

A twin has the signature of its primitive. See kernels.py and front_kernels.py.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from odt_core.solvers.search.columns import ANY, LEAF, Columns, runs_of
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.row_sets import Flags, Floats, Masks, Whole, unpack


def leaf_costs(table: Columns, family: int, X: Floats, total: Floats, positive: Floats) -> Floats:
    """Least cost of a family of at most one level for B row sets, ``float64[B]``.

    Parameters
    ----------
    X : float64[V, B]
        Sum of d of each set over each column.
    total, positive : float64[B]
        Sum of d and positive weight of each set.
    """
    if table.level[family] == LEAF:
        return np.asarray(positive + np.minimum(total, 0))
    best = np.minimum(total, 0) if table.empty_ok[family] else np.full(len(total), np.inf)
    for arity, s, e in runs_of(table, family).tolist():
        x = X[s:e]
        low, high = x.min(axis=0), x.max(axis=0)
        if arity == ANY:
            value = np.minimum(x, 0).sum(axis=0)
            if not table.empty_ok[family]:  # if all sums have one sign, one column has to differ
                value = np.where(low >= 0, low, np.where(high < 0, value - high, value))
            best = np.minimum(best, value)
            continue
        if arity > 1:
            y = np.sort(x, axis=0)
            low += np.minimum(y[1:arity], 0).sum(axis=0)
            high += np.maximum(y[-arity:-1], 0).sum(axis=0)
        best = np.minimum(best, np.minimum(low, total - high))
    return np.asarray(positive + best)


def column_sums(
    table: Columns, masks: Masks, positive: Floats, negative: Floats,
    P: Floats, N: Floats, PT: Floats, NT: Floats,
) -> None:  # fmt: skip
    """Positive and negative weight of each row set in each column, and of the whole sets."""
    inside = unpack(masks, len(positive))
    PT[:], NT[:] = inside @ positive, inside @ negative
    b, row = np.nonzero(inside)
    for k, (s, e) in enumerate(pairwise(table.start.tolist())):
        at = b * (e - s + 1) + table.local[k, row]
        for weight, out in ((positive, P), (negative, N)):
            sums = np.bincount(at, weight[row], len(inside) * (e - s + 1)).reshape(-1, e - s + 1)
            out[:, s:e] = sums[:, :-1].cumsum(1) if table.kind[k] == CHAIN else sums[:, :-1]


def first_open(bounds: Floats, alpha: Floats, beta: Floats, wanted: Floats, found: Whole) -> None:
    """The first step of the staircase that the bounds of each split leave open, or -1."""
    x, y = wanted[0, 1:] - 1, wanted[1, :-1] - 1
    if not len(x):
        found[:] = -1
        return
    cost = alpha[:, None] * x + beta[:, None] * y
    open_: Flags = np.asarray((cost[None] >= bounds[:, :, None]).all(axis=1))
    found[:] = np.where(open_.any(axis=1), open_.argmax(axis=1), -1)


def undominated(points: Floats) -> Floats:
    """The points that no other point dominates, by rising first row. Equal points become one."""
    order = np.lexsort((np.arange(points.shape[1]), points[1], points[0]))
    points = points[:, order]
    keep = np.ones(points.shape[1], np.bool_)
    keep[1:] = points[1, 1:] < np.minimum.accumulate(points[1])[:-1]
    return np.ascontiguousarray(points[:, keep])


def combine(
    low: Floats, n_low: int, high: Floats, n_high: int, wanted: Floats, n: int, split: int
) -> tuple[Floats, int]:
    """Insert the sums of two fronts' points into the wanted one."""
    points = np.empty((5, n_low, n_high))
    points[:2] = low[:2, :n_low, None] + high[:2, None, :n_high]
    points[2] = split
    points[3:] = low[:2, :n_low, None]
    new = undominated(np.concatenate([wanted[:, :n], points.reshape(5, -1)], axis=1))
    return new, new.shape[1]


def stump_front(
    p: Floats, q: Floats, tp: float, tn: float, runs: Whole, alike: bool, leaf: Floats,
    box: Floats, out: Floats,
) -> tuple[Floats, int]:  # fmt: skip
    """The front of a family of at most one level on one row set."""
    one_sided = [(0.0, 0.0)]
    pairs: list[tuple[float, float]] = []  # positive and negative weight of one side
    if alike:
        pairs += one_sided
    for arity, s, e in runs.tolist():
        if arity == 1:
            pairs += zip(p[s:e], q[s:e], strict=True)
            continue
        own = s + np.flatnonzero(p[s:e] + q[s:e] > 0)
        pairs += one_sided if len(own) < e - s else []
        for positive in (True,) if arity == 0 else (True, False):
            sums = called(p[own], q[own], arity, positive, box, leaf[2] > 0)[-1]
            x, y = sums[:2, sums[2] >= (3 if arity == 0 else 1)]
            pairs += zip(x, tn - y, strict=True)
    points = _both_ways(np.array(pairs).reshape(-1, 2), tp, tn, leaf)
    new = undominated(points[:, (points[0] <= box[0]) & (points[1] <= box[1])])
    return new, new.shape[1]


def called(
    p: Floats, q: Floats, arity: int, positive: bool, box: Floats, all_of_them: bool
) -> list[Floats]:
    """Errors of all ways to call categories positive or negative, one category after the other.

    Parameters
    ----------
    p, q : float64[n]
        Positive and negative weight of the categories.
    arity, positive
        Up to `arity` of them are called positive (or negative); 0 for any number.
    box : float64[2]
        The most false negatives and false positives that are wanted.
    all_of_them : bool
        Whether to keep dominated sums as well.

    Returns
    -------
    list of float64[5, S]
        An array before the first category and one after each category. Its rows: false negatives;
        false positives; the number of categories with the counted label (if any number may have it:
        1 if some are positive, plus 2 if some are negative); the position of the sum in the array
        before; whether the last category is positive.
    """
    history = [np.array([[0.0], [0.0], [0.0], [-1.0], [0.0]])]
    for a, b in zip(p.tolist(), q.tolist(), strict=True):
        old, n = history[-1], history[-1].shape[1]
        new = np.concatenate([old, old], axis=1)
        new[0, :n] += a
        new[1, n:] += b
        new[3], new[4] = np.tile(np.arange(n), 2), np.repeat([0.0, 1.0], n)
        if arity:
            new[2] += new[4] == positive
        else:
            new[2] = new[2].astype(int) | np.repeat([2, 1], n)
        keep = (new[0] <= box[0]) & (new[1] <= box[1]) & ((new[2] <= arity) | (arity == 0))
        new = new[:, keep]
        new = new[:, np.lexsort((new[1], new[0], new[2]))]
        better = np.ones(new.shape[1], np.bool_)
        if all_of_them:
            better[1:] = (new[:3, 1:] != new[:3, :-1]).any(axis=0)
        else:  # shifted, so that only points with the same count are compared
            cost = new[1] - new[2] * (box[1] + 1)
            better[1:] = cost[1:] < np.minimum.accumulate(cost)[:-1]
        history.append(new[:, better])
    return history


def _both_ways(sums: Floats, tp: float, tn: float, leaf: Floats) -> Floats:
    """Points of splits from the weights of one side. Either side is called positive."""
    p, q = sums.T
    holds = (leaf[0] * p + leaf[1] * q >= leaf[2]) | (p + q == 0)
    holds &= (leaf[0] * (tp - p) + leaf[1] * (tn - q) >= leaf[2]) | (p + q == tp + tn)
    p, q = p[holds], q[holds]
    return np.array([np.concatenate([tp - p, p]), np.concatenate([q, tn - q])])
