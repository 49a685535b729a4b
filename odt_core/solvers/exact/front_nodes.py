"""The root of a subtree of two or more levels, when its front is looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from odt_core.solvers.exact import loader
from odt_core.solvers.exact.choices import Choice
from odt_core.solvers.exact.columns import STUMP, Columns
from odt_core.solvers.exact.front_lists import Front, floor_of, needed
from odt_core.solvers.exact.front_walk import Walk
from odt_core.solvers.exact.groups import CHAIN
from odt_core.solvers.exact.masks import Masks, count, rows_of

if TYPE_CHECKING:
    from odt_core.solvers.exact.fronts import FrontSearch

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
MOST_IN_TABLE = 1_200
"""Up to so many columns, all pairs of them are counted; else a batch of columns at a time."""

BATCH = 64


@dataclass(eq=False)
class Candidates:
    """Splits of a set of rows. C splits, W words, L multipliers.

    Attributes
    ----------
    inner, outer : uint64[C, W]
        The members' rows and the others.
    to_high : int64[C]
        Whether the members go to the high child.
    lower, known : float64[C, 2, L], bool[C, 2, L]
        Weighted lower bounds of the members' and the others' trees; whether they are optima.
    columns : int64[C, 2]
        The columns that the members are in (-1 for none).
    read : callable, optional
        Gives the splits where they have more columns.
    """

    inner: Masks
    outer: Masks
    to_high: Whole
    lower: Floats
    known: npt.NDArray[np.bool_]
    columns: Whole
    read: Callable[[int], Choice] | None = None

    def choice(self, node: Node, at: int) -> Choice:
        """A split."""
        return node.read(self.columns, self.to_high, at) if self.read is None else self.read(at)

    def take(self, at: npt.NDArray) -> Candidates:
        """Some of them."""
        return Candidates(
            self.inner[at], self.outer[at], self.to_high[at], self.lower[at], self.known[at],
            self.columns[at],
        )  # fmt: skip

    @property
    def bounds(self) -> Floats:
        """float64[C, L]: bounds of the whole splits."""
        return np.asarray(self.lower.sum(axis=1))


class Node:
    """A set of rows that is to be split by the root of a class of two or more levels.

    Attributes
    ----------
    children : tuple of int
        The classes of the low and the high child.
    h : int
        1 if these differ, else 0.
    ways : tuple of int
        Where members may go: to the low child (0), to the high one (1).
    columns : int64[n]
        The columns that may be asked for.
    """

    def __init__(self, search: FrontSearch, cls: int, mask: Masks, front: Front) -> None:
        table = search.table
        self.search, self.cls, self.mask, self.front = search, cls, mask, front
        self.children = (int(table.low[cls]), int(table.high[cls]))
        self.h = int(self.children[0] != self.children[1])
        self.ways = (0, 1) if self.h and not table.one_way[cls] else (0,)
        runs = search.runs[cls]
        self.columns = np.concatenate(
            [np.arange(s, e) for _, s, e in runs] or [np.empty(0, np.int64)]
        )
        self.pairs = search.pairs[cls]
        self.walks = [(s, e) for take, s, e in runs.tolist() if take not in (1, 2)]

    def read(self, columns: Whole, to_high: Whole, at: int) -> Choice:
        """The split of one or two columns (or none)."""
        members = tuple(v for v in columns[at].tolist() if v >= 0)
        group = int(self.search.table.group[members[0]]) if members else -1
        return Choice(group, bool(to_high[at]), members)

    def pair_bounds(
        self, into: Floats, own: Floats, left: Floats, weight: Floats, pairs: Whole
    ) -> tuple[Floats, Floats]:
        """Bounds of what pairs of a set's columns hold and leave.

        Parameters
        ----------
        into, own, left : float64[V, L]
            Bounds of the members' child inside the columns; of the others' child inside and
            outside them.
        weight : float64[V, L]
            Weight of the rows in the columns.
        """
        table = self.search.table
        sums = np.zeros((len(table.kind), own.shape[1]))
        for k in np.unique(table.group[pairs[:, 0]]):
            sums[k] = own[table.start[k] : table.start[k + 1]].sum(axis=0)
        u, v = pairs.T
        outer = sums[table.group[u]] - own[u] - own[v]
        np.maximum(outer, left[u] - weight[v] + own[v], out=outer)
        np.maximum(outer, left[v] - weight[u] + own[u], out=outer)
        return into[u] + into[v], outer

    def walk(
        self, s: int, e: int, weight: Floats, payload: tuple[npt.NDArray, ...],
        join: np.ufunc, into: list[Floats], evaluate: Callable,
    ) -> Iterator:  # fmt: skip
        """Batches of subsets of a set's columns that the bounds leave open (see `Walk`)."""
        table, search = self.search.table, self.search
        at = s + np.flatnonzero(weight[s:e] > 0)
        at = at[np.argsort(-weight[at], kind="stable")]
        if not len(at):
            return
        walk = Walk(
            columns=at,
            arity=int(table.arity[table.group[s]]),
            both_needed=len(at) == e - s and not table.empty_ok[self.cls],
            different=bool(self.h),
            lower=np.stack([into[0][at], into[self.h][at]]),
            payload=tuple(each[at] for each in payload),
            join=join,
            evaluate=evaluate,
            is_open=lambda bounds: search.open_step(bounds, self.front.points) >= 0,
            check=search.check,
        )
        unused = [v for v in range(s, e) if v not in set(at.tolist())][:1]
        for batch in walk.run():
            yield batch, lambda i, b=batch: self._subset(*walk.columns_of(b, i), unused)

    def _subset(self, low: tuple[int, ...], high: tuple[int, ...], unused: list[int]) -> Choice:
        """The split that sends columns low and high; the smaller side is named."""
        to_high = len(high) < len(low)
        members = (high if to_high else low) or tuple(unused)
        group = int(self.search.table.group[(low + high)[0]])
        return Choice(group, to_high, members)


