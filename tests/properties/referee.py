"""Brute force, the referee of every solver.

It reads the dataclasses of `odt_core.problem` as input and shares no code with any solver: what a
node may ask, what a floor demands and what a goal is worth are written out here again, from the
definitions. Every question of every node is tried. To keep that affordable, questions are taken as
the sets of rows they send left (equal sets once), and all row sets that reach a node are handled
together, equal ones once.

A set of rows has a *front*: for each number of correct positive rows the largest number of correct
negative rows that a subtree can reach on it. Fronts of two subtrees add up by max-plus
convolution, so one pass answers every goal and every floor exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from odt_core.problem import Goal, Problem

IMPOSSIBLE = -(10**9)
MOST_SETS_AT_ONCE = 20_000


def best_value(problem: Problem) -> Fraction | None:
    """The optimum in the objective's own unit, or None if no tree meets the floors."""
    reached = [value(problem, tp, tn) for tp, tn in allowed_points(problem)]
    return max(reached, default=None)


def allowed_points(problem: Problem) -> list[tuple[int, int]]:
    """Undominated (TP, TN) that meet the floors, by rising TP."""
    objective, data = problem.objective, problem.data
    positives = int(data.weight[data.y].sum())
    negatives = int(data.weight[~data.y].sum())
    min_tp = math.ceil(objective.min_tpr * positives) if objective.min_tpr is not None else 0
    min_tn = math.ceil(objective.min_tnr * negatives) if objective.min_tnr is not None else 0
    return [(tp, tn) for tp, tn in frontier(problem) if tp >= min_tp and tn >= min_tn]


def frontier(problem: Problem) -> list[tuple[int, int]]:
    """Undominated (TP, TN) over all trees of the problem, floors apart, by rising TP."""
    front = _Fronts(problem).whole()
    points: list[tuple[int, int]] = []
    most = -1
    for tp in range(len(front) - 1, -1, -1):
        if front[tp] > most:
            most = int(front[tp])
            points.append((tp, most))
    return points[::-1]


def value(problem: Problem, tp: int, tn: int) -> Fraction:
    """What a 2x2 table is worth in the objective's own unit."""
    data, objective = problem.data, problem.objective
    positives = max(int(data.weight[data.y].sum()), 1)
    negatives = max(int(data.weight[~data.y].sum()), 1)
    if objective.goal is Goal.ACCURACY:
        return tp + objective.class_weight * tn
    if objective.goal is Goal.BALANCED:
        return (Fraction(tp, positives) + Fraction(tn, negatives)) / 2
    if objective.goal is Goal.MAX_TPR:
        return Fraction(tp, positives)
    return Fraction(tn, negatives)


def tally(problem: Problem, splits: Sequence, labels: Sequence[bool]) -> tuple[int, int]:
    """(TP, TN) of a tree in the topology's own terms, routed row by row."""
    data, topology = problem.data, problem.topology
    correct = {True: 0, False: 0}
    for codes, y, weight in zip(data.codes, data.y, data.weight, strict=True):
        child = 0
        while child >= 0:
            split = splits[child]
            goes_left = int(codes[split.feature]) in split.left
            child = topology.left[child] if goes_left else topology.right[child]
        if bool(labels[-1 - child]) == bool(y):
            correct[bool(y)] += int(weight)
    return correct[True], correct[False]


def keeps_smallest_leaf(problem: Problem, splits: Sequence) -> bool:
    """Whether every leaf that a row reaches holds enough, routed row by row."""
    data, topology = problem.data, problem.topology
    held: dict[int, int] = {}
    for row, counted in zip(data.codes, rows_held(problem), strict=True):
        child = 0
        while child >= 0:
            split = splits[child]
            goes_left = int(row[split.feature]) in split.left
            child = topology.left[child] if goes_left else topology.right[child]
        held[child] = held.get(child, 0) + counted
    least = 0 if problem.smallest_leaf is None else problem.smallest_leaf.rows
    return all(count >= least for count in held.values())


def rows_held(problem: Problem) -> list[int]:
    """What each row adds to what its leaf must hold."""
    data, wanted = problem.data, problem.smallest_leaf
    rows = list(zip(data.y.tolist(), data.weight.tolist(), strict=True))
    if wanted is None or wanted.of == "rows":
        return [weight for _, weight in rows]
    positives = sum(weight for y, weight in rows if y)
    rarer = positives <= sum(weight for y, weight in rows if not y)
    return [weight if y == rarer else 0 for y, weight in rows]


def is_legal(problem: Problem, splits: Sequence, labels: Sequence[bool]) -> bool:
    """Whether every question is one the node may ask, and bound labels are kept."""
    topology = problem.topology
    for node, split in enumerate(splits):
        if (split.feature, frozenset(split.left)) not in questions(problem, node):
            return False
        below = topology.left[node], topology.right[node]
        if max(below) < 0 and not is_fixed(problem, node):
            if labels[-1 - below[0]] or not labels[-1 - below[1]]:
                return False
    return True


def questions(problem: Problem, node: int) -> set[tuple[int, frozenset[int]]]:
    """Every (feature, set of codes going left) that a node may ask."""
    rules = dict(problem.rules.nodes)
    rule = rules.get(node)
    if rule is not None and rule.split is not None:
        return {(rule.split.feature, frozenset(rule.split.left))}
    found = set()
    for g, feature in enumerate(problem.data.features):
        if g in problem.rules.forbidden:
            continue
        if rule is not None and rule.features is not None and g not in rule.features:
            continue
        n = len(feature.values)
        for left in _thresholds(feature) if feature.kind == "numerical" else _subsets(n):
            if problem.forbid_empty_branches and len(left) in (0, n):
                continue
            if feature.kind == "categorical" and problem.max_card is not None:
                if problem.max_card < len(left) < n - problem.max_card:
                    continue
            found.add((g, left))
    return found


