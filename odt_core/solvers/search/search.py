"""The search for the best tree of a problem, with its arrays, primitives, bounds and stop flag."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search import loader
from odt_core.solvers.search.columns import (
    LEAF,
    PAIR,
    BaseTables,
    Columns,
    Encoding,
    groups_of,
    most_members,
    wants_sweeps,
)
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.loop import Loop
from odt_core.solvers.search.row_sets import Flags, Floats, Masks, Whole
from odt_core.solvers.search.splits import INSIDE, OUTSIDE, Splits
from odt_core.solvers.search.store import BoundStore, Tables
from odt_core.solvers.search.subtrees import Subtree

AT_ONCE = 2**26
"""Bits of masks whose rows are summed before the flag to stop is read again."""

SOME_SPLITS = 2**11
"""Splits whose costs are computed before the flag to stop is read again."""

Sums = tuple[Floats, Floats, Floats, Floats]
"""Positive and negative weights of B row sets in each column, ``[B, V]``, and of the whole sets,
``[B]``."""


T = TypeVar("T")


class Stopped(Exception):
    """The search was ended by time or by the user."""


def count_sums(
    table: Columns, masks: Masks, positive: Floats, negative: Floats, check: Callable[[], None]
) -> Sums:
    """Sum the rows' positive and negative weights. `check` is called now and then."""
    n, v, masks = len(masks), len(table.group), np.ascontiguousarray(masks)
    found = np.empty((n, v)), np.empty((n, v)), np.empty(n), np.empty(n)
    step = AT_ONCE // max(len(table.d), 1) + 1
    for at in range(0, n, step):
        check()
        part, *sums = (each[at : at + step] for each in (masks, *found))
        loader.primitives().column_sums(table, part, positive, negative, *sums)
    return found


@dataclass(frozen=True)
class SideCosts:
    """The costs of a family on B row sets, and the subtrees that reach them."""

    cost: Floats  # [B]; at least the limit if the least cost is not below the limit
    rows: npt.NDArray[np.int32] | None = None  # [B, 3 + M]: splits, as `two_levels` wrote them
    subtrees: tuple[Subtree | None, ...] = ()  # of deeper families

    def subtree(self, b: int) -> Subtree | None:
        """The split of a row set, with what is known below it; None if it is not known."""
        return Subtree.read(self.rows[b]) if self.rows is not None else self.subtrees[b]