class PairNode(Node):
    """A root of two levels: its children's fronts are counted."""

    def solve(self) -> None:
        """Find the front."""
        search, table = self.search, self.search.table
        v = len(table.group)
        x, y, p, q = search.sums(self.mask[None])
        self.whole = (x[0], y[0], np.array([p[0], q[0]]))
        shape = (v, len(search.alpha))
        self.into = [np.zeros(shape) for _ in range(self.h + 1)]
        self.left = [np.zeros(shape) for _ in range(self.h + 1)]
        self.weight = search.beta * y[0][:, None] + search.alpha * x[0][:, None]
        if table.empty_ok[self.cls]:
            nothing = np.array([[-1, -1]] * (self.h + 1))
            self._try((x, y, p, q), nothing, np.arange(self.h + 1), np.zeros((self.h + 1, shape[1])))
        if v <= MOST_IN_TABLE:
            self._by_table()
        else:
            self._by_columns()

    def _try(
        self, sums: tuple[Floats, ...], columns: Whole, to_high: Whole, bounds: Floats,
        at: Whole | None = None, read: Callable[[int], Choice] | None = None,
    ) -> None:  # fmt: skip
        """Put the fronts of splits into ours; `at` are their rows of the sums, if not `columns`."""
        search = self.search
        sets = columns if at is None else at
        splits = np.concatenate([sets, to_high[:, None]], axis=1)
        first = self.front.add(
            len(splits), read or (lambda i: self.read(columns, to_high, i))
        )
        low, high = self.children
        points, n = loader.primitives().split_fronts(
            *sums, *self.whole, splits, np.ascontiguousarray(bounds), search.alpha, search.beta,
            search.runs[low], search.mode[low], search.runs[high], search.mode[high],
            search.leaf, self.front.points, first, search.halt,
        )  # fmt: skip
        search.check()
        self.front.points = np.ascontiguousarray(points[:, :n])

    def _bound(self, columns: Whole, sums: tuple[Floats, ...]) -> None:
        """Bounds of both children inside and outside columns, whose sums these are."""
        P, N, PT, NT = sums
        x, y, (p, q) = self.whole
        rest = (x - P, y - N, p - PT, q - NT)
        for c, child in enumerate(self.children[: self.h + 1]):
            self.into[c][columns] = self.search.shallow_bounds(child, sums)
            self.left[c][columns] = self.search.shallow_bounds(child, rest)

    def _singles(self, columns: Whole) -> tuple[Whole, Whole, Floats]:
        """Splits by one of the columns, the most promising first, and their bounds."""
        split, to_high, bounds = [], [], []
        for way in self.ways:
            split.append(np.stack([columns, np.full(len(columns), -1)], axis=1))
            to_high.append(np.full(len(columns), way))
            bounds.append(self.into[way][columns] + self.left[self.h - way][columns])
        both = np.concatenate(bounds)
        order = np.argsort(both.sum(axis=1), kind="stable")
        return np.concatenate(split)[order], np.concatenate(to_high)[order], both[order]

    def _by_table(self) -> None:
        search = self.search
        v = len(search.table.group)
        P, N = np.empty((v, v)), np.empty((v, v))
        rows = rows_of(self.mask, len(search.positive))
        loader.primitives().pair_sums(search.table, rows, search.positive, search.negative, P, N)
        sums = (P, N, P.diagonal().copy(), N.diagonal().copy())
        self._bound(np.arange(v), sums)
        self._try(sums, *self._singles(self.columns))
        self._sets(sums, np.arange(v))

    def _sets(self, sums: tuple[Floats, ...], place: Whole) -> None:
        """Splits by several columns of a set. `place[v]`: the row of the sums of column v."""
        search = self.search
        if len(self.pairs):
            for way in range(self.h + 1):
                bounds = np.add(
                    *self.pair_bounds(
                        self.into[way], self.into[self.h - way], self.left[self.h - way],
                        self.weight, self.pairs,
                    )
                )  # fmt: skip
                at = np.flatnonzero(search.open_step(bounds, self.front.points) >= 0)
                at = at[np.argsort(bounds[at].sum(axis=1), kind="stable")]
                pairs = self.pairs[at]
                self._try(sums, pairs, np.full(len(at), way), bounds[at], place[pairs])
        weight = self.whole[0] + self.whole[1]
        parts = tuple(each[place] for each in sums) if self.walks else ()
        for s, e in self.walks:
            for batch, read in self.walk(s, e, weight, parts, np.add, self.into, self._grown):
                n = len(batch.lower)
                at = np.stack([np.arange(n), np.full(n, -1)], axis=1)
                low_first = np.zeros(n, np.int64)
                self._try(batch.payload[0], at, low_first, batch.lower.sum(axis=1), at, read)

    def _grown(self, x: int, payload: tuple[npt.NDArray, ...], own: Floats, rest: Floats) -> Floats:
        """Bounds of a child on growing row sets, from their sums."""
        child = self.children[x * self.h]
        return np.maximum(own, self.search.shallow_bounds(child, payload))

    # ------------------------------------------------------------ many columns

    def _by_columns(self) -> None:
        """A batch of columns at a time; of each run of open thresholds the one in the middle."""
        search, table = self.search, self.search.table
        v = len(table.group)
        in_sets = np.zeros(v, np.bool_)
        for take, s, e in search.runs[self.cls].tolist():
            in_sets[s:e] = take != 1
        todo = np.zeros(v, np.bool_)
        todo[self.columns] = True
        place = np.full(v, -1)
        columns = np.flatnonzero(in_sets)
        place[columns] = np.arange(len(columns))
        sums = search.sums(search.column_masks(columns) & self.mask) if len(columns) else None
        if sums is not None:
            self._bound(columns, sums)
            bounds = self._singles(columns)
            self._try(sums, *bounds, at=np.where(bounds[0] < 0, -1, place[bounds[0]]))
            todo[columns] = False
        while True:
            self._spread()
            open_ = todo & self._open()
            picked = middles(open_, table.group)[:BATCH]
            if not len(picked):
                break
            todo[picked] = False
            batch = search.sums(search.column_masks(picked) & self.mask)
            self._bound(picked, batch)
            place_in = np.full(v, -1)
            place_in[picked] = np.arange(len(picked))
            splits = self._singles(picked)
            self._try(batch, *splits, at=np.where(splits[0] < 0, -1, place_in[splits[0]]))
        if sums is not None:
            self._sets(sums, place)

    def _open(self) -> npt.NDArray[np.bool_]:
        found = np.zeros(len(self.search.table.group), np.bool_)
        for way in self.ways:
            bounds = self.into[way] + self.left[self.h - way]
            found |= self.search.open_step(bounds, self.front.points) >= 0
        return found

    def _spread(self) -> None:
        for c in range(self.h + 1):
            spread(self.search.table, self.weight, self.into[c], self.left[c])

