"""Readers of incumbents and bounds in a solver's log, line by line during the solve.

Values have the program's unit and sense (minimised).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

ABSURD = 1e50
"""Solvers print larger numbers, such as 1e+50, for absent values."""


@dataclass(frozen=True)
class LogReading:
    """The contents of one line.

    Attributes
    ----------
    incumbent : float or None
        The objective of the best point found.
    bound : float or None
        A proved lower bound on the objective, minus the rounding error of the printed digits.
    start_taken : bool
        Whether the line says that the start was accepted.
    stopped : bool
        Whether the line says that the solver stopped at a limit, without a further proof.
    """

    incumbent: float | None = None
    bound: float | None = None
    start_taken: bool = False
    stopped: bool = False


class LogReader(Protocol):
    """A reader that remembers its place in the log, such as the current table."""

    def read(self, line: str) -> LogReading | None:
        """Read a line; None if it has nothing of interest."""
        ...


def value_of(text: str) -> float | None:
    """Read a printed value; None if absent."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < ABSURD else None


def bound_of(text: str) -> float | None:
    """Read a lower bound, and allow for the rounding in the log.

    Half a unit of the last printed digit is subtracted. This never loses a whole number: 95.01 may
    have been 95.005, which still rounds up to 96, and 96 may have been 95.5, which also does.
    """
    value = value_of(text)
    if value is None:
        return None
    exponent = Decimal(text).as_tuple().exponent
    assert isinstance(exponent, int)
    return value - 0.5 * 10.0**exponent


class CbcLog:
    """CBC's log at level 1.

    The table below "Branch and bound" has the columns Nodes, OnTree, Depth, BestSol, Method (often
    empty), BestBound, Gap% and Time. A star marks a new solution. Before it, the table below "Cut
    generation" has the root's objective. Older builds print messages such as
    "Cbc0010I After 100 nodes, 12 on tree, 98 best solution, best possible 95.3 (1.2 seconds)".

    If the time limit ends a linear program early, its objective is not a bound (we saw the worst
    possible value). CBC prints it as the root's objective, before or after the message that it
    stopped. So a root's objective counts only after CBC's next step, and nothing counts after the
    stop.
    """

    _HEADING = re.compile(r"^▶\s*(.+?)\s*$")
    _CUTS_DONE = re.compile(r"Cut generation complete .*→ (\S+)")
    _AFTER = re.compile(r"Cbc0010I .* on tree, (\S+) best solution, best possible (\S+)")
    _FOUND = re.compile(r"Cbc00(?:04|12|16)I Integer solution of (\S+) found")
    _START = re.compile(r"Cbc0045I .*MIPStart provided solution with cost (\S+)")

    _STOPPED = re.compile(r"^✔\s*Stopped|^Result - Stopped")

    def __init__(self) -> None:
        self._section = ""
        self._root: float | None = None
        self._stopped = False

    def read(self, line: str) -> LogReading | None:
        """Return what a line of the log says; None if it says nothing of interest."""
        if self._stopped:
            return None
        if self._STOPPED.match(line):
            self._stopped = True
            return LogReading(stopped=True)
        heading = self._HEADING.match(line)
        if heading:
            self._section = heading[1]
            return self._confirm_root(None)
        if line.startswith("✔"):
            self._section = ""
        for pattern, reading in (
            (self._START, lambda m: LogReading(incumbent=value_of(m[1]), start_taken=True)),
            (self._FOUND, lambda m: LogReading(incumbent=value_of(m[1]))),
            (self._AFTER, lambda m: LogReading(value_of(m[1]), bound_of(m[2].rstrip(",")))),
            (self._CUTS_DONE, lambda m: self._confirm_root(bound_of(m[1]))),
        ):
            match = pattern.search(line)
            if match:
                return reading(match)
        return self._row(line.replace("★", " ").split())

    def _row(self, cells: list[str]) -> LogReading | None:
        if not cells or not cells[0][:1].isdigit():
            return None
        if self._section == "Branch and bound" and len(cells) >= 7:
            return LogReading(value_of(cells[3]), bound_of(cells[-3]))
        if self._section.startswith("Cut generation") and len(cells) == 7:
            return self._confirm_root(bound_of(cells[5]))
        return None

    def _confirm_root(self, root: float | None) -> LogReading | None:
        """Return the last root objective, which this step confirms, and store the new one."""
        confirmed, self._root = self._root, root
        return None if confirmed is None else LogReading(bound=confirmed)


class HighsLog:
    """HiGHS's log: a table whose columns from Expl. on are Expl., BestBound, BestSol, Gap, Cuts,
    InLp, Confl., LpIters and Time, after up to two letters and three counts.
    """

    _START = re.compile(r"MIP start solution is feasible, objective value is (\S+)")

    def read(self, line: str) -> LogReading | None:
        """Return what a line of the log says; None if it says nothing of interest."""
        match = self._START.search(line)
        if match:
            return LogReading(incumbent=value_of(match[1]), start_taken=True)
        cells = line.split()
        if len(cells) < 12 or not cells[-9].endswith("%") or not cells[-1].endswith("s"):
            return None
        bound, incumbent = bound_of(cells[-8]), value_of(cells[-7])
        if bound is None and incumbent is None:
            return None
        return LogReading(incumbent, bound)
