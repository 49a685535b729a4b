"""The referee itself against the most literal enumeration there is."""

from __future__ import annotations

import math
from itertools import count, islice, product

import pytest

from odt_core.problem import Problem, Split
from tests.examples import some
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


def is_small(seed: int) -> bool:
    """Whether a problem has more than one node, and few trees."""
    problem = random_problem(seed)
    return problem.topology.n_nodes > 1 and n_trees(problem) <= MOST_TREES


SMALL = list(islice(filter(is_small, count()), 15))


@pytest.mark.parametrize("smallest_leaf", [False, True])
@pytest.mark.parametrize("seed", some(SMALL, always=8))
def test_frontier_is_that_of_all_trees_listed_one_by_one(seed: int, smallest_leaf: bool) -> None:
    problem = random_problem(seed, smallest_leaf=smallest_leaf)
    points = {tally(problem, splits, labels) for splits, labels in trees(problem)}
    undominated = sorted(
        p for p in points if not any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in points)
    )
    assert frontier(problem) == undominated
