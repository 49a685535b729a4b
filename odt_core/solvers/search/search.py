"""The search for the best tree of a problem, with its arrays, primitives, bounds and stop flag."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search import loader, twins
from odt_core.solvers.search.columns import (
    PAIR,
    BaseTables,
    Counted,
    Encoding,
    Flags,
    Floats,
    Masks,
    Whole,
    groups_of,
    most_members,
    wants_sweeps,
)
from odt_core.solvers.search.loop import Loop
from odt_core.solvers.search.splits import Splits
from odt_core.solvers.search.store import BoundStore, Tables
from odt_core.solvers.search.subtrees import Subtree

AT_ONCE = 2**20
"""Sums of columns that are counted before the flag to stop is read again."""


class Stopped(Exception):
    """The search was ended by time or by the user."""


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
        self.absolute = np.abs(self.table.d)
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

    def shallow_sides(self, mask: Masks, family: int) -> tuple[Floats, Floats]:
        """Costs of a family of at most one level inside and outside every split."""
        primitives, splits = self.primitives(), self.splits
        counted = Counted.empty(splits.n_columns)
        primitives.count_pairs(self.table, mask, counted, self.halt)
        costs = twins.both_sides(
            self.table,
            family,
            counted,
            splits.first,
            splits.second,
            self.halt,
            primitives.leaf_costs,
        )
        self.check()
        return costs

    def shallow(self, family: int, masks: Masks) -> Floats:
        """Costs of a family of at most one level on B row sets."""
        found, v, d = [np.empty(0)], self.splits.n_columns, self.table.d
        positive, negative = np.maximum(-d, 0), np.maximum(d, 0)
        step = AT_ONCE // (v + 1) + 1
        for at in range(0, len(masks), step):
            self.check()
            part = np.ascontiguousarray(masks[at : at + step])
            n = len(part)
            P, N, PT, NT = sums = np.empty((n, v)), np.empty((n, v)), np.empty(n), np.empty(n)
            self.primitives().column_sums(self.table, part, positive, negative, *sums)
            found.append(self.primitives().leaf_costs(self.table, family, (N - P).T, NT - PT, PT))
        return np.concatenate(found)

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
        parts = min(self.threads, n // 4)
        if parts < 2:
            solve(*given, self.halt, cost, split)
        else:
            cuts = np.linspace(0, n, parts + 1).astype(int).tolist()

            def one(i: int) -> None:
                part = slice(cuts[i], cuts[i + 1])
                solve(*(each[part] for each in given), self.halt, cost[part], split[part])

            with ThreadPoolExecutor(parts) as pool:
                list(pool.map(one, range(parts)))
        self.check()
        return SideCosts(cost, split)

    def _solve_deep(
        self, family: int, masks: Masks, limits: Floats, places: list[int]
    ) -> SideCosts:
        def one(i: int) -> tuple[float, Subtree | None]:
            loop = Loop(self, family, masks[i], float(limits[i]), places[i])
            return loop.solve(), loop.subtree

        if self.threads > 1 and len(masks) > 1:
            with ThreadPoolExecutor(self.threads) as pool:
                found = list(pool.map(one, range(len(masks))))
        else:
            found = [one(i) for i in range(len(masks))]
        costs, subtrees = zip(*found, strict=True)
        return SideCosts(np.array(costs), None, subtrees)

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
