"""The engine ``search``: the exact search on its own."""

from __future__ import annotations

import time
from collections.abc import Callable

from odt_core.problem import Problem
from odt_core.solution import (
    Assignment,
    Engine,
    Found,
    Prover,
    Seconds,
    Solution,
    TracePoint,
    make_solution,
)
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.search.loader import loader
from odt_core.solvers.search.run import OnTree, solve_search


def solve(
    problem: Problem,
    *,
    engine: Engine,
    time_limit: float,
    threads: int,
    seed: int,
    on_progress: Callable[[TracePoint], None] | None,
    on_found: Callable[[Found], None] | None,
    should_stop: Callable[[], bool] | None,
    mip_options: MipOptions,
) -> Solution:
    """Solve by the exact search alone. See `odt_core.solvers.solve`."""
    began = time.perf_counter()
    loader.begin(problem)
    outcome = solve_search(
        problem,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        on_progress=on_progress,
        should_stop=should_stop,
        on_tree=None if on_found is None else tree_teller(on_found, began),
    )
    return make_solution(
        problem,
        engine=engine,
        assignment=outcome.assignment,
        claimed_total=outcome.total,
        bound=outcome.bound,
        infeasible=outcome.infeasible,
        cancelled=outcome.cancelled,
        provers=(Prover.SEARCH,),
        seconds=Seconds(total=time.perf_counter() - began, search=outcome.seconds),
        trace=outcome.trace,
    )


def tree_teller(on_found: Callable[[Found], None], began: float) -> OnTree:
    """Tells of a search's trees on the clock of the whole solve."""

    def tell(assignment: Assignment, bound: int) -> None:
        seconds = time.perf_counter() - began
        on_found(Found(assignment, bound, (), Seconds(seconds, search=seconds)))

    return tell
