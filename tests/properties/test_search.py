"""The exact search against brute force on random small problems."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from odt_core.problem import EncodedData, Feature, FeatureKind, Goal, Objective, Problem
from odt_core.solution import Engine, Seconds, make_solution
from odt_core.solvers.control import Control
from odt_core.solvers.search import SearchOutcome, frontier, solve_search
from odt_core.topology import Topology
from odt_core.tree import count_assignment
from tests.examples import blocks
from tests.properties import referee
from tests.properties.strategies import random_problem

ROOT = Path(__file__).resolve().parent.parent.parent
SOAK = 20_000
"""How many more problems of all kinds are behind `make soak`."""


def check(
    problem: Problem, outcome: SearchOutcome, allowed: list[tuple[int, int]] | None = None
) -> None:
    """The outcome is proved, is the referee's optimum, and is on the frontier if there are floors.

    The referee's points that meet the floors need not be found again if they are known.
    """
    if allowed is None:
        allowed = referee.allowed_points(problem)
    best = max((referee.value(problem, *point) for point in allowed), default=None)
    solution = make_solution(
        problem,
        engine=Engine.SEARCH,
        assignment=outcome.assignment,
        claimed_total=outcome.total,
        bound=outcome.bound,
        infeasible=outcome.infeasible,
        seconds=Seconds(outcome.seconds),
    )
    assert outcome.proved
    assert solution.value == best
    assert outcome.infeasible == (best is None)
    if outcome.assignment is None:
        return
    splits, labels = outcome.assignment.splits, outcome.assignment.labels
    assert referee.is_legal(problem, splits, labels)
    tp, tn = referee.tally(problem, splits, labels)
    assert problem.gains.gain_tp * tp + problem.gains.gain_tn * tn == outcome.total
    if problem.gains.has_floor or problem.gains.counts_one_class:
        assert (tp, tn) in allowed


@pytest.mark.parametrize("seeds", blocks(0, 50, 18, always=3))
def test_random_problems(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed)
        check(problem, solve_search(problem, Control(threads=1 + seed % 2)))


@pytest.mark.parametrize("seeds", blocks(0, 25, 4, always=2))
def test_random_deep_problems(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, deep=True)
        check(problem, solve_search(problem, Control(threads=1 + seed % 2)))


@pytest.mark.parametrize("seeds", blocks(0, 25, 6, always=2))
def test_the_smallest_leaf(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, smallest_leaf=True)
        outcome = solve_search(problem, Control(threads=1 + seed % 2))
        check(problem, outcome)
        if outcome.assignment is not None:
            assert referee.keeps_smallest_leaf(problem, outcome.assignment.splits)


def check_frontier(problem: Problem) -> None:
    """The frontier is proved, is the referee's, and every tree reaches its point."""
    outcome = frontier(problem)
    positives, negatives = problem.data.n_positive, problem.data.n_negative
    assert outcome.proved
    reached = []
    for point in outcome.points:
        splits, labels = point.assignment.splits, point.assignment.labels
        confusion = count_assignment(problem, splits, labels)
        assert (confusion.fn, confusion.fp) == (point.fn, point.fp)
        assert problem.admits_all(splits, labels)
        reached.append((positives - point.fn, negatives - point.fp))
        assert point.proved and outcome.least[point.fn] == point.fp
    assert sorted(reached) == sorted(referee.frontier(problem))


@pytest.mark.parametrize("seeds", blocks(5_000, 25, 4))
def test_frontiers(seeds: range) -> None:
    for seed in seeds:
        check_frontier(random_problem(seed, deep=seed % 5 == 0, smallest_leaf=seed % 4 == 0))


@pytest.mark.parametrize("seeds", blocks(6_000, 50, 2))
def test_a_frontier_ended_early_claims_only_what_is_true(seeds: range) -> None:
    """Ended after so many looks at the flag that every step of the search reads."""
    early = 0
    for seed in seeds:
        problem = random_problem(seed, deep=seed % 4 == 0)
        outcome = frontier(problem, Control(0.004, should_stop=_StopAfter(seed % 3)))
        positives, negatives = problem.data.n_positive, problem.data.n_negative
        exact = [(positives - tp, negatives - tn) for tp, tn in referee.frontier(problem)]
        for fn, least in enumerate(outcome.least):
            assert least <= min((fp for a, fp in exact if a <= fn), default=negatives + 1)
        for point in outcome.points:
            confusion = count_assignment(problem, point.assignment.splits, point.assignment.labels)
            assert (confusion.fn, confusion.fp) == (point.fn, point.fp)
            assert not point.proved or (point.fn, point.fp) in exact
        early += not outcome.proved
        if outcome.proved:
            assert [(point.fn, point.fp) for point in outcome.points] == sorted(exact)
    assert early > 0


