"""Problems with floors on sensitivity or specificity, and the whole frontier.

Weighted searches without floors come first: they give trees at the corners of the frontier and
Lagrangian bounds. What lies between the corners is found by fronts (fronts.py).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from odt_core.errors import InputError
from odt_core.problem import Goal, Objective, Problem
from odt_core.solution import Assignment, TracePoint
from odt_core.solvers.search.driver import DEFAULT_MEMORY, REPORT_SECONDS, OnProgress, ShouldStop
from odt_core.solvers.search.fronts import MULTIPLIERS, FrontSearch
from odt_core.solvers.search.incumbent import greedy_assignment
from odt_core.solvers.search.live import OnTree
from odt_core.solvers.search.outcome import FrontierOutcome, FrontierPoint, SearchOutcome
from odt_core.tree import count_assignment

CORNERS = 8
"""How many weighted searches are made before the fronts."""

FLOOR_LIMIT = 2**25
"""Total weight of the rows below which fronts fit in memory (60 bytes for each false negative that
is possible) and every weighted search between two corners is counted exactly."""

GREEDY_SECONDS = 0.1
"""How long the first tree for a weight may take."""


@dataclass
class FloorSearch:
    """One problem with floors: minimise ``cost_fn FN + cost_fp FP`` within two budgets.

    Where the objective looks at one kind of error only, the other breaks ties, so that the tree is
    not dominated.
    """

    problem: Problem
    started: float
    deadline: float
    threads: int = 1
    on_progress: OnProgress | None = None
    should_stop: ShouldStop | None = None
    on_tree: OnTree | None = None
    memory_limit: int = DEFAULT_MEMORY
    cancelled: bool = False
    best: tuple[int, int] | None = None
    assignment: Assignment | None = None
    cuts: list[tuple[int, int, int]] = field(default_factory=list)
    trace: list[TracePoint] = field(default_factory=list)
    reported: float = 0.0

    def __post_init__(self) -> None:
        gains, data = self.problem.gains, self.problem.data
        self.fn_most = data.n_positive - gains.min_tp
        self.fp_most = data.n_negative - gains.min_tn
        self.cost_fn, self.cost_fp = gains.gain_tp, gains.gain_tn
        if self.cost_fp == 0:
            self.cost_fn, self.cost_fp = self.cost_fn * (data.n_negative + 1), 1
        elif self.cost_fn == 0:
            self.cost_fn, self.cost_fp = 1, self.cost_fp * (data.n_positive + 1)

    # ------------------------------------------------------------ values

    def cost(self, fn: int, fp: int) -> int:
        """What is minimised."""
        return self.cost_fn * fn + self.cost_fp * fp

    def total(self, fn: int, fp: int) -> int:
        """The problem's objective."""
        gains, data = self.problem.gains, self.problem.data
        return gains.gain_tp * (data.n_positive - fn) + gains.gain_tn * (data.n_negative - fp)

    def bound(self) -> int | None:
        """Upper bound of the objective from the weighted bounds; None: no tree is possible."""
        gains, data = self.problem.gains, self.problem.data
        fewest = self._fewest_fn()
        if fewest is None:
            return None
        # With one class in the objective an end of the range is best: it may be millions long.
        if gains.gain_tn == 0:
            return self.total(fewest, 0)
        first = fewest if gains.gain_tp else self.fn_most
        fn = np.arange(first, self.fn_most + 1, dtype=np.int64)
        fp = np.zeros(len(fn), np.int64)
        for alpha, beta, least in self.cuts:
            np.maximum(fp, -((alpha * fn - least) // beta), out=fp)
        totals = gains.gain_tp * (data.n_positive - fn) + gains.gain_tn * (data.n_negative - fp)
        return int(totals.max())

    def _fewest_fn(self) -> int | None:
        """The fewest false negatives that the bounds allow within the budget of false positives.

        With more of them, bounds allow fewer false positives.
        """
        fewest = 0
        for alpha, beta, least in self.cuts:
            over = int(least) - beta * self.fp_most
            if over > 0:
                if alpha == 0:
                    return None
                fewest = max(fewest, -(-over // alpha))
        return fewest if fewest <= self.fn_most and self.fp_most >= 0 else None

    def report(self) -> None:
        """Tell how far the search is."""
        bound = self.bound()
        total = None if self.best is None else self.total(*self.best)
        self.reported = time.monotonic() - self.started
        point = TracePoint(self.reported, total, bound)
        if not self.trace or (total, bound) != (self.trace[-1].incumbent, self.trace[-1].bound):
            self.trace.append(point)
        if self.on_progress is not None:
            self.on_progress(point)

    def heartbeat(self) -> None:
        """Report now and then."""
        if time.monotonic() - self.started - self.reported >= REPORT_SECONDS:
            self.report()

    def give(self, assignment: Assignment) -> None:
        """Start from a tree, if it is one of the problem's and keeps the floors."""
        splits, labels = assignment.splits, assignment.labels
        if not self.problem.admits_all(splits, labels):
            return
        confusion = count_assignment(self.problem, splits, labels)
        if confusion.fn <= self.fn_most and confusion.fp <= self.fp_most:
            self.best, self.assignment = (confusion.fn, confusion.fp), assignment

    def offer(self, fn: int, fp: int, assignment: Assignment | None) -> None:
        """A tree was found."""
        if fn > self.fn_most or fp > self.fp_most:
            return
        if self.best is None or self.cost(fn, fp) < self.cost(*self.best):
            self.best, self.assignment = (fn, fp), assignment
            self.report()
            if assignment is not None and self.on_tree is not None:
                self.on_tree(assignment, self.bound() or self.total(0, 0))

    @property
    def out_of_time(self) -> bool:
        """Whether to stop now."""
        if self.should_stop is not None and self.should_stop():
            self.cancelled = True
        return self.cancelled or time.monotonic() >= self.deadline

    # ------------------------------------------------------------ weighted searches

    def corner(self, alpha: int, beta: int) -> tuple[int, int] | None:
        """Minimise ``alpha FN + beta FP`` without floors; None if time ran out."""
        from odt_core.solvers.search.solve import solve_search

        plain = self._weighted(Fraction(alpha, beta))
        outcome = solve_search(
            plain,
            time_limit=max(self.deadline - time.monotonic(), 0.0),
            threads=self.threads,
            should_stop=self.should_stop,
            memory_limit=self.memory_limit,
            on_progress=None if self.on_progress is None else lambda _: self.report(),
        )
        gains, data = plain.gains, plain.data
        scale = alpha // gains.gain_tp
        most = gains.gain_tp * data.n_positive + gains.gain_tn * data.n_negative
        self.cuts.append((alpha, beta, scale * (most - outcome.bound)))
        assert outcome.assignment is not None
        confusion = count_assignment(plain, outcome.assignment.splits, outcome.assignment.labels)
        self.offer(confusion.fn, confusion.fp, outcome.assignment)
        self.cancelled |= outcome.cancelled
        return (confusion.fn, confusion.fp) if outcome.proved else None

    def first_trees(self) -> None:
        """Greedy trees for several weights, until one keeps the floors.

        The two extreme weights make the trees with fewest false positives or negatives.
        """
        data = self.problem.data
        few_fp = Fraction(1, data.n_positive + 1)
        few_fn = Fraction(data.n_negative + 1)
        near = Fraction(max(data.n_negative, 1), max(data.n_positive, 1))
        for ratio in (near, near / 4, near * 4, few_fp, few_fn, near / 2, near * 2):
            assignment = greedy_assignment(self._weighted(ratio), GREEDY_SECONDS, self.memory_limit)
            confusion = count_assignment(self.problem, assignment.splits, assignment.labels)
            self.offer(confusion.fn, confusion.fp, assignment)
            if self.best is not None or self.out_of_time:
                return

    def _weighted(self, ratio: Fraction) -> Problem:
        """The same problem without floors; a false negative costs `ratio` false positives."""
        return replace(self.problem, objective=Objective(Goal.ACCURACY, class_weight=1 / ratio))

    def corners(self) -> Fraction:
        """Corners of the frontier around the floors, and the multiplier that matters there."""
        data = self.problem.data
        left, right = (0, data.n_negative), (data.n_positive, 0)
        ratio = Fraction(max(data.n_negative, 1), max(data.n_positive, 1))
        first = Fraction(self.cost_fn, self.cost_fp)
        for step in range(CORNERS):
            if step == 0 and self.problem.gains.gain_tp and self.problem.gains.gain_tn:
                ratio = first
            elif left[1] > right[1] and right[0] > left[0]:
                ratio = Fraction(left[1] - right[1], right[0] - left[0])
            else:
                break
            alpha, beta = ratio.numerator, ratio.denominator
            if self.out_of_time:
                break
            point = self.corner(alpha, beta)
            if point is None:
                break
            if point in (left, right) or alpha * point[0] + beta * point[1] >= (
                alpha * left[0] + beta * left[1]
            ):
                break
            if point[1] > self.fp_most:
                left = point
            elif point[0] > self.fn_most or self.cost_fn * ratio.denominator <= (
                self.cost_fp * ratio.numerator
            ):
                right = point
            else:
                left = point
        return ratio

    # ------------------------------------------------------------ fronts

    def between(self, ratio: Fraction) -> bool:
        """Search what the corners left. Returns whether it was completed."""
        search = FrontSearch(
            self.problem,
            self.fn_most,
            self.deadline,
            self.should_stop,
            multipliers=around(ratio),
            memory_limit=self.memory_limit,
        )
        wanted = np.full(self.fn_most + 1, self.fp_most + 1, np.int64)
        self.limit(wanted)

        def tighten(out: np.ndarray, budget: int) -> None:
            if out[budget] <= self.fp_most and (
                self.best is None or self.cost(budget, int(out[budget])) < self.cost(*self.best)
            ):
                self.best = (budget, int(out[budget]))
                self.assignment = None
            self.limit(out)

        search.tighten = tighten
        out, steps = search.whole(wanted, self.heartbeat)
        complete = not search.watch()
        for budget in np.flatnonzero(out < wanted):
            self.offer(int(budget), int(out[budget]), None)
        self.cancelled |= search.cancelled
        if self.best is not None and self.assignment is None:
            self.assignment = search.tree(*self.best, steps)
            confusion = count_assignment(
                self.problem, self.assignment.splits, self.assignment.labels
            )
            self.best = (confusion.fn, confusion.fp)
        return complete

    def limit(self, wanted: np.ndarray) -> None:
        """Only what is cheaper than the incumbent is wanted."""
        if self.best is None:
            return
        fn = np.arange(len(wanted), dtype=np.int64)
        np.minimum(
            wanted, (self.cost(*self.best) - 1 - self.cost_fn * fn) // self.cost_fp + 1, out=wanted
        )


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


def around(ratio: Fraction) -> tuple[tuple[int, int], ...]:
    """Multipliers near the one that matters, in small whole numbers."""
    found = dict.fromkeys(
        (rough.numerator, rough.denominator)
        for factor in (Fraction(1), Fraction(2, 3), Fraction(3, 2), Fraction(1, 3), Fraction(3))
        for rough in [_rough(ratio * factor)]
    )
    return tuple(found)


def _rough(ratio: Fraction) -> Fraction:
    if ratio >= 1:
        return min(ratio.limit_denominator(8), Fraction(1000))
    return max(1 / (1 / ratio).limit_denominator(8), Fraction(1, 1000))


def solve_floors(
    problem: Problem,
    *,
    deadline: float,
    started: float,
    threads: int,
    on_progress: OnProgress | None,
    should_stop: ShouldStop | None,
    on_tree: OnTree | None,
    memory_limit: int,
    incumbent: Assignment | None = None,
) -> SearchOutcome:
    """Solve a problem with floors; the tree is not dominated by any other.

    Raises
    ------
    InputError
        If the row weights are too large.
    """
    check_weight(problem)
    search = FloorSearch(
        problem, started, deadline, threads, on_progress, should_stop, on_tree, memory_limit
    )
    if incumbent is not None:
        search.give(incumbent)
    complete = False
    if search.fn_most >= 0 and search.fp_most >= 0:
        search.first_trees()
        ratio = search.corners()
        if not search.out_of_time:
            complete = search.between(ratio)
    bound = search.bound()
    infeasible = search.best is None and (complete or bound is None)
    total = None if search.best is None else search.total(*search.best)
    if complete and total is not None:
        bound = total
    most = search.total(0, 0)
    search.report()
    return SearchOutcome(
        assignment=search.assignment,
        total=total,
        bound=most if bound is None else bound,
        proved=infeasible or (total is not None and total == bound and complete),
        infeasible=infeasible,
        cancelled=search.cancelled,
        seconds=time.monotonic() - started,
        trace=tuple(search.trace),
    )


def frontier(
    problem: Problem,
    *,
    time_limit: float | None = None,
    should_stop: ShouldStop | None = None,
) -> FrontierOutcome:
    """Every undominated pair of false negatives and false positives, with a tree for each.

    Parameters
    ----------
    problem : Problem
        Its objective and floors are not looked at.
    time_limit : float, optional
        Seconds.
    should_stop : callable, optional
        Asked now and then.

    Returns
    -------
    FrontierOutcome
        Points by rising FN. If time ran out, what was found, with what is proved of it.

    Raises
    ------
    InputError
        If the row weights are too large.
    """
    check_weight(problem)
    started = time.monotonic()
    deadline = math.inf if time_limit is None else started + time_limit
    plain = replace(problem, objective=Objective())
    data = plain.data
    search = FrontSearch(
        plain,
        data.n_positive,
        deadline,
        should_stop,
        multipliers=MULTIPLIERS,
        memory_limit=DEFAULT_MEMORY,
    )
    wanted = np.full(data.n_positive + 1, data.n_negative + 1, np.int64)
    out, steps = search.whole(wanted)
    complete = not search.watch()
    least = out if complete else search.least
    bound = tuple(int(fp) for fp in np.maximum(least, 0))
    points = []
    for fn in range(len(out)):
        if out[fn] < wanted[fn] and (fn == 0 or out[fn] < out[fn - 1]):
            fp = int(out[fn])
            proved = bound[fn] == fp and (fn == 0 or bound[fn - 1] > fp)
            points.append(FrontierPoint(fn, fp, search.tree(fn, fp, steps), proved))
    return FrontierOutcome(
        points=tuple(points),
        least=bound,
        proved=complete,
        cancelled=search.cancelled,
        seconds=time.monotonic() - started,
    )
