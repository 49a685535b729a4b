"""Fronts: for a set of rows, every undominated pair of false negatives and false positives.

From the root down, splits are skipped that weighted lower bounds exclude: where a tree costs at
least LB = min(alpha FN + beta FP), it reaches no point with alpha FN + beta FP < LB. What is wanted
of a front is a staircase of points (see front_kernels.py); a tree must get below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem
from odt_core.solution import Assignment
from odt_core.solvers.search import loader
from odt_core.solvers.search.choices import Choice
from odt_core.solvers.search.columns import (
    PAIR,
    STUMP,
    Columns,
    Encoding,
    Masks,
    encode_fronts,
    groups_of,
    runs_of,
    unpack,
)
from odt_core.solvers.search.front_twins import FIXED, LEAF, MAY, MUST
from odt_core.solvers.search.search import Search, Stopped
from odt_core.solvers.search.splits import INSIDE, OUTSIDE, Bounds, Splits
from odt_core.solvers.search.subsets import Nodes, Sides, Wanted, walk

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Sums = tuple[Floats, ...]
"""Four: positive and negative weight of row sets in each column ``[B, V]``, and in all ``[B]``."""

BATCH = 256
"""Splits that are looked up together."""
STEPS = 64
"""Steps of the staircase that stands for a lower bound."""


@dataclass(eq=False)
class Front:
    """The points that are wanted and those that were found, with what reaches them.

    Attributes
    ----------
    points : float64[5, n]
        See front_kernels.py.
    sources : list of Joined or Assignment
        What reaches points, by its number in `points`. A leaf-adjacent front has none.
    """

    points: Floats
    sources: list[Joined | Assignment] = field(default_factory=list)

    @property
    def box(self) -> Floats:
        """float64[2]: the most false negatives and positives that are wanted."""
        return np.array([self.points[0, -1], self.points[1, 0]]) - 1

    @property
    def found(self) -> Floats:
        """float64[2, n]: the points that trees reach."""
        return np.ascontiguousarray(self.points[:2, self.points[2] >= 0])

    def merge(self, points: Floats, split: int) -> None:
        """Put points in; those that are not better are dropped."""
        self.combine(points, np.zeros((2, 1)), split)

    def combine(self, low: Floats, high: Floats, split: int) -> bool:
        """Put the sums of two fronts in; whether one was wanted."""
        before = self.points
        points, n = loader.primitives().combine(
            low, low.shape[1], high, high.shape[1], before, before.shape[1], split
        )
        self.points = np.ascontiguousarray(points[:, :n])
        return bool((self.points[2] == split).any())


class Joined(NamedTuple):
    """A split with the fronts of its children."""

    choice: Choice
    low: Front
    high: Front


def staircase(corners: Floats) -> Floats:
    """Points of the staircase through corners: float64[2, n], the largest wanted points."""
    order = np.lexsort((-corners[1], -corners[0]))
    corners = corners[:, order]
    best = np.maximum.accumulate(corners[1])
    keep = np.ones(corners.shape[1], np.bool_)
    keep[1:] = corners[1, 1:] > best[:-1]
    x, y = corners[:, keep][:, ::-1]
    points = np.zeros((5, len(x) + 1))
    points[0, 1:], points[1, :-1], points[2] = x + 1, y + 1, -1
    return points


def needed(wanted: Floats, floor: Floats) -> Floats | None:
    """What one child must undercut where the other child's points are no better than `floor`."""
    corners = np.stack([wanted[0, 1:] - 1, wanted[1, :-1] - 1])
    both = (corners[:, :, None] - floor[:2, None, :]).reshape(2, -1)
    both = both[:, (both >= 0).all(axis=0)]
    return staircase(both) if both.shape[1] else None


