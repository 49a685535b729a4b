"""The referee itself against the most literal enumeration there is."""

from __future__ import annotations

import math
from itertools import product

import pytest

from odt_core.problem import Problem, Split
from tests.properties.referee import frontier, is_legal, keeps_smallest_leaf, questions, tally
from tests.properties.strategies import random_problem

MOST_TREES = 20_000


def trees(problem: Problem):
    """Every tree: all questions at all nodes, all labels at all leaves, kept if allowed."""
    nodes = range(problem.topology.n_nodes)
    labels = list(product((False, True), repeat=problem.topology.n_leaves))
    for asked in product(*(sorted(questions(problem, node), key=str) for node in nodes)):
        splits = [Split(feature, left) for feature, left in asked]
        if not keeps_smallest_leaf(problem, splits):
            continue
        for label in labels:
            if is_legal(problem, splits, label):
                yield splits, label


def n_trees(problem: Problem) -> int:
    nodes = range(problem.topology.n_nodes)
    return 2**problem.topology.n_leaves * math.prod(len(questions(problem, n)) for n in nodes)


SMALL = [
    seed
    for seed in range(400)
    if n_trees(random_problem(seed)) <= MOST_TREES and random_problem(seed).topology.n_nodes > 1
][:15]


@pytest.mark.parametrize("smallest_leaf", [False, True])
@pytest.mark.parametrize("seed", SMALL)
def test_frontier_is_that_of_all_trees_listed_one_by_one(seed: int, smallest_leaf: bool) -> None:
    problem = random_problem(seed, smallest_leaf=smallest_leaf)
    points = {tally(problem, splits, labels) for splits, labels in trees(problem)}
    undominated = sorted(
        p for p in points if not any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in points)
    )
    assert frontier(problem) == undominated
