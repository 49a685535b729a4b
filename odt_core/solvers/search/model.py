"""What the kernels read: columns, groups of columns, rows and classes of subtrees as flat arrays.

A *cell* is a value of a feature, a *column* a yes/no question about one feature, a *group* a run
of columns that belong together:

- a CHAIN holds nested columns, each a split by itself: the thresholds of an ordered feature (a
  second chain holds those that take the missing bin along), two-valued features that are nested
  like thresholds, a fixed split;
- a SET holds one column for each category: disjoint, together everything. A split sends up to
  `arity` of its columns one way.

The tables of pair counts are indexed by columns on both axes. For chains they are cumulated, so
that a threshold looks like a single category.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy.typing as npt

LANES = 16
"""Rows of tables are padded to a multiple of this many columns, for vector instructions."""

CHAIN, FULL, CAPPED = 0, 1, 2
"""Kinds of group: single columns; any subset of the columns; subsets within the cap."""

ONE, TWO, SEVERAL, ANY = 0, 1, 2, 3
"""What a split may take of a run of columns: one, up to two, up to `arity`, or any of them."""

LEAF, STUMP, PAIR, TRIPLE, QUAD = 0, 1, 2, 3, 4
"""Levels of decisions below a class: none, one, two, three, four."""


class Model(NamedTuple):
    """What the kernels read. N rows, V columns, K groups, C classes of subtrees.

    Attributes
    ----------
    d : float[N]
        What labelling the row positive costs more than labelling it negative (negative minus
        positive weight; what a row costs either way is left out).
    cells, cell_at : int16[...], int64[N + 1]
        The table rows that a row counts in (its cells, each feature's dropped one left out).
    cols, col_at : int16[...], int64[N + 1]
        The columns a row is in.
    local : int32[K, N]
        Position of the row in the group: column ``start + p`` of a SET; in a CHAIN the row is in
        the columns from ``start + p`` on.
    start, kind, arity : int64[K + 1], int64[K], int64[K]
        First column, kind and largest subset of each group.
    raw, dropped : int64[K]
        For a chain with a missing bin, the chain that holds its raw cells, else -1. For a SET,
        the column that is recovered from the totals.
    size : int64[2]
        V; and S, the number of splits that bounds are kept for: columns, then pairs of a set's.
    pair_at : int64[K]
        The number of each group's first pair of columns among those splits, -1 if none.
    level, low, high : int64[C]
        Levels of decisions of each class, and the classes of its children.
    groups_at, groups : int64[C + 1], int64[...]
        The groups a class's root may split on.
    empty_ok, one_way : bool[C]
        Whether the root may send every row one way; whether its question may not be reversed.
    runs_at, runs : int64[C + 1], int64[..., 4]
        The same groups as runs of columns that are treated alike: what a split may take
        (`ONE`, `TWO`, `SEVERAL`, `ANY`), first and last + 1 column, arity.
    """

    d: npt.NDArray
    cells: npt.NDArray
    cell_at: npt.NDArray
    cols: npt.NDArray
    col_at: npt.NDArray
    local: npt.NDArray
    start: npt.NDArray
    kind: npt.NDArray
    arity: npt.NDArray
    raw: npt.NDArray
    dropped: npt.NDArray
    size: npt.NDArray
    pair_at: npt.NDArray
    level: npt.NDArray
    low: npt.NDArray
    high: npt.NDArray
    groups_at: npt.NDArray
    groups: npt.NDArray
    empty_ok: npt.NDArray
    one_way: npt.NDArray
    runs_at: npt.NDArray
    runs: npt.NDArray
