"""The splits of a problem, numbered: single columns first, then pairs of a set's columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import Columns, groups_of
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.masks import Masks, pack

Numbers = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MOST_PAIRS = 200_000
"""With more, pairs are found by the walk over subsets."""

EXACT = 2.0**52
"""Below this, sums of whole numbers are exact with room to spare."""


@dataclass(frozen=True)
class Splits:
    """The splits by one column or by two of a set. V columns, S splits, K groups.

    Attributes
    ----------
    table : Columns
    first, second : int64[S]
        The columns; a second one is -1 where there is none.
    by_pairs : bool[K]
        Groups whose pairs are among the splits.
    by_walk : bool[K]
        Groups whose larger subsets need a walk.
    """

    table: Columns
    first: Whole
    second: Whole
    by_pairs: Flags
    by_walk: Flags

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
            first.append(table.start[k] + a)
            second.append(table.start[k] + b)
        by_walk = sets & (table.arity > 1) & ~by_pairs
        return cls(table, np.concatenate(first), np.concatenate(second), by_pairs, by_walk)

    @cached_property
    def n_columns(self) -> int:
        """V."""
        return len(self.table.group)

    @cached_property
    def n(self) -> int:
        """S."""
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
    def segment(self) -> Numbers:
        """Numbers of the runs of nested columns: a chain is one, a column of a set another."""
        new = np.ones(self.n_columns, np.bool_)
        new[1:] = (np.diff(self.table.group) > 0) | self.is_set[self.table.group[1:]]
        return new.cumsum().astype(np.float64)

    def allowed(self, cls: int) -> Flags:
        """Whether a class's root may use each split."""
        groups = np.zeros(len(self.table.kind), np.bool_)
        groups[groups_of(self.table, cls)] = True
        return np.asarray(groups[self.group])

    def masks(self, splits: Whole) -> Masks:
        """The rows inside splits, ``uint64[n, W]``."""
        found = self.column_masks(self.first[splits])
        second = self.second[splits]
        both = second >= 0
        if both.any():
            found[both] |= self.column_masks(second[both])
        return found

    def column_masks(self, columns: Whole) -> Masks:
        """The rows in columns, ``uint64[n, W]``."""
        table = self.table
        if table.bits.shape[1]:
            return np.asarray(table.bits[columns])
        group = table.group[columns]
        local, at = table.local[group], (columns - table.start[group])[:, None]
        chain = (table.kind[group] == CHAIN)[:, None]
        return pack(np.where(chain, local <= at, local == at))

    def columns(self, split: int) -> tuple[int, ...]:
        """The columns of a split."""
        u, v = int(self.first[split]), int(self.second[split])
        return (u,) if v < 0 else (u, v)

    def by_group(self, values: Numbers) -> Numbers:
        """Sum of the columns' values over each set; 0 for a chain. ``float64[K]``."""
        if not len(values):
            return np.zeros(len(self.table.kind))
        return np.asarray(np.add.reduceat(values, self._starts) * self.is_set)

    @cached_property
    def _starts(self) -> Whole:
        return np.asarray(self.table.start[:-1])

    def pair_sums(self, values: Numbers) -> Numbers:
        """The sum of two columns' values for each pair."""
        v = self.n_columns
        return np.asarray(values[self.first[v:]] + values[self.second[v:]])
