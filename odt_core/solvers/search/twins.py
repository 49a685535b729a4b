"""The primitives in plain NumPy: short and untuned. The search uses them without a compiler.

Of equal splits of two levels, they and the compiled primitives choose the first in this order: all
rows to one child, single columns, then pairs and larger subsets of one group after the other.
Members that go to the low child come before the same members that go to the high child (all pairs
low before all pairs high).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.choices import column_sums
from odt_core.solvers.search.columns import (
    ANY,
    LEAF,
    PAIR,
    Columns,
    Counted,
    Floats,
    Masks,
    Whole,
    groups_of,
    rows_of,
    runs_of,
)
from odt_core.solvers.search.groups import CHAIN

AT_ONCE = 2**27
"""Most multiplications in one matrix product. The flag to stop is read between two products."""

SOME_SPLITS = 2**11
"""Splits that are looked up before the flag to stop is read again."""


class Halted(Exception):
    """The search is being ended."""


def members(table: Columns, rows: Whole) -> Floats:
    """Which of n rows are in each column, ``float64[V, n]`` of 0 and 1."""
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


def leaf_costs(table: Columns, cls: int, X: Floats, total: Floats, positive: Floats) -> Floats:
    """Least cost of a class of at most one level for B row sets, ``float64[B]``.

    Parameters
    ----------
    X : float64[V, B]
        Sum of d of each set over each column.
    total, positive : float64[B]
        Sum of d and positive weight of each set.
    """
    if table.level[cls] == LEAF:
        return np.asarray(positive + np.minimum(total, 0))
    best = np.minimum(total, 0) if table.empty_ok[cls] else np.full(len(total), np.inf)
    for arity, s, e in runs_of(table, cls).tolist():
        x = X[s:e]
        low, high = x.min(axis=0), x.max(axis=0)
        if arity == ANY:
            value = np.minimum(x, 0).sum(axis=0)
            if not table.empty_ok[cls]:  # all sums have one sign: one column has to differ
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
    cls: int,
    rows: Counted,
    first: Whole,
    second: Whole,
    halt: Whole,
    leaf_costs: Callable[..., Floats] = leaf_costs,
) -> tuple[Floats, Floats]:
    """Costs of a class of at most one level inside and outside splits, ``float64[S]`` each.

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
        inside[part] = leaf_costs(table, cls, X, own_d, own_p)
        outside[part] = leaf_costs(table, cls, D[:, None] - X, d - own_d, p - own_p)
    return inside, outside


def two_levels(
    table: Columns,
    cls: int,
    masks: Masks,
    limits: Floats,
    halt: Whole,
    cost: Floats,
    choice: npt.NDArray[np.int32],
) -> None:
    """Least cost of a class of at most two levels on each row set, if it is below its limit.

    Parameters
    ----------
    masks : uint64[B, W]
    limits : float64[B]
        If no cost is below its limit, `cost` is the limit.
    halt : int64[1]
        Not 0 to end the search. Row sets that are not solved then have the cost 0.
    cost : float64[B]
        Filled with the least costs.
    choice : int32[B, 3 + M]
        Filled with the splits: group, whether the members go to the high child, number of members,
        their columns. Group -1: a question without members. Group -2: no split.
    """
    cost[:], choice[:] = 0, 0
    choice[:, 0] = -2
    for b in range(len(masks)):
        if halt[0]:
            return
        if table.level[cls] < PAIR:
            rows = rows_of(masks[b], len(table.d))
            d = table.d[rows]
            D, positive = column_sums(table, rows, d)[:, None], np.maximum(-d, 0).sum()[None]
            cost[b] = min(leaf_costs(table, cls, D, d.sum()[None], positive)[0], limits[b])
        else:
            counted = Counted.empty(len(table.group))
            count_pairs(table, masks[b], counted, halt)
            try:
                cost[b] = _one(table, cls, counted, float(limits[b]), choice[b], halt)
            except Halted:
                choice[b, 0] = -2
                return


