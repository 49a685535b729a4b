"""Choices (splits in the search's own terms), and the best leaf-adjacent split of some rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import (
    ANY,
    Columns,
    Encoding,
    Flags,
    Floats,
    Whole,
    groups_of,
    runs_of,
)
from odt_core.solvers.search.groups import CHAIN


@dataclass(frozen=True)
class Choice:
    """A split; or a leaf, whose group is -1 and which has no members.

    Attributes
    ----------
    group : int
        The group; -1 if the question has no members and every row goes one way.
    to_high : bool
        Whether the members go to the high child. For a leaf-adjacent split: whether the members are
        called positive. For a leaf: whether it is positive.
    members : tuple of int
        Columns.
    low, high : Choice or None
        The children's splits if they are known.
    """

    group: int
    to_high: bool
    members: tuple[int, ...]
    low: Choice | None = None
    high: Choice | None = None

    @classmethod
    def read(cls, row: npt.NDArray[np.int32]) -> Choice | None:
        """The split in a row that `two_levels` filled; None if there is none."""
        group, to_high, n = row[:3].tolist()
        return None if group == -2 else cls(group, bool(to_high), tuple(row[3 : 3 + n].tolist()))


def inside(encoding: Encoding, choice: Choice, rows: Whole) -> Flags:
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


def column_sums(table: Columns, rows: Whole, values: Floats) -> Floats:
    """Sum of the rows' values in each column."""
    found = np.empty(len(table.group))
    for k in range(len(table.kind)):
        s, e = int(table.start[k]), int(table.start[k + 1])
        sums = np.bincount(table.local[k, rows], values, e - s + 1)[: e - s]
        found[s:e] = sums.cumsum() if table.kind[k] == CHAIN else sums
    return found


def fixed_choice(table: Columns, cls: int) -> Choice:
    """The question of a class whose split is fixed."""
    group = groups_of(table, cls)[0]
    return Choice(group, False, (int(table.start[group]),))


# ---------------------------------------------------------------- leaf-adjacent splits


@dataclass(frozen=True)
class _Sums:
    """Sums of a row set over each column: d, size, number of rows. `total` has the overall sums."""

    d: Floats
    size: Floats
    rows: Floats
    total: tuple[float, float, float]
    smallest: float

    @classmethod
    def of(cls, encoding: Encoding, rows: Whole) -> _Sums:
        """The sums of some rows."""
        values = (encoding.table.d[rows], encoding.size[rows], np.ones(len(rows)))
        d, size, one = (column_sums(encoding.table, rows, each) for each in values)
        total = (float(values[0].sum()), float(values[1].sum()), float(len(rows)))
        return cls(d, size, one, total, float(encoding.smallest))

    def fits(self, size: Floats, rows: Floats) -> Flags:
        """Whether both sides are large enough or empty if one side has this size and rows."""
        inside = (rows == 0) | (size >= self.smallest)
        outside = (rows == self.total[2]) | (self.total[1] - size >= self.smallest)
        return np.asarray(inside & outside)


def best_stump(encoding: Encoding, cls: int, rows: Whole) -> tuple[float, Choice | None]:
    """Least cost of a leaf-adjacent split with large enough leaves, and the split.

    Infinite and None if there is no such split.
    """
    table, sums = encoding.table, _Sums.of(encoding, rows)
    total, empty_ok = sums.total[0], bool(table.empty_ok[cls])
    positive = float(np.maximum(-table.d[rows], 0).sum())
    if table.one_way[cls]:
        choice = fixed_choice(table, cls)
        (column,) = choice.members
        if not sums.fits(sums.size[column], sums.rows[column]):
            return np.inf, None
        own = sums.d[column]
        return float(positive + min(own, 0) + min(total - own, 0)), choice
    best, found = np.inf, None
    if empty_ok and sums.fits(np.zeros(1), np.zeros(1))[0]:
        best, found = min(0.0, total), Choice(-1, total >= 0, ())
    for arity, s, e in runs_of(table, cls).tolist():
        if encoding.smallest:
            some = _large_enough(sums, arity, s, e, empty_ok, best)
        else:
            most = e - s - (not empty_ok) if arity == ANY else arity
            some = _extremes(sums.d[s:e], most, total)
        for value, members, to_high in some:
            if value < best:
                best = value
                columns = tuple(s + v for v in members)
                found = Choice(int(table.group[columns[0]]), to_high, columns)
    return positive + best, found


Candidate = tuple[float, list[int], bool]
"""Sum of d over the rows called positive, positions of the members in the run, whether the members
are called positive."""


