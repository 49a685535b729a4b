"""Near-optimal trees, best first: budgets that rise until there are enough trees."""

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
from odt_core.problem import Goal, Problem
from odt_core.solution import Assignment, Engine, Seconds, Solution, make_solution
from odt_core.solvers.search import solve_search
from odt_core.topology import AnyShape, Shape, unordered_topologies

TELL_EVERY, TELL_SHARE = 1.0, 5.0
"""Seconds between two lists that are told, at least, and how often as long as making one."""

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
    is_settled : bool
        Whether no tree of its choice of columns has a smaller loss. Else the search ended before
        it came to that loss.
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
        One for each choice of columns: by loss, then number of questions, then categories named.
        Those that are not settled come after all others.
    least : int or None
        The least loss, the optimum's; None where no tree meets the conditions and keeps the limit
        on costs, or none is proved.
    complete_below : int or None
        Every choice with a smaller loss is among the trees; None if they are all there are.
    n_within : int
        How many choices the search found; `trees` may have fewer.
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
    choice: int
    entry: Entries
    search: int
    is_settled: bool = True


@dataclass(frozen=True, eq=False)
class _Found:
    """All choices up to a budget, best first.

    Where the goal counts one kind of error, `others` is up to how many errors of the other kind, or
    None for any.
    """

    budget: int
    others: int | None
    rows: list[_Row]


OnProgress = Callable[[int, int], None]
"""Takes how many choices are found, and up to which loss above the optimum none is missing."""
OnTrees = Callable[[NearTrees], None]
"""Takes the list as it would be if the search ended now."""


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
    cost_limit: CostLimit | None = None,
    time_limit: float = 60.0,
    on_progress: OnProgress | None = None,
    on_trees: OnTrees | None = None,
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
    cost_limit : CostLimit, optional
        What all columns of a tree may cost together.
    time_limit : float
        Seconds.
    on_progress : callable, optional
        Called after each budget.
    on_trees : callable, optional
        Called after some of the budgets.
    should_stop : callable, optional
        Called often, also while the trees are built. True ends the search with the choices that
        were found.

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
        listing = _Listing(problems, choices, number, within, time_limit, on_progress, should_stop)
        listing.on_trees = on_trees
        return listing.run()


class _Listing:
    def __init__(
        self,
        problems: Sequence[Problem],
        choices: Choices,
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
        self.choices = choices
        self.searches = [NearSearch(problem, choices, self._check) for problem in problems]
        self.on_trees: OnTrees | None = None
        self.next_told = 0.0
        self.best: NearTree | None = None
        """The exact search's tree."""
        self.bound = 0
        """No tree has a smaller loss, if that was not settled in the time."""

    def _check(self) -> None:
        stops = self.should_stop is not None and self.should_stop()
        if self.is_over:  # the trees of what is complete are built whatever the time
            return
        if stops:
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
            for budget, others in self._budgets(optimum, self.margin):
                found = _Found(budget, others, self._rows(budget, others))
                if self.on_progress is not None:
                    self.on_progress(len(found.rows), budget - optimum)
                # exactly so many can be all that there are
                is_last = budget >= self.most and others is None
                if len(found.rows) >= self.number + is_last:
                    end = End.NUMBER
                    break
                self._tell(found, optimum)
            else:
                end = End.ALL if self.margin is None else End.WITHIN
        except SearchEndedError as error:
            end = error.end
        except (TooManyError, MemoryError):
            end = End.MEMORY
        return self._result(found, optimum, end)

    def _tell(self, found: _Found, optimum: int) -> None:
        """Tell the list so far, rarely enough that this takes little of the time."""
        began = time.perf_counter()
        if self.on_trees is None or began < self.next_told:
            return
        self.on_trees(self._result(found, optimum, End.STOPPED))
        self.is_over = False
        now = time.perf_counter()
        self.next_told = now + max(TELL_EVERY, TELL_SHARE * (now - began))

    def _optimum(self) -> int | None:
        """The least loss of all searches' problems; None if no tree meets the conditions."""
        bounds = [0] * len(self.problems)
        for at, problem in enumerate(self.problems):
            left = max(self.deadline - time.perf_counter(), 0.1)
            outcome = solve_search(problem, time_limit=left, should_stop=self.should_stop)
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
        """The least loss of the trees that keep the limit on costs; None if there are none."""
        self.bound = least
        for budget, others in self._budgets(least, None):
            rows = self._rows(budget, others)
            if rows:
                return int(rows[0].rank[0])
            self.bound = budget if others is not None else budget + 1
        return None

    def _budgets(self, optimum: int, margin: int | None) -> Iterator[tuple[int, int | None]]:
        """Losses up to which all choices are looked for, rising.

        Where the goal counts one kind of error, very many trees may be as good as the best. So
        first come those of them with few errors of the other kind.
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
        """All choices up to a loss, and up to some errors that the goal does not count."""
        found = [search.root(self._limits(search, budget, others)) for search in self.searches]
        most = np.inf if others is None else others
        merged = self._merged(found)
        return [row for row in merged if row.rank[0] <= budget and row.rank[1] <= most]

    def _beyond(self, found: _Found | None, optimum: int | None) -> list[_Row]:
        """What else an unfinished search has found, best first; not settled above the optimum."""
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
        """The choices of all searches, each with its best tree, best first."""
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
        """The largest value in each measure of a tree with a loss within the budget."""
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
        """The list: what is complete, and after an early end what else was found."""
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

    def _complete_below(self, found: _Found | None, optimum: int | None, end: End) -> int | None:
        """Every choice with a smaller loss is listed; None if all there are are."""
        if optimum is None:
            return None if end is End.ALL else self.bound
        if found is None or found.others is not None:
            return optimum
        if len(found.rows) > self.number:
            return int(found.rows[self.number].rank[0])
        return None if found.budget >= self.most else found.budget + 1

    def _trees(
        self, rows: list[_Row], found: _Found | None, optimum: int | None
    ) -> tuple[NearTree, ...]:
        """The trees of the first rows; the exact search's one too if the list has it not yet."""
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
        self._check()  # so that the caller of a long list hears of a stop
        search = self.searches[row.search]
        assignment = search.assignment(row.entry)
        loss = int(row.rank[0])
        solution = recounted(search.problem, assignment, loss)
        return NearTree(search.problem, solution, loss, int(row.rank[3]), row.is_settled)


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
