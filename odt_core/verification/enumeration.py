"""Plain enumeration of all trees of a shape, to check that none is better than a given tree.

It shares no code with the exact search. Its only bound is what the given tree reaches. It tries
every question of every node. For a node with two leaves, one matrix product counts all questions at
once, with the questions above the node fixed.

The cost of a tree is a pair (a, b) of sums over the rows. Without floors, b is the gain lost and a
is always 0. With a floor, a counts the errors of the floored class, which has a limit, and b counts
the errors of the other class. A *front* gives the least b for each allowed value of a.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from odt_core.errors import DisagreementError
from odt_core.problem import Problem, Split
from odt_core.solvers.control import Control
from odt_core.tree import Tree, build_tree, count_assignment, keeps_smallest_leaf
from odt_core.verification.partitions import Partitions, partitions_of

Floats = npt.NDArray[np.floating]
Rows = npt.NDArray[np.int64]

AT_ONCE = 2_000_000
"""Approximate number of numbers that a matrix product keeps in memory at a time."""

EXACT_IN_SINGLE = 2**24
"""Sums below this are exact in single precision, which is twice as fast as double precision."""


@dataclass(frozen=True)
class EnumerationResult:
    """The finding of an enumeration.

    Attributes
    ----------
    holds : bool or None
        True if no tree of the shape is better, False if one is, None if time ran out.
    better : Tree or None
        A better tree, if one was found.
    covered : float
        The share of the root's questions that were tried with all trees below them.
    counted : int
        Number of questions that were counted at nodes above two leaves.
    seconds : float
        Duration.
    """

    holds: bool | None
    better: Tree | None
    covered: float
    counted: int
    seconds: float


def verify(
    problem: Problem,
    total: int,
    control: Control,
    on_covered: Callable[[float], None] = lambda share: None,
) -> EnumerationResult:
    """Look for a tree that is better than `total`, by trying every tree of the shape.

    Parameters
    ----------
    problem : Problem
        The shape, the training rows and all conditions.
    total : int
        Objective of the given tree, in the whole numbers of `Gains`.
    control : Control
        The time limit, and who may stop the enumeration.
    on_covered : callable, optional
        Called with the share that is covered.

    Raises
    ------
    InputError
        If a node has too many questions.
    DisagreementError
        If a better tree is found but its recount gives another result.
    """
    began = time.perf_counter()

    def is_over() -> bool:
        return time.perf_counter() - began > control.time_limit or control.stopped()

    merged = replace(problem, data=problem.data.merged())
    enumeration = _Enumeration(merged, is_over)
    better: Tree | None = None
    covered = 0.0
    try:
        for first, done, front in enumeration.by_root():
            budget = enumeration.budget_better_than(front, total)
            if budget is not None:
                better = _recounted(merged, enumeration, first, budget, front, total)
                break
            covered = done
            on_covered(covered)
    except _OverError:
        pass  # the share covered so far remains valid
    holds = False if better is not None else True if covered == 1 else None
    seconds = time.perf_counter() - began
    return EnumerationResult(holds, better, covered, enumeration.counted, seconds)


def _recounted(
    problem: Problem,
    enumeration: _Enumeration,
    first: int,
    budget: int,
    front: Floats,
    total: int,
) -> Tree:
    """Recount the better tree, and check that the rows confirm it."""
    splits, labels = enumeration.tree(first, budget, float(front[budget]))
    confusion = count_assignment(problem, splits, labels)
    is_better = problem.gains.total(confusion) > total and problem.gains.allows(confusion)
    legal = problem.admits_all(splits, labels) and keeps_smallest_leaf(problem, splits)
    if not is_better or not legal:
        raise DisagreementError(f"the enumeration claims a tree above {total}: {confusion}")
    return build_tree(problem, splits, labels)


class _OverError(Exception):
    """Time is up, or the caller wants to stop."""


@dataclass(frozen=True, eq=False)
class _Counts:
    """Sums over Q sets of rows, and over the rows of each set that say yes to each of K questions.

    The first axis lists the sums. The first sum is the cost b of calling rows negative, minus the
    cost of calling them positive. With floors, the next sum is the cost a in the same way. With a
    smallest leaf, there are two more sums: what the condition counts, and the rows.

    Attributes
    ----------
    parts : float[sums, Q, K]
        Sums over the rows of a set that answer yes.
    sums : float[sums, Q]
        Sums over all rows of a set.
    positive : float[1 or 2, Q]
        The b (and a) of calling all rows of a set positive.
    """

    parts: Floats
    sums: Floats
    positive: Floats

    def rest(self, others: _Counts) -> _Counts:
        """Sums over the rows that are in none of the other's sets."""
        return _Counts(
            self.parts - others.parts, self.sums - others.sums, self.positive - others.positive
        )


