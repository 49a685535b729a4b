"""The engines ``cbc`` and ``highs``: the integer program alone."""

from __future__ import annotations

from odt_core.problem import Problem
from odt_core.solution import Engine, Prover, Seconds, Solution, make_solution
from odt_core.solvers.control import Control
from odt_core.solvers.mip.backends import BACKENDS
from odt_core.solvers.mip.messages import MipStatus
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.mip.run import solve_mip
from odt_core.solvers.mip.size import advice_on_cuts, check_buildable


def solve(problem: Problem, engine: Engine, control: Control, mip_options: MipOptions) -> Solution:
    """Solve by the integer program alone. See `odt_core.solvers.solve`."""
    solver = BACKENDS[engine].title
    check_buildable(problem, solver)
    outcome = solve_mip(problem, engine, mip_options, control)
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
