"""Fronts: for a set of rows, every undominated pair of false negatives and false positives.

From the root down, splits are skipped that weighted lower bounds exclude: where a tree costs at
least LB = min(alpha FN + beta FP), it reaches no point with alpha FN + beta FP < LB. What is wanted
of a front is a staircase of points (see front_kernels.py); a tree must get below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem
from odt_core.solvers.search import loader
from odt_core.solvers.search.choices import Choice
from odt_core.solvers.search.columns import (
    ANY,
    PAIR,
    STUMP,
    Columns,
    Encoding,
    Masks,
    encode_fronts,
    runs_of,
    unpack,
)
from odt_core.solvers.search.front_twins import FIXED, LEAF, MAY, MUST
from odt_core.solvers.search.search import Search, Stopped
from odt_core.solvers.search.splits import INSIDE, OUTSIDE, Bounds, Splits
from odt_core.solvers.search.subsets import Nodes, Sides, Split, Wanted, walk

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Sums = tuple[Floats, ...]
"""Four: positive and negative weight of row sets in each column ``[B, V]``, and in all ``[B]``."""

BATCH = 64
"""With more splits open, of neighbouring thresholds only the middle one is looked at."""
STEPS = 64
"""Steps of the staircase that stands for a lower bound."""


@dataclass(eq=False)
class Front:
    """The points that were wanted and found, and how each is reached.

    Attributes
    ----------
    points : float64[5, n]
        See front_kernels.py.
    splits : list of (int, callable)
        For runs of split numbers: the first one, and what gives the split of a number in the run.
    size : int
        How many splits are numbered.
    below : dict
        For a split of more than two levels: the fronts of its low and high child.
    """

    points: Floats
    splits: list[tuple[int, Callable[[int], Choice]]] = field(default_factory=list)
    below: dict[int, tuple[Front, Front]] = field(default_factory=dict)

    size: int = 0

    def add(self, n: int, read: Callable[[int], Choice]) -> int:
        """Number n more splits; the first number."""
        first = self.size
        self.splits.append((first, read))
        self.size += n
        return first

    def choice(self, number: int) -> Choice:
        """The split of a number."""
        first, read = next(run for run in reversed(self.splits) if run[0] <= number)
        return read(number - first)

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
        self.runs = [_runs(table, cls) for cls in range(len(table.level))]
        self.mode = [_mode(table, cls) for cls in range(len(table.level))]
        self.pending: Callable[[], list[Floats]] = lambda: [np.zeros(len(self.alpha))]

    @cached_property
    def searches(self) -> list[Search]:
        """A weighted search for each multiplier.

        Its trees may have small leaves; its bounds hold for the others, too.
        """
        return [Search(self.encoding.with_costs(a, b), self.halt) for a, b in self.multipliers]

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
        level = int(self.table.level[cls])
        if level > STUMP:
            Node(self, cls, mask, front, guide).solve()
            return
        P, N, PT, NT = self.sums(mask[None])
        box = np.array([front.points[0, -1], front.points[1, 0]]) - 1
        out, n = loader.primitives().stump_front(
            P[0], N[0], PT[0], NT[0], self.runs[cls], self.mode[cls], self.encoding.leaf, box,
            np.empty((2, 64)),
        )  # fmt: skip
        front.merge(np.ascontiguousarray(out[:, :n]), 0)

    def check(self) -> None:
        """Raise `Stopped` if the search is to end."""
        if self.halt[0]:
            raise Stopped

    def sums(self, masks: Masks) -> Sums:
        """Weights of row sets."""
        n, v = len(masks), len(self.table.group)
        P, N, PT, NT = np.empty((n, v)), np.empty((n, v)), np.empty(n), np.empty(n)
        weigh = loader.primitives().weigh
        for b, mask in enumerate(masks):
            PT[b] = weigh(self.table, self.positive, mask, P[b])
            NT[b] = weigh(self.table, self.negative, mask, N[b])
        return P, N, PT, NT

    def pair_sums(self, mask: Masks) -> Sums:
        """Weights of the rows of a set that are in each column, by column; and of the whole set.

        Returns
        -------
        P, N, PT, NT : float64[V, V], float64[V, V], float64[V], float64[V]
        totals : float64[2]
        """
        v = len(self.table.group)
        found: list[Floats] = []
        totals = []
        for weight in (self.positive, self.negative):
            F, D, P = np.empty((v, v)), np.empty(v), np.empty(v)
            table = self.table._replace(d=weight)
            totals.append(loader.primitives().count_pairs(table, mask, F, D, P, self.halt)[0])
            found += F, D
        self.check()
        return found[0], found[2], found[1], found[3], np.array(totals)

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


def _runs(table: Columns, cls: int) -> Whole:
    """The runs of columns of a class for the primitives."""
    runs = [
        (0 if take == ANY and arity > 2 else arity, s, e)
        for take, s, e, arity in runs_of(table, cls)
    ]
    return np.array(runs, np.int64).reshape(-1, 3)


def _mode(table: Columns, cls: int) -> int:
    if table.level[cls] == 0:
        return LEAF
    if table.one_way[cls]:
        return FIXED
    return MAY if table.empty_ok[cls] else MUST


# ---------------------------------------------------------------- roots of subtrees


class Node(Bounds):
    """A set of rows that the root of a class of two or more levels splits.

    The bounds are those of the weighted problems, one for each of L multipliers. The loop is that
    of loop.py for a front instead of one cost: carry bounds on, solve sides of open splits, one
    multiplier at a time; what no multiplier excludes is tried.

    Attributes
    ----------
    front : Front
        What is wanted, and found.
    guide : float64[L]
        How low the weighted costs get.
    sums : arrays or None
        What `FrontSearch.pair_sums` gives, if a child is read off it.
    begun : int
        The first split of those that are being tried, or still to try.
    waiting : bool[K]
        The sets whose larger subsets are still to try.
    """

    def __init__(
        self, search: FrontSearch, cls: int, mask: Masks, front: Front, guide: Floats
    ) -> None:
        super().__init__(search.splits, cls, len(search.alpha))
        self.search, self.mask, self.front, self.guide = search, mask, front, guide
        weighted, v = search.searches[0], self.splits.n_columns
        self.counted = bool(self.table.level[cls] == PAIR)
        _, closed, waiting = weighted.allowed(cls)
        self.closed, self.waiting, self.begun = np.stack([closed, closed]), waiting.copy(), 0
        self.sums: Sums | None = None
        shallow = [x for x in range(self.h + 1) if self.table.level[self.children[x]] <= STUMP]
        if shallow and not weighted.by_sweeps:
            self.sums = search.pair_sums(mask)
            self.X, self.Y, self.totals = self.sums[2:]
        else:
            P, N, PT, NT = search.sums(mask[None])
            self.X, self.Y, self.totals = P[0], N[0], np.array([PT[0], NT[0]])
        alpha, beta = search.alpha[:, None], search.beta[:, None]
        self.weight[:, :v] = alpha * self.X + beta * self.Y
        self.weight[:, v:] = self.splits.pair_sums(self.weight)
        self.total_weight = alpha * self.totals[0] + beta * self.totals[1]
        if self.sums is not None:
            for x in shallow:
                self._look_up(x, *self.sums[:2])

    def _look_up(self, x: int, P: Floats, N: Floats) -> None:
        """A child of at most one level: what it costs on both sides of every split.

        Where both children are such, of pairs their columns' bounds will do.
        """
        splits = self.splits
        n = splits.n_columns if self.counted else splits.n
        for i, (a, b) in enumerate(zip(self.search.alpha, self.search.beta, strict=True)):
            d, positive = self.totals @ (-a, b), self.totals[0] * a
            loader.primitives().shallow_sides(
                self.table, self.children[x], b * N - a * P, b * self.Y - a * self.X, a * self.X,
                np.array([d, positive]), splits.first[:n], splits.second[:n],
                self.bound[INSIDE, x, i, :n], self.bound[OUTSIDE, x, i, :n],
            )  # fmt: skip
        self.exact[:, x] = True

    def solve(self) -> None:
        """Find the front: splits by one column, then by two, then by more."""
        v, n = self.splits.n_columns, self.splits.n
        if self.table.empty_ok[self.cls]:
            self._one_sided()
        if self.cls == self.search.encoding.classes[0]:
            self.search.pending = self._pending
        self._sharpen(0, v)
        self._try_open(0, v)
        self.begun = v
        if v < n or self.waiting.any():
            self._solve_columns()
            self._sharpen(v, n)
            self._try_open(v, n)
            self.begun = n
            self._walks()

    def _pending(self) -> list[Floats]:
        """Weighted bounds of what was not tried yet."""
        pending = [self._bounds(way, self.begun, self.splits.n) for way in self.ways]
        return [*pending, self._set_bounds()[:, self.waiting].T]

    def _is_open(self, bounds: Floats) -> Flags:
        """Whether bounds of splits, float64[C, L], leave any of what is wanted open."""
        return np.asarray(self.search.open_step(bounds, self.front.points) >= 0)

    def _bounds(self, way: int, first: int, last: int) -> Floats:
        """float64[C, L]: bounds of some splits whose members go one way."""
        x, y = self._children_of(way)
        cost = self.bound[INSIDE, x, :, first:last] + self.bound[OUTSIDE, y, :, first:last]
        np.maximum(cost, self._set_bounds()[:, self.splits.group[first:last]], out=cost)
        return (cost + self.closed[way, first:last]).T

    def _most(self, i: int) -> float:
        """The largest weighted cost of a wanted point."""
        x, y = self.front.points[0, 1:] - 1, self.front.points[1, :-1] - 1
        return float((self.search.alpha[i] * x + self.search.beta[i] * y).max(initial=0.0))

    def _rows(self, splits: Whole, side: int) -> Masks:
        """The rows on a side of splits."""
        masks = self.splits.masks(splits)
        return np.asarray(self.mask & (masks if side == INSIDE else ~masks))

    # ------------------------------------------------------------ sharpening

    def _sharpen(self, first: int, last: int) -> None:
        """Raise the bounds of splits until each is excluded or all its bounds are optima."""
        todo = True
        while todo:
            self._propagate(chains=first == 0)
            found = [self._raise_bounds(way, first, last) for way in self.ways]
            todo = any(found)

    def _raise_bounds(self, way: int, first: int, last: int) -> bool:
        """Solve a side of each open split, if there are any.

        For the multiplier that says most about the first open step; the heavier side first.
        """
        search, points = self.search, self.front.points
        step = search.open_step(self._bounds(way, first, last), points)
        x, y = self._children_of(way)
        exact = np.stack([self.exact[INSIDE, x], self.exact[OUTSIDE, y]])[..., first:last]
        unknown = ~np.asarray(exact.all(axis=0).T)
        at = np.flatnonzero((step >= 0) & unknown.any(axis=1))
        if first == 0 and len(at) > BATCH:
            at = at[self._middles(at)]
        if self.counted:
            self._count_some(way, first + at[:BATCH])
            return bool(len(at))
        fn = points[0, step[at] + 1] - 1
        least = (self.guide - search.alpha * fn[:, None]) / search.beta
        i = np.where(unknown[at], least, -np.inf).argmax(axis=1)
        total = np.asarray(self.total_weight)[i, 0]
        heavy = np.where(2 * self.weight[i, first + at] < total, OUTSIDE, INSIDE)
        side = np.where(exact[heavy, i, at], 1 - heavy, heavy)
        key = 2 * i + side
        for each in np.unique(key).tolist():
            self._evaluate(way, each // 2, each % 2, first + at[key == each])
        return bool(len(at))

    def _count_some(self, way: int, splits: Whole) -> None:
        """Bounds and fronts of splits, whose points soon exclude others."""
        for i in range(len(self.guide)):
            for side in (INSIDE, OUTSIDE):
                self._evaluate(way, i, side, splits)
        to_high = np.full(len(splits), way)
        bounds = np.ascontiguousarray(self._bounds(way, 0, self.splits.n)[splits])
        self._count(to_high, bounds, self._reader(to_high, splits), splits)
        self.closed[way, splits] = np.inf

    def _evaluate(self, way: int, i: int, side: int, splits: Whole) -> None:
        """Optima of one side of each split, for one multiplier."""
        children = self._children_of(way)
        x, y = children[side], children[1 - side]
        limits = self._most(i) + 1 - self.bound[1 - side, y, i, splits]
        masks = self._rows(splits, side)
        cost = self.search.bounds_on(i, self.children[x], masks, limits)
        self.bound[side, x, i, splits] = np.maximum(self.bound[side, x, i, splits], cost)
        self.exact[side, x, i, splits] = True

    def _raise_costs(self, x: int, masks: Masks, own: Floats, rest: Floats) -> Floats:
        """Better bounds of the low (0) or high child (1) on row sets: float64[B, L].

        One multiplier after the other, while what the others cost at least leaves them open.
        """
        own, child = own.copy(), self.children[x * self.h]
        for i in range(own.shape[1]):
            at = np.flatnonzero(self._is_open(own + rest))
            if not len(at):
                break
            cost = self.search.bounds_on(i, child, masks[at], self._most(i) + 1 - rest[at, i])
            own[at, i] = np.maximum(own[at, i], cost)
        return own

    def _solve_columns(self) -> None:
        """Both sides of the columns of sets that are still open."""
        several = self.splits.by_pairs | self.splits.by_walk
        columns = np.flatnonzero(several[self.table.group])
        columns = columns[self.closed[:, columns].max(axis=0) == 0]
        for i in range(len(self.guide)):
            self._propagate(chains=False)
            open_ = self._is_open(self._set_bounds().T)
            columns = columns[open_[self.table.group[columns]]]
            for way in self.ways:
                for side, x in enumerate(self._children_of(way)):
                    todo = columns[~self.exact[side, x, i, columns]]
                    if len(todo):
                        self._evaluate(way, i, side, todo)

    # ------------------------------------------------------------ trying

    def _try_open(self, first: int, last: int) -> None:
        """Try the splits that the bounds leave open, the most promising first."""
        found = []
        for way in self.ways:
            bounds = self._bounds(way, first, last)
            at = np.flatnonzero(self._is_open(bounds))
            found.append((np.full(len(at), way), first + at, bounds[at]))
        to_high, split, bounds = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(bounds.sum(axis=1), kind="stable")
        to_high, split, bounds = to_high[order], split[order], bounds[order]
        if self.counted:
            self._count(to_high, bounds, self._reader(to_high, split), split)
            return
        for way, s in zip(to_high.tolist(), split.tolist(), strict=True):
            self._try(way, s)

    def _reader(self, to_high: Whole, splits: Whole) -> Callable[[int], Choice]:
        """What gives the choice of a split by its place in a list."""
        group, columns = self.splits.group, self.splits.columns
        return lambda i: Choice(int(group[splits[i]]), bool(to_high[i]), columns(int(splits[i])))

    def _count(
        self, to_high: Whole, bounds: Floats, read: Callable[[int], Choice],
        splits: Whole | None = None, members: Masks | None = None,
    ) -> None:  # fmt: skip
        """Put the fronts of splits into ours where both children's fronts are counted.

        The splits are given by number, or by their members' rows, or have none.
        """
        search, n = self.search, len(to_high)
        rows = np.full((n, 2), -1)
        if splits is not None and self.sums:
            sums = self.sums[:4]
            rows[:, 0], rows[:, 1] = self.splits.first[splits], self.splits.second[splits]
        else:
            if splits is not None:
                members = self._rows(splits, INSIDE)
            sums = search.sums(self.mask[None][:0] if members is None else members)
            if members is not None:
                rows[:, 0] = np.arange(n)
        low, high = self.children
        points, size = loader.primitives().split_fronts(
            *sums, self.X, self.Y, self.totals, np.column_stack([rows, to_high]),
            np.ascontiguousarray(bounds), search.alpha, search.beta, search.runs[low],
            search.mode[low], search.runs[high], search.mode[high], search.encoding.leaf,
            self.front.points, self.front.add(n, read), search.halt,
        )  # fmt: skip
        self.front.points = np.ascontiguousarray(points[:, :size])
        search.check()

    def _try(self, way: int, split: int) -> None:
        """Put the fronts of a split's children together, if its bounds still leave it open."""
        if self._is_open(self._bounds(way, split, split + 1))[0]:
            x, y = self._children_of(way)
            inside, outside = (self._rows(np.array([split]), side)[0] for side in (0, 1))
            lower = self.bound[INSIDE, x, :, split], self.bound[OUTSIDE, y, :, split]
            choice = self._reader(np.array([way]), np.array([split]))(0)
            self._join((inside, outside), lower, way, choice)

    def _join(
        self, rows: tuple[Masks, Masks], lower: tuple[Floats, Floats], way: int, choice: Choice
    ) -> None:
        """Put the fronts of the members' child and the others' together."""
        search, front = self.search, self.front
        members = others = None
        most = front.points[0, -1] - 1
        wanted = needed(front.points, floor_of(lower[1], search.alpha, search.beta, most))
        if wanted is not None:
            members = search.front(self.children[way], rows[0], wanted, lower[0])
            wanted = needed(front.points, members.found)
        if members is None or wanted is None:
            return
        others = search.front(self.children[1 - way], rows[1], wanted, lower[1])
        low, high = (others, members) if way else (members, others)
        if front.combine(low.found, high.found, front.size):
            front.below[front.size] = (low, high)
            front.add(1, lambda _: choice)
            if self.cls == search.encoding.classes[0]:
                search.tighten(front)

    def _one_sided(self) -> None:
        """Splits without members: one child gets every row."""
        n, many = self.h + 1, len(self.guide)
        if self.counted:
            bounds = np.zeros((n, many))
            self._count(np.arange(n), bounds, lambda way: Choice(-1, bool(way), ()))
            return
        zero = np.zeros((1, many))
        for way in range(n):
            x = 1 - way if self.h else 0
            lower = self._raise_costs(x, self.mask[None], zero, zero)
            self.whole[x] = lower.T
            if self._is_open(lower)[0]:
                rows = np.zeros_like(self.mask), self.mask
                self._join(rows, (zero[0], lower[0]), way, Choice(-1, bool(way), ()))

    # ------------------------------------------------------------ larger subsets

    def _walks(self) -> None:
        """Larger subsets of the sets that are still open."""
        for k in np.flatnonzero(self.waiting).tolist():
            s, e = int(self.table.start[k]), int(self.table.start[k + 1])
            if self._is_open(self._set_bounds()[:, [k]].T)[0]:
                payload = self.splits.column_masks(np.arange(s, e)) & self.mask
                low, high = (self.bound[INSIDE, x, :, s:e].T for x in (0, self.h))
                sides = Sides(
                    self.table, self.cls, k, self.X[s:e] + self.Y[s:e], payload, np.bitwise_or,
                    low, high,
                )  # fmt: skip
                walk(sides, Wanted(self._is_open, self._raise_costs, self._take))
            self.waiting[k] = False

    def _take(self, nodes: Nodes, split_of: Callable[[int], Split]) -> None:
        """Try whole subsets."""

        def read(i: int) -> Choice:
            split = split_of(i)
            return Choice(split.group, split.to_high, split.columns)

        (low, high), cost = nodes.payload, nodes.cost
        self.search.check()
        if self.counted:
            n = len(low)
            self._count(np.zeros(n, np.int64), cost[0] + cost[1], read, members=low)
            return
        for i in range(len(low)):
            if self._is_open(cost[0][i : i + 1] + cost[1][i : i + 1])[0]:
                self._join((low[i], high[i]), (cost[0][i], cost[1][i]), 0, read(i))
