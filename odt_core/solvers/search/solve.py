"""The search's entry: solve a problem to proved optimality, or as far as time allows."""

from __future__ import annotations

import time

import numpy as np

from odt_core.errors import DisagreementError
from odt_core.problem import Problem
from odt_core.solution import Assignment
from odt_core.solvers.search import depth3 as d3
from odt_core.solvers.search.depth4 import solve_deep
from odt_core.solvers.search.driver import DEFAULT_MEMORY, OnProgress, Run, ShouldStop, halted_after
from odt_core.solvers.search.floors import solve_floors
from odt_core.solvers.search.incumbent import greedy
from odt_core.solvers.search.kernels import ENDLESS
from odt_core.solvers.search.live import OnTree
from odt_core.solvers.search.outcome import SearchOutcome
from odt_core.solvers.search.plant import Choice, Planter
from odt_core.solvers.search.tables import PAIR, STUMP, TRIPLE, by_fronts, encode

PLANT_SECONDS = 0.1

QUICK_STEPS, QUICK_CELLS = 5_000, 2**20
"""Steps over subsets, and cells of tables to go through, that take a millisecond or two."""


def solve_search(
    problem: Problem,
    *,
    time_limit: float | None = None,
    threads: int = 1,
    seed: int = 0,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
    on_tree: OnTree | None = None,
    memory_limit: int = DEFAULT_MEMORY,
    incumbent: Assignment | None = None,
) -> SearchOutcome:
    """Solve a problem by exact search.

    Parameters
    ----------
    problem : Problem
        Any problem.
    time_limit : float, optional
        Seconds; kept within 0.3 s.
    threads : int
        Worker threads. The objective does not depend on their number.
    seed : int
        Accepted for the common contract; the search makes no random choice.
    on_progress : callable, optional
        Receives a `TracePoint` at least twice a second, in the calling thread.
    should_stop : callable, optional
        Asked many times a second, in the calling thread; True ends the search within 0.3 s.
    on_tree : callable, optional
        Takes better trees while the search goes on, about one a second, in the calling thread.
    memory_limit : int
        Bytes the tables may take; where they would take more, a slower path is used.
    incumbent : Assignment, optional
        A tree to start from; only better ones are looked for. Not used if it is not a tree of this
        problem.

    Returns
    -------
    SearchOutcome
        The best tree, its recounted objective and the proved bound.

    Raises
    ------
    InputError
        If the weights are too large to be counted exactly.
    """
    started = time.monotonic()
    deadline = np.inf if time_limit is None else started + time_limit
    if by_fronts(problem):
        return solve_floors(
            problem,
            deadline=deadline,
            started=started,
            threads=threads,
            on_progress=on_progress,
            should_stop=should_stop,
            on_tree=on_tree,
            memory_limit=memory_limit,
            incumbent=incumbent,
        )
    encoding = encode(problem)
    run = Run(
        problem,
        encoding,
        threads,
        deadline=deadline,
        started=started,
        memory_limit=memory_limit,
        on_progress=on_progress,
        should_stop=should_stop,
        on_tree=on_tree,
    )
    if incumbent is not None:
        run.give(incumbent)
    root = encoding.classes[0]
    level = int(encoding.model.level[root])
    if level <= PAIR:
        _solve_shallow(run, root)
    else:
        if level > TRIPLE:
            run.count_ahead()
            rows = np.arange(len(encoding.model.d), dtype=np.int32)
            run.each([rows], lambda rows, thread: _greedy(run, root, rows, thread))
            solve_deep(run, root)
        else:
            _solve_triple(run, root)
    if run.stopped:
        run.bound = min(run.bound, run.best)
    else:
        run.bound = run.best
    return _finish(run)


def _solve_shallow(run: Run, root: int) -> None:
    """One or two levels: a single call of a kernel.

    It cannot be watched from its own thread. Starting one takes as long as many problems do, so
    those that look quick are tried without.
    """
    model = run.encoding.model
    rows = np.arange(len(model.d), dtype=np.int32)
    if model.level[root] == STUMP:
        planter = Planter(run.problem, run.encoding, run.work(0))
        planter.plant()
        run.best = planter.cost
        return
    columns, splits = model.size
    if len(model.cols) + columns * splits <= QUICK_CELLS:
        patience = run.work(0).S.patience
        patience[0] = QUICK_STEPS
        _greedy(run, root, rows, 0)
        done = patience[0] > 0
        patience[0] = ENDLESS
        if done:
            return
    run.each([rows], lambda rows, thread: _greedy(run, root, rows, thread))