def _large_enough(
    sums: _Sums, arity: int, s: int, e: int, empty_ok: bool, best: float
) -> list[Candidate]:
    """Candidates of one run of columns with large enough leaves."""
    found = [_single(sums, s, e)]
    if arity != 1:
        for sign in (1,) if arity == ANY else (1, -1):
            knapsack = _Knapsack(sums, s, e, sign, e - s if arity == ANY else arity, empty_ok)
            value, members = knapsack.solve(min(best, *(each[0] for each in found)))
            if members:
                found.append((value, [v - s for v in members], sign > 0))
    return found


def _single(sums: _Sums, s: int, e: int) -> Candidate:
    """The best split by one column of a run, with its rows or the others called positive."""
    fits = sums.fits(sums.size[s:e], sums.rows[s:e])
    inside = np.where(fits, sums.d[s:e], np.inf)
    outside = np.where(fits, sums.total[0] - sums.d[s:e], np.inf)
    a, b = int(inside.argmin()), int(outside.argmin())
    if inside[a] <= outside[b]:
        return float(inside[a]), [a], True
    return float(outside[b]), [b], False


def _extremes(sums: Floats, most: int, total: float) -> list[Candidate]:
    """Candidates with the least or the largest sums: at least one column, at most `most`."""
    rising, found = np.argsort(sums, kind="stable"), []
    for sign, order in ((1, rising), (-1, rising[::-1])):
        members = order[: max(min(most, int((sign * sums < 0).sum())), 1)]
        value = float(sign * sums[members].sum()) + (0.0 if sign > 0 else total)
        found.append((value, members.tolist(), sign > 0))
    return found


class _States(NamedTuple):
    """Choices among the first columns of a set: key, least value, and the state before."""

    key: Whole
    value: Floats
    parent: Whole
    inside: Flags


class _Knapsack:
    """The subset of a set's columns to call positive (sign 1) or negative (-1).

    It decides one column after the other. The key of a choice has, for the inside and the outside,
    the size (capped at the smallest leaf), whether there are rows, and the number of columns.
    """

    def __init__(self, sums: _Sums, s: int, e: int, sign: int, most: int, empty_ok: bool) -> None:
        self.sums, self.s, self.sign = sums, s, sign
        self.most, self.empty_ok, self.q = most, empty_ok, e - s
        self.order = s + np.argsort(-sums.size[s:e], kind="stable")
        d = sign * sums.d[self.order]
        self.d = d
        self.undecided = np.append(np.minimum(d, 0)[::-1].cumsum()[::-1], 0)

    def solve(self, limit: float) -> tuple[float, tuple[int, ...]]:
        """Least value below the limit, and the members; infinite if there is none."""
        base = 0.0 if self.sign > 0 else self.sums.total[0]
        states = _States(
            np.zeros((1, 6), np.int64), np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.bool_)
        )
        history = []
        for i, column in enumerate(self.order.tolist()):
            states = self._extend(states, column, float(self.d[i]))
            keep = base + states.value + self.undecided[i + 1] < limit
            states = _States(*(each[keep] for each in states))
            if not len(states.value):
                return np.inf, ()
            history.append(states)
        good = self._allowed(states.key)
        if not good.any():
            return np.inf, ()
        at = int(np.where(good, states.value, np.inf).argmin())
        value = base + float(states.value[at])
        members = []
        for i in range(self.q - 1, -1, -1):
            if history[i].inside[at]:
                members.append(int(self.order[i]))
            at = int(history[i].parent[at])
        if not members:  # the same as all columns
            return np.inf, ()
        return value, tuple(sorted(members))

    def _extend(self, states: _States, column: int, d: float) -> _States:
        """Each state with the column outside and inside; of states with one key the cheapest."""
        m = int(self.sums.smallest)
        size, here = int(self.sums.size[column]), int(self.sums.rows[column] > 0)
        n = len(states.value)
        key = np.concatenate([states.key, states.key])
        value = np.concatenate([states.value, states.value + d])
        for first, last, side in ((n, 2 * n, 0), (0, n, 3)):
            part = key[first:last]
            part[:, side] = np.minimum(part[:, side] + size, m)
            part[:, side + 1] |= here
            part[:, side + 2] = np.minimum(part[:, side + 2] + 1, self.most + 1)
        order = np.lexsort((value, *key.T))
        new = np.ones(2 * n, np.bool_)
        new[1:] = (np.diff(key[order], axis=0) != 0).any(axis=1)
        pick = order[new]
        pick = pick[key[pick, 2] <= self.most]
        return _States(key[pick], value[pick], pick % max(n, 1), pick >= n)

    def _allowed(self, key: Whole) -> Flags:
        m = int(self.sums.smallest)
        good = ((key[:, 1] == 0) | (key[:, 0] >= m)) & ((key[:, 4] == 0) | (key[:, 3] >= m))
        if not self.empty_ok:
            good &= (key[:, 2] > 0) & (key[:, 5] > 0)
        return np.asarray(good & (key[:, 2] > 0))
