"""Trees of any shape: the best tree with at most k questions, for k = 0, 1, 2 ...

A topology and its mirror image have the same trees, so there are 66 topologies of at most four
levels. They are searched one after the other. Topologies of few levels come first: they are quick
and give good trees early. The others follow by rising number of questions. Each search looks only
for trees that are better than the best so far, and uses the store and tables of the searches before
it. See docs/method.md.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from odt_core.problem import Problem, Split
from odt_core.solution import (
    Assignment,
    Engine,
    Prover,
    Seconds,
    Solution,
    TracePoint,
    make_solution,
)
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.solvers.exactness import check_any_shape
from odt_core.solvers.search.columns import Encoding, encode_all, merge
from odt_core.solvers.search.engine import needs_fronts
from odt_core.solvers.search.floors import FloorRun
from odt_core.solvers.search.loader import loader
from odt_core.solvers.search.run import SearchOutcome, WeightedRun
from odt_core.solvers.search.search import Search
from odt_core.topology import Topology, unordered_topologies
from odt_core.tree import count_assignment

FEW_LEVELS = 3
"""The most levels of the topologies that are searched first."""


@dataclass(frozen=True, eq=False)
class SizePoint:
    """The best tree up to a number of questions.

    Attributes
    ----------
    questions : int
        The largest number of questions.
    problem : Problem
        The problem with the tree's topology.
    solution : Solution
        The tree, with a bound that holds for every topology up to that number.
    """

    questions: int
    problem: Problem
    solution: Solution

    @property
    def topology_name(self) -> str:
        """The name of the topology; a single leaf is ``.``."""
        tree = self.solution.tree
        if tree is not None and tree.n_leaves == 1:
            return "."
        return self.problem.topology.name


class _Candidate(NamedTuple):
    """A tree that was found. A better tree has a larger total, or the same and fewer errors."""

    total: int
    minus_errors: int
    problem: Problem
    assignment: Assignment


OnPoints = Callable[[tuple[SizePoint, ...]], None]
"""Receives all points, as far as they are known."""


class _Sizes:
    """The best trees and bounds for each number of questions, found topology by topology.

    Attributes
    ----------
    best : dict of int to _Candidate
        The best tree with exactly k questions.
    bound : dict of Topology to int
        An upper bound of the totals of each topology's trees.
    """

    def __init__(
        self, problem: Problem, most_questions: int, engine: Engine, control: Control
    ) -> None:
        _, positive, negative = merge(problem)
        gains = problem.gains
        self.problem, self.engine, self.control = problem, engine, control
        self.most_questions = most_questions
        self.best: dict[int, _Candidate] = {}
        # no tree has a larger total: equal rows get the same answer
        most = int(np.maximum(positive * gains.gain_tp, negative * gains.gain_tn).sum())
        sizes = range(1, most_questions + 1)
        self.bound = {topology: most for k in sizes for topology in unordered_topologies(k)}
        self.cancelled = False
        self._began = time.perf_counter()
        self._last: Search | None = None  # its store and tables serve the next search
        self._lone_leaf()

    @property
    def seconds(self) -> float:
        """The time so far."""
        return time.perf_counter() - self._began

    def _lone_leaf(self) -> None:
        """Trees without a question, as topologies of one question that sends all rows one way."""
        depth_1 = Topology.parse("depth-1")
        whole = replace(self.problem, topology=depth_1, forbid_empty_branches=False)
        feature = whole.allowed_features(0)[0]
        every = frozenset(range(whole.data.features[feature].n_values))
        for left in (every, frozenset[int]()):
            self.offer(0, whole, Assignment((Split(feature, left),), (False, True)))

    def offer(self, k: int, problem: Problem, assignment: Assignment) -> bool:
        """Keep a tree if it is the best with at most k questions. Returns whether it is."""
        confusion = count_assignment(problem, assignment.splits, assignment.labels)
        if not problem.gains.allows(confusion):
            return False
        total, known = problem.gains.total(confusion), self.best_of(k)
        found = _Candidate(total, -confusion.errors, problem, assignment)
        if known is not None and known[:2] >= found[:2]:
            return False
        self.best[k] = found
        return True

    def best_of(self, k: int) -> _Candidate | None:
        """The best tree with at most k questions."""
        found = (each for questions, each in self.best.items() if questions <= k)
        return max(found, key=lambda each: each[:2], default=None)

    def total_of(self, k: int) -> int | None:
        """The total of the best tree with at most k questions."""
        found = self.best_of(k)
        return None if found is None else found.total

    def bound_of(self, k: int) -> int | None:
        """Upper bound of the total with at most k questions; None if there is no such tree."""
        bounds = [bound for topology, bound in self.bound.items() if topology.n_nodes <= k]
        bounds += [self.best[0].total] if 0 in self.best else []
        found = max(bounds, default=-1)
        return None if found < 0 else found

    def is_settled(self, k: int) -> bool:
        """Whether the best tree with at most k questions is proved."""
        return self.bound_of(k) in (None, self.total_of(k))

    def search(self, order: Sequence[Topology], every: bool, on_points: OnPoints | None) -> None:
        """Search the topologies that may have a better tree, and report the points."""
        problems = [replace(self.problem, topology=topology) for topology in order]
        encodings: Sequence[Encoding | None] = [None] * len(order)
        if not needs_fronts(self.problem):
            encodings = encode_all(self.problem, order)
        for problem, encoding in zip(problems, encodings, strict=True):
            topology, k = problem.topology, problem.topology.n_nodes
            wanted = k if every else self.most_questions
            known = self.total_of(wanted)
            if self.is_settled(wanted) or (known is not None and self.bound[topology] <= known):
                continue
            left = self.control.time_limit - self.seconds
            self.cancelled = self.control.stopped()  # a quick search may end before it asks
            if self.cancelled or left <= 0:
                return
            outcome = self._outcome(problem, encoding, left)
            found = outcome.assignment
            better = found is not None and self.offer(k, problem, found)
            self._keep_bound(topology, -1 if outcome.infeasible else outcome.bound)
            self.cancelled = outcome.cancelled
            if on_points is not None and (better or self.is_settled(k)):
                on_points(self.points())
            if self.cancelled:
                return

    def _keep_bound(self, topology: Topology, bound: int) -> None:
        """Keep the bound of a topology. It also holds for the smaller topologies it includes."""
        for other in self.bound:
            smaller = not self.problem.forbid_empty_branches and other.n_nodes < topology.n_nodes
            if other == topology or (smaller and topology.includes(other)):
                self.bound[other] = min(self.bound[other], bound)

    def _outcome(self, problem: Problem, encoding: Encoding | None, left: float) -> SearchOutcome:
        """Search a topology for a tree that beats the best so far."""
        tell = self.control.on_progress
        known = self.total_of(self.most_questions), self.bound_of(self.most_questions)
        control = replace(
            self.control,
            time_limit=left,
            on_found=None,
            on_progress=tell and (lambda _: tell(TracePoint(self.seconds, *known))),
        )
        best = self.total_of(problem.topology.n_nodes)
        if encoding is None:
            return FloorRun(problem, control, best).solve()
        cutoff = math.inf if best is None else encoding.cost(best)
        run = WeightedRun(problem, control, encoding, cutoff, self._last)
        self._last = run.search
        return run.solve()

    def points(self) -> tuple[SizePoint, ...]:
        """All points, each counted again from the rows."""
        return tuple(self._point(k) for k in range(self.most_questions + 1))

    def _point(self, k: int) -> SizePoint:
        found, bound = self.best_of(k), self.bound_of(k)
        problem = self.problem if found is None else found.problem
        solution = make_solution(
            problem,
            engine=self.engine,
            assignment=None if found is None else found.assignment,
            claimed_total=None if found is None else found.total,
            bound=bound,
            infeasible=found is None and bound is None,
            cancelled=self.cancelled,
            provers=(Prover.SEARCH,),
            seconds=Seconds(self.seconds, search=self.seconds),
        )
        return SizePoint(k, problem, solution)


def solve_sizes(
    problem: Problem,
    most_questions: int,
    control: Control = DEFAULT_CONTROL,
    *,
    every: bool = True,
    engine: Engine = Engine.SEARCH,
    on_points: OnPoints | None = None,
) -> tuple[SizePoint, ...]:
    """Find the best tree of any shape with at most k questions, for each k, and prove it.

    Parameters
    ----------
    problem : Problem
        Its topology has no effect.
    most_questions : int
        The largest k, from 1 to 15.
    control : Control
        The limits of all searches together, and the functions that follow them. `on_progress`
        receives incumbent and bound of the largest k. `on_found` is not called.
    every : bool
        Whether to prove each k, or only the largest.
    engine : Engine
        The engine to name in the solutions: ``hybrid`` or ``search``. Both do the same here.
    on_points : callable, optional
        Receives all points when one of them became better or is proved.

    Returns
    -------
    tuple of SizePoint
        For k = 0, 1, ..., `most_questions`.

    Raises
    ------
    InputError
        If a rule belongs to a node, or the engine cannot search all topologies.
    """
    check_any_shape(engine, has_node_rules=bool(problem.rules.nodes))
    loader.compile_in_background()
    sizes = _Sizes(problem, most_questions, engine, control)
    sizes.search(_order(most_questions, every or problem.forbid_empty_branches), every, on_points)
    return sizes.points()


def _order(most_questions: int, every: bool) -> list[Topology]:
    """The topologies to search: those of few levels first, then by rising number of questions.

    If only the largest number counts, topologies of four levels and fewer questions are left out: a
    larger topology has all their trees.
    """
    found = [
        topology
        for k in range(1, most_questions + 1)
        for topology in unordered_topologies(k)
        if every or topology.depth <= FEW_LEVELS or k == most_questions
    ]
    return sorted(found, key=lambda topology: topology.depth > FEW_LEVELS)
