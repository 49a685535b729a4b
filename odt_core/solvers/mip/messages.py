"""What a process that asks for a solve and the process that solves say to each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from odt_core.solution import Engine
from odt_core.solvers.mip.program import Floats, Program

END_OF_LOG = "--- end of the log ---"
"""Printed after each solve, so that no line of it is taken for the next one's."""


class MipStatus(StrEnum):
    """How a solver says it ended."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    NO_SOLUTION = "no solution found"
    STOPPED = "stopped"
    """Not the solver's word: it was ended from outside, by a stop request or at the deadline."""
    BLURRED = "too large to count"
    """Not the solver's word: numbers are so large that its tolerances blur neighbouring ones."""


@dataclass(frozen=True, eq=False)
class SolveOrder:
    """Solve a program.

    Attributes
    ----------
    engine : Engine
        CBC or HiGHS.
    program : Program
        The program.
    start : float[n] or None
        A feasible point, a value for every column.
    gap : float
        Stop when the objective is within this of the bound.
    time_limit : float
        Seconds.
    threads, seed : int
        As the solver understands them.
    solutions_path : str or None
        Where a solver that can only write its incumbents to a file may do so.
    """

    engine: Engine
    program: Program
    start: Floats | None
    gap: float
    time_limit: float
    threads: int
    seed: int
    solutions_path: str | None


@dataclass(frozen=True, eq=False)
class WriteOrder:
    """Write a program to a file whose ending says the format (.lp or .mps)."""

    program: Program
    path: str


@dataclass(frozen=True, eq=False)
class Answer:
    """How a solve ended, in the solver's words.

    Attributes
    ----------
    status : MipStatus
        Its status.
    objective : float or None
        The objective of its best point.
    bound : float or None
        Its bound; to be trusted with status OPTIMAL only.
    x : float[n] or None
        Its best point.
    """

    status: MipStatus
    objective: float | None
    bound: float | None
    x: Floats | None


@dataclass(frozen=True)
class Written:
    """The file has been written."""


@dataclass(frozen=True)
class Failure:
    """The order could not be carried out.

    Attributes
    ----------
    message : str
        The error's type and text.
    """

    message: str


Message = Answer | Written | Failure
