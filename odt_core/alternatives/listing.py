"""Near-optimal trees, best first: budgets that rise until there are enough trees."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from threadpoolctl import threadpool_limits

from odt_core.alternatives.choices import LABELS, LEAF, Choices
from odt_core.alternatives.ends import End, SearchEndedError
from odt_core.alternatives.near import NearSearch, TooManyError
from odt_core.alternatives.questions import Floats
from odt_core.errors import DisagreementError
from odt_core.problem import Goal, Problem
from odt_core.solution import Assignment, Engine, Seconds, Solution, make_solution
from odt_core.solvers.search import solve_search
from odt_core.topology import AnyShape, Shape, unordered_topologies

STEPS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96)
"""How far above the optimum each budget lies, in losses of one error; then all trees."""


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
        What the objective lacks of its largest possible value, as a whole number (see `Gains`).
    named : int
        Categories that its questions name.
    """

    problem: Problem
    solution: Solution
    loss: int
    named: int


@dataclass(frozen=True, eq=False)
class NearTrees:
    """Near-optimal trees, best first.

    Attributes
    ----------
    trees : tuple of NearTree
        One for each choice of columns: by loss, then number of questions, then categories named.
    least : int or None
        The least loss, the optimum's; None where no tree meets the conditions, or none was found.
    complete_below : int or None
        Every choice with a smaller loss is among the trees; None if they are all there are.
    n_within : int
        How many choices the search found up to the loss to which it came; `trees` may have fewer.
    n_best : int
        How many of these have the least loss.
    is_count_complete : bool
        Whether `n_best` counts all of them.
    end : End
        Why the list ends.
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
    """A choice's best cost in one of the searches."""

    rank: tuple[float, ...]
    number: int
    cost: Floats
    search: int


@dataclass(frozen=True, eq=False)
class _Found:
    """All choices up to a budget, best first."""

    budget: int
    rows: list[_Row]


OnProgress = Callable[[int, int], None]
"""Takes how many choices are found, and up to which loss above the optimum none is missing."""


def problems_of(problem: Problem, shape: Shape) -> list[Problem]:
    """The problems of one shape, or of the topologies that together are any shape."""
    if not isinstance(shape, AnyShape):
        return [problem]
    # a smaller tree is one of a larger topology, unless branches may not be empty
    first = 1 if problem.forbid_empty_branches else shape.most_questions
    return [
        dataclasses.replace(problem, topology=topology)
        for k in range(first, shape.most_questions + 1)
        for topology in unordered_topologies(k)
    ]


def loss_unit(problem: Problem) -> Fraction:
    """What one unit of the whole-number loss is, in errors or in percentage points.

    Losses under the goal accuracy are numbers of errors, with false alarms weighed by the class
    weight. Those under a goal of rates are percentage points of that rate.
    """
    of_rates = problem.objective.goal is not Goal.ACCURACY
    return Fraction(100 if of_rates else 1, problem.gains.scale)