def floor_of(bounds: Floats, alpha: Floats, beta: Floats, most: float) -> Floats:
    """Points float64[2, n] that bound a front from below, from its weighted bounds ``[L]``."""
    step = max(int(most) // STEPS, 0) + 1
    first = np.arange(0.0, most + 1, step)
    last = first + step - 1
    fp = (-((alpha[:, None] * last - bounds[:, None]) // beta[:, None])).max(axis=0)
    points = np.stack([first, np.maximum(fp, 0.0)])
    keep = np.ones(len(first), np.bool_)
    keep[1:] = points[1, 1:] < points[1, :-1]
    return points[:, keep]


# ---------------------------------------------------------------- the search


class FrontSearch:
    """Fronts of the classes of one problem.

    Parameters
    ----------
    problem : Problem
        Its floors and objective are not looked at here.
    multipliers : tuple of (int, int)
        What a false negative and a false positive cost in the weighted bounds.
    halt : int64[1]
        Set to end the search; `Stopped` is raised then.
    tighten : callable, optional
        Told of the root's front whenever it became better; may put limits in.

    Attributes
    ----------
    pending : callable
        Gives the weighted bounds of what was not tried yet at the root: arrays ``[..., L]``.
    """

    def __init__(
        self,
        problem: Problem,
        multipliers: tuple[tuple[int, int], ...],
        halt: Whole,
        tighten: Callable[[Front], None] = lambda front: None,
    ) -> None:
        self.problem, self.halt, self.tighten = problem, halt, tighten
        self.encoding: Encoding = encode_fronts(problem)
        self.table = table = self.encoding.table
        self.alpha, self.beta = np.array(multipliers, np.float64).T.copy()
        self.positive, self.negative = self.encoding.positive, self.encoding.negative
        self.multipliers = multipliers
        self.splits = Splits.of(table)
        self.base = np.minimum(
            self.alpha * self.positive[:, None], self.beta * self.negative[:, None]
        )
        self.leaf = leaf_rule(self.encoding)
        self.runs = [runs_of(table, cls) for cls in range(len(table.level))]
        self.mode = [_mode(table, cls) for cls in range(len(table.level))]
        self.pending: Callable[[], list[Floats]] = lambda: [np.zeros(len(self.alpha))]

    @cached_property
    def searches(self) -> list[Search]:
        """A weighted search for each multiplier.

        Bounds without the smallest leaf are bounds with it, too.
        """
        free = replace(self.encoding, smallest=0)
        return [Search(free.with_costs(a, b), self.halt) for a, b in self.multipliers]

    def front(self, cls: int, mask: Masks, wanted: Floats, guide: Floats) -> Front:
        """The front of a class on some rows wherever it is below `wanted`.

        `guide`, float64[L], tells how low the weighted costs get; it decides what is tried first.
        """
        front = Front(wanted)
        self.fill(front, cls, mask, guide)
        return front

    def fill(self, front: Front, cls: int, mask: Masks, guide: Floats) -> None:
        """Put what a class reaches on some rows into a front."""
        self.check()
        if self.table.level[cls] > STUMP:
            Node(self, cls, mask, front, guide).solve()
            return
        front.merge(self.stump_front(cls, self.sums(mask[None]), front.box).found, 0)

    def stump_front(self, cls: int, sums: Sums, box: Floats) -> Front:
        """The front of a class of at most one level on one row set, within a box."""
        P, N, PT, NT = sums
        out, n = loader.primitives().stump_front(
            P[0], N[0], PT[0], NT[0], self.runs[cls], self.mode[cls], self.leaf, box,
            np.empty((2, 64)),
        )  # fmt: skip
        points = np.zeros((5, n))
        points[:2] = out[:, :n]
        return Front(points)

    def check(self) -> None:
        """Raise `Stopped` if the search is to end."""
        if self.halt[0]:
            raise Stopped

    def sums(self, masks: Masks) -> Sums:
        """Weights of row sets."""
        n, v = len(masks), len(self.table.group)
        found = (np.empty((n, v)), np.empty((n, v)), np.empty(n), np.empty(n))
        loader.primitives().column_sums(
            self.table, np.ascontiguousarray(masks), self.positive, self.negative, *found
        )
        return found

    def shallow_bounds(self, cls: int, sums: Sums) -> Floats:
        """float64[B, L]: weighted bounds of a class of at most one level on row sets."""
        out = np.empty((len(sums[0]), len(self.alpha)))
        loader.primitives().stump_bounds(
            *sums, self.alpha, self.beta, self.runs[cls], self.mode[cls], out
        )
        return out

    def bounds_on(self, i: int, cls: int, masks: Masks, limits: Floats) -> Floats:
        """Weighted bounds of a class on row sets, for one multiplier; optima below the limits."""
        base = unpack(masks, len(self.base)) @ self.base[:, i]
        answer = self.searches[i].solve(cls, masks, limits - base, [-1] * len(masks))
        return np.asarray(answer.cost + base)

    def open_step(self, bounds: Floats, wanted: Floats) -> Whole:
        """For each split the first step of the staircase that its bounds leave open, or -1."""
        found = np.empty(len(bounds), np.int64)
        loader.primitives().first_open(
            np.ascontiguousarray(bounds), self.alpha, self.beta, wanted, found
        )
        return found


def leaf_rule(encoding: Encoding) -> Floats:
    """What a leaf with rows must hold: ``leaf[0] p + leaf[1] q >= leaf[2]`` (no rule: zeros)."""
    if not encoding.smallest:
        return np.zeros(3)
    size, p, q = encoding.size, encoding.positive, encoding.negative
    by = [x for x in ((1, 1), (1, 0), (0, 1)) if (size == x[0] * p + x[1] * q).all()]
    return np.array([*by[0], encoding.smallest], np.float64)


def _mode(table: Columns, cls: int) -> int:
    if table.level[cls] == 0:
        return LEAF
    if table.one_way[cls]:
        return FIXED
    return MAY if table.empty_ok[cls] else MUST


# ---------------------------------------------------------------- roots of subtrees


class Node(Bounds):
    """The root of a class of two or more levels on a set of rows. L multipliers.

    Each of its bounds is a vector, one number for each multiplier. Splits are tried that the bounds
    leave open.

    Attributes
    ----------
    closed : float64[2, S]
        For each way, infinite for splits that may not be used or were tried, else 0.
    walks : list of int
        The sets of which more than two columns may be members.
    """

    def __init__(
        self, search: FrontSearch, cls: int, mask: Masks, front: Front, guide: Floats
    ) -> None:
        super().__init__(search.splits, cls, (len(search.alpha),))
        self.search, self.mask = search, mask
        self.front, self.guide = front, guide
        self.v = self.splits.n_columns
        self.is_pair = bool(self.table.level[cls] == PAIR)
        self.allowed, closed, walks = self.splits.allowed(cls)
        self.closed = np.stack([closed, closed])
        self.walks = np.flatnonzero(walks).tolist()
        self.sums = x, y, p, q = search.sums(mask[None])
        alpha, beta = search.alpha[:, None], search.beta[:, None]
        self.weight[:, : self.v] = alpha * x + beta * y
        self.weight[:, self.v :] = self.splits.pair_sums(self.weight)
        self.total_weight = alpha * p + beta * q

    def is_open(self, bounds: Floats) -> Flags:
        """Whether bounds of splits, float64[C, L], leave any of what is wanted open."""
        return np.asarray(self.search.open_step(bounds, self.front.points) >= 0)

    def bounds_of(self, way: int, splits: slice | Whole) -> Floats:
        """float64[C, L]: bounds of splits whose members go one way."""
        x, y = self._children_of(way)
        inside, outside = self.bound[INSIDE, x][:, splits], self.bound[OUTSIDE, y][:, splits]
        return np.ascontiguousarray((inside + outside + self.closed[way, splits]).T)

    def set_bounds(self, groups: list[int]) -> Floats:
        """float64[C, L]: bounds of all splits of sets."""
        return np.ascontiguousarray(self._set_bounds()[:, groups].T)

    def solve(self) -> None:
        """Find the front: splits by one column, then by two, then by more."""
        splits, v = self.splits, self.v
        larger = np.flatnonzero(splits.by_pairs | splits.by_walk)
        sets = [int(k) for k in larger if k in groups_of(self.table, self.cls)]
        if self.table.empty_ok[self.cls]:
            self._whole()
        self._solve(0, v, sets)
        self._columns_of(sets)
        self._propagate(chains=False)
        self._solve(v, splits.n, self.walks)
        for i, k in enumerate(self.walks):
            if self.is_open(self.set_bounds([k]))[0]:
                self._pend(partial(self._open_sets, self.walks[i:]))
                self._walk(k)

    def _pend(self, bounds: Callable[[], list[Floats]]) -> None:
        """At the root of the tree: what is open if the search is ended now."""
        if self.cls == self.search.encoding.classes[0]:
            self.search.pending = bounds

    def _open_sets(self, groups: list[int]) -> list[Floats]:
        return [self.set_bounds(groups)]

    def _whole(self) -> None:
        """All rows go to one child: a bound for all splits, too."""
        for way in range(self.h + 1):
            y = self._children_of(way)[1]
            for i in range(len(self.whole[y])):
                if self.is_open(self.whole[y][None])[0]:
                    costs = self._costs_on(i, y, self.mask[None], np.array([self._most(i) + 1]))
                    self.whole[y, i] = max(self.whole[y, i], costs[0])
            lower = np.stack([np.zeros_like(self.whole[y]), self.whole[y]])
            self._try(Choice(-1, bool(way), ()), np.zeros_like(self.mask), lower)

    # ------------------------------------------------------------ bounds

    def _solve(self, first: int, last: int, later: list[int]) -> None:
        """Try all splits that the bounds leave open.

        A split of two levels is tried as soon as its bounds are known: its front costs little more,
        and closes its neighbours.
        """
        part = slice(first, last)
        self._pend(lambda: [*(self.bounds_of(w, part) for w in self.ways), self.set_bounds(later)])
        while len(sharpened := self._sharpen(first, last)):
            if self.is_pair:
                self._try_open(sharpened)
            if first == 0:
                self._propagate(chains=True)
        self._try_open(np.arange(first, last))

    def _sharpen(self, first: int, last: int) -> Whole:
        """Raise the bounds of splits that are open; which these were.

        One multiplier of each split, the one that says most about the first open step; of its two
        sides the shallower or heavier first.
        """
        search, found = self.search, []
        part = slice(first, last)
        for way in self.ways:
            x, y = self._children_of(way)
            step = search.open_step(self.bounds_of(way, part), self.front.points)
            unknown = ~(self.exact[INSIDE, x, :, part] & self.exact[OUTSIDE, y, :, part])
            at = np.flatnonzero((step >= 0) & unknown.any(axis=0))
            if first == 0:
                at = at[self._middles(at)]
            fn = self.front.points[0, step[at] + 1] - 1
            least = (self.guide[:, None] - search.alpha[:, None] * fn) / search.beta[:, None]
            i = np.where(unknown[:, at], least, -np.inf).argmax(axis=0)
            at += first
            low, high = (self.table.level[self.children[c]] for c in (x, y))
            inner = np.full(len(at), low < high)
            if low == high:
                inner = 2 * self.weight[0, at] >= self.total_weight[0]
            inner &= ~self.exact[INSIDE, x, i, at]
            inner |= self.exact[OUTSIDE, y, i, at]
            side = np.where(inner, INSIDE, OUTSIDE)
            found.append(np.stack([i, side, np.where(inner, x, y), at]))
        chosen = np.concatenate(found, axis=1)
        self._evaluate(chosen)
        return np.unique(chosen[3])

    def _evaluate(self, chosen: Whole) -> None:
        """Optima of sides: multiplier, side, child and split, int64[4, C]."""
        shallow = self.table.level[np.array(self.children)[chosen[2]]] <= STUMP
        self._look_up(np.unique(chosen[3, shallow]))
        chosen = chosen[:, ~shallow]
        for i, side, x in np.unique(chosen[:3], axis=1).T.tolist():
            at = chosen[3, (chosen[:3].T == (i, side, x)).all(axis=1)]
            masks = self.splits.sides(self.mask, np.full(len(at), side), at)
            limits = self._most(i) + 1 - self.bound[1 - side, self.h - x, i, at]
            cost = self._costs_on(i, x, masks, limits)
            self.bound[side, x, i, at] = np.maximum(self.bound[side, x, i, at], cost)
            self.exact[side, x, i, at] = True

    def _look_up(self, splits: Whole) -> None:
        """Children of at most one level: both sides, with every multiplier at once."""
        for first in range(0, len(splits), BATCH):
            at = splits[first : first + BATCH]
            inside = self.search.sums(self.splits.masks(at) & self.mask)
            outside = self._others(inside)
            for x, child in enumerate(self.children[: self.h + 1]):
                if self.table.level[child] <= STUMP:
                    for side, sums in ((INSIDE, inside), (OUTSIDE, outside)):
                        self.bound[side, x][:, at] = self.search.shallow_bounds(child, sums).T
                    self.exact[:, x][:, :, at] = True

    def _others(self, sums: Sums) -> Sums:
        """The sums of the node's other rows."""
        return tuple(whole - part for whole, part in zip(self.sums, sums, strict=True))

    def _costs_on(self, i: int, x: int, masks: Masks, limits: Floats) -> Floats:
        """Weighted costs of a child on row sets; optima below the limits."""
        search, child = self.search, self.children[x]
        if self.table.level[child] <= STUMP:
            return search.shallow_bounds(child, search.sums(masks))[:, i]
        return search.bounds_on(i, child, masks, limits)

    def _most(self, i: int) -> float:
        """The largest weighted cost of a wanted point."""
        x, y = self.front.points[0, 1:] - 1, self.front.points[1, :-1] - 1
        return float((self.search.alpha[i] * x + self.search.beta[i] * y).max(initial=0.0))

    def _columns_of(self, sets: list[int]) -> None:
        """Solve the children on the columns of sets that are still open.

        Each column of a set costs at least its own best, whichever way it goes.
        """
        for i in range(len(self.search.alpha)):
            sets = [k for k in sets if self.is_open(self.set_bounds([k]))[0]]
            columns = np.flatnonzero(np.isin(self.table.group, sets))
            columns = columns[~self.exact[:, :, i, columns].all(axis=(0, 1))]
            if not len(columns):
                continue
            for x in range(self.h + 1):
                for side in (INSIDE, OUTSIDE):
                    at = columns[~self.exact[side, x, i, columns]]
                    given = np.repeat([[i], [side], [x]], len(at), axis=1)
                    self._evaluate(np.concatenate([given, at[None]]))
            self._propagate(chains=True)

    # ------------------------------------------------------------ fronts

    def _try_open(self, splits: Whole) -> None:
        """Try those of some splits that are open, the most promising first."""
        bounds = [self.bounds_of(way, splits) for way in self.ways]
        open_ = [(way, at) for way in self.ways for at in np.flatnonzero(self.is_open(bounds[way]))]
        for way, at in sorted(open_, key=lambda each: bounds[each[0]][each[1]].sum()):
            x, y = self._children_of(way)
            split = int(splits[at])
            lower = np.stack([self.bound[INSIDE, x, :, split], self.bound[OUTSIDE, y, :, split]])
            inner = self.splits.masks(splits[at : at + 1])[0] & self.mask
            columns = self.splits.columns(split)
            self._try(Choice(int(self.splits.group[split]), bool(way), columns), inner, lower)
            self.closed[way, split] = np.inf

    def _try(self, choice: Choice, inner: Masks, lower: Floats) -> None:
        """Put the fronts of a split's children together, if its bounds allow.

        `inner` are the members' rows; `lower`, float64[2, L], bounds them and the others.
        """
        front = self.front
        if not self.is_open(lower.sum(axis=0)[None])[0]:
            return
        find = self._stump_fronts if self.is_pair else self._deeper_fronts
        fronts = find(int(choice.to_high), inner, lower)
        if fronts is None:
            return
        low, high = fronts[::-1] if choice.to_high else fronts
        if front.combine(low.found, high.found, len(front.sources)):
            front.sources.append(Joined(choice, low, high))
            if self.cls == self.search.encoding.classes[0]:
                self.search.tighten(front)

    def _stump_fronts(self, to_high: int, inner: Masks, _: Floats) -> tuple[Front, Front] | None:
        """The fronts of the members and of the other rows; None if nothing is wanted of them."""
        search, (low, high) = self.search, self.children
        sums = search.sums(inner[None])
        members = search.stump_front((low, high)[to_high], sums, self.front.box)
        if not members.points.size:
            return None
        box = self.front.box - members.points[:2].min(axis=1)
        return members, search.stump_front((high, low)[to_high], self._others(sums), box)

    def _deeper_fronts(
        self, to_high: int, inner: Masks, lower: Floats
    ) -> tuple[Front, Front] | None:
        """The same where a child has decisions below its own: the bounds say what is wanted."""
        search, points, (low, high) = self.search, self.front.points, self.children
        wanted = needed(points, floor_of(lower[1], search.alpha, search.beta, points[0, -1] - 1))
        if wanted is None:
            return None
        members = search.front((low, high)[to_high], inner, wanted, lower[0])
        wanted = needed(points, members.found)
        if wanted is None:
            return None
        return members, search.front((high, low)[to_high], self.mask & ~inner, wanted, lower[1])

    # ------------------------------------------------------------ larger subsets

    def _walk(self, k: int) -> None:
        """Walk over the larger subsets of a set."""
        at = slice(int(self.table.start[k]), int(self.table.start[k + 1]))
        masks = self.splits.column_masks(np.arange(at.start, at.stop)) & self.mask
        low, high = (self.bound[INSIDE, x, :, at].T for x in (0, self.h))
        sides = Sides(self.table, self.cls, k, self.weight[0, at], masks, low, high)
        walk(sides, Wanted(self.is_open, self._raise_costs, self._take))

    def _raise_costs(self, x: int, masks: Masks, own: Floats, rest: Floats) -> Floats:
        """One multiplier after the other, while the split is open (see `Wanted`)."""
        x, own = x * self.h, own.copy()
        if self.table.level[self.children[x]] <= STUMP:
            return self.search.shallow_bounds(self.children[x], self.search.sums(masks))
        for i in range(own.shape[1]):
            at = np.flatnonzero(self.is_open(own + rest))
            if not len(at):
                break
            cost = self._costs_on(i, x, masks[at], self._most(i) + 1 - rest[at, i])
            own[at, i] = np.maximum(own[at, i], cost)
        return own

    def _take(self, nodes: Nodes, split_of: Callable[[int], Choice]) -> None:
        """Whole subsets."""
        for i in range(len(nodes.is_high)):
            choice = split_of(i)
            inner = nodes.masks[1 if choice.to_high else 0][i]
            low, high = nodes.cost[0][i], nodes.cost[1][i]
            lower = np.stack([high, low] if choice.to_high else [low, high])
            self._try(choice, inner, lower)
