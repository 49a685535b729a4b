"""The compiled primitives that use tables (twins.py has twins of some of them in plain NumPy).

Leaf-adjacent splits of many row sets are solved together. Element i of a vector belongs to row set
i, and loops run over the columns. So every step is one addition and a few comparisons for all row
sets. The accumulators lie in one array at distances that the compiler knows. Otherwise it would not
use vector instructions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
from numba.cpython.unsafe.numbers import trailing_zeros

from odt_core.solvers.search.columns import ANY, LEAF, STUMP, BaseTables, Columns, Crossings
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.row_sets import Floats, Whole

_plain: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
jit = numba.njit(**_plain)
"""For kernels that allocate nothing. numba then counts no references, which would take two fifths
of the time."""
inner = numba.njit(**_plain, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""For kernels that only other kernels call. numba then compiles no entry for Python."""
inlined = numba.njit(inline="always", nogil=True, error_model="numpy", _nrt=False)
"""For kernels that are compiled into their callers."""

first_bit: Any = trailing_zeros
"""The position of the lowest bit that is set."""

TILE = 8
"""Columns that `transpose` copies together. Their rows stay in the cache."""

INF = np.inf
ONE_BIT = np.uint64(1)

BLOCK = 128
"""Row sets that are solved in one pass."""
HIGH, A, B, C = BLOCK, 2 * BLOCK, 3 * BLOCK, 4 * BLOCK
"""Where accumulators begin. At 0 is the least sum of the columns called positive, at HIGH the
largest sum of the columns called negative. A to C belong to a run of which any number of columns
may go one way."""
KEPT = A
"""Where the smallest entries of any other run begin. Its largest entries follow."""


# ---------------------------------------------------------------- working memory


class Scratch(NamedTuple):
    """Working memory. V columns, q - 1 of them in the largest set that is walked over."""

    acc: Floats  # accumulators of `vector_costs` and `one_set`
    F: Floats  # [V, V]: the table of a row set: sum of d over the rows in both of two columns
    D: Floats  # [V]: sum of d over the rows in each column
    P: Floats  # [V]: positive weight of the rows in each column
    sides: Floats  # [4, V]: costs of the low and high child inside the columns, and outside
    lines: Floats  # [3, V]: sums of one row set over the columns, or other values of each column
    pairs: Whole  # [2, BLOCK]: pairs of columns
    block: Floats  # [V, BLOCK]: the sums of the pairs over the columns
    few: Floats  # [4, BLOCK]: values of the pairs
    sums: Floats  # [2, q, V] and `state` [q, 7]: the walk over subsets of a set
    state: Floats
    order: Whole  # [3, q]: that walk's order and steps
    totals: Floats  # sum of d and positive weight of the row set
    mask: npt.NDArray[np.uint64]  # a row set


def accumulators(table: Columns) -> Floats:
    """Memory for the accumulators of `vector_costs`."""
    return np.empty((5 + 2 * int(table.arity.max(initial=2))) * BLOCK)


def _new_scratch(table: Columns) -> Scratch:
    """Working memory for a problem's columns."""
    v, sets = len(table.group), (table.kind != CHAIN) & (table.arity > 2)
    q = 1 + int(np.diff(table.start)[sets].max(initial=0))
    square = v if table.bits.shape[1] else 0  # sweeps need no table
    return Scratch(
        accumulators(table),
        np.empty((square, square)),
        np.empty(v),
        np.empty(v),
        np.empty((4, v)),
        np.empty((3, v)),
        np.empty((2, BLOCK), np.int64),
        np.empty((square, BLOCK)),
        np.empty((4, BLOCK)),
        np.empty((2, q, square if q > 1 else 0)),
        np.empty((q, 7)),
        np.empty((3, q), np.int64),
        np.empty(2),
        np.empty(table.bits.shape[1], np.uint64),
    )


def with_memory(make: Callable[[Columns], Any]) -> Callable[[Any], Callable[..., None]]:
    """Decorate kernels that get working memory for a table, their first argument, as their last.

    A thread keeps the memory of its last table.
    """
    kept = threading.local()

    def decorate(kernel: Any) -> Callable[..., None]:
        def call(table: Columns, *rest: Any) -> None:
            if getattr(kept, "start", None) is not table.start:
                kept.start, kept.memory = table.start, make(table)
            kernel(table, *rest, kept.memory)

        return wraps(getattr(kernel, "py_func", kernel))(call)

    return decorate


