"""Trees of any shape by their number of questions: the best with at most k, for k = 0, 1, 2 ...

A mirror image has the same trees, so there are 66 topologies of at most four levels. They are
searched one after the other: those with few levels first, which are quick and give good trees
early, then the others by rising number of questions. Only trees that are better than the best so
far are looked for, and what a search has learned about the sides of splits serves the next ones
(`SharedBounds`). See docs/method.md.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from odt_core.solvers.exactness import check_any_shape
from odt_core.solvers.search.columns import Encoding, encode, merge
from odt_core.solvers.search.loader import loader
from odt_core.solvers.search.run import (
    OnProgress,
    Run,
    SearchOutcome,
    ShouldStop,
    Watch,
    solve_search,
)
from odt_core.solvers.search.store import SharedBounds
from odt_core.topology import Topology, unordered_topologies
from odt_core.tree import count_assignment

FEW_LEVELS = 3
"""Topologies of so many levels are searched before all others."""


@dataclass(frozen=True, eq=False)
class SizePoint:
    """The best tree with at most so many questions.

    Attributes
    ----------
    questions : int
        The largest number of questions.
    problem : Problem
        The problem of the topology that the tree has.
    solution : Solution
        The tree, with a bound that holds for every topology of so many questions.
    """

    questions: int
    problem: Problem
    solution: Solution

    @property
    def topology_name(self) -> str:
        """The topology; a leaf alone is ``.``."""
        tree = self.solution.tree
        if tree is not None and tree.n_leaves == 1:
            return "."
        return self.problem.topology.name


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A tree that was found."""

    problem: Problem
    assignment: Assignment
    total: int
    errors: int


OnPoints = Callable[[tuple[SizePoint, ...]], None]
"""Takes the points as they are known so far."""


class _Sizes:
    """What is known of each number of questions while the topologies are searched.

    Attributes
    ----------
    most : int
        No tree is worth more, since rows that are alike get the same answer.
    best : list of _Candidate or None
        By number of questions, the best tree of just so many.
    bound : list of dict of str to int
        By number of questions and the topology's text, an upper bound on the worth of its trees.
    """

    def __init__(self, problem: Problem, most_questions: int, engine: Engine) -> None:
        _, positive, negative = merge(problem)
        gains = problem.gains
        self.problem, self.engine = problem, engine
        self.most_questions = most_questions
        self.most = int(np.maximum(positive * gains.gain_tp, negative * gains.gain_tn).sum())
        self.best: list[_Candidate | None] = [None] * (most_questions + 1)
        self.bound: list[dict[str, int]] = [
            {topology.text: self.most for topology in unordered_topologies(k)} if k else {}
            for k in range(most_questions + 1)
        ]
        self.cancelled = False
        self.began = time.perf_counter()
        self._lone_leaf()

    def _lone_leaf(self) -> None:
        """The tree without a question: a topology of one question that sends all rows one way."""
        whole = dataclasses.replace(
            self.problem, topology=Topology.parse("depth-1"), forbid_empty_branches=False
        )
        feature = whole.allowed_features(0)[0]
        every = frozenset(range(whole.data.features[feature].n_values))
        for left in (every, frozenset[int]()):
            self.offer(0, whole, Assignment((Split(feature, left),), (False, True)))

    def offer(self, k: int, problem: Problem, assignment: Assignment) -> bool:
        """Take a tree if it is the best of so many questions; whether it is."""
        confusion = count_assignment(problem, assignment.splits, assignment.labels)
        if not problem.gains.allows(confusion):
            return False
        total, known = problem.gains.total(confusion), self.best_of(k)
        if known is not None and (known.total, -known.errors) >= (total, -confusion.errors):
            return False
        self.best[k] = _Candidate(problem, assignment, total, confusion.errors)
        return True

    def best_of(self, k: int) -> _Candidate | None:
        """The best tree with at most so many questions."""
        found: _Candidate | None = None
        for each in self.best[: k + 1]:
            if each is not None and (
                found is None or (each.total, -each.errors) > (found.total, -found.errors)
            ):
                found = each
        return found

    def total_of(self, k: int) -> int | None:
        """What the best tree with at most so many questions is worth."""
        found = self.best_of(k)
        return None if found is None else found.total

    def bound_of(self, k: int) -> int | None:
        """Upper bound for at most so many questions; None where no tree meets the conditions.

        More questions are never worth less, so the bound of a larger number holds as well.
        """
        found: int | None = None
        for larger in range(k, self.most_questions + 1):
            bounds = [b for each in self.bound[: larger + 1] for b in each.values()]
            leaf = self.best[0]
            bounds += [] if leaf is None else [leaf.total]
            at_most = max(bounds, default=-1)
            found = at_most if found is None else min(found, at_most)
        return None if found is None or found < 0 else found

    def is_settled(self, k: int) -> bool:
        """Whether nothing is left to search for this number of questions."""
        return self.bound_of(k) in (None, self.total_of(k))

    def cannot_improve(self, topology: Topology, k: int) -> bool:
        """Whether it is known that no tree of a topology beats the best for a number."""
        total = self.total_of(k)
        return total is not None and self.bound[topology.n_nodes][topology.text] <= total

    def points(self) -> tuple[SizePoint, ...]:
        """All points, each counted again from the rows."""
        return tuple(self._point(k) for k in range(self.most_questions + 1))

    def _point(self, k: int) -> SizePoint:
        found, bound = self.best_of(k), self.bound_of(k)
        problem = self.problem if found is None else found.problem
        seconds = time.perf_counter() - self.began
        solution = make_solution(
            problem,
            engine=self.engine,
            assignment=None if found is None else found.assignment,
            claimed_total=None if found is None else found.total,
            bound=bound,
            infeasible=found is None and bound is None,
            cancelled=self.cancelled,
            provers=(Prover.SEARCH,),
            seconds=Seconds(seconds, search=seconds),
        )
        return SizePoint(k, problem, solution)


