"""The exact search against brute force on random small problems."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from odt_core.problem import Problem
from odt_core.solution import Engine, Seconds, make_solution
from odt_core.solvers.search import SearchOutcome, frontier, solve_search
from odt_core.solvers.search.fronts import FrontSearch
from odt_core.tree import count_assignment
from tests.properties import referee
from tests.properties.strategies import random_problem

ROOT = Path(__file__).resolve().parent.parent.parent
SHALLOW, DEEP, FRONTIERS, SOAK = 1_800, 200, 150, 20_000
CHUNK = 100


def check(problem: Problem, outcome: SearchOutcome) -> None:
    """The outcome is proved, is the referee's optimum, and lies on the frontier if floored."""
    best = referee.best_value(problem)
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
    if problem.gains.has_floor:
        assert (tp, tn) in referee.frontier(problem)


@pytest.mark.parametrize("first", range(0, SHALLOW, CHUNK))
def test_random_problems(first: int) -> None:
    for seed in range(first, first + CHUNK):
        problem = random_problem(seed)
        check(problem, solve_search(problem, threads=1 + seed % 2))


@pytest.mark.parametrize("first", range(0, DEEP, CHUNK))
def test_random_deep_problems(first: int) -> None:
    for seed in range(first, first + CHUNK):
        problem = random_problem(seed, deep=True)
        check(problem, solve_search(problem, threads=1 + seed % 2))


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


def test_frontiers() -> None:
    for seed in range(5_000, 5_000 + FRONTIERS):
        check_frontier(random_problem(seed, deep=seed % 5 == 0))


def test_a_frontier_ended_early_claims_only_what_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search is ended after so many splits were looked at."""
    proved, unproved = 0, 0
    try_split = FrontSearch._try

    def try_and_end(search: FrontSearch, *args: object) -> None:
        nonlocal left
        left -= 1
        search.stop[0] = left < 0
        try_split(search, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(FrontSearch, "_try", try_and_end)
    for seed in range(6_000, 6_000 + FRONTIERS):
        problem = random_problem(seed, deep=seed % 4 == 0)
        left = (seed % 12) ** 2
        outcome = frontier(problem)
        positives, negatives = problem.data.n_positive, problem.data.n_negative
        exact = [(positives - tp, negatives - tn) for tp, tn in referee.frontier(problem)]
        for fn, least in enumerate(outcome.least):
            assert least <= min((fp for a, fp in exact if a <= fn), default=negatives + 1)
        for point in outcome.points:
            confusion = count_assignment(problem, point.assignment.splits, point.assignment.labels)
            assert (confusion.fn, confusion.fp) == (point.fn, point.fp)
            assert not point.proved or (point.fn, point.fp) in exact
            proved += point.proved and not outcome.proved
            unproved += not point.proved
        assert outcome.proved == (left >= 0)
        if outcome.proved:
            assert [(point.fn, point.fp) for point in outcome.points] == sorted(exact)
    assert proved > 0 and unproved > 0


def test_one_thread_is_repeatable_and_two_agree() -> None:
    for seed in range(7_000, 7_060):
        problem = random_problem(seed, deep=seed % 3 == 0)
        one, again = solve_search(problem), solve_search(problem)
        assert one.assignment == again.assignment
        assert one.total == solve_search(problem, threads=2).total


class _StopAfter:
    """Says stop from the n-th time it is asked."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_stopped_at_any_moment_claims_only_what_is_true() -> None:
    early = 0
    for seed in range(8_000, 8_150):
        problem = random_problem(seed, deep=seed % 2 == 0)
        best = referee.best_value(problem)
        outcome = solve_search(problem, should_stop=_StopAfter(seed % 4), time_limit=0.002)
        early += not outcome.proved
        value = problem.gains.value
        if best is not None:
            assert value(outcome.bound) >= best
            assert outcome.total is None or value(outcome.total) <= best
            assert not outcome.infeasible
        if outcome.proved:
            check(problem, outcome)
    assert early > 0


@pytest.mark.soak  # compiles all kernels a second time, with checks
def test_with_bounds_checked(tmp_path: Path) -> None:
    """An out-of-range write into a bound once gave a plausible wrong optimum."""
    code = (
        "from tests.properties import test_search as t\n"
        "from tests.properties.strategies import random_problem as p\n"
        "from odt_core.solvers.search import solve_search\n"
        "for s in range(9000, 9120):\n"
        "    q = p(s, deep=s % 4 == 0)\n"
        "    t.check(q, solve_search(q, threads=1 + s % 2))\n"
        "    t.check_frontier(q)\n"
    )
    cache = Path(os.environ.get("NUMBA_CACHE_DIR", tmp_path)).parent / "numba-boundscheck"
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.soak
def test_soak() -> None:
    for seed in range(100_000, 100_000 + SOAK):
        problem = random_problem(seed, deep=seed % 10 == 0)
        check(problem, solve_search(problem, threads=1 + seed % 2))


@pytest.mark.soak
def test_soak_stopped_by_a_timer() -> None:
    for seed in range(200_000, 202_000):
        problem = random_problem(seed, deep=True)
        flag = threading.Event()
        timer = threading.Timer((seed % 50) / 2_000, flag.set)
        timer.start()
        outcome = solve_search(problem, should_stop=flag.is_set)
        timer.cancel()
        best = referee.best_value(problem)
        if best is not None:
            assert problem.gains.value(outcome.bound) >= best
