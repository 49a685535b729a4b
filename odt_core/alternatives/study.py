"""A study that lists the near-optimal trees of a training problem, and the worth of each column."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from odt_core.alternatives.ends import End
from odt_core.data import Table
from odt_core.errors import InputError, quoted
from odt_core.exact import exact_decimal
from odt_core.export import tree_to_json
from odt_core.json_data import JsonData
from odt_core.solution import Status
from odt_core.solvers.control import Control
from odt_core.training import (
    SILENT,
    Hooks,
    Stage,
    TrainSpec,
    build_problem,
    prepare_training,
)
from odt_core.training.result import Origin, number

if TYPE_CHECKING:
    from odt_core.alternatives.choices import CostLimit
    from odt_core.alternatives.columns import ColumnWorth
    from odt_core.alternatives.listing import NearTree, NearTrees
    from odt_core.problem import Problem
    from odt_core.tree import Tree

DEFAULT_NUMBER = 100
MOST_NUMBER = 5000
LEAST_FOR_COLUMNS = 0.25
"""The least share of the time limit for the solves without each column."""


@dataclass(frozen=True)
class AlternativesPart(JsonData):
    """A request for near-optimal trees.

    Attributes
    ----------
    number : int
        The most trees.
    within : Fraction or None
        The largest loss above the optimum, in errors or percentage points (see
        `odt_core.alternatives.listing.loss_unit`); None for no limit.
    costs : tuple of (str, Fraction)
        The cost of each column whose cost is not 1.
    without : tuple of str
        Columns that no tree may use.
    only : tuple of str
        The only columns that a tree may use; empty for all.
    most_total_cost : Fraction or None
        The largest total cost of a tree's columns, each paid once; None for no limit.

    Raises
    ------
    InputError
        If a number or cost cannot be used.
    """

    number: int = DEFAULT_NUMBER
    within: Fraction | None = None
    costs: tuple[tuple[str, Fraction], ...] = ()
    without: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    most_total_cost: Fraction | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.number <= MOST_NUMBER:
            raise InputError(
                f"{self.number} trees cannot be listed: give a number from 1 to {MOST_NUMBER:,}."
            )
        if self.within is not None and self.within < 0:
            raise InputError("Within how much of the optimum: give 0 or a larger number.")
        for name, cost in self.costs:
            if cost < 0:
                raise InputError(
                    f"The cost of the column {quoted(name)} is negative: give 0 or more."
                )
        if self.most_total_cost is not None and self.most_total_cost < 0:
            raise InputError("The largest total cost is negative: give 0 or more.")

    @property
    def is_limited(self) -> bool:
        """Whether the request excludes trees of the problem."""
        return bool(self.without or self.only) or self.most_total_cost is not None

    @property
    def n_solves(self) -> int:
        """Number of time limits that it may take: for the list, and for solves without columns."""
        return 2


def parse_cost(text: str, name: str) -> Fraction:
    """Read the cost of a column, exactly.

    Raises
    ------
    InputError
        If it is not a number from 0.
    """
    cost = exact_decimal(text.strip())
    if cost is None or cost < 0:
        raise InputError(
            f"The cost of the column {quoted(name)} is {text!r}: give a number of at least 0."
        )
    return cost


@dataclass(frozen=True, eq=False, kw_only=True)
class AlternativesResult(Origin):
    """The near-optimal trees of a problem.

    Attributes
    ----------
    part : AlternativesPart
        The request.
    problem : Problem
        The problem; for any shape, that of one of its topologies.
    found : NearTrees
        The trees.
    seconds : float
        Total time.
    columns : tuple of ColumnWorth
        The worth of each column; empty while the search goes on.
    free : tuple
        The least loss without the limits of the request, and a lower bound on it; both None if the
        request has no limits.
    """

    part: AlternativesPart
    problem: Problem
    found: NearTrees
    seconds: float
    columns: tuple[ColumnWorth, ...] = ()
    free: tuple[int | None, int | None] = (None, None)

    @property
    def status(self) -> Status:
        """``optimal`` if the whole request is proved."""
        if self.found.least is None and self.found.complete_below is None:
            return Status.INFEASIBLE
        if self.found.end is End.STOPPED:
            return Status.CANCELLED
        return Status.OPTIMAL if self.found.end.is_as_asked else Status.FEASIBLE

    def to_json(self) -> dict[str, Any]:
        """The result as the command line prints it."""
        found = self.found
        return {
            "trees": self._trees_to_json(),
            "least": self._loss(found.least),
            "complete_to": self._loss(found.complete_below),
            "is_all": found.complete_below is None,
            "end": found.end.value,
            "n_found": found.n_within,
            "n_best": found.n_best,
            "is_n_best_complete": found.is_count_complete,
            "least_free": self._loss(self.free[0]),
            "is_least_free_proved": self.free[0] == self.free[1],
            "columns": [self._column_to_json(column) for column in self.columns],
            "goal": self.spec.objective.goal.value,
            "loss": self._loss_words(),
            "most": self.problem.perfect_total,
            "bound_total": self._bound_total(),
            "status": self.status.value,
            "words": {"status": self._status_words()},
            "seconds": round(self.seconds, 4),
            "topology": self.spec.topology.name,
            "max_card": self.spec.max_card,
            **self.origin_to_json(),
        }

    def _loss(self, loss: int | None) -> int | float | None:
        from odt_core.alternatives.listing import loss_unit

        return None if loss is None else number(loss * loss_unit(self.problem))

    def _bound_total(self) -> int:
        """An upper bound on the worth of the problem's trees, without the limits (see `Gains`)."""
        found = self.found
        lowest = found.complete_below if found.least is None else found.least
        if self.part.is_limited:
            lowest = self.free[1]
        return self.problem.perfect_total - (lowest or 0)

    def _loss_words(self) -> str:
        objective = self.spec.objective
        if not objective.goal.counts_rows:
            return "percentage points"
        return "errors" if objective.class_weight == 1 else "weighted errors"

    def _status_words(self) -> str:
        if self.status is Status.INFEASIBLE:
            return "Proved: no tree of this shape meets the conditions"
        n = len(self.found.trees)
        return f"{n:,} {'tree' if n == 1 else 'trees'}, best first"

    def _trees_to_json(self) -> list[dict[str, Any]]:
        """Write the trees in order. Of trees that are equal otherwise, the cheapest comes first."""
        costs = dict(self.part.costs)
        one_class = self.problem.gains.counts_one_class
        return sorted(
            (self._tree_to_json(tree, costs) for tree in self.found.trees),
            key=lambda tree: (
                not tree["settled"],
                tree["loss_total"],
                tree["errors"] if one_class else 0,
                tree["questions"],
                tree["named"],
                tree["cost_per_case"],
            ),
        )

    def _tree_to_json(self, tree: NearTree, costs: Mapping[str, Fraction]) -> dict[str, Any]:
        solution, test = tree.solution, self.prepared.test
        assert solution.tree is not None and solution.confusion is not None
        assert solution.assignment is not None
        shown = solution.tree
        return {
            "errors": solution.confusion.errors,
            "loss": self._loss(tree.loss),
            "loss_total": tree.loss,
            "columns": [shown.features[g].name for g in shown.asked_features],
            "questions": len(shown.decisions),
            "named": tree.named,
            "settled": tree.is_settled,
            "questions_per_case": round(questions_per_case(shown), 6),
            "cost_per_case": round(cost_per_case(shown, costs), 6),
            "topology": tree.problem.topology.text,
            "train": solution.confusion.to_json(),
            "test": None if test is None else shown.confusion(test).to_json(),
            "assignment": solution.assignment.to_json(),
            "tree": tree_to_json(shown.over_used_features()),
        }

    def _column_to_json(self, column: ColumnWorth) -> dict[str, Any]:
        return {
            "name": self.problem.data.features[column.feature].name,
            "trees": column.n_trees,
            "least_errors_without": self._loss(column.least_without),
            "bound_without": self._loss(column.bound_without),
            "proved": column.is_proved,
        }


