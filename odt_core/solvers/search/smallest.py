"""The smallest leaf: what a row set costs if every leaf that a row reaches is large enough.

Bounds of the problem without this condition stay bounds of the one with it. So the loop finds
splits that could be better without it, and only those are solved again here, down to the leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.choices import Choice
from odt_core.solvers.search.columns import ANY, LEAF, Columns, groups_of, runs_of
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.masks import Masks, rows_of
from odt_core.solvers.search.splits import Numbers

if TYPE_CHECKING:
    from odt_core.solvers.search.search import Search

Whole = npt.NDArray[np.int64]


def leaf_cost(search: Search, mask: Masks) -> float:
    """What a row set costs as one leaf; infinite if it is too small."""
    rows = rows_of(mask, len(search.table.d))
    d = search.table.d[rows]
    if len(rows) and search.encoding.size[rows].sum() < search.encoding.smallest:
        return np.inf
    return float(np.maximum(-d, 0).sum() + min(d.sum(), 0.0))


@dataclass(frozen=True)
class _Sums:
    """What the columns hold of a row set: sum of d, size, number of rows; and the same of all."""

    d: Numbers
    size: Numbers
    rows: Numbers
    total: tuple[float, float, float]
    smallest: float

    @classmethod
    def of(cls, search: Search, mask: Masks) -> _Sums:
        """The sums of a row set."""
        rows = rows_of(mask, len(search.table.d))
        values = (search.table.d[rows], search.encoding.size[rows], np.ones(len(rows)))
        d, size, one = (_by_column(search.table, rows, each) for each in values)
        total = (float(values[0].sum()), float(values[1].sum()), float(len(rows)))
        return cls(d, size, one, total, float(search.encoding.smallest))

    def fits(self, size: Numbers, rows: Numbers) -> npt.NDArray[np.bool_]:
        """Whether both sides are large enough or empty where one side has this size and rows."""
        inside = (rows == 0) | (size >= self.smallest)
        outside = (rows == self.total[2]) | (self.total[1] - size >= self.smallest)
        return np.asarray(inside & outside)


def _by_column(table: Columns, rows: Whole, values: Numbers) -> Numbers:
    found = np.empty(len(table.group))
    for k in range(len(table.kind)):
        s, e = int(table.start[k]), int(table.start[k + 1])
        sums = np.bincount(table.local[k, rows], values, e - s + 1)[: e - s]
        found[s:e] = sums.cumsum() if table.kind[k] == CHAIN else sums
    return found


def stump_cost(search: Search, cls: int, mask: Masks) -> tuple[float, Choice | None]:
    """Least cost of a leaf-adjacent split with leaves large enough, and the split.

    Its `to_high` says whether the members are called positive. Infinite and None if there is none.
    """
    table = search.table
    sums = _Sums.of(search, mask)
    positive = float(np.maximum(-table.d[rows_of(mask, len(table.d))], 0).sum())
    if table.one_way[cls]:
        column = int(table.start[groups_of(table, cls)[0]])
        if not sums.fits(sums.size[column], sums.rows[column]):
            return np.inf, None
        inside, rest = sums.d[column], sums.total[0] - sums.d[column]
        return positive + min(inside, 0) + min(rest, 0), Choice(
            int(table.group[column]), False, (column,)
        )
    best, choice = np.inf, None
    if table.empty_ok[cls] and sums.fits(np.zeros(1), np.zeros(1))[0]:
        best = min(0.0, sums.total[0])
        choice = Choice(-1, sums.total[0] >= 0, ())
    for take, s, e, arity in runs_of(table, cls):
        value, members, to_high = _single(sums, s, e)
        if e - s > 1 and (take == ANY or arity > 1):
            empty_ok = bool(table.empty_ok[cls])
            for sign in (1,) if take == ANY else (1, -1):
                most = e - s if take == ANY else arity
                knapsack = _Knapsack(sums, s, e, sign, most, empty_ok)
                found, some = knapsack.solve(min(value, best))
                if found < min(value, best):
                    value, members, to_high = found, some, sign > 0
        if value < best:
            best = value
            choice = Choice(int(table.group[members[0]]), to_high, members)
    return positive + best, choice


def _single(sums: _Sums, s: int, e: int) -> tuple[float, tuple[int, ...], bool]:
    """The best question of one column of a run, called positive inside or outside."""
    fits = sums.fits(sums.size[s:e], sums.rows[s:e])
    inside = np.where(fits, sums.d[s:e], np.inf)
    outside = np.where(fits, sums.total[0] - sums.d[s:e], np.inf)
    a, b = int(inside.argmin()), int(outside.argmin())
    if inside[a] <= outside[b]:
        return float(inside[a]), (s + a,), True
    return float(outside[b]), (s + b,), False


class _States(NamedTuple):
    """Choices among the first columns of a set: key, least value, and where it came from."""

    key: Whole
    value: Numbers
    parent: Whole
    taken: npt.NDArray[np.bool_]


class _Knapsack:
    """The subset of a set's columns to call positive (sign 1) or negative (-1).

    The columns are taken one after the other. What matters of a choice is its size inside and
    outside (no more than the smallest leaf), whether rows are on each side, and how many columns.
    """

    def __init__(self, sums: _Sums, s: int, e: int, sign: int, most: int, empty_ok: bool) -> None:
        self.sums, self.s, self.sign = sums, s, sign
        self.most, self.empty_ok, self.q = most, empty_ok, e - s
        self.order = s + np.argsort(-sums.size[s:e], kind="stable")
        d = sign * sums.d[self.order]
        self.d = d
        self.rest = np.append(np.minimum(d, 0)[::-1].cumsum()[::-1], 0)

    def solve(self, limit: float) -> tuple[float, tuple[int, ...]]:
        """Least value below the limit, and the members; infinite if there is none."""
        base = 0.0 if self.sign > 0 else self.sums.total[0]
        states = _States(
            np.zeros((1, 6), np.int64), np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.bool_)
        )
        history = []
        for i, column in enumerate(self.order.tolist()):
            states = self._extend(states, column, float(self.d[i]))
            keep = base + states.value + self.rest[i + 1] < limit
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
            if history[i].taken[at]:
                members.append(int(self.order[i]))
            at = int(history[i].parent[at])
        if not members:  # no member: the same as all of them
            return np.inf, ()
        return value, tuple(sorted(members))

    def _extend(self, states: _States, column: int, d: float) -> _States:
        """Each state with the column outside, and with it inside; of equal ones the cheapest."""
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

    def _allowed(self, key: Whole) -> npt.NDArray[np.bool_]:
        m = int(self.sums.smallest)
        good = ((key[:, 1] == 0) | (key[:, 0] >= m)) & ((key[:, 4] == 0) | (key[:, 3] >= m))
        if not self.empty_ok:
            good &= (key[:, 2] > 0) & (key[:, 5] > 0)
        return np.asarray(good & (key[:, 2] > 0))


def restricted(search: Search, cls: int, mask: Masks, limit: float) -> tuple[float, Choice | None]:
    """Least cost of a class with leaves large enough, if below the limit, and its split."""
    from odt_core.solvers.search.loop import Loop

    search.check()
    if search.table.level[cls] == LEAF:
        return leaf_cost(search, mask), None
    if search.table.level[cls] == LEAF + 1:
        return stump_cost(search, cls, mask)
    loop = Loop(search, cls, mask, limit, restricted=True)
    cost = loop.solve()
    return (cost, loop.choice) if cost < limit else (np.inf, None)


def restricted_split(
    search: Search, cls: int, mask: Masks, choice: Choice, limit: float
) -> tuple[float, Choice | None]:
    """What a split costs with leaves large enough, and the split with those below it."""
    table = search.table
    low, high = int(table.low[cls]), int(table.high[cls])
    inside = np.zeros_like(mask)
    if choice.members:
        columns = search.splits.column_masks(np.array(choice.members))
        inside = np.bitwise_or.reduce(columns, axis=0) & mask
    to_low, to_high = (mask & ~inside, inside) if choice.to_high else (inside, mask & ~inside)
    cost_low, choice_low = restricted(search, low, to_low, limit)
    if cost_low >= limit:
        return np.inf, None
    cost_high, choice_high = restricted(search, high, to_high, limit - cost_low)
    if cost_low + cost_high >= limit:
        return np.inf, None
    found = Choice(choice.group, choice.to_high, choice.members, choice_low, choice_high)
    return cost_low + cost_high, found
