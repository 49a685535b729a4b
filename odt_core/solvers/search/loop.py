"""The loop that solves a family of two to four levels on one set of rows.

A round of the loop carries bounds from split to split, for whole vectors at a time. Then it chooses
sides of splits that could still be better, and solves them together. In a run of neighbouring
thresholds it chooses only the middle one, which halves the run. A primitive solves children of two
levels. Each child of three levels has a loop of its own. See docs/search.md for the bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import PAIR, STUMP, BaseTables
from odt_core.solvers.search.row_sets import Flags, Floats, Masks, Whole
from odt_core.solvers.search.splits import INSIDE, OUTSIDE, Bounds
from odt_core.solvers.search.subsets import Nodes, Wanted, walk
from odt_core.solvers.search.subtrees import Subtree

if TYPE_CHECKING:
    from odt_core.solvers.search.search import Search, SideCosts

FIRST_BATCH, LATER_BATCH, LARGEST_BATCH = 8, 64, 256
"""How many sides a loop solves together: in the first round at the root of the tree, in the first
round below it, and at most. Each round doubles the number. It is small at the root, so that a good
tree comes early."""


def _sides_to_solve(*columns: float | npt.NDArray) -> Floats:
    """An array of sides to solve, ``float64[n, 5]``: side, child, split, limit and rank of each."""
    sides = np.empty((np.size(columns[2]), 5))
    for i, column in enumerate(columns):
        sides[:, i] = column
    return sides


def _by_rank(found: list[Floats]) -> Floats:
    """Sides to solve by rising rank."""
    sides = np.concatenate([np.empty((0, 5)), *found])
    return np.asarray(sides[np.argsort(sides[:, 4], kind="stable")])


class Loop(Bounds):
    """The root of a family of two to four levels on one row set."""

    def __init__(
        self,
        search: Search,
        family: int,
        mask: Masks,
        limit: float,  # only a tree that costs less is wanted
        place: int = -1,  # the number of these rows in the store; -1 if they have none
        top: bool = False,  # whether this is the root of the whole tree
    ) -> None:
        super().__init__(search.splits, family)
        self.search, self.mask, self.place, self.top = search, mask, place, top
        self.best = limit
        self.singles_done = False
        self.subtree: Subtree | None = None
        self.has_sets = bool(search.splits.is_set.any())
        # without sets, a limit saves no time in solving two levels, and the answer says less
        self.solves_to_the_end = not self.has_sets and not search.by_sweeps
        self.answers: dict[tuple[int, int, int], tuple[SideCosts, int]] = {}
        self.base: BaseTables | None = None
        self.is_solved = np.zeros(self.h + 1, np.bool_)  # whether `whole` is the optimum

    # ------------------------------------------------------------ the loop

    def solve(self) -> float:
        """The least cost below the limit, with its split in `subtree`; else the limit."""
        self._begin()
        batch = FIRST_BATCH if self.top else LATER_BATCH
        sides = self._round()
        while len(sides):
            self._report()
            self._evaluate(sides[: self._batch(batch)])
            batch = min(2 * batch, LARGEST_BATCH)
            sides = self._round()
        self._walk()
        self._end()
        return self.best

    def _batch(self, wanted: int) -> int:
        return self.search.threads if max(self.table.level[list(self.children)]) > PAIR else wanted

    def _begin(self) -> None:
        search, splits = self.search, self.splits
        positive, negative, *totals = search.sums(self.mask[None])
        self.weight[:] = splits.sums((positive + negative)[0])
        self.total_weight[:] = sum(totals)
        if self.place >= 0 and search.store is not None:
            search.store.fill(self)
        for x, child in enumerate(self.children[: self.h + 1]):
            if self.table.level[child] <= STUMP and not search.by_sweeps:
                self.bound[:, x] = search.shallow_sides(self.mask, child)
                self.exact[:, x] = True
        if self.top:
            self._offer(*search.greedy(self.family, self.mask))
        self._solve_whole()

    def _solve_whole(self) -> None:
        """Solve each child on all rows. Its cost bounds all splits.

        If a branch may be empty, the child's best tree is also a tree of this node.
        """
        for x, child in enumerate(self.children[: self.h + 1]):
            subtree: Subtree | None = None
            if not self.is_solved[x] and self.whole[x] < self.best:
                limit = np.array([self.best])
                store = self.search.store if self.top else None
                place = -1 if store is None else store.everywhere
                answer = self.search.solve(child, self.mask[None], limit, [place])
                self.whole[x] = max(float(answer.cost[0]), self.whole[x])
                self.is_solved[x], subtree = answer.cost[0] < self.best, answer.subtree(0)
            if self.is_solved[x] and self.table.empty_ok[self.family]:
                # a question without members sends all rows to the child that members do not go to
                low, high = (subtree, None) if x == 0 else (None, subtree)
                self._offer(self.whole[x], Subtree(-1, x == 0, (), low, high))

    def _offer(self, cost: float, subtree: Subtree | None) -> None:
        if cost >= self.best or subtree is None:
            return
        self.best, self.subtree = float(cost), subtree
        if self.top:
            self.search.offer(cost, subtree)

    # ------------------------------------------------------------ the choice of sides

    def _round(self) -> Floats:
        """Carry bounds on, keep the best tree, and choose sides to solve, the most useful first.

        There are none if no split can be better.
        """
        if not self.singles_done:
            self._propagate(chains=True)
            sides = self._singles()
            if len(sides):
                return sides
            self.singles_done = True  # closed splits stay closed: bounds rise, the best cost falls
        if self.splits.n == self.splits.n_columns and not len(self.walks):
            return np.empty((0, 5))
        self._propagate(chains=False)
        return self._sets()

    def _open(self, way: int, first: int, last: int) -> tuple[Whole, Floats]:
        """Splits from `first` to `last` that may be better than the best tree, and their bounds.

        Before that, the best split whose two sides are solved is offered.
        """
        x, y = self._children_of(way)
        part = slice(first, last)
        cost = self.bound[INSIDE, x, part] + self.bound[OUTSIDE, y, part] + self.closed[way, part]
        splits = np.flatnonzero(cost < self.best) + first
        if not len(splits):
            return splits, cost[:0]
        done = splits[self.exact[INSIDE, x, splits] & self.exact[OUTSIDE, y, splits]]
        if len(done):
            i = int(done[cost[done - first].argmin()])
            self._offer(float(cost[i - first]), self._subtree_of(way, i))
        if self.has_sets:
            np.maximum(cost, self._set_bounds()[self.splits.group[part]], out=cost)
        splits = splits[cost[splits - first] < self.best]
        return splits, cost[splits - first]

    def _subtree_of(self, way: int, split: int) -> Subtree:
        x, y = self._children_of(way)
        into, out = self._found(INSIDE, x, split), self._found(OUTSIDE, y, split)
        low, high = (out, into) if way else (into, out)
        return self.splits.subtree(split, way, low, high)

    def _found(self, side: int, x: int, split: int) -> Subtree | None:
        answer, i = self.answers.get((side, x, split), (None, 0))
        if answer is None or self.table.level[self.children[x]] < PAIR:
            return None  # the builder reads this split off the rows again
        return answer.subtree(i)

    def _singles(self) -> Floats:
        """Sides of single columns to solve: only the middle one of each run of open thresholds."""
        found = []
        for way in self.ways:
            splits, cost = self._open(way, 0, self.splits.n_columns)
            if len(splits):
                middle = self._middles(splits)
                found.append(self._sides(way, splits[middle], cost[middle]))
        return _by_rank(found)

    def _sets(self) -> Floats:
        """Sides of pairs to solve, or of single columns if that is less work."""
        group, n_groups = self.splits.group, len(self.table.kind)
        pairs = [self._open(way, self.splits.n_columns, self.splits.n) for way in self.ways]
        n_open = np.bincount(group[np.concatenate([at for at, _ in pairs])], minlength=n_groups)
        if not n_open.any():
            return np.empty((0, 5))
        insides = self._set_insides(n_open)
        held = np.isin(np.arange(n_groups), group[insides[:, 2].astype(np.int64)])
        found = [insides]
        for way, (splits, cost) in zip(self.ways, pairs, strict=True):
            free = ~held[group[splits]]
            if free.any():
                sides = self._set_outsides(way, splits[free])
                if not len(sides):
                    sides = self._sides(way, splits[free], cost[free])
                found.append(sides)
        return _by_rank(found)

    def _set_insides(self, n_open: Whole) -> Floats:
        """Insides of columns to solve, in sets that have fewer of them than open pairs."""
        group, sums = self.table.group, self._set_bounds()
        least = self.bound[INSIDE, :, : len(group)].min(axis=0)
        limit = self.best - sums[group] + least
        found = []
        for x in range(self.h + 1):
            some = (self.bound[INSIDE, x, : len(group)] < limit) & (n_open > 0)[group]
            columns = np.flatnonzero(some & ~self.exact[INSIDE, x, : len(group)])
            count = np.bincount(group[columns], minlength=len(sums)) * (self.h + 1)
            columns = columns[(n_open > count)[group[columns]]]
            heaviest_first = -self.weight[columns]
            found.append(_sides_to_solve(INSIDE, x, columns, limit[columns], heaviest_first))
        return np.concatenate(found)

    def _set_outsides(self, way: int, pairs: Whole) -> Floats:
        """Outsides of single columns to solve, if they are fewer than half of the open pairs.

        They bound the outsides of pairs best (sharpened similarity).
        """
        x, y = self._children_of(way)
        u, v = self.splits.first[pairs], self.splits.second[pairs]
        limit = np.full(self.splits.n_columns, -np.inf)
        for one, other in ((u, v), (v, u)):
            need = self.best - self.bound[INSIDE, x, pairs]
            need += self.weight[other] - self.bound[INSIDE, y, other]
            np.maximum.at(limit, one, need)
        count = np.bincount(u, minlength=len(limit)) + np.bincount(v, minlength=len(limit))
        some = (limit > self.bound[OUTSIDE, y, : len(limit)]) & (count > 1)
        some &= ~self.exact[OUTSIDE, y, : len(limit)]
        columns = np.flatnonzero(some)
        if 2 * len(columns) >= len(pairs):
            columns = columns[:0]
        return _sides_to_solve(OUTSIDE, y, columns, limit[columns], -count[columns])

    def _sides(self, way: int, splits: Whole, cost: Floats) -> Floats:
        """The side of each split to solve next, with its limit and rank."""
        x, y = self._children_of(way)
        inner = self._inside_is_next(x, y, splits)
        inside, outside = self.bound[INSIDE, x, splits], self.bound[OUTSIDE, y, splits]
        limit = self.best - np.where(inner, outside, inside)
        return _sides_to_solve(~inner, np.where(inner, x, y), splits, limit, cost)

    def _evaluate(self, sides: Floats) -> None:
        """Solve sides and keep their costs. Sides with similar rows are solved in succession."""
        sides = sides[np.lexsort((sides[:, 2], sides[:, 0]))]
        where = sides[:, :3].astype(np.int64)
        for x in range(self.h + 1):
            mine = where[:, 1] == x
            if not mine.any():
                continue
            side, split, limit = where[mine, 0], where[mine, 2], sides[mine, 3]
            if self.solves_to_the_end and self.table.level[self.children[x]] == PAIR:
                limit = np.full(len(limit), np.inf)
            answer = self._solve_sides(self.children[x], side, split, limit)
            self.bound[side, x, split] = np.maximum(self.bound[side, x, split], answer.cost)
            solved = answer.cost < limit
            self.exact[side, x, split] = solved
            for i in np.flatnonzero(solved).tolist():
                self.answers[int(side[i]), x, int(split[i])] = answer, i

    def _solve_sides(self, child: int, side: Whole, split: Whole, limit: Floats) -> SideCosts:
        search = self.search
        two = self.table.level[child] == PAIR
        if two and self.base is None and (self.top or self.place >= 0):
            search.tables.count(len(split))
            self.base = search.tables.base(self.place, search.store)
        if two and self.base is not None:
            return search.solve_sides(child, self.base, split, side == OUTSIDE, limit)
        masks = self.splits.sides(self.mask, side, split)
        places = [-1] * len(split)
        if self.top and search.store is not None:
            places = list(map(search.store.place, side.tolist(), split.tolist()))
        return search.solve(child, masks, limit, places)

    # ------------------------------------------------------------ larger subsets

    def _walk(self) -> None:
        """Walk over larger subsets of the sets that are still open."""
        sums = self._set_bounds()
        for k in self.walks.tolist():
            if sums[k] < self.best:
                wanted = Wanted(self._is_open, self._solve_union, self._take)
                walk(self._sides_of(k, self.mask), wanted)

    def _is_open(self, cost: Floats) -> Flags:
        return np.asarray(cost < self.best)

    def _take(self, nodes: Nodes, split_of: Callable[[int], Subtree]) -> None:
        """Offer complete subsets."""
        for i, cost in enumerate((nodes.cost[0] + nodes.cost[1]).tolist()):
            if cost < self.best:
                self._offer(cost, split_of(i))

    def _solve_union(self, x: int, masks: Masks, _: Floats, rest: Floats) -> Floats:
        child = self.children[min(x, self.h)]
        return self.search.solve(child, masks, self.best - rest, [-1] * len(masks)).cost

    # ------------------------------------------------------------ reports

    def _report(self) -> None:
        """Report the least bound of the splits that are open."""
        self.search.check()
        if self.top:
            self.search.raise_bound(self.least())

    def least(self) -> float:
        """A lower bound of every tree of this family on these rows."""
        bounds = self._bounds_of_all()
        least = min(self.best, float(bounds.min(initial=np.inf)))
        return min(least, *self.whole.tolist()) if self.table.empty_ok[self.family] else least

    def _end(self) -> None:
        if self.place >= 0 and self.search.store is not None:
            self.search.store.keep(self)
