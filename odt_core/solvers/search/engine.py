"""The exact search as one of the engines (see `odt_core.solvers.solve`)."""

from __future__ import annotations

import time

from odt_core.problem import Problem
from odt_core.solution import Engine, Prover, Seconds, Solution, make_solution
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.search.floors import FloorRun
from odt_core.solvers.search.loader import loader
from odt_core.solvers.search.run import SearchOutcome, WeightedRun


def needs_fronts(problem: Problem) -> bool:
    """Whether a problem has a floor, counts one kind of error only, or has a smallest leaf."""
    gains = problem.gains
    return gains.has_floor or gains.counts_one_class or problem.smallest_leaf is not None


def solve_search(problem: Problem, control: Control = DEFAULT_CONTROL) -> SearchOutcome:
    """Solve a problem by exact search.

    Parameters
    ----------
    problem : Problem
        Any problem.
    control : Control
        The limits, and the functions that follow the search. The search ends within 0.3 s of its
        time limit or of a stop. The functions are called in the calling thread: `on_progress` at
        least twice a second, `on_found` about once a second. The objective does not depend on
        `threads`.

    Returns
    -------
    SearchOutcome
        The best tree, its recounted objective and the proved bound.

    Raises
    ------
    InputError
        If the weights are too large to be counted exactly.
    """
    if needs_fronts(problem):
        return FloorRun(problem, control).solve()
    return WeightedRun(problem, control).solve()


def solve(problem: Problem, engine: Engine, control: Control, mip_options: MipOptions) -> Solution:
    """Solve a problem by the exact search alone. See `odt_core.solvers.solve`."""
    began = time.perf_counter()
    loader.begin(problem)
    outcome = solve_search(problem, control)
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