class Search:
    """A search of one problem."""

    def __init__(
        self,
        encoding: Encoding,
        halt: Whole | None = None,  # set to end the search, which then raises `Stopped`
        threads: int = 1,
        on_better: Callable[[float, Subtree], None] | None = None,  # receives each better tree
        on_bound: Callable[[float], None] | None = None,  # receives lower bounds of the cost
        before: Search | None = None,  # of another topology, whose store and tables are shared
    ) -> None:
        self.encoding, self.table = encoding, encoding.table
        self.halt = np.zeros(1, np.int64) if halt is None else halt
        self.threads = threads
        self.offer = on_better or (lambda cost, subtree: None)
        self.raise_bound = on_bound or (lambda bound: None)
        self.splits = Splits.of(self.table)
        self.primitives = loader.primitives
        self.by_sweeps = wants_sweeps(self.splits.n_columns, self.table.local)
        self.store: BoundStore | None = None if before is None else before.store
        self.most_members = most_members(self.table)
        self.positive, self.negative = np.maximum(-self.table.d, 0), np.maximum(self.table.d, 0)
        self.tables: Tables = Tables(self) if before is None else before.tables
        self.tables.search = self

    # ------------------------------------------------------------ the root

    def root(self, limit: float = np.inf) -> tuple[float, Subtree | None]:
        """The least cost of a tree and its splits, if the cost is below the limit."""
        family, everything = self.encoding.families[0], self.encoding.everything
        level = self.table.level[family]
        if level > PAIR + 1 and self.store is None and not self.by_sweeps:
            self.store = BoundStore.of(self)
        if level > PAIR:
            loop = Loop(self, family, everything, limit, top=True)
            return loop.solve(), loop.subtree
        answer = self.solve(family, everything[None], np.array([limit]), [-1])
        subtree = answer.subtree(0) if level == PAIR else None
        if answer.cost[0] < limit and subtree is not None:
            self.offer(float(answer.cost[0]), subtree)
        return float(answer.cost[0]), subtree

    # ------------------------------------------------------------ row sets

    def check(self) -> None:
        """Raise `Stopped` if the search is to end."""
        if self.halt[0]:
            raise Stopped

    def sums(self, masks: Masks) -> Sums:
        """Sums over row sets, of the parts of d that are negative and positive."""
        return count_sums(self.table, masks, self.positive, self.negative, self.check)

    def pair_sums(self, mask: Masks) -> tuple[Floats, Floats]:
        """Like `sums`, over the rows of a set that are in both of two columns, ``[V, V]`` each."""
        P, N, _, _ = self.sums(self.splits.own & mask)
        for k in np.flatnonzero((self.table.kind == CHAIN) & (np.diff(self.table.start) > 1)):
            chain = slice(self.table.start[k], self.table.start[k + 1])
            P[chain], N[chain] = P[chain].cumsum(axis=0), N[chain].cumsum(axis=0)
        return P, N

    def shallow_sides(self, mask: Masks, family: int) -> Floats:
        """Costs of a family of at most one level inside and outside every split, [2, S]."""
        splits, costs = self.splits, np.empty((2, self.splits.n))
        leaf_costs = partial(self.primitives().leaf_costs, self.table, family)
        of_leaf = self.table.level[family] == LEAF
        inner_p, inner_n = np.empty((2, 0, splits.n_columns)) if of_leaf else self.pair_sums(mask)
        (P,), (N,), p, n = self.sums(mask[None])
        for at in range(0, splits.n, SOME_SPLITS):
            self.check()
            part = slice(at, at + SOME_SPLITS)
            X, own, own_p = (splits.sums(each, part) for each in (inner_n - inner_p, N - P, P))
            costs[INSIDE, part] = leaf_costs(X, own, own_p)
            rest = (N - P)[: len(X), None] - X
            costs[OUTSIDE, part] = leaf_costs(rest, n - p - own, p - own_p)
        return costs

    def shallow(self, family: int, masks: Masks) -> Floats:
        """Costs of a family of at most one level on B row sets."""
        P, N, p, n = self.sums(masks)
        return np.asarray(self.primitives().leaf_costs(self.table, family, (N - P).T, n - p, p))

    def solve(self, family: int, masks: Masks, limits: Floats, places: list[int]) -> SideCosts:
        """Solve a family on B row sets. `places` are their numbers in the store, -1 without one."""
        self.check()
        if self.table.level[family] < PAIR:
            return SideCosts(
                np.minimum(self.shallow(family, masks), limits), None, (None,) * len(masks)
            )
        name = "two_levels_by_sweeps" if self.by_sweeps else "two_levels"
        solve = getattr(self.primitives(), name, None)  # None until it is compiled
        if self.table.level[family] > PAIR or solve is None:
            return self._solve_deep(family, masks, limits, places)
        return self._in_parts(
            partial(solve, self.table, family), np.ascontiguousarray(masks), limits
        )

    def solve_sides(
        self, family: int, base: BaseTables, splits: Whole, outside: Flags, limits: Floats
    ) -> SideCosts:
        """Solve a family of two levels on the rows of a base inside or outside each split."""
        solve = partial(
            self.primitives().two_levels_of_sides, self.table, family, self.tables.crossings, base
        )
        first, second = self.splits.first[splits], self.splits.second[splits]
        return self._in_parts(solve, first, second, outside, limits)

    def _in_parts(self, solve: Callable[..., None], *given: npt.NDArray) -> SideCosts:
        """Call a primitive for two levels, in as many parts as there are threads."""
        n = len(given[0])
        cost, split = np.empty(n), np.empty((n, 3 + self.most_members), np.int32)
        parts = max(min(self.threads, n // 4), 1)
        cuts = np.linspace(0, n, parts + 1).astype(int).tolist()

        def one(i: int) -> None:
            part = slice(cuts[i], cuts[i + 1])
            solve(*(each[part] for each in given), self.halt, cost[part], split[part])

        self._in_threads(one, parts)
        self.check()
        return SideCosts(cost, split)

    def _solve_deep(
        self, family: int, masks: Masks, limits: Floats, places: list[int]
    ) -> SideCosts:
        def one(i: int) -> tuple[float, Subtree | None]:
            loop = Loop(self, family, masks[i], float(limits[i]), places[i])
            return loop.solve(), loop.subtree

        costs, subtrees = zip(*self._in_threads(one, len(masks)), strict=True)
        return SideCosts(np.array(costs), None, subtrees)

    def _in_threads(self, one: Callable[[int], T], n: int) -> list[T]:
        """Call a function with the numbers below n, in threads if there may be several."""
        if min(self.threads, n) < 2:
            return [one(i) for i in range(n)]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(one, range(n)))

    # ------------------------------------------------------------ a first tree

    def greedy(self, family: int, mask: Masks) -> tuple[float, Subtree | None]:
        """The cost of a greedy tree of a family, and the tree.

        Each node uses the split of the best tree of two levels. The last two levels are optimal.
        """
        table = self.table
        if table.level[family] <= PAIR:
            answer = self.solve(family, mask[None], np.array([np.inf]), [-1])
            return float(answer.cost[0]), answer.subtree(0)
        subtree = self._two_level_split(family, mask)
        rows = self.splits.union(subtree.members) & mask
        low, high = int(table.low[family]), int(table.high[family])
        best, found = np.inf, None
        for to_high in (False,) if low == high or table.one_way[family] else (False, True):
            parts = (mask & ~rows, rows) if to_high else (rows, mask & ~rows)
            cost_low, subtree_low = self.greedy(low, parts[0])
            cost_high, subtree_high = self.greedy(high, parts[1])
            if cost_low + cost_high < best:
                best = cost_low + cost_high
                found = Subtree(subtree.group, to_high, subtree.members, subtree_low, subtree_high)
        return best, found

    def _two_level_split(self, family: int, mask: Masks) -> Subtree:
        """The split of the best tree of two levels, or any split if the root may not use it."""
        below = family
        while self.table.level[below] > PAIR:
            below = int(self.table.high[below])
        subtree = self.solve(below, mask[None], np.array([np.inf]), [-1]).subtree(0)
        allowed = groups_of(self.table, family)
        if subtree is not None and subtree.group in allowed:
            return subtree
        if not allowed:
            return Subtree(-1, False, ())
        return Subtree(allowed[0], False, (int(self.table.start[allowed[0]]),))
