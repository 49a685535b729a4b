"""The frontier study against brute force: every undominated pair, and only these."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from random import Random

import pytest

from odt_core.problem import Goal, Objective, Problem
from odt_core.solution import Engine, Status
from odt_core.solvers import solve
from odt_core.solvers.control import Control
from odt_core.studies import FrontierView, LowerBound, OperatingPoint, Sweep, search_frontier
from odt_core.studies.weighted import corner_points
from odt_core.tree import count_assignment
from tests.examples import some
from tests.properties.referee import frontier, is_legal, tally
from tests.properties.strategies import TOPOLOGIES, make_problem

FOREVER = 600.0


def point_at(view: FrontierView, level: Fraction, sweep: Sweep) -> OperatingPoint | None:
    """The best point that keeps a floor."""
    index = view.at_level(level, sweep)
    return None if index is None else view.points[index]


def study_problem(seed: int) -> Problem:
    """Every shape to depth 3 in turn, with caps, ordered features, missing bins, weights, rules."""
    return make_problem(Random(seed), topologies=[TOPOLOGIES[seed % len(TOPOLOGIES)]])


@pytest.mark.parametrize("seed", some(range(2 * len(TOPOLOGIES)), always=len(TOPOLOGIES)))
def test_it_is_what_brute_force_finds(seed: int) -> None:
    problem = study_problem(seed)
    found = search_frontier(problem, problem.data, Control(FOREVER))
    points = found.points
    assert found.status is Status.OPTIMAL and found.bound is None
    reached = [(point.train.tp, point.train.tn) for point in points]
    assert sorted(reached) == frontier(problem)
    for before, after in zip(points, points[1:], strict=False):
        assert before.fn < after.fn and before.fp > after.fp
    for point in points:
        assert point.proved
        splits, labels = point.assignment.splits, point.assignment.labels
        assert is_legal(problem, splits, labels)
        assert tally(problem, splits, labels) == (point.train.tp, point.train.tn)
        assert point.tree.confusion(problem.data) == point.train == point.test


LEVELS = [Fraction(level) for level in ("0.8", "0.95", "1")]


@pytest.mark.parametrize("seed", range(0, 25, 3))
def test_a_solve_with_a_floor_lies_on_it(seed: int) -> None:
    problem = study_problem(seed)
    view = search_frontier(problem, None, Control(FOREVER))
    for floor in LEVELS:
        asked = replace(problem, objective=Objective(Goal.MAX_TNR, min_tpr=floor))
        expected = point_at(view, floor, Sweep.TPR)
        solution = solve(asked, engine=Engine.SEARCH, control=Control(FOREVER))
        if expected is None:
            assert solution.status is Status.INFEASIBLE
            continue
        assert solution.status is Status.OPTIMAL and solution.confusion is not None
        assert solution.confusion.fp == expected.fp
        as_good = {point.fn for point in view.points if point.fp == expected.fp}
        assert solution.confusion.fn in as_good


@pytest.mark.parametrize("seed", range(1, 25, 3))
def test_a_solve_with_a_floor_on_specificity_lies_on_it(seed: int) -> None:
    problem = study_problem(seed)
    view = search_frontier(problem, None, Control(FOREVER))
    for floor in LEVELS:
        asked = replace(problem, objective=Objective(Goal.MAX_TPR, min_tnr=floor))
        expected = point_at(view, floor, Sweep.TNR)
        solution = solve(asked, engine=Engine.SEARCH, control=Control(FOREVER))
        if expected is None:
            assert solution.status is Status.INFEASIBLE
            continue
        assert solution.status is Status.OPTIMAL and solution.confusion is not None
        assert (solution.confusion.fn, solution.confusion.fp) == (expected.fn, expected.fp)


def test_what_a_part_of_the_frontier_proves_at_a_floor_is_so() -> None:
    """Two corners are known; what is called best at a floor is best."""
    undominated_but_not_best = 0
    for seed in range(25):
        problem = study_problem(seed)
        exact = search_frontier(problem, None, Control(FOREVER))
        corners = list(islice(corner_points(problem, bound := LowerBound()), 2))
        reached = {count_assignment(problem, tree.splits, tree.labels) for tree in corners}
        points = tuple(point for point in exact.points if point.train in reached)
        part = replace(exact, points=points, bound=bound)
        for sweep in Sweep:
            for level in (Fraction(step, 20) for step in range(21)):
                at, best = part.at_level(level, sweep), point_at(exact, level, sweep)
                if at is None:
                    continue
                if part.is_best_at(at, level, sweep):
                    assert best is not None and points[at].train == best.train
                undominated_but_not_best += points[at] is not best
    assert undominated_but_not_best, "the test must see such points"


@pytest.mark.parametrize("seed", range(1, 25, 4))
def test_weighted_searches_prove_corners_and_bound_the_rest(seed: int) -> None:
    problem = study_problem(seed)
    positives, negatives = problem.data.n_positive, problem.data.n_negative
    exact = [(positives - tp, negatives - tn) for tp, tn in reversed(frontier(problem))]
    bound = LowerBound()
    corners = set()
    for assignment in corner_points(problem, bound):
        found = count_assignment(problem, assignment.splits, assignment.labels)
        corners.add((found.fn, found.fp))
    assert corners <= set(exact)
    assert all(bound.proves(fn, fp) for fn, fp in corners)
    for fn, fp in exact:
        assert bound.least_fp(fn) <= fp
        if bound.proves(fn, fp):
            assert (fn, fp) in exact
    assert len(corners) == len(exact) or not bound.is_reached_by(sorted(corners), positives)