def solve_sizes(
    problem: Problem,
    most_questions: int,
    *,
    every: bool = True,
    engine: Engine = Engine.SEARCH,
    time_limit: float = 60.0,
    threads: int = 1,
    on_progress: OnProgress | None = None,
    on_points: OnPoints | None = None,
    should_stop: ShouldStop | None = None,
) -> tuple[SizePoint, ...]:
    """Find the best tree of any shape with at most k questions, for each k, and prove it.

    Parameters
    ----------
    problem : Problem
        Its topology is not looked at.
    most_questions : int
        The largest k, from 1 to 15.
    every : bool
        Whether each k is to be proved, or only the largest.
    engine : Engine
        Who was asked: ``hybrid`` or ``search``, which are the same here.
    time_limit : float
        Seconds, for everything.
    threads : int
        Worker threads.
    on_progress : callable, optional
        Receives what is known of the largest k.
    on_points : callable, optional
        Receives all points when one of them has become better or is proved.
    should_stop : callable, optional
        Asked many times a second; true ends the search with what there is.

    Returns
    -------
    tuple of SizePoint
        For k = 0, 1, ..., `most_questions`.

    Raises
    ------
    InputError
        If a rule is tied to a node, or the engine cannot do it.
    """
    check_any_shape(engine, has_node_rules=bool(problem.rules.nodes))
    loader.compile_in_background()
    sizes = _Sizes(problem, most_questions, engine)
    order = _order(most_questions, every or problem.forbid_empty_branches)
    searcher = _Searcher(problem, order, threads, time.monotonic() + time_limit, should_stop)
    searcher.on_progress = on_progress
    searcher.run(sizes, every, on_points)
    return sizes.points()


def _order(most_questions: int, every: bool) -> list[Topology]:
    """The topologies to search: few levels first, then by rising number of questions.

    Where only the largest number counts, those of four levels and fewer questions are left out: a
    larger one has all their trees.
    """
    found = [
        topology
        for k in range(1, most_questions + 1)
        for topology in unordered_topologies(k)
        if every or topology.depth <= FEW_LEVELS or k == most_questions
    ]
    return sorted(found, key=lambda topology: topology.depth > FEW_LEVELS)


