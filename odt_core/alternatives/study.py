"""A run that lists the near-optimal trees of a training problem, and what each column is worth."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from odt_core.alternatives.ends import End
from odt_core.data import Prepared, Table
from odt_core.errors import InputError, quoted
from odt_core.exact import exact_decimal
from odt_core.export import tree_to_json
from odt_core.problem import Goal
from odt_core.solution import Status
from odt_core.studies.adoption import assignment_to_json
from odt_core.training import (
    Stage,
    TrainSpec,
    build_problem,
    confusion_to_json,
    prepare_training,
)
from odt_core.training.result import number, origin_to_json

if TYPE_CHECKING:
    from odt_core.alternatives.columns import ColumnWorth
    from odt_core.alternatives.listing import NearTree, NearTrees
    from odt_core.problem import Problem
    from odt_core.tree import Tree

DEFAULT_NUMBER = 100
MOST_NUMBER = 5000
LEAST_FOR_COLUMNS = 0.25
"""What part of the time limit the solves without each column have at least."""


@dataclass(frozen=True)
class AlternativesPart:
    """Which near-optimal trees are asked for.

    Attributes
    ----------
    number : int
        How many trees at most.
    within : Fraction or None
        How much worse than the optimum at most, in errors or percentage points (see
        `odt_core.alternatives.listing.loss_unit`); None for any.
    costs : tuple of (str, Fraction)
        What asking a column costs, for those that do not cost 1.

    Raises
    ------
    InputError
        If a number or cost cannot be used.
    """

    number: int = DEFAULT_NUMBER
    within: Fraction | None = None
    costs: tuple[tuple[str, Fraction], ...] = field(default=())

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

    @property
    def n_solves(self) -> int:
        """How many time limits it may take: one for the list, one to solve without columns."""
        return 2

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary, complete enough for `from_json`."""
        return {
            "number": self.number,
            "within": None if self.within is None else str(self.within),
            "costs": [[name, str(cost)] for name, cost in self.costs],
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> AlternativesPart:
        """Rebuild the request from its record."""
        if type(record["number"]) is not int:
            raise TypeError("the number of trees is whole")
        within = record["within"]
        return cls(
            record["number"],
            None if within is None else Fraction(within),
            tuple((str(name), Fraction(cost)) for name, cost in record["costs"]),
        )


def parse_cost(text: str, name: str) -> Fraction:
    """What asking a column costs, kept exact.

    Raises
    ------
    InputError
        If it is no number from 0 on.
    """
    cost = exact_decimal(text.strip())
    if cost is None or cost < 0:
        raise InputError(
            f"The cost of the column {quoted(name)} is {text!r}: give a number from 0 on."
        )
    return cost


@dataclass(frozen=True, eq=False)
class AlternativesResult:
    """The near-optimal trees of a problem.

    Attributes
    ----------
    table_sha256, table_name : str
        Which file it was.
    spec : TrainSpec
        The problem.
    part : AlternativesPart
        The request.
    prepared : Prepared
        The encoded rows.
    problem : Problem
        The problem, or that of one of the topologies.
    found : NearTrees
        The trees.
    columns : tuple of ColumnWorth
        What each column is worth.
    seconds : float
        For everything.
    """

    table_sha256: str
    table_name: str
    spec: TrainSpec
    part: AlternativesPart
    prepared: Prepared
    problem: Problem
    found: NearTrees
    columns: tuple[ColumnWorth, ...]
    seconds: float

    @property
    def model(self) -> None:
        """A list of trees is no model."""
        return None

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
            "columns": [self._column_to_json(column) for column in self.columns],
            "goal": self.spec.objective.goal.value,
            "loss": self._loss_words(),
            "most": self.problem.perfect_total,
            "status": self.status.value,
            "words": {"status": self._status_words()},
            "seconds": round(self.seconds, 4),
            "topology": self.spec.topology.name,
            "max_card": self.spec.max_card,
            **origin_to_json(self.table_name, self.table_sha256, self.spec, self.prepared),
        }

    def _loss(self, loss: int | None) -> int | float | None:
        from odt_core.alternatives.listing import loss_unit

        return None if loss is None else number(loss * loss_unit(self.problem))

    def _loss_words(self) -> str:
        objective = self.spec.objective
        if objective.goal is not Goal.ACCURACY:
            return "percentage points"
        return "errors" if objective.class_weight == 1 else "weighted errors"

    def _status_words(self) -> str:
        if self.status is Status.INFEASIBLE:
            return "Proved: no tree of this shape meets the conditions"
        n = len(self.found.trees)
        return f"{n:,} {'tree' if n == 1 else 'trees'}, best first"

    def _trees_to_json(self) -> list[dict[str, Any]]:
        """The trees in order; of trees that are alike in all else the cheapest comes first."""
        costs = dict(self.part.costs)
        one_class = self.problem.gains.counts_one_class
        return sorted(
            (self._tree_to_json(tree, costs) for tree in self.found.trees),
            key=lambda tree: (
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
            "questions_per_case": round(questions_per_case(shown), 6),
            "cost_per_case": round(cost_per_case(shown, costs), 6),
            "topology": tree.problem.topology.text,
            "train": confusion_to_json(solution.confusion),
            "test": None if test is None else confusion_to_json(shown.confusion(test)),
            "assignment": assignment_to_json(solution.assignment),
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
    """How many questions a training row meets, on average."""
    return _per_case(tree, lambda path: len(path))


def cost_per_case(tree: Tree, costs: Mapping[str, Fraction]) -> float:
    """What the questions of a training row cost, on average.

    A column that is asked twice on the way of a row is paid once.

    Parameters
    ----------
    tree : Tree
        With its training counts.
    costs : mapping of str to Fraction
        What asking a column costs; 1 where it is not named.
    """

    def paid(path: Sequence[Any]) -> Fraction:
        asked = {tree.features[step.split.feature].name for step, _ in path}
        return sum((costs.get(name, Fraction(1)) for name in asked), Fraction(0))

    return _per_case(tree, paid)


def _per_case(tree: Tree, of_path: Callable[[Sequence[Any]], Fraction | int]) -> float:
    """The mean over training rows of a number that belongs to the way to a leaf."""
    rows = sum(leaf.n for leaf in tree.leaves)
    if not rows:
        return 0.0
    total = sum(leaf.n * of_path(path) for leaf, path in zip(tree.leaves, tree.paths, strict=True))
    return float(Fraction(total) / rows)


def run_alternatives(
    table: Table,
    spec: TrainSpec,
    part: AlternativesPart,
    *,
    on_stage: Callable[[Stage], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> AlternativesResult:
    """List the near-optimal trees of a problem, best first, and say what each column is worth.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        The problem; its time limit is for the list and the solves without each column.
    part : AlternativesPart
        How many trees.
    on_stage : callable, optional
        Called with each stage.
    should_stop : callable, optional
        Asked while the search runs; true ends it with what is complete.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a tree does not survive our recount.
    """
    # processes that serve pages never solve
    from odt_core.alternatives.columns import column_worths
    from odt_core.alternatives.listing import find_near_trees, problems_of
    from odt_core.solvers.search.loader import loader

    loader.load()
    began = time.perf_counter()
    tell = on_stage or (lambda stage: None)
    tell(Stage.PREPARING)
    prepared = prepare_training(table, spec)
    problem = build_problem(prepared, spec)
    _refuse_unknown(part, problem)
    problems = problems_of(problem, spec.topology)
    tell(Stage.SOLVING)
    found = find_near_trees(
        problems,
        number=part.number,
        within=part.within,
        time_limit=spec.time_limit,
        should_stop=should_stop,
    )
    left = spec.time_limit - (time.perf_counter() - began)
    columns = column_worths(
        problems,
        found,
        time_limit=max(left, LEAST_FOR_COLUMNS * spec.time_limit),
        should_stop=should_stop,
    )
    tell(Stage.FINISHING)
    return AlternativesResult(
        table_sha256=table.sha256,
        table_name=table.name,
        spec=spec,
        part=part,
        prepared=prepared,
        problem=problems[0],
        found=found,
        columns=columns,
        seconds=time.perf_counter() - began,
    )


def _refuse_unknown(part: AlternativesPart, problem: Problem) -> None:
    """Refuse costs of columns that are no features.

    Raises
    ------
    InputError
        If there are such costs.
    """
    names = {feature.name for feature in problem.data.features}
    for name, _ in part.costs:
        if name not in names:
            raise InputError(
                f"A cost names the column {quoted(name)}, which is no feature here: check its name."
            )
