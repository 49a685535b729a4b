"""The engine ``search``: the exact search on its own."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable

from odt_core.problem import Problem
from odt_core.solution import (
    Assignment,
    Engine,
    Found,
    Seconds,
    Solution,
    TracePoint,
    make_solution,
)
from odt_core.solvers.mip.greedy import greedy_assignment
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.search import compiling
from odt_core.solvers.search.driver import ShouldStop
from odt_core.solvers.search.live import OnTree
from odt_core.solvers.search.loading import is_loaded, remark_without, waited_remark
from odt_core.solvers.search.outcome import SearchOutcome
from odt_core.solvers.search.parts import parts_for
from odt_core.solvers.search.solve import solve_search
from odt_core.tree import count_assignment

POLL = 0.01


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
    quick: Assignment | None = None
    remark = ""
    if not is_loaded(problem):
        compiled = compiling.is_compiled(parts_for(problem))
        compiling.compile_in_background()
        quick = tree_while_loading(problem, began + time_limit, should_stop)
        if not is_loaded(problem):
            return without_search(problem, engine, began, should_stop, quick)
        if not compiled:
            remark = waited_remark(time.perf_counter() - began)
    waited = time.perf_counter() - began
    found = solve_search(
        problem,
        time_limit=max(time_limit - waited, 0.05),
        threads=threads,
        seed=seed,
        on_progress=on_progress,
        should_stop=should_stop,
        incumbent=quick if remark else None,
        on_tree=None if on_found is None else tree_teller(on_found, began),
    )
    outcome = or_quick(problem, found, quick)
    return make_solution(
        problem,
        engine=engine,
        assignment=outcome.assignment,
        claimed_total=outcome.total,
        bound=outcome.bound,
        infeasible=outcome.infeasible,
        cancelled=outcome.cancelled,
        provers=("search",),
        seconds=Seconds(total=time.perf_counter() - began, search=outcome.seconds),
        trace=outcome.trace,
        remark=remark,
    )


def tree_teller(on_found: Callable[[Found], None], began: float) -> OnTree:
    """Tells of a search's trees on the clock of the whole solve."""

    def tell(assignment: Assignment, bound: int) -> None:
        seconds = time.perf_counter() - began
        on_found(Found(assignment, bound, (), Seconds(seconds, search=seconds)))

    return tell


def tree_while_loading(
    problem: Problem, deadline: float, should_stop: ShouldStop | None
) -> Assignment | None:
    """Wait for the kernels to be compiled and loaded, and have a quick tree by then.

    Parameters
    ----------
    problem : Problem
    deadline : float
        By `time.perf_counter`; the tree is made within it.
    should_stop : callable, optional
        Ends the waiting, as the deadline does.

    Returns
    -------
    Assignment or None
        None if no tree was found that meets the floors.
    """

    def is_over() -> bool:
        return (
            time.perf_counter() >= deadline
            or is_loaded(problem)
            or (should_stop is not None and should_stop())
        )

    tree = greedy_assignment(problem, is_over)
    while not is_over():
        time.sleep(POLL)
    return tree


def or_quick(problem: Problem, found: SearchOutcome, quick: Assignment | None) -> SearchOutcome:
    """What a search came to, or the quick tree where that is better.

    A search that a process begins after loading is not given that tree: how good it is depends on
    the clock, and the same run is to prove the same tree.
    """
    if quick is None or found.proved or found.infeasible:
        return found
    total = problem.gains.total(count_assignment(problem, quick.splits, quick.labels))
    if found.total is not None and found.total >= total:
        return found
    return dataclasses.replace(found, assignment=quick, total=total, proved=total == found.bound)


def without_search(
    problem: Problem,
    engine: Engine,
    began: float,
    should_stop: ShouldStop | None,
    tree: Assignment | None,
) -> Solution:
    """A quick tree without any proof: the kernels were not ready in time."""
    return make_solution(
        problem,
        engine=engine,
        assignment=tree,
        claimed_total=None,
        bound=None,
        cancelled=should_stop is not None and should_stop(),
        seconds=Seconds(total=time.perf_counter() - began),
        remark=remark_without(problem),
    )
