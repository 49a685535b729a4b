"""A good start tree: greedy from the top, then improved one node at a time.

With a start, every solve has a tree at once, and a solver can prune from the beginning. The
top-down pass splits by Gini impurity, as CART does. Then each node gets the best split for the
current rest of the tree (see `best_splits`), until nothing improves. After that, many times, a
random node of the best tree gets a random split, and the tree is improved again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from odt_core.problem import EncodedData, Problem, Split
from odt_core.solution import Assignment
from odt_core.solvers.mip.best_splits import (
    SideMinimum,
    allowed_sizes,
    best_set,
    best_split,
    totals,
)
from odt_core.tree import count_assignment, keeps_smallest_leaf

Rows = npt.NDArray[np.int64]
Weights = npt.NDArray[np.int64]

FLOOR_RATIOS = ((1, 1), (5, 4), (3, 2), (2, 1), (3, 1), (4, 1), (8, 1), (16, 1), (64, 1), (1024, 1))
"""Factors for the weight of the class with a floor, to find a tree that keeps the floor."""

MOST_PASSES = 20
MOST_VISITS = 30_000_000
"""The most visits of rows, so that a start takes much less than a second."""
VISITS_OF_CALL = 500
"""The fixed cost of a call, in visits of rows."""
MOST_GROWN = 4
MOST_TREES = 40


def greedy_assignment(
    problem: Problem, should_stop: Callable[[], bool] = lambda: False
) -> Assignment | None:
    """Find a tree that keeps the floors and the smallest leaf; None if none was found.

    Without these conditions there is always a tree. The result depends on the problem
    alone, unless `should_stop` ends the attempts. It is called once in each pass over the rows.
    """
    merged = replace(problem, data=problem.data.merged())
    gains = merged.gains
    weightings = _row_weights(merged)
    n_trees = _n_trees(merged) // len(weightings)
    best: tuple[int, Assignment] | None = None
    seen: set[Assignment] = set()
    for weights in weightings:
        for found in _GreedySearch(merged, weights, should_stop).trees(n_trees):
            if found not in seen:
                seen.add(found)
                confusion = count_assignment(merged, found.splits, found.labels)
                total = gains.total(confusion)
                allowed = gains.allows(confusion) and keeps_smallest_leaf(merged, found.splits)
                if allowed and (best is None or total > best[0]):
                    best = total, found
            if should_stop():
                return None if best is None else best[1]
    return None if best is None else best[1]


def _n_trees(problem: Problem) -> int:
    """The number of trees to try, each of which costs a few passes over the rows."""
    per_pass = (
        problem.data.n_features * problem.topology.n_nodes * (len(problem.data.y) + VISITS_OF_CALL)
    )
    return min(MOST_TREES, MOST_VISITS // (3 * per_pass))


def _row_weights(problem: Problem) -> list[Weights]:
    """The weights of the rows in each attempt: their gains, more for a class with a floor."""
    data, gains = problem.data, problem.gains
    if not gains.has_floor:
        return [data.weight * np.where(data.y, gains.gain_tp, gains.gain_tn)]
    positive, negative = max(gains.gain_tp, 1), max(gains.gain_tn, 1)
    pairs = [(positive * more, negative * less) for more, less in FLOOR_RATIOS if gains.min_tp]
    pairs += [(positive * less, negative * more) for more, less in FLOOR_RATIOS if gains.min_tn]
    return [data.weight * np.where(data.y, *pair) for pair in pairs]


class _GreedySearch:
    """The search for good trees with one weighting of the rows."""

    def __init__(self, problem: Problem, weights: Weights, should_stop: Callable[[], bool]) -> None:
        self.should_stop = should_stop
        self.problem = problem
        self.data: EncodedData = problem.data
        self.topology = problem.topology
        self.weights = weights
        leaf = problem.smallest_leaf
        self.least = 0 if leaf is None else leaf.rows
        self.counted = None if leaf is None else leaf.counted(problem.data)
        self.improved: dict[Assignment, Assignment] = {}
        self.sides: dict[Split, npt.NDArray[np.bool_]] = {}
        self.everything = np.arange(len(problem.data.y))
        self.splits: list[Split] = [Split(0, frozenset())] * problem.topology.n_nodes
        self.labels = [bool(problem.fixed_label(b)) for b in range(problem.topology.n_leaves)]

    def trees(self, n_trees: int) -> Iterator[Assignment]:
        """Trees from different root features, then variations of the best tree."""
        n_grown = int(np.clip(n_trees, 1, min(MOST_GROWN, self.data.n_features)))
        best = -1
        for skip in range(n_grown):
            self._grow(0, self.everything, skip)
            total = self._improve_until_best()
            yield self._assignment()
            if total > best:
                best, kept = total, self._assignment()
        random = np.random.default_rng(0)
        for _ in range(n_trees - n_grown):
            self.splits, self.labels = list(kept.splits), list(kept.labels)
            self._change_split(random)
            total = self._improve_until_best()
            yield self._assignment()
            if total >= best:
                best, kept = total, self._assignment()

    def _assignment(self) -> Assignment:
        return Assignment(tuple(self.splits), tuple(self.labels))

    def _total(self) -> int:
        return int(self._worth(0, self.everything).sum())

    def _improve_until_best(self) -> int:
        """Improve the tree until no node has a better choice; its worth."""
        total = self._total()
        for _ in range(MOST_PASSES):
            if self.should_stop():
                break
            self._improve_all()
            better = self._total()
            if better <= total:
                return better
            total = better
        return total

    def _improve_all(self) -> None:
        """Give every node its best choice, once; the same tree is improved only once."""
        before = self._assignment()
        if before not in self.improved:
            self._improve(0, self.everything)
            self.improved[before] = self._assignment()
        after = self.improved[before]
        self.splits, self.labels = list(after.splits), list(after.labels)

    def _change_split(self, random: np.random.Generator) -> None:
        """Give a random node a random split."""
        node = int(random.integers(self.topology.n_nodes))
        if self.problem.rules.at(node).split is not None:
            return
        g = int(random.choice(self.problem.allowed_features(node)))
        preference = random.integers(-100, 101, self.data.features[g].n_values)
        found = best_set(self.problem, g, preference)
        if found is not None:
            self.splits[node] = Split(g, found[1])

    def _grow(self, child: int, rows: Rows, skip: int = 0) -> None:
        if child < 0:
            self._relabel(-1 - child, rows)
            return
        if self.topology.has_two_leaves(child):
            self.splits[child] = self._two_leaf_split(child, rows)
        else:
            self.splits[child] = self._gini_split(child, rows, skip)
        for grandchild, part in self._parts(child, rows):
            self._grow(grandchild, part)

    def _improve(self, child: int, rows: Rows) -> None:
        """Give every node (and open label) its best choice for the rest, from the top down."""
        if not len(rows):
            return
        if child < 0:
            self._relabel(-1 - child, rows)
            return
        left, right = (self._worth(below, rows) for below in self.topology.children(child))
        advantage = left - right
        if advantage.any():  # otherwise no split is better
            old, kept = self.splits[child], advantage[self._goes_left(child, rows)].sum()
            self.splits[child] = best_split(
                self.problem, child, self.data.codes[rows], advantage, self._minimum(rows)
            )
            better = advantage[self._goes_left(child, rows)].sum() > kept
            if not better or not self._holds_enough(child, rows):
                self.splits[child] = old
        for grandchild, part in self._parts(child, rows):
            self._improve(grandchild, part)

    def _parts(self, node: int, rows: Rows) -> list[tuple[int, Rows]]:
        left, right = self.topology.children(node)
        goes_left = self._goes_left(node, rows)
        return [(left, rows[goes_left]), (right, rows[~goes_left])]

    def _goes_left(self, node: int, rows: Rows) -> npt.NDArray[np.bool_]:
        split = self.splits[node]
        if split not in self.sides:
            column = self.data.codes[:, split.feature]
            self.sides[split] = np.isin(column, list(split.left))
        return self.sides[split][rows]

    def _worth(self, child: int, rows: Rows) -> Weights:
        """The worth of each row at `child`."""
        if child < 0:
            right = self.data.y[rows] == self.labels[-1 - child]
            return np.where(right, self.weights[rows], 0)
        worth = np.empty(len(rows), dtype=np.int64)
        if not len(rows):
            return worth
        left, right_child = self.topology.children(child)
        goes_left = self._goes_left(child, rows)
        worth[goes_left] = self._worth(left, rows[goes_left])
        worth[~goes_left] = self._worth(right_child, rows[~goes_left])
        return worth

    def _relabel(self, leaf: int, rows: Rows) -> None:
        if self.problem.fixed_label(leaf) is None and len(rows):
            signed = np.where(self.data.y[rows], self.weights[rows], -self.weights[rows])
            self.labels[leaf] = bool(signed.sum() > 0)

    def _two_leaf_split(self, node: int, rows: Rows) -> Split:
        """The best split of a node with two leaves: negative left, positive right."""
        signed = np.where(self.data.y[rows], -self.weights[rows], self.weights[rows])
        return best_split(self.problem, node, self.data.codes[rows], signed, self._minimum(rows))

    def _minimum(self, rows: Rows) -> SideMinimum | None:
        """The smallest size of each side of a split of these rows."""
        return None if self.counted is None else SideMinimum(self.counted[rows], self.least)

    def _holds_enough(self, child: int, rows: Rows) -> bool:
        """Whether each leaf below holds enough of these rows, or none."""
        if self.counted is None or len(rows) == 0:
            return True
        if child < 0:
            return bool(self.counted[rows].sum() >= self.least)
        return all(self._holds_enough(below, part) for below, part in self._parts(child, rows))

    def _gini_split(self, node: int, rows: Rows, skip: int) -> Split:
        """The split with the least impurity on the (skip + 1)th best feature."""
        fixed = self.problem.rules.at(node).split
        if fixed is not None:
            return fixed
        ranked = sorted(
            (self._least_impurity(g, rows) for g in self.problem.allowed_features(node)),
            key=lambda found: found[0],
        )
        return ranked[min(skip, len(ranked) - 1)][1]

    def _least_impurity(self, g: int, rows: Rows) -> tuple[float, Split]:
        """The best split of a feature, with codes ordered by their share of positives (or bins)."""
        feature, codes = self.data.features[g], self.data.codes[rows]
        worth, y = self.weights[rows], self.data.y[rows]
        positive = totals(self.problem, g, codes, np.where(y, worth, 0)).astype(np.float64)
        negative = totals(self.problem, g, codes, np.where(y, 0, worth)).astype(np.float64)
        if feature.is_numerical:
            order = np.arange(feature.n_values)
        else:
            share = positive / np.maximum(positive + negative, 1)
            order = np.argsort(share, kind="stable")
        left_p = np.concatenate([[0.0], np.cumsum(positive[order])])
        left_n = np.concatenate([[0.0], np.cumsum(negative[order])])
        impurity = _gini(left_p, left_n) + _gini(left_p[-1] - left_p, left_n[-1] - left_n)
        allowed, minimum = allowed_sizes(self.problem, feature), self._minimum(rows)
        if (
            minimum is not None
            and (fitting := allowed & minimum.fits(self.problem, g, codes, order)).any()
        ):
            allowed = fitting
        impurity[~allowed] = np.inf
        size = int(impurity.argmin())
        return float(impurity[size]), Split(g, frozenset(int(code) for code in order[:size]))


def _gini(
    positive: npt.NDArray[np.float64], negative: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Impurity times size."""
    return 2 * positive * negative / np.maximum(positive + negative, 1e-12)
