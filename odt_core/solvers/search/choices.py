"""A split in the search's own terms, and the best leaf-adjacent split of some rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import ANY, Columns, Encoding, groups_of, runs_of
from odt_core.solvers.search.groups import CHAIN

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choice:
    """A split; or a leaf, whose group is -1 and which has no members.

    Attributes
    ----------
    group : int
        The group; -1 where every row goes one way by a question without members.
    to_high : bool
        Whether the members go to the high child, or are called positive by a leaf-adjacent split;
        of a leaf, whether it is positive.
    members : tuple of int
        Columns.
    low, high : Choice or None
        The children's splits where they are already known.
    """

    group: int
    to_high: bool
    members: tuple[int, ...]
    low: Choice | None = None
    high: Choice | None = None

    @classmethod
    def read(cls, row: npt.NDArray[np.int32]) -> Choice | None:
        """From a row that `two_levels` filled; None if it holds none."""
        group, to_high, n = row[:3].tolist()
        return None if group == -2 else cls(group, bool(to_high), tuple(row[3 : 3 + n].tolist()))


def inside(encoding: Encoding, choice: Choice, rows: Rows) -> npt.NDArray[np.bool_]:
    """Which of the rows are in one of the choice's columns."""
    if choice.group < 0 or not choice.members:
        return np.zeros(len(rows), np.bool_)
    table = encoding.table
    local = table.local[choice.group, rows]
    first = int(table.start[choice.group])
    if table.kind[choice.group] == CHAIN:
        return np.asarray(local <= choice.members[0] - first)
    chosen = np.zeros(int(table.start[choice.group + 1]) - first + 1, np.bool_)
    chosen[[v - first for v in choice.members]] = True
    return np.asarray(chosen[local])


def column_sums(table: Columns, rows: Rows, values: Numbers) -> Numbers:
    """Sum of the rows' values in each column."""
    found = np.empty(len(table.group))
    for k in range(len(table.kind)):
        s, e = int(table.start[k]), int(table.start[k + 1])
        sums = np.bincount(table.local[k, rows], values, e - s + 1)[: e - s]
        found[s:e] = sums.cumsum() if table.kind[k] == CHAIN else sums
    return found


def fixed_choice(table: Columns, cls: int) -> Choice:
    """The question of a class whose split is given."""
    group = groups_of(table, cls)[0]
    return Choice(group, False, (int(table.start[group]),))


# ---------------------------------------------------------------- leaf-adjacent splits


def best_stump(table: Columns, cls: int, rows: Rows) -> Choice:
    """The best leaf-adjacent split of some rows."""
    if table.one_way[cls]:
        return fixed_choice(table, cls)
    total, empty_ok = float(table.d[rows].sum()), bool(table.empty_ok[cls])
    sums = column_sums(table, rows, table.d[rows])
    best, found = min(0.0, total) if empty_ok else np.inf, Choice(-1, total >= 0, ())
    for take, s, e, arity in runs_of(table, cls):
        most = e - s - (not empty_ok) if take == ANY else arity
        for value, members, to_high in _extremes(sums[s:e], most, total):
            if value < best:
                columns = tuple(s + v for v in members)
                best, found = value, Choice(int(table.group[columns[0]]), to_high, columns)
    return found


def _extremes(sums: Numbers, most: int, total: float) -> list[tuple[float, list[int], bool]]:
    """Up to `most` columns of a run, and at least one, with the least sums and with the largest.

    With each: the sum over the rows called positive, and whether these are the columns' rows.
    """
    rising, found = np.argsort(sums, kind="stable"), []
    for sign, order in ((1, rising), (-1, rising[::-1])):
        members = order[: max(min(most, int((sign * sums < 0).sum())), 1)]
        value = float(sign * sums[members].sum()) + (0.0 if sign > 0 else total)
        found.append((value, members.tolist(), sign > 0))
    return found
