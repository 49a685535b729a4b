"""Brute force for lists of near-optimal trees: every tree of a small problem, one by one.

It shares no code with `odt_core.alternatives`. It tries each assignment of questions and labels,
brings the tree to its canonical form by the definition, and keeps the best of each choice of
columns. Questions that part the rows at a node alike are tried once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from odt_core.problem import Problem
from tests.properties import referee

Shape = tuple  # () for a leaf, else (feature, below, below) with the two below in order
Node = tuple[Shape, int, int, int, bool | None]  # choice, FN, FP, named, label of a leaf


@dataclass(frozen=True)
class ListedTree:
    """The best tree of a choice of columns."""

    loss: int
    others: int
    questions: int
    named: int
    choice: Shape

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """What the list is ordered by."""
        return self.loss, self.others, self.questions, self.named


def list_trees(problem: Problem) -> list[ListedTree]:
    """The best tree of every choice of columns, best first."""
    data, gains = problem.data, problem.gains
    positives, negatives = data.n_positive, data.n_negative
    objective = problem.objective
    most_fn = positives - math.ceil((objective.min_tpr or 0) * positives)
    most_fp = negatives - math.ceil((objective.min_tnr or 0) * negatives)
    best: dict[Shape, ListedTree] = {}
    for choice, fn, fp, named, _ in _Lister(problem).trees(0, frozenset(range(len(data.y)))):
        if fn > most_fn or fp > most_fp:
            continue
        loss = gains.gain_tp * fn + gains.gain_tn * fp
        others = fp if gains.gain_tn == 0 else fn if gains.gain_tp == 0 else 0
        found = ListedTree(loss, others, _n_questions(choice), named, choice)
        if choice not in best or found.rank < best[choice].rank:
            best[choice] = found
    return sorted(best.values(), key=lambda tree: tree.rank)


def _n_questions(choice: Shape) -> int:
    return 0 if not choice else 1 + _n_questions(choice[1]) + _n_questions(choice[2])


class _Lister:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.counted = referee.rows_held(problem)
        self.least = 0 if problem.smallest_leaf is None else problem.smallest_leaf.rows
        self.questions = [
            sorted((g, tuple(sorted(left))) for g, left in referee.questions(problem, node))
            for node in range(problem.topology.n_nodes)
        ]
        self.known: dict[tuple[int, frozenset[int]], list[Node]] = {}

    def trees(self, child: int, rows: frozenset[int]) -> list[Node]:
        """All canonical subtrees on some rows; of equal description only one."""
        key = (child, rows)
        if key not in self.known:
            self.known[key] = sorted(set(self._trees(child, rows)), key=repr)
        return self.known[key]

    def _trees(self, child: int, rows: frozenset[int]) -> Iterator[Node]:
        if child < 0:
            for label in (False, True):
                yield from self._leaf(rows, label)
            return
        topology = self.problem.topology
        below = topology.left[child], topology.right[child]
        is_bound = max(below) < 0 and not referee.is_fixed(self.problem, child)
        for parted in self._partitions(child, rows):
            g, left = parted
            values = {int(self.problem.data.codes[row, g]) for row in rows}
            goes_left = frozenset(
                row for row in rows if int(self.problem.data.codes[row, g]) in left
            )
            sides = []
            for at, some in zip(below, (goes_left, rows - goes_left), strict=True):
                found = self.trees(at, some) if some else [None]
                if is_bound and some:
                    found = [each for each in found if each[4] == (at == below[1])]
                sides.append(found)
            for a, b in product(*sides):
                yield self._joined(child, g, left, values, a, b)

    def _partitions(self, node: int, rows: frozenset[int]) -> list[tuple[int, tuple[int, ...]]]:
        codes = self.problem.data.codes
        found = {}
        for g, left in self.questions[node]:
            side = frozenset(row for row in rows if int(codes[row, g]) in left)
            found.setdefault((g, side), (g, left))
        return list(found.values())

    def _leaf(self, rows: frozenset[int], label: bool) -> Iterator[Node]:
        data = self.problem.data
        if sum(self.counted[row] for row in rows) < self.least:
            return
        fn = sum(int(data.weight[row]) for row in rows if data.y[row] and not label)
        fp = sum(int(data.weight[row]) for row in rows if not data.y[row] and label)
        yield (), fn, fp, 0, label

    def _joined(self, node, g, left, values, a, b) -> Node:
        if a is None or b is None:
            return b if a is None else a
        fn, fp, named = a[1] + b[1], a[2] + b[2], a[3] + b[3]
        if a[4] is not None and a[4] == b[4]:
            return (), fn, fp, named, a[4]
        feature = self.problem.data.features[g]
        here = 1
        if feature.kind == "categorical":
            yes = len(values & set(left))
            here = min(yes, len(values) - yes)
        low, high = sorted((a[0], b[0]), key=repr)
        return (g, low, high), fn, fp, named + here, None


def choice_of(tree, node=None) -> Shape:
    """The choice of columns of a tree of the product."""
    node = tree.root if node is None else node
    if not hasattr(node, "split"):
        return ()
    low, high = sorted((choice_of(tree, node.left), choice_of(tree, node.right)), key=repr)
    return (node.split.feature, low, high)
