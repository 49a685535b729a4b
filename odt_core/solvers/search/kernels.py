"""Compiled kernels: pair-count tables, the leaf-adjacent split, the depth-2 subtree.

A table F holds, for a set of rows, ``F[u, v]`` = sum of ``d`` over the rows in columns u and v.
All sums are whole numbers small enough to be exact in the table's number type.
"""

from __future__ import annotations

from typing import NamedTuple

import numba as nb
import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import call_for_nothing
from odt_core.solvers.search.tables import CAPPED, CHAIN, FULL, LANES, LEAF, Model

BATCH = 32
"""How many unions of columns are evaluated together."""

jit = nb.njit(nogil=True, cache=True, error_model="numpy")

lean = nb.njit(nogil=True, cache=True, error_model="numpy", _nrt=False)
"""For kernels that allocate nothing: numba then leaves out counting references, which it would do
with a locked instruction for every array of every call (two fifths of the time).
"""


class Scratch(NamedTuple):
    """Working memory of one thread for the kernels. V columns, padded to W.

    Attributes
    ----------
    acc : float[A, W]
        Accumulators.
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
    pair : int64[2, BATCH]
        The columns of those unions.
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
        acc=np.zeros((2 * arity + 6, w), number),
        inside=np.zeros((2, w), number),
        outside=np.zeros((2, w), number),
        zero=np.zeros(v + 1, number),
        tot=np.zeros((2, w), number),
        pos=np.zeros((2, w), number),
        out=np.zeros((4, w), number),
        batch=np.zeros((v + 1, BATCH), number),
        pair=np.zeros((2, BATCH), np.int64),
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


@lean
def scan(M: Model, rows, n, F, D, P):  # type: ignore[no-untyped-def]
    """Fill table F and the columns' own sums D, P (positive weight) from the first n rows.

    Returns the totals of d and of positive weight.
    """
    V = M.size[0]
    z = M.d.dtype.type(0)
    F[:V] = z
    D[:] = z
    P[:] = z
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


# ---------------------------------------------------------------- the leaf-adjacent split


@lean
def _fill(row, value):  # type: ignore[no-untyped-def]
    for i in range(len(row)):
        row[i] = value


@lean
def _extremes(F, s, e, lo, n, c0, c1, low, high):  # type: ignore[no-untyped-def]
    """Smallest and largest entry of rows s..e, lane by lane (four rows a pass)."""
    j = s
    while j + 3 < e:
        k0 = c0[j]
        k1 = c0[j + 1]
        k2 = c0[j + 2]
        k3 = c0[j + 3]
        r0 = F[j, lo : lo + n]
        r1 = F[j + 1, lo : lo + n]
        r2 = F[j + 2, lo : lo + n]
        r3 = F[j + 3, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            x1 = k1 + c1 * r1[i]
            x2 = k2 + c1 * r2[i]
            x3 = k3 + c1 * r3[i]
            a = x0 if x0 < x1 else x1
            b = x2 if x2 < x3 else x3
            c = x0 if x0 > x1 else x1
            d = x2 if x2 > x3 else x3
            a = a if a < b else b
            c = c if c > d else d
            low[i] = a if a < low[i] else low[i]
            high[i] = c if c > high[i] else high[i]
        j += 4
    while j < e:
        k0 = c0[j]
        r0 = F[j, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            low[i] = x0 if x0 < low[i] else low[i]
            high[i] = x0 if x0 > high[i] else high[i]
        j += 1


@lean
def _negatives(F, s, e, lo, n, c0, c1, total):  # type: ignore[no-untyped-def]
    """Sum of the negative entries of rows s..e, lane by lane."""
    z = F.dtype.type(0)
    for i in range(n):
        total[i] = z
    j = s
    while j + 1 < e:
        k0 = c0[j]
        k1 = c0[j + 1]
        r0 = F[j, lo : lo + n]
        r1 = F[j + 1, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            x1 = k1 + c1 * r1[i]
            x0 = x0 if x0 < z else z
            x1 = x1 if x1 < z else z
            total[i] += x0 + x1
        j += 2
    if j < e:
        k0 = c0[j]
        r0 = F[j, lo : lo + n]
        for i in range(n):
            x0 = k0 + c1 * r0[i]
            total[i] += x0 if x0 < z else z


@lean
def _two(F, s, e, lo, n, c0, c1, a, b, c, d):  # type: ignore[no-untyped-def]
    """The two smallest (a, b) and two largest (c, d) entries of rows s..e, lane by lane."""
    for j in range(s, e):
        k = c0[j]
        r = F[j, lo : lo + n]
        for i in range(n):
            x = k + c1 * r[i]
            u = a[i]
            t = u if u > x else x
            a[i] = x if x < u else u
            b[i] = t if t < b[i] else b[i]
            u = c[i]
            t = u if u < x else x
            c[i] = x if x > u else u
            d[i] = t if t > d[i] else d[i]


@lean
def _several(F, s, e, lo, n, c0, c1, m, acc):  # type: ignore[no-untyped-def]
    """The m smallest and m largest entries of rows s..e: rows 6..6+m and 6+m..6+2m of acc."""
    for j in range(s, e):
        k = c0[j]
        r = F[j, lo : lo + n]
        x = acc[4]
        y = acc[5]
        for i in range(n):
            x[i] = k + c1 * r[i]
            y[i] = x[i]
        for t in range(m):
            small = acc[6 + t]
            large = acc[6 + m + t]
            for i in range(n):
                p = x[i]
                q = small[i]
                small[i] = p if p < q else q
                x[i] = q if p < q else p
                p = y[i]
                q = large[i]
                large[i] = p if p > q else q
                y[i] = q if p > q else p


@lean
def stump(M: Model, cls, F, lo, n, c0, c1, tot, pos, acc, out, at0):  # type: ignore[no-untyped-def]
    """Least cost of a leaf-adjacent split for each of n lanes.

    Lane i stands for a set of rows; ``c0[j] + c1 * F[j, lo + i]`` is its sum of d over column j,
    ``tot[i]`` its sum over all, ``pos[i]`` its positive weight. The rows labelled positive are
    chosen to make their sum of d least; all or none are allowed unless the class forbids it.
    """
    z = F.dtype.type(0)
    far = F.dtype.type(np.inf)
    low = acc[0, :n]
    high = acc[1, :n]
    tot = tot[:n]
    out = out[at0 : at0 + n]
    pos = pos[:n]
    _fill(low, far)
    _fill(high, -far)
    if M.empty_ok[cls]:
        for i in range(n):
            out[i] = tot[i] if tot[i] < z else z
    else:
        _fill(out, far)
    for at in range(M.groups_at[cls], M.groups_at[cls + 1]):
        k = M.groups[at]
        s = M.start[k]
        e = M.start[k + 1]
        if M.kind[k] == FULL:
            _stump_full(F, s, e, lo, n, c0, c1, M.empty_ok[cls], acc, out)
        elif M.arity[k] == 1:
            _extremes(F, s, e, lo, n, c0, c1, low, high)
        elif M.arity[k] == 2:
            _stump_two(F, s, e, lo, n, c0, c1, tot, acc, out)
        else:
            _stump_several(F, s, e, lo, n, c0, c1, tot, M.arity[k], acc, out)
    for i in range(n):
        x = tot[i] - high[i]
        x = x if x < low[i] else low[i]
        x = x if x < out[i] else out[i]
        out[i] = pos[i] + x


@lean
def _stump_full(F, s, e, lo, n, c0, c1, empty_ok, acc, out):  # type: ignore[no-untyped-def]
    z = F.dtype.type(0)
    total = acc[2, :n]
    _negatives(F, s, e, lo, n, c0, c1, total)
    if not empty_ok:
        far = F.dtype.type(np.inf)
        low = acc[3, :n]
        high = acc[4, :n]
        _fill(low, far)
        _fill(high, -far)
        _extremes(F, s, e, lo, n, c0, c1, low, high)
        for i in range(n):
            if low[i] >= z:
                total[i] = low[i]
            elif high[i] < z:
                total[i] -= high[i]
    for i in range(n):
        out[i] = total[i] if total[i] < out[i] else out[i]


@lean
def _stump_two(F, s, e, lo, n, c0, c1, tot, acc, out):  # type: ignore[no-untyped-def]
    z = F.dtype.type(0)
    far = F.dtype.type(np.inf)
    a = acc[2, :n]
    b = acc[3, :n]
    c = acc[4, :n]
    d = acc[5, :n]
    _fill(a, far)
    _fill(b, far)
    _fill(c, -far)
    _fill(d, -far)
    _two(F, s, e, lo, n, c0, c1, a, b, c, d)
    for i in range(n):
        x = a[i] + (b[i] if b[i] < z else z)
        y = tot[i] - (c[i] + (d[i] if d[i] > z else z))
        x = x if x < y else y
        out[i] = x if x < out[i] else out[i]


@lean
def _stump_several(F, s, e, lo, n, c0, c1, tot, m, acc, out):  # type: ignore[no-untyped-def]
    z = F.dtype.type(0)
    far = F.dtype.type(np.inf)
    for t in range(m):
        _fill(acc[6 + t], far)
        _fill(acc[6 + m + t], -far)
    _several(F, s, e, lo, n, c0, c1, m, acc)
    for i in range(n):
        x = acc[6, i]
        y = acc[6 + m, i]
        for t in range(1, m):
            p = acc[6 + t, i]
            x += p if p < z else z
            p = acc[6 + m + t, i]
            y += p if p > z else z
        y = tot[i] - y
        x = x if x < y else y
        out[i] = x if x < out[i] else out[i]


@lean
def shallow_lanes(M: Model, cls, F, c0, lo, n, c1, tot, pos, acc, out, at):  # type: ignore[no-untyped-def]
    """Least cost of a leaf or a leaf-adjacent split for each of n lanes (see `stump`).

    The results go to ``out[at:at + n]``.
    """
    if M.level[cls] == LEAF:
        for i in range(n):
            other = pos[i] + tot[i]
            out[at + i] = pos[i] if pos[i] < other else other
    else:
        stump(M, cls, F, lo, n, c0, c1, tot, pos, acc, out, at)


@lean
def shallow(M: Model, cls, F, lo, n, c0, c1, tot, pos, S: Scratch, out, at):  # type: ignore[no-untyped-def]
    """Call `shallow_lanes` by its address."""
    call_for_nothing(S.entry[0], (M, cls, F, c0, lo, n, c1, tot, pos, S.acc, out, at))


exact_sums = {"reassoc", "nsz", "nnan"}
"""Sums of whole numbers may be reordered: they are exact in any order."""

jit_sum = nb.njit(
    nogil=True, cache=True, error_model="numpy", fastmath=exact_sums, _nrt=False
)


@jit_sum
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


@jit_sum
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
def _one_several(x, s, e, total, m, acc):  # type: ignore[no-untyped-def]
    x = x[s:e]
    z = x.dtype.type(0)
    far = x.dtype.type(np.inf)
    small = acc[6, :m]
    large = acc[7, :m]
    _fill(small, far)
    _fill(large, -far)
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
    """The same as `shallow_lanes` for one set of rows, given by its columns' sums x."""
    z = x.dtype.type(0)
    if M.level[cls] == LEAF:
        return positive if total > z else positive + total
    best = x.dtype.type(np.inf)
    if M.empty_ok[cls]:
        best = total if total < z else z
    for i in range(M.groups_at[cls], M.groups_at[cls + 1]):
        k = M.groups[i]
        s = M.start[k]
        e = M.start[k + 1]
        if M.kind[k] == FULL:
            value = _one_full(x, s, e, M.empty_ok[cls])
        elif M.arity[k] == 1:
            value = _one_extremes(x, s, e, total)
        else:
            value = _one_several(x, s, e, total, M.arity[k], acc)
        best = value if value < best else best
    return positive + best