with_scratch = with_memory(_new_scratch)


# ---------------------------------------------------------------- counting


@inner
def cells_to_columns(T, sums, total):
    """Turn sums over cells into sums over columns: cumulate chains, recover dropped columns."""
    for k in range(len(T.kind)):
        s, e = T.start[k], T.start[k + 1]
        if T.kind[k] == CHAIN:
            for v in range(s + 1, e):
                sums[v] += sums[v - 1]
        else:
            lost = total
            for v in range(s, e):
                lost -= sums[v]
            sums[T.dropped[k]] += lost


@inlined
def rows_to_columns(T, F, D):
    """Turn rows of a table from cells into columns. D are the sums over the table's columns."""
    n = len(D)
    for k in range(len(T.kind)):
        s, e = T.start[k], T.start[k + 1]
        if T.kind[k] == CHAIN:
            for v in range(s + 1, e):
                above, row = F[v - 1], F[v]
                for i in range(n):
                    row[i] += above[i]
        else:
            lost = F[T.dropped[k]]
            for i in range(n):
                lost[i] = D[i]
            for v in range(s, e):
                if v != T.dropped[k]:
                    row = F[v]
                    for i in range(n):
                        lost[i] -= row[i]


@inlined
def count_cells(T, mask, F, D, P):
    """Sums of d over the rows in two cells (half of the table), in each cell, and over all rows."""
    F[:, :] = 0.0
    P[:] = 0.0
    total = 0.0
    positive = 0.0
    for w in range(len(mask)):
        word = mask[w]
        while word != np.uint64(0):
            r = w * 64 + first_bit(word)
            word &= word - ONE_BIT
            x = T.d[r]
            total += x
            cells = T.cells[T.cell_at[r] : T.cell_at[r + 1]]
            for i in range(len(cells)):
                row = F[cells[i]]
                for j in range(i, len(cells)):
                    row[cells[j]] += x
            if x < 0.0:
                positive -= x
                for a in cells:
                    P[a] -= x
    for v in range(len(D)):
        D[v] = F[v, v]
    return total, positive


@inner
def transpose(F, add):
    """Swap rows and columns of a table (`add` 0), or add its two halves (1), block by block."""
    n = len(F)
    for first in range(0, n, TILE):
        for v in range(first + 1, n):
            row = F[v]
            for u in range(first, min(first + TILE, v)):
                a, b = row[u], F[u, v]
                row[u] = b + add * a
                F[u, v] = a + add * b


@inner
def fill_table(T, mask, F, D, P):
    """Fill the table of a row set. Returns its sum of d and its positive weight."""
    total, positive = count_cells(T, mask, F, D, P)
    transpose(F, 1.0)
    rows_to_columns(T, F, D)
    transpose(F, 0.0)
    cells_to_columns(T, D, total)
    cells_to_columns(T, P, positive)
    rows_to_columns(T, F, D)
    return total, positive


# ---------------------------------------------------------------- tables of one and two columns


@inlined
def add_to(F, G):
    """Add G to F."""
    for u in range(len(F)):
        row, other = F[u], G[u]
        for j in range(len(row)):
            row[j] += other[j]


@with_scratch
@jit
def count_lines(T, own, X, deep, halt, S):
    """Fill the empty lines of `Crossings`, unless `halt` is set meanwhile.

    `own`, uint64[V, W], has the rows of each column; in a chain, those that are not in the column
    before it. `deep`: whether to count the tables of each two columns, too.
    """
    v_all = len(T.group)
    for a in range(v_all):
        last = v_all if deep else a + 1
        for b in range(a, last):
            if halt[0] != 0:
                return
            lines = X.lines[X.at[a, b] : X.at[a, b] + v_all - b]
            k = T.group[b]
            filled = False
            for w in range(own.shape[1]):
                S.mask[w] = own[a, w] & own[b, w]
                filled |= S.mask[w] != np.uint64(0)
            if filled:
                fill_table(T, S.mask, S.F, S.D, S.P)
                add_to(lines, S.F[b:])
            if T.kind[k] == CHAIN and b > T.start[k] and b > a:
                add_to(lines, X.lines[X.at[a, b - 1] + 1 :])
        if T.kind[T.group[a]] == CHAIN and a > T.start[T.group[a]]:
            for b in range(a, last):
                lines = X.lines[X.at[a, b] : X.at[a, b] + v_all - b]
                add_to(lines, X.lines[X.at[a - 1, b] :])


