"""Compiled kernels: pair-count tables, the leaf-adjacent split, the depth-2 subtree.

A table F holds, for a set of rows, ``F[u, v]`` = sum of ``d`` over the rows in columns u and v.
All sums are whole numbers small enough to be exact in the table's number type.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import call_for_nothing, called, jit, lean, lean_sum
from odt_core.solvers.search.lanes import accumulators
from odt_core.solvers.search.model import ANY, CAPPED, CHAIN, LANES, LEAF, ONE, TWO, Model

__all__ = [
    "BATCH", "Scratch", "add", "copy", "count_columns", "jit", "lean", "make_scratch",
    "most_frequent", "padded", "scan", "shallow", "shallow_one", "sort_rows", "sum_columns",
]  # fmt: skip

BATCH = 32
"""How many unions of columns are evaluated together."""


class Scratch(NamedTuple):
    """Working memory of one thread for the kernels. V columns, padded to W.

    Attributes
    ----------
    acc : float[A]
        Accumulators of `lanes`.
    inside, outside : float[2, W]
        Best cost of the low and high child on the rows in a column and on the others.
    zero : float[V]
        Zeros.
    tot, pos : float[2, W]
        Totals and positive weights of lanes (of the unions, of the rest).
    out : float[4, W]
        Results of lanes.
    batch : float[V, BATCH]
        Tables' rows of a batch of unions, transposed.
    pair : int64[3, BATCH]
        The columns of those unions, and their group.
    line : float[2, W]
        One union's sums over columns, and those of the rest.
    weight : float[V + 1]
        Weights of the rows in each column.
    split : int64[5 + V]
        The best split: group, whether its members go to the high child, number of members,
        members (columns).
    vec : float[4, V + 1, W]
        Partial sums of the depth-first search over subsets.
    bound : float[8, V + 1]
        Bounds of that search.
    state : int64[8, V + 1]
        Its state.
    entry : int64[4]
        Addresses of the kernels that are called so (see entries.py).
    halt : int64[1]
        Not 0 if the search is to end; what a kernel returns then is not a bound.
    group_bound, group_todo : float[K + 1], int64[K + 1]
        Sets whose pairs or subsets are still to be looked at, by rising bound.
    """

    acc: npt.NDArray
    inside: npt.NDArray
    outside: npt.NDArray
    zero: npt.NDArray
    tot: npt.NDArray
    pos: npt.NDArray
    out: npt.NDArray
    batch: npt.NDArray
    pair: npt.NDArray
    line: npt.NDArray
    weight: npt.NDArray
    split: npt.NDArray
    vec: npt.NDArray
    bound: npt.NDArray
    state: npt.NDArray
    entry: npt.NDArray
    halt: npt.NDArray
    group_bound: npt.NDArray
    group_todo: npt.NDArray


def padded(size: int) -> int:
    """Columns of a table that holds `size` of them."""
    return max(-(-size // LANES) * LANES, LANES)


def make_scratch(model: Model, halt: npt.NDArray[np.int64]) -> Scratch:
    """Working memory for one thread, which ends early when `halt` is set."""
    v = int(model.size[0])
    w = max(padded(v), BATCH)
    number = model.d.dtype
    arity = int(model.arity[model.kind == CAPPED].max(initial=1))
    deep = int(np.diff(model.start)[model.arity > 2].max(initial=0))
    return Scratch(
        acc=np.zeros(accumulators(arity), number),
        inside=np.zeros((2, w), number),
        outside=np.zeros((2, w), number),
        zero=np.zeros(v + 1, number),
        tot=np.zeros((2, w), number),
        pos=np.zeros((2, w), number),
        out=np.zeros((4, w), number),
        batch=np.zeros((v + 1, BATCH), number),
        pair=np.zeros((3, BATCH), np.int64),
        line=np.zeros((2, w), number),
        weight=np.zeros(v + 1, number),
        split=np.zeros(5 + v, np.int64),
        vec=np.zeros((4, deep + 1, w if deep else 1), number),
        bound=np.zeros((8, deep + 1), number),
        state=np.zeros((8, deep + 1), np.int64),
        entry=np.zeros(4, np.int64),
        halt=halt,
        group_bound=np.zeros(len(model.kind) + 1, number),
        group_todo=np.zeros(len(model.kind) + 1, np.int64),
    )


# ---------------------------------------------------------------- tables


@called
def sum_columns(M: Model, rows, D):  # type: ignore[no-untyped-def]
    """Sum of d over the rows in each column, into D. Returns the total."""
    z = M.d.dtype.type(0)
    D[:] = z
    total = z
    for r in rows:
        d = M.d[r]
        total += d
        for b in M.cols[M.col_at[r] : M.col_at[r + 1]]:
            D[b] += d
    return total


@called
def scan(M: Model, rows, n, F, D, P):  # type: ignore[no-untyped-def]
    """Fill table F and the columns' own sums D, P (positive weight) from the first n rows.

    Returns the totals of d and of positive weight.
    """
    V = M.size[0]
    z = M.d.dtype.type(0)
    for u in range(V):
        row = F[u]
        for i in range(len(row)):
            row[i] = z
    D[:] = z
    P[:] = z
    per_row = len(M.cells) // len(M.d) + 1 if len(M.d) else 1
    saved = per_row * (len(M.cols) // max(len(M.d), 1)) - per_row * per_row // 2
    if n * saved > 4 * V * V:
        return _scan_half(M, rows, n, F, D, P)
    return _scan_wide(M, rows, n, F, D, P)


@lean
def _scan_wide(M: Model, rows, n, F, D, P):  # type: ignore[no-untyped-def]
    """Count cells by columns: little to do afterwards, best for few rows."""
    z = M.d.dtype.type(0)
    total = z
    positive = z
    for i in range(n):
        r = rows[i]
        d = M.d[r]
        total += d
        cols = M.cols[M.col_at[r] : M.col_at[r + 1]]
        cells = M.cells[M.cell_at[r] : M.cell_at[r + 1]]
        for b in cols:
            D[b] += d
        if d < z:
            positive -= d
            for b in cols:
                P[b] -= d
        for a in cells:
            row = F[a]
            for b in cols:
                row[b] += d
    expand(M, F, D)
    return total, positive


@lean
def _scan_half(M: Model, rows, n, F, D, P):  # type: ignore[no-untyped-def]
    """Count every pair of cells once, then mirror and cumulate: best for many rows."""
    V = M.size[0]
    z = M.d.dtype.type(0)
    total = z
    positive = z
    for i in range(n):
        r = rows[i]
        d = M.d[r]
        total += d
        cells = M.cells[M.cell_at[r] : M.cell_at[r + 1]]
        m = len(cells)
        if d < z:
            positive -= d
            for b in cells:
                P[b] -= d
        for j in range(m):
            D[cells[j]] += d
            row = F[cells[j]]
            for h in range(j, m):
                row[cells[h]] += d
    for first in range(0, V, LANES):  # mirrored block by block, for the cache
        for second in range(first, V, LANES):
            for u in range(first, min(first + LANES, V)):
                for v in range(max(second, u + 1), min(second + LANES, V)):
                    F[v, u] = F[u, v]
    expand(M, F, D)
    _expand_row(M, D, total)
    _expand_row(M, P, positive)
    for u in range(V):
        _expand_row(M, F[u], D[u])
    return total, positive


@lean
def _expand_row(M: Model, x, total):  # type: ignore[no-untyped-def]
    """The same as `expand` for sums over cells: make them sums over columns."""
    n_groups = len(M.kind)
    for back in range(n_groups):
        k = n_groups - 1 - back
        s = M.start[k]
        e = M.start[k + 1]
        if M.kind[k] == CHAIN:
            raw = M.raw[k]
            here = x[s]
            for t in range(1, e - s):
                here += x[M.start[raw] + t - 1] if raw >= 0 else x[s + t]
                x[s + t] = here
        else:
            lost = total
            for v in range(s, e):
                lost -= x[v]
            x[M.dropped[k]] += lost


@lean
def expand(M: Model, F, D):  # type: ignore[no-untyped-def]
    """Cumulate the rows of chains and recover the dropped row of sets (first axis only)."""
    n_groups = len(M.kind)
    for back in range(n_groups):
        k = n_groups - 1 - back
        s = M.start[k]
        e = M.start[k + 1]
        if M.kind[k] == CHAIN:
            raw = M.raw[k]
            for t in range(1, e - s):
                above = F[s + t - 1]
                row = F[s + t]
                if raw >= 0:
                    cell = F[M.start[raw] + t - 1]
                    for i in range(len(row)):
                        row[i] = above[i] + cell[i]
                else:
                    for i in range(len(row)):
                        row[i] += above[i]
        else:
            lost = F[M.dropped[k]]
            for i in range(len(lost)):
                lost[i] = D[i]
            for v in range(s, e):
                if v != M.dropped[k]:
                    row = F[v]
                    for i in range(len(row)):
                        lost[i] -= row[i]


@lean
def sort_rows(local, size, rows, order, begin):  # type: ignore[no-untyped-def]
    """The rows by their position in a group, into `order`, and where each position begins."""
    for p in range(size + 2):
        begin[p] = 0
    for i in range(len(rows)):
        begin[local[rows[i]] + 1] += 1
    for p in range(size + 1):
        begin[p + 1] += begin[p]
    for i in range(len(rows)):
        p = local[rows[i]]
        order[begin[p]] = rows[i]
        begin[p] += 1
    for back in range(size + 1):
        begin[size + 1 - back] = begin[size - back]
    begin[0] = 0


@lean
def most_frequent(begin, size):  # type: ignore[no-untyped-def]
    """The position of a group that most rows have."""
    most = 0
    for p in range(1, size):
        if begin[p + 1] - begin[p] > begin[most + 1] - begin[most]:
            most = p
    return most


@lean
def count_columns(M: Model, k, order, begin, T, Q, F, P, spare):  # type: ignore[no-untyped-def]
    """Tables T and positive weights Q of the rows in each column of group k.

    Parameters
    ----------
    order, begin : int32[n], int64[size + 2]
        Rows sorted by their position in the group, and where each position begins.
    F, P
        Table and positive weights of all these rows (for a set only).
    spare : float[W]
        Working memory.
    """
    size = M.start[k + 1] - M.start[k]
    skip = -1 if M.kind[k] == CHAIN else most_frequent(begin, size)
    if skip >= 0:
        copy(F, T[skip], P, Q[skip])
    for p in range(size):
        if p == skip:
            continue
        scan(M, order[begin[p] :], begin[p + 1] - begin[p], T[p], spare, Q[p])
        if skip >= 0:
            add(T[skip], T[p], -1, Q[skip], Q[p])
        elif p > 0:
            add(T[p], T[p - 1], 1, Q[p], Q[p - 1])


@lean
def copy(F, G, P, Q):  # type: ignore[no-untyped-def]
    """G = F and Q = P."""
    for u in range(len(F)):
        row = F[u]
        to = G[u]
        for i in range(len(row)):
            to[i] = row[i]
    for i in range(len(P)):
        Q[i] = P[i]


@lean
def add(F, G, sign, P, Q):  # type: ignore[no-untyped-def]
    """Add `sign` times table G to F (and Q to P)."""
    x = F.dtype.type(sign)
    for u in range(len(F)):
        to = F[u]
        row = G[u]
        for i in range(len(row)):
            to[i] += x * row[i]
    for i in range(len(P)):
        P[i] += x * Q[i]


# ---------------------------------------------------------------- the leaf-adjacent split


@lean
def shallow(M: Model, cls, F, lo, n, c0, c1, tot, pos, S: Scratch, out, at):  # type: ignore[no-untyped-def]
    """Least cost of a leaf or a leaf-adjacent split for each of n lanes (see `stump_lanes`).

    The results go to ``out[at:at + n]``.
    """
    if M.level[cls] == LEAF:
        for i in range(n):
            other = pos[i] + tot[i]
            out[at + i] = pos[i] if pos[i] < other else other
    else:
        call_for_nothing(
            S.entry[0],
            (
                M.runs, M.runs_at[cls], M.runs_at[cls + 1], F, c0, lo, n, c1, tot, pos,
                M.empty_ok[cls], S.acc, out, at,
            ),
        )  # fmt: skip


@lean_sum
def _one_full(x, s, e, empty_ok):  # type: ignore[no-untyped-def]
    x = x[s:e]
    z = x.dtype.type(0)
    total = z
    for i in range(len(x)):
        total += x[i] if x[i] < z else z
    if not empty_ok:
        low = x[0]
        high = x[0]
        for i in range(len(x)):
            low = x[i] if x[i] < low else low
            high = x[i] if x[i] > high else high
        if low >= z:
            total = low
        elif high < z:
            total -= high
    return total


@lean_sum
def _one_extremes(x, s, e, total):  # type: ignore[no-untyped-def]
    x = x[s:e]
    low = x[0]
    high = x[0]
    for i in range(len(x)):
        low = x[i] if x[i] < low else low
        high = x[i] if x[i] > high else high
    high = total - high
    return low if low < high else high


@lean
def _one_two(x, s, e, total):  # type: ignore[no-untyped-def]
    z = x.dtype.type(0)
    a = x.dtype.type(np.inf)
    b = a
    c = -a
    d = c
    for i in range(s, e):
        p = x[i]
        t = a if a > p else p
        a = a if a < p else p
        b = b if b < t else t
        t = c if c < p else p
        c = c if c > p else p
        d = d if d > t else t
    low = a + (b if b < z else z)
    high = total - (c + (d if d > z else z))
    return low if low < high else high


@lean
def _one_several(x, s, e, total, m, acc):  # type: ignore[no-untyped-def]
    x = x[s:e]
    z = x.dtype.type(0)
    far = x.dtype.type(np.inf)
    small = acc[:m]
    large = acc[m : m + m]
    for t in range(m):
        small[t] = far
        large[t] = -far
    for i in range(len(x)):
        p = x[i]
        q = x[i]
        for t in range(m):
            if p < small[t]:
                p, small[t] = small[t], p
            if q > large[t]:
                q, large[t] = large[t], q
    low = small[0]
    high = large[0]
    for t in range(1, m):
        low += small[t] if small[t] < z else z
        high += large[t] if large[t] > z else z
    high = total - high
    return low if low < high else high


@lean
def shallow_one(M: Model, cls, x, total, positive, acc):  # type: ignore[no-untyped-def]
    """The same as `shallow` for one set of rows, given by its columns' sums x."""
    z = x.dtype.type(0)
    if M.level[cls] == LEAF:
        return positive if total > z else positive + total
    best = x.dtype.type(np.inf)
    if M.empty_ok[cls]:
        best = total if total < z else z
    for r in range(M.runs_at[cls], M.runs_at[cls + 1]):
        take = M.runs[r, 0]
        s = M.runs[r, 1]
        e = M.runs[r, 2]
        if take == ANY:
            value = _one_full(x, s, e, M.empty_ok[cls])
        elif take == ONE:
            value = _one_extremes(x, s, e, total)
        elif take == TWO:
            value = _one_two(x, s, e, total)
        else:
            value = _one_several(x, s, e, total, M.runs[r, 3], acc)
        best = value if value < best else best
    return positive + best
