"""One run of a search: its clock, its progress, its best tree and its proved bound.

The search has a thread of its own. The calling thread watches the clock and the user, reports
progress and better trees, and sets a flag that ends the search.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass

import numpy as np

from odt_core.errors import DisagreementError
from odt_core.problem import Problem
from odt_core.solution import Assignment, Found, Seconds, TracePoint
from odt_core.solvers.control import Control
from odt_core.solvers.mip.greedy import greedy_assignment
from odt_core.solvers.search.builder import Builder
from odt_core.solvers.search.columns import Encoding, encode
from odt_core.solvers.search.row_sets import Whole
from odt_core.solvers.search.search import Search, Stopped
from odt_core.solvers.search.subtrees import Subtree
from odt_core.tree import count_assignment

POLL_SECONDS = 0.02
REPORT_SECONDS = 0.25
BUILD_SECONDS = 0.1
"""Most seconds for building a tree after a stop, or while the search goes on."""
FIRST_TREE, NEXT_TREE = 0.5, 1.0
"""Seconds before the first tree is reported, and between two trees."""


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
        Whether the user ended the search.
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


class Run:
    """A search in a thread of its own, which ends when time is up or the user asks.

    A subclass implements the `work`, and says what it has found so far: `known` and `tree`.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        self.problem, self.control = problem, control
        self.halt: Whole = np.zeros(1, np.int64)  # set to end the work, which raises `Stopped`
        self.cancelled = False  # whether the user ended the work
        self.trace: list[TracePoint] = []  # how the best total and the bound improved
        self._began = time.monotonic()
        self._reported, self._next_tree = 0.0, FIRST_TREE

    def work(self) -> None:
        """Search. Runs in its own thread."""
        raise NotImplementedError

    def known(self) -> tuple[int | None, int | None]:
        """The best total so far, and the proved upper bound."""
        return None, None

    def tree(self) -> Assignment | None:
        """A tree that is better than the last one returned; None if there is none."""
        return None

    @property
    def seconds(self) -> float:
        """Wall-clock time so far."""
        return time.monotonic() - self._began

    def go(self) -> bool:
        """Do the work, and report its progress. Returns whether the work was completed."""
        failures: list[BaseException] = []

        def safely() -> None:
            try:
                self.work()
            except BaseException as failure:
                failures.append(failure)

        worker = threading.Thread(target=safely, daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(POLL_SECONDS)
                if not self.cancelled:
                    self.cancelled = worker.is_alive() and self.control.stopped()
                if self.cancelled or self.seconds >= self.control.time_limit:
                    self.halt[0] = 1
                self._report_all()
        finally:
            self.halt[0] |= worker.is_alive()
            worker.join()
        if failures and not isinstance(failures[0], Stopped):
            raise failures[0]
        return not failures

    def _report_all(self) -> None:
        """Report what is known, and now and then a better tree."""
        self.report(*self.known())
        if self.control.on_found is None or self.seconds < self._next_tree:
            return
        tree = self.tree()
        if tree is not None:
            time_so_far = Seconds(self.seconds, search=self.seconds)
            self.control.on_found(Found(tree, self.known()[1], (), time_so_far))
        self._next_tree = self.seconds + NEXT_TREE

    def report(self, total: int | None, bound: int | None, force: bool = False) -> None:
        """Report total and bound if they changed or the last report is `REPORT_SECONDS` old."""
        point = TracePoint(self.seconds, total, bound)
        last = self.trace[-1] if self.trace else None
        changed = last is None or (last.incumbent, last.bound) != (total, bound)
        if changed:
            self.trace.append(point)
        if changed or force or point.seconds - self._reported >= REPORT_SECONDS:
            self._reported = point.seconds
            if self.control.on_progress is not None:
                self.control.on_progress(point)

    def outcome(
        self, tree: Assignment | None, total: int | None, bound: int, proved: bool, infeasible: bool
    ) -> SearchOutcome:
        """Report the final total and bound, and return the outcome."""
        self.report(total, bound, force=True)
        seconds, trace = self.seconds, tuple(self.trace)
        return SearchOutcome(tree, total, bound, proved, infeasible, self.cancelled, seconds, trace)


class WeightedRun(Run):
    """A search without floors. Costs are in units (see `Encoding`)."""

    def __init__(
        self,
        problem: Problem,
        control: Control,
        encoding: Encoding | None = None,
        cutoff: float = math.inf,  # only a tree that costs less is wanted
        before: Search | None = None,  # see `Search`
    ) -> None:
        super().__init__(problem, control)
        self.encoding = encode(problem) if encoding is None else encoding
        self.best = self.cutoff = float(cutoff)
        self.subtree: Subtree | None = None  # those splits of the best tree that are known
        self.bound = 0.0  # proved lower bound of the cost
        self.infeasible = False  # whether there is no tree at all
        self._lock = threading.Lock()
        self._shown: Subtree | None = None
        self.search = Search(
            self.encoding, self.halt, control.threads, self._offer, self._raise_bound, before
        )

    def _offer(self, cost: float, subtree: Subtree | None) -> None:
        with self._lock:
            if cost < self.best:
                self.best, self.subtree = float(cost), subtree

    def _raise_bound(self, bound: float) -> None:
        with self._lock:
            self.bound = max(self.bound, min(float(bound), self.best))

    def work(self) -> None:
        """Search for the best tree."""
        self._offer(*self.search.root(self.best))
        self.bound = self.best
        self.infeasible = not math.isfinite(self.best)

    def known(self) -> tuple[int | None, int]:
        """The best total so far, and the proved upper bound."""
        total = self.encoding.total(self.best) if math.isfinite(self.best) else None
        return total, self.encoding.total(0.0 if self.infeasible else self.bound)

    def tree(self) -> Assignment | None:
        """A tree that is better than the last one returned; None if there is none."""
        if self.subtree is None or self.subtree is self._shown:
            return None
        self._shown = self.subtree
        found = self._build_in_time(self._shown)
        return None if found is None else found[0]

    def solve(self) -> SearchOutcome:
        """Search, build the best tree, and count its cost."""
        complete = self.go()
        found = None
        if complete and self.best < self.cutoff:
            found = self._build(self.subtree)
            if found[1] != self.best:
                raise DisagreementError(f"the tree costs {found[1]}, not {self.best} as found")
        elif not complete and (self.subtree is not None or self.cutoff == math.inf):
            found = self._build_in_time(self.subtree) or self._plain_tree()
        self.best = math.inf if found is None else float(found[1])
        self.bound = min(self.bound, self.best)
        tree, (total, bound) = None if found is None else found[0], self.known()
        proved = self.infeasible or total == bound
        return self.outcome(tree, total, bound, proved, self.infeasible)

    def _build(self, subtree: Subtree | None, halt: Whole | None = None) -> tuple[Assignment, int]:
        builder = Builder(self.problem, self.encoding, Search(self.encoding, halt))
        return builder.build(subtree), builder.cost

    def _build_in_time(self, subtree: Subtree | None) -> tuple[Assignment, int] | None:
        """The whole tree and its cost; None if finding the other splits takes too long."""
        if subtree is None:
            return None
        halt = np.zeros(1, np.int64)
        timer = threading.Timer(BUILD_SECONDS, halt.fill, (1,))
        timer.daemon = True
        timer.start()
        try:
            return self._build(subtree, halt)
        except Stopped:
            return None
        finally:
            timer.cancel()

    def _plain_tree(self) -> tuple[Assignment, int]:
        """A greedy tree that is built at once."""
        tree = greedy_assignment(self.problem, lambda: True)
        assert tree is not None
        confusion = count_assignment(self.problem, tree.splits, tree.labels)
        return tree, self.encoding.cost(self.problem.gains.total(confusion))