def questions_per_case(tree: Tree) -> float:
    """Compute the mean number of questions for a training row."""
    return _per_case(tree, len)


def cost_per_case(tree: Tree, costs: Mapping[str, Fraction]) -> float:
    """Compute the mean cost of the questions for a training row.

    If a row meets two questions about a column, it pays the column once.

    Parameters
    ----------
    tree : Tree
        The tree, with its training counts.
    costs : mapping of str to Fraction
        The cost of each column; 1 for a column that is not named.
    """

    def paid(path: Sequence[Any]) -> Fraction:
        asked = {tree.features[step.split.feature].name for step, _ in path}
        return sum((costs.get(name, Fraction(1)) for name in asked), Fraction(0))

    return _per_case(tree, paid)


def _per_case(tree: Tree, of_path: Callable[[Sequence[Any]], Fraction | int]) -> float:
    """The mean over training rows of a number that the path to the row's leaf has."""
    rows = sum(leaf.n for leaf in tree.leaves)
    if not rows:
        return 0.0
    total = sum(leaf.n * of_path(path) for leaf, path in zip(tree.leaves, tree.paths, strict=True))
    return float(Fraction(total) / rows)


def run_alternatives(
    table: Table, spec: TrainSpec, part: AlternativesPart, hooks: Hooks = SILENT
) -> AlternativesResult:
    """List the near-optimal trees of a problem, best first, and find the worth of each column.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        The problem. Its time limit is for the list and the solves without each column.
    part : AlternativesPart
        The request.
    hooks : Hooks
        They get the result so far from time to time, without the worth of columns. A stop ends the
        search with the trees found so far.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a recount of a tree gives other numbers than the search.
    """
    run = _NearTreeSearch(table, spec, part, hooks)
    hooks.on_stage(Stage.SOLVING)
    found = run.find()
    worth = run.worth(found)
    hooks.on_stage(Stage.FINISHING)
    return run.result(found, **worth)


