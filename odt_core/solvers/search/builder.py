"""Builds assignments (splits and labels of a topology) from subtrees or from points of fronts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from odt_core.problem import Problem, Split
from odt_core.solution import Assignment
from odt_core.solvers.search.columns import STUMP, Encoding, groups_of
from odt_core.solvers.search.groups import CHAIN, FULL
from odt_core.solvers.search.row_sets import Floats, Masks, unpack
from odt_core.solvers.search.search import Search, count_sums
from odt_core.solvers.search.subtrees import Subtree, best_stump
from odt_core.solvers.search.twins import called

if TYPE_CHECKING:
    from odt_core.solvers.search.fronts import Front, FrontSearch


NEGATIVE, POSITIVE = Subtree(-1, False, ()), Subtree(-1, True, ())
"""The labels of leaves."""


@dataclass
class Builder:
    """Builds an assignment from the root down, and counts what it costs."""

    problem: Problem
    encoding: Encoding
    search: Search | FrontSearch  # a `Search` finds the splits that a subtree lacks
    splits: dict[int, Split] = field(default_factory=dict)
    labels: dict[int, bool] = field(default_factory=dict)
    cost: int = 0

    def build(self, subtree: Subtree | None = None) -> Assignment:
        """The tree that begins with a subtree. The search finds splits that the subtree lacks."""
        self._visit(0, self.encoding.everything, subtree)
        topology = self.problem.topology
        return Assignment(
            tuple(self.splits[node] for node in range(topology.n_nodes)),
            tuple(self.labels[leaf] for leaf in range(topology.n_leaves)),
        )

    def _visit(self, child: int, mask: Masks, subtree: Subtree | None) -> None:
        if child < 0:
            self._leaf(child, mask, subtree)
            return
        table, family = self.encoding.table, self.encoding.families[child]
        subtree = subtree or self._solved(family, mask)
        members = self.search.splits.union(subtree.members)
        left, right = self.problem.topology.children(child)
        low, high = int(table.low[family]), int(table.high[family])
        left_is_high = low != high and self._family_of(left) == high and not table.one_way[family]
        members_left = subtree.to_high == left_is_high
        self.splits[child] = split_of(self.problem, self.encoding, child, subtree, members_left)
        goes_left = members if members_left else ~members
        below = (subtree.high, subtree.low) if left_is_high else (subtree.low, subtree.high)
        if table.level[family] == STUMP:
            below = NEGATIVE, POSITIVE
        self._visit(left, mask & goes_left, below[0])
        self._visit(right, mask & ~goes_left, below[1])

    def _solved(self, family: int, mask: Masks) -> Subtree:
        """The best split of a family on some rows."""
        table, search = self.encoding.table, self.search
        assert isinstance(search, Search)
        if table.level[family] == STUMP:
            (P,), (N,), p, n = search.sums(mask[None])
            return best_stump(table, family, N - P, float((n - p)[0]))
        subtree = search.solve(family, mask[None], np.array([np.inf]), [-1]).subtree(0)
        assert subtree is not None
        return subtree

    def _family_of(self, child: int) -> int:
        return 0 if child < 0 else self.encoding.families[child]

    def _leaf(self, child: int, mask: Masks, subtree: Subtree | None) -> None:
        d = self.encoding.table.d
        d = d[unpack(mask, len(d))]
        positive = bool(d.sum() < 0) if subtree is None else subtree.to_high
        self.labels[-1 - child] = positive
        self.cost += int(d[d > 0].sum() if positive else -d[d < 0].sum())


def split_of(
    problem: Problem, encoding: Encoding, node: int, subtree: Subtree, members_left: bool
) -> Split:
    """The question of a subtree's root in the problem's terms.

    The split of a set names the smaller side: the cap holds for this side, and categories without
    rows stay on the larger side.
    """
    rule = problem.rules.at(node)
    if rule.split is not None:
        return rule.split
    features = problem.data.features
    feature, codes = problem.allowed_features(node)[0], frozenset[int]()
    if subtree.group >= 0:
        group = encoding.groups[subtree.group]
        first = int(encoding.table.start[subtree.group])
        stated = [v - first for v in subtree.members]
        if group.kind != CHAIN and 2 * len(stated) > group.n:
            stated = sorted(set(range(group.n)) - set(stated))
            members_left = not members_left
        feature, codes = group.question(stated)
    if not members_left:
        codes = frozenset(range(features[feature].n_values)) - codes
    return Split(feature, codes)


# ---------------------------------------------------------------- points of fronts


def tree_at(
    problem: Problem, search: FrontSearch, front: Front, fn: float, fp: float
) -> Assignment:
    """The tree that reaches a point of a root's front, which was found by this search."""
    encoding = search.encoding
    subtree = _reaching(search, front, encoding.families[0], encoding.everything, fn, fp)
    return Builder(problem, encoding, search).build(subtree)


