"""The splits of a problem, and lower bounds of the cost of both sides of each split.

Splits are numbered: single columns first, then pairs of a set's columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from odt_core.solvers.search.columns import Columns, groups_of
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.row_sets import Flags, Floats, Masks, Whole, pack
from odt_core.solvers.search.subsets import Sides
from odt_core.solvers.search.subtrees import Subtree

MOST_PAIRS = 200_000
"""With more pairs of columns than this, the walk over subsets tries the pairs."""

INSIDE, OUTSIDE = 0, 1
"""Sides of a split."""

EXACT = 2.0**52
"""Sums of whole numbers below this are exact, with room to spare."""


@dataclass(frozen=True)
class Splits:
    """The splits by one column, or by two columns of a set. V columns, S splits, K groups."""

    table: Columns
    first: Whole  # [S]: a column of each split
    second: Whole  # [S]: the other column; -1 if there is none
    by_pairs: Flags  # [K]: groups whose pairs are among the splits
    by_walk: Flags  # [K]: groups whose larger subsets need a walk
    _closed: dict[int, tuple[Floats, Flags]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Columns) -> Splits:
        """The splits of a problem."""
        v = len(table.group)
        q = np.diff(table.start)
        sets = table.kind != CHAIN
        by_pairs = sets & (table.arity == 2)
        if (q * (q - 1) // 2)[by_pairs].sum() > MOST_PAIRS:
            by_pairs = np.zeros(len(q), np.bool_)
        first, second = [np.arange(v)], [np.full(v, -1)]
        for k in np.flatnonzero(by_pairs):
            a, b = np.triu_indices(int(q[k]), 1)
            if q[k] == 4:  # two of four: the complement is a pair as well
                a, b = a[:3], b[:3]
            first.append(table.start[k] + a)
            second.append(table.start[k] + b)
        by_walk = sets & (table.arity > 1) & ~by_pairs
        return cls(table, np.concatenate(first), np.concatenate(second), by_pairs, by_walk)

    @cached_property
    def n_columns(self) -> int:
        """The number of columns, V."""
        return len(self.table.group)

    @cached_property
    def n(self) -> int:
        """The number of splits, S."""
        return len(self.first)

    @cached_property
    def group(self) -> Whole:
        """The group of each split."""
        return np.asarray(self.table.group[self.first])

    @cached_property
    def is_set(self) -> Flags:
        """Whether each group is a set."""
        return np.asarray(self.table.kind != CHAIN)

    @cached_property
    def segment(self) -> Floats:
        """The number of each column's run of nested columns: a chain, or one column of a set."""
        new = np.ones(self.n_columns, np.bool_)
        new[1:] = (np.diff(self.table.group) > 0) | self.is_set[self.table.group[1:]]
        return new.cumsum().astype(np.float64)

    def closed(self, family: int) -> tuple[Floats, Flags]:
        """What a family's root may use: the splits, and the sets whose larger subsets need a walk.

        ``float64[S]`` is 0 for a split that is allowed, else infinite; ``bool[K]`` has the sets.
        """
        if family not in self._closed:
            groups = np.zeros(len(self.table.kind), np.bool_)
            groups[groups_of(self.table, family)] = True
            self._closed[family] = np.where(groups[self.group], 0, np.inf), self.by_walk & groups
        return self._closed[family]

    def masks(self, splits: Whole) -> Masks:
        """The rows inside each of n splits, ``uint64[n, W]``."""
        found = self.column_masks(self.first[splits])
        second = self.second[splits]
        both = second >= 0
        if both.any():
            found[both] |= self.column_masks(second[both])
        return found

    def column_masks(self, columns: Whole) -> Masks:
        """The rows in each of n columns, ``uint64[n, W]``."""
        table = self.table
        if table.bits.shape[1]:
            return np.asarray(table.bits[columns])
        group = table.group[columns]
        local, at = table.local[group], (columns - table.start[group])[:, None]
        chain = (table.kind[group] == CHAIN)[:, None]
        return pack(np.where(chain, local <= at, local == at))

    @cached_property
    def own(self) -> Masks:
        """The rows of each column; in a chain, those that are not in the column before it."""
        found = self.column_masks(np.arange(self.n_columns))
        nested = np.diff(self.segment) == 0
        found[1:][nested] &= ~found[:-1][nested]
        return found

    def union(self, columns: tuple[int, ...]) -> Masks:
        """The rows in any of the columns, ``uint64[W]``."""
        masks = self.column_masks(np.array(columns, np.int64))
        return np.asarray(np.bitwise_or.reduce(masks, axis=0))

    def sides(self, mask: Masks, side: Whole, splits: Whole) -> Masks:
        """The rows of a set that are inside or outside each of n splits, ``uint64[n, W]``."""
        masks = self.masks(splits)
        masks ^= np.where(side == OUTSIDE, np.uint64(2**64 - 1), np.uint64(0))[:, None]
        masks &= mask
        return masks

    def columns(self, split: int) -> tuple[int, ...]:
        """The columns of a split."""
        u, v = int(self.first[split]), int(self.second[split])
        return (u,) if v < 0 else (u, v)

    def subtree(self, split: int, to_high: int, *below: Subtree | None) -> Subtree:
        """A split as a subtree, with the subtrees of the low and high child if known."""
        return Subtree(int(self.group[split]), bool(to_high), self.columns(split), *below)

    def by_group(self, values: Floats) -> Floats:
        """The sum of the columns' values ``[..., V]`` over each set; 0 for a chain."""
        if not self.n_columns:
            return np.zeros((*values.shape[:-1], len(self.table.kind)))
        return np.asarray(np.add.reduceat(values, self.table.start[:-1], axis=-1) * self.is_set)

    def sums(self, values: Floats, part: slice = slice(None)) -> Floats:
        """The sum of the columns' values ``[..., V]`` for each split, or for a part of them."""
        second = self.second[part]
        both = second >= 0
        found = values.take(self.first[part], axis=-1)
        found[..., both] += values.take(second[both], axis=-1)
        return found


