"""Problems with floors on sensitivity or specificity, and the whole frontier.

Weighted searches without floors come first: they give trees at the corners of the frontier and
cuts ``alpha FN + beta FP >= LB``. What lies between the corners is found by fronts (fronts.py).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError
from odt_core.problem import Objective, Problem
from odt_core.solution import Assignment, TracePoint
from odt_core.solvers.exact.choices import Planter
from odt_core.solvers.exact.columns import PAIR, encode_fronts
from odt_core.solvers.exact.front_lists import Front, FrontPlanter
from odt_core.solvers.exact.fronts import MULTIPLIERS, FrontSearch
from odt_core.solvers.exact.outcome import FrontierOutcome, FrontierPoint, SearchOutcome
from odt_core.solvers.exact.search import Search, Stopped
from odt_core.tree import count_assignment

Floats = npt.NDArray[np.float64]
CORNERS = 8
"""How many weighted searches are made before the fronts."""

FLOOR_LIMIT = 2**25
"""Total weight of the rows below which every weighted search between two corners counts exactly."""

GREEDY_SECONDS = 0.1
"""How long the first tree for a weight may take."""

POLL_SECONDS, REPORT_SECONDS = 0.02, 0.25
GRID = 4096
"""Up to so many numbers of false negatives, a bound is told for each one exactly."""


@dataclass
class Watch:
    """Runs work in a thread, so that time and the user are heeded meanwhile.

    Attributes
    ----------
    deadline : float
        Monotonic time.
    should_stop : callable, optional
        Asked now and then.
    halt : int64[1]
        Set to end the work.
    """

    deadline: float = math.inf
    should_stop: Callable[[], bool] | None = None
    halt: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    cancelled: bool = False

    def poll(self) -> None:
        """End the work if time is up or the user says so."""
        if self.should_stop is not None and not self.cancelled and self.should_stop():
            self.cancelled = True
        if self.cancelled or time.monotonic() >= self.deadline:
            self.halt[0] = 1

    def run(self, work: Callable[[], None], meanwhile: Callable[[], None] | None = None) -> bool:
        """Whether the work was completed."""
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
                if worker.is_alive():
                    self.poll()
                    if meanwhile is not None:
                        meanwhile()
        finally:
            if worker.is_alive():
                self.halt[0] = 1
                worker.join()
        if failures and not isinstance(failures[0], Stopped):
            raise failures[0]
        return not failures


@dataclass
class FloorSearch:
    """One problem with floors: minimise ``cost_fn FN + cost_fp FP`` within two budgets.

    Where the objective looks at one kind of error only, the other breaks ties, so that the tree is
    not dominated.
    """

    problem: Problem
    started: float
    watch: Watch
    threads: int = 1
    on_progress: Callable[[TracePoint], None] | None = None
    on_tree: Callable[[Assignment, int], None] | None = None
    best: tuple[int, int] | None = None
    assignment: Assignment | None = None
    cuts: list[tuple[int, int, int]] = field(default_factory=list)
    trace: list[TracePoint] = field(default_factory=list)
    reported: float = 0.0
    shown: Assignment | None = None
    closed: int | None = None
    front: Front | None = None
    reached: tuple[int, int] | None = None

    def __post_init__(self) -> None:
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

    # ------------------------------------------------------------ values

    def cost(self, fn: int, fp: int) -> int:
        """What is minimised."""
        return self.cost_fn * fn + self.cost_fp * fp

    def total(self, fn: int, fp: int) -> int:
        """The problem's objective."""
        gains, data = self.problem.gains, self.problem.data
        return gains.gain_tp * (data.n_positive - fn) + gains.gain_tn * (data.n_negative - fp)

    def bound(self) -> int | None:
        """Upper bound of the objective from the cuts; None: no tree is possible."""
        gains, data = self.problem.gains, self.problem.data
        if self.closed is not None:
            return self.closed
        if self.fn_most < 0 or self.fp_most < 0:
            return None
        step = self.fn_most // GRID + 1
        first = np.arange(0, self.fn_most + 1, step, dtype=np.int64)
        last = np.minimum(first + step - 1, self.fn_most)
        fp = np.zeros(len(first), np.int64)
        for alpha, beta, least in list(self.cuts):
            np.maximum(fp, -((alpha * last - least) // beta), out=fp)
        totals = gains.gain_tp * (data.n_positive - first) + gains.gain_tn * (data.n_negative - fp)
        possible = totals[fp <= self.fp_most]
        return int(possible.max()) if len(possible) else None

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
        tree = self.assignment
        if self.on_tree is not None and tree is not None and tree is not self.shown:
            self.shown = tree
            self.on_tree(tree, self.total(0, 0) if bound is None else bound)

    def heartbeat(self) -> None:
        """Report now and then."""
        if time.monotonic() - self.started - self.reported >= REPORT_SECONDS:
            self.report()

    def offer(self, assignment: Assignment) -> tuple[int, int]:
        """A tree that the problem allows, floors apart; its errors."""
        splits, labels = assignment.splits, assignment.labels
        confusion = count_assignment(self.problem, splits, labels)
        point = (confusion.fn, confusion.fp)
        if point[0] > self.fn_most or point[1] > self.fp_most:
            return point
        if self.best is None or self.cost(*point) < self.cost(*self.best):
            if self.problem.admits_all(splits, labels):
                self.best, self.assignment = point, assignment
        return point

    # ------------------------------------------------------------ weighted searches

    def solve(self) -> bool:
        """Everything; whether it was completed."""
        if self.fn_most < 0 or self.fp_most < 0:
            return True
        complete = self.watch.run(self._solve, self.heartbeat)
        self._plant()
        return complete

    def _solve(self) -> None:
        self._first_trees()
        self._between(self._corners())

    def _first_trees(self) -> None:
        """Greedy trees for several weights, until one keeps the floors.

        The two extreme weights make the trees with fewest false positives or negatives.
        """
        data = self.problem.data
        near = Fraction(max(data.n_negative, 1), max(data.n_positive, 1))
        extremes = (Fraction(1, data.n_positive + 1), Fraction(data.n_negative + 1))
        for ratio in (near, near / 4, near * 4, *extremes, near / 2, near * 2):
            halt = np.zeros(1, np.int64)
            weighted = self.free.with_costs(ratio.numerator, ratio.denominator)
            search = Search(weighted, halt)
            timer = threading.Timer(GREEDY_SECONDS, halt.__setitem__, (0, 1))
            timer.start()
            try:
                _, choice = search.greedy(weighted.classes[0], weighted.everything)
                self.offer(Planter(self.problem, search).plant(choice))
            except Stopped:
                pass
            finally:
                timer.cancel()
            if self.best is not None:
                return
            if self.watch.halt[0]:
                raise Stopped

    def _corner(self, alpha: int, beta: int) -> tuple[int, int]:
        """Minimise ``alpha FN + beta FP`` without floors; adds a cut."""
        weighted = self.free.with_costs(alpha, beta)
        at = len(self.cuts)
        self.cuts.append((alpha, beta, 0))

        def raise_bound(bound: float) -> None:
            self.cuts[at] = (alpha, beta, max(weighted.base + math.ceil(bound), self.cuts[at][2]))

        search = Search(weighted, self.watch.halt, self.threads, on_bound=raise_bound)
        cost, choice = search.root()
        raise_bound(cost)
        return self.offer(Planter(self.problem, search).plant(choice))

    def _corners(self) -> Fraction:
        """Corners of the frontier around the floors, and the multiplier that matters there."""
        data, gains = self.problem.data, self.problem.gains
        left, right = (0, data.n_negative), (data.n_positive, 0)
        ratio = Fraction(max(data.n_negative, 1), max(data.n_positive, 1))
        if gains.gain_tp and gains.gain_tn:
            ratio = Fraction(self.cost_fn, self.cost_fp)
        for step in range(CORNERS):
            if step or not (gains.gain_tp and gains.gain_tn):
                if left[1] <= right[1] or right[0] <= left[0]:
                    break
                ratio = Fraction(left[1] - right[1], right[0] - left[0])
            alpha, beta = ratio.numerator, ratio.denominator
            point = self._corner(alpha, beta)
            value = alpha * point[0] + beta * point[1]
            if value >= min(alpha * end[0] + beta * end[1] for end in (left, right)):
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
        """Search what the corners left."""
        pairs = around(ratio)
        search = FrontSearch(self.problem, pairs, self.watch.halt, self._tighten)
        corners = np.array([[self.fn_most], [self.fp_most]], np.float64)
        points = np.array(
            [[0, corners[0, 0] + 1], [corners[1, 0] + 1, 0], [-1, -1], [0, 0], [0, 0]]
        )
        self.front = Front(points)
        self._limit(self.front)
        guide = np.zeros(len(pairs))
        for alpha, beta, least in self.cuts:
            for i, (a, b) in enumerate(pairs):
                guide[i] = max(guide[i], least * min(a / max(alpha, 1e-9), b / beta))
        search.fill(self.front, self.encoding.classes[0], self.encoding.everything, guide)

    def _tighten(self, front: Front) -> None:
        """Take the cheapest point of the front; from now on only cheaper ones are wanted."""
        self._take(front)
        self._limit(front)

    def _take(self, front: Front) -> None:
        found = [(int(fn), int(fp)) for fn, fp in front.found.T]
        found = [point for point in found if point[0] <= self.fn_most and point[1] <= self.fp_most]
        point = min(found, key=lambda each: self.cost(*each), default=None)
        if point is not None and (self.best is None or self.cost(*point) < self.cost(*self.best)):
            self.best = self.reached = point

    def _limit(self, front: Front) -> None:
        """Only what is cheaper than the best tree is wanted (and a little more if counts are large)."""
        if self.best is None:
            return
        step = self.fn_most // GRID + 1
        fn = np.arange(0, self.fn_most + 1, step, dtype=np.int64)
        fp = (self.cost(*self.best) - 1 - self.cost_fn * fn) // self.cost_fp + 1
        points = np.stack([fn, np.maximum(fp, 0)]).astype(np.float64)
        new = np.ones(len(fn), np.bool_)
        new[1:] = points[1, 1:] < points[1, :-1]
        front.merge(points[:, new], -1)

    def _plant(self) -> None:
        """The tree of the best point, if it came from a front."""
        if self.front is not None:
            self._take(self.front)
        if self.best is None or self.best != self.reached or self.front is None:
            return
        tree = FrontPlanter(self.problem, self.encoding).plant(self.front, *self.best)
        self.assignment = tree
        confusion = count_assignment(self.problem, tree.splits, tree.labels)
        self.best = (confusion.fn, confusion.fp)


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
    factors = (Fraction(1), Fraction(2, 3), Fraction(3, 2), Fraction(1, 3), Fraction(3))
    rough = [_rough(ratio * factor) for factor in factors]
    return tuple(dict.fromkeys((each.numerator, each.denominator) for each in rough))


def _rough(ratio: Fraction) -> Fraction:
    if ratio >= 1:
        return min(ratio.limit_denominator(8), Fraction(1000))
    return max(1 / (1 / ratio).limit_denominator(8), Fraction(1, 1000))


def solve_floors(
    problem: Problem,
    *,
    deadline: float,
    started: float,
    threads: int = 1,
    on_progress: Callable[[TracePoint], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_tree: Callable[[Assignment, int], None] | None = None,
    incumbent: Assignment | None = None,
) -> SearchOutcome:
    """Solve a problem with floors; the tree is not dominated by any other.

    Raises
    ------
    InputError
        If the row weights are too large.
    """
    check_weight(problem)
    watch = Watch(deadline, should_stop)
    search = FloorSearch(problem, started, watch, threads, on_progress, on_tree)
    if incumbent is not None:
        search.offer(incumbent)
    complete = search.solve()
    bound = search.bound()
    infeasible = search.best is None and (complete or bound is None)
    total = None if search.best is None else search.total(*search.best)
    if complete and total is not None:
        bound = search.closed = total
    search.report()
    most = search.total(0, 0)
    return SearchOutcome(
        assignment=search.assignment,
        total=total,
        bound=most if bound is None else bound,
        proved=infeasible or (complete and total is not None),
        infeasible=infeasible,
        cancelled=watch.cancelled,
        seconds=time.monotonic() - started,
        trace=tuple(search.trace),
    )


# ---------------------------------------------------------------- the whole frontier


def frontier(
    problem: Problem,
    *,
    time_limit: float | None = None,
    should_stop: Callable[[], bool] | None = None,
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
    watch = Watch(math.inf if time_limit is None else started + time_limit, should_stop)
    search = FrontierSearch(replace(problem, objective=Objective()), watch)
    complete = watch.run(search.solve)
    least = search.least(complete)
    points = []
    for at in np.flatnonzero(search.front.points[2] >= 0):
        fn, fp, number = (int(each) for each in search.front.points[:3, at])
        proved = least[fn] == fp and (fn == 0 or least[fn - 1] > fp)
        points.append(FrontierPoint(fn, fp, search.tree(fn, fp, number), bool(proved)))
    return FrontierOutcome(
        points=tuple(points),
        least=tuple(least.tolist()),
        proved=complete,
        cancelled=watch.cancelled,
        seconds=time.monotonic() - started,
    )


class FrontierSearch:
    """The whole frontier of a problem without floors."""

    def __init__(self, problem: Problem, watch: Watch) -> None:
        data = problem.data
        self.problem = problem
        self.search = FrontSearch(problem, MULTIPLIERS, watch.halt)
        self.n_positive, self.n_negative = data.n_positive, data.n_negative
        ends = np.array([[0, data.n_positive + 1], [data.n_negative + 1, 0]], np.float64)
        self.front = Front(np.concatenate([ends, [[-1, -1], [0, 0], [0, 0]]]))
        self.guide = np.zeros(len(MULTIPLIERS))
        self.given: dict[int, Assignment] = {}

    def solve(self) -> None:
        """Corners first, then what lies between them."""
        search, encoding = self.search, self.search.encoding
        if search.table.level[encoding.classes[0]] > PAIR:
            for i, weighted in enumerate(search.searches):
                cost, choice = weighted.root()
                self.guide[i] = weighted.encoding.base + cost
                if not encoding.smallest:
                    self._give(Planter(self.problem, weighted).plant(choice))
        search.fill(self.front, encoding.classes[0], encoding.everything, self.guide)

    def _give(self, assignment: Assignment) -> None:
        """A tree of a weighted search."""
        confusion = count_assignment(self.problem, assignment.splits, assignment.labels)
        number = self.front.add(1, lambda _: _no_choice())
        self.given[number] = assignment
        self.front.merge(np.array([[confusion.fn], [confusion.fp]], np.float64), number)

    def tree(self, fn: int, fp: int, number: int) -> Assignment:
        """The tree of a point."""
        if number in self.given:
            return self.given[number]
        return FrontPlanter(self.problem, self.search.encoding).plant(self.front, fn, fp)

    def least(self, complete: bool) -> npt.NDArray[np.int64]:
        """For each number of false negatives, what no tree can have fewer false positives than."""
        points, p = self.front.points, self.n_positive
        at = np.searchsorted(points[0], np.arange(p + 1), side="right") - 1
        found = points[1][at]
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
        """Fewest false positives that weighted bounds allow."""
        alpha, beta = self.search.alpha[:, None], self.search.beta[:, None]
        fewest = (-((alpha * fn - bounds[:, None]) // beta)).max(axis=0)
        return np.asarray(np.clip(fewest, 0, self.n_negative + 1))


def _no_choice() -> None:
    raise AssertionError("the tree of a weighted search is kept whole")
