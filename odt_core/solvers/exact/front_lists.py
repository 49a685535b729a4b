"""Fronts as lists of points, staircases of what is wanted, and the trees of points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem, Split
from odt_core.solution import Assignment
from odt_core.solvers.exact import loader
from odt_core.solvers.exact.choices import Choice, inside, split_of
from odt_core.solvers.exact.columns import STUMP, Encoding, groups_of
from odt_core.solvers.exact.groups import CHAIN, FULL

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
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


@dataclass
class FrontPlanter:
    """Builds the tree of a point.

    Attributes
    ----------
    problem : Problem
    encoding : Encoding
        As the front's search had it.
    """

    problem: Problem
    encoding: Encoding
    splits: dict[int, Split] = field(default_factory=dict)
    labels: dict[int, bool] = field(default_factory=dict)

    def plant(self, front: Front, fn: float, fp: float) -> Assignment:
        """The tree that reaches a point of the root's front."""
        self._visit(0, np.arange(len(self.encoding.positive)), fn, fp, front)
        topology = self.problem.topology
        return Assignment(
            tuple(self.splits[node] for node in range(topology.n_nodes)),
            tuple(self.labels[leaf] for leaf in range(topology.n_leaves)),
        )

    def _visit(self, child: int, rows: Rows, fn: float, fp: float, front: Front | None) -> None:
        table = self.encoding.table
        if child < 0:
            self.labels[-1 - child] = bool(self.encoding.positive[rows].sum() > fn)
            return
        cls = self.encoding.classes[child]
        if table.level[cls] <= STUMP:
            self._stump(child, cls, rows, fn, fp)
            return
        assert front is not None
        at = int(np.flatnonzero((front.points[0] == fn) & (front.points[1] == fp))[0])
        number, low_fn, low_fp = front.points[2:, at].tolist()
        choice = front.choice(int(number))
        below = front.below.get(int(number), (None, None))
        members = inside(self.encoding, choice, rows)
        left, right = self.problem.topology.children(child)
        low, high = int(table.low[cls]), int(table.high[cls])
        left_is_high = low != high and self._class_of(left) == high and not table.one_way[cls]
        members_left = choice.to_high == left_is_high
        self.splits[child] = split_of(self.problem, self.encoding, child, choice, members_left)
        low_child, high_child = (right, left) if left_is_high else (left, right)
        low_rows, high_rows = rows[~members], rows[members]
        if not choice.to_high:
            low_rows, high_rows = high_rows, low_rows
        self._visit(low_child, low_rows, low_fn, low_fp, below[0])
        self._visit(high_child, high_rows, fn - low_fn, fp - low_fp, below[1])

    def _class_of(self, child: int) -> int:
        return 0 if child < 0 else self.encoding.classes[child]

    def _stump(self, node: int, cls: int, rows: Rows, fn: float, fp: float) -> None:
        left, right = self.problem.topology.children(node)
        table = self.encoding.table
        p, q = self.encoding.positive[rows], self.encoding.negative[rows]
        if table.one_way[cls]:
            group = groups_of(table, cls)[0]
            choice = Choice(group, False, (int(table.start[group]),))
            members = inside(self.encoding, choice, rows)
            self.splits[node] = split_of(self.problem, self.encoding, node, choice, True)
            labels = next(
                (a, b)
                for a in (False, True)
                for b in (False, True)
                if p[~np.where(members, a, b)].sum() == fn
                and q[np.where(members, a, b)].sum() == fp
            )
            self.labels[-1 - left], self.labels[-1 - right] = labels
            return
        choice, positive = self._reach(cls, rows, fn, fp)
        self.splits[node] = split_of(self.problem, self.encoding, node, choice, not positive)
        self.labels[-1 - left], self.labels[-1 - right] = False, True

    def _reach(self, cls: int, rows: Rows, fn: float, fp: float) -> tuple[Choice, bool]:
        """A leaf-adjacent split with these errors, and whether its members are called positive."""
        table = self.encoding.table
        p, q = self.encoding.positive[rows], self.encoding.negative[rows]
        tp, tn = p.sum(), q.sum()
        if table.empty_ok[cls] and (fn, fp) in ((tp, 0), (0, tn)):
            return Choice(-1, False, ()), (fn, fp) == (tp, 0)
        for group in groups_of(table, cls):
            s, e = int(table.start[group]), int(table.start[group + 1])
            local = table.local[group, rows]
            a, b = (np.bincount(local, each, e - s + 1)[: e - s] for each in (p, q))
            if table.kind[group] == CHAIN:
                a, b = a.cumsum(), b.cumsum()
            for positive, goal in ((True, (tp - fn, fp)), (False, (fn, tn - fp))):
                one = np.flatnonzero((a == goal[0]) & (b == goal[1]))
                if len(one):
                    return Choice(group, False, (s + int(one[0]),)), positive
            if table.arity[group] > 1:
                most = 0 if table.kind[group] == FULL else int(table.arity[group])
                found = subset(a, b, fn, fp, most, bool(self.encoding.smallest))
                if found is not None:
                    return Choice(group, False, tuple(s + v for v in found[0])), found[1]
        raise AssertionError("a leaf-adjacent split does not reach its point")


def subset(
    p: Floats, q: Floats, fn: float, fp: float, most: int, all_of_them: bool
) -> tuple[tuple[int, ...], bool] | None:
    """Categories that called one way, and the others the other way, make exactly these errors.

    Parameters
    ----------
    p, q : float64[n]
        Positive and negative weight of the categories.
    most : int
        Up to so many are members; 0 for any number (but some category with rows stays outside).
    all_of_them : bool
        Whether sums that others are better than may be needed.

    Returns
    -------
    (tuple of int, bool) or None
        The members, and whether they are called positive.
    """
    own = np.flatnonzero(p + q > 0).tolist()
    for positive in (True,) if most == 0 else (True, False):
        states: dict[tuple, list[tuple[float, float, tuple[int, ...]]]] = {(): [(0.0, 0.0, ())]}
        for i, v in enumerate(own):
            new: dict[tuple, list[tuple[float, float, tuple[int, ...]]]] = {}
            for x, y, members in (state for each in states.values() for state in each):
                for joins in (True, False):
                    chosen = (*members, v) if joins else members
                    size = len(chosen)
                    a, b = (x, y + q[v]) if joins == positive else (x + p[v], y)
                    if a <= fn and b <= fp and (most == 0 or size <= most):
                        slot = (size,) if most else (size > 0, size <= i)
                        new.setdefault(slot, []).append((a, b, chosen))
            states = {slot: _undominated(each, all_of_them) for slot, each in new.items()}
        for x, y, members in (state for each in states.values() for state in each):
            if (x, y) == (fn, fp) and members and (most or len(members) < len(own)):
                return members, positive
    return None


def _undominated(states: list, all_of_them: bool) -> list:
    """Of equal errors one, and of others those that none is as good as."""
    kept: list = []
    for state in sorted(states, key=lambda each: each[:2]):
        equal = kept and kept[-1][:2] == state[:2]
        if not equal and (all_of_them or not kept or state[1] < kept[-1][1]):
            kept.append(state)
    return kept
