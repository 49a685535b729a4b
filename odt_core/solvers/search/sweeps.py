"""The two-level problem by sweeps over presorted rows: for features with very many cuts.

Where tables of pairs of columns would be too large, the best leaf-adjacent split by a feature is
found in one pass over the rows in the feature's order. Cuts of the root are halved: between two
cuts that were tried, a tree costs at least what the rows below the first and those above the second
cost by themselves. This is the plain version (compiled: sweep_kernels.py).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import LEAF, PAIR, Columns, groups_of
from odt_core.solvers.search.groups import CHAIN, FULL
from odt_core.solvers.search.masks import Masks, unpack

Numbers = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

BATCH = 256
"""Subsets of categories that are tried together."""


@dataclass(frozen=True, eq=False)
class Orders:
    """A table's rows in the order of each group. K groups, N rows.

    Attributes
    ----------
    order : int32[K, N]
        The rows by rising position.
    memories : deque
        Working memory of the compiled primitive; each call takes one away while it runs.
    """

    order: npt.NDArray[np.int32]
    memories: deque[Any] = field(default_factory=deque)


def make_orders(table: Columns) -> Orders:
    """Sort a table's rows by every group."""
    return Orders(np.argsort(table.local, axis=1, kind="stable").astype(np.int32))


def two_levels_by_sweeps(
    orders: Orders,
    table: Columns,
    cls: int,
    masks: Masks,
    limits: Numbers,
    halt: Whole,
    cost: Numbers,
    choice: npt.NDArray[np.int32],
) -> None:
    """Solve a class of at most two levels on each of B row sets.

    Parameters
    ----------
    orders : Orders
    table : Columns
    cls : int
    masks : uint64[B, W]
    limits : float64[B]
        Only a tree that costs less is wanted.
    halt : int64[1]
        Set by others to end this soon.
    cost : float64[B]
        Receives the least cost if it is below the limit, else a lower bound of it, at least the
        limit; 0 for a set that was not reached.
    choice : int32[B, 3 + M]
        Receives, for two levels and a cost below the limit: the split's group, whether its members
        go to the high child, how many they are, and their columns. Group -1 has no members; -2
        means that there is no split.
    """
    choice[:, 0] = -2
    choice[:, 1:] = 0
    cost[:] = 0.0
    for b in range(len(masks)):
        if halt[0]:
            return
        rows: Flags = unpack(masks[b : b + 1], len(table.d))
        if table.level[cls] < PAIR:
            cost[b] = shallow(orders, table, cls, rows)[0]
        else:
            cost[b] = Root(orders, table, cls, rows[0], limits[b], halt, choice[b]).solve()
            if halt[0]:
                cost[b], choice[b, 0] = 0.0, -2


def shallow(orders: Orders, table: Columns, cls: int, sets: Flags) -> Numbers:
    """What a class of at most one level costs on row sets, ``bool[T, N]``."""
    d = table.d * sets
    total, positive = d.sum(axis=1), np.maximum(-d, 0).sum(axis=1)
    if table.level[cls] == LEAF:
        return np.asarray(positive + np.minimum(total, 0))
    gain = np.minimum(total, 0) if table.empty_ok[cls] else np.full(len(sets), np.inf)
    some = np.asarray(sets.any(axis=0))
    for k in groups_of(table, cls):
        order = orders.order[k][some[orders.order[k]]]
        if len(order):
            find = _best_cut if table.kind[k] == CHAIN else _best_subset
            values = find(table, k, bool(table.empty_ok[cls]), table.local[k, order], d[:, order])
            np.minimum(gain, values, out=gain)
    return np.asarray(np.where(sets.any(axis=1), positive + gain, 0))


def _best_cut(table: Columns, k: int, free: bool, place: Whole, d: Numbers) -> Numbers:
    """The least sum of d on one side of a threshold; rows in the order of their place."""
    ends = np.append(np.flatnonzero(np.diff(place)), len(place) - 1)
    sums = np.cumsum(d, axis=1)[:, ends]
    total = sums[:, -1]
    if not free and place[-1] == table.start[k + 1] - table.start[k]:
        sums = sums[:, :-1]  # no column holds all rows
    if free or place[0] > 0:
        sums = np.column_stack([np.zeros(len(d)), sums])
    return np.asarray(np.minimum(sums.min(axis=1), total - sums.max(axis=1)))