def find_near_trees(
    problems: Sequence[Problem],
    *,
    number: int,
    within: Fraction | None = None,
    time_limit: float = 60.0,
    on_progress: OnProgress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> NearTrees:
    """List near-optimal trees, best first: for each choice of columns the best tree.

    A *choice of columns* says of a tree in its canonical form which column each question asks,
    without order among the two sides of a question. The list is complete up to a loss, which it
    tells, also if it ends early.

    Parameters
    ----------
    problems : sequence of Problem
        One, or those of several topologies (see `problems_of`).
    number : int
        The list ends with so many trees.
    within : Fraction, optional
        The largest loss above the optimum, in units of `loss_unit`.
    time_limit : float
        Seconds.
    on_progress : callable, optional
        Called after each budget.
    should_stop : callable, optional
        Called often. True ends the search with the choices that are complete.

    Raises
    ------
    InputError
        If there are too many questions, or the weights are too large to be counted exactly.
    DisagreementError
        If a tree's recount contradicts the search.
    """
    # on a busy machine several threads for one small product wait longer than they count
    with threadpool_limits(1, user_api="blas"):
        return _Listing(problems, number, within, time_limit, on_progress, should_stop).run()


class _Listing:
    def __init__(
        self,
        problems: Sequence[Problem],
        number: int,
        within: Fraction | None,
        time_limit: float,
        on_progress: OnProgress | None,
        should_stop: Callable[[], bool] | None,
    ) -> None:
        self.problems, self.number = problems, number
        self.on_progress, self.should_stop = on_progress, should_stop
        self.is_over = False
        self.began = time.perf_counter()
        self.deadline = self.began + time_limit
        self.gains = problems[0].gains
        self.most = problems[0].perfect_total
        self.margin = None if within is None else int(within / loss_unit(problems[0]))
        choices = Choices()
        self.choices = choices
        self.searches = [NearSearch(problem, choices, self._check) for problem in problems]
        self.best: NearTree | None = None
        """The exact search's tree. It is the list if nothing else was found in the time."""

    def _check(self) -> None:
        if self.is_over:  # the trees of what is complete are built whatever the time
            return
        if self.should_stop is not None and self.should_stop():
            raise SearchEndedError(End.STOPPED)
        if time.perf_counter() > self.deadline:
            raise SearchEndedError(End.TIME)

    def run(self) -> NearTrees:
        found: _Found | None = None
        optimum: int | None = None
        try:
            optimum = self._optimum()
            if optimum is None:
                return self._result(None, None, End.ALL)
            for budget in self._budgets(optimum):
                found = _Found(budget, self._rows(budget))
                if self.on_progress is not None:
                    self.on_progress(len(found.rows), budget - optimum)
                # exactly so many can be all that there are
                if len(found.rows) >= self.number + (budget >= self.most):
                    end = End.NUMBER
                    break
            else:
                end = End.ALL if self.margin is None else End.WITHIN
        except SearchEndedError as error:
            end = error.end
        except (TooManyError, MemoryError):
            end = End.MEMORY
        return self._result(found, optimum, end)

    def _optimum(self) -> int | None:
        """The least loss of all searches' problems; None if no tree meets the conditions."""
        for problem in self.problems:
            left = max(self.deadline - time.perf_counter(), 0.1)
            outcome = solve_search(problem, time_limit=left, should_stop=self.should_stop)
            self._check()
            if outcome.total is None and not outcome.infeasible:
                raise SearchEndedError(End.TIME)
            if outcome.assignment is not None and outcome.total is not None:
                tree = _near_tree(problem, outcome.assignment, self.most - outcome.total)
                if self.best is None or tree.loss < self.best.loss:
                    self.best = tree
        return None if self.best is None else self.best.loss

    def _budgets(self, optimum: int) -> Iterator[int]:
        """Losses up to which all choices are looked for, rising."""
        last = self.most if self.margin is None else min(optimum + self.margin, self.most)
        unit = max(1, min(g for g in (self.gains.gain_tp, self.gains.gain_tn) if g))
        for step in STEPS:
            if optimum + step * unit >= last:
                break
            yield optimum + step * unit
        yield last

    def _rows(self, budget: int) -> list[_Row]:
        """All choices up to a loss, best first."""
        best: dict[int, _Row] = {}
        for at, search in enumerate(self.searches):
            entries = search.root(self._limits(search, budget))
            ranks = self._ranks(search, entries.number, entries.cost)
            for i in np.lexsort(ranks.T[::-1]).tolist():
                number = int(entries.number[i])
                choice = LEAF if number < LABELS else number
                rank = tuple(ranks[i].tolist())
                if rank[0] <= budget and (choice not in best or rank < best[choice].rank):
                    best[choice] = _Row(rank, number, entries.cost[i], at)
        return sorted(best.values(), key=lambda row: (row.rank, row.number))

    def _limits(self, search: NearSearch, budget: int) -> Floats:
        """The largest value in each measure of a tree with a loss within the budget."""
        costs, gains = search.costs, self.gains
        if not costs.is_pair:
            return np.array([float(budget)])
        most_fn = min(costs.most_fn, budget // gains.gain_tp if gains.gain_tp else costs.most_fn)
        most_fp = min(costs.most_fp, budget // gains.gain_tn if gains.gain_tn else costs.most_fp)
        limits = costs.alpha * most_fn + costs.beta * most_fp
        if not gains.counts_one_class:
            limits[0] = min(limits[0], budget)
        return np.asarray(limits, np.float64)

    def _ranks(self, search: NearSearch, numbers: np.ndarray, cost: Floats) -> Floats:
        """Loss, errors that the goal does not count, questions, categories: float64[E, 4]."""
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

    def _result(self, found: _Found | None, optimum: int | None, end: End) -> NearTrees:
        self.is_over = True
        rows = [] if found is None else found.rows
        trees = tuple(self._tree(row) for row in rows[: self.number])
        if found is None and optimum is not None and self.best is not None:
            trees = (self.best,)
        if optimum is None:
            complete = None if end is End.ALL else 0
        elif found is None:
            complete = optimum
        elif len(rows) > self.number:
            complete = int(rows[self.number].rank[0])
        elif found.budget >= self.most:
            complete = None
        else:
            complete = found.budget + 1
        least = None if not rows else int(rows[0].rank[0])
        if least is not None and least != optimum:
            raise DisagreementError(f"the list begins at {least}, but the optimum is {optimum}")
        n_best = sum(row.rank[0] == least for row in rows)
        return NearTrees(
            trees=trees,
            least=optimum if least is None else least,
            complete_below=complete,
            n_within=max(len(rows), len(trees)),
            n_best=n_best if rows else len(trees),
            is_count_complete=found is not None,
            end=end,
            seconds=time.perf_counter() - self.began,
        )

    def _tree(self, row: _Row) -> NearTree:
        search = self.searches[row.search]
        assignment = search.assignment(row.number, row.cost)
        loss = int(row.rank[0])
        return NearTree(
            search.problem, recounted(search.problem, assignment, loss), loss, int(row.rank[3])
        )


def _near_tree(problem: Problem, assignment: Assignment, loss: int) -> NearTree:
    """A tree of the exact search, with the number of categories that its questions name."""
    solution = recounted(problem, assignment, loss)
    assert solution.tree is not None
    named = 0
    for node in solution.tree.decisions:
        left = len(node.observed & node.split.left)
        is_numerical = solution.tree.features[node.split.feature].is_numerical
        named += 1 if is_numerical else min(left, len(node.observed) - left)
    return NearTree(problem, solution, loss, named)


def recounted(problem: Problem, assignment: Assignment, loss: int) -> Solution:
    """A tree of the list as a solution, recounted from the rows.

    Raises
    ------
    DisagreementError
        If it breaks a condition, or its loss is another.
    """
    return make_solution(
        problem,
        engine=Engine.SEARCH,
        assignment=assignment,
        claimed_total=problem.perfect_total - loss,
        bound=None,
        seconds=Seconds(0.0),
    )