@inlined
def line_of(at, a, b, u):
    """The line that holds row u of the table of columns a and b."""
    low, high = min(a, b), max(a, b)
    if u < low:
        low, high, u = u, low, high
    elif u < high:
        high, u = u, high
    return at[low, high] + u - high


@inlined
def sum_into(row, start, sign, line):
    """Set row to start + sign * line."""
    for j in range(len(row)):
        row[j] = start[j] + sign * line[j]


@inner
def side_table(X, base, first, second, outside, S):
    """Fill S with the table of a base's rows inside or outside one or two columns."""
    F, D, P = S.F, S.D, S.P
    v_all = len(D)
    nothing = S.lines[0]
    nothing[:] = 0.0
    sign = -1.0 if outside else 1.0
    of_column = -sign if base.outside else sign
    for u in range(v_all):
        row = F[u]
        start = base.F[u] if outside else nothing
        for b in (first, second):
            if b < 0:
                continue
            if base.outside:
                sum_into(row, start, sign, X.one[b, u])
                start = row
            for a in base.columns:
                sum_into(row, start, of_column, X.lines[line_of(X.at, a, b, u)])
                start = row
    D[:], P[:], S.totals[:] = 0.0, 0.0, 0.0
    for b in (first, second):
        if b >= 0:
            sum_into(D, D, 1.0, base.F[b])
            sum_into(P, P, 1.0, base.P[b])
            S.totals[0] += base.F[b, b]
            S.totals[1] += base.P[b, b]
    if outside:
        for j in range(v_all):
            D[j] = base.F[j, j] - D[j]
            P[j] = base.P[j, j] - P[j]
        S.totals[0] = base.totals[0] - S.totals[0]
        S.totals[1] = base.totals[1] - S.totals[1]


# ---------------------------------------------------------------- leaf-adjacent splits


@inlined
def vector_some(F, s, e, lo, n, c0, c1, m, acc):
    """Update the least and the largest sum with those of one to m of the rows s to e of F.

    The `m` smallest and the `m` largest entries of each row set are kept in order. If `m` is a
    constant, the compiler unrolls the loops over them.
    """
    far = KEPT + m * BLOCK
    for i in range(m * BLOCK):
        acc[KEPT + i] = INF
        acc[far + i] = -INF
    for j in range(s, e):
        k0 = c0[j]
        row = F[j, lo : lo + n]
        for i in range(n):
            x = k0 + c1 * row[i]
            y = x
            for t in range(0, m * BLOCK, BLOCK):
                a = acc[i + KEPT + t]
                b = acc[i + far + t]
                acc[i + KEPT + t] = a if a < x else x
                x = a if a > x else x
                acc[i + far + t] = b if b > y else y
                y = b if b < y else y
    for i in range(n):
        x = acc[i + KEPT]
        y = acc[i + far]
        for t in range(BLOCK, m * BLOCK, BLOCK):
            a = acc[i + KEPT + t]
            b = acc[i + far + t]
            x += a if a < 0.0 else 0.0
            y += b if b > 0.0 else 0.0
        a = acc[i]
        b = acc[i + HIGH]
        acc[i] = x if x < a else a
        acc[i + HIGH] = y if y > b else b


@inlined
def vector_any(F, s, e, lo, n, c0, c1, empty_ok, acc):
    """Update the least sum where all columns with a negative sum may be called positive."""
    for i in range(n):
        acc[i + A] = 0.0
        acc[i + B] = INF
        acc[i + C] = -INF
    for j in range(s, e):
        k0 = c0[j]
        row = F[j, lo : lo + n]
        for i in range(n):
            x = k0 + c1 * row[i]
            b = acc[i + B]
            c = acc[i + C]
            acc[i + A] += x if x < 0.0 else 0.0
            acc[i + B] = x if x < b else b
            acc[i + C] = x if x > c else c
    for i in range(n):
        x = acc[i + A]
        if not empty_ok:  # all sums have one sign: one column has to differ
            b = acc[i + B]
            c = acc[i + C]
            x = b if b >= 0.0 else (x - c if c < 0.0 else x)
        a = acc[i]
        acc[i] = x if x < a else a