class _NearTreeSearch:
    """A search for near-optimal trees. The constructor prepares the rows."""

    def __init__(self, table: Table, spec: TrainSpec, part: AlternativesPart, hooks: Hooks) -> None:
        # processes that serve pages never solve
        from odt_core.alternatives.listing import problems_of
        from odt_core.solvers.search.loader import loader

        loader.load()
        self.began = time.perf_counter()
        hooks.on_stage(Stage.PREPARING)
        self.table, self.spec, self.part, self.hooks = table, spec, part, hooks
        self.prepared = prepare_training(table, spec)
        problem = build_problem(self.prepared, spec)
        _refuse_unknown(part, problem)
        self.free = problems_of(problem, spec.topology)
        self.problems = [_limited(each, part) for each in self.free]
        self.cost_limit = _cost_limit(part, problem)
        self.control = Control(spec.time_limit, should_stop=self.ends_now)
        self.is_stopped = False

    def ends_now(self) -> bool:
        """Whether to stop. After a stop, the trees found so far are still built."""
        if not self.is_stopped and self.hooks.should_stop():
            self.is_stopped = True
            self.hooks.on_stage(Stage.FINISHING)
        return self.is_stopped

    def find(self) -> NearTrees:
        """List the trees, and report the list so far."""
        from odt_core.alternatives.listing import find_near_trees

        def report(trees: NearTrees) -> None:
            found = self.result(trees)
            self.hooks.report(lambda: found)

        return find_near_trees(
            self.problems,
            self.control,
            number=self.part.number,
            within=self.part.within,
            cost_limit=self.cost_limit,
            on_trees=None if self.hooks.on_best is None else report,
        )

    def worth(self, found: NearTrees) -> dict[str, Any]:
        """Find the least loss without the limits, and the worth of each column."""
        from odt_core.alternatives.columns import column_worths, least_loss

        least = least_loss(self.free, self._left()) if self.part.is_limited else (None, None)
        columns = column_worths(self.problems, found, self._left(), self.cost_limit)
        return {"free": least, "columns": columns}

    def _left(self) -> Control:
        """The control of solves that begin now."""
        seconds = self.spec.time_limit - (time.perf_counter() - self.began)
        return self.control.within(max(seconds, LEAST_FOR_COLUMNS * self.spec.time_limit))

    def result(self, found: NearTrees, **worth: Any) -> AlternativesResult:
        """The result with these trees."""
        return AlternativesResult(
            table_sha256=self.table.sha256,
            table_name=self.table.name,
            spec=self.spec,
            part=self.part,
            prepared=self.prepared,
            problem=self.problems[0],
            found=found,
            seconds=time.perf_counter() - self.began,
            **worth,
        )


def _limited(problem: Problem, part: AlternativesPart) -> Problem:
    """Restrict a problem to the columns that the request allows.

    Raises
    ------
    InputError
        If a rule demands a column that the request excludes, or a node has no column left.
    """
    from odt_core.alternatives.columns import forbid

    costs = dict(part.costs)
    most = part.most_total_cost
    refused = {
        g
        for g, feature in enumerate(problem.data.features)
        if feature.name in part.without
        or (part.only and feature.name not in part.only)
        or (most is not None and costs.get(feature.name, Fraction(1)) > most)
    }
    limited = forbid(problem, refused) if refused else problem
    if limited is None:
        raise InputError(
            "With these columns and costs a question has no column left, or a rule needs a "
            "column that is left out: allow more columns."
        )
    return limited


def _cost_limit(part: AlternativesPart, problem: Problem) -> CostLimit | None:
    from odt_core.alternatives.choices import CostLimit

    if part.most_total_cost is None:
        return None
    costs = dict(part.costs)
    each = tuple(costs.get(feature.name, Fraction(1)) for feature in problem.data.features)
    return CostLimit(each, part.most_total_cost)


def _refuse_unknown(part: AlternativesPart, problem: Problem) -> None:
    """Check that the request gives costs to features only.

    Raises
    ------
    InputError
        If another column has a cost.
    """
    names = {feature.name for feature in problem.data.features}
    for name, _ in part.costs:
        if name not in names:
            raise InputError(
                f"A cost names the column {quoted(name)}, which is not a feature here: "
                "check its name."
            )
