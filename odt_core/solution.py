"""The answer of a solve: the tree, the proof and the progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from odt_core.confusion import Confusion
from odt_core.errors import DisagreementError
from odt_core.problem import Problem, Split
from odt_core.tree import Tree, build_tree, count_assignment, keeps_smallest_leaf


class Status(StrEnum):
    """The status of a solve."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    CANCELLED = "cancelled"

    @property
    def is_settled(self) -> bool:
        """Whether a proof shows that no tree is better, or that no tree exists."""
        return self in (Status.OPTIMAL, Status.INFEASIBLE)


class Engine(StrEnum):
    """Who solves."""

    HYBRID = "hybrid"
    CBC = "cbc"
    HIGHS = "highs"
    SEARCH = "search"


@dataclass(frozen=True)
class Assignment:
    """A tree as a split for each node and a label for each leaf of the topology.

    Attributes
    ----------
    splits : tuple of Split
        The splits by decision node.
    labels : tuple of bool
        The labels by leaf, True for positive.
    """

    splits: tuple[Split, ...]
    labels: tuple[bool, ...]

    def to_json(self) -> dict[str, Any]:
        """Write each node's feature and the codes that go left, and each leaf's label."""
        return {
            "splits": [[split.feature, sorted(split.left)] for split in self.splits],
            "labels": list(self.labels),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Assignment:
        """Read what `to_json` wrote."""
        return cls(
            splits=tuple(Split(feature, frozenset(left)) for feature, left in record["splits"]),
            labels=tuple(bool(label) for label in record["labels"]),
        )


@dataclass(frozen=True)
class TracePoint:
    """One step of a solve's progress, in whole-number objective units (see `Gains`).

    Attributes
    ----------
    seconds : float
        Time since the solve began.
    incumbent : int or None
        The best total so far.
    bound : int or None
        The proved upper bound on the total so far.
    """

    seconds: float
    incumbent: int | None
    bound: int | None

    def to_json(self) -> list[float | int | None]:
        """Write the three numbers."""
        return [round(self.seconds, 4), self.incumbent, self.bound]


@dataclass(frozen=True)
class Found:
    """A tree found during a solve.

    Attributes
    ----------
    assignment : Assignment
        The tree, which meets the problem's conditions and floors.
    bound : int or None
        The proved upper bound on the total so far.
    proved_by : tuple of Prover
        The engines that have already proved that no tree is better.
    seconds : Seconds
        The time so far.
    """

    assignment: Assignment
    bound: int | None
    proved_by: tuple[Prover, ...]
    seconds: Seconds


class Prover(StrEnum):
    """An engine that has proved that no tree is better."""

    SEARCH = "search"
    CBC = "cbc"
    HIGHS = "highs"


class MipRole(StrEnum):
    """The purpose of solving the integer program.

    ``solved``: to find and prove the tree. ``confirmed``: to prove another engine's tree, with the
    tree as a start and its proved bound as a row. ``continued``: the same, but without a proof, or
    to continue after another engine ran out of time.
    """

    SOLVED = "solved"
    CONFIRMED = "confirmed"
    CONTINUED = "continued"


@dataclass(frozen=True)
class MipReport:
    """Facts about a solve of the integer program.

    Attributes
    ----------
    columns, rows, integers, nonzeros : int
        The size of the program.
    status : str
        The solver's status after checks.
    objective, bound : float or None
        The solver's claims, in the objective's unit.
    solver : str
        The solver's name.
    role : MipRole
        The purpose.
    is_blurred : bool
        Whether the solve proves nothing because the solver cannot distinguish such large sums.
    """

    columns: int
    rows: int
    integers: int
    nonzeros: int
    status: str
    objective: float | None
    bound: float | None
    solver: str
    role: MipRole = MipRole.SOLVED
    is_blurred: bool = False


@dataclass(frozen=True)
class Seconds:
    """The time of a solve and of its engines, in seconds."""

    total: float
    search: float = 0.0
    mip: float = 0.0


@dataclass(frozen=True)
class Solution:
    """A recounted answer.

    Attributes
    ----------
    status : Status
        ``optimal`` is proved. ``feasible`` is the best found in time. ``cancelled`` is the best
        found before a stop. ``infeasible`` means that no tree meets the conditions.
    engine : Engine
        The requested engine.
    tree : Tree or None
        The canonical tree; None only if none was found.
    assignment : Assignment or None
        The same tree as splits and labels of the topology.
    confusion : Confusion or None
        The counts on the training rows.
    total, bound : int or None
        The objective found and its proved upper bound, as whole numbers (see `Gains`).
    value, value_bound : Fraction or None
        The same in the objective's unit.
    proved_by : tuple of Prover
        The engines that proved the tree optimal.
    seconds : Seconds
        The time.
    mip : MipReport or None
        The integer program, if it was solved.
    trace : tuple of TracePoint
        Progress.
    remark : str
        A sentence about an unusual course of the solve; usually empty.
    """

    status: Status
    engine: Engine
    tree: Tree | None
    assignment: Assignment | None
    confusion: Confusion | None
    total: int | None
    bound: int | None
    value: Fraction | None
    value_bound: Fraction | None
    proved_by: tuple[Prover, ...]
    seconds: Seconds
    mip: MipReport | None
    trace: tuple[TracePoint, ...]
    remark: str = ""

    @property
    def gap(self) -> int | None:
        """The bound minus the total: the most that another tree can gain."""
        if self.total is None or self.bound is None:
            return None
        return self.bound - self.total


def make_solution(
    problem: Problem,
    *,
    engine: Engine,
    assignment: Assignment | None,
    claimed_total: int | None,
    bound: int | None,
    infeasible: bool = False,
    cancelled: bool = False,
    provers: tuple[Prover, ...] = (),
    seconds: Seconds,
    mip: MipReport | None = None,
    trace: tuple[TracePoint, ...] = (),
    remark: str = "",
) -> Solution:
    """Recount an engine's answer and decide its status. All solutions are made here.

    Parameters
    ----------
    assignment : Assignment or None
        The best tree found.
    claimed_total, bound : int or None
        The total that the engine claims, and the proved upper bound; None for no claim or bound.
    infeasible, cancelled : bool
        Whether the engine proved that no tree exists, and whether it was stopped.
    provers : tuple of Prover
        The engines that proved the bound. They only count if the tree reaches it.

    Raises
    ------
    DisagreementError
        If the tree breaks a condition of the problem, the recount differs from the claim, or the
        tree is better than the bound.
    """
    gains, is_proved = problem.gains, infeasible
    tree = confusion = total = None
    if assignment is not None:
        bound = problem.perfect_total if bound is None else min(bound, problem.perfect_total)
        tree, confusion = _recount(problem, engine, assignment, claimed_total, bound, infeasible)
        total = gains.total(confusion)
        is_proved = total == bound
    proof = Status.INFEASIBLE if infeasible else Status.OPTIMAL
    return Solution(
        status=proof if is_proved else Status.CANCELLED if cancelled else Status.FEASIBLE,
        engine=engine,
        tree=tree,
        assignment=assignment,
        confusion=confusion,
        total=total,
        bound=bound,
        value=None if total is None else gains.value(total),
        value_bound=None if bound is None else gains.value(bound),
        proved_by=provers if is_proved else (),
        seconds=seconds,
        mip=mip,
        trace=trace,
        remark=remark,
    )


def _recount(
    problem: Problem,
    engine: Engine,
    assignment: Assignment,
    claimed_total: int | None,
    bound: int,
    infeasible: bool,
) -> tuple[Tree, Confusion]:
    """Check an engine's tree and its claims. Return the canonical tree and the counts."""
    if infeasible:
        raise DisagreementError(f"{engine} claims that no tree exists, but one was found")
    if not problem.admits_all(assignment.splits, assignment.labels):
        raise DisagreementError(f"{engine} returned a tree that breaks the problem's conditions")
    confusion = count_assignment(problem, assignment.splits, assignment.labels)
    if not problem.gains.allows(confusion):
        raise DisagreementError(f"{engine} returned a tree below a floor: {confusion}")
    if not keeps_smallest_leaf(problem, assignment.splits):
        raise DisagreementError(f"{engine} returned a tree with a leaf that is too small")
    total = problem.gains.total(confusion)
    if claimed_total is not None and claimed_total != total:
        raise DisagreementError(
            f"{engine} claims an objective of {claimed_total}, but its tree reaches {total}"
        )
    if total > bound:
        raise DisagreementError(
            f"{engine} claims a bound of {bound}, but its tree already reaches {total}"
        )
    tree = build_tree(problem, assignment.splits, assignment.labels)
    if tree.confusion(problem.data) != confusion:
        raise DisagreementError("the simplified tree does not classify as the found one")
    return tree, confusion
