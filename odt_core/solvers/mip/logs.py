"""Reads incumbents and bounds from a solver's log, line by line, while it is being written.

Values are in the program's own unit and sense (minimised).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Protocol

ABSURD = 1e50
"""Solvers print 1e+50 and the like where they have no value."""


@dataclass(frozen=True)
class Reading:
    """What one line says.

    Attributes
    ----------
    incumbent : float or None
        Objective of the best point found.
    bound : float or None
        Proved lower bound on the objective, with the rounding of the printed digits taken off.
    start_taken : bool
        Whether the line says that the start was accepted.
    stopped : bool
        Whether the line says that the solver gave up at a limit: it has proved nothing more.
    """

    incumbent: float | None = None
    bound: float | None = None
    start_taken: bool = False
    stopped: bool = False


class LogReader(Protocol):
    """Keeps what it must remember between lines, such as which table it is in."""

    def read(self, line: str) -> Reading | None:
        """What a line says, or None if it says nothing of interest."""
        ...


def value_of(text: str) -> float | None:
    """A printed value, or None if there is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < ABSURD else None


def bound_of(text: str) -> float | None:
    """A lower bound that is certainly valid although the log has rounded it.

    Half a unit in the last printed place is taken off. That never costs a whole number: 95.01 may
    have been 95.005, which still rounds up to 96, and 96 may have been 95.5, which does too.
    """
    value = value_of(text)
    if value is None:
        return None
    try:
        exponent = Decimal(text).as_tuple().exponent
    except InvalidOperation:
        return None
    assert isinstance(exponent, int)
    return value - 0.5 * 10.0**exponent


class CbcLog:
    """CBC's log at level 1.

    Its table below "Branch and bound" has the columns Nodes, OnTree, Depth, BestSol, Method (often
    empty), BestBound, Gap% and Time, with a star before lines of a new solution; before that, the
    table below "Cut generation" has the root's objective. Older builds print messages such as
    "Cbc0010I After 100 nodes, 12 on tree, 98 best solution, best possible 95.3 (1.2 seconds)".

    A linear program that the time limit cuts short leaves an objective that bounds nothing (seen:
    the worst possible one), and CBC prints it as the root's, before or after it says that it has
    stopped. So a root's objective counts once CBC has gone on from it, and nothing counts after the
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

    def read(self, line: str) -> Reading | None:
        """See `LogReader`."""
        if self._stopped:
            return None
        if self._STOPPED.match(line):
            self._stopped = True
            return Reading(stopped=True)
        heading = self._HEADING.match(line)
        if heading:
            self._section = heading[1]
            return self._go_on(None)
        if line.startswith("✔"):
            self._section = ""
        for pattern, reading in (
            (self._START, lambda m: Reading(incumbent=value_of(m[1]), start_taken=True)),
            (self._FOUND, lambda m: Reading(incumbent=value_of(m[1]))),
            (self._AFTER, lambda m: Reading(value_of(m[1]), bound_of(m[2].rstrip(",")))),
            (self._CUTS_DONE, lambda m: self._go_on(bound_of(m[1]))),
        ):
            match = pattern.search(line)
            if match:
                return reading(match)
        return self._row(line.replace("★", " ").split())

    def _row(self, cells: list[str]) -> Reading | None:
        if not cells or not cells[0][:1].isdigit():
            return None
        if self._section == "Branch and bound" and len(cells) >= 7:
            return Reading(value_of(cells[3]), bound_of(cells[-3]))
        if self._section.startswith("Cut generation") and len(cells) == 7:
            return self._go_on(bound_of(cells[5]))
        return None

    def _go_on(self, root: float | None) -> Reading | None:
        """The root's last objective, which a further step confirms, and the new one to wait."""
        confirmed, self._root = self._root, root
        return None if confirmed is None else Reading(bound=confirmed)


class HighsLog:
    """HiGHS's log: a table whose columns from Expl. on are Expl., BestBound, BestSol, Gap, Cuts,
    InLp, Confl., LpIters and Time, after up to two letters and three counts.
    """

    _START = re.compile(r"MIP start solution is feasible, objective value is (\S+)")

    def read(self, line: str) -> Reading | None:
        """See `LogReader`."""
        match = self._START.search(line)
        if match:
            return Reading(incumbent=value_of(match[1]), start_taken=True)
        cells = line.split()
        if len(cells) < 12 or not cells[-9].endswith("%") or not cells[-1].endswith("s"):
            return None
        bound, incumbent = bound_of(cells[-8]), value_of(cells[-7])
        if bound is None and incumbent is None:
            return None
        return Reading(incumbent, bound)