def _greedy(run: Run, root: int, rows: object, thread: int) -> None:
    """A first tree; for two levels it is the best one, unless the search was stopped."""
    assert isinstance(rows, np.ndarray)
    cost, choice = greedy(run.encoding, root, rows, run.work(thread))
    if choice is not None and np.isfinite(cost):
        run.first = choice
        run.offer(cost, choice)


def _solve_triple(run: Run, root: int) -> None:
    """Three levels: the threads take turns at the groups of columns."""
    model = run.encoding.model
    n = len(model.d)
    rows = np.arange(n, dtype=np.int32)
    groups = model.groups[model.groups_at[root] : model.groups_at[root + 1]]
    floors = np.zeros(len(model.kind), model.d.dtype)
    turn = np.zeros(1, np.int64)

    def begin(thread: int) -> None:
        work = run.work(thread)
        work.rows[:n] = rows
        d3.clear_bounds(work)
        empty = d3.prepare3(model, root, n, run.cells, work)
        if empty < run.best:
            to_low = model.low[root] == model.high[root] or work.whole[2] <= work.whole[3]
            run.offer(float(empty), Choice(-1, bool(to_low), ()))

    def do(_: object, thread: int) -> None:
        if 0 < len(groups) <= turn[0]:
            return  # the others were quicker
        begin(thread)
        work = run.work(thread)
        more = True
        while more and not run.stopped:
            before = float(run.cells[thread])
            more = d3.groups3(model, root, n, run.cells, thread, run.stop, turn, floors, work)
            if run.cells[thread] < before:
                choice = Choice.read(work.split, work.kept)
                run.offer(float(run.cells[thread]), choice)
                if choice.low is not None and choice.high is not None:
                    run.first = choice

    def bound() -> float:
        # a tree may be found, and its group done with, that was not offered yet
        least = min(floors[groups].min(initial=np.inf), run.cells.min())
        return float(least) if np.isfinite(least) else 0.0

    run.each(range(run.threads), do, bound)


def _finish(run: Run) -> SearchOutcome:
    stopped = run.stopped
    run.stop[0] = 0
    if stopped:
        assignment, cost = _plant_in_time(run)
    else:
        assignment, cost = _plant(run, run.choice)
        if cost != run.best:
            raise DisagreementError(f"the tree costs {cost}, not {run.best} as found")
    run.best = cost
    run.bound = min(run.bound, run.best)
    run.report(force=True)
    total = run.encoding.total(run.best)
    bound = run.encoding.total(run.bound)
    return SearchOutcome(
        assignment=assignment,
        total=total,
        bound=bound,
        proved=total == bound,
        infeasible=False,
        cancelled=run.cancelled,
        seconds=time.monotonic() - run.started,
        trace=tuple(run.trace),
    )


def _plant(run: Run, choice: Choice | None) -> tuple[Assignment, int]:
    """The tree of a choice and its cost, recounted; the given tree if no choice was better."""
    if choice is None and run.given is not None:
        return run.given, run.cost_of(run.given)
    planter = Planter(run.problem, run.encoding, run.work(0))
    return planter.plant(choice), planter.cost


def _plant_in_time(run: Run) -> tuple[Assignment, int]:
    """The best tree that can be planted in a short time, after a stop.

    Solving the last levels again may take long without a cap: what is planted in a short time is
    what counts. The greedy tree needs no time, nor does one that was given.
    """
    with halted_after(PLANT_SECONDS, run.stop):
        best = _plant(run, run.choice)
    if run.first is not None and best[1] > run.best:
        best = min(best, _plant(run, run.first), key=lambda tree: tree[1])
    if run.given is not None:
        best = min(best, _plant(run, None), key=lambda tree: tree[1])
    return best
