"""Solves problems with floors or a smallest leaf, and finds the whole frontier.

First, weighted searches without floors give trees at the corners of the frontier, and cuts
``alpha FN + beta FP >= LB``. Then fronts (fronts.py) find what lies between the corners.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from odt_core.errors import InputError
from odt_core.problem import Objective, Problem
from odt_core.solution import Assignment
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.solvers.mip.greedy import greedy_assignment
from odt_core.solvers.search.builder import Builder, tree_at
from odt_core.solvers.search.columns import PAIR, encode_fronts, wants_sweeps
from odt_core.solvers.search.fronts import MULTIPLIERS, Front, FrontSearch, fewest_fp
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.row_sets import Whole
from odt_core.solvers.search.run import Run, SearchOutcome
from odt_core.solvers.search.search import Search, Stopped
from odt_core.tree import count_assignment, keeps_smallest_leaf

CORNERS = 8
"""Most weighted searches before the fronts."""

FLOOR_LIMIT = 2**25
"""Weighted searches between two corners are exact if the total weight of the rows is below this."""

GREEDY_WORK = 2e8
"""Most numbers to read for the first trees. That takes about a fifth of a second."""

FAR = 2.0**51
"""Stands for an infinite bound."""

GRID = 4096
"""Most ranges of numbers of false negatives. Each range has one bound."""


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
        Item fn is a lower bound of the false positives of trees with at most fn false negatives,
        for fn from 0 to the weight of all positive rows. If all is proved, this is the frontier.
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


class FrontRun(Run):
    """A search for the part of the frontier that meets the problem's floors.

    Raises
    ------
    InputError
        If the total weight of the rows is not below `FLOOR_LIMIT`.
    """

    def __init__(self, problem: Problem, control: Control) -> None:
        super().__init__(problem, control)
        data, gains, total = problem.data, problem.gains, int(problem.data.weight.sum())
        if total >= FLOOR_LIMIT:
            raise InputError(
                f"The row weights sum to {total:,}, too much for a floor, a frontier or a smallest "
                f"leaf: give weights that sum to less than {FLOOR_LIMIT:,}."
            )
        # the most errors of each kind that the floors allow
        self.fn_most = data.n_positive - gains.min_tp
        self.fp_most = data.n_negative - gains.min_tn
        self.encoding = encode_fronts(problem)
        self.free = replace(self.encoding, smallest=0)
        costs = self.costs()
        self.search = FrontSearch(self.encoding, self.halt, self.tighten, costs or MULTIPLIERS)
        fn, fp = max(self.fn_most, 0), max(self.fp_most, 0)
        # the points that are found, and those that are still wanted
        self.front = Front(np.array([[0, fn + 1], [fp + 1, 0], [-1, -1], [0, 0], [0, 0]], float))
        # alpha, beta and LB: every tree has ``alpha FN + beta FP >= LB``
        self.cuts: list[tuple[int, int, int]] = []

    def costs(self) -> tuple[tuple[int, int], ...]:
        """The costs of the two errors if only their weighted sum matters; else nothing."""
        return ()

    def tighten(self, front: Front) -> None:
        """Limit what is still wanted, after the front became better."""

    def offer(self, tree: Assignment) -> tuple[int, int]:
        """Insert a tree of the topology into the front. Returns its errors."""
        confusion = count_assignment(self.problem, tree.splits, tree.labels)
        point = (confusion.fn, confusion.fp)
        if self.problem.admits_all(tree.splits, tree.labels):
            if keeps_smallest_leaf(self.problem, tree.splits):
                self.front.insert(np.array(point, np.float64)[:, None], tree)
                self.tighten(self.front)
        return point

    def corner(self, alpha: int, beta: int) -> tuple[int, int]:
        """Minimise ``alpha FN + beta FP`` without floors, for a cut. Returns the tree's errors."""
        weighted = self.free.with_costs(alpha, beta)
        at = len(self.cuts)
        self.cuts.append((alpha, beta, 0))

        def raise_bound(bound: float) -> None:
            self.cuts[at] = (alpha, beta, max(weighted.base + math.ceil(bound), self.cuts[at][2]))

        search = Search(weighted, self.halt, self.control.threads, on_bound=raise_bound)
        cost, subtree = search.root()
        raise_bound(cost)
        return self.offer(Builder(self.problem, weighted, search).build(subtree))

    def fill(self) -> None:
        """Find what lies between the corners."""
        search = self.search
        alpha, beta, least = np.array([(1, 1, 0), *self.cuts], np.float64).T[..., None]
        guide = (least * np.minimum(search.alpha / alpha, search.beta / beta)).max(axis=0)
        search.fill(self.front, self.encoding.families[0], self.encoding.everything, guide)

    def fewest_fp(self, most: Whole) -> Whole:
        """Fewest false positives that the cuts allow, for each most number of false negatives."""
        alpha, beta, least = np.array([(1, 1, 0), *self.cuts], np.int64).T
        return np.asarray(fewest_fp(least, alpha, beta, most))

    def tree_at(self, fn: float, fp: float) -> Assignment:
        """The tree that reaches a point of the front."""
        points = self.front.points
        at = (points[0] == fn) & (points[1] == fp)
        source = self.front.sources[int(points[2, at][0])]
        if isinstance(source, Assignment):
            return source
        return tree_at(self.problem, self.search, self.front, fn, fp)


