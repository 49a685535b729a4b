"""Fronts: for a set of rows, every undominated pair of false negatives and false positives.

Weighted lower bounds exclude splits: if all trees of a split have alpha FN + beta FP >= LB, none of
them reaches a point with alpha FN + beta FP < LB. A staircase of points (see front_kernels.py)
limits what is wanted: only trees below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solution import Assignment
from odt_core.solvers.search import loader
from odt_core.solvers.search.columns import PAIR, STUMP, Encoding, runs_of
from odt_core.solvers.search.row_sets import Flags, Floats, Masks, Whole, unpack
from odt_core.solvers.search.search import Search, Stopped, Sums, count_sums
from odt_core.solvers.search.splits import INSIDE, OUTSIDE, Bounds, Splits
from odt_core.solvers.search.subsets import Nodes, Wanted, walk
from odt_core.solvers.search.subtrees import Subtree

MULTIPLIERS = ((1, 1), (1, 2), (2, 1), (1, 4), (4, 1), (1, 10), (10, 1))
"""Costs of a false negative and a false positive in the weighted bounds."""
NOTHING = np.zeros((2, 1))
"""The front of no rows."""
BATCH = 256
"""Splits that are looked up together."""
STEPS = 64
"""Most steps of the staircase of a lower bound."""


@dataclass(eq=False)
class Front:
    """Wanted points and found points, with the splits or trees that reach them."""

    points: Floats  # [5, n]: see front_kernels.py
    # what reaches each point, by the number in `points`; leaf-adjacent splits are not kept
    sources: list[Joined | Assignment | None] = field(default_factory=list)

    @property
    def box(self) -> Floats:
        """float64[2]: the most false negatives and positives that are wanted."""
        return np.array([self.points[0, -1], self.points[1, 0]]) - 1

    @property
    def found(self) -> Floats:
        """float64[2, n]: the points that trees reach."""
        return np.ascontiguousarray(self.points[:2, self.points[2] >= 0])

    def insert(self, points: Floats, source: Assignment | None) -> None:
        """Insert those points that no point of the front dominates, and what reaches them."""
        self.combine(points, NOTHING, len(self.sources))
        self.sources.append(source)

    def limit(self, points: Floats) -> None:
        """From now on, only points below these are wanted."""
        self.combine(points, NOTHING, -1)

    def combine(self, low: Floats, high: Floats, split: int) -> bool:
        """Insert the sums of two fronts' points. Returns whether any of them was wanted."""
        before = self.points
        points, n = loader.primitives().combine(
            low, low.shape[1], high, high.shape[1], before, before.shape[1], split
        )
        self.points = np.ascontiguousarray(points[:, :n])
        return bool((self.points[2] == split).any())


class Joined(NamedTuple):
    """A subtree with the fronts of its children."""

    subtree: Subtree
    low: Front
    high: Front


def staircase(corners: Floats) -> Floats:
    """The wanted front whose largest wanted points are `corners`, float64[2, n]."""
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
    """The staircase wanted of a child if the other child's front is nowhere below `floor`."""
    corners = np.stack([wanted[0, 1:] - 1, wanted[1, :-1] - 1])
    both = (corners[:, :, None] - floor[:2, None, :]).reshape(2, -1)
    both = both[:, (both >= 0).all(axis=0)]
    return staircase(both) if both.shape[1] else None