def _subsets(n: int) -> list[frozenset[int]]:
    return [frozenset(c) for size in range(n + 1) for c in combinations(range(n), size)]


def _thresholds(feature) -> list[frozenset[int]]:
    """Low or high bins go left, cut anywhere; the missing bin goes either way."""
    ordered = len(feature.values) - (1 if feature.has_missing else 0)
    sides = []
    for cut in range(ordered + 1):
        for side in (set(range(cut)), set(range(cut, ordered))):
            sides.append(frozenset(side))
            if feature.has_missing:
                sides.append(frozenset(side | {ordered}))
    return sides


def is_fixed(problem: Problem, node: int) -> bool:
    """Whether a rule gives the node its question."""
    return any(at == node and rule.split is not None for at, rule in problem.rules.nodes)


class _Fronts:
    """Fronts of many row sets at once; row sets are the rows of a bool matrix."""

    def __init__(self, problem: Problem) -> None:
        data = problem.data
        assert len(data.y) <= 62, "the referee is for small problems"
        self.problem = problem
        self.positive = np.where(data.y, data.weight, 0).astype(np.float64)
        self.negative = np.where(data.y, 0, data.weight).astype(np.float64)
        self.width = int(self.positive.sum()) + 1
        self.bits = 1 << np.arange(len(data.y), dtype=np.int64)
        self.counted = np.array(rows_held(problem), dtype=np.float64)
        self.left_rows = [self._left_rows(node) for node in range(problem.topology.n_nodes)]

    def whole(self) -> np.ndarray:
        return self.of(0, np.ones((1, len(self.bits)), dtype=bool))[0]

    def _left_rows(self, node: int) -> np.ndarray:
        """bool[K, N]: the distinct row sets that the node's questions send left."""
        data = self.problem.data
        found = []
        for g, left in questions(self.problem, node):
            goes_left = np.array([code in left for code in range(len(data.features[g].values))])
            found.append(goes_left[data.codes[:, g]])
        assert found, "a node without a question"
        return np.unique(np.array(found), axis=0)

    def of(self, child: int, sets: np.ndarray) -> np.ndarray:
        """int[B, P + 1]: the front of the subtree at `child` on each of the B row sets."""
        if child < 0:
            return np.maximum(self._leaf(sets, True), self._leaf(sets, False))
        topology = self.problem.topology
        if max(topology.left[child], topology.right[child]) < 0:
            if not is_fixed(self.problem, child):
                return self._two_leaves(child, sets)
        at_once = max(1, MOST_SETS_AT_ONCE // len(self.left_rows[child]))
        parts = [
            self._decision(child, sets[start : start + at_once])
            for start in range(0, len(sets), at_once)
        ]
        return np.concatenate(parts)

    def _leaf(self, sets: np.ndarray, label: bool) -> np.ndarray:
        front = np.full((len(sets), self.width), IMPOSSIBLE, dtype=np.int64)
        tp = (sets @ self.positive).astype(np.int64) if label else 0
        tn = 0 if label else (sets @ self.negative).astype(np.int64)
        front[np.arange(len(sets)), tp] = tn
        front[~self._are_large_enough(sets, np.ones((1, len(self.bits))))[:, 0]] = IMPOSSIBLE
        return front

    def _are_large_enough(self, sets: np.ndarray, sides: np.ndarray) -> np.ndarray:
        """bool[B, K]: whether sets and sides meet in a leaf that holds enough, or in no row."""
        wanted = self.problem.smallest_leaf
        if wanted is None:
            return np.ones((len(sets), len(sides)), dtype=bool)
        held = (sets * self.counted) @ sides.T
        return (held >= wanted.rows) | (sets.astype(np.float64) @ sides.T == 0)

    def _two_leaves(self, node: int, sets: np.ndarray) -> np.ndarray:
        """Left is negative and right positive: reversing the question gives the rest."""
        left = self.left_rows[node].astype(np.float64)
        tn = ((sets * self.negative) @ left.T).astype(np.int64)
        tp = ((sets * self.positive) @ (1 - left).T).astype(np.int64)
        for side in (left, 1 - left):
            tn[~self._are_large_enough(sets, side)] = IMPOSSIBLE
        front = np.full((len(sets), self.width), IMPOSSIBLE, dtype=np.int64)
        np.maximum.at(front, (np.arange(len(sets))[:, None], tp), tn)
        return front

    def _decision(self, node: int, sets: np.ndarray) -> np.ndarray:
        topology, left = self.problem.topology, self.left_rows[node]
        fronts = []
        for child, side in ((topology.left[node], left), (topology.right[node], ~left)):
            reached = (sets[:, None, :] & side[None, :, :]).reshape(-1, sets.shape[1])
            _, first, inverse = np.unique(
                reached @ self.bits, return_index=True, return_inverse=True
            )
            fronts.append(self.of(child, reached[first])[inverse])
        both = _max_plus(*fronts).reshape(len(sets), len(left), self.width)
        return both.max(axis=1)


def _max_plus(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The front of two disjoint row sets together."""
    total = np.full_like(a, IMPOSSIBLE)
    width = a.shape[1]
    for tp in range(width):
        if (a[:, tp] < 0).all():
            continue
        np.maximum(total[:, tp:], a[:, tp : tp + 1] + b[:, : width - tp], out=total[:, tp:])
    total[total < 0] = IMPOSSIBLE
    return total