def _one(
    table: Columns,
    cls: int,
    rows: Counted,
    limit: float,
    choice: npt.NDArray[np.int32],
    halt: Whole,
) -> float:
    """Two levels on one row set."""
    low, high = int(table.low[cls]), int(table.high[cls])
    best = limit

    def offer(value: float, group: int, to_high: int, columns: list[int]) -> None:
        nonlocal best
        if value < best:
            best = value
            choice[: 3 + len(columns)] = [group, to_high, len(columns), *columns]

    if halt[0]:
        raise Halted
    D, totals = rows.D[:, None], rows.totals[:, None]
    if table.empty_ok[cls]:
        offer(float(leaf_costs(table, high, D, *totals)[0]), -1, 0, [])
        offer(float(leaf_costs(table, low, D, *totals)[0]), -1, 1, [])
    if best <= 0:
        return best
    ways = (0,) if low == high or table.one_way[cls] else (0, 1)
    groups = groups_of(table, cls)
    none = np.empty(0, np.int64)
    columns = np.concatenate([none, *(np.arange(*table.start[k : k + 2]) for k in groups)])
    inside, outside = _sides(table, (low, high), rows, columns, np.full(len(columns), -1), halt)
    value = np.stack([inside[way] + outside[1 - way] for way in ways], axis=1).ravel()
    i, way = divmod(int(value.argmin()), len(ways)) if len(value) else (0, 0)
    if len(value):
        offer(float(value.min()), int(table.group[columns[i]]), way, [int(columns[i])])
    own = np.zeros((2, len(table.group)))
    own[:, columns] = inside
    for group in groups:
        s, e = int(table.start[group]), int(table.start[group + 1])
        if table.kind[group] == CHAIN or table.arity[group] < 2:
            continue
        if own[:, s:e].min(axis=0).sum() >= best:
            continue
        if table.arity[group] > 2:
            best = _subsets(table, cls, group, rows, own[:, s:e], best, choice, halt)
            continue
        u, v = np.triu_indices(e - s, 1)
        if e - s == 4:  # two of four: the complement is a pair as well
            u, v = u[:3], v[:3]
        inside, outside = _sides(table, (low, high), rows, s + u, s + v, halt)
        value = np.concatenate([inside[way] + outside[1 - way] for way in ways])
        way, i = divmod(int(value.argmin()), len(u))
        offer(float(value.min()), group, way, [int(s + u[i]), int(s + v[i])])
    return best


def _sides(
    table: Columns,
    children: tuple[int, int],
    rows: Counted,
    first: Whole,
    second: Whole,
    halt: Whole,
) -> tuple[Floats, Floats]:
    """Costs of the low and the high child inside and outside splits, ``float64[2, S]`` each."""
    costs = np.array([both_sides(table, cls, rows, first, second, halt) for cls in children])
    if halt[0]:
        raise Halted
    return costs[:, 0], costs[:, 1]


def _subsets(
    table: Columns,
    cls: int,
    group: int,
    rows: Counted,
    inside: Floats,
    best: float,
    choice: npt.NDArray[np.int32],
    halt: Whole,
) -> float:
    """Splits of a set by larger subsets: each column low, then high, the heaviest first."""
    s, e = int(table.start[group]), int(table.start[group + 1])
    low, high = int(table.low[cls]), int(table.high[cls])
    weight = rows.D[s:e] + 2 * rows.P[s:e]
    order = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)]
    n, idle = len(order), sorted(set(range(e - s)) - set(order.tolist()))
    sums = np.concatenate([rows.F[s:e], rows.D[s:e, None], rows.P[s:e, None]], axis=1)
    undecided = np.append(inside.min(axis=0)[order][::-1].cumsum()[::-1], 0)
    stack = [(np.empty(0, np.int64), np.zeros((2, sums.shape[1])), np.zeros(2))] if n else []
    while stack:
        if halt[0]:
            raise Halted
        is_high, known, cost = stack.pop()
        if cost.sum() + undecided[len(is_high)] >= best:
            continue
        if len(is_high) == n:
            best, to_high = float(cost.sum()), int(2 * is_high.sum() < n)
            members = sorted(order[is_high == to_high].tolist()) or idle[:1]
            choice[: 3 + len(members)] = [group, to_high, len(members), *(s + v for v in members)]
            continue
        for way in (1, 0) if len(is_high) or low != high else (0,):
            now = np.append(is_high, way)
            one_sided = len(now) == n == e - s and now.min() == now.max()
            if min(now.sum(), len(now) - now.sum()) > table.arity[group] or (
                one_sided and not table.empty_ok[cls]
            ):
                continue
            x, c = known.copy(), cost.copy()
            x[way] += sums[order[len(is_high)]]
            c[way] = leaf_costs(table, (low, high)[way], x[way, :-2, None], *x[way, -2:, None])[0]
            stack.append((now, x, c))
    return best
