"""Splits of a set by larger subsets of its columns (no cap, or a cap of three and more).

The columns with rows are sent to the low or high child one after the other, heaviest first. A node
of this search costs at least what its two sides cost and, for the columns still to come, the sum of
the smaller of each one's costs. Nodes are treated in batches, the deepest first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import Columns

BATCH = 64
"""Nodes whose children are solved together."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sides:
    """A set whose subsets are searched. q columns.

    Attributes
    ----------
    table, cls, group
        The set, and the class whose root is split.
    weight : float64[q]
        Weight of the rows in each column.
    payload : array[q, ...]
        What stands for the rows in each column: a mask, or sums.
    join : callable
        Puts the payloads of disjoint row sets together (`numpy.bitwise_or`, `numpy.add`).
    low, high : float64[q]
        Lower bounds of the low and high child on the rows in each column.
    """

    table: Columns
    cls: int
    group: int
    weight: Numbers
    payload: npt.NDArray
    join: Callable[[npt.NDArray, npt.NDArray], npt.NDArray]
    low: Numbers
    high: Numbers


class Split(NamedTuple):
    """The better split that was found: its set, its members and where they go."""

    group: int
    columns: tuple[int, ...]
    to_high: bool


class _Nodes(NamedTuple):
    """Nodes of the same depth: for each the payloads, the sides' costs, and who went high."""

    payload: tuple[npt.NDArray, npt.NDArray]
    cost: tuple[Numbers, Numbers]
    went: npt.NDArray[np.bool_]

    def pick(self, which: npt.NDArray) -> _Nodes:
        """Some of the nodes."""
        a, b = self.payload
        c, d = self.cost
        return _Nodes((a[which], b[which]), (c[which], d[which]), self.went[which])


Solve = Callable[[int, npt.NDArray, Numbers], Numbers]
"""``solve(x, payloads, limits)``: costs of the low (0) or high (1) child, at least the limits where
they are not below."""


def walk(
    sides: Sides, solve: Solve, best: float, confirm: Callable[[Split], float] | None = None
) -> tuple[float, Split | None]:
    """The best split of a set by a subset, if it costs less than `best`.

    Parameters
    ----------
    sides : Sides
    solve : callable
        See `Solve`.
    best : float
        The incumbent's cost.
    confirm : callable, optional
        Solves each better split again under a condition that `solve` does not know, and returns
        the incumbent's cost.

    Returns
    -------
    best : float
    split : Split or None
        None if no subset is better.
    """
    order = np.flatnonzero(sides.weight > 0)
    order = order[np.argsort(-sides.weight[order], kind="stable")]
    n = len(order)
    if n == 0:
        return best, None  # no rows: single columns cover it
    q = len(sides.weight)
    symmetric = sides.table.low[sides.cls] == sides.table.high[sides.cls]
    may_be_one_sided = bool(sides.table.empty_ok[sides.cls]) or n < q
    arity = int(sides.table.arity[sides.group])
    rest = np.zeros(n + 1)
    rest[:n] = np.minimum(sides.low, sides.high)[order][::-1].cumsum()[::-1]
    nothing = np.zeros_like(sides.payload[:1])
    levels: list[list[_Nodes]] = [[] for _ in range(n + 1)]
    levels[0] = [_Nodes((nothing, nothing), (np.zeros(1), np.zeros(1)), np.zeros((1, n), np.bool_))]
    found: Split | None = None
    depth = 0
    while depth >= 0:
        if not levels[depth]:
            depth -= 1
            continue
        nodes = levels[depth].pop()
        least = nodes.cost[0] + nodes.cost[1] + rest[depth]
        order_of = np.argsort(least, kind="stable")
        order_of = order_of[least[order_of] < best]
        if not len(order_of):
            continue
        if len(order_of) > BATCH:
            levels[depth].append(nodes.pick(order_of[BATCH:]))
        nodes = nodes.pick(order_of[:BATCH])
        ways = (0,) if depth == 0 and symmetric else (0, 1)
        children = [_send(sides, solve, nodes, way, depth, order, rest, best) for way in ways]
        for child in children:
            high = child.went[:, : depth + 1].sum(axis=1)
            low = depth + 1 - high
            value = child.cost[0] + child.cost[1] + rest[depth + 1]
            keep = (value < best) & ((low <= arity) | (high <= arity))
            if depth + 1 == n and not may_be_one_sided:
                keep &= (low > 0) & (high > 0)
            if not keep.any():
                continue
            child = child.pick(keep)
            if depth + 1 < n:
                levels[depth + 1].append(child)
                continue
            value = value[keep]
            for i in np.argsort(value, kind="stable").tolist():
                if value[i] >= best:
                    break
                found = _split(sides, order, child.went[i])
                best = float(value[i]) if confirm is None else confirm(found)
        if depth + 1 < n:
            depth += 1
    return best, found


def _send(
    sides: Sides,
    solve: Solve,
    nodes: _Nodes,
    way: int,
    depth: int,
    order: npt.NDArray[np.int64],
    rest: Numbers,
    best: float,
) -> _Nodes:
    """The nodes after their next column goes to the low (0) or high (1) child."""
    payload, cost = list(nodes.payload), list(nodes.cost)
    payload[way] = sides.join(payload[way], sides.payload[order[depth]][None])
    limits = best - cost[1 - way] - rest[depth + 1]
    cost[way] = np.maximum(solve(way, payload[way], limits), cost[way])
    went = nodes.went.copy()
    went[:, depth] = bool(way)
    return _Nodes((payload[0], payload[1]), (cost[0], cost[1]), went)


def _split(sides: Sides, order: npt.NDArray[np.int64], went: npt.NDArray[np.bool_]) -> Split:
    """The split in terms of columns: the smaller side is stated."""
    high = bool(went.sum() * 2 < len(went))
    stated = order[went if high else ~went]
    if not len(stated):  # a column without rows stands for the empty side
        idle = np.setdiff1d(np.arange(len(sides.weight)), order)
        stated = idle[:1]
    start = int(sides.table.start[sides.group])
    return Split(sides.group, tuple(int(start + v) for v in sorted(stated)), high)
