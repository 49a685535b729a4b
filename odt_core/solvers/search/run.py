"""One run of a search: the clock, progress, the incumbent, the proved bound.

The search has a thread of its own. The calling thread watches the clock and the user, reports
progress and better trees, and sets a flag that ends the search.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from odt_core.errors import DisagreementError
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
from odt_core.solvers.control import Control
from odt_core.solvers.mip.options import MipOptions
from odt_core.solvers.search.builder import Builder
from odt_core.solvers.search.choices import Choice
from odt_core.solvers.search.columns import Encoding, Whole, encode
from odt_core.solvers.search.loader import loader
from odt_core.solvers.search.search import Search, Stopped
from odt_core.solvers.search.store import SharedBounds
from odt_core.tree import count_assignment, keeps_smallest_leaf

POLL_SECONDS = 0.02
REPORT_SECONDS = 0.25
BUILD_SECONDS = 0.1
"""Time for building a tree after a stop, or while the search goes on."""
FIRST_TREE, NEXT_TREE = 0.5, 1.0
"""Seconds before the first tree is reported, and between two trees."""

OnProgress = Callable[[TracePoint], None]
ShouldStop = Callable[[], bool]
OnTree = Callable[[Assignment, int], None]
"""Receives a tree and the proved upper bound on the total."""


@dataclass(frozen=True)
class SearchOutcome:
    """The answer of a search, in the problem's whole-number objective (see `Gains`).

    Attributes
    ----------
    assignment : Assignment or None
        The best tree found.
    total : int or None
        The objective of that tree; None if none was found.
    bound : int
        Proved upper bound on the total of every tree.
    proved : bool
        Whether the tree is optimal (or `infeasible` is proved).
    infeasible : bool
        Whether it is proved that no tree meets the floors.
    cancelled : bool
        Whether `should_stop` ended the search.
    seconds : float
        Wall-clock time.
    trace : tuple of TracePoint
        How tree and bound improved.
    """

    assignment: Assignment | None
    total: int | None
    bound: int
    proved: bool
    infeasible: bool
    cancelled: bool
    seconds: float
    trace: tuple[TracePoint, ...]


@dataclass(frozen=True)
class FrontierPoint:
    """An undominated pair of error counts with a tree that reaches it.

    Attributes
    ----------
    fn, fp : int
        False negatives and false positives, counted with the rows' weights.
    assignment : Assignment
        The tree.
    proved : bool
        Whether it is proved that no tree dominates it.
    """

    fn: int
    fp: int
    assignment: Assignment
    proved: bool


@dataclass(frozen=True)
class FrontierOutcome:
    """The frontier of a problem.

    Attributes
    ----------
    points : tuple of FrontierPoint
        By rising `fn`.
    least : tuple of int
        For each number of false negatives, from 0 to that of the positive rows: a lower bound of
        the false positives of trees with at most so many. If all is proved, this is the frontier.
    proved : bool
        Whether all points are proved and none is missing.
    cancelled : bool
        Whether `should_stop` ended the search.
    seconds : float
        Wall-clock time.
    """

    points: tuple[FrontierPoint, ...]
    least: tuple[int, ...]
    proved: bool
    cancelled: bool
    seconds: float


@contextmanager
def halted_after(seconds: float, halt: Whole) -> Iterator[None]:
    """Set a flag if the block runs longer; clear the flag at the end."""
    timer = threading.Timer(seconds, halt.__setitem__, (0, 1))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        halt[0] = 0


@dataclass
class Watch:
    """Runs work in a thread, and ends it when time is up or the user asks.

    Attributes
    ----------
    deadline : float
        Monotonic time.
    should_stop : callable, optional
        Called now and then; True ends the work.
    halt : int64[1]
        Set to end the work. The work then raises `Stopped`.
    """

    deadline: float = math.inf
    should_stop: ShouldStop | None = None
    halt: Whole = field(default_factory=lambda: np.zeros(1, np.int64))
    cancelled: bool = False

    def run(self, work: Callable[[], None], meanwhile: Callable[[], None] = lambda: None) -> bool:
        """Run the work, and call `meanwhile` now and then. Returns whether it was completed."""
        failures: list[BaseException] = []

        def safely() -> None:
            try:
                work()
            except BaseException as failure:
                failures.append(failure)

        worker = threading.Thread(target=safely, daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(POLL_SECONDS)
                if self.should_stop is not None and not self.cancelled:
                    self.cancelled = worker.is_alive() and self.should_stop()
                if self.cancelled or time.monotonic() >= self.deadline:
                    self.halt[0] = 1
                meanwhile()
        finally:
            self.halt[0] |= worker.is_alive()
            worker.join()
        if failures and not isinstance(failures[0], Stopped):
            raise failures[0]
        return not failures


class Reporter:
    """Reports the incumbent and the bound of a search.

    Attributes
    ----------
    trace : list of TracePoint
        How they improved.
    """

    def __init__(self, started: float, on_progress: OnProgress | None) -> None:
        self.started, self.on_progress = started, on_progress
        self.trace: list[TracePoint] = []
        self._reported = 0.0

    def report(self, incumbent: int | None, bound: int | None, force: bool = False) -> bool:
        """Report them if they changed or it is time to. Returns whether it did."""
        point = TracePoint(time.monotonic() - self.started, incumbent, bound)
        last = self.trace[-1] if self.trace else None
        changed = last is None or (last.incumbent, last.bound) != (incumbent, bound)
        if not (changed or force or point.seconds - self._reported >= REPORT_SECONDS):
            return False
        self._reported = point.seconds
        if changed:
            self.trace.append(point)
        if self.on_progress is not None:
            self.on_progress(point)
        return True


@dataclass
class Run:
    """State of one search without floors. Costs are in units (see `Encoding`)."""

    problem: Problem
    encoding: Encoding
    threads: int
    watch: Watch
    started: float
    on_progress: OnProgress | None = None
    on_tree: OnTree | None = None
    best: float = np.inf
    choice: Choice | None = None  # the best tree, as far as its splits are known
    given: Assignment | None = None  # a tree to start from; the best one while `choice` is None
    cutoff: float = np.inf  # only a tree that costs less is wanted
    shared: SharedBounds | None = None  # bounds from searches for other topologies
    bound: float = 0.0  # proved lower bound of the cost
    infeasible: bool = False  # whether no tree has leaves that are large enough

    def __post_init__(self) -> None:
        self.lock = threading.Lock()
        self.reporter = Reporter(self.started, self.on_progress)
        self.best = float(min(self.best, self.cutoff))
        self.search = Search(
            self.encoding, self.watch.halt, self.threads, self._offer, self._raise_bound,
            self.shared,
        )  # fmt: skip
        self._next_tree = self.started + FIRST_TREE
        self._reported_tree: tuple[float, Choice | None] = (np.inf, None)

    @property
    def stopped(self) -> bool:
        """Whether time or the user ended the search."""
        return bool(self.watch.halt[0])

    def start_from(self, assignment: Assignment) -> None:
        """Start from a tree, if it is one of the problem's."""
        splits, labels = assignment.splits, assignment.labels
        if self.problem.admits_all(splits, labels) and keeps_smallest_leaf(self.problem, splits):
            self.given = assignment
            self.best = float(self._cost_of(assignment))

    def _cost_of(self, assignment: Assignment) -> int:
        """The cost of a tree, counted from the rows."""
        confusion = count_assignment(self.problem, assignment.splits, assignment.labels)
        return self.encoding.cost(self.problem.gains.total(confusion))

    def _offer(self, cost: float, choice: Choice) -> None:
        with self.lock:
            if cost < self.best:
                self.best, self.choice = float(cost), choice

    def _raise_bound(self, bound: float) -> None:
        with self.lock:
            self.bound = max(self.bound, min(float(bound), self.best))

    # ------------------------------------------------------------ two threads

    def go(self) -> None:
        """Search, and report progress meanwhile."""
        if not self.watch.run(self._work, self._meanwhile):
            self.bound = min(self.bound, self.best)

    def _work(self) -> None:
        cost, choice = self.search.root(self.best)
        if choice is not None and np.isfinite(cost):
            self._offer(cost, choice)
        elif cost < self.best:
            self.best = cost
        self.bound = self.best
        self.infeasible = not np.isfinite(self.best)

    def _meanwhile(self) -> None:
        self.report()
        self._report_tree()

    def report(self, force: bool = False) -> None:
        """Report how far the search is, if something changed or it is time to."""
        incumbent = None if not np.isfinite(self.best) else self.encoding.total(self.best)
        bound = self.encoding.total(0.0 if self.infeasible else self.bound)
        self.reporter.report(incumbent, bound, force)

    def _report_tree(self) -> None:
        """Report the best tree if it is new and it is time to."""
        with self.lock:
            choice = self.choice
        if self.on_tree is None or choice is None or choice is self._reported_tree[1]:
            return
        if time.monotonic() < self._next_tree:
            return
        found = self._build_in_time(choice)
        if found is not None and found[1] < self._reported_tree[0]:
            self.on_tree(found[0], self.encoding.total(self.bound))
            self._reported_tree = (found[1], choice)
        else:
            self._reported_tree = (self._reported_tree[0], choice)
        self._next_tree = time.monotonic() + NEXT_TREE

    # ------------------------------------------------------------ the tree

    def _build(self, choice: Choice | None, search: Search) -> tuple[Assignment, int]:
        builder = Builder(self.problem, self.encoding, search)
        return builder.build(choice), builder.cost

    def _build_in_time(self, choice: Choice | None) -> tuple[Assignment, int] | None:
        """The tree of a choice and its cost; None if its other splits need too much time."""
        halt = np.zeros(1, np.int64)
        with halted_after(BUILD_SECONDS, halt):
            try:
                return self._build(choice, Search(self.encoding, halt))
            except Stopped:
                return None

    def finish(self) -> SearchOutcome:
        """Build the best tree and count its cost."""
        if self.infeasible or (self.best >= self.cutoff and np.isfinite(self.cutoff)):
            return self._outcome(None)
        if not self.stopped and (self.choice is not None or self.given is None):
            assignment, cost = self._build(self.choice, Search(self.encoding))
            if cost != self.best:
                raise DisagreementError(f"the tree costs {cost}, not {self.best} as found")
        else:
            found = self._best_in_time()
            if found is None:
                return self._outcome(None)
            assignment, cost = found
        self.best = float(cost)
        self.bound = min(self.bound, self.best)
        return self._outcome(assignment)

    def _outcome(self, assignment: Assignment | None) -> SearchOutcome:
        """The outcome with a tree, or without one."""
        if assignment is None:
            self.best = np.inf
        self.report(force=True)
        total = None if assignment is None else self.encoding.total(self.best)
        bound = self.encoding.total(0.0 if self.infeasible else self.bound)
        return SearchOutcome(
            assignment=assignment,
            total=total,
            bound=bound,
            proved=self.infeasible or total == bound,
            infeasible=self.infeasible,
            cancelled=self.watch.cancelled,
            seconds=time.monotonic() - self.started,
            trace=tuple(self.reporter.trace),
        )

    def _best_in_time(self) -> tuple[Assignment, int] | None:
        """After a stop: the best tree, or a tree that is quick to build; None if there is none."""
        found = [] if self.choice is None else [self._build_in_time(self.choice)]
        trees = [each for each in found if each is not None]
        if self.given is not None:
            trees.append((self.given, self._cost_of(self.given)))
        if not trees:
            trees = self._plain_tree()
        return min(trees, key=lambda tree: tree[1], default=None)

    def _plain_tree(self) -> list[tuple[Assignment, int]]:
        """A greedy tree that is built at once, if its leaves are large enough."""
        from odt_core.solvers.mip.greedy import greedy_assignment

        assignment = greedy_assignment(self.problem, lambda: True)
        if assignment is None or not keeps_smallest_leaf(self.problem, assignment.splits):
            return []
        return [(assignment, self._cost_of(assignment))]


