"""The tree that solves start from."""

from __future__ import annotations

import pytest

from odt_core.problem import Problem
from odt_core.solvers.mip.greedy import greedy_assignment
from odt_core.topology import Topology
from odt_core.tree import count_assignment
from tests.core.solvers.problems import monks_1
from tests.examples import blocks
from tests.properties.referee import best_value, is_legal, keeps_smallest_leaf, tally
from tests.properties.strategies import random_problem


@pytest.mark.parametrize("smallest_leaf", [False, True])
@pytest.mark.parametrize("seeds", blocks(0, 15, 4))
def test_the_tree_is_legal_and_meets_the_floors_and_the_smallest_leaf(
    seeds: range, smallest_leaf: bool
) -> None:
    for seed in seeds:
        problem = random_problem(seed, smallest_leaf=smallest_leaf)
        tree = greedy_assignment(problem)
        if tree is None:
            assert problem.gains.has_floor or smallest_leaf
            continue
        assert is_legal(problem, tree.splits, tree.labels)
        assert keeps_smallest_leaf(problem, tree.splits)
        tp, tn = tally(problem, tree.splits, tree.labels)
        assert tp >= problem.gains.min_tp and tn >= problem.gains.min_tn


@pytest.mark.parametrize("smallest_leaf", [False, True])
@pytest.mark.parametrize("seeds", blocks(200, 25, 2))
def test_a_tree_is_found_nearly_always_where_there_is_one(
    seeds: range, smallest_leaf: bool
) -> None:
    missed = []
    for seed in seeds:
        problem = random_problem(seed, smallest_leaf=smallest_leaf)
        if greedy_assignment(problem) is None and best_value(problem) is not None:
            missed.append(seed)
    assert len(missed) <= len(seeds) / 25


def test_the_same_problem_gives_the_same_tree() -> None:
    for seed in range(5):
        assert greedy_assignment(random_problem(seed)) == greedy_assignment(random_problem(seed))


def test_it_is_good_enough_for_monks_1() -> None:
    problem = Problem(monks_1(), Topology.parse("depth-2"))
    tree = greedy_assignment(problem)
    assert tree is not None
    assert count_assignment(problem, tree.splits, tree.labels).errors == 96