class DeepNode(Node):
    """A root of three or four levels: splits are tried that weighted bounds leave open."""

    def __init__(
        self, search: FrontSearch, cls: int, mask: Masks, front: Front, guide: Floats
    ) -> None:
        super().__init__(search, cls, mask, front)
        self.guide = guide
        self.top = cls == search.encoding.classes[0]
        self.n_columns = len(search.table.group)

    def solve(self) -> None:
        """Find the front: splits by one column, then by two, then by more."""
        search, table = self.search, self.search.table
        x, y, _, _ = search.sums(self.mask[None])
        self.weight = search.beta * y[0][:, None] + search.alpha * x[0][:, None]
        if table.empty_ok[self.cls]:
            n = self.h + 1
            nothing = np.full((n, 2), -1)
            self._solve_all(self._candidates(nothing, np.arange(n)), [])
        singles = self._all_singles()
        self._solve_all(singles, [], self._middles, self._spread)
        self._use_singles(singles)
        sets = {k: self._sum_of(k) for k in self._sets()}
        self._finish_values(singles, sets)
        if len(self.pairs):
            pairs = self._open_pairs([k for k in sets if table.arity[k] == 2])
            later = [bound for k, bound in sets.items() if table.arity[k] > 2]
            self._solve_all(pairs, later)
        for k in [k for k in sets if table.arity[k] > 2]:
            self._pend(lambda: list(sets.values()))  # noqa: B023
            self._subsets_of(k)
            del sets[k]

    # ------------------------------------------------------------ candidates

    def _candidates(self, columns: Whole, to_high: Whole, lower: Floats | None = None) -> Candidates:
        search = self.search
        inner = np.zeros((len(columns), len(self.mask)), np.uint64)
        for j in range(2):
            some = columns[:, j] >= 0
            inner[some] |= search.column_masks(columns[some, j])
        inner &= self.mask
        shape = (len(columns), 2, len(search.alpha))
        return self._with_shallow(
            Candidates(
                inner, self.mask & ~inner, to_high,
                np.zeros(shape) if lower is None else lower, np.zeros(shape, np.bool_), columns,
            )
        )  # fmt: skip

    def _with_shallow(self, splits: Candidates) -> Candidates:
        """The same with the bounds of children of at most one level, which cost little."""
        for side, masks in enumerate((splits.inner, splits.outer)):
            for x, child in enumerate(self.children):
                at = np.flatnonzero(splits.to_high == (x if side == 0 else 1 - x))
                if self.search.table.level[child] <= STUMP and len(at):
                    sums = self.search.sums(masks[at])
                    splits.lower[at, side] = self.search.shallow_bounds(child, sums)
                    splits.known[at, side] = True
        return splits

    def _all_singles(self) -> Candidates:
        """Splits by each column of the problem, first those to the low child."""
        v = self.n_columns
        columns = np.stack([np.arange(v), np.full(v, -1)], axis=1)
        ways = len(self.ways)
        splits = self._candidates(np.tile(columns, (ways, 1)), np.repeat(self.ways, v))
        allowed = np.zeros(v, np.bool_)
        allowed[self.columns] = True
        splits.known[~np.tile(allowed, ways)] = True
        splits.lower[~np.tile(allowed, ways)] = np.inf
        self.allowed = allowed
        return splits

    def _middles(self, open_: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Of neighbouring thresholds that are open, the one in the middle."""
        group = np.tile(self.search.table.group, len(self.ways))
        group += np.repeat(np.arange(len(self.ways)), self.n_columns) * len(group)
        found = np.zeros(len(open_), np.bool_)
        found[middles(open_, group)] = True
        return found if open_.sum() > BATCH else open_

    def _spread(self, splits: Candidates) -> None:
        v = self.n_columns
        for w in range(len(self.ways)):
            lower = splits.lower[w * v : (w + 1) * v]
            lower[~self.allowed] = 0.0
            into, left = lower[:, 0].copy(), lower[:, 1].copy()
            spread(self.search.table, self.weight, into, left)
            lower[:, 0], lower[:, 1] = into, left
            lower[~self.allowed] = np.inf

    def _use_singles(self, splits: Candidates) -> None:
        """Bounds of both children inside and outside each column."""
        v, n = self.n_columns, len(self.search.alpha)
        self.into = [np.zeros((v, n)) for _ in range(self.h + 1)]
        self.left = [np.zeros((v, n)) for _ in range(self.h + 1)]
        for w, way in enumerate(self.ways):
            lower = splits.lower[w * v : (w + 1) * v]
            self.into[way][:] = np.where(self.allowed[:, None], lower[:, 0], 0.0)
            self.left[self.h - way][:] = np.where(self.allowed[:, None], lower[:, 1], 0.0)

    # ------------------------------------------------------------ sharpening

    def _sharpen(
        self, splits: Candidates,
        pick: Callable[[npt.NDArray[np.bool_]], npt.NDArray[np.bool_]] | None = None,
        after: Callable[[Candidates], None] | None = None,
    ) -> None:  # fmt: skip
        """Raise the bounds of splits until each is excluded or all its bounds are optima.

        One multiplier at a time, the one that says most about the first open step; of its two sides
        the heavier first.
        """
        search = self.search
        heavier = (count(splits.outer) > count(splits.inner)).astype(np.int64)
        while True:
            step = search.open_step(splits.bounds, self.front.points)
            unknown = ~splits.known.all(axis=1)
            open_ = (step >= 0) & unknown.any(axis=1)
            at = np.flatnonzero(open_ if pick is None else pick(open_))
            if not len(at):
                return
            x = self.front.points[0, step[at] + 1] - 1
            least = (self.guide - search.alpha * x[:, None]) / search.beta
            i = np.where(unknown[at], least, -np.inf).argmax(axis=1)
            side = np.where(splits.known[at, heavier[at], i], 1 - heavier[at], heavier[at])
            self._evaluate(splits, at, side, i)
            if after is not None:
                after(splits)

    def _evaluate(self, splits: Candidates, at: Whole, side: Whole, multiplier: Whole) -> None:
        """Optima of one side of each split, for one multiplier."""
        child = np.where(side == 0, splits.to_high[at], 1 - splits.to_high[at])
        key = multiplier * 4 + side * 2 + child
        for each in np.unique(key):
            i, s, x = int(each) // 4, int(each) // 2 % 2, int(each) % 2
            here = at[key == each]
            masks = (splits.inner, splits.outer)[s][here]
            limits = self._most(i) + 1 - splits.lower[here, 1 - s, i]
            cost = self.search.bounds_on(i, self.children[x], masks, limits)
            splits.lower[here, s, i] = np.maximum(splits.lower[here, s, i], cost)
            splits.known[here, s, i] = True

    def _most(self, i: int) -> float:
        """The largest weighted cost of a wanted point."""
        points = self.front.points
        x, y = points[0, 1:] - 1, points[1, :-1] - 1
        return float((self.search.alpha[i] * x + self.search.beta[i] * y).max())

    # ------------------------------------------------------------ trying

    def _pend(self, bounds: Callable[[], list[Floats]]) -> None:
        """At the root of the tree: what is open if the search is ended now."""
        if self.top:
            self.search.pending = bounds

    def _solve_all(
        self, splits: Candidates, later: list[Floats],
        pick: Callable | None = None, after: Callable | None = None,
    ) -> None:  # fmt: skip
        """Try all splits that the bounds leave open, the most promising first."""
        search = self.search
        whole = pick is not None  # bounds are carried from one to another: all together
        order = np.argsort(splits.bounds.sum(axis=1), kind="stable")
        size = len(order) if whole else BATCH
        for first in range(0, len(order), size):
            part = splits if whole else splits.take(order[first : first + size])
            rest = [] if whole else [splits.bounds[order[first + size :]]]
            more = self._sets_pending() if whole else []
            self._pend(lambda: [part.bounds, *rest, *later, *more])  # noqa: B023
            self._sharpen(part, pick, after)
            bounds = part.bounds
            open_ = np.flatnonzero(search.open_step(bounds, self.front.points) >= 0)
            for at in open_[np.argsort(bounds[open_].sum(axis=1), kind="stable")]:
                self._try(part, int(at))

    def _sets_pending(self) -> list[Floats]:
        """While single columns are tried nothing is known of larger subsets."""
        return [np.zeros(len(self.search.alpha))] if self._sets() else []

    def _try(self, splits: Candidates, at: int) -> None:
        """Put the fronts of a split's children together, if its bounds allow."""
        search, front = self.search, self.front
        if search.open_step(splits.bounds[at : at + 1], front.points)[0] < 0:
            return
        lower, to_high = splits.lower[at], int(splits.to_high[at])
        most = front.points[0, -1] - 1
        wanted = needed(front.points, floor_of(lower[1], search.alpha, search.beta, most))
        if wanted is None:
            return
        members = search.front(self.children[to_high], splits.inner[at], wanted, lower[0])
        wanted = needed(front.points, members.found)
        if wanted is None:
            return
        others = search.front(self.children[1 - to_high], splits.outer[at], wanted, lower[1])
        low, high = (others, members) if to_high else (members, others)
        number = front.size
        if front.combine(low.found, high.found, number):
            front.add(1, lambda _: splits.choice(self, at))
            front.below[number] = (low, high)
            if self.top:
                search.tighten(front)

    # ------------------------------------------------------------ sets of categories

    def _sets(self) -> list[int]:
        """Groups of which several columns may be sent one way."""
        table = self.search.table
        return [int(table.group[s]) for take, s, _ in self.search.runs[self.cls].tolist() if take != 1]

    def _sum_of(self, k: int) -> Floats:
        """Bounds of every split of a set: each value costs at least its own best."""
        table = self.search.table
        at = slice(int(table.start[k]), int(table.start[k + 1]))
        return np.asarray(np.minimum(self.into[0][at], self.into[self.h][at]).sum(axis=0))

    def _finish_values(self, singles: Candidates, sets: dict[int, Floats]) -> None:
        """Solve the children on the values of sets that are still open; drop sets they exclude."""
        search, v = self.search, self.n_columns
        values = search.table.group[np.arange(v) % v]
        for i in range(len(search.alpha)):
            for side in range(2):
                for k in [k for k, b in sets.items() if self._is_closed(b)]:
                    del sets[k]
                todo = np.tile(np.isin(values, list(sets)), len(self.ways))
                at = np.flatnonzero(todo & ~singles.known[:, side, i])
                if len(at):
                    n = len(at)
                    self._evaluate(singles, at, np.full(n, side), np.full(n, i))
                    self._use_singles(singles)
                    sets.update({k: self._sum_of(k) for k in sets})

    def _is_closed(self, bounds: Floats) -> bool:
        return bool(self.search.open_step(bounds[None], self.front.points)[0] < 0)

    def _open_pairs(self, groups: list[int]) -> Candidates:
        """Splits by two columns that the columns' own bounds do not exclude."""
        search = self.search
        pairs = self.pairs[np.isin(search.table.group[self.pairs[:, 0]], groups)]
        columns, to_high, lower = [], [], []
        for way in range(self.h + 1):
            inner, outer = self.pair_bounds(
                self.into[way], self.into[self.h - way], self.left[self.h - way], self.weight, pairs
            )
            at = np.flatnonzero(search.open_step(inner + outer, self.front.points) >= 0)
            columns.append(pairs[at])
            to_high.append(np.full(len(at), way))
            lower.append(np.stack([inner[at], outer[at]], axis=1))
        return self._candidates(
            np.concatenate(columns), np.concatenate(to_high), np.concatenate(lower)
        )

    def _subsets_of(self, k: int) -> None:
        """Splits by subsets of a set, depth first."""
        search, table = self.search, self.search.table
        s, e = int(table.start[k]), int(table.start[k + 1])
        parts = (search.column_masks(np.arange(s, e)) & self.mask,)
        full = np.zeros((len(table.group), len(self.mask)), np.uint64)
        full[s:e] = parts[0]
        weight = np.zeros(len(table.group))
        weight[s:e] = count(parts[0])
        for batch, read in self.walk(s, e, weight, (full,), np.bitwise_or, self.into, self._grown):
            n = len(batch.lower)
            splits = Candidates(
                batch.payload[0][0], batch.payload[1][0], np.zeros(n, np.int64), batch.lower,
                np.ones(batch.lower.shape, np.bool_), np.full((n, 2), -1), read,
            )  # fmt: skip
            for at in range(n):
                self._try(splits, at)

    def _grown(self, x: int, payload: tuple[npt.NDArray, ...], own: Floats, rest: Floats) -> Floats:
        """Optima of a child on growing row sets, one multiplier after the other while open."""
        own = own.copy()
        child = self.children[x * self.h]
        if self.search.table.level[child] <= STUMP:
            return np.maximum(own, self.search.shallow_bounds(child, self.search.sums(payload[0])))
        for i in range(own.shape[1]):
            at = np.flatnonzero(self.search.open_step(own + rest, self.front.points) >= 0)
            if not len(at):
                break
            limits = self._most(i) + 1 - rest[at, i]
            cost = self.search.bounds_on(i, child, payload[0][at], limits)
            own[at, i] = np.maximum(own[at, i], cost)
        return own


def middles(open_: npt.NDArray[np.bool_], group: Whole) -> Whole:
    """Of each run of neighbouring open columns of one group the one in the middle, long runs first."""
    at = np.flatnonzero(open_)
    if not len(at):
        return at
    new = np.ones(len(at), np.bool_)
    new[1:] = (np.diff(at) > 1) | (np.diff(group[at]) > 0)
    first = np.flatnonzero(new)
    length = np.diff([*first, len(at)])
    order = np.argsort(-length, kind="stable")
    return np.asarray(at[(first + length // 2)[order]])


def spread(table: Columns, weight: Floats, into: Floats, left: Floats) -> None:
    """Carry bounds inside and outside nested columns to their neighbours (monotone, similarity)."""
    for k in np.flatnonzero((table.kind == CHAIN) & (np.diff(table.start) > 1)):
        at = slice(int(table.start[k]), int(table.start[k + 1]))
        w, a, b = weight[at], into[at], left[at]
        np.maximum.accumulate(a, axis=0, out=a)
        np.maximum(a, np.maximum.accumulate((a - w)[::-1], axis=0)[::-1] + w, out=a)
        b[:] = np.maximum.accumulate(b[::-1], axis=0)[::-1]
        np.maximum(b, np.maximum.accumulate(b + w, axis=0) - w, out=b)