def solve_search(
    problem: Problem,
    *,
    time_limit: float | None = None,
    threads: int = 1,
    seed: int = 0,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
    on_tree: OnTree | None = None,
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
        Has no effect: the search makes no random choice.
    on_progress : callable, optional
        Receives a `TracePoint` at least twice a second, in the calling thread.
    should_stop : callable, optional
        Called many times a second, in the calling thread; True ends the search within 0.3 s.
    on_tree : callable, optional
        Receives better trees while the search goes on, about one a second, in the calling thread.
    incumbent : Assignment, optional
        A tree to start from: the search then looks for better ones. A tree that is not one of this
        problem has no effect.

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
    watch = Watch(math.inf if time_limit is None else started + time_limit, should_stop)
    if problem.gains.has_floor or problem.gains.counts_one_class:
        from odt_core.solvers.search.floors import solve_floors

        return solve_floors(problem, watch, started, threads, on_progress, on_tree, incumbent)
    run = Run(problem, encode(problem), threads, watch, started, on_progress, on_tree)
    if incumbent is not None:
        run.start_from(incumbent)
    run.go()
    return run.finish()


# ---------------------------------------------------------------- the engine


def solve(problem: Problem, engine: Engine, control: Control, mip_options: MipOptions) -> Solution:
    """Solve by the exact search alone. See `odt_core.solvers.solve`."""
    began = time.perf_counter()
    loader.begin(problem)
    outcome = solve_search(
        problem,
        time_limit=control.time_limit,
        threads=control.threads,
        seed=control.seed,
        on_progress=control.on_progress,
        should_stop=control.should_stop,
        on_tree=None if control.on_found is None else tree_teller(control.on_found, began),
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
    """Reports a search's trees on the clock of the whole solve."""

    def tell(assignment: Assignment, bound: int) -> None:
        seconds = time.perf_counter() - began
        on_found(Found(assignment, bound, (), Seconds(seconds, search=seconds)))

    return tell
