"""Subtrees in the search's own terms, and the best leaf-adjacent split of some rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import ANY, Columns, runs_of
from odt_core.solvers.search.row_sets import Floats


@dataclass(frozen=True)
class Subtree:
    """A split with what is known below it, or a leaf. A leaf has the group -1 and no members.

    The rows of the members go to one child, and all other rows go to the other child.
    """

    group: int  # the group of the members; -1 if there are none, so that all rows go one way
    # whether the members go to the high child; at a leaf-adjacent split whether the members are
    # called positive, at a leaf whether it is positive
    to_high: bool
    members: tuple[int, ...]  # columns
    low: Subtree | None = None  # and `high`: the children if their splits are known
    high: Subtree | None = None

    @classmethod
    def read(cls, row: npt.NDArray[np.int32]) -> Subtree | None:
        """The split in a row that the primitive `two_levels` filled; None if it has no split."""
        group, to_high, n = row[:3].tolist()
        return None if group == -2 else cls(group, bool(to_high), tuple(row[3 : 3 + n].tolist()))


def best_stump(table: Columns, family: int, sums: Floats, total: float) -> Subtree:
    """The best leaf-adjacent split of some rows with these sums of d, ``[V]`` and of all rows."""
    empty_ok = bool(table.empty_ok[family])
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
