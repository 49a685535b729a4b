"""The primitives in plain NumPy: short, untuned, and what the search runs on without a compiler.

A table F holds, for a row set, ``F[u, v]`` = sum of d over the rows in columns u and v; D and P are
the sums of d and of positive weight over the rows in each column. Row u of F describes the
leaf-adjacent problem on the rows in column u, ``D - F[u]`` the one on the others.

Of equal splits of two levels the first is taken, by the compiled primitives as well, so that nobody
sees which of them ran: all rows to one child, single columns, then pairs and larger subsets of one
group after the other; members that go to the low child before the same that go to the high one (for
pairs: all pairs low before all pairs high).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.choices import Choice, column_sums
from odt_core.solvers.search.columns import (
    ANY,
    LEAF,
    ONE,
    PAIR,
    Columns,
    Masks,
    groups_of,
    rows_of,
    runs_of,
)
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.subsets import Nodes, Sides, Wanted, first_split, walk

Numbers = npt.NDArray[np.float64]

AT_ONCE = 2**27
"""Products of numbers that one product of matrices may take: between two, a stop is looked for."""

SOME_SPLITS = 2**11
"""Splits that are looked up between two looks at the flag to stop; as many as tables have columns,
or more."""


class Halted(Exception):
    """The search is to end."""


class Counted(NamedTuple):
    """A row set's table, the columns' own sums, and those of all rows."""

    F: Numbers
    D: Numbers
    P: Numbers
    total: float
    positive: float


def members(table: Columns, rows: npt.NDArray[np.int64]) -> Numbers:
    """Which of the rows are in each column, ``float64[V, n]`` of 0 and 1."""
    found = np.empty((len(table.group), len(rows)))
    for k in range(len(table.kind)):
        s, e = int(table.start[k]), int(table.start[k + 1])
        local, at = table.local[k, rows], np.arange(e - s)[:, None]
        found[s:e] = local <= at if table.kind[k] == CHAIN else local == at
    return found


def count_pairs(
    table: Columns,
    mask: Masks,
    F: Numbers,
    D: Numbers,
    P: Numbers,
    halt: npt.NDArray[np.int64] | None = None,
) -> Numbers:
    """Fill the table F of a row set and its columns' sums. Returns total and positive weight.

    What is filled has no meaning if `halt` was set meanwhile.
    """
    F[:], D[:], P[:] = 0, 0, 0
    every = rows_of(mask, len(table.d))
    step = AT_ONCE // max(len(D) ** 2, 2**16) + 1
    for first in range(0, len(every), step):
        if halt is not None and halt[0]:
            break
        rows = every[first : first + step]
        inside, d = members(table, rows), table.d[rows]
        F += (inside * d) @ inside.T
        D += inside @ d
        P += inside @ np.maximum(-d, 0)
    d = table.d[every]
    return np.array([d.sum(), np.maximum(-d, 0).sum()])


def counted(table: Columns, mask: Masks, halt: npt.NDArray[np.int64] | None = None) -> Counted:
    """`count_pairs` with new arrays."""
    v = len(table.group)
    F, D, P = np.empty((v, v)), np.empty(v), np.empty(v)
    total, positive = count_pairs(table, mask, F, D, P, halt)
    if halt is not None and halt[0]:
        raise Halted
    return Counted(F, D, P, float(total), float(positive))


def leaf_costs(table: Columns, cls: int, X: Numbers, total: Numbers, positive: Numbers) -> Numbers:
    """Least cost of a class of at most one level for B row sets.

    Parameters
    ----------
    X : float64[B, V]
        Sum of d of each set over each column.
    total, positive : float64[B]
        Sum of d and positive weight of each set.
    """
    if table.level[cls] == LEAF:
        return np.asarray(positive + np.minimum(total, 0))
    best = np.minimum(total, 0) if table.empty_ok[cls] else np.full(len(X), np.inf)
    for take, s, e, arity in runs_of(table, cls):
        x = X[:, s:e]
        if take == ANY:
            value = np.minimum(x, 0).sum(axis=1)
            if not table.empty_ok[cls]:  # none would be negative, or all: one value has to differ
                low, high = x.min(axis=1), x.max(axis=1)
                value = np.where(low >= 0, low, np.where(high < 0, value - high, value))
            best = np.minimum(best, value)
            continue
        if take == ONE:
            low, high = x.min(axis=1), x.max(axis=1)
        else:
            y = np.sort(x, axis=1)
            low = y[:, 0] + np.minimum(y[:, 1:arity], 0).sum(axis=1)
            high = y[:, -1] + np.maximum(y[:, -arity:-1], 0).sum(axis=1)
        best = np.minimum(best, np.minimum(low, total - high))
    return np.asarray(positive + best)


def shallow_sides(
    table: Columns,
    cls: int,
    F: Numbers,
    D: Numbers,
    P: Numbers,
    totals: Numbers,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    inside: Numbers,
    outside: Numbers,
) -> None:
    """Costs of a class of at most one level inside and outside splits of one or two columns.

    Parameters
    ----------
    F, D, P, totals
        What `count_pairs` gave for the row set.
    first, second : int64[S]
        The columns of each split; a second one is -1 where there is none.
    inside, outside : float64[S]
        Filled.
    """
    X, d, p = F[first], D[first], P[first]
    both = second >= 0
    if both.any():
        X[both] += F[second[both]]
        d[both] += D[second[both]]
        p[both] += P[second[both]]
    inside[:] = leaf_costs(table, cls, X, d, p)
    outside[:] = leaf_costs(table, cls, D - X, totals[0] - d, totals[1] - p)


def two_levels(
    table: Columns,
    cls: int,
    masks: Masks,
    limits: Numbers,
    halt: npt.NDArray[np.int64],
    cost: Numbers,
    choice: npt.NDArray[np.int32],
) -> None:
    """Least cost of a class of at most two levels on each row set, where it is below its limit.

    Parameters
    ----------
    masks : uint64[B, W]
    limits : float64[B]
        Only a cost below this is wanted: where there is none, `cost` is the limit.
    halt : int64[1]
        Not 0 if the search is to end: what is not solved then has the cost 0.
    cost : float64[B]
        Filled with the least costs.
    choice : int32[B, 3 + M]
        Filled with the splits: group, whether the members go to the high child, number of members,
        their columns. Group -1 stands for a question without members.
    """
    cost[:], choice[:] = 0, 0
    choice[:, 0] = -2
    for b in range(len(masks)):
        if halt[0]:
            return
        if table.level[cls] < PAIR:
            rows = rows_of(masks[b], len(table.d))
            d = table.d[rows]
            D, positive = column_sums(table, rows, d)[None], np.array([np.maximum(-d, 0).sum()])
            cost[b] = min(leaf_costs(table, cls, D, np.array([d.sum()]), positive)[0], limits[b])
        else:
            try:
                table_of = counted(table, masks[b], halt)
                cost[b] = _one(table, cls, table_of, float(limits[b]), choice[b], halt)
            except Halted:
                choice[b, 0] = -2
                return


def _one(
    table: Columns,
    cls: int,
    rows: Counted,
    limit: float,
    choice: npt.NDArray[np.int32],
    halt: npt.NDArray[np.int64],
) -> float:
    """Two levels on one row set."""
    low, high = int(table.low[cls]), int(table.high[cls])
    best = limit

    def offer(value: float, group: int, to_high: int, columns: list[int]) -> None:
        nonlocal best
        if value < best:
            best = value
            choice[: 3 + len(columns)] = [group, to_high, len(columns), *columns]

    D, totals = rows.D[None], (np.array([rows.total]), np.array([rows.positive]))
    if table.empty_ok[cls]:
        offer(float(leaf_costs(table, high, D, *totals)[0]), -1, 0, [])
        offer(float(leaf_costs(table, low, D, *totals)[0]), -1, 1, [])
    if best <= 0:
        return best
    ways = (0,) if low == high or table.one_way[cls] else (0, 1)
    groups = groups_of(table, cls)
    none = np.empty(0, np.int64)
    columns = np.concatenate([none, *(np.arange(*table.start[k : k + 2]) for k in groups)])
    inside, outside = _both_sides(
        table, (low, high), rows, columns, np.full(len(columns), -1), halt
    )
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
        inside, outside = _both_sides(table, (low, high), rows, s + u, s + v, halt)
        value = np.concatenate([inside[way] + outside[1 - way] for way in ways])
        way, i = divmod(int(value.argmin()), len(u))
        offer(float(value.min()), group, way, [int(s + u[i]), int(s + v[i])])
    return best


def _both_sides(
    table: Columns,
    children: tuple[int, int],
    rows: Counted,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    halt: npt.NDArray[np.int64],
) -> tuple[Numbers, Numbers]:
    """What the low and the high child cost inside and outside splits, ``float64[2, S]`` each."""
    inside, outside = np.empty((2, len(first))), np.empty((2, len(first)))
    totals = np.array([rows.total, rows.positive])
    for x, child in enumerate(children):
        for at in range(0, len(first), SOME_SPLITS):
            if halt[0]:
                raise Halted
            part = slice(at, at + SOME_SPLITS)
            shallow_sides(
                table, child, rows.F, rows.D, rows.P, totals, first[part], second[part],
                inside[x, part], outside[x, part],
            )  # fmt: skip
    return inside, outside


def _subsets(
    table: Columns,
    cls: int,
    group: int,
    rows: Counted,
    inside: Numbers,
    best: float,
    choice: npt.NDArray[np.int32],
    halt: npt.NDArray[np.int64],
) -> float:
    """Splits of a set by more than two columns; of equal ones the first of a walk in order."""
    s, e = int(table.start[group]), int(table.start[group + 1])
    weight = rows.D[s:e] + 2 * rows.P[s:e]
    payload = np.concatenate([rows.F[s:e], rows.D[s:e, None], rows.P[s:e, None]], axis=1)
    least = best

    def solve(x: int, sums: Numbers, *_: Numbers) -> Numbers:
        if halt[0]:
            raise Halted
        child = int(table.low[cls] if x == 0 else table.high[cls])
        return leaf_costs(table, child, sums[:, :-2], sums[:, -2], sums[:, -1])

    def take(nodes: Nodes, _: Callable[[int], Choice]) -> None:
        nonlocal least
        least = min(least, float((nodes.cost[0] + nodes.cost[1])[0]))

    sides = Sides(table, cls, group, weight, payload, partial(np.add), inside[0], inside[1])
    walk(sides, Wanted(lambda cost: np.asarray(cost < least), solve, take))
    if least < best:
        split = first_split(sides, Wanted(lambda cost: np.asarray(cost <= least), solve, take))
        choice[: 3 + len(split.members)] = [
            group, int(split.to_high), len(split.members), *split.members,
        ]  # fmt: skip
    return least


def weigh(table: Columns, values: Numbers, mask: Masks, out: Numbers) -> float:
    """Sum of `values` over the rows of a set in each column, into `out`. Returns that of all."""
    rows = rows_of(mask, len(table.d))
    out[:] = column_sums(table, rows, values[rows])
    return float(values[rows].sum())
