"""From a point of a front to a tree that reaches it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem, Split
from odt_core.solution import Assignment
from odt_core.solvers.exact.choices import Choice, inside, split_of
from odt_core.solvers.exact.columns import STUMP, Encoding, groups_of, runs_of
from odt_core.solvers.exact.front_lists import Front
from odt_core.solvers.exact.groups import CHAIN, FULL

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


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
                if p[~np.where(members, a, b)].sum() == fn and q[np.where(members, a, b)].sum() == fp
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
