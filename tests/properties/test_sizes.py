"""The best trees of any shape by their number of questions, against brute force over all shapes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from odt_core.errors import InputError
from odt_core.problem import LeafCount, NodeRule, Objective, Problem, Rules, SmallestLeaf
from odt_core.solution import Engine, Status
from odt_core.solvers.control import Control
from odt_core.solvers.sizes import SizePoint, solve_sizes
from odt_core.topology import Topology
from tests.examples import blocks
from tests.properties import referee
from tests.properties.strategies import random_problem, shapes

MOST = 4


def free_problem(seed: int, **options: bool) -> Problem:
    """A random problem without rules that are tied to a node."""
    problem = random_problem(seed, **options)
    return replace(problem, rules=replace(problem.rules, nodes=()))


def best_values(problem: Problem, most: int) -> list[Fraction | None]:
    """By number of questions, the best value of every shape, mirror images among them."""
    best = _leaf_value(problem)
    found = [best]
    for k in range(1, most + 1):
        for text in shapes(4):
            if text.count("(") == k:
                value = referee.best_value(replace(problem, topology=Topology.parse(text)))
                best = max((each for each in (best, value) if each is not None), default=None)
        found.append(best)
    return found


def _leaf_value(problem: Problem) -> Fraction | None:
    """The better of the two trees without a question."""
    data, objective = problem.data, problem.objective
    positives, negatives = (int(data.weight[data.y == y].sum()) for y in (True, False))
    found = []
    for tp, tn in ((positives, 0), (0, negatives)):
        enough_tp = tp >= (objective.min_tpr or 0) * positives
        enough_tn = tn >= (objective.min_tnr or 0) * negatives
        if enough_tp and enough_tn:
            found.append(referee.value(problem, tp, tn))
    return max(found, default=None)


def check(problem: Problem, points: tuple[SizePoint, ...], expected: list) -> None:
    """Every point is proved and right, and its tree asks no more questions than it may."""
    for point, value in zip(points, expected, strict=True):
        assert point.solution.value == value
        if value is None:
            assert point.solution.status is Status.INFEASIBLE
            continue
        assert point.solution.status is Status.OPTIMAL
        tree = point.solution.tree
        assert tree is not None and len(tree.decisions) <= point.questions
        confusion = tree.confusion(problem.data)
        assert referee.value(problem, confusion.tp, confusion.tn) == value


@pytest.mark.parametrize("seeds", blocks(0, 6, 4))
def test_against_every_shape(seeds: range) -> None:
    for seed in seeds:
        problem = free_problem(seed, deep=True, smallest_leaf=seed % 4 == 3)
        check(problem, solve_sizes(problem, MOST), best_values(problem, MOST))


@pytest.mark.parametrize("seeds", blocks(100, 6, 2))
def test_only_the_largest_number_wanted(seeds: range) -> None:
    for seed in seeds:
        problem = free_problem(seed, deep=True)
        point = solve_sizes(problem, MOST, every=False)[-1]
        assert point.solution.value == best_values(problem, MOST)[-1]
        assert point.solution.gap in (0, None)


def test_more_than_every_shape_of_three_levels() -> None:
    """All 66 topologies, against the largest one: it includes all others."""
    for seed in range(200, 204):
        problem = replace(free_problem(seed, plain=True), topology=Topology.parse("depth-4"))
        assert solve_sizes(problem, 15)[-1].solution.value == referee.best_value(problem)


class _StopsAfter:
    """True from the n-th question on."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_stopped_at_any_moment_claims_only_what_is_true() -> None:
    for seed in range(300, 312):
        problem = free_problem(seed, deep=True)
        expected = best_values(problem, MOST)
        for n in (0, 1, 3):
            points = solve_sizes(problem, MOST, Control(should_stop=_StopsAfter(n)))
            for point, value in zip(points, expected, strict=True):
                solution = point.solution
                if solution.value is not None:
                    assert value is not None and solution.value <= value
                if solution.status is Status.OPTIMAL:
                    assert solution.value == value
                if solution.value_bound is not None and value is not None:
                    assert solution.value_bound >= value
                assert (solution.status is Status.INFEASIBLE) <= (value is None)


def test_no_time_at_all_leaves_the_tree_without_a_question() -> None:
    problem = free_problem(1, plain=True)
    points = solve_sizes(problem, 3, Control(1e-9))
    assert [point.topology_name for point in points] == ["."] * 4
    assert points[0].solution.status is Status.OPTIMAL
    assert points[3].solution.bound is not None


def test_what_is_tied_to_one_shape_is_refused() -> None:
    problem = free_problem(2, plain=True)
    tied = replace(problem, rules=Rules(nodes=((0, NodeRule(features=frozenset({0}))),)))
    with pytest.raises(InputError, match="choose a shape"):
        solve_sizes(tied, 2)
    with pytest.raises(InputError, match="choose hybrid or search"):
        solve_sizes(problem, 2, engine=Engine.CBC)


def test_the_rarer_class_in_each_leaf() -> None:
    problem = replace(
        free_problem(5, plain=True),
        smallest_leaf=SmallestLeaf(2, LeafCount.RARER_CLASS),
        objective=Objective(class_weight=Fraction(5, 2)),
    )
    check(problem, solve_sizes(problem, 3), best_values(problem, 3))