@inner
def vector_run(F, arity, s, e, lo, n, c0, c1, empty_ok, acc):
    """Update the sums with a run of columns of which up to `arity` or `ANY` may go one way."""
    if arity == ANY:
        vector_any(F, s, e, lo, n, c0, c1, empty_ok, acc)
    elif arity == 1:
        vector_some(F, s, e, lo, n, c0, c1, 1, acc)
    elif arity == 2:
        vector_some(F, s, e, lo, n, c0, c1, 2, acc)
    else:
        vector_some(F, s, e, lo, n, c0, c1, arity, acc)


@jit
def vector_costs(T, family, F, lo, n_all, c0, c1, tot, pos, acc, out):
    """Least cost of a family of at most one level for each row set, into ``out[:n_all]``.

    The sum of d of row set i over column j is ``c0[j] + c1 * F[j, lo + i]``, its total is
    ``tot[i]``, and its positive weight is ``pos[i]``.
    """
    empty_ok = T.empty_ok[family]
    leaf = T.level[family] == LEAF
    for first in range(0, n_all, BLOCK):
        n = min(BLOCK, n_all - first)
        begin = lo + first
        for i in range(n):
            acc[i] = INF
            acc[i + HIGH] = -INF
        if not leaf:
            for r in range(T.runs_at[family], T.runs_at[family + 1]):
                arity, s, e = T.runs[r, 0], T.runs[r, 1], T.runs[r, 2]
                vector_run(F, arity, s, e, begin, n, c0, c1, empty_ok, acc)
        for i in range(n):
            total = tot[first + i]
            x = total - acc[i + HIGH]
            a = acc[i]
            x = a if a < x else x
            if empty_ok or leaf:
                y = total if total < 0.0 else 0.0
                x = y if y < x else x
            out[first + i] = pos[first + i] + x


@inner
def one_set(T, family, x, total, positive, acc):
    """Least cost of a family of at most one level on a row set with the sums x over the columns."""
    best = INF
    if T.level[family] == LEAF or T.empty_ok[family]:
        best = total if total < 0.0 else 0.0
    if T.level[family] == LEAF:
        return positive + best
    for r in range(T.runs_at[family], T.runs_at[family + 1]):
        arity, s, e = T.runs[r, 0], T.runs[r, 1], T.runs[r, 2]
        if arity != ANY:
            low, high = one_run(x, s, e, arity, acc)
            best = min(best, low, total - high)
            continue
        low, high, value = INF, -INF, 0.0
        for v in range(s, e):
            y = x[v]
            value += y if y < 0.0 else 0.0
            low = y if y < low else low
            high = y if y > high else high
        if not T.empty_ok[family]:
            value = low if low >= 0.0 else (value - high if high < 0.0 else value)
        best = min(best, value)
    return positive + best


@inlined
def one_run(x, s, e, m, acc):
    """Least and largest sum of one to m entries of x[s:e]."""
    small, large = acc[:m], acc[m : 2 * m]
    for t in range(m):
        small[t] = INF
        large[t] = -INF
    for v in range(s, e):
        p = x[v]
        q = p
        for t in range(m):
            if p < small[t]:
                p, small[t] = small[t], p
            if q > large[t]:
                q, large[t] = large[t], q
    low, high = small[0], large[0]
    for t in range(1, m):
        low += min(small[t], 0.0)
        high += max(large[t], 0.0)
    return low, high


def leaf_costs(table: Columns, family: int, X: Floats, total: Floats, positive: Floats) -> Floats:
    """Least cost of a family of at most one level for row sets: see `twins.leaf_costs`."""
    cost, zero, acc = np.empty(len(total)), np.zeros(len(X)), accumulators(table)
    X = np.ascontiguousarray(X)
    vector_costs(table, family, X, 0, len(total), zero, 1.0, total, positive, acc, cost)
    return cost


# ---------------------------------------------------------------- two levels


@inner
def write_split(split, group, to_high, n, first, second):
    """Write a split of at most two columns."""
    split[0] = group
    split[1] = to_high
    split[2] = n
    if n > 0:
        split[3] = first
    if n > 1:
        split[4] = second


