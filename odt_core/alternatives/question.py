"""A ranking of columns at one question: for each column, the best tree that uses it there.

The exact search finds, for each column, the best tree of the same problem if one decision node may
only be about this column. The specification's rules hold for all other questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from odt_core.alternatives.placement import placed_nodes
from odt_core.confusion import Confusion
from odt_core.data import Table
from odt_core.json_data import JsonData
from odt_core.problem import Goal, NodeRule, Problem, Rules
from odt_core.solution import Engine, Solution, Status
from odt_core.solvers.control import DEFAULT_CONTROL, Control
from odt_core.training import SILENT, Hooks, Stage, TrainSpec, build_problem, prepare_training
from odt_core.words import LOSS_NAMES, count_words, number_words, percent_words


class Others(StrEnum):
    """The other questions that may change when one question changes."""

    FREE = "free"
    """All other questions."""
    BELOW = "below"
    """All except those on the path to it, so that the same rows reach it."""
    KEPT = "kept"
    """No other question."""


@dataclass(frozen=True)
class QuestionPart(JsonData):
    """The question at which columns are ranked.

    Attributes
    ----------
    node : int
        The decision node in the specification's shape, from 0.
    n_columns : int
        Number of columns to rank.
    question : int or None
        The question's place in `Tree.decisions` of the drawn tree; None without a tree.
    others : Others
        The other questions that may change. The specification has rules for the rest.
    """

    node: int
    n_columns: int
    question: int | None = None
    others: Others = Others.FREE

    def __post_init__(self) -> None:
        if min(self.node, self.n_columns, self.question or 0) < 0:
            raise ValueError("a question and a number of columns are numbers from 0")

    @property
    def n_solves(self) -> int:
        """The most problems to solve: two without the question, and one for each column."""
        return self.n_columns + 2


@dataclass(frozen=True)
class Reach(JsonData):
    """What a solve found out about the best tree of a problem.

    Attributes
    ----------
    status : Status
        Whether it is proved. ``infeasible``: no tree meets the conditions.
    total, bound : int or None
        The worth of the best tree found, and a proved upper bound (see `Gains`).
    """

    status: Status
    total: int | None
    bound: int | None

    @classmethod
    def of(cls, solution: Solution) -> Reach:
        """Read what a solve found out."""
        return cls(solution.status, solution.total, solution.bound)


@dataclass(frozen=True)
class Loss(JsonData):
    """The loss of a tree against a tree without errors, in the goal's terms.

    Attributes
    ----------
    goal : Goal
        The quantity to maximise.
    is_weighted : bool
        Whether a wrong row of one class counts more than a wrong row of the other class.
    most : int
        The worth of a tree without errors (see `Gains`).
    unit : int
        The worth of one unit of `name`.
    """

    goal: Goal
    is_weighted: bool
    most: int
    unit: int

    @classmethod
    def of(cls, problem: Problem) -> Loss:
        """The loss that a problem minimises."""
        objective, gains = problem.objective, problem.gains
        unit = 1 if gains.counts_one_class else gains.scale
        return cls(objective.goal, objective.class_weight != 1, problem.perfect_total, unit)

    @property
    def name(self) -> str:
        """The quantity that is counted, such as ``training errors``."""
        return f"weighted {LOSS_NAMES[self.goal]}" if self.is_weighted else LOSS_NAMES[self.goal]

    @property
    def is_share(self) -> bool:
        """Whether the loss is a share of rows and not a number of rows."""
        return not self.goal.loses_rows

    def value(self, total: int) -> Fraction:
        """Return the loss of a tree with this worth."""
        return Fraction(self.most - total, self.unit)

    def words(self, value: Fraction) -> str:
        """Write a loss, or a difference of two losses, such as ``17 training errors``."""
        one = {"errors": "error", "cases": "case", "alarms": "alarm"}
        is_one = value == 1 and not self.is_share
        name = " ".join(one.get(word, word) if is_one else word for word in self.name.split())
        return f"{self.number(value)} {name}"

    def number(self, value: Fraction) -> str:
        """Write a loss without its name."""
        if self.is_share:
            return percent_words(value)
        return f"{int(value):,}" if value.denominator == 1 else number_words(value)


@dataclass(frozen=True)
class RankedColumn:
    """A column that a question could ask about.

    Attributes
    ----------
    name : str
        The column.
    reach : Reach
        What is known about the best tree that may ask only about this column there.
    """

    name: str
    reach: Reach

    def helps(self, without: Reach) -> bool | None:
        """Whether the best tree with this column at the question beats the best tree without it.

        Parameters
        ----------
        without : Reach
            The best tree without the question.

        Returns
        -------
        bool or None
            None if it is not known.
        """
        if self.reach.status is Status.INFEASIBLE:
            return False
        if without.status is Status.INFEASIBLE:
            return None if self.reach.total is None else True
        if self.reach.total is not None and without.bound is not None:
            if self.reach.total > without.bound:
                return True
        if self.reach.bound is not None and without.total is not None:
            if self.reach.bound <= without.total:
                return False
        return None


@dataclass(frozen=True)
class Ranking:
    """A ranking of columns at one question.

    Attributes
    ----------
    without : Reach
        The best tree without the question. One of the question's branches takes its place.
    columns : tuple of RankedColumn
        The columns tried so far, best first.
    left : int
        Number of columns that were not tried.
    loss : Loss
        The loss that the problem minimises.
    """

    without: Reach
    columns: tuple[RankedColumn, ...]
    left: int
    loss: Loss

    @property
    def model(self) -> None:
        """None, because a ranking has no model."""
        return None

    @property
    def status(self) -> Status:
        """``optimal`` if every column was tried and proved."""
        reaches = [self.without, *(column.reach for column in self.columns)]
        proved = self.left == 0 and all(reach.status.is_settled for reach in reaches)
        return Status.OPTIMAL if proved else Status.FEASIBLE

    @property
    def unproved(self) -> tuple[str, ...]:
        """Columns whose best tree is not proved."""
        return tuple(c.name for c in self.columns if not c.reach.status.is_settled)

    def to_json(self) -> dict[str, Any]:
        """Write the ranking as a dictionary that `from_json` can read."""
        tried = count_words(len(self.columns), "column")
        proved = len(self.columns) - len(self.unproved)
        return {
            "without": self.without.to_json(),
            "columns": [{"name": c.name, **c.reach.to_json()} for c in self.columns],
            "left": self.left,
            "loss": self.loss.to_json(),
            "status": self.status.value,
            "words": {"status": f"{tried} tried at one question, {proved} proved"},
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Ranking:
        """Read the dictionary of `to_json`."""
        return cls(
            Reach.from_json(record["without"]),
            tuple(RankedColumn(c["name"], Reach.from_json(c)) for c in record["columns"]),
            record["left"],
            Loss.from_json(record["loss"]),
        )


def rank_columns(
    problem: Problem,
    node: int,
    control: Control = DEFAULT_CONTROL,
    on_ranking: Callable[[Ranking], None] = lambda ranking: None,
) -> Ranking:
    """Rank the columns that a decision node could ask about.

    Parameters
    ----------
    problem : Problem
        The shape, goal, conditions and rules. The node's own rule is ignored.
    node : int
        The decision node.
    control : Control
        The limits of the search for each column, and who may stop it.
    on_ranking : callable, optional
        Called with the ranking so far after each column.

    Raises
    ------
    DisagreementError
        If a recount of a tree gives other numbers than the search.
    """
    from odt_core.solvers import solve  # processes that serve pages never solve

    def reach(asked: Problem) -> Reach:
        return Reach.of(solve(asked, engine=Engine.SEARCH, control=control))

    free = replace(problem, rules=_with_rule(problem.rules, node, NodeRule()))
    without = _reach_without(free, node, reach)
    columns = free.allowed_features(node)
    found: list[RankedColumn] = []

    def ranking() -> Ranking:
        ranked = tuple(sorted(found, key=lambda column: _order(column.reach)))
        return Ranking(without, ranked, len(columns) - len(found), Loss.of(problem))

    for g in columns:
        if control.stopped():
            break
        only = replace(free, rules=_with_rule(free.rules, node, NodeRule(frozenset([g]))))
        found.append(RankedColumn(problem.data.features[g].name, reach(only)))
        on_ranking(ranking())
    return ranking()


def _order(reach: Reach) -> tuple[bool, int, int]:
    """A sort key: the best tree first. Of equal trees, those that may still improve come first."""
    bound = 0 if reach.bound is None else reach.bound
    return (reach.total is None, -(reach.total or 0), -bound)


def _with_rule(rules: Rules, node: int, rule: NodeRule) -> Rules:
    others = tuple((at, other) for at, other in rules.nodes if at != node)
    return replace(rules, nodes=(*others, (node, rule)))


def _reach_without(problem: Problem, node: int, reach: Callable[[Problem], Reach]) -> Reach:
    """The best tree in which one of a node's branches takes its place."""
    shape = placed_nodes(problem.topology, dict(problem.rules.nodes))
    either = (
        shape.changed(node, lambda place: place.left),
        shape.changed(node, lambda place: place.right),
    )
    reaches = []
    for branch in dict.fromkeys(either):
        if branch is None:
            reaches.append(_lone_leaf(problem))
        else:
            rules = replace(problem.rules, nodes=branch.rules)
            reaches.append(reach(replace(problem, topology=branch.topology, rules=rules)))
    return _best_of(reaches)


