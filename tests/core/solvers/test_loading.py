"""Loading kernels into a process: whoever waits is heard, and nothing is left to load after it."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from odt_core.problem import Problem, Split
from odt_core.solution import Engine, Status
from odt_core.solvers import hybrid, solve
from odt_core.solvers.mip.greedy import greedy_assignment
from odt_core.solvers.search import SearchOutcome, compiling, loading, solve_search
from odt_core.solvers.search import engine as engine_module
from odt_core.topology import Topology
from odt_core.tree import count_assignment
from tests.core.solvers.cold import forget_kernels, solve_cut_short
from tests.core.solvers.problems import noise

REHEARSED = """
import dataclasses
import sys
from fractions import Fraction
import numpy as np
from odt_core.problem import Goal, Objective, Problem
from odt_core.solvers.search import solve_search
from odt_core.solvers.search.warm import rehearse
from odt_core.topology import Topology
from tests.core.solvers.kernels import ready
from tests.core.solvers.problems import noise

shape, heavy, floor = sys.argv[1], sys.argv[2] == "heavy", sys.argv[3] == "floor"
data = noise(60, [3, 7, 2])
if heavy:
    data = dataclasses.replace(data, weight=np.where(np.arange(60) == np.argmin(data.y), 2**24, 1))
objective = Objective(Goal.MAX_TPR, min_tnr=Fraction(4, 5)) if floor else Objective()
problem = Problem(data, Topology.parse(shape), objective, 2)
rehearse(problem)
before = ready()
solve_search(problem)
assert before
print(sorted(ready() - before))
"""


@pytest.fixture
def problem() -> Problem:
    return Problem(noise(60, [3, 4, 2]), Topology.parse("depth-3"))


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has loaded nothing yet, on a machine where all is compiled."""
    compiling.main()
    forget_kernels(monkeypatch)


@pytest.mark.parametrize("weights", ["light", "heavy"])
@pytest.mark.parametrize("floors", ["none", "floor"])
@pytest.mark.parametrize("shape", ["depth-2", "depth-2.5", "depth-3", "imbalanced", "cues-4"])
def test_a_search_that_was_rehearsed_has_nothing_left_to_load(
    shape: str, floors: str, weights: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REHEARSED, shape, weights, floors],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("engine", [Engine.HYBRID, Engine.SEARCH])
@pytest.mark.parametrize("stopped", [False, True])
def test_limits_and_stops_are_heard_while_kernels_are_loaded(
    engine: Engine,
    stopped: bool,
    problem: Problem,
    cold: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over: list[bool] = []
    monkeypatch.setattr(loading, "rehearse", lambda _: _wait_for(lambda: bool(over)))
    solution, took = solve_cut_short(problem, engine, by_stop=stopped)
    over.append(True)
    assert took < 1.5
    assert solution.tree is not None and solution.proved_by == ()
    assert solution.status is (Status.CANCELLED if stopped else Status.FEASIBLE)
    assert solution.remark == loading.LOADING_REMARK


@pytest.mark.parametrize("engine", [Engine.HYBRID, Engine.SEARCH])
def test_a_search_that_comes_to_less_than_the_quick_tree_does_not_replace_it(
    engine: Engine, problem: Problem, cold: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where hardly any time is left once the kernels are loaded."""

    def briefly(problem: Problem, **options: object) -> SearchOutcome:
        assert options["incumbent"] is None
        found = solve_search(problem)
        assert found.assignment is not None
        empty = tuple(Split(0, frozenset()) for _ in found.assignment.splits)
        worse = dataclasses.replace(found.assignment, splits=empty)
        counted = count_assignment(problem, worse.splits, worse.labels)
        return dataclasses.replace(
            found,
            assignment=worse,
            total=problem.gains.total(counted),
            bound=problem.data.n_rows,
            proved=False,
        )

    for module in (engine_module, hybrid):
        monkeypatch.setattr(module, "solve_search", briefly)
    monkeypatch.setattr(
        hybrid, "_finish", lambda p, e, b, found: hybrid._settle(p, e, b, found, None)
    )
    quick = greedy_assignment(problem)
    assert quick is not None
    monkeypatch.setattr(engine_module, "greedy_assignment", lambda *_: quick)
    solution = solve(problem, engine=engine)
    assert solution.total == problem.gains.total(
        count_assignment(problem, quick.splits, quick.labels)
    )
    assert solution.status is Status.FEASIBLE and solution.bound == problem.data.n_rows


def test_what_goes_wrong_while_loading_is_raised_and_loading_tried_again(
    problem: Problem, cold: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Problem) -> None:
        raise OSError("the cache cannot be read")

    with monkeypatch.context() as context:
        context.setattr(loading, "rehearse", fail)
        with pytest.raises(OSError, match="cannot be read"):
            solve(problem, engine=Engine.SEARCH)
    assert solve(problem, engine=Engine.SEARCH).status is Status.OPTIMAL


def _wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + 30
    while not is_so() and time.perf_counter() < deadline:
        time.sleep(0.01)
