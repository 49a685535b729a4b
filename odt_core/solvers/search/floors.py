"""Problems with floors on sensitivity or specificity, and the whole frontier.

First, weighted searches without floors give trees at the corners of the frontier, and cuts
``alpha FN + beta FP >= LB``. Then fronts (fronts.py) find what lies between the corners.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from odt_core.errors import InputError
from odt_core.problem import Objective, Problem
from odt_core.solution import Assignment
from odt_core.solvers.mip.greedy import greedy_assignment
from odt_core.solvers.search.builder import Builder, point_tree
from odt_core.solvers.search.columns import PAIR, Floats, Whole, encode_fronts, wants_sweeps
from odt_core.solvers.search.fronts import Front, FrontSearch, fewest_fp
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.run import (
    FrontierOutcome,
    FrontierPoint,
    OnProgress,
    OnTree,
    Reporter,
    SearchOutcome,
    ShouldStop,
    Watch,
)
from odt_core.solvers.search.search import Search, Stopped
from odt_core.tree import count_assignment, keeps_smallest_leaf

MULTIPLIERS = ((1, 1), (1, 2), (2, 1), (1, 4), (4, 1), (1, 10), (10, 1))
"""Costs of a false negative and a false positive in the weighted bounds of a whole frontier."""

CORNERS = 8
"""Most weighted searches before the fronts."""

FLOOR_LIMIT = 2**25
"""With a total weight of rows below this, weighted searches between two corners are exact."""

GREEDY_WORK = 2e8
"""Most numbers to read for the first trees: about a fifth of a second."""

FAR = 2.0**51
"""Stands for an infinite bound."""

GRID = 4096
"""Up to so many numbers of false negatives, each one has a bound of its own."""


@dataclass
class FloorSearch:
    """A problem with floors: minimise ``cost_fn FN + cost_fp FP`` within two budgets.

    If the objective counts one kind of error only, the other breaks ties. So no tree dominates the
    answer.
    """

    problem: Problem
    started: float
    watch: Watch
    threads: int = 1
    on_progress: OnProgress | None = None
    on_tree: OnTree | None = None
    best: tuple[int, int] | None = None  # the errors of the best tree
    assignment: Assignment | None = None  # that tree, once it is built
    cuts: list[tuple[int, int, int]] = field(default_factory=list)  # alpha FN + beta FP >= LB
    closed: int | None = None  # the best total, once it is proved

    def __post_init__(self) -> None:
        self.reporter = Reporter(self.started, self.on_progress)
        gains, data = self.problem.gains, self.problem.data
        self.fn_most = data.n_positive - gains.min_tp
        self.fp_most = data.n_negative - gains.min_tn
        self.cost_fn, self.cost_fp = gains.gain_tp, gains.gain_tn
        if self.cost_fp == 0:
            self.cost_fn, self.cost_fp = self.cost_fn * (data.n_negative + 1), 1
        elif self.cost_fn == 0:
            self.cost_fn, self.cost_fp = 1, self.cost_fp * (data.n_positive + 1)
        self.encoding = encode_fronts(self.problem)
        self.free = replace(self.encoding, smallest=0)
        self.front = Front(_box(max(self.fn_most, 0), max(self.fp_most, 0)))
        self._reported_tree: Assignment | None = None

    def cost(self, point: tuple[int, int]) -> int:
        """The cost of a pair of errors."""
        return self.cost_fn * point[0] + self.cost_fp * point[1]

    def total(self, point: tuple[int, int]) -> int:
        """The problem's objective for a pair of errors."""
        gains, data = self.problem.gains, self.problem.data
        tp, tn = data.n_positive - point[0], data.n_negative - point[1]
        return gains.gain_tp * tp + gains.gain_tn * tn

    def bound(self) -> int | None:
        """Upper bound of the objective from the cuts; None if they exclude every tree."""
        if self.closed is not None:
            return self.closed
        if self.fn_most < 0 or self.fp_most < 0:
            return None
        gains, data = self.problem.gains, self.problem.data
        step = self.fn_most // GRID + 1
        first = np.arange(0, self.fn_most + 1, step, dtype=np.int64)
        last = np.minimum(first + step - 1, self.fn_most)
        alpha, beta, least = np.array(list(self.cuts), np.int64).reshape(-1, 3).T
        fp = fewest_fp(least, alpha, beta, last)
        totals = gains.gain_tp * (data.n_positive - first) + gains.gain_tn * (data.n_negative - fp)
        return int(totals[fp <= self.fp_most].max()) if fp[-1] <= self.fp_most else None

    def report(self, force: bool = False) -> None:
        """Report how far the search is, and a better tree, if it is time to."""
        bound = self.bound()
        total = None if self.best is None else self.total(self.best)
        if not self.reporter.report(total, bound, force):
            return
        tree = self.assignment
        if self.on_tree is not None and tree is not None and tree is not self._reported_tree:
            self._reported_tree = tree
            self.on_tree(tree, self.total((0, 0)) if bound is None else bound)

    def offer(self, assignment: Assignment) -> tuple[int, int]:
        """Keep a tree of the topology if it is the best so far. Returns its errors."""
        splits, labels = assignment.splits, assignment.labels
        confusion = count_assignment(self.problem, splits, labels)
        point = (confusion.fn, confusion.fp)
        within = point[0] <= self.fn_most and point[1] <= self.fp_most
        if within and (self.best is None or self.cost(point) < self.cost(self.best)):
            allowed = self.problem.admits_all(splits, labels)
            if allowed and keeps_smallest_leaf(self.problem, splits):
                self.best, self.assignment = point, assignment
        return point

    def solve(self) -> bool:
        """Search. Returns whether the search was completed."""
        if self.fn_most < 0 or self.fp_most < 0:
            return True
        complete = self.watch.run(self._solve, self.report)
        self._tighten(self.front)
        if self.best is not None and self.assignment is None:
            self.assignment = point_tree(self.problem, self.encoding, self.front, *self.best)
        return complete

    def _solve(self) -> None:
        self._first_trees()
        if self.watch.halt[0]:
            raise Stopped
        self._between(self._corners())

    # ------------------------------------------------------------ weighted searches

    def _first_trees(self) -> None:
        """Build greedy trees with several weights until one keeps the floors.

        The two extreme weights give the fewest false positives and the fewest false negatives. If
        no tree keeps the floors, a tree that grows from the top down is the last attempt.
        """
        data = self.problem.data
        near = Fraction(max(data.n_negative, 1), max(data.n_positive, 1))
        extremes = (Fraction(1, data.n_positive + 1), Fraction(data.n_negative + 1))
        ratios = (near, near / 4, near * 4, *extremes, near / 2, near * 2)
        with suppress(Stopped):
            for ratio in ratios[: self._n_first_trees()]:
                weighted = self.free.with_costs(ratio.numerator, ratio.denominator)
                search = Search(weighted, self.watch.halt)
                _, choice = search.greedy(weighted.classes[0], weighted.everything)
                self.offer(Builder(self.problem, search.encoding, search).build(choice))
                if self.best is not None:
                    return
        one_pass = data.n_features * self.problem.topology.n_nodes * len(data.merged().y)
        passes = iter(range(int(GREEDY_WORK // max(one_pass, 1))))
        tree = greedy_assignment(
            self.problem, lambda: bool(self.watch.halt[0]) or next(passes, None) is None
        )
        if tree is not None:
            self.offer(tree)

    def _n_first_trees(self) -> int:
        """How many greedy trees are worth their time.

        The size of the problem decides, not the clock. The first tree can decide which of several
        best trees is found, and that must not depend on the load of the machine.
        """
        table = self.free.table
        n_columns, n_groups = len(table.group), len(table.kind)
        walked = np.diff(table.start)[(table.kind != CHAIN) & (table.arity > 2)]
        if wants_sweeps(n_columns, table.local):
            one = 600.0 * table.local.size
        else:
            one = 8.0 * n_columns**2 + len(table.d) * n_groups**2
        one += n_columns * (2.0 ** np.minimum(walked / 2, 60)).sum()
        return int(GREEDY_WORK // (2 * self.problem.topology.depth * max(one, 1)))

    def _corner(self, alpha: int, beta: int) -> tuple[int, int]:
        """Minimise ``alpha FN + beta FP`` without floors: a cut. Returns the tree's errors."""
        weighted = self.free.with_costs(alpha, beta)
        at = len(self.cuts)
        self.cuts.append((alpha, beta, 0))

        def raise_bound(bound: float) -> None:
            self.cuts[at] = (alpha, beta, max(weighted.base + math.ceil(bound), self.cuts[at][2]))

        search = Search(weighted, self.watch.halt, self.threads, on_bound=raise_bound)
        cost, choice = search.root()
        raise_bound(cost)
        return self.offer(Builder(self.problem, search.encoding, search).build(choice))

    def _corners(self) -> Fraction:
        """Find corners of the frontier around the floors. Returns the multiplier between them."""
        data, gains = self.problem.data, self.problem.gains
        left, right = (0, data.n_negative), (data.n_positive, 0)
        ratio = Fraction(max(data.n_negative, 1), max(data.n_positive, 1))
        for step in range(CORNERS):
            if step == 0 and gains.gain_tp and gains.gain_tn:
                ratio = Fraction(self.cost_fn, self.cost_fp)
            elif left[1] <= right[1] or right[0] <= left[0]:
                break
            else:
                ratio = Fraction(left[1] - right[1], right[0] - left[0])
            alpha, beta = ratio.numerator, ratio.denominator
            point = self._corner(alpha, beta)
            ends = [alpha * end[0] + beta * end[1] for end in (left, right)]
            if alpha * point[0] + beta * point[1] >= min(ends):
                break
            if point[1] > self.fp_most:
                left = point
            elif point[0] > self.fn_most or self.cost_fn * beta <= self.cost_fp * alpha:
                right = point
            else:
                left = point
        return ratio

    # ------------------------------------------------------------ fronts

    def _between(self, ratio: Fraction) -> None:
        """Search between the corners."""
        pairs = multipliers(ratio)
        search = FrontSearch(self.problem, pairs, self.watch.halt, self._tighten)
        self._tighten(self.front)
        guide = np.zeros(len(pairs))
        for alpha, beta, least in self.cuts:
            for i, (a, b) in enumerate(pairs):
                guide[i] = max(guide[i], least * min(a / alpha, b / beta))
        search.fill(self.front, self.encoding.classes[0], self.encoding.everything, guide)

    def _tighten(self, front: Front) -> None:
        """Keep the cheapest point of the front. From now on only cheaper points are wanted.

        With large counts the limit is a little higher than needed.
        """
        for point in ((int(fn), int(fp)) for fn, fp in front.found.T):
            if self.best is None or self.cost(point) < self.cost(self.best):
                self.best, self.assignment = point, None
        if self.best is not None:
            fn = np.arange(0, self.fn_most + 1, self.fn_most // GRID + 1, dtype=np.int64)
            fp = (self.cost(self.best) - 1 - self.cost_fn * fn) // self.cost_fp + 1
            front.merge(np.stack([fn, np.maximum(fp, 0)]).astype(np.float64), -1)


def _box(fn: int, fp: int) -> Floats:
    """A wanted front: every point with at most so many errors is wanted."""
    return np.array([[0, fn + 1], [fp + 1, 0], [-1, -1], [0, 0], [0, 0]], np.float64)


def check_weight(problem: Problem) -> None:
    """Refuse rows that weigh too much for fronts.

    Raises
    ------
    InputError
        If their total weight is not below `FLOOR_LIMIT`.
    """
    total = int(problem.data.weight.sum())
    if total >= FLOOR_LIMIT:
        raise InputError(
            f"The row weights sum to {total:,}, too much for a floor or a frontier: give weights "
            f"that sum to less than {FLOOR_LIMIT:,}."
        )


def multipliers(ratio: Fraction) -> tuple[tuple[int, int], ...]:
    """A ratio in small whole numbers, and the multipliers of a whole frontier."""
    if ratio >= 1:
        rough = min(ratio.limit_denominator(8), Fraction(1000))
    else:
        rough = max(1 / (1 / ratio).limit_denominator(8), Fraction(1, 1000))
    return tuple(dict.fromkeys([(rough.numerator, rough.denominator), *MULTIPLIERS]))


def solve_floors(
    problem: Problem,
    watch: Watch,
    started: float,
    threads: int = 1,
    on_progress: OnProgress | None = None,
    on_tree: OnTree | None = None,
    incumbent: Assignment | None = None,
) -> SearchOutcome:
    """Solve a problem with floors. No other tree dominates the answer.

    Raises
    ------
    InputError
        If the row weights are too large.
    """
    check_weight(problem)
    search = FloorSearch(problem, started, watch, threads, on_progress, on_tree)
    if incumbent is not None:
        search.offer(incumbent)
    complete = search.solve()
    bound = search.bound()
    infeasible = search.best is None and (complete or bound is None)
    total = None if search.best is None else search.total(search.best)
    if complete and total is not None:
        bound = search.closed = total
    search.report(force=True)
    return SearchOutcome(
        assignment=search.assignment,
        total=total,
        bound=search.total((0, 0)) if bound is None else bound,
        proved=infeasible or (complete and total is not None),
        infeasible=infeasible,
        cancelled=watch.cancelled,
        seconds=time.monotonic() - started,
        trace=tuple(search.reporter.trace),
    )


# ---------------------------------------------------------------- the whole frontier


class FrontierSearch:
    """The whole frontier of a problem without floors."""

    def __init__(self, problem: Problem, watch: Watch) -> None:
        data = problem.data
        self.problem = problem
        self.search = FrontSearch(problem, MULTIPLIERS, watch.halt)
        self.n_positive, self.n_negative = data.n_positive, data.n_negative
        self.front = Front(_box(data.n_positive, data.n_negative))
        self.guide = np.zeros(len(MULTIPLIERS))

    def solve(self) -> None:
        """Find corners first, then what lies between them."""
        search, encoding = self.search, self.search.encoding
        if search.table.level[encoding.classes[0]] > PAIR:
            for i, weighted in enumerate(search.searches):
                cost, choice = weighted.root()
                self.guide[i] = weighted.encoding.base + cost
                if not encoding.smallest:
                    self._insert(Builder(self.problem, weighted.encoding, weighted).build(choice))
        search.fill(self.front, encoding.classes[0], encoding.everything, self.guide)

    def _insert(self, assignment: Assignment) -> None:
        """Insert the errors of a tree."""
        confusion = count_assignment(self.problem, assignment.splits, assignment.labels)
        point = np.array([[confusion.fn], [confusion.fp]], np.float64)
        self.front.merge(point, len(self.front.sources))
        self.front.sources.append(assignment)

    def points(self, least: Whole) -> list[FrontierPoint]:
        """The points that were found, with their trees."""
        found = []
        for fn, fp, number in self.front.points[:3, self.front.points[2] >= 0].T.astype(int):
            proved = least[fn] == fp and (fn == 0 or least[fn - 1] > fp)
            tree = self.front.sources[number] if self.front.sources else None
            if not isinstance(tree, Assignment):
                tree = point_tree(self.problem, self.search.encoding, self.front, fn, fp)
            found.append(FrontierPoint(int(fn), int(fp), tree, bool(proved)))
        return found

    def least(self, complete: bool) -> Whole:
        """For each number of false negatives a lower bound of the false positives."""
        points, p = self.front.points, self.n_positive
        found = points[1][np.searchsorted(points[0], np.arange(p + 1), side="right") - 1]
        if complete:
            return found.astype(np.int64)
        step = p // GRID + 1
        last = np.minimum(np.arange(0, p + 1, step) + step - 1, p).astype(np.float64)
        open_ = np.full(len(last), np.inf)
        for bounds in self.search.pending():
            for each in np.atleast_2d(bounds):
                np.minimum(open_, self._floor(each, last), out=open_)
        open_ = np.maximum(open_, self._floor(self.guide, last))
        return np.minimum(found, np.repeat(open_, step)[: p + 1]).astype(np.int64)

    def _floor(self, bounds: Floats, fn: Floats) -> Floats:
        """Fewest false positives that weighted bounds allow for each number of false negatives."""
        fewest = fewest_fp(np.minimum(bounds, FAR), self.search.alpha, self.search.beta, fn)
        return np.minimum(fewest, self.n_negative + 1)


def frontier(
    problem: Problem, *, time_limit: float | None = None, should_stop: ShouldStop | None = None
) -> FrontierOutcome:
    """Every undominated pair of false negatives and false positives, with a tree for each.

    Parameters
    ----------
    problem : Problem
        Its objective and floors have no effect.
    time_limit : float, optional
        Seconds.
    should_stop : callable, optional
        Called now and then; True ends the search.

    Returns
    -------
    FrontierOutcome
        The points by rising FN. If time ran out, the points that were found.

    Raises
    ------
    InputError
        If the row weights are too large.
    """
    check_weight(problem)
    started = time.monotonic()
    watch = Watch(math.inf if time_limit is None else started + time_limit, should_stop)
    search = FrontierSearch(replace(problem, objective=Objective()), watch)
    complete = watch.run(search.solve)
    least = search.least(complete)
    return FrontierOutcome(
        points=tuple(search.points(least)),
        least=tuple(least.tolist()),
        proved=complete,
        cancelled=watch.cancelled,
        seconds=time.monotonic() - started,
    )