def _best_subset(table: Columns, k: int, free: bool, place: Whole, d: Numbers) -> Numbers:
    """The least sum of d over some categories; as many as a split may send one way, or the rest."""
    q = int(table.start[k + 1] - table.start[k])
    sums = np.sort(d @ (place[:, None] == np.arange(q)), axis=1)
    most = q - 1 if table.kind[k] == FULL else int(table.arity[k])
    few = np.cumsum(sums, axis=1)[:, :most].min(axis=1)
    many = sums.sum(axis=1) - np.cumsum(sums[:, ::-1], axis=1)[:, :most].max(axis=1)
    return np.asarray(np.minimum(np.minimum(few, many), 0 if free else np.inf))


class Root:
    """The root of a two-level class on one row set; `choice` receives its best split."""

    def __init__(
        self,
        orders: Orders,
        table: Columns,
        cls: int,
        rows: Flags,
        limit: float,
        halt: Whole,
        choice: npt.NDArray[np.int32],
    ) -> None:
        self.orders, self.table, self.cls, self.rows = orders, table, cls, rows
        self.best, self.halt, self.choice = float(limit), halt, choice
        self.children = int(table.low[cls]), int(table.high[cls])
        self.ways = (0,) if table.one_way[cls] or self.children[0] == self.children[1] else (0, 1)

    def solve(self) -> float:
        """The least cost, or the limit."""
        if self.table.empty_ok[self.cls]:
            _, outside = self._sides(np.zeros((1, len(self.rows)), np.bool_))
            for way in (0, 1):  # all rows to the child that the members do not go to
                self._propose(outside[1 - way], way, -1, [()])
        for k in groups_of(self.table, self.cls):
            if self.table.kind[k] == CHAIN:
                self._halve(k)
            else:
                self._subsets(k)
        return self.best

    def _sides(self, inside: Flags) -> tuple[Numbers, Numbers]:
        """Costs of both children inside and outside of splits, ``float64[2, T]`` each."""
        parts = np.concatenate([inside & self.rows, ~inside & self.rows])
        low, high = (shallow(self.orders, self.table, child, parts) for child in self.children)
        both = np.stack([low, high])
        return both[:, : len(inside)], both[:, len(inside) :]

    def _propose(self, cost: Numbers, way: int, k: int, members: list[tuple[int, ...]]) -> None:
        i = int(cost.argmin())
        if cost[i] < self.best:
            self.best = float(cost[i])
            self.choice[:3] = k, way, len(members[i])
            self.choice[3 : 3 + len(members[i])] = members[i]

    def _halve(self, k: int) -> None:
        """Thresholds: the middle of each run of open ones, until none is open."""
        s, n = int(self.table.start[k]), int(self.table.start[k + 1] - self.table.start[k])
        place = self.table.local[k]
        present = np.unique(place[self.rows])
        columns = np.union1d(present[:-1], [0, n - 1])  # the others part the rows as one of these
        inside, outside = np.zeros((2, 2, len(columns)))
        open_ = np.ones(len(columns), np.bool_)
        while open_.any() and not self.halt[0]:
            at = np.flatnonzero(open_)
            new = np.flatnonzero(np.diff(at, prepend=-2) > 1)
            middle = at[(new + np.append(new[1:], len(at)) - 1) // 2]
            inside[:, middle], outside[:, middle] = self._sides(place <= columns[middle][:, None])
            open_[middle] = False
            below = np.maximum.accumulate(inside, axis=1)
            above = np.maximum.accumulate(outside[:, ::-1], axis=1)[:, ::-1]
            least = np.full(len(columns), np.inf)
            for way in self.ways:
                cost = inside[way, middle] + outside[1 - way, middle]
                self._propose(cost, way, k, [(s + int(c),) for c in columns[middle]])
                np.minimum(least, below[way] + above[1 - way], out=least)
            open_ &= least < self.best

    def _subsets(self, k: int) -> None:
        """Categories: one by one, then every subset that these do not exclude."""
        s, e = int(self.table.start[k]), int(self.table.start[k + 1])
        inside = self._try(k, [(column,) for column in range(s, e)])
        least = inside.min(axis=0)
        for size in range(2, int(self.table.arity[k]) + 1):
            open_: list[tuple[int, ...]] = []
            for members in combinations(range(s, e), size):
                if self.halt[0]:
                    return
                chosen = np.array(members) - s
                rest = least.sum() - least[chosen].sum()
                if inside[:, chosen].sum(axis=1).min() + rest < self.best:
                    open_.append(members)
                if len(open_) == BATCH:
                    self._try(k, open_)
                    open_ = []
            if open_:
                self._try(k, open_)

    def _try(self, k: int, splits: list[tuple[int, ...]]) -> Numbers:
        """Try splits of a set; returns what the children cost inside."""
        place = self.table.local[k] + self.table.start[k]
        inside, outside = self._sides(np.stack([np.isin(place, members) for members in splits]))
        for way in self.ways:
            self._propose(inside[way] + outside[1 - way], way, k, splits)
        return inside
