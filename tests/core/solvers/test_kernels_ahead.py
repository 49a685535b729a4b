"""Kernels are compiled ahead for both kinds of number, and it is known which a problem needs."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from odt_core.problem import Goal, Objective, Problem
from odt_core.solvers.search import compiling, solve_search
from odt_core.solvers.search.floors import FloorSearch
from odt_core.solvers.search.tables import (
    encode,
    frontier_may_need_doubles,
    may_need_doubles,
)
from odt_core.topology import Topology
from tests.core.solvers.problems import noise

DEPTH_2 = Topology.parse("depth-2")


@pytest.mark.parametrize("n_rows", [200, 3_000, 9_000])
@pytest.mark.parametrize(
    "objective",
    [
        Objective(),
        Objective(Goal.BALANCED),
        Objective(class_weight=Fraction(12_345, 6_789)),
    ],
)
def test_what_counts_in_float64_is_known_before_encoding(n_rows: int, objective: Objective) -> None:
    problem = Problem(noise(n_rows, [4, 4, 4]), DEPTH_2, objective)
    if encode(problem).model.d.dtype == np.float64:
        assert may_need_doubles(problem)


def test_weights_below_the_limit_do_not_wait_for_float64() -> None:
    problem = Problem(noise(1_000, [4, 4, 4]), DEPTH_2, Objective(Goal.BALANCED))
    assert not may_need_doubles(problem)
    assert not frontier_may_need_doubles(problem.data)


@pytest.mark.parametrize("n_rows", [1_000, 2_800, 6_000])
def test_a_problem_with_floors_is_known_by_the_weights_it_tries(
    n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[Problem] = []
    weighted = FloorSearch._weighted

    def noted(self: FloorSearch, ratio: Fraction) -> Problem:
        tried.append(weighted(self, ratio))
        return tried[-1]

    monkeypatch.setattr(FloorSearch, "_weighted", noted)
    floors = Objective(Goal.MAX_TPR, min_tnr=Fraction(999, 1000))
    problem = Problem(noise(n_rows, [4, 4, 4]), DEPTH_2, floors)
    solve_search(problem, time_limit=10)
    assert tried
    doubles = any(encode(plain).model.d.dtype == np.float64 for plain in tried)
    assert may_need_doubles(problem) or not doubles


def test_only_one_process_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(compiling, "numba_folder", lambda: tmp_path)
    monkeypatch.setattr(compiling, "is_compiled", lambda parts: False)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    with (tmp_path / "compiling.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        compiling.compile_in_background()
        compiling.main(unless_busy=True)
        assert not started
    compiling.compile_in_background()
    module = "odt_core.solvers.search.compiling"
    assert started == [[sys.executable, "-m", module, compiling.UNLESS_BUSY]]


HEAVY = """
import dataclasses
from fractions import Fraction
import numpy as np
from odt_core.problem import Goal, Objective, Problem
from odt_core.solvers import search
from odt_core.topology import Topology
from tests.core.solvers.kernels import ready
from tests.core.solvers.problems import noise

search.warm_up(doubles=True)
before = ready()
data = noise(60, [3, 7, 2])
data = dataclasses.replace(data, weight=np.where(np.arange(60) == np.argmin(data.y), 2**24, 1))
for shape in ("depth-2.5", "depth-3", "depth-4"):
    search.solve_search(Problem(data, Topology.parse(shape)))
floors = Objective(Goal.MAX_TPR, min_tnr=Fraction(4, 5))
search.solve_search(Problem(data, Topology.parse("depth-3"), floors))
search.frontier(Problem(data, Topology.parse("depth-3")))
assert before
print(len(ready() - before))
"""


def test_after_the_warm_up_float64_needs_no_compiling() -> None:
    """In a process of its own: other tests have compiled what they needed."""
    done = subprocess.run([sys.executable, "-c", HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