def ranges(most: int) -> tuple[Whole, Whole]:
    """The numbers from 0 to `most` in at most `GRID` ranges: first and last number of each."""
    step = most // GRID + 1
    first = np.arange(0, most + 1, step, dtype=np.int64)
    return first, np.minimum(first + step - 1, most)


# ---------------------------------------------------------------- floors


class FloorRun(FrontRun):
    """A search for the tree that meets the floors and has the least ``cost_fn FN + cost_fp FP``.

    If the objective counts one kind of error only, the other breaks ties. So no tree dominates the
    answer.
    """

    def __init__(
        self,
        problem: Problem,
        control: Control,
        known_total: int | None = None,  # only a tree with a larger objective is wanted
    ) -> None:
        super().__init__(problem, control)
        self.known_total = known_total
        self.best: tuple[int, int] | None = None  # the errors of the best tree
        self._tree: Assignment | None = None  # a better tree to report
        self.cost_fn, self.cost_fp = problem.gains.gain_tp, problem.gains.gain_tn
        if self.cost_fp == 0:
            self.cost_fn, self.cost_fp = self.cost_fn * (problem.data.n_negative + 1), 1
        elif self.cost_fn == 0:
            self.cost_fn, self.cost_fp = 1, self.cost_fp * (problem.data.n_positive + 1)

    def costs(self) -> tuple[tuple[int, int], ...]:
        """The costs of the two errors if only their weighted sum matters; else nothing."""
        gains = self.problem.gains
        if gains.has_floor or gains.counts_one_class:
            return ()
        unit = math.gcd(gains.gain_tp, gains.gain_tn)
        return ((gains.gain_tp // unit, gains.gain_tn // unit),)

    def total(self, point: tuple[int, int]) -> int:
        """The problem's objective for a pair of errors."""
        gains, data = self.problem.gains, self.problem.data
        tp, tn = data.n_positive - point[0], data.n_negative - point[1]
        return gains.gain_tp * tp + gains.gain_tn * tn

    def bound(self) -> int | None:
        """Upper bound of the objective from the cuts; None if they exclude every tree."""
        if self.fn_most < 0 or self.fp_most < 0:
            return None
        gains, data = self.problem.gains, self.problem.data
        first, last = ranges(self.fn_most)
        fp = self.fewest_fp(last)
        totals = gains.gain_tp * (data.n_positive - first) + gains.gain_tn * (data.n_negative - fp)
        return int(totals[fp <= self.fp_most].max()) if fp[-1] <= self.fp_most else None

    def known(self) -> tuple[int | None, int | None]:
        """The best total so far, and the proved upper bound."""
        return None if self.best is None else self.total(self.best), self.bound()

    def tree(self) -> Assignment | None:
        """A tree that is better than the last one returned; None if there is none."""
        tree, self._tree = self._tree, None
        return tree

    def tighten(self, front: Front) -> None:
        """Keep the cheapest point of the front. From then on only cheaper points are wanted.

        If the counts are large, the limit is a little higher than it has to be.
        """
        fn, fp, number = front.points[:3, front.points[2] >= 0].astype(np.int64)
        cost = self.cost_fn * fn + self.cost_fp * fp
        if len(cost):
            at = int(cost.argmin())
            best = (int(fn[at]), int(fp[at]))
            if best != self.best:
                source = front.sources[number[at]]
                self.best, self._tree = best, source if isinstance(source, Assignment) else None
            self._want_cheaper(int(cost[at]))

    def _want_cheaper(self, cost: int) -> None:
        fn, _ = ranges(self.fn_most)
        fp = (cost - 1 - self.cost_fn * fn) // self.cost_fp + 1
        self.front.limit(np.stack([fn, np.maximum(fp, 0)]).astype(np.float64))

    def solve(self) -> SearchOutcome:
        """Search, and build the best tree."""
        complete = self.fn_most < 0 or self.fp_most < 0 or self.go()
        self.tighten(self.front)
        total, bound = self.known()
        if total is None and complete and self.known_total is not None:
            return self.outcome(None, None, self.known_total, True, False)
        infeasible = total is None and (complete or bound is None)
        proved = infeasible or (complete and total is not None)
        if proved and total is not None:
            bound = total
        tree = None if self.best is None else self.tree_at(*self.best)
        bound = self.total((0, 0)) if bound is None else bound
        return self.outcome(tree, total, bound, proved, infeasible)

    def work(self) -> None:
        """Find greedy trees, then corners, then what lies between them."""
        if self.known_total is not None and self.cost_fn == self.problem.gains.gain_tp:
            self._want_cheaper(self.total((0, 0)) - self.known_total)
        self._first_trees()
        if self.halt[0]:
            raise Stopped
        self._corners()
        self.fill()

    def _first_trees(self) -> None:
        """Build greedy trees with several weights until one keeps the floors.

        The two extreme weights give the fewest false positives and the fewest false negatives. If
        no tree keeps the floors, the last attempt is a tree that grows from the top down. It gets
        little time if there are no floors.
        """
        data = self.problem.data
        near = Fraction(max(data.n_negative, 1), max(data.n_positive, 1))
        extremes = (Fraction(1, data.n_positive + 1), Fraction(data.n_negative + 1))
        ratios = (near, near / 4, near * 4, *extremes, near / 2, near * 2)
        with suppress(Stopped):
            for ratio in ratios[: self._n_first_trees()]:
                weighted = self.free.with_costs(ratio.numerator, ratio.denominator)
                search = Search(weighted, self.halt)
                _, subtree = search.greedy(weighted.families[0], weighted.everything)
                self.offer(Builder(self.problem, weighted, search).build(subtree))
                if self.best is not None:
                    return
        one_pass = data.n_features * self.problem.topology.n_nodes * len(data.merged().y)
        passes = iter(range(0 if self.costs() else int(GREEDY_WORK // max(one_pass, 1))))
        tree = greedy_assignment(
            self.problem, lambda: bool(self.halt[0]) or next(passes, None) is None
        )
        if tree is not None:
            self.offer(tree)

    def _n_first_trees(self) -> int:
        """How many greedy trees are worth their time.

        The size of the problem decides, not the clock. The first tree can decide which of several
        best trees is found, and the load of the machine must have no influence on that.
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

    def _corners(self) -> None:
        """Find corners of the frontier around the floors."""
        data, gains = self.problem.data, self.problem.gains
        left, right = (0, data.n_negative), (data.n_positive, 0)
        ratio = Fraction(max(data.n_negative, 1), max(data.n_positive, 1))
        for step in range(1 if self.costs() else CORNERS):
            if step == 0 and gains.gain_tp and gains.gain_tn:
                ratio = Fraction(self.cost_fn, self.cost_fp)
            elif left[1] <= right[1] or right[0] <= left[0]:
                break
            else:
                ratio = Fraction(left[1] - right[1], right[0] - left[0])
            alpha, beta = ratio.numerator, ratio.denominator
            point = self.corner(alpha, beta)
            ends = [alpha * end[0] + beta * end[1] for end in (left, right)]
            if alpha * point[0] + beta * point[1] >= min(ends):
                break
            if point[1] > self.fp_most:
                left = point
            elif point[0] > self.fn_most or self.cost_fn * beta <= self.cost_fp * alpha:
                right = point
            else:
                left = point


# ---------------------------------------------------------------- the whole frontier


class FrontierRun(FrontRun):
    """The whole frontier of a problem without floors."""

    def work(self) -> None:
        """Find corners first, then what lies between them."""
        if self.search.table.level[self.encoding.families[0]] > PAIR:
            for alpha, beta in MULTIPLIERS:
                self.corner(alpha, beta)
        self.fill()

    def solve(self) -> FrontierOutcome:
        """Search, and build the trees."""
        complete = self.go()
        least = self.least(complete)
        points = [
            FrontierPoint(
                int(fn),
                int(fp),
                self.tree_at(fn, fp),
                bool(least[fn] == fp and (fn == 0 or least[fn - 1] > fp)),
            )
            for fn, fp in self.front.found.T.astype(int)
        ]
        return FrontierOutcome(
            tuple(points), tuple(least.tolist()), complete, self.cancelled, self.seconds
        )

    def least(self, complete: bool) -> Whole:
        """A lower bound of the false positives for each number of false negatives."""
        points, every = self.front.points, np.arange(self.fn_most + 1)
        found = points[1][np.searchsorted(points[0], every, side="right") - 1].astype(np.int64)
        if complete:
            return found
        _, last = ranges(self.fn_most)
        open_ = np.full(len(last), FAR)
        root = self.search.root
        for bounds in np.zeros((1, len(MULTIPLIERS))) if root is None else root.open_bounds():
            fewest = fewest_fp(np.minimum(bounds, FAR), self.search.alpha, self.search.beta, last)
            np.minimum(open_, fewest, out=open_)
        open_ = np.minimum(np.maximum(open_, self.fewest_fp(last)), self.fp_most + 1)
        return np.minimum(found, open_[np.searchsorted(last, every)].astype(np.int64))


def frontier(problem: Problem, control: Control = DEFAULT_CONTROL) -> FrontierOutcome:
    """Find every undominated pair of false negatives and false positives, with a tree for each.

    Parameters
    ----------
    problem : Problem
        Its objective and floors have no effect.
    control : Control
        The limits, and who may stop the search.

    Returns
    -------
    FrontierOutcome
        The points by rising FN. If time runs out, it has the points that were found.

    Raises
    ------
    InputError
        If the row weights are too large.
    """
    return FrontierRun(replace(problem, objective=Objective()), control).solve()