# ---------------------------------------------------------------- bounds


class Bounds:
    """Lower bounds of the children of a family's root. H child families, S splits, V columns.

    A cost is a number, or a vector with one number for each of L multipliers of a front.
    """

    def __init__(self, splits: Splits, family: int, lead: tuple[int, ...] = ()) -> None:
        """`lead` is the shape of a cost: ``()`` or ``(L,)``."""
        table = splits.table
        self.table, self.splits, self.family = table, splits, family
        self.children = (int(table.low[family]), int(table.high[family]))
        self.h = 0 if self.children[0] == self.children[1] else 1  # 1 if the children differ
        # where the members of a split may go: to the low child (0), to the high one (1)
        self.ways = (0,) if not self.h or table.one_way[family] else (0, 1)
        # [2, H, (L,) S]: lower bounds of each child's cost inside and outside each split (one row
        # if the children are of one family), and whether the bound is the cost
        self.bound = np.zeros((2, self.h + 1, *lead, splits.n))
        self.exact = np.zeros((2, self.h + 1, *lead, splits.n), np.bool_)
        self.whole = np.zeros((self.h + 1, *lead))  # lower bounds of the costs on all rows
        self.weight = np.zeros((*lead, splits.n))  # of the rows inside each split
        self.total_weight = np.zeros((*lead, 1))
        closed, walks = splits.closed(family)
        self.closed = np.stack([closed, closed])  # [2, S]: infinite for splits that are not wanted
        self.walks = np.flatnonzero(walks)  # sets whose larger subsets need a walk

    def _propagate(self, *, chains: bool) -> None:
        """Carry bounds along chains or to pairs, from all rows, and between a set's columns."""
        v = self.splits.n_columns
        w = self.weight[..., :v]
        rest = self.total_weight - w
        for x in range(self.h + 1):
            inside, outside = self.bound[INSIDE, x, ..., :v], self.bound[OUTSIDE, x, ..., :v]
            whole = self.whole[x][..., None]
            if chains:
                self._along_chains(inside, outside, w)
            np.maximum(outside, whole - w + inside, out=outside)
            np.maximum(inside, whole - rest + outside, out=inside)
            sums = self.splits.by_group(inside).take(self.table.group, axis=-1)
            np.maximum(outside, sums - inside, out=outside, where=sums > 0)
            if not chains:
                self._to_pairs(x)

    def _along_chains(self, inside: Floats, outside: Floats, w: Floats) -> None:
        """Monotone and similarity bounds along nested columns, both ways."""
        step = 4 * (float(self.total_weight.max()) + 1)
        if step * (self.splits.n_columns + 1) > EXACT:
            return
        apart = self.splits.segment * step
        np.maximum(inside, _rising(inside + apart) - apart, out=inside)
        np.maximum(inside, _falling(inside - w - apart) + apart + w, out=inside)
        np.maximum(outside, _falling(outside - apart) + apart, out=outside)
        np.maximum(outside, _rising(outside + w + apart) - apart - w, out=outside)

    def _to_pairs(self, x: int) -> None:
        """Bounds of pairs from bounds of their columns (disjoint sets, sharpened similarity)."""
        splits, v = self.splits, self.splits.n_columns
        u1, u2 = splits.first[v:], splits.second[v:]
        inside, outside, weight = self.bound[INSIDE, x], self.bound[OUTSIDE, x], self.weight
        a, b = inside.take(u1, -1), inside.take(u2, -1)  # faster than indexing
        both = a + b
        sums = splits.by_group(inside[..., :v]).take(splits.group[v:], -1)
        inner, outer = inside[..., v:], outside[..., v:]
        np.maximum(inner, both, out=inner)
        left = outside.take(u1, -1) - weight.take(u2, -1) + b
        np.maximum(left, sums - both, out=left)
        np.maximum(left, outside.take(u2, -1) - weight.take(u1, -1) + a, out=left)
        np.maximum(left, self.whole[x][..., None] - weight[..., v:] + inner, out=left)
        np.maximum(outer, left, out=outer)

    def _children_of(self, way: int) -> tuple[int, int]:
        """Which child the rows inside a split go to, and which those outside."""
        return (self.h, 0) if way else (0, self.h)

    def _inside_is_next(self, x: int, y: int, *at: Whole) -> Flags:
        """Whether to solve the inside of splits for child x next, not the outside for child y.

        The shallower child comes first, or the heavier side. `at` are indices into bounds.
        """
        low, high = (self.table.level[self.children[c]] for c in (x, y))
        inside = np.full(len(at[-1]), low < high)
        if low == high:
            inside = 2 * self.weight[at] >= self.total_weight[(*at[:-1], 0)]
        inside &= ~self.exact[INSIDE, x, *at]
        inside |= self.exact[OUTSIDE, y, *at]
        return inside

    def _set_bounds(self) -> Floats:
        """Lower bounds of all splits of each set; 0 for chains. ``float64[(L,) K]``."""
        inside = self.bound[INSIDE, ..., : self.splits.n_columns]
        return self.splits.by_group(np.minimum(inside[0], inside[1]) if self.h else inside[0])

    def _bounds_of_all(self) -> Floats:
        """Lower bounds of all splits both ways and of larger subsets of sets, float64[(L,) C]."""
        v, sets = self.splits.n_columns, self._set_bounds()
        found = [sets[..., self.walks]]
        for way in self.ways:
            x, y = self._children_of(way)
            bounds = self.bound[INSIDE, x] + self.bound[OUTSIDE, y] + self.closed[way]
            pairs = bounds[..., v:]
            np.maximum(pairs, sets[..., self.splits.group[v:]], out=pairs)
            found.append(bounds)
        return np.concatenate(found, axis=-1)

    def _sides_of(self, k: int, mask: Masks) -> Sides:
        """The columns of a set, with the bounds of their rows in a set of rows."""
        at = slice(int(self.table.start[k]), int(self.table.start[k + 1]))
        masks = self.splits.column_masks(np.arange(at.start, at.stop)) & mask
        low, high = (np.moveaxis(self.bound[INSIDE, x, ..., at], -1, 0) for x in (0, self.h))
        weight = self.weight.reshape(-1, self.splits.n)[0, at]
        return Sides(self.table, self.family, k, weight, masks, low, high)

    def _middles(self, columns: Whole) -> Whole:
        """Positions of the middle column of each run of neighbours in a chain, and of all in sets.

        Middles of long runs come first.
        """
        segment = self.splits.segment[columns]
        new: Flags = np.ones(len(columns), np.bool_)
        new[1:] = (columns[1:] - columns[:-1] > 1) | (segment[1:] > segment[:-1])
        first = np.flatnonzero(new)
        length = np.diff(np.append(first, len(columns)))
        middle = first + (length - 1) // 2
        return np.asarray(middle[np.argsort(-length, kind="stable")])


def _rising(values: Floats) -> Floats:
    """The largest value up to each column."""
    return np.asarray(np.maximum.accumulate(values, axis=-1))


def _falling(values: Floats) -> Floats:
    """The largest value from each column on."""
    return np.asarray(np.maximum.accumulate(values[..., ::-1], axis=-1)[..., ::-1])