class _Enumeration:
    """The rows, the costs of errors, and the questions of each node."""

    def __init__(self, problem: Problem, is_over: Callable[[], bool]) -> None:
        self.problem, self.is_over = problem, is_over
        self.topology = problem.topology
        self.counted = 0
        data, gains = problem.data, problem.gains
        may_miss, may_alarm = data.n_positive - gains.min_tp, data.n_negative - gains.min_tn
        self.by_misses = may_miss <= may_alarm
        self.width = (min(may_miss, may_alarm) if gains.has_floor else 0) + 1
        self.most_b = (may_alarm if self.by_misses else may_miss) if gains.has_floor else np.inf
        negative, positive = self._costs()
        leaf = problem.smallest_leaf
        self.smallest_leaf = 0 if leaf is None else leaf.rows
        sums = [negative[1] - positive[1]]
        sums += [negative[0] - positive[0]] if gains.has_floor else []
        sums += [] if leaf is None else [leaf.counted(data), data.weight]
        called_positive = positive[::-1] if gains.has_floor else positive[1:]
        largest = max(np.abs(sums).sum(axis=1).max(), called_positive.sum(axis=1).max())
        kind = np.float32 if largest < EXACT_IN_SINGLE else np.float64
        self.weights: Floats = np.array(sums).astype(kind)
        self.positive: Floats = called_positive.astype(kind)
        self.everything: Rows = np.arange(len(data.y))
        self.partitions = self._all_partitions()

    def _costs(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Costs (a, b) of calling each row negative, and of calling it positive: int64[2, N]."""
        data, gains = self.problem.data, self.problem.gains
        missed = np.where(data.y, data.weight, 0)
        alarm = np.where(data.y, 0, data.weight)
        nothing = np.zeros_like(missed)
        if not gains.has_floor:
            called = [nothing, missed * gains.gain_tp], [nothing, alarm * gains.gain_tn]
        elif self.by_misses:
            called = [missed, nothing], [nothing, alarm]
        else:
            called = [nothing, missed], [alarm, nothing]
        return np.array(called[0]), np.array(called[1])

    def _all_partitions(self) -> list[Partitions]:
        """The questions by node. Nodes with the same rules share one object."""
        found: list[Partitions] = []
        for node in range(self.topology.n_nodes):
            rule = self.problem.rules.at(node)
            like = [n for n in range(node) if self.problem.rules.at(n) == rule]
            found.append(found[like[0]] if like else partitions_of(self.problem, node))
        return found

    # ---- the objective ----

    def budget_better_than(self, front: Floats, total: int) -> int | None:
        """The value of a at which a tree keeps the floors and is above a total; None if none is."""
        data, gains = self.problem.data, self.problem.gains
        lost = data.n_positive * gains.gain_tp + data.n_negative * gains.gain_tn - total
        allowed = front <= self.most_b
        if not allowed.any():
            return None
        worth_a, worth_b = 0, 1
        if gains.has_floor:
            worth = (gains.gain_tp, gains.gain_tn)
            worth_a, worth_b = worth if self.by_misses else worth[::-1]
        cost = np.arange(self.width) * worth_a + np.where(allowed, front, 0).astype(float) * worth_b
        cost[~allowed] = np.inf
        budget = int(cost.argmin())
        return budget if cost[budget] < lost else None

    # ---- fronts ----

    def by_root(self) -> Iterator[tuple[int, float, Floats]]:
        """Yield the first of some root questions, the share done after them, and their front."""
        everything = self.everything
        if self._is_counted(0):
            yield 0, 1.0, self._front(0, everything)
            return
        n = len(self.partitions[0])
        for first, last in self._chunks(0):
            yield first, last / n, self._decision(0, everything, first, last)[0]

    def _chunks(self, node: int) -> Iterator[tuple[int, int]]:
        """Ranges of a node's questions that are tried together."""
        n = len(self.partitions[node])
        below = [child for child in self.topology.children(node) if child >= 0]
        widest = max((len(self.partitions[child]) for child in below), default=1)
        deep = any(not self._is_counted(child) for child in below)
        size = 1 if deep else max(1, AT_ONCE // (widest * min(self.width, 8)))
        for first in range(0, n, size):
            if self.is_over():
                raise _OverError
            yield first, min(first + size, n)

    def _is_counted(self, child: int) -> bool:
        """Whether one product can count a node: its leaves have their usual labels."""
        return self.topology.has_two_leaves(child) and self.partitions[child].reversible

    def _front(self, child: int, rows: Rows) -> Floats:
        if child < 0 or self._is_counted(child):
            return self._fronts_on(child, rows, np.ones((1, len(rows)), dtype=np.float32))[0]
        found = [self._decision(child, rows, *chunk)[0] for chunk in self._chunks(child)]
        front: Floats = np.min(found, axis=0)
        return front

    def _decision(
        self, node: int, rows: Rows, first: int, last: int
    ) -> tuple[Floats, list[tuple[int, bool, Floats, Floats]]]:
        """The front over some of a node's questions, and the children's fronts for each side."""
        left, right = self.topology.children(node)
        inside = self.partitions[node].inside[first:last][:, rows]
        both = self.partitions[node].reversible and not self.problem.is_reversible(node)
        front: Floats = np.full(self.width, np.inf)
        ways = []
        for is_reversed in (False, True) if both else (False,):
            a, b = (right, left) if is_reversed else (left, right)
            fronts_a, fronts_b = self._child_fronts(a, b, rows, inside)
            front = np.minimum(front, _combined(fronts_a, fronts_b).min(axis=0))
            on_left, on_right = (fronts_b, fronts_a) if is_reversed else (fronts_a, fronts_b)
            ways.append((first, is_reversed, on_left, on_right))
        return front, ways

    def _child_fronts(self, a: int, b: int, rows: Rows, inside: Floats) -> tuple[Floats, Floats]:
        """Fronts of child `a` on the rows inside, and of child `b` on the other rows."""
        counted = a >= 0 and b >= 0 and self._is_counted(a) and self._is_counted(b)
        if counted and self.partitions[a] is self.partitions[b]:
            counts = self._count(a, rows, inside)
            whole = self._count(a, rows, np.ones((1, len(rows)), dtype=np.float32))
            return self._two_leaf_fronts(counts), self._two_leaf_fronts(whole.rest(counts))
        return self._fronts_on(a, rows, inside), self._fronts_on(b, rows, 1 - inside)

    def _fronts_on(self, child: int, rows: Rows, inside: Floats) -> Floats:
        """Fronts of a child on each of Q sets of rows: [Q, width]."""
        if child < 0:
            return self._leaf(rows, inside)
        if self._is_counted(child):
            return self._two_leaf_fronts(self._count(child, rows, inside))
        return np.array([self._front(child, rows[members > 0]) for members in inside])

    def _leaf(self, rows: Rows, inside: Floats) -> Floats:
        """Costs of the better label, for each value of a."""
        sums, positive = self._sums(rows, inside)
        costs = np.stack([positive, positive + sums[: len(positive)]], axis=2)
        costs[:, self._are_too_small(sums)] = np.inf
        return self._fronts_of(costs)

    def _sums(self, rows: Rows, inside: Floats) -> tuple[Floats, Floats]:
        """Sums over the rows of each set, and the costs of calling them positive: [sums, Q]."""
        return self.weights[:, rows] @ inside.T, self.positive[:, rows] @ inside.T

    def _count(self, node: int, rows: Rows, inside: Floats) -> _Counts:
        members = self.partitions[node].inside[:, rows].astype(self.weights.dtype, copy=False).T
        parts = np.empty((len(self.weights), len(inside), members.shape[1]), self.weights.dtype)
        for weights, part in zip(self.weights[:, rows], parts, strict=True):
            np.matmul(inside * weights, members, out=part)
        self.counted += parts[0].size
        return _Counts(parts, *self._sums(rows, inside))

    def _two_leaf_fronts(self, counts: _Counts) -> Floats:
        """Costs of the best question of a node with two leaves, asked either way: [Q, width]."""
        if len(self.weights) == 1:
            yes, no = counts.parts[0].min(axis=1), counts.sums[0] - counts.parts[0].max(axis=1)
            return np.asarray(counts.positive[0] + np.minimum(yes, no))[:, None]
        rest = counts.sums[:, :, None] - counts.parts
        costs = [
            counts.positive[:, :, None] + part[: len(counts.positive)]
            for part in (counts.parts, rest)
        ]
        small = self._are_too_small(counts.parts) | self._are_too_small(rest)
        for cost in costs:
            cost[:, small] = np.inf
        return self._fronts_of(np.concatenate(costs, axis=2))

    def _are_too_small(self, sums: Floats) -> npt.NDArray[np.bool_]:
        """Mark leaves with too few rows, but not leaves without rows: [sums, ...] -> [...]."""
        if not self.smallest_leaf:
            return np.zeros(sums.shape[1:], dtype=np.bool_)
        small: npt.NDArray[np.bool_] = (sums[-2] < self.smallest_leaf) & (sums[-1] > 0)
        return small

    def _fronts_of(self, costs: Floats) -> Floats:
        """Fronts [Q, width] of K trees on each of Q sets, from their b (and a): [1 or 2, Q, K]."""
        if len(costs) == 1:
            return np.asarray(costs[0].min(axis=1, keepdims=True))
        fronts = np.full((costs.shape[1], self.width), np.inf, dtype=costs.dtype)
        sets, trees = np.nonzero(costs[1] < self.width)
        np.minimum.at(fronts, (sets, costs[1, sets, trees].astype(int)), costs[0, sets, trees])
        return np.asarray(np.minimum.accumulate(fronts, axis=1))

    # ---- the tree that has given costs ----

    def tree(
        self, first: int, budget: int, value: float
    ) -> tuple[tuple[Split, ...], tuple[bool, ...]]:
        """Search again for the questions and labels of a tree with costs of at most these."""
        self.is_over = lambda: False
        splits = [Split(0, frozenset[int]())] * self.topology.n_nodes
        labels = [bool(self.problem.fixed_label(b)) for b in range(self.topology.n_leaves)]
        self._build(0, self.everything, budget, value, splits, labels, first)
        return tuple(splits), tuple(labels)

    def _build(
        self,
        child: int,
        rows: Rows,
        budget: int,
        value: float,
        splits: list[Split],
        labels: list[bool],
        first: int = 0,
    ) -> None:
        if child < 0:
            labels[-1 - child] = self._label(rows, budget, value)
            return
        if self._is_counted(child):
            splits[child] = self._question(child, rows, budget, value)
            return
        left, right = self.topology.children(child)
        for start in range(first, len(self.partitions[child])):
            for at, is_reversed, on_left, on_right in self._decision(child, rows, start, start + 1)[
                1
            ]:
                for a in range(budget + 1):
                    if on_left[0, a] + on_right[0, budget - a] <= value:
                        split = self.partitions[child].splits[at]
                        goes_left = self.partitions[child].inside[at, rows] > 0
                        if is_reversed:
                            split, goes_left = (
                                split.reversed(self.problem.data.features),
                                ~goes_left,
                            )
                        splits[child] = split
                        ends = float(on_left[0, a]), float(on_right[0, budget - a])
                        self._build(left, rows[goes_left], a, ends[0], splits, labels)
                        self._build(right, rows[~goes_left], budget - a, ends[1], splits, labels)
                        return
        raise DisagreementError("the enumeration does not find its own tree again")

    def _label(self, rows: Rows, budget: int, value: float) -> bool:
        positive = self.positive[:, rows].sum(axis=1)
        return self._fits(positive[:, None], budget, value)[0]

    def _fits(self, costs: Floats, budget: int, value: float) -> list[bool]:
        """Mark which of K trees have at most these costs a and b, float[1 or 2, K]."""
        within = costs[0] <= value
        if len(costs) > 1:
            within &= costs[1] <= budget
        return list(within.tolist())

    def _question(self, node: int, rows: Rows, budget: int, value: float) -> Split:
        counts = self._count(node, rows, np.ones((1, len(rows)), dtype=np.float32))
        rest = counts.sums[:, :, None] - counts.parts
        small = (self._are_too_small(counts.parts) | self._are_too_small(rest))[0]
        for is_reversed, part in ((False, counts.parts), (True, rest)):
            costs = (counts.positive[:, :, None] + part[: len(counts.positive)])[:, 0]
            costs[:, small] = np.inf
            fits = self._fits(costs, budget, value)
            if any(fits):
                split = self.partitions[node].splits[fits.index(True)]
                return split.reversed(self.problem.data.features) if is_reversed else split
        raise DisagreementError("the enumeration does not find its own question again")


def _combined(one: Floats, other: Floats) -> Floats:
    """The front of two disjoint sets of rows together: [Q, width]."""
    total = np.full_like(one, np.inf)
    for a in range(one.shape[1]):
        rest = one.shape[1] - a
        np.minimum(total[:, a:], one[:, a : a + 1] + other[:, :rest], out=total[:, a:])
    return total
