"""The best tree of a search that goes on, written down now and then for those who watch it.

A search keeps only as much of its best tree as it needs; the rest is solved again here, with
working memory of its own and for a short time at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from odt_core.solution import Assignment
from odt_core.solvers.search import depth3 as d3
from odt_core.solvers.search.linking import link
from odt_core.solvers.search.plant import Choice, Planter

if TYPE_CHECKING:
    from odt_core.solvers.search.driver import Run

FIRST_AFTER = 0.5
"""Seconds before the first tree is written down: a quick search is not slowed."""
EVERY = 1.0
"""Seconds between two, at least."""
SECONDS = 0.1
"""What one may take; if that is not enough the greedy tree stands instead."""
SHARE = 0.1
"""Of the search's memory."""

OnTree = Callable[[Assignment, int], None]
"""Takes a tree and the proved upper bound on the total."""


class LiveTree:
    """Tells of better trees of a run, from the thread that watches it.

    Parameters
    ----------
    run : Run
        The search.
    tell : callable
        Who is told.
    """

    def __init__(self, run: Run, tell: OnTree) -> None:
        self._run = run
        self._tell = tell
        self._halt = np.zeros(1, np.int64)
        self._work: d3.Work | None = None
        self._next = run.started + FIRST_AFTER
        self._told = np.inf
        self._seen: Choice | None = None

    def look(self) -> None:
        """Tell of the best tree if it is new and time to."""
        run = self._run
        with run.lock:
            choice, cost = run.choice, run.best
        if choice is None or choice is self._seen or time.monotonic() < self._next:
            return
        self._seen = choice
        candidates = [choice] if run.first is None else [choice, run.first]
        for candidate in candidates:
            assignment, reached = self._plant(candidate)
            if reached < self._told:
                self._told = reached
                self._tell(assignment, run.encoding.total(run.bound))
            if reached <= cost:
                break
        self._next = time.monotonic() + EVERY

    def _plant(self, choice: Choice) -> tuple[Assignment, float]:
        from odt_core.solvers.search.driver import halted_after

        run = self._run
        if self._work is None:
            self._work = d3.make_work(run.encoding.model, self._halt, SHARE * run.memory_limit)
            link(run.encoding.model, self._work)
        planter = Planter(run.problem, run.encoding, self._work)
        with halted_after(SECONDS, self._halt):
            assignment = planter.plant(choice)
        return assignment, planter.cost
