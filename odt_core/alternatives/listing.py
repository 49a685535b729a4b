"""Near-optimal trees, best first. The search raises a limit on the loss until it has enough."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from threadpoolctl import threadpool_limits

from odt_core.alternatives.choices import LABELS, LEAF, Choices, CostLimit
from odt_core.alternatives.ends import End, SearchEndedError, TooManyError
from odt_core.alternatives.near import Entries, NearSearch
from odt_core.alternatives.questions import Floats
from odt_core.errors import DisagreementError
from odt_core.problem import Problem
from odt_core.solution import Assignment, Engine, Seconds, Solution, make_solution
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.solvers.search import solve_search
from odt_core.topology import AnyShape, Shape, unordered_topologies

REPORT_EVERY, REPORT_SHARE = 1.0, 5.0
"""The pause between two reports of the list: at least so many seconds, and at least so many times
as long as the last report took."""

STEPS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
"""The distance of each budget from the optimum, in units of one error. The last budget has all."""


@dataclass(frozen=True, eq=False)
class NearTree:
    """The best tree of a choice of columns.

    Attributes
    ----------
    problem : Problem
        The problem of the tree's topology.
    solution : Solution
        The tree, recounted.
    loss : int
        The largest possible objective minus the tree's, as a whole number (see `Gains`).
    named : int
        Number of categories that its questions name.
    is_settled : bool
        Whether no tree of its choice of columns has a smaller loss. If not, the search ended before
        it reached that loss.
    """

    problem: Problem
    solution: Solution
    loss: int
    named: int
    is_settled: bool = True


@dataclass(frozen=True, eq=False)
class NearTrees:
    """Near-optimal trees, best first.

    Attributes
    ----------
    trees : tuple of NearTree
        One tree for each choice of columns, by loss, number of questions, and number of named
        categories. Trees that are not settled come last.
    least : int or None
        The loss of the optimum. None if no tree meets the conditions and keeps the limit on costs,
        or if the optimum is not proved.
    complete_below : int or None
        Every choice with a smaller loss is among the trees. None if there are no further choices.
    n_within : int
        Number of choices that the search found; `trees` may have fewer.
    n_best : int
        Number of these with the least loss.
    is_count_complete : bool
        Whether `n_best` counts all of them.
    end : End
        The reason for which the list ends.
    seconds : float
        Wall-clock time.
    """

    trees: tuple[NearTree, ...]
    least: int | None
    complete_below: int | None
    n_within: int
    n_best: int
    is_count_complete: bool
    end: End
    seconds: float


@dataclass(frozen=True)
class _Row:
    """The best entry of a choice, and the number of the search that found it."""

    rank: tuple[float, ...]
    choice: int
    entry: Entries
    search: int
    is_settled: bool = True


@dataclass(frozen=True, eq=False)
class _WithinBudget:
    """All choices whose loss is within a budget, best first.

    If the goal counts one kind of error, `others` limits the errors of the other kind; None is no
    limit.
    """

    budget: int
    others: int | None
    rows: list[_Row]


OnTrees = Callable[[NearTrees], None]
"""A function that receives the list as it would be if the search ended now."""


def problems_of(problem: Problem, shape: Shape) -> list[Problem]:
    """Return the problem of a shape, or for any shape the problems of all its topologies."""
    if not isinstance(shape, AnyShape):
        return [problem]
    # a larger topology also has all smaller trees, unless branches may not be empty
    first = 1 if problem.forbid_empty_branches else shape.most_questions
    return [
        dataclasses.replace(problem, topology=topology)
        for k in range(first, shape.most_questions + 1)
        for topology in unordered_topologies(k)
    ]


def loss_unit(problem: Problem) -> Fraction:
    """Return the size of one unit of the whole-number loss, in errors or in percentage points.

    For the goal accuracy, a loss is a number of errors, with the class weight for false positives.
    For the other goals, it is in percentage points of the goal's rate.
    """
    return Fraction(1 if problem.objective.goal.counts_rows else 100, problem.gains.scale)


def find_near_trees(
    problems: Sequence[Problem],
    control: Control = DEFAULT_CONTROL,
    *,
    number: int,
    within: Fraction | None = None,
    cost_limit: CostLimit | None = None,
    on_trees: OnTrees | None = None,
) -> NearTrees:
    """List near-optimal trees, best first: for each choice of columns the best tree.

    A *choice of columns* is a canonical tree with only the column of each question. The two sides
    of a question have no order. The list is complete below a certain loss (`complete_below`), even
    if it ends early.

    Parameters
    ----------
    problems : sequence of Problem
        One problem, or the problems of several topologies (see `problems_of`).
    control : Control
        The time limit, and who may stop the search, also while the trees are built. The list then
        has the choices found so far.
    number : int
        The most trees in the list.
    within : Fraction, optional
        The largest loss above the optimum, in units of `loss_unit`.
    cost_limit : CostLimit, optional
        A limit on the total cost of a tree's columns.
    on_trees : callable, optional
        Called from time to time with the list so far.

    Raises
    ------
    InputError
        If there are too many questions, or the weights are too large to be counted exactly.
    DisagreementError
        If a tree's recount contradicts the search.
    """
    # on a busy machine several threads for one small product wait longer than they count
    with threadpool_limits(1, user_api="blas"):
        choices = Choices(cost_limit)
        return _Listing(problems, control, choices, number, within, on_trees).run()


class _Listing:
    def __init__(
        self,
        problems: Sequence[Problem],
        control: Control,
        choices: Choices,
        number: int,
        within: Fraction | None,
        on_trees: OnTrees | None,
    ) -> None:
        self.problems, self.number = problems, number
        self.control, self.on_trees = control, on_trees
        self.is_over = False
        self.began = time.perf_counter()
        self.deadline = self.began + control.time_limit
        self.gains = problems[0].gains
        self.most = problems[0].perfect_total
        self.margin = None if within is None else int(within / loss_unit(problems[0]))
        self.choices = choices
        self.searches = [NearSearch(problem, choices, self._check) for problem in problems]
        self.next_report_at = 0.0
        self.best: NearTree | None = None
        """The best tree of the exact search."""
        self.bound = 0
        """A lower bound on every tree's loss, for a search that ends before it has the optimum."""

    def _check(self) -> None:
        stops = self.control.stopped()
        if self.is_over:  # the trees that were found are built even after the time limit
            return
        if stops:
            raise SearchEndedError(End.STOPPED)
        if time.perf_counter() > self.deadline:
            raise SearchEndedError(End.TIME)

    def run(self) -> NearTrees:
        found: _WithinBudget | None = None
        optimum: int | None = None
        try:
            optimum = self._optimum()
            if optimum is None:
                return self._result(None, None, End.ALL)
            for budget, others in self._budgets(optimum, self.margin):
                found = _WithinBudget(budget, others, self._rows(budget, others))
                # if exactly so many are found at the end, they may be all that there are
                is_last = budget >= self.most and others is None
                if len(found.rows) >= self.number + is_last:
                    end = End.NUMBER
                    break
                self._report(found, optimum)
            else:
                end = End.ALL if self.margin is None else End.WITHIN
        except SearchEndedError as error:
            end = error.end
        except (TooManyError, MemoryError):
            end = End.MEMORY
        return self._result(found, optimum, end)

    def _report(self, found: _WithinBudget, optimum: int) -> None:
        """Report the list so far, but rarely, because each report takes time."""
        began = time.perf_counter()
        if self.on_trees is None or began < self.next_report_at:
            return
        self.on_trees(self._result(found, optimum, End.STOPPED))
        self.is_over = False
        now = time.perf_counter()
        self.next_report_at = now + max(REPORT_EVERY, REPORT_SHARE * (now - began))

    def _optimum(self) -> int | None:
        """Find the least loss of all problems; None if no tree meets the conditions."""
        bounds = [0] * len(self.problems)
        for at, problem in enumerate(self.problems):
            left = max(self.deadline - time.perf_counter(), 0.1)
            outcome = solve_search(problem, self.control.within(left))
            if outcome.infeasible:
                bounds[at] = self.most
                continue
            if outcome.assignment is not None and outcome.total is not None:
                tree = _near_tree(problem, outcome.assignment, self.most - outcome.total)
                if self.best is None or tree.loss < self.best.loss:
                    self.best = tree
            bounds[at] = self.most - outcome.bound
            if not outcome.proved:
                self.bound = min(bounds)
                self._check()
                raise SearchEndedError(End.TIME)
        self._check()
        if self.best is None or self.choices.cost_limit is None:
            return None if self.best is None else self.best.loss
        return self._least_allowed(self.best.loss)

    def _least_allowed(self, least: int) -> int | None:
        """Find the least loss of trees that keep the limit on costs; None if there are none."""
        self.bound = least
        for budget, others in self._budgets(least, None):
            rows = self._rows(budget, others)
            if rows:
                return int(rows[0].rank[0])
            self.bound = budget if others is not None else budget + 1
        return None

    def _budgets(self, optimum: int, margin: int | None) -> Iterator[tuple[int, int | None]]:
        """Yield rising budgets: limits on the loss, and on errors that the goal does not count.

        If the goal counts one kind of error, very many trees may be as good as the best. So the
        search first looks for such trees with few errors of the other kind.
        """
        if self.gains.counts_one_class and self.best is not None:
            counts = self.best.solution.confusion
            assert counts is not None
            costs = self.searches[0].costs
            of_fp = self.gains.gain_tn == 0
            first, most = (counts.fp, costs.most_fp) if of_fp else (counts.fn, costs.most_fn)
            yield from ((optimum, first + step) for step in STEPS if first + step < most)
        last = self.most if margin is None else min(optimum + margin, self.most)
        unit = max(1, min(g for g in (self.gains.gain_tp, self.gains.gain_tn) if g))
        for step in STEPS:
            if optimum + step * unit >= last:
                break
            yield optimum + step * unit, None
        yield last, None

    def _rows(self, budget: int, others: int | None) -> list[_Row]:
        """Find all choices within a loss, and within some errors that the goal does not count."""
        found = [search.root(self._limits(search, budget, others)) for search in self.searches]
        most = np.inf if others is None else others
        merged = self._merged(found)
        return [row for row in merged if row.rank[0] <= budget and row.rank[1] <= most]

    def _beyond(self, found: _WithinBudget | None, optimum: int | None) -> list[_Row]:
        """Further choices of an unfinished search, best first, settled only at the optimum."""
        try:
            entries = [search.so_far() for search in self.searches]
        except (TooManyError, MemoryError):
            return []
        known = set() if found is None else {row.choice for row in found.rows}
        return [
            dataclasses.replace(row, is_settled=row.rank[0] == optimum)
            for row in self._merged(entries)
            if row.choice not in known
        ]

    def _merged(self, found: Sequence[Entries]) -> list[_Row]:
        """Merge the choices of all searches. Each keeps its best tree; the best comes first."""
        best: dict[int, _Row] = {}
        for at, (search, entries) in enumerate(zip(self.searches, found, strict=True)):
            ranks = self._ranks(search, entries.number, entries.cost)
            for i in np.lexsort(ranks.T[::-1]).tolist():
                number = int(entries.number[i])
                choice = LEAF if number < LABELS else number
                rank = tuple(ranks[i].tolist())
                if choice not in best or rank < best[choice].rank:
                    best[choice] = _Row(rank, choice, entries.take(np.array([i])), at)
        return sorted(best.values(), key=lambda row: (row.rank, int(row.entry.number[0])))

    def _limits(self, search: NearSearch, budget: int, others: int | None) -> Floats:
        """The largest value of each measure that a tree within the budget can have."""
        costs, gains = search.costs, self.gains
        if not costs.is_pair:
            return np.array([float(budget)])
        most_fn = min(costs.most_fn, budget // gains.gain_tp if gains.gain_tp else costs.most_fn)
        most_fp = min(costs.most_fp, budget // gains.gain_tn if gains.gain_tn else costs.most_fp)
        if others is not None and gains.gain_tn == 0:
            most_fp = min(most_fp, others)
        elif others is not None:
            most_fn = min(most_fn, others)
        limits = costs.alpha * most_fn + costs.beta * most_fp
        if not gains.counts_one_class:
            limits[0] = min(limits[0], budget)
        return np.asarray(limits, np.float64)

    def _ranks(self, search: NearSearch, numbers: np.ndarray, cost: Floats) -> Floats:
        """Loss, errors that the goal does not count, questions, named categories: float64[E, 4]."""
        costs, gains = search.costs, self.gains
        first = np.floor(cost[:, 0] / costs.unit)
        named = cost[:, 0] - first * costs.unit
        loss: Floats = first
        others: Floats = np.zeros(len(cost))
        if costs.is_pair:
            loss = gains.gain_tp * first + gains.gain_tn * cost[:, 1]
            if gains.counts_one_class:
                others = cost[:, 1] if gains.gain_tn == 0 else first
        questions = np.array([self.choices.n_questions[n] for n in numbers.tolist()], np.float64)
        return np.stack([loss, others, questions, named], axis=1).reshape(-1, 4)

    def _result(self, found: _WithinBudget | None, optimum: int | None, end: End) -> NearTrees:
        """Make the list: the complete part, and after an early end what else was found."""
        self.is_over = True
        rows = [] if found is None else list(found.rows)
        if rows and rows[0].rank[0] != optimum:
            raise DisagreementError(
                f"the list begins at {rows[0].rank[0]:g}, but the optimum is {optimum}"
            )
        complete = self._complete_below(found, optimum, end)
        n_best = sum(row.rank[0] == optimum for row in rows)
        if not end.is_as_asked:
            rows += self._beyond(found, optimum)
        trees = self._trees(rows, found, optimum)
        return NearTrees(
            trees=trees,
            least=optimum,
            complete_below=complete,
            n_within=max(len(rows), len(trees)),
            n_best=n_best if found is not None else sum(tree.loss == optimum for tree in trees),
            is_count_complete=found is not None and found.others is None,
            end=end,
            seconds=time.perf_counter() - self.began,
        )

    def _complete_below(
        self, found: _WithinBudget | None, optimum: int | None, end: End
    ) -> int | None:
        """The loss below which every choice is listed; None if there are no further choices."""
        if optimum is None:
            return None if end is End.ALL else self.bound
        if found is None or found.others is not None:
            return optimum
        if len(found.rows) > self.number:
            return int(found.rows[self.number].rank[0])
        return None if found.budget >= self.most else found.budget + 1

    def _trees(
        self, rows: list[_Row], found: _WithinBudget | None, optimum: int | None
    ) -> tuple[NearTree, ...]:
        """Build the trees of the first rows. Add the exact search's tree if the list lacks it."""
        best = self.best
        if found is not None or best is None or not self._is_allowed(best):
            return tuple(self._tree(row) for row in rows[: self.number])
        shown = best.solution.tree
        assert shown is not None
        choice = self.choices.of_tree(shown.root)
        if any(row.choice == choice and row.rank[0] <= best.loss for row in rows):
            return tuple(self._tree(row) for row in rows[: self.number])
        others = [row for row in rows if row.choice != choice][: self.number]
        listed = [dataclasses.replace(best, is_settled=optimum is not None)]
        listed += [self._tree(row) for row in others]
        return tuple(sorted(listed, key=lambda tree: tree.loss)[: self.number])

    def _is_allowed(self, tree: NearTree) -> bool:
        limit, shown = self.choices.cost_limit, tree.solution.tree
        assert shown is not None
        return limit is None or limit.allows(frozenset(shown.used_features))

    def _tree(self, row: _Row) -> NearTree:
        self._check()  # so that the caller notices a stop while a long list is built
        search = self.searches[row.search]
        assignment = search.assignment(row.entry)
        loss = int(row.rank[0])
        solution = recounted(search.problem, assignment, loss)
        return NearTree(search.problem, solution, loss, int(row.rank[3]), row.is_settled)


def _near_tree(problem: Problem, assignment: Assignment, loss: int) -> NearTree:
    """Recount a tree of the exact search, and count the categories that its questions name."""
    solution = recounted(problem, assignment, loss)
    assert solution.tree is not None
    named = 0
    for node in solution.tree.decisions:
        left = len(node.observed & node.split.left)
        is_numerical = solution.tree.features[node.split.feature].is_numerical
        named += 1 if is_numerical else min(left, len(node.observed) - left)
    return NearTree(problem, solution, loss, named)


def recounted(problem: Problem, assignment: Assignment, loss: int) -> Solution:
    """Recount a tree of the list from the rows, and return it as a solution.

    Raises
    ------
    DisagreementError
        If it breaks a condition, or its loss differs.
    """
    return make_solution(
        problem,
        engine=Engine.SEARCH,
        assignment=assignment,
        claimed_total=problem.perfect_total - loss,
        bound=None,
        seconds=Seconds(0.0),
    )