def _reaching(
    search: FrontSearch, front: Front | None, family: int, mask: Masks, fn: float, fp: float
) -> Subtree:
    """The splits of a family on some rows that reach a point of its front.

    A leaf-adjacent family has no front.
    """
    table = search.table
    if table.level[family] <= STUMP:
        return _stump(search.encoding, family, mask, fn, fp)
    assert front is not None
    at = int(np.flatnonzero((front.points[0] == fn) & (front.points[1] == fp))[0])
    number, low_fn, low_fp = front.points[2:, at].tolist()
    source = front.sources[int(number)]
    assert source is not None and not isinstance(source, Assignment)
    subtree, *below = source
    members = search.splits.union(subtree.members)
    high, low = (members, ~members) if subtree.to_high else (~members, members)
    return replace(
        subtree,
        low=_reaching(search, below[0], int(table.low[family]), mask & low, low_fn, low_fp),
        high=_reaching(
            search, below[1], int(table.high[family]), mask & high, fn - low_fn, fp - low_fp
        ),
    )


def _stump(encoding: Encoding, family: int, mask: Masks, fn: float, fp: float) -> Subtree:
    """A leaf or a leaf-adjacent split with these errors."""
    table = encoding.table
    weights = encoding.positive, encoding.negative
    (P,), (N,), (tp,), (tn,) = count_sums(table, mask[None], *weights, check=lambda: None)
    if table.level[family] < STUMP:
        return POSITIVE if tp > fn else NEGATIVE
    if table.empty_ok[family] and (fn, fp) in ((tp, 0), (0, tn)):
        return Subtree(-1, (fn, fp) == (tp, 0), ())
    for group in groups_of(table, family):
        s, e = int(table.start[group]), int(table.start[group + 1])
        a, b = P[s:e], N[s:e]
        for positive, goal in ((True, (tp - fn, fp)), (False, (fn, tn - fp))):
            one = np.flatnonzero((a == goal[0]) & (b == goal[1]))
            if len(one):
                return Subtree(group, positive, (s + int(one[0]),))
        if table.arity[group] > 1:
            most = 0 if table.kind[group] == FULL else int(table.arity[group])
            found = _subset(a, b, fn, fp, most, encoding.smallest > 0)
            if found is not None:
                return Subtree(group, found[1], tuple(s + v for v in found[0]))
    raise AssertionError("a leaf-adjacent split does not reach its point")


def _subset(
    p: Floats, q: Floats, fn: float, fp: float, most: int, all_of_them: bool
) -> tuple[tuple[int, ...], bool] | None:
    """Categories to give one label: with the other label for the rest, the errors are these.

    Returns the categories, and whether they are called positive; None if there are none.
    """
    own = np.flatnonzero(p + q > 0)
    for positive in (True,) if most == 0 else (True, False):
        history = called(p[own], q[own], most, positive, np.array([fn, fp]), all_of_them)
        x, y, slot = history[-1][:3]
        reached = np.flatnonzero((x == fn) & (y == fp) & (slot >= (1 if most else 3)))
        if not len(reached):
            continue
        at, members = int(reached[0]), []
        for i in range(len(own), 0, -1):
            if bool(history[i][4, at]) == positive:
                members.append(int(own[i - 1]))
            at = int(history[i][3, at])
        return tuple(members[::-1]), positive
    return None
