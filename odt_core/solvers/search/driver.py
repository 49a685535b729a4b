"""Running a search: threads, time, progress, incumbents and the proved bound."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem
from odt_core.solution import Assignment, TracePoint
from odt_core.solvers.search import depth3 as d3
from odt_core.solvers.search.crossings import Counter
from odt_core.solvers.search.linking import link
from odt_core.solvers.search.live import LiveTree, OnTree
from odt_core.solvers.search.plant import Choice
from odt_core.solvers.search.tables import Encoding
from odt_core.solvers.search.work import slices_that_fit
from odt_core.tree import count_assignment

POLL_SECONDS = 0.02
REPORT_SECONDS = 0.25
DEFAULT_MEMORY = 2 * 2**30
"""Bytes that tables may take where nothing else is said."""

OnProgress = Callable[[TracePoint], None]
ShouldStop = Callable[[], bool]


@contextmanager
def halted_after(seconds: float, halt: npt.NDArray[np.int64]) -> Iterator[None]:
    """Set a stop flag if what is done inside takes longer; clear it at the end."""
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
class Run:
    """State of one search, shared by its threads.

    Costs are in units (see `Encoding`), lower bounds of cost too.

    Attributes
    ----------
    problem, encoding
        What is solved.
    threads : int
        Worker threads.
    cells : float[threads + 1]
        Each thread's best cost, each written by that thread only, and at last the best that was
        offered; kernels read the least.
    stop : int64[1]
        Set to make the kernels return.
    best, choice
        The best cost and its tree, as far as it is written down.
    first : Choice or None
        A tree all of whose splits are written down (the greedy one, or a later one).
    given : Assignment or None
        A tree to start from. It is the best one while `choice` is None.
    bound : float
        Proved lower bound of the cost.
    """

    problem: Problem
    encoding: Encoding
    threads: int
    deadline: float
    started: float
    memory_limit: float = np.inf
    on_progress: OnProgress | None = None
    should_stop: ShouldStop | None = None
    on_tree: OnTree | None = None
    cancelled: bool = False
    best: float = np.inf
    choice: Choice | None = None
    first: Choice | None = None
    given: Assignment | None = None
    bound: float = 0.0
    trace: list[TracePoint] = field(default_factory=list)

    def __post_init__(self) -> None:
        number = self.encoding.model.d.dtype
        self.cells = np.full(self.threads + 1, np.inf, number)
        self.stop = np.zeros(1, np.int64)
        self.lock = threading.Lock()
        self.works: list[d3.Work] = []
        self.crossings: Counter | None = None
        self._reported = 0.0
        self._live = None if self.on_tree is None else LiveTree(self, self.on_tree)

    @property
    def stopped(self) -> bool:
        """Whether time or the user ended the search."""
        return bool(self.stop[0])

    @property
    def _share(self) -> float:
        """Bytes that the slices of one thread may take."""
        return self.memory_limit / (4 * self.threads)

    def count_ahead(self) -> None:
        """Have tables of two columns counted ahead, if they and all they are put into fit.

        To be called before any working memory is made.
        """
        model = self.encoding.model
        if np.diff(model.start).max(initial=1) <= slices_that_fit(model, self._share):
            self.crossings = Counter(model, self.memory_limit / 2)

    def work(self, thread: int) -> d3.Work:
        """A thread's working memory, made at first use."""
        with self.lock:
            while len(self.works) <= thread:
                counted = None if self.crossings is None else self.crossings.tables
                work = d3.make_work(self.encoding.model, self.stop, self._share, counted)
                link(self.encoding.model, work)
                self.works.append(work)
            return self.works[thread]

    def give(self, assignment: Assignment) -> None:
        """Start from a tree, if it is one of the problem's."""
        if not self.problem.admits_all(assignment.splits, assignment.labels):
            return
        self.given = assignment
        self.best = float(self.cost_of(assignment))
        self.cells[-1] = self.best

    def cost_of(self, assignment: Assignment) -> int:
        """What a tree costs, counted from the rows."""
        confusion = count_assignment(self.problem, assignment.splits, assignment.labels)
        gains, encoding = self.problem.gains, self.encoding
        total = gains.gain_tp * confusion.tp + gains.gain_tn * confusion.tn
        return (encoding.most - total) // encoding.unit - encoding.base

    def offer(self, cost: float, choice: Choice) -> None:
        """A tree was found."""
        with self.lock:
            if cost < self.best:
                self.best = float(cost)
                self.choice = choice
                self.cells[-1] = cost

    def raise_bound(self, bound: float) -> None:
        """A lower bound of every tree's cost was proved."""
        with self.lock:
            self.bound = max(self.bound, min(float(bound), self.best))

    def total_of(self, cost: float) -> int | None:
        """A cost in the problem's objective."""
        return None if not np.isfinite(cost) else self.encoding.total(cost)

    def report(self, force: bool = False) -> None:
        """Tell how far the search is, if something changed or it is time to."""
        now = time.monotonic() - self.started
        incumbent, bound = self.total_of(self.best), self.encoding.total(self.bound)
        last = self.trace[-1] if self.trace else None
        changed = last is None or (last.incumbent, last.bound) != (incumbent, bound)
        if not (changed or force or now - self._reported >= REPORT_SECONDS):
            return
        point = TracePoint(now, incumbent, bound)
        self._reported = now
        if changed:
            self.trace.append(point)
        if self.on_progress is not None:
            self.on_progress(point)

    def watch(self) -> None:
        """Set the stop flag if time is up or the user says so."""
        if time.monotonic() >= self.deadline:
            self.stop[0] = 1
        elif self.should_stop is not None and not self.cancelled and self.should_stop():
            self.cancelled = True
            self.stop[0] = 1

    def each(
        self,
        tasks: Iterable[object],
        do: Callable[[object, int], None],
        bound_of_rest: Callable[[], float] | None = None,
    ) -> None:
        """Do the tasks in the worker threads, watching time and reporting progress meanwhile.

        Parameters
        ----------
        tasks : iterable
            Taken in order; what a task is, is for `do` to know.
        do : callable
            ``do(task, thread)``.
        bound_of_rest : callable, optional
            A proved lower bound of the cost, asked for now and then.
        """
        if isinstance(tasks, list) and not tasks:
            return
        source: Iterator[object] = iter(tasks)
        failures: list[BaseException] = []

        def next_task() -> object | None:
            with self.lock:
                return next(source, None)

        def loop(thread: int) -> None:
            try:
                while not self.stopped:
                    task = next_task()
                    if task is None:
                        return
                    do(task, thread)
            except BaseException as failure:
                failures.append(failure)
                self.stop[0] = 1

        workers = [
            threading.Thread(target=loop, args=(thread,), daemon=True)
            for thread in range(self.threads)
        ]
        for worker in workers:
            worker.start()
        try:
            while any(worker.is_alive() for worker in workers):
                workers[0].join(POLL_SECONDS) if workers[0].is_alive() else time.sleep(0.002)
                self.watch()
                if bound_of_rest is not None:
                    self.raise_bound(bound_of_rest())
                self.report()
                if self._live is not None:
                    self._live.look()
        except BaseException:
            self.stop[0] = 1
            for worker in workers:
                worker.join()
            raise
        for worker in workers:
            worker.join()
        if failures:
            raise failures[0]
