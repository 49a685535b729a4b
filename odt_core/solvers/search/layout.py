"""Rows and groups as the flat arrays of `Model`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from odt_core.problem import Feature
from odt_core.solvers.search.groups import Group
from odt_core.solvers.search.model import ANY, CHAIN, FULL, ONE
from odt_core.solvers.search.passes import place_rows, write_rows

MOST_PAIRS = 1500
"""Bounds are kept for each pair of columns if there are no more (memory grows with the square)."""


def lay_out_rows(
    codes: npt.NDArray[np.int32], groups: tuple[Group, ...], features: tuple[Feature, ...]
) -> tuple:
    """Arrays ``cells`` to ``local``, then ``dropped`` to ``pair_at`` of `Model`.

    `codes` is int32[N, G], its rows contiguous.
    """
    n, n_groups = len(codes), len(groups)
    sizes = [len(group.sets) for group in groups]
    start = np.cumsum([0, *sizes])
    begin = start + np.arange(n_groups + 1)  # of the positions: a group has one more than columns
    local = np.empty((n_groups, n), dtype=np.int32)
    count = np.zeros(begin[-1], dtype=np.int64)
    place_rows(codes, *_parts(groups, features), local, begin, count)
    dropped = [-1] * n_groups
    last = list(sizes)  # positions from here on are not counted
    n_cells = n_cols = 0
    flat, at = count.tolist(), begin.tolist()
    for k, group in enumerate(groups):
        here = flat[at[k] : at[k] + sizes[k]]
        if group.kind != CHAIN:
            most = max(here)
            dropped[k] = at[k] - k + here.index(most)
            n_cells += n - most
            n_cols += n
        else:
            if _shares_cells(groups, k):
                last[k] = 1
            n_cells += sum(here[: last[k]])
            n_cols += sum((sizes[k] - p) * rows for p, rows in enumerate(here))
    narrow = np.int16 if start[-1] < 2**15 else np.int32
    cell_at, col_at = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    cells, cols = np.empty(n_cells + 1, narrow), np.empty(n_cols + 1, narrow)
    left_out, counted = np.array(dropped, np.int64), np.array(last, np.int64)
    write_rows(local, start, left_out, counted, cell_at, col_at, cells, cols)
    pairs = number_pairs(groups, int(start[-1]))
    return cells[:-1], cell_at, cols[:-1], col_at, local, left_out, *pairs


def _parts(groups: tuple[Group, ...], features: tuple[Feature, ...]) -> tuple[npt.NDArray, ...]:
    """What `place_rows` adds up: features, their groups, and their codes' positions."""
    part: list[int] = []
    of_group: list[int] = []
    base = [0]
    place: list[int] = []
    for k, group in enumerate(groups):
        for feature, sets in (
            [(g, (inside,)) for g, inside in zip(group.features, group.sets, strict=True)]
            if group.features
            else [(group.feature, group.sets)]
        ):
            part.append(feature)
            of_group.append(k)
            place += _places(sets, group.kind == CHAIN, features[feature].n_values)
            base.append(len(place))
    return tuple(np.array(each, dtype=np.int64) for each in (part, of_group, base, place))


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


def _places(sets: tuple[frozenset[int], ...], nested: bool, n_codes: int) -> list[int]:
    """Position of each code in these columns (their number where it is in none)."""
    place = [len(sets)] * n_codes
    known: frozenset[int] = frozenset()
    for position, codes in enumerate(sets):
        for code in codes - known:
            place[code] = position
        known = codes if nested else known
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
    start = np.cumsum([0] + [len(group.sets) for group in groups]).tolist()
    at: list[int] = [0]
    runs: list[list[int]] = []
    known: dict[tuple[int, ...], list[list[int]]] = {}
    for allowed in lists:
        if allowed not in known:
            known[allowed] = _runs_of(groups, start, allowed)
        runs += known[allowed]
        at.append(len(runs))
    return np.array(at, dtype=np.int64), np.array(runs, dtype=np.int64).reshape(-1, 4)


def _runs_of(
    groups: tuple[Group, ...], start: list[int], allowed: tuple[int, ...]
) -> list[list[int]]:
    """The runs of one class."""
    runs: list[list[int]] = []
    for k in allowed:
        group = groups[k]
        take = ANY if group.kind == FULL else min(group.arity, 3) - 1
        if runs and take == ONE and runs[-1][0] == ONE and runs[-1][2] == start[k]:
            runs[-1][2] = start[k + 1]
        else:
            runs.append([take, start[k], start[k + 1], group.arity])
    return runs