@with_scratch
@jit
def two_levels(T, family, masks, limits, halt, cost, split, S):
    """Least cost of a family of two levels on each row set, if it is below its limit.

    Of splits of equal cost it chooses the first in the order of the loop (loop.py): first all rows
    to the low or to the high child, then single columns, then pairs and larger subsets of one group
    after the other. Members that go to the low child come before members that go to the high child.

    Parameters
    ----------
    masks : uint64[B, W]
    limits : float64[B]
        If the least cost of a row set is not below its limit, its `cost` is the limit.
    halt : int64[1]
        Set to end the search. Row sets that are not solved then have the cost 0.
    cost : float64[B]
        Filled with the least costs.
    split : int32[B, 3 + M]
        Filled with the splits: group, whether the members go to the high child, number of members,
        their columns. Group -1: a question without members. Group -2: no split.
    """
    cost[:], split[:, :], split[:, 0] = 0.0, 0, -2
    for b in range(len(masks)):
        if halt[0] != 0:
            return
        total, positive = fill_table(T, masks[b], S.F, S.D, S.P)
        best = two_of_table(T, family, total, positive, limits[b], split[b], S, halt)
        if halt[0] == 0:
            cost[b] = best


@with_scratch
@jit
def two_levels_of_sides(T, family, X, base, first, second, outside, limits, halt, cost, split, S):
    """Least cost of a family of two levels on the rows inside or outside each of B splits.

    The parameters after the family are `crossings`, the `base` whose rows are split, the first and
    the second column of each split, int64[B] (-1: no second column), whether the rows are outside,
    bool[B], and the parameters of `two_levels` from `limits` on.
    """
    cost[:], split[:, :], split[:, 0] = 0.0, 0, -2
    for b in range(len(first)):
        if halt[0] != 0:
            return
        side_table(X, base, first[b], second[b], outside[b], S)
        best = two_of_table(T, family, S.totals[0], S.totals[1], limits[b], split[b], S, halt)
        if halt[0] == 0:
            cost[b] = best


@inner
def two_of_table(T, family, total, positive, limit, split, S, halt):
    """Least cost of a family of two levels for the table in S, if it is below `limit`."""
    low, high = T.low[family], T.high[family]
    best = limit
    if T.empty_ok[family]:  # one child gets every row
        for to_high in (1, 0):
            value = one_set(T, low if to_high else high, S.D, total, positive, S.acc)
            if value < best:
                best = value
                write_split(split, -1, to_high, 0, 0, 0)
    if best <= 0.0:
        return best
    S.lines[0, :] = 0.0
    vector_costs(T, low, S.F, 0, len(S.D), S.lines[0], 1.0, S.D, S.P, S.acc, S.sides[0])
    if low != high:
        vector_costs(T, high, S.F, 0, len(S.D), S.lines[0], 1.0, S.D, S.P, S.acc, S.sides[1])
    else:
        for v in range(len(S.D)):
            S.sides[1, v] = S.sides[0, v]
    best = singles(T, family, total, positive, best, split, S)
    for way in range(3):  # pairs low, pairs high, larger subsets
        for at in range(T.groups_at[family], T.groups_at[family + 1]):
            k = T.groups[at]
            if T.kind[k] == CHAIN or T.arity[k] < 2 or set_bound(T, k, S.sides) >= best:
                continue
            if T.arity[k] == 2 and way < (1 if low == high else 2):
                best = pairs(T, family, k, way, total, positive, best, split, S)
            elif T.arity[k] > 2 and way == 2:
                best = subsets(T, family, k, best, split, S, halt)
    return best


@inner
def set_bound(T, k, sides):
    """A lower bound of the cost of every split of a set."""
    least = 0.0
    for v in range(T.start[k], T.start[k + 1]):
        a = sides[0, v]
        b = sides[1, v]
        least += a if a < b else b
    return least


