"""What a solver answers: the tree, the proof, and how it went."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from odt_core.confusion import Confusion
from odt_core.errors import DisagreementError
from odt_core.problem import Problem, Split
from odt_core.tree import Tree, build_tree, count_assignment, keeps_smallest_leaf


class Status(StrEnum):
    """How far a solve came."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    CANCELLED = "cancelled"

    @property
    def is_settled(self) -> bool:
        """Whether it is proved that no tree is better, or that there is none."""
        return self in (Status.OPTIMAL, Status.INFEASIBLE)


class Engine(StrEnum):
    """Who solves."""

    HYBRID = "hybrid"
    CBC = "cbc"
    HIGHS = "highs"
    SEARCH = "search"


@dataclass(frozen=True)
class Assignment:
    """A tree in the topology's own terms: a question for each node, a label for each leaf.

    Attributes
    ----------
    splits : tuple of Split
        By decision node.
    labels : tuple of bool
        By leaf, True for positive.
    """

    splits: tuple[Split, ...]
    labels: tuple[bool, ...]


@dataclass(frozen=True)
class TracePoint:
    """One step of a solve's progress, in whole-number objective units (see `Gains`).

    Attributes
    ----------
    seconds : float
        Since the solve began.
    incumbent : int or None
        Best total found so far.
    bound : int or None
        Proved upper bound on the total so far.
    """

    seconds: float
    incumbent: int | None
    bound: int | None


@dataclass(frozen=True)
class Found:
    """A tree in hand while a solve goes on.

    Attributes
    ----------
    assignment : Assignment
        The tree; it meets the problem's conditions and floors.
    bound : int or None
        Proved upper bound on the total so far.
    proved_by : tuple of Prover
        The engines that have proved that no tree is better, if that is so.
    seconds : Seconds
        Where the time went so far.
    """

    assignment: Assignment
    bound: int | None
    proved_by: tuple[Prover, ...]
    seconds: Seconds


class Prover(StrEnum):
    """Who has proved that no tree is better."""

    SEARCH = "search"
    CBC = "cbc"
    HIGHS = "highs"


class MipRole(StrEnum):
    """What the integer program was solved for.

    ``solved``: to find and prove the tree. ``confirmed``: to prove a tree found elsewhere, given
    as a start with its proved bound as a row. ``continued``: the same without a proof of its own,
    or to go on from where another engine ran out of time.
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
        Size of the program.
    status : str
        The solver's own word, after checks.
    objective, bound : float or None
        The solver's claims, in the objective's own unit.
    solver : str
        The solver's name.
    role : MipRole
        What it was solved for.
    is_blurred : bool
        Whether it came to an end that proves nothing, because sums are so large that the solver
        cannot tell neighbouring ones apart.
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
    """Where the time went, in seconds."""

    total: float
    search: float = 0.0
    mip: float = 0.0


@dataclass(frozen=True)
class Solution:
    """An answer, recounted by us.

    Attributes
    ----------
    status : Status
        ``optimal`` is proved; ``feasible`` is the best found in time; ``cancelled`` is the best
        found before a stop request; ``infeasible`` means that no tree meets the conditions.
    engine : Engine
        The engine asked for.
    tree : Tree or None
        The canonical tree; None only if none was found.
    assignment : Assignment or None
        The same tree in the topology's own terms.
    confusion : Confusion or None
        On the training rows.
    total, bound : int or None
        The objective found and its proved upper bound, as whole numbers (see `Gains`).
    value, value_bound : Fraction or None
        The same in the objective's own unit.
    proved_by : tuple of Prover
        The engines that proved optimality.
    seconds : Seconds
        Where the time went.
    mip : MipReport or None
        The integer program, where one was solved.
    trace : tuple of TracePoint
        Progress.
    remark : str
        One sentence on how the answer came about, where that is not as usual; mostly empty.
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
        """How much the objective could at most still gain, as a whole number."""
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
    """Recount an engine's answer and settle its status; the only maker of solutions.

    Parameters
    ----------
    problem : Problem
        What was solved.
    assignment : Assignment or None
        The best tree found.
    claimed_total : int or None
        What the engine says the tree is worth; None to make no claim.
    bound : int or None
        Proved upper bound on the total.
    infeasible, cancelled : bool
        Whether the engine proved that there is no tree, or was stopped.
    provers : tuple of Prover
        Who proved the bound; reported only if it is reached.

    Raises
    ------
    DisagreementError
        If the tree breaks a condition of the problem, its recount differs from the claim, or it
        is better than the proved bound.
    """
    gains = problem.gains
    if assignment is None:
        return Solution(
            status=Status.INFEASIBLE
            if infeasible
            else Status.CANCELLED
            if cancelled
            else Status.FEASIBLE,
            engine=engine,
            tree=None,
            assignment=None,
            confusion=None,
            total=None,
            bound=bound,
            value=None,
            value_bound=None if bound is None else gains.value(bound),
            proved_by=provers if infeasible else (),
            seconds=seconds,
            mip=mip,
            trace=trace,
            remark=remark,
        )
    if infeasible:
        raise DisagreementError(f"{engine} claims that no tree exists, but one was found")
    if not problem.admits_all(assignment.splits, assignment.labels):
        raise DisagreementError(f"{engine} returned a tree that breaks the problem's conditions")
    confusion = count_assignment(problem, assignment.splits, assignment.labels)
    if not gains.allows(confusion):
        raise DisagreementError(f"{engine} returned a tree below a floor: {confusion}")
    if not keeps_smallest_leaf(problem, assignment.splits):
        raise DisagreementError(f"{engine} returned a tree with a leaf that is too small")
    total = gains.total(confusion)
    if claimed_total is not None and claimed_total != total:
        raise DisagreementError(
            f"{engine} claims an objective of {claimed_total}, but its tree reaches {total}"
        )
    most = gains.gain_tp * confusion.n_positive + gains.gain_tn * confusion.n_negative
    bound = most if bound is None else min(bound, most)
    if total > bound:
        raise DisagreementError(
            f"{engine} claims a bound of {bound}, but its tree already reaches {total}"
        )
    optimal = total == bound
    tree = build_tree(problem, assignment.splits, assignment.labels)
    if tree.confusion(problem.data) != confusion:
        raise DisagreementError("the simplified tree does not classify as the found one")
    return Solution(
        status=Status.OPTIMAL if optimal else Status.CANCELLED if cancelled else Status.FEASIBLE,
        engine=engine,
        tree=tree,
        assignment=assignment,
        confusion=confusion,
        total=total,
        bound=bound,
        value=gains.value(total),
        value_bound=gains.value(bound),
        proved_by=provers if optimal else (),
        seconds=seconds,
        mip=mip,
        trace=trace,
        remark=remark,
    )