def _lone_leaf(problem: Problem) -> Reach:
    """The better of the two trees without a question."""
    data, gains = problem.data, problem.gains
    totals = [
        gains.total(counts)
        for counts in (
            Confusion(tp=data.n_positive, fp=data.n_negative, tn=0, fn=0),
            Confusion(tp=0, fp=0, tn=data.n_negative, fn=data.n_positive),
        )
        if gains.allows(counts)
    ]
    if not totals:
        return Reach(Status.INFEASIBLE, None, None)
    return Reach(Status.OPTIMAL, max(totals), max(totals))


def _best_of(reaches: list[Reach]) -> Reach:
    """What is known about the best tree of several problems together."""
    open_ = [reach for reach in reaches if reach.status is not Status.INFEASIBLE]
    if not open_:
        return Reach(Status.INFEASIBLE, None, None)
    totals = [reach.total for reach in open_ if reach.total is not None]
    total = max(totals, default=None)
    bounds = [reach.bound for reach in open_]
    bound = None if None in bounds else max(b for b in bounds if b is not None)
    if total is not None and total == bound:
        return Reach(Status.OPTIMAL, total, bound)
    cancelled = any(reach.status is Status.CANCELLED for reach in open_)
    return Reach(Status.CANCELLED if cancelled else Status.FEASIBLE, total, bound)


def run_ranking(
    table: Table, spec: TrainSpec, part: QuestionPart, hooks: Hooks = SILENT
) -> Ranking:
    """Rank the columns at a question of a specification's shape.

    Parameters
    ----------
    table : Table
        The data, as read.
    spec : TrainSpec
        Data, split, goal, shape and rules. Its time limit is for each column.
    part : QuestionPart
        The question.
    hooks : Hooks
        They get the ranking so far after each column. A stop ends the search with what is known.

    Raises
    ------
    InputError
        If the table or the specification cannot be used.
    DisagreementError
        If a recount of a tree gives other numbers than the search.
    """
    hooks.on_stage(Stage.PREPARING)
    spec.one_topology("A ranking of columns")
    prepared = prepare_training(table, spec)
    problem = build_problem(prepared, spec)
    hooks.on_stage(Stage.SOLVING)
    control = hooks.control(spec)
    found = rank_columns(problem, part.node, control, lambda known: hooks.report(lambda: known))
    hooks.on_stage(Stage.FINISHING)
    return found
