"""The engines ``cbc`` and ``highs``: the integer program alone."""

from __future__ import annotations

from collections.abc import Callable

from odt_core.problem import Problem
from odt_core.solution import Engine, Found, Prover, Seconds, Solution, TracePoint, make_solution
from odt_core.solvers.mip.backends import BACKENDS
from odt_core.solvers.mip.messages import MipStatus
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.mip.run import solve_mip
from odt_core.solvers.mip.size import advice_on_cuts, check_buildable


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
    """Solve by the integer program alone. See `odt_core.solvers.solve`."""
    solver = BACKENDS[engine].title
    check_buildable(problem, solver)
    outcome = solve_mip(
        problem,
        engine,
        mip_options,
        time_limit=time_limit,
        threads=threads,
        seed=seed,
        on_progress=on_progress,
        on_found=on_found,
        should_stop=should_stop,
    )
    came_to_an_end = outcome.status in (MipStatus.OPTIMAL, MipStatus.INFEASIBLE)
    advice = "" if came_to_an_end else advice_on_cuts(problem.data.features, solver)
    return make_solution(
        problem,
        engine=engine,
        assignment=outcome.assignment,
        claimed_total=outcome.claimed_total,
        bound=outcome.bound,
        infeasible=outcome.status is MipStatus.INFEASIBLE,
        cancelled=outcome.cancelled,
        provers=(Prover(engine.value),) if outcome.bound_is_solvers else (),
        seconds=Seconds(total=outcome.seconds, mip=outcome.seconds),
        mip=outcome.report,
        trace=outcome.trace,
        remark=outcome.remark or advice,
    )
