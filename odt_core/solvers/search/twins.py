"""Twins of primitives in plain NumPy: short and untuned. They need no compiler."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from odt_core.solvers.search.columns import (
    ANY,
    LEAF,
    Columns,
    Counted,
    Floats,
    Masks,
    Whole,
    rows_of,
    runs_of,
)
from odt_core.solvers.search.groups import CHAIN

AT_ONCE = 2**27
"""Most multiplications in one matrix product. The flag to stop is read between two products."""

SOME_SPLITS = 2**11
"""Splits whose costs are computed before the flag to stop is read again."""


def members(table: Columns, rows: Whole) -> Floats:
    """Whether each of n rows is in each column (1) or not (0), ``float64[V, n]``."""
    found = np.empty((len(table.group), len(rows)))
    for k in range(len(table.kind)):
        s, e = int(table.start[k]), int(table.start[k + 1])
        local, at = table.local[k, rows], np.arange(e - s)[:, None]
        found[s:e] = local <= at if table.kind[k] == CHAIN else local == at
    return found


def count_pairs(table: Columns, mask: Masks, counted: Counted, halt: Whole) -> None:
    """Count the table of a row set. It has no meaning if `halt` was set meanwhile."""
    F, D, P, totals = counted
    F[:], D[:], P[:] = 0, 0, 0
    every = rows_of(mask, len(table.d))
    step = AT_ONCE // max(len(D) ** 2, 2**16) + 1
    for first in range(0, len(every), step):
        if halt[0]:
            break
        rows = every[first : first + step]
        inside, d = members(table, rows), table.d[rows]
        F += (inside * d) @ inside.T
        D += inside @ d
        P += inside @ np.maximum(-d, 0)
    d = table.d[every]
    totals[:] = d.sum(), np.maximum(-d, 0).sum()


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


def both_sides(
    table: Columns,
    family: int,
    rows: Counted,
    first: Whole,
    second: Whole,
    halt: Whole,
    leaf_costs: Callable[..., Floats] = leaf_costs,
) -> tuple[Floats, Floats]:
    """Costs of a family of at most one level inside and outside splits, ``float64[S]`` each.

    They have no meaning if `halt` was set meanwhile.

    Parameters
    ----------
    rows : Counted
        The table of the row set.
    first, second : int64[S]
        The columns of each split; -1 if there is no second one.
    leaf_costs : callable
        The primitive.
    """
    F, D, P, (d, p) = rows
    inside, outside = np.zeros((2, len(first)))
    for at in range(0, len(first), SOME_SPLITS):
        if halt[0]:
            break
        part = slice(at, at + SOME_SPLITS)
        u, v = first[part], second[part]
        both = v >= 0
        X, own_d, own_p = F.take(u, axis=1), D[u], P[u]
        X[:, both] += F.take(v[both], axis=1)
        own_d[both] += D[v[both]]
        own_p[both] += P[v[both]]
        inside[part] = leaf_costs(table, family, X, own_d, own_p)
        outside[part] = leaf_costs(table, family, D[:, None] - X, d - own_d, p - own_p)
    return inside, outside
