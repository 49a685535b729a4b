"""Runs that are cut short."""

from __future__ import annotations

import time

from odt_core.problem import Problem
from odt_core.solution import Engine, Solution
from odt_core.solvers import solve

SOON = 0.5
"""Seconds after which a run is cut short."""


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
