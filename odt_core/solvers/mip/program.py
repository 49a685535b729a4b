"""A mixed-integer program as plain arrays, and its builder.

It does not depend on a solver. So a program can be built, counted, sent to another process, loaded
into any solver and written to a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Sense(StrEnum):
    """How a row compares with its right-hand side, in python-mip's letters."""

    LESS = "<"
    EQUAL = "="
    GREATER = ">"


@dataclass(frozen=True, eq=False)
class Program:
    """A program: minimise ``cost @ x`` under rows and bounds, with some x integer.

    A constant of the objective is the cost of a column fixed at 1, so that logs, files and solvers
    have the same objective.

    Attributes
    ----------
    names : tuple of str
        Names of the n columns. Solvers match a start by name.
    lower, upper, cost : float[n]
        Bounds and objective.
    integer : bool[n]
        Whether a column is integer.
    row_names : tuple of str
        Names of the m rows.
    starts : int[m + 1]
        Row r has the entries ``starts[r]:starts[r + 1]``.
    columns, coefficients : int[nnz], float[nnz]
        The rows' entries.
    senses : tuple of Sense
        The sense of each row.
    rhs : float[m]
        Right-hand sides.
    """

    names: tuple[str, ...]
    lower: Floats
    upper: Floats
    cost: Floats
    integer: npt.NDArray[np.bool_]
    row_names: tuple[str, ...]
    starts: Ints
    columns: Ints
    coefficients: Floats
    senses: tuple[Sense, ...]
    rhs: Floats

    @property
    def n_columns(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.rhs)

    @property
    def n_integers(self) -> int:
        """Number of integer variables."""
        return int(self.integer.sum())

    @property
    def n_nonzeros(self) -> int:
        """Number of entries in the rows."""
        return len(self.columns)


class ProgramBuilder:
    """A builder that collects columns and blocks of equally wide rows into a `Program`."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._lower: list[Floats] = []
        self._upper: list[Floats] = []
        self._cost: list[Floats] = []
        self._integer: list[npt.NDArray[np.bool_]] = []
        self._row_names: list[str] = []
        self._widths: list[Ints] = []
        self._columns: list[Ints] = []
        self._coefficients: list[Floats] = []
        self._senses: list[Sense] = []
        self._rhs: list[Floats] = []

    def add_columns(
        self,
        names: Sequence[str],
        *,
        lower: npt.ArrayLike = 0.0,
        upper: npt.ArrayLike = 1.0,
        cost: npt.ArrayLike = 0.0,
        integer: npt.ArrayLike = False,
    ) -> Ints:
        """Add variables and return their column numbers.

        Parameters
        ----------
        names : sequence of str
            Names of the variables.
        lower, upper, cost, integer : scalar or [len(names)]
            Bounds, objective and type.
        """
        n = len(names)
        first = len(self._names)
        self._names.extend(names)
        for parts, given, kind in (
            (self._lower, lower, np.float64),
            (self._upper, upper, np.float64),
            (self._cost, cost, np.float64),
            (self._integer, integer, np.bool_),
        ):
            parts.append(np.broadcast_to(np.asarray(given, dtype=kind), (n,)))
        return np.arange(first, first + n, dtype=np.int64)

    def add_rows(
        self,
        names: Sequence[str],
        columns: Ints,
        coefficients: npt.ArrayLike,
        sense: Sense,
        rhs: npt.ArrayLike,
    ) -> None:
        """Add a block of rows with equally many entries each.

        Parameters
        ----------
        names : sequence of str
            Names of the r rows.
        columns : int[r, width]
            Column numbers; no number twice in a row.
        coefficients : float, float[width] or float[r, width]
            Entries.
        sense : Sense
            The same for all rows of the block.
        rhs : float or float[r]
            Right-hand sides.
        """
        r, width = columns.shape
        assert len(names) == r
        if r == 0:
            return
        self._row_names.extend(names)
        self._widths.append(np.full(r, width, dtype=np.int64))
        self._columns.append(columns.ravel())
        entries = np.broadcast_to(np.asarray(coefficients, dtype=np.float64), (r, width))
        self._coefficients.append(entries.ravel())
        self._senses.extend([sense] * r)
        self._rhs.append(np.broadcast_to(np.asarray(rhs, dtype=np.float64), (r,)))

    def build(self) -> Program:
        """Return the program."""
        return Program(
            names=tuple(self._names),
            lower=np.concatenate(self._lower),
            upper=np.concatenate(self._upper),
            cost=np.concatenate(self._cost),
            integer=np.concatenate(self._integer),
            row_names=tuple(self._row_names),
            starts=np.concatenate([[0], np.cumsum(np.concatenate(self._widths))]),
            columns=np.concatenate(self._columns),
            coefficients=np.concatenate(self._coefficients),
            senses=tuple(self._senses),
            rhs=np.concatenate(self._rhs),
        )
