"""Rows and groups as the flat arrays of `Model`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import called
from odt_core.solvers.search.groups import Group, holds
from odt_core.solvers.search.model import ANY, CHAIN, FULL, ONE

MOST_PAIRS = 1500
"""Bounds are kept for each pair of columns if there are no more (memory grows with the square)."""


def lay_out_rows(codes: npt.NDArray[np.int32], groups: tuple[Group, ...]) -> tuple:
    """Arrays ``cells`` to ``local``, then ``dropped`` to ``pair_at`` of `Model`."""
    n, n_groups = len(codes), len(groups)
    codes = np.asfortranarray(codes)
    sizes = np.array([len(group.sets) for group in groups], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    most = int(codes.max(initial=0)) + 1
    local = np.zeros((n_groups, n), dtype=np.int32)
    dropped = np.full(n_groups, -1, dtype=np.int64)
    last = sizes.copy()  # positions from here on are not counted
    for k, group in enumerate(groups):
        if group.features:
            columns = zip(group.features, group.sets, strict=True)
            local[k] = sizes[k] - sum(holds(codes, g, inside) for g, inside in columns)
        elif sizes[k] == 1:
            local[k] = ~holds(codes, group.feature, group.sets[0])
        else:
            local[k] = _places(group, most)[codes[:, group.feature]]
        if group.kind != CHAIN:
            dropped[k] = starts[k] + int(np.bincount(local[k], minlength=sizes[k]).argmax())
        elif _shares_cells(groups, k):
            last[k] = 1
    narrow = np.int16 if starts[-1] < 2**15 else np.int32
    cell_at, col_at = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    nothing = np.zeros(0, narrow)
    write_rows(local, starts, dropped, last, cell_at, col_at, nothing, nothing)
    np.cumsum(cell_at, out=cell_at)
    np.cumsum(col_at, out=col_at)
    cells, cols = np.zeros(cell_at[-1], narrow), np.zeros(col_at[-1], narrow)
    write_rows(local, starts, dropped, last, cell_at, col_at, cells, cols)
    return cells, cell_at, cols, col_at, local, dropped, *number_pairs(groups, int(starts[-1]))


@called
def write_rows(local, starts, dropped, last, cell_at, col_at, cells, cols):  # type: ignore[no-untyped-def]
    """Count each row's cells and columns into ``*_at[1:]``; or write them, if there is room."""
    n = len(cell_at) - 1
    count = len(cols) == 0
    for i in range(n):
        at = cell_at[i]
        to = col_at[i]
        for k in range(len(last)):
            p = local[k, i]
            s = starts[k]
            chain = dropped[k] < 0
            if p < last[k] and s + p != dropped[k]:
                if not count:
                    cells[at] = s + p
                at += 1
            end = starts[k + 1] if chain else s + p + 1
            for v in range(s + p, end):
                if not count:
                    cols[to] = v
                to += 1
        if count:
            cell_at[i + 1] = at - cell_at[i]
            col_at[i + 1] = to - col_at[i]


def number_pairs(
    groups: tuple[Group, ...], n_columns: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Arrays ``size`` and ``pair_at`` of `Model`."""
    at = np.full(len(groups), -1, dtype=np.int64)
    n = n_columns
    for k, group in enumerate(groups):
        if group.kind != CHAIN and group.arity == 2:
            at[k] = n
            n += len(group.sets) * (len(group.sets) - 1) // 2
    if n > n_columns + MOST_PAIRS:
        at[:] = -1
        n = n_columns
    return np.array([n_columns, n], dtype=np.int64), at


def _places(group: Group, n_codes: int) -> npt.NDArray[np.int32]:
    """Position of each code in a group (its number of columns where it is in none)."""
    place = np.full(n_codes, len(group.sets), dtype=np.int32)
    known: frozenset[int] = frozenset()
    for position, codes in enumerate(group.sets):
        for code in codes - known:
            if code < n_codes:
                place[code] = position
        known = codes if group.kind == CHAIN else known
    return place


def _shares_cells(groups: tuple[Group, ...], k: int) -> bool:
    """Whether a chain takes the missing bin along the chain before it (same feature)."""
    return (
        k > 0
        and groups[k].fixed is None
        and groups[k - 1].fixed is None
        and groups[k].kind == CHAIN
        and groups[k - 1].kind == CHAIN
        and groups[k - 1].feature == groups[k].feature
    )


def lay_out_groups(groups: tuple[Group, ...]) -> tuple:
    """Arrays ``start`` to ``raw`` of `Model`."""
    start = np.cumsum([0] + [len(group.sets) for group in groups]).astype(np.int64)
    kind = np.array([group.kind for group in groups], dtype=np.int64)
    arity = np.array([group.arity for group in groups], dtype=np.int64)
    raw = np.array(
        [k - 1 if _shares_cells(groups, k) else -1 for k in range(len(groups))], dtype=np.int64
    )
    return start, kind, arity, raw


def lay_out_runs(
    groups: tuple[Group, ...], lists: list[tuple[int, ...]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Arrays ``runs_at`` and ``runs`` of `Model`, from the groups of each class."""
    start = np.cumsum([0] + [len(group.sets) for group in groups])
    at, runs = [0], []
    for allowed in lists:
        last: list[int] | None = None
        for k in allowed:
            arity = groups[k].arity
            take = ANY if groups[k].kind == FULL else min(arity, 3) - 1
            s, e = int(start[k]), int(start[k + 1])
            if last is not None and take == ONE and last[0] == ONE and last[2] == s:
                last[2] = e
                continue
            last = [take, s, e, arity]
            runs.append(last)
        at.append(len(runs))
    return np.array(at, dtype=np.int64), np.array(runs, dtype=np.int64).reshape(-1, 4)
