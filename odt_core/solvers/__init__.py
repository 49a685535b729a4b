"""All engines behind one function: ``solve(problem, engine=...) -> Solution``.

An engine's module is imported on first use, so that unused engines cost nothing.
"""

from __future__ import annotations

from importlib import import_module

from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solution import Engine, Solution
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.solvers.exactness import check_countable
from odt_core.solvers.mip.options import DEFAULT_OPTIONS, MipOptions

__all__ = ["solve"]

ENGINE_MODULES: dict[Engine, str] = {
    Engine.HYBRID: "odt_core.solvers.hybrid",
    Engine.SEARCH: "odt_core.solvers.search.engine",
    Engine.CBC: "odt_core.solvers.mip.engine",
    Engine.HIGHS: "odt_core.solvers.mip.engine",
}
"""The module of each engine's ``solve(problem, engine, control, mip_options)``."""


def solve(
    problem: Problem,
    *,
    engine: Engine = Engine.HYBRID,
    control: Control = DEFAULT_CONTROL,
    mip_options: MipOptions = DEFAULT_OPTIONS,
) -> Solution:
    """Find the best tree of a problem and prove it, if time allows.

    Parameters
    ----------
    problem : Problem
        The problem.
    engine : Engine
        The engine.
    control : Control
        The limits, and who follows the solve.
    mip_options : MipOptions
        The switches of the integer program, for engines that use it.

    Returns
    -------
    Solution
        The solution, recounted independently of the engine (`odt_core.solution.make_solution`).

    Raises
    ------
    InputError
        If a setting cannot be used, or the objective is too large to count exactly.
    DisagreementError
        If the recount gives other numbers than the engine.
    """
    if not control.time_limit > 0:
        raise InputError(f"time-limit is {control.time_limit:g}: give a number of seconds above 0.")
    if control.threads < 1:
        raise InputError(f"threads is {control.threads}: give a whole number of at least 1.")
    check_countable(problem)
    module = import_module(ENGINE_MODULES[engine])
    solution: Solution = module.solve(problem, engine, control, mip_options)
    return solution
