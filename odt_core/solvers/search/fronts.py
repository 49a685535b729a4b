"""Fronts: for a set of rows, every undominated pair of false negatives and false positives.

From the root down, splits are skipped that weighted lower bounds exclude: where a tree costs at
least LB = min(alpha FN + beta FP), it reaches no point with alpha FN + beta FP < LB. What is wanted
of a front is a staircase of points (see front_kernels.py); a tree must get below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

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
    count,
    encode_fronts,
    runs_of,
    unpack,
)
from odt_core.solvers.search.front_twins import FIXED, LEAF, MAY, MUST
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.search import Search, Stopped
from odt_core.solvers.search.splits import Splits

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Sums = tuple[Floats, ...]
"""Four: positive and negative weight of row sets in each column ``[B, V]``, and in all ``[B]``."""

Payload = tuple[npt.NDArray, ...]

MOST_AT_ONCE = 1_200
"""Up to so many columns, the sums of all of them are made at once."""

BATCH = 64
FAR = 2.0**51
"""The bound of a split that may not be asked for."""
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
        self.leaf = leaf_rule(self.encoding)
        self.runs = [_runs(table, cls) for cls in range(len(table.level))]
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
        level = int(self.table.level[cls])
        if level > STUMP:
            node = PairNode if level == PAIR else DeepNode
            node(self, cls, mask, front, guide).solve()
            return
        P, N, PT, NT = self.sums(mask[None])
        box = np.array([front.points[0, -1], front.points[1, 0]]) - 1
        out, n = loader.primitives().stump_front(
            P[0], N[0], PT[0], NT[0], self.runs[cls], self.mode[cls], self.leaf, box,
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


# ---------------------------------------------------------------- larger subsets


@dataclass(frozen=True, eq=False)
class Batch:
    """Columns sent low or high. n of them, q columns, L multipliers.

    Attributes
    ----------
    sent : int
        How many of the columns are sent.
    low : bool[n, q]
        Which are sent low.
    payload : (arrays[n, ...], arrays[n, ...])
        What stands for the rows on the low and the high side.
    lower : float64[n, 2, L]
        Bounds of the two sides.
    """

    sent: int
    low: Flags
    payload: tuple[Payload, Payload]
    lower: Floats

    def take(self, at: npt.NDArray) -> Batch:
        """Some of them."""
        low, high = (tuple(each[at] for each in side) for side in self.payload)
        return Batch(self.sent, self.low[at], (low, high), self.lower[at])


class Walk:
    """A walk over the larger subsets of a set's columns s..e at a node, heaviest columns first.

    Parameters
    ----------
    node : Node
        Its bounds of single columns are known.
    payload : arrays[e - s, ...]
        What stands for the rows in each column: sums, or masks.
    join : numpy.ufunc
        Puts the payloads of disjoint row sets together.
    """

    def __init__(self, node: Node, s: int, e: int, payload: Payload, join: np.ufunc) -> None:
        table = node.search.table
        weight = node.whole[0][s:e] + node.whole[1][s:e]
        at = np.argsort(-weight, kind="stable")[: np.count_nonzero(weight)]
        self.node, self.join, self.group = node, join, int(table.group[s])
        self.columns = s + at
        self.unused = tuple((s + np.flatnonzero(weight == 0)[:1]).tolist())
        self.arity = int(table.arity[self.group])
        self.both_needed = not self.unused and not table.empty_ok[node.cls]
        self.lower = np.stack([node.into[0][s + at], node.into[node.h][s + at]])
        self.payload = tuple(each[at] for each in payload)

    def run(self) -> Iterator[Batch]:
        """Batches of whole subsets that are open."""
        q, node = len(self.columns), self.node
        if not q:
            return
        least = self.lower.min(axis=0)
        rest = np.concatenate([least[::-1].cumsum(axis=0)[::-1], np.zeros_like(least[:1])])
        empty = tuple(np.zeros_like(each[:1]) for each in self.payload)
        zero = np.zeros((1, 2, self.lower.shape[2]))
        stack = [Batch(0, np.zeros((1, q), np.bool_), (empty, empty), zero)]
        while stack:
            node.search.check()
            batch = stack.pop()
            batch = batch.take(node.is_open(batch.lower.sum(axis=1) + rest[batch.sent]))
            if not len(batch.low):
                continue
            if batch.sent == q:
                yield batch
                continue
            ways = (0, 1) if node.h or batch.sent else (0,)
            for to in ways[::-1]:
                grown = self._send(batch, to, rest[batch.sent + 1])
                for first in range(0, len(grown.low), BATCH):
                    stack.append(grown.take(np.arange(first, min(first + BATCH, len(grown.low)))))

    def _send(self, batch: Batch, to: int, rest: Floats) -> Batch:
        """The next column sent low (0) or high (1), wherever that is allowed and open."""
        i = batch.sent
        low = batch.low.copy()
        low[:, i] = to == 0
        n_low = low[:, : i + 1].sum(axis=1)
        keep = np.minimum(n_low, i + 1 - n_low) <= self.arity
        if self.both_needed and i + 1 == len(self.columns):
            keep &= (n_low > 0) & (n_low <= i)
        lower = batch.lower.copy()
        lower[:, to] += self.lower[to, i]
        keep &= self.node.is_open(lower.sum(axis=1) + rest)
        payload = list(batch.payload)
        payload[to] = tuple(
            self.join(side, each[i]) for side, each in zip(payload[to], self.payload, strict=True)
        )
        grown = Batch(i + 1, low, (payload[0], payload[1]), lower).take(keep)
        if len(grown.low):
            better = self.node.grown(
                to, grown.payload[to], grown.lower[:, to], grown.lower[:, 1 - to] + rest
            )
            grown.lower[:, to] = better
        return grown

    def read(self, batch: Batch, at: int) -> Choice:
        """The split of a whole subset; the smaller side is named."""
        sides = [tuple(self.columns[some].tolist()) for some in (batch.low[at], ~batch.low[at])]
        to_high = len(sides[1]) < len(sides[0])
        return Choice(self.group, to_high, sides[to_high] or self.unused)


# ---------------------------------------------------------------- roots of subtrees


class Node:
    """A set of rows that is to be split by the root of a class of two or more levels.

    Attributes
    ----------
    children : tuple of int
        The classes of the low and the high child.
    h : int
        1 if these differ, else 0.
    ways : tuple of int
        Where the members of a column may go: to the low child (0), to the high one (1).
    allowed, in_set : bool[V]
        The columns that may be asked for, and those of which several may be members.
    pairs : int64[C, 2]
        The pairs of columns that may be members.
    walks : list of (int, int)
        The columns of sets of which more than two may be members: first, last + 1.
    into, left : list of float64[V, L]
        For the low and the high child (one, if they are the same): weighted bounds on the rows
        inside and outside each column.
    """

    def __init__(
        self, search: FrontSearch, cls: int, mask: Masks, front: Front, guide: Floats
    ) -> None:
        table = search.table
        self.search, self.cls, self.mask = search, cls, mask
        self.front, self.guide = front, guide
        self.children = (int(table.low[cls]), int(table.high[cls]))
        self.h = int(self.children[0] != self.children[1])
        self.ways = (0, 1) if self.h and not table.one_way[cls] else (0,)
        self.v, n = len(table.group), len(search.alpha)
        self.allowed, self.in_set = np.zeros(self.v, np.bool_), np.zeros(self.v, np.bool_)
        pairs, self.walks = [np.empty((0, 2), np.int64)], []
        for take, s, e in search.runs[cls].tolist():
            self.allowed[s:e] = True
            self.in_set[s:e] = take != 1
            if take == 2:
                pairs.append(np.stack(np.triu_indices(e - s, 1), axis=1) + s)
            elif take != 1:
                self.walks.append((s, e))
        self.pairs = np.concatenate(pairs)
        self.into = [np.zeros((self.v, n)) for _ in range(self.h + 1)]
        self.left = [np.zeros((self.v, n)) for _ in range(self.h + 1)]
        x, y, p, q = search.sums(mask[None])
        self.whole = (x[0], y[0], np.array([p[0], q[0]]))
        self.weight = search.alpha * x[0][:, None] + search.beta * y[0][:, None]

    def is_open(self, bounds: Floats) -> Flags:
        """Whether bounds of splits, float64[C, L], leave any of what is wanted open."""
        return np.asarray(self.search.open_step(bounds, self.front.points) >= 0)

    def read(self, columns: Whole, to_high: int) -> Choice:
        """The split whose members are one or two columns (or none)."""
        members = tuple(v for v in columns.tolist() if v >= 0)
        group = int(self.search.table.group[members[0]]) if members else -1
        return Choice(group, bool(to_high), members)

    def pair_bounds(self, way: int, pairs: Whole) -> Floats:
        """float64[C, 2, L]: bounds of what pairs of columns hold and leave.

        From disjoint sets, and from what either column leaves (sharpened similarity).
        """
        table, weight = self.search.table, self.weight
        into, own, left = self.into[way], self.into[self.h - way], self.left[self.h - way]
        sums = np.add.reduceat(own, table.start[:-1], axis=0)
        u, v = pairs.T
        outer = sums[table.group[u]] - own[u] - own[v]
        np.maximum(outer, left[u] - weight[v] + own[v], out=outer)
        np.maximum(outer, left[v] - weight[u] + own[u], out=outer)
        return np.stack([into[u] + into[v], outer], axis=1)

    def grown(self, x: int, payload: Payload, own: Floats, rest: Floats) -> Floats:
        """Better bounds of the low (0) or high child (1) on growing row sets (see `Walk`)."""
        raise NotImplementedError


class PairNode(Node):
    """A root of two levels: its children's fronts are counted."""

    def solve(self) -> None:
        """Find the front; of each run of open thresholds the one in the middle first."""
        search, table = self.search, self.search.table
        if table.empty_ok[self.cls]:
            n = self.h + 1
            sums = tuple(each[:0] for each in search.sums(self.mask[None]))
            nothing = np.full((n, 2), -1)
            self._try(sums, nothing, nothing, np.arange(n), np.zeros((n, len(search.alpha))))
        todo = self.allowed.copy()
        at_once = self.v <= MOST_AT_ONCE
        kept = np.flatnonzero(todo & (self.in_set | at_once))
        sums = self._singles(kept)
        todo[kept] = False
        while todo.any():
            for c in range(self.h + 1):
                spread(table, self.weight, self.into[c], self.left[c])
            open_ = [self.is_open(self.into[w] + self.left[self.h - w]) for w in self.ways]
            picked = middles(todo & np.any(open_, axis=0), table.group)[:BATCH]
            if not len(picked):
                break
            self._singles(picked)
            todo[picked] = False
        self._sets(sums, kept)

    def _try(
        self, sums: tuple[Floats, ...], rows: Whole, columns: Whole, to_high: Whole,
        bounds: Floats, read: Callable[[int], Choice] | None = None,
    ) -> None:  # fmt: skip
        """Put the fronts of splits into ours, the most promising first.

        `rows` says which of the sums are the members', `columns` which columns these are.
        """
        search = self.search
        low, high = self.children
        order = np.argsort(bounds.sum(axis=1), kind="stable")
        splits = np.concatenate([rows, to_high[:, None]], axis=1)[order]
        first = self.front.add(
            len(order),
            lambda i: read(order[i]) if read else self.read(columns[order[i]], to_high[order[i]]),
        )
        points, n = loader.primitives().split_fronts(
            *sums, *self.whole, splits, bounds[order], search.alpha, search.beta,
            search.runs[low], search.mode[low], search.runs[high], search.mode[high],
            search.leaf, self.front.points, first, search.halt,
        )  # fmt: skip
        self.front.points = np.ascontiguousarray(points[:, :n])
        search.check()

    def _singles(self, columns: Whole) -> Sums:
        """Splits by one of the columns; their sums."""
        search = self.search
        x, y, (p, q) = self.whole
        sums = search.sums(search.splits.column_masks(columns) & self.mask)
        rest = (x - sums[0], y - sums[1], p - sums[2], q - sums[3])
        for c, child in enumerate(self.children[: self.h + 1]):
            self.into[c][columns] = search.shallow_bounds(child, sums)
            self.left[c][columns] = search.shallow_bounds(child, rest)
        n = len(columns)
        rows, names = (np.stack([each, np.full(n, -1)], axis=1) for each in (np.arange(n), columns))
        for way in self.ways:
            bounds = self.into[way][columns] + self.left[self.h - way][columns]
            self._try(sums, rows, names, np.full(n, way), bounds)
        return sums

    def _sets(self, sums: Sums, kept: Whole) -> None:
        """Splits by several columns of a set; the sums are of the columns `kept`."""
        place = np.full(self.v, -1)
        place[kept] = np.arange(len(kept))
        for way in range(self.h + 1 if len(self.pairs) else 0):
            bounds = self.pair_bounds(way, self.pairs).sum(axis=1)
            at = np.flatnonzero(self.is_open(bounds))
            pairs = self.pairs[at]
            self._try(sums, place[pairs], pairs, np.full(len(at), way), bounds[at])
        for s, e in self.walks:
            walk = Walk(self, s, e, tuple(each[place[s:e]] for each in sums), np.add)
            for batch in walk.run():
                n = len(batch.lower)
                rows = np.stack([np.arange(n), np.full(n, -1)], axis=1)
                bounds = batch.lower.sum(axis=1)
                read = partial(walk.read, batch)
                self._try(batch.payload[0], rows, rows, np.zeros(n, np.int64), bounds, read)

    def grown(self, x: int, payload: Payload, own: Floats, rest: Floats) -> Floats:
        """From the sums of the row sets."""
        child = self.children[x * self.h]
        return np.maximum(own, self.search.shallow_bounds(child, payload))


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
    read : callable
        Gives the split of a number.
    """

    inner: Masks
    outer: Masks
    to_high: Whole
    lower: Floats
    known: Flags
    read: Callable[[int], Choice]

    @property
    def bounds(self) -> Floats:
        """float64[C, L]: bounds of the whole splits."""
        return np.asarray(self.lower.sum(axis=1))


class DeepNode(Node):
    """A root of three or four levels: splits are tried that weighted bounds leave open."""

    def solve(self) -> None:
        """Find the front: splits by one column, then by two, then by more."""
        search, table = self.search, self.search.table
        groups = np.flatnonzero(np.bincount(table.group[self.in_set], minlength=len(table.kind)))
        sets = {int(k): np.zeros(len(search.alpha)) for k in groups}
        if table.empty_ok[self.cls]:
            n = self.h + 1
            empty = self._candidates(np.full((n, 2), -1), np.arange(n))
            self._solve(empty, [np.zeros(len(search.alpha))])
        ways, v = len(self.ways), self.v
        columns = np.stack([np.arange(v), np.full(v, -1)], axis=1)
        singles = self._candidates(np.tile(columns, (ways, 1)), np.repeat(self.ways, v))
        none = ~np.tile(self.allowed, ways)
        singles.known[none], singles.lower[none] = True, FAR
        self._solve(singles, list(sets.values()), by_middles=True)
        self._value_bounds(singles, sets)
        small = [k for k in sets if table.arity[k] == 2]
        pairs = self._open_pairs([k for k in small if k in sets])
        for k in small:
            del sets[k]
        if len(pairs.lower):
            self._solve(pairs, list(sets.values()))
        for s, e in [run for run in self.walks if int(table.group[run[0]]) in sets]:
            self._pend(lambda: list(sets.values()))
            self._subsets(s, e)
            del sets[int(table.group[s])]

    def _candidates(
        self, columns: Whole, to_high: Whole, lower: Floats | None = None
    ) -> Candidates:
        """Splits by columns; children of at most one level cost little, so they are solved."""
        search = self.search
        inner = np.zeros((len(columns), len(self.mask)), np.uint64)
        for j in range(2):
            some = columns[:, j] >= 0
            inner[some] |= search.splits.column_masks(columns[some, j])
        inner &= self.mask
        outer = self.mask & ~inner
        shape = (len(columns), 2, len(search.alpha))
        lower = np.zeros(shape) if lower is None else lower
        known = np.zeros(shape, np.bool_)
        for side, masks in enumerate((inner, outer)):
            for x, child in enumerate(self.children):
                at = np.flatnonzero(to_high == (x if side == 0 else 1 - x))
                if search.table.level[child] <= STUMP and len(at):
                    lower[at, side] = search.shallow_bounds(child, search.sums(masks[at]))
                    known[at, side] = True
        return Candidates(
            inner, outer, to_high, lower, known, lambda i: self.read(columns[i], to_high[i])
        )

    def _pend(self, bounds: Callable[[], list[Floats]]) -> None:
        """At the root of the tree: what is open if the search is ended now."""
        if self.cls == self.search.encoding.classes[0]:
            self.search.pending = bounds

    # ------------------------------------------------------------ sharpening

    def _solve(self, splits: Candidates, later: list[Floats], by_middles: bool = False) -> None:
        """Try all splits that the bounds leave open, the most promising first."""
        self._pend(lambda: [splits.bounds, *later])
        self._sharpen(splits, by_middles)
        open_ = np.flatnonzero(self.is_open(splits.bounds))
        for at in open_[np.argsort(splits.bounds[open_].sum(axis=1), kind="stable")].tolist():
            self._try(splits, at)

    def _sharpen(self, splits: Candidates, by_middles: bool) -> None:
        """Raise the bounds of splits until each is excluded or all its bounds are optima.

        One multiplier at a time, the one that says most about the first open step; of its two sides
        the heavier first.
        """
        search = self.search
        heavier = (count(splits.outer) > count(splits.inner)).astype(np.int64)
        while True:
            step = search.open_step(splits.bounds, self.front.points)
            unknown = ~np.asarray(splits.known.all(axis=1))
            open_ = (step >= 0) & unknown.any(axis=1)
            at = np.flatnonzero(open_)
            if by_middles and len(at) > BATCH:
                at = middles(open_, np.repeat(self.ways, self.v) * self.v + np.tile(
                    search.table.group, len(self.ways)
                ))  # fmt: skip
            if not len(at):
                return
            x = self.front.points[0, step[at] + 1] - 1
            least = (self.guide - search.alpha * x[:, None]) / search.beta
            i = np.where(unknown[at], least, -np.inf).argmax(axis=1)
            side = np.where(splits.known[at, heavier[at], i], 1 - heavier[at], heavier[at])
            self._evaluate(splits, at, side, i)
            if by_middles:
                self._carry(splits)

    def _evaluate(self, splits: Candidates, at: Whole, side: Whole, multiplier: Whole) -> None:
        """Optima of one side of each split, for one multiplier."""
        child = np.where(side == 0, splits.to_high[at], 1 - splits.to_high[at])
        key = multiplier * 4 + side * 2 + child
        for each in np.unique(key).tolist():
            i, s, x = each // 4, each // 2 % 2, each % 2
            here = at[key == each]
            masks = (splits.inner, splits.outer)[s][here]
            limits = self._most(i) + 1 - splits.lower[here, 1 - s, i]
            cost = self.search.bounds_on(i, self.children[x], masks, limits)
            splits.lower[here, s, i] = np.maximum(splits.lower[here, s, i], cost)
            splits.known[here, s, i] = True

    def _most(self, i: int) -> float:
        """The largest weighted cost of a wanted point."""
        x, y = self.front.points[0, 1:] - 1, self.front.points[1, :-1] - 1
        return float((self.search.alpha[i] * x + self.search.beta[i] * y).max(initial=0.0))

    def _carry(self, splits: Candidates) -> None:
        """Carry bounds of single columns to their neighbours."""
        for w, way in enumerate(self.ways):
            at = slice(w * self.v, (w + 1) * self.v)
            into, left = self.into[way], self.left[self.h - way]
            into[self.allowed] = splits.lower[at][self.allowed, 0]
            left[self.allowed] = splits.lower[at][self.allowed, 1]
            spread(self.search.table, self.weight, into, left)
            splits.lower[at][self.allowed] = np.stack([into, left], axis=1)[self.allowed]

    # ------------------------------------------------------------ trying

    def _try(self, splits: Candidates, at: int) -> None:
        """Put the fronts of a split's children together, if its bounds allow."""
        search, front = self.search, self.front
        if not self.is_open(splits.bounds[at : at + 1]).all():
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
        if front.combine(low.found, high.found, front.size):
            front.below[front.size] = (low, high)
            front.add(1, lambda _: splits.read(at))
            if self.cls == search.encoding.classes[0]:
                search.tighten(front)

    # ------------------------------------------------------------ sets of categories

    def _value_bounds(self, singles: Candidates, sets: dict[int, Floats]) -> None:
        """Solve the children on the values of sets that are still open; drop sets they exclude.

        Each value of a set costs at least its own best, whichever way it goes.
        """
        search, table = self.search, self.search.table
        for i in range(len(search.alpha)):
            self._carry(singles)
            least = np.minimum(self.into[0], self.into[self.h])
            for k in list(sets):
                sets[k] = least[table.start[k] : table.start[k + 1]].sum(axis=0)
                if not self.is_open(sets[k][None])[0]:
                    del sets[k]
            todo = np.tile(np.isin(table.group, list(sets)), len(self.ways))
            for side in range(2):
                at = np.flatnonzero(todo & ~singles.known[:, side, i])
                if len(at):
                    self._evaluate(singles, at, np.full(len(at), side), np.full(len(at), i))
        self._carry(singles)

    def _open_pairs(self, groups: list[int]) -> Candidates:
        """Splits by two columns that the columns' own bounds do not exclude."""
        pairs = self.pairs[np.isin(self.search.table.group[self.pairs[:, 0]], groups)]
        columns, to_high, lower = [], [], []
        for way in range(self.h + 1):
            bounds = self.pair_bounds(way, pairs)
            at = np.flatnonzero(self.is_open(bounds.sum(axis=1)))
            columns.append(pairs[at])
            to_high.append(np.full(len(at), way))
            lower.append(bounds[at])
        return self._candidates(
            np.concatenate(columns), np.concatenate(to_high), np.concatenate(lower)
        )

    def _subsets(self, s: int, e: int) -> None:
        """Splits by larger subsets of a set, depth first."""
        masks = self.search.splits.column_masks(np.arange(s, e)) & self.mask
        walk = Walk(self, s, e, (masks,), np.bitwise_or)
        for batch in walk.run():
            n = len(batch.lower)
            (low,), (high,) = batch.payload
            known = np.ones(batch.lower.shape, np.bool_)
            read = partial(walk.read, batch)
            splits = Candidates(low, high, np.zeros(n, np.int64), batch.lower, known, read)
            for at in range(n):
                self._try(splits, at)

    def grown(self, x: int, payload: Payload, own: Floats, rest: Floats) -> Floats:
        """One multiplier after the other, while the split is open."""
        search, child = self.search, self.children[x * self.h]
        if search.table.level[child] <= STUMP:
            return np.maximum(own, search.shallow_bounds(child, search.sums(payload[0])))
        own = own.copy()
        for i in range(own.shape[1]):
            at = np.flatnonzero(self.is_open(own + rest))
            if not len(at):
                break
            cost = search.bounds_on(i, child, payload[0][at], self._most(i) + 1 - rest[at, i])
            own[at, i] = np.maximum(own[at, i], cost)
        return own


def middles(open_: Flags, group: Whole) -> Whole:
    """Of each run of neighbouring open columns of a group the middle one; long runs first."""
    at = np.flatnonzero(open_)
    new = np.ones(len(at), np.bool_)
    new[1:] = (np.diff(at) > 1) | (np.diff(group[at]) != 0)
    first = np.flatnonzero(new)
    length = np.diff([*first, len(at)])
    return np.asarray(at[(first + length // 2)[np.argsort(-length, kind="stable")]])


def spread(table: Columns, weight: Floats, into: Floats, left: Floats) -> None:
    """Carry bounds inside and outside nested columns to neighbours (monotone, similarity)."""
    for k in np.flatnonzero((table.kind == CHAIN) & (np.diff(table.start) > 1)):
        at = slice(int(table.start[k]), int(table.start[k + 1]))
        w, a, b = weight[at], into[at], left[at]
        np.maximum.accumulate(a, axis=0, out=a)
        np.maximum(a, np.maximum.accumulate((a - w)[::-1], axis=0)[::-1] + w, out=a)
        b[:] = np.maximum.accumulate(b[::-1], axis=0)[::-1]
        np.maximum(b, np.maximum.accumulate(b + w, axis=0) - w, out=b)