def _take_bound(sizes: _Sizes, topology: Topology, outcome: SearchOutcome) -> None:
    """What a search proved of its topology, and of those whose trees it has as well."""
    bound = -1 if outcome.infeasible else outcome.bound
    known = sizes.bound[topology.n_nodes]
    known[topology.text] = min(known[topology.text], bound)
    if sizes.problem.forbid_empty_branches:
        return
    for k in range(1, topology.n_nodes):
        for smaller in unordered_topologies(k):
            if topology.includes(smaller):
                text = smaller.text
                sizes.bound[k][text] = min(sizes.bound[k][text], bound)


class _Searcher:
    """Searches one topology after the other on the same rows."""

    def __init__(
        self,
        problem: Problem,
        order: Sequence[Topology],
        threads: int,
        deadline: float,
        should_stop: ShouldStop | None,
    ) -> None:
        self.problems = [dataclasses.replace(problem, topology=topology) for topology in order]
        self.threads, self.deadline, self.should_stop = threads, deadline, should_stop
        self.on_progress: OnProgress | None = None
        self.started = time.monotonic()
        self._encodings: list[Encoding] = []
        if not (problem.gains.has_floor or problem.gains.counts_one_class):
            self._encodings = encode_all(problem, order)
        self._shared = SharedBounds()

    def run(self, sizes: _Sizes, every: bool, on_points: OnPoints | None) -> None:
        """Search the topologies that may have a better tree, and tell of the points."""
        for number, problem in enumerate(self.problems):
            topology, k = problem.topology, problem.topology.n_nodes
            wanted = k if every else sizes.most_questions
            if sizes.is_settled(wanted) or sizes.cannot_improve(topology, wanted):
                continue
            if self.should_stop is not None and self.should_stop():  # a quick search may not ask
                sizes.cancelled = True
                return
            outcome = self.search(number, sizes)
            if outcome is None:
                return
            found = outcome.assignment
            better = found is not None and sizes.offer(k, problem, found)
            _take_bound(sizes, topology, outcome)
            sizes.cancelled = outcome.cancelled
            if on_points is not None and (better or sizes.is_settled(k)):
                on_points(sizes.points())
            if outcome.cancelled:
                return

    def search(self, number: int, sizes: _Sizes) -> SearchOutcome | None:
        """Search a topology for a tree that beats the best so far; None if time is up."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return None
        problem = self.problems[number]
        tell = self._teller(sizes)
        if not self._encodings:
            return solve_search(
                problem,
                time_limit=left,
                threads=self.threads,
                on_progress=tell,
                should_stop=self.should_stop,
            )
        encoding = self._encodings[number]
        run = Run(
            problem,
            encoding,
            self.threads,
            Watch(self.deadline, self.should_stop),
            time.monotonic(),
            on_progress=tell,
            cutoff=_cost(encoding, sizes.total_of(problem.topology.n_nodes)),
            shared=self._shared,
        )
        run.go()
        return run.finish()

    def _teller(self, sizes: _Sizes) -> OnProgress | None:
        if self.on_progress is None:
            return None
        tell, k = self.on_progress, sizes.most_questions
        incumbent, bound = sizes.total_of(k), sizes.bound_of(k)
        return lambda _point: tell(TracePoint(time.monotonic() - self.started, incumbent, bound))


def encode_all(problem: Problem, topologies: Sequence[Topology]) -> list[Encoding]:
    """One encoding for each topology, all with the same columns and numbers of classes.

    The classes are those of a chain of nodes which has the topologies on its left.
    """
    left: list[int] = []
    right: list[int] = []
    first: list[int] = []
    n_leaves = 0
    for topology in topologies:
        left.append(len(left) + 1)
        right.append(len(left) + topology.n_nodes)
        first.append(len(left))
        for mine, theirs in ((left, topology.left), (right, topology.right)):
            mine += [c + first[-1] if c >= 0 else c - n_leaves for c in theirs]
        n_leaves += topology.n_leaves
    right[first[-1] - 1] = -1 - n_leaves
    whole = encode(dataclasses.replace(problem, topology=Topology(tuple(left), tuple(right))))
    return [
        dataclasses.replace(whole, classes=whole.classes[at : at + topology.n_nodes])
        for at, topology in zip(first, topologies, strict=True)
    ]


def _cost(encoding: Encoding, total: int | None) -> float:
    """The cost, in the search's units, of a tree that is worth `total`; infinite for None."""
    if total is None:
        return math.inf
    return float((encoding.most - total) // encoding.unit - encoding.base)