def floor_of(bounds: Floats, alpha: Floats, beta: Floats, most: float) -> Floats:
    """Points, float64[2, n], that a front with weighted bounds ``[L]`` is nowhere below."""
    step = max(int(most) // STEPS, 0) + 1
    first = np.arange(0.0, most + 1, step)
    last = first + step - 1
    points = np.stack([first, fewest_fp(bounds, alpha, beta, last)])
    keep = np.ones(len(first), np.bool_)
    keep[1:] = points[1, 1:] < points[1, :-1]
    return points[:, keep]


def fewest_fp(bounds: npt.NDArray, alpha: npt.NDArray, beta: npt.NDArray, fn: npt.NDArray) -> Any:
    """Fewest false positives that bounds ``alpha FN + beta FP >= bound`` allow for each `fn`.

    All are whole numbers. `bounds`, `alpha` and `beta` are vectors ``[L]``.
    """
    fewest = -((alpha[:, None] * fn - bounds[:, None]) // beta[:, None])
    return fewest.max(axis=0, initial=0)


# ---------------------------------------------------------------- the search


class FrontSearch:
    """Fronts of the families of one problem, with weighted bounds for the L multipliers."""

    def __init__(
        self,
        encoding: Encoding,  # see `encode_fronts`
        halt: Whole,  # set to end the search, which then raises `Stopped`
        tighten: Callable[[Front], None] = lambda front: None,  # receives better fronts of the root
        multipliers: tuple[tuple[int, int], ...] = MULTIPLIERS,
    ) -> None:
        self.encoding, self.halt, self.tighten = encoding, halt, tighten
        self.table = table = encoding.table
        self.multipliers = multipliers
        self.alpha, self.beta = np.array(multipliers, np.float64).T.copy()
        self.positive, self.negative = self.encoding.positive, self.encoding.negative
        self.splits = Splits.of(table)
        self.base = np.minimum(
            self.alpha * self.positive[:, None], self.beta * self.negative[:, None]
        )
        self.leaf = leaf_rule(self.encoding)
        self.runs = [runs_of(table, family) for family in range(len(table.level))]
        self.root: Node | None = None  # the root of the tree, once its splits are tried

    @cached_property
    def searches(self) -> list[Search]:
        """A weighted search for each multiplier.

        These searches ignore the smallest leaf. Their bounds hold with it as well.
        """
        free = replace(self.encoding, smallest=0)
        return [Search(free.with_costs(a, b), self.halt) for a, b in self.multipliers]

    def fill(self, front: Front, family: int, mask: Masks, guide: Floats) -> Front:
        """Insert the points that a family reaches on some rows into a front.

        `guide`, float64[L], bounds the weighted costs from below. It decides what is tried first.
        """
        self.check()
        if self.table.level[family] > STUMP:
            Node(self, family, mask, front, guide).solve()
        else:
            front.insert(self.stump_front(family, self.sums(mask[None]), front.box).found, None)
        return front

    def stump_front(self, family: int, sums: Sums, box: Floats) -> Front:
        """The front of a family of at most one level on one row set, within a box."""
        P, N, PT, NT = sums
        out, n = loader.primitives().stump_front(
            P[0], N[0], PT[0], NT[0], self.runs[family], bool(self.table.empty_ok[family]),
            self.leaf, box, np.empty((2, 64)),
        )  # fmt: skip
        points = np.zeros((5, n))
        points[:2] = out[:, :n]
        return Front(points)

    def check(self) -> None:
        """Raise `Stopped` if the search is to end."""
        if self.halt[0]:
            raise Stopped

    def sums(self, masks: Masks) -> Sums:
        """Positive and negative weights of row sets."""
        return count_sums(self.table, masks, self.positive, self.negative, self.check)

    def shallow_bounds(self, family: int, sums: Sums) -> Floats:
        """float64[B, L]: weighted bounds of a family of at most one level on row sets."""
        P, N, PT, NT = sums
        out = np.empty((len(PT), len(self.alpha)))
        for i, (a, b) in enumerate(zip(self.alpha, self.beta, strict=True)):
            given = (b * N - a * P).T, b * NT - a * PT, a * PT
            out[:, i] = loader.primitives().leaf_costs(self.table, family, *given)
        return out

    def bounds_on(self, i: int, family: int, masks: Masks, limits: Floats) -> Floats:
        """Weighted bounds of a family on row sets for a multiplier: optima if below the limits."""
        if self.table.level[family] <= STUMP:
            return self.shallow_bounds(family, self.sums(masks))[:, i]
        base = unpack(masks, len(self.base)) @ self.base[:, i]
        answer = self.searches[i].solve(family, masks, limits - base, [-1] * len(masks))
        return np.asarray(answer.cost + base)

    def open_step(self, bounds: Floats, wanted: Floats) -> Whole:
        """The first step of the staircase that the bounds of each split leave open, or -1."""
        found = np.empty(len(bounds), np.int64)
        loader.primitives().first_open(
            np.ascontiguousarray(bounds), self.alpha, self.beta, wanted, found
        )
        return found


def leaf_rule(encoding: Encoding) -> Floats:
    """The smallest leaf: a leaf with rows needs ``leaf[0] p + leaf[1] q >= leaf[2]``."""
    if not encoding.smallest:
        return np.zeros(3)
    size, p, q = encoding.size, encoding.positive, encoding.negative
    by = [x for x in ((1, 1), (1, 0), (0, 1)) if (size == x[0] * p + x[1] * q).all()]
    return np.array([*by[0], encoding.smallest], np.float64)


# ---------------------------------------------------------------- roots of subtrees


class Node(Bounds):
    """The root of a family of two or more levels on a set of rows.

    Each of its bounds is a vector with one number for each of L multipliers.
    """

    def __init__(
        self, search: FrontSearch, family: int, mask: Masks, front: Front, guide: Floats
    ) -> None:
        super().__init__(search.splits, family, (len(search.alpha),))
        self.search, self.mask = search, mask
        self.front, self.guide = front, guide
        self.v = self.splits.n_columns
        self.is_pair = bool(self.table.level[family] == PAIR)
        self.sums = x, y, p, q = search.sums(mask[None])
        alpha, beta = search.alpha[:, None], search.beta[:, None]
        self.weight[:] = self.splits.sums(alpha * x + beta * y)
        self.total_weight = alpha * p + beta * q

    def is_open(self, bounds: Floats) -> Flags:
        """Whether bounds of splits, float64[C, L], leave a wanted point open."""
        return np.asarray(self.search.open_step(bounds, self.front.points) >= 0)

    def bounds_of(self, way: int, splits: slice | Whole) -> Floats:
        """float64[C, L]: bounds of splits whose members go to the low (0) or high child (1)."""
        x, y = self._children_of(way)
        inside, outside = self.bound[INSIDE, x][:, splits], self.bound[OUTSIDE, y][:, splits]
        return np.asarray((inside + outside + self.closed[way, splits]).T)

    def solve(self) -> None:
        """Find the front: try splits by one column, then by two, then by more."""
        if self.table.empty_ok[self.family]:
            self._whole()
        if self.family == self.search.encoding.families[0]:
            self.search.root = self
        self._solve(0, self.v)
        self._propagate(chains=False)
        self._solve(self.v, self.splits.n)
        while len(self.walks):
            if self.is_open(self._set_bounds()[:, self.walks[:1]].T)[0]:
                wanted = Wanted(self.is_open, self._raise_costs, self._take)
                walk(self._sides_of(int(self.walks[0]), self.mask), wanted)
            self.walks = self.walks[1:]

    def open_bounds(self) -> Floats:
        """float64[C, L]: bounds of the splits that may still reach a wanted point."""
        bounds = self._bounds_of_all().T
        return np.asarray(bounds[self.is_open(bounds)])

    def _whole(self) -> None:
        """Try trees with an empty branch: one child gets all rows. Their costs bound all splits."""
        for way in range(self.h + 1):
            y = self._children_of(way)[1]
            for i in range(len(self.whole[y])):
                if self.is_open(self.whole[y][None])[0]:
                    limit, child = np.array([self._most(i) + 1]), self.children[y]
                    cost = self.search.bounds_on(i, child, self.mask[None], limit)[0]
                    self.whole[y, i] = max(self.whole[y, i], cost)
            lower = np.stack([np.zeros_like(self.whole[y]), self.whole[y]])
            self._try(Subtree(-1, bool(way), ()), np.zeros_like(self.mask), lower)

    # ------------------------------------------------------------ bounds

    def _solve(self, first: int, last: int) -> None:
        """Try all splits that the bounds leave open.

        If there are two levels, a split is tried as soon as its bounds are known: its front costs
        little more than the bounds and closes its neighbours.
        """
        while len(sharpened := self._sharpen(first, last)):
            if self.is_pair:
                self._try_open(sharpened)
            if first == 0:
                self._propagate(chains=True)
        self._try_open(np.arange(first, last))

    def _sharpen(self, first: int, last: int) -> Whole:
        """Raise the bounds of open splits. Returns these splits.

        It solves one side of each split with one multiplier: the side of the shallower child or the
        heavier side, and the multiplier that bounds the first open step best.
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
            inner = self._inside_is_next(x, y, i, at)
            side = np.where(inner, INSIDE, OUTSIDE)
            found.append(np.stack([i, side, np.where(inner, x, y), at]))
        chosen = np.concatenate(found, axis=1)
        self._evaluate(chosen)
        return np.unique(chosen[3])

    def _evaluate(self, chosen: Whole) -> None:
        """Solve sides, int64[4, C]: multiplier, side, child and split."""
        shallow = self.table.level[np.array(self.children)[chosen[2]]] <= STUMP
        self._look_up(np.unique(chosen[3, shallow]))
        chosen = chosen[:, ~shallow]
        for i, side, x in np.unique(chosen[:3], axis=1).T.tolist():
            at = chosen[3, (chosen[:3].T == (i, side, x)).all(axis=1)]
            masks = self.splits.sides(self.mask, np.full(len(at), side), at)
            limits = self._most(i) + 1 - self.bound[1 - side, self.h - x, i, at]
            cost = self.search.bounds_on(i, self.children[x], masks, limits)
            self.bound[side, x, i, at] = np.maximum(self.bound[side, x, i, at], cost)
            self.exact[side, x, i, at] = True

    def _look_up(self, splits: Whole) -> None:
        """Solve children of at most one level on both sides, for all multipliers at once."""
        for first in range(0, len(splits), BATCH):
            self.search.check()
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
        P, N, p, n = (whole - part for whole, part in zip(self.sums, sums, strict=True))
        return P, N, p, n

    def _most(self, i: int) -> float:
        """The largest weighted cost of a wanted point."""
        x, y = self.front.points[0, 1:] - 1, self.front.points[1, :-1] - 1
        return float((self.search.alpha[i] * x + self.search.beta[i] * y).max(initial=0.0))

    # ------------------------------------------------------------ fronts

    def _try_open(self, splits: Whole) -> None:
        """Try some splits if they are open, the most promising first."""
        bounds = [self.bounds_of(way, splits) for way in self.ways]
        open_ = [(way, at) for way in self.ways for at in np.flatnonzero(self.is_open(bounds[way]))]
        for way, at in sorted(open_, key=lambda each: bounds[each[0]][each[1]].sum()):
            x, y = self._children_of(way)
            split = int(splits[at])
            lower = np.stack([self.bound[INSIDE, x, :, split], self.bound[OUTSIDE, y, :, split]])
            inner = self.splits.masks(splits[at : at + 1])[0] & self.mask
            self._try(self.splits.subtree(split, way), inner, lower)
            self.closed[way, split] = np.inf

    def _try(self, subtree: Subtree, inner: Masks, lower: Floats) -> None:
        """Insert the points of a split unless its bounds exclude it.

        `inner` are the members' rows. `lower`, float64[2, L], has the bounds of the members' rows
        and of the other rows.
        """
        self.search.check()
        front = self.front
        if not self.is_open(lower.sum(axis=0)[None])[0]:
            return
        find = self._stump_fronts if self.is_pair else self._deeper_fronts
        fronts = find(int(subtree.to_high), inner, lower)
        if fronts is None:
            return
        low, high = fronts[::-1] if subtree.to_high else fronts
        if front.combine(low.found, high.found, len(front.sources)):
            front.sources.append(Joined(subtree, low, high))
            if self.family == self.search.encoding.families[0]:
                self.search.tighten(front)

    def _stump_fronts(self, to_high: int, inner: Masks, _: Floats) -> tuple[Front, Front] | None:
        """The fronts of the members' rows and of the other rows; None if no point is wanted."""
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
        """The two fronts if the children are deeper. Their bounds limit what is wanted."""
        search, points, (low, high) = self.search, self.front.points, self.children
        wanted = needed(points, floor_of(lower[1], search.alpha, search.beta, points[0, -1] - 1))
        if wanted is None:
            return None
        members = search.fill(Front(wanted), (low, high)[to_high], inner, lower[0])
        wanted = needed(points, members.found)
        if wanted is None:
            return None
        other, rest = (high, low)[to_high], self.mask & ~inner
        return members, search.fill(Front(wanted), other, rest, lower[1])

    # ------------------------------------------------------------ larger subsets

    def _raise_costs(self, x: int, masks: Masks, own: Floats, rest: Floats) -> Floats:
        """Raise the costs of a child for one multiplier after the other while a split is open."""
        self.search.check()
        x, own = x * self.h, own.copy()
        if self.table.level[self.children[x]] <= STUMP:
            return self.search.shallow_bounds(self.children[x], self.search.sums(masks))
        for i in range(own.shape[1]):
            at = np.flatnonzero(self.is_open(own + rest))
            if not len(at):
                break
            limits = self._most(i) + 1 - rest[at, i]
            cost = self.search.bounds_on(i, self.children[x], masks[at], limits)
            own[at, i] = np.maximum(own[at, i], cost)
        return own

    def _take(self, nodes: Nodes, split_of: Callable[[int], Subtree]) -> None:
        """Try complete subsets."""
        for i in range(len(nodes.is_high)):
            subtree = split_of(i)
            inner = nodes.masks[1 if subtree.to_high else 0][i]
            low, high = nodes.cost[0][i], nodes.cost[1][i]
            lower = np.stack([high, low] if subtree.to_high else [low, high])
            self._try(subtree, inner, lower)
