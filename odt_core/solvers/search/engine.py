"""The engine ``search``: the exact search on its own."""

from __future__ import annotations

from collections.abc import Callable

from odt_core.problem import Problem
from odt_core.solution import Engine, Seconds, Solution, TracePoint, make_solution
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.search.solve import solve_search


def solve(
    problem: Problem,
    *,
    engine: Engine,
    time_limit: float,
    threads: int,
    seed: int,
    on_progress: Callable[[TracePoint], None] | None,
    should_stop: Callable[[], bool] | None,
    mip_options: MipOptions,
) -> Solution:
    """Solve by the exact search alone. See `odt_core.solvers.solve`."""
    outcome = solve_search(
        problem,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        on_progress=on_progress,
        should_stop=should_stop,
    )
    return make_solution(
        problem,
        engine=engine,
        assignment=outcome.assignment,
        claimed_total=outcome.total,
        bound=outcome.bound,
        infeasible=outcome.infeasible,
        cancelled=outcome.cancelled,
        provers=("search",) if outcome.proved else (),
        seconds=Seconds(total=outcome.seconds, search=outcome.seconds),
        trace=outcome.trace,
    )