@pytest.mark.parametrize("seeds", blocks(7_000, 15, 4))
def test_one_thread_is_repeatable_and_two_agree(seeds: range) -> None:
    for seed in seeds:
        problem = random_problem(seed, deep=seed % 3 == 0)
        one, again = solve_search(problem), solve_search(problem)
        assert one.assignment == again.assignment
        assert one.total == solve_search(problem, Control(threads=2)).total


class _StopAfter:
    """Says stop from the n-th time it is asked."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("seeds", blocks(8_000, 75, 2))
def test_stopped_at_any_moment_claims_only_what_is_true(seeds: range) -> None:
    early = 0
    for seed in seeds:
        problem = random_problem(seed, deep=seed % 2 == 0)
        best = referee.best_value(problem)
        outcome = solve_search(problem, Control(0.002, should_stop=_StopAfter(seed % 4)))
        early += not outcome.proved
        value = problem.gains.value
        if best is not None:
            assert value(outcome.bound) >= best
            assert outcome.total is None or value(outcome.total) <= best
            assert not outcome.infeasible
        if outcome.proved:
            check(problem, outcome)
    assert early > 0


def test_a_cap_counts_the_smaller_side_of_a_set_with_absent_categories() -> None:
    """Two of three categories that the rows have may go one way, though the cap is one."""
    values = (tuple("abcde"), tuple("abcd"), tuple("abc"), tuple("abc"))
    features = tuple(
        Feature(f"c{g}", FeatureKind.CATEGORICAL, names) for g, names in enumerate(values)
    )
    rows = [
        [0, 2, 0, 2], [2, 1, 0, 0], [0, 1, 0, 1], [2, 1, 0, 0],
        [2, 2, 0, 1], [0, 1, 0, 1], [3, 1, 0, 1], [0, 2, 0, 0],
    ]  # fmt: skip
    y = np.array([0, 0, 1, 1, 1, 0, 0, 1], np.bool_)
    weight = np.array([1, 5, 3, 4, 4, 4, 4, 4], np.int64)
    data = EncodedData(np.array(rows, np.int32), y, weight, features)
    for floor in ("0.3", "0.5", "0.7", "1"):
        objective = Objective(Goal.MAX_TPR, min_tnr=Fraction(floor))
        for shape in ("depth-1", "depth-2", "depth-3", "(. ((. .)(. .)))"):
            problem = Problem(data, Topology.parse(shape), objective, max_card=1)
            check(problem, solve_search(problem))


@pytest.mark.soak  # compiles all kernels a second time, with checks
def test_with_bounds_checked(tmp_path: Path) -> None:
    """An out-of-range write into a bound once gave a plausible wrong optimum."""
    code = (
        "from tests.properties import test_search as t\n"
        "from tests.properties.strategies import random_problem as p\n"
        "from odt_core.solvers.search import solve_search\n"
        "for s in range(9000, 9120):\n"
        "    q = p(s, deep=s % 4 == 0)\n"
        "    t.check(q, solve_search(q, t.Control(threads=1 + s % 2)))\n"
        "    t.check_frontier(q)\n"
    )
    cache = Path(os.environ.get("NUMBA_CACHE_DIR", tmp_path)).parent / "numba-boundscheck"
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.soak
@pytest.mark.parametrize("first", range(0, SOAK, SOAK // 20))
def test_soak(first: int) -> None:
    for seed in range(100_000 + first, 100_000 + first + SOAK // 20):
        problem = random_problem(seed, deep=seed % 10 == 0, smallest_leaf=seed % 4 == 1)
        check(problem, solve_search(problem, Control(threads=1 + seed % 2)))
        if seed % 8 == 0:
            check_frontier(problem)


@pytest.mark.soak
def test_soak_stopped_by_a_timer() -> None:
    for seed in range(200_000, 202_000):
        problem = random_problem(seed, deep=True)
        flag = threading.Event()
        timer = threading.Timer((seed % 50) / 2_000, flag.set)
        timer.start()
        outcome = solve_search(problem, Control(should_stop=flag.is_set))
        timer.cancel()
        best = referee.best_value(problem)
        if best is not None:
            assert problem.gains.value(outcome.bound) >= best
