"""Processes that have no kernels yet, and runs that are cut short."""

from __future__ import annotations

import time

import pytest

from odt_core.problem import Problem
from odt_core.solution import Engine, Solution
from odt_core.solvers import solve
from odt_core.solvers.search import loading, warm

SOON = 0.5
"""Seconds after which a run is cut short."""


def forget_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has loaded nothing yet."""
    monkeypatch.setattr(warm, "_warm", set())
    monkeypatch.setattr(loading, "_loads", {})


def solve_cut_short(problem: Problem, engine: Engine, *, by_stop: bool) -> tuple[Solution, float]:
    """What a stop, else a time limit, leaves of a run; and the seconds that it took."""
    began = time.perf_counter()
    solution = solve(
        problem,
        engine=engine,
        time_limit=60 if by_stop else SOON,
        should_stop=lambda: by_stop and time.perf_counter() > began + SOON,
    )
    return solution, time.perf_counter() - began