@inner
def singles(T, family, total, positive, best, split, S):
    """Try splits by one column. Neighbouring groups are solved together."""
    low, high = T.low[family], T.high[family]
    tot, pos, sides, least = S.lines[0], S.lines[1], S.sides, best
    at, end = T.groups_at[family], T.groups_at[family + 1]
    while at < end:
        s = T.start[T.groups[at]]
        e = s
        while at < end and T.start[T.groups[at]] == e:
            k = T.groups[at]
            if T.kind[k] != CHAIN and set_bound(T, k, sides) > least:
                break
            e = T.start[k + 1]
            at += 1
        if e == s:  # a set that cannot be better
            sides[2:, s : T.start[T.groups[at] + 1]] = INF
            at += 1
            continue
        for i in range(e - s):
            tot[i] = total - S.D[s + i]
            pos[i] = positive - S.P[s + i]
        vector_costs(T, low, S.F, s, e - s, S.D, -1.0, tot, pos, S.acc, sides[2, s:e])
        if low != high:
            vector_costs(T, high, S.F, s, e - s, S.D, -1.0, tot, pos, S.acc, sides[3, s:e])
        for v in range(s, e):
            if low == high:
                sides[3, v] = sides[2, v]
            least = min(least, sides[0, v] + sides[3, v], sides[1, v] + sides[2, v])
    for way in range(1 if low == high or T.one_way[family] else 2):
        for at in range(T.groups_at[family], end):
            for v in range(T.start[T.groups[at]], T.start[T.groups[at] + 1]):
                value = sides[way, v] + sides[3 - way, v]
                if value < best:
                    best = value
                    write_split(split, T.group[v], way, 1, v, 0)
    return best


@inner
def pairs(T, family, k, way, total, positive, best, split, S):
    """Try splits of a set by two columns that go to the low (way 0) or high child (1).

    Splits that lower bounds leave open are solved together.
    """
    s, e = T.start[k], T.start[k + 1]
    weight = S.lines[2]
    for v in range(s, e):
        weight[v] = S.D[v] + S.P[v] + S.P[v]
    last = s + 1 if e - s == 4 else e  # two of four: the complement is a pair as well
    into, rest_in, rest = S.sides[way], S.sides[1 - way], S.sides[3 - way]
    everything = 0.0
    for v in range(s, e):
        everything += rest_in[v]
    n = 0
    for u in range(s, last):
        for v in range(u + 1, e):
            # the rows outside: disjoint sets, and sharpened similarity
            bound = everything - rest_in[u] - rest_in[v]
            other = rest[u] + rest_in[v] - weight[v]
            bound = other if other > bound else bound
            other = rest[v] + rest_in[u] - weight[u]
            bound = other if other > bound else bound
            if into[u] + into[v] + bound < best:
                S.pairs[0, n], S.pairs[1, n] = u, v
                n += 1
                if n == BLOCK:
                    best = open_pairs(T, family, way, n, total, positive, best, split, S)
                    n = 0
    if n > 0:
        best = open_pairs(T, family, way, n, total, positive, best, split, S)
    return best


@inner
def open_pairs(T, family, way, n, total, positive, best, split, S):
    """Solve the splits whose two columns (`S.pairs`) go to the low (way 0) or high child (1)."""
    first, second = S.pairs[0], S.pairs[1]
    tot, pos, inside, outside, zero = S.few[0], S.few[1], S.few[2], S.few[3], S.lines[0]
    for j in range(len(S.D)):
        zero[j] = 0.0
        row, sums = S.F[j], S.block[j]
        for i in range(n):
            sums[i] = row[first[i]] + row[second[i]]
    for i in range(n):
        tot[i] = S.D[first[i]] + S.D[second[i]]
        pos[i] = S.P[first[i]] + S.P[second[i]]
    a = T.low[family] if way == 0 else T.high[family]
    b = T.high[family] if way == 0 else T.low[family]
    vector_costs(T, a, S.block, 0, n, zero, 1.0, tot, pos, S.acc, inside)
    for i in range(n):
        tot[i] = total - tot[i]
        pos[i] = positive - pos[i]
    vector_costs(T, b, S.block, 0, n, S.D, -1.0, tot, pos, S.acc, outside)
    for i in range(n):
        value = inside[i] + outside[i]
        if value < best:
            best = value
            write_split(split, T.group[first[i]], way, 2, first[i], second[i])
    return best


# ---------------------------------------------------------------- larger subsets


@inner
def heaviest_first(T, k, D, P, order):
    """The columns of a set that have rows, heaviest first. Returns their number."""
    n = 0
    for v in range(T.start[k], T.start[k + 1]):
        weight = D[v] + P[v] + P[v]
        if weight <= 0.0:
            continue
        i = n
        while i > 0 and D[order[i - 1]] + 2.0 * P[order[i - 1]] < weight:
            order[i] = order[i - 1]
            i -= 1
        order[i] = v
        n += 1
    return n


