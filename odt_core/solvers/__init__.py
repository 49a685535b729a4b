"""All engines behind one function: ``solve(problem, engine=...) -> Solution``.

An engine's module is imported on first use, so that unused engines cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from odt_core.errors import InputError
from odt_core.problem import Problem
from odt_core.solution import Engine, Found, Solution, TracePoint
from odt_core.solvers.control import Control
from odt_core.solvers.exactness import check_countable
from odt_core.solvers.mip.options import DEFAULT_OPTIONS, MipOptions

__all__ = ["solve"]

ENGINE_MODULES: dict[Engine, str] = {
    Engine.HYBRID: "odt_core.solvers.hybrid",
    Engine.SEARCH: "odt_core.solvers.search.run",
    Engine.CBC: "odt_core.solvers.mip.engine",
    Engine.HIGHS: "odt_core.solvers.mip.engine",
}
"""The module of each engine's ``solve(problem, engine, control, mip_options)``."""


def solve(
    problem: Problem,
    *,
    engine: Engine = Engine.HYBRID,
    time_limit: float = 60.0,
    threads: int = 1,
    seed: int = 0,
    on_progress: Callable[[TracePoint], None] | None = None,
    on_found: Callable[[Found], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    mip_options: MipOptions = DEFAULT_OPTIONS,
) -> Solution:
    """Find the best tree of a problem and prove it, if time allows.

    Parameters
    ----------
    problem : Problem
        The problem.
    engine : Engine
        The engine.
    time_limit : float
        Seconds for the entire call.
    threads : int
        Processor threads for the engine.
    seed : int
        The seed of engines that make random choices.
    on_progress : callable, optional
        Called with each new point of the trace.
    on_found : callable, optional
        Called with better trees during the solve. It may skip some, and skips the last.
    should_stop : callable, optional
        Called many times a second. True ends the solve with the best tree so far.
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
    if not time_limit > 0:
        raise InputError(f"time-limit is {time_limit:g}: give a number of seconds above 0.")
    if threads < 1:
        raise InputError(f"threads is {threads}: give a whole number of at least 1.")
    if engine not in ENGINE_MODULES:
        raise InputError(
            f"The engine {engine} is not available: choose one of {', '.join(ENGINE_MODULES)}."
        )
    check_countable(problem)
    solution: Solution = import_module(ENGINE_MODULES[engine]).solve(
        problem,
        engine,
        Control(time_limit, threads, seed, on_progress, on_found, should_stop),
        mip_options,
    )
    return solution
