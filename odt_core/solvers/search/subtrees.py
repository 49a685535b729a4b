"""Subtrees in the search's own terms, and the best leaf-adjacent split of some rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import (
    ANY,
    Columns,
    Encoding,
    Flags,
    Floats,
    Whole,
    runs_of,
)
from odt_core.solvers.search.groups import CHAIN


@dataclass(frozen=True)
class Subtree:
    """A split with what is known below it, or a leaf. A leaf has the group -1 and no members.

    Attributes
    ----------
    group : int
        The group of the columns. It is -1 if there are no members, so that all rows go one way.
    to_high : bool
        Whether the members go to the high child. For a leaf-adjacent split: whether the members are
        called positive. For a leaf: whether it is positive.
    members : tuple of int
        The columns whose rows go to one child. All other rows go to the other child.
    low, high : Subtree or None
        The children if their splits are known.
    """

    group: int
    to_high: bool
    members: tuple[int, ...]
    low: Subtree | None = None
    high: Subtree | None = None

    @classmethod
    def read(cls, row: npt.NDArray[np.int32]) -> Subtree | None:
        """The split in a row that the primitive `two_levels` filled; None if it has no split."""
        group, to_high, n = row[:3].tolist()
        return None if group == -2 else cls(group, bool(to_high), tuple(row[3 : 3 + n].tolist()))


def inside(encoding: Encoding, subtree: Subtree, rows: Whole) -> Flags:
    """Whether each of the rows is in one of the columns of a subtree's split."""
    if subtree.group < 0 or not subtree.members:
        return np.zeros(len(rows), np.bool_)
    table = encoding.table
    local = table.local[subtree.group, rows]
    first = int(table.start[subtree.group])
    if table.kind[subtree.group] == CHAIN:
        return np.asarray(local <= subtree.members[0] - first)
    chosen = np.zeros(int(table.start[subtree.group + 1]) - first + 1, np.bool_)
    chosen[[v - first for v in subtree.members]] = True
    return np.asarray(chosen[local])


def column_sums(table: Columns, rows: Whole, values: Floats) -> Floats:
    """Sum of the rows' values in each column."""
    found = np.empty(len(table.group))
    for k in range(len(table.kind)):
        s, e = int(table.start[k]), int(table.start[k + 1])
        sums = np.bincount(table.local[k, rows], values, e - s + 1)[: e - s]
        found[s:e] = sums.cumsum() if table.kind[k] == CHAIN else sums
    return found


# ---------------------------------------------------------------- leaf-adjacent splits


def best_stump(encoding: Encoding, family: int, rows: Whole) -> Subtree:
    """The best leaf-adjacent split of some rows."""
    table, d = encoding.table, encoding.table.d[rows]
    sums, total, empty_ok = (
        column_sums(table, rows, d),
        float(d.sum()),
        bool(table.empty_ok[family]),
    )
    best, found = (min(0.0, total), Subtree(-1, total >= 0, ())) if empty_ok else (np.inf, None)
    for arity, s, e in runs_of(table, family).tolist():
        most = e - s - (not empty_ok) if arity == ANY else arity
        rising = s + np.argsort(sums[s:e], kind="stable")
        for sign, order in ((1, rising), (-1, rising[::-1])):  # the members are called positive
            members = order[: max(min(most, int((sign * sums[s:e] < 0).sum())), 1)]
            value = float(sign * sums[members].sum()) + (0.0 if sign > 0 else total)
            if value < best:
                group = int(table.group[members[0]])
                best, found = value, Subtree(group, sign > 0, tuple(members.tolist()))
    assert found is not None
    return found
