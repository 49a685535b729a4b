"""The messages between the calling process and the solving process."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from odt_core.solution import Engine
from odt_core.solvers.mip.program import Floats, Program

END_OF_LOG = "--- end of the log ---"
"""Printed after each solve, so that its lines are not mistaken for the next solve's."""

GAP = 0.999
"""The solver stops when objective and bound differ by at most this. It is below 1, the least
difference of two objectives."""


class MipStatus(StrEnum):
    """The status that a solver reports."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    NO_SOLUTION = "no solution found"
    STOPPED = "stopped"
    """Set by us: a stop or the deadline ended the solver."""
    BLURRED = "too large to count"
    """Set by us: the solver's tolerances cannot distinguish such large neighbouring numbers."""


@dataclass(frozen=True, eq=False)
class SolveOrder:
    """An order to solve a program.

    Attributes
    ----------
    engine : Engine
        CBC or HiGHS.
    program : Program
        The program.
    start : float[n] or None
        A feasible point, a value for every column.
    time_limit : float
        Seconds.
    threads, seed : int
        The solver's threads and seed.
    solutions_path : str or None
        The file for incumbents, if the solver writes them to a file.
    """

    engine: Engine
    program: Program
    start: Floats | None
    time_limit: float
    threads: int
    seed: int
    solutions_path: str | None


@dataclass(frozen=True, eq=False)
class WriteOrder:
    """An order to write a program to a file. Its extension (.lp or .mps) gives the format."""

    program: Program
    path: str


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of the solver.

    Attributes
    ----------
    status : MipStatus
        Its status.
    objective : float or None
        The objective of its best point.
    bound : float or None
        Its bound, which is reliable only with the status OPTIMAL.
    x : float[n] or None
        Its best point.
    """

    status: MipStatus
    objective: float | None
    bound: float | None
    x: Floats | None


@dataclass(frozen=True)
class Written:
    """The file is written."""


@dataclass(frozen=True)
class Failure:
    """The order failed.

    Attributes
    ----------
    message : str
        The error's type and text.
    """

    message: str


Message = Answer | Written | Failure