REST = 6
"""Column of `Scratch.state` for the least cost of the undecided columns. The six columns before it
have the cost, the sum of d and the positive weight, each of the low and of the high side."""


@inner
def subsets(T, family, k, best, split, S, halt):
    """Try splits of a set by any allowed subset. Walks depth first over the columns."""
    size, arity = T.start[k + 1] - T.start[k], T.arity[k]
    order, side, lows = S.order[0], S.order[1], S.order[2]
    n = heaviest_first(T, k, S.D, S.P, order)
    symmetric = T.low[family] == T.high[family]
    S.state[n, REST] = 0.0
    for i in range(n - 1, -1, -1):
        a, b = S.sides[0, order[i]], S.sides[1, order[i]]
        S.state[i, REST] = S.state[i + 1, REST] + (a if a < b else b)
    S.state[0, :REST] = 0.0
    S.sums[:, 0, :] = 0.0
    lows[0] = 0
    side[0] = 0
    i = 0
    while n > 0 and i >= 0 and halt[0] == 0:
        if side[i] == 2 or (i == 0 and side[0] == 1 and symmetric):
            i -= 1
            continue
        if S.state[i, REST] + S.state[i, 0] + S.state[i, 1] >= best:
            i -= 1
            continue
        to = side[i]
        side[i] += 1
        lows[i + 1] = lows[i] + 1 - to
        if lows[i + 1] > arity and i + 1 - lows[i + 1] > arity:
            continue
        child = T.low[family] if to == 0 else T.high[family]
        value = step(T, child, to, i, order[i], S) + S.state[i + 1, REST]
        if value >= best:
            continue
        if i + 1 < n:
            i += 1
            side[i] = 0
            continue
        one_sided = lows[n] == 0 or lows[n] == n
        if one_sided and n == size and not T.empty_ok[family]:
            continue
        best = value
        write_subset(T, k, n, order, side, split)
    return best


@inner
def step(T, child, to, i, v, S):
    """Send column v to a side: state i + 1 from state i. Returns the cost of both sides."""
    for j in range(len(S.D)):
        S.sums[to, i + 1, j] = S.sums[to, i, j] + S.F[v, j]
        S.sums[1 - to, i + 1, j] = S.sums[1 - to, i, j]
    for j in range(REST):
        S.state[i + 1, j] = S.state[i, j]
    S.state[i + 1, 2 + to] += S.D[v]
    S.state[i + 1, 4 + to] += S.P[v]
    S.state[i + 1, to] = one_set(
        T, child, S.sums[to, i + 1], S.state[i + 1, 2 + to], S.state[i + 1, 4 + to], S.acc
    )
    return S.state[i + 1, 0] + S.state[i + 1, 1]


@inner
def write_subset(T, k, n, order, side, split):
    """Write the split that sends order[i] to the low (side 1) or high (2) child.

    It names the smaller side. If this side is empty, it names a column without rows.
    """
    lows = 0
    for i in range(n):
        lows += 1 if side[i] == 1 else 0
    stated = 1 if lows + lows <= n else 2
    m = 0
    for i in range(n):
        if side[i] == stated:
            split[3 + m] = order[i]
            m += 1
    if m == 0:
        for v in range(T.start[k], T.start[k + 1]):
            known = False
            for i in range(n):
                known |= order[i] == v
            if not known and m == 0:
                split[3] = v
                m = 1
    split[0], split[1], split[2] = k, stated - 1, m


# ---------------------------------------------------------------- compiling


def compile_kernels(table: Columns, mask: npt.NDArray) -> None:
    """Compile or load every kernel: call each once with the types that the search uses."""
    v, halt, where = len(table.group), np.zeros(1, np.int64), np.arange(len(table.group))
    ones, cost, split = np.ones(1), np.empty(1), np.empty((1, 5), np.int32)
    family = int(table.level.argmax())
    leaf_costs(table, STUMP, np.zeros((v, 1)), ones, ones)
    two_levels(table, family, mask[None], ones, halt, cost, split)
    crossings = Crossings.empty(v, False)
    count_lines(table, table.bits, crossings, False, halt)
    F = np.zeros((v, v))
    two_levels_of_sides(
        table, family, crossings, BaseTables(F, F, F[0], where, True), where[:1], where[:1] - 1,
        np.ones(1, np.bool_), ones, halt, cost, split,
    )  # fmt: skip
