"""Sums over the rows in three columns at once, counted one time for all roots.

Every set of rows that four levels of decisions look at is an intersection of a side of the root's
split and a side of the next. With a table for each pair of columns (of two groups), each such set's
table is a sum or difference of a few of them, whatever the number of rows. Row u of the table of
columns a and b is what the rows in a, b and u have in common with every column, in whichever order
these three are named: it is kept once, for the order in which their groups are.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import called, lean
from odt_core.solvers.search.model import CHAIN, Model
from odt_core.solvers.search.scan import (
    Bits,
    add,
    copy,
    count_columns,
    make_bits,
    most_frequent,
    padded,
    scan,
    sort_rows,
)

ROWS_PER_COLUMN = 16
"""With fewer rows than this for each column, counting them again is cheaper."""


NARROW = 2**15
"""Below this total weight, sums over three columns are kept as 16-bit numbers."""


class Crossings(NamedTuple):
    """Sums over the rows in one column, in two and in three. V columns, K groups.

    Attributes
    ----------
    at, pair_at : int64[K, K]
        For groups x < y: where the lines of their pairs of columns begin in `lines` and `pair_p`.
        They come by column of x, then of y, and in `lines` by the third column, of all groups
        after y.
    ready : bool[K, K]
        Whether those are counted.
    lines : float[L, W]
        What the rows in three columns have in common with every column.
    narrow : int16[L, W]
        The same instead, where the sums are small enough (half the memory).
    pair_p : float[T, W]
        Positive weights in every column of the rows in two.
    one, one_p : float[V, V, W], float[V, W]
        Tables and positive weights of the rows in one column.
    F, D, P, whole : float[V, W], float[W], float[W], float[2]
        Table, columns' sums and totals of all rows.
    """

    at: npt.NDArray
    pair_at: npt.NDArray
    ready: npt.NDArray
    lines: npt.NDArray
    narrow: npt.NDArray
    pair_p: npt.NDArray
    one: npt.NDArray
    one_p: npt.NDArray
    F: npt.NDArray
    D: npt.NDArray
    P: npt.NDArray
    whole: npt.NDArray


class Bench(NamedTuple):
    """Working memory of a thread that counts tables ahead. N rows, groups of up to Q columns.

    Attributes
    ----------
    order, begin : int32[N], int64[Q + 2]
        The rows by their position in a group, and where each position begins.
    inner, inner_begin : int32[N], int64[Q + 2]
        The same for the rows of one of these positions, by their position in another group.
    T, Q : float[Q, V, W], float[Q, W]
        Tables and positive weights of the other group's columns.
    F, D, P : float[V, W], float[W], float[W]
        Table, columns' sums and positive weights of the rows of one position.
    bits : Bits
        For `scan`.
    """

    order: npt.NDArray
    begin: npt.NDArray
    inner: npt.NDArray
    inner_begin: npt.NDArray
    T: npt.NDArray
    Q: npt.NDArray
    F: npt.NDArray
    D: npt.NDArray
    P: npt.NDArray
    bits: Bits


def no_crossings(model: Model) -> Crossings:
    """Nothing counted ahead."""
    nowhere = np.zeros((0, 0), np.int64)
    return _allocate(model, nowhere, nowhere, (0, 0, 0), narrow=False)


def _allocate(
    model: Model,
    at: npt.NDArray[np.int64],
    pair_at: npt.NDArray[np.int64],
    sizes: tuple[int, int, int],
    narrow: bool,
) -> Crossings:
    v, pairs, lines = sizes
    w = padded(v) if v else 0
    number = model.d.dtype
    return Crossings(
        at=at,
        pair_at=pair_at,
        ready=np.zeros(at.shape, np.bool_),
        lines=np.zeros((0 if narrow else lines, w), number),
        narrow=np.zeros((lines if narrow else 0, w), np.int16),
        pair_p=np.zeros((pairs, w), number),
        one=np.zeros((v, v, w), number),
        one_p=np.zeros((v, w), number),
        F=np.zeros((v, w), number),
        D=np.zeros(w, number),
        P=np.zeros(w, number),
        whole=np.zeros(2, number),
    )


def _bench(model: Model) -> Bench:
    v, n = int(model.size[0]), len(model.d)
    w = padded(v)
    q = int(np.diff(model.start).max(initial=1))
    number = model.d.dtype
    return Bench(
        order=np.zeros(n, np.int32),
        begin=np.zeros(q + 2, np.int64),
        inner=np.zeros(n, np.int32),
        inner_begin=np.zeros(q + 2, np.int64),
        T=np.zeros((q, v, w), number),
        Q=np.zeros((q, w), number),
        F=np.zeros((v, w), number),
        D=np.zeros(w, number),
        P=np.zeros(w, number),
        bits=make_bits(model),
    )


class Counter:
    """Counts the tables when they are first needed.

    Parameters
    ----------
    model : Model
    memory : float
        Bytes the tables may take.
    per_column : int
        How many rows for each column make it worth while.
    """

    def __init__(self, model: Model, memory: float, per_column: int = ROWS_PER_COLUMN) -> None:
        self.model = model
        sizes = np.diff(model.start)
        v = int(model.size[0])
        w = padded(v)
        pairs = np.triu(np.outer(sizes, sizes), 1)
        thirds = v - model.start[1:]  # columns of the groups after each
        lines = pairs * thirds
        narrow = float(np.abs(model.d).astype(np.float64).sum()) < NARROW
        number = model.d.dtype.itemsize
        bytes_ = float(lines.sum()) * w * (2 if narrow else number)
        bytes_ += (float(pairs.sum()) + v * v + 4 * v) * w * number
        self.used = len(model.d) > per_column * v and bytes_ <= memory
        self.tables = no_crossings(model)
        if self.used:
            total = (v, int(pairs.sum()), int(lines.sum()))
            self.tables = _allocate(model, _places(lines), _places(pairs), total, narrow)
        self.ready = np.zeros(len(sizes), np.bool_)
        self._lock = threading.Lock()
        self._have_all = False
        self._benches: dict[int, Bench] = {}

    def provide(self, k: int, stop: npt.NDArray[np.int64], thread: int = 0) -> bool:
        """Have the tables of single columns, and of group k's with all others (unless negative).

        Returns False if it was stopped before. Threads begin at different ends; where two count
        the same tables they write the same numbers.
        """
        with self._lock:
            if thread not in self._benches:
                self._benches[thread] = _bench(self.model)
            if not self._have_all:
                t, model = self.tables, self.model
                rows = np.arange(len(model.d), dtype=np.int32)
                bits = self._benches[thread].bits
                t.whole[:] = scan(model, rows, len(rows), 0, t.F, t.D, t.P, bits)
                self._have_all = True
        return bool(
            count_ahead(
                self.model, self.tables, k, self.ready, thread % 2 == 1, stop,
                self._benches[thread],
            )
        )  # fmt: skip


def _places(count: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where each part begins if they follow each other."""
    each = count.ravel()
    return (np.cumsum(each) - each).reshape(count.shape)


# ---------------------------------------------------------------- counting


@called
def count_ahead(M: Model, X: Crossings, k, ready, backwards, stop, B: Bench):  # type: ignore[no-untyped-def]
    """Count what is not there yet of what group k needs (see `Counter.provide`).

    Tables are counted in the thread's own memory and copied, so that it does no harm if two threads
    count the same ones; what is complete is marked after that.
    """
    n_groups = len(M.kind)
    for i in range(n_groups):
        other = n_groups - 1 - i if backwards else i
        if stop[0] != 0:
            return False
        if not ready[other]:
            _count_ones(M, X, other, B)
            ready[other] = True
    for i in range(n_groups):
        x = n_groups - 1 - i if backwards else i
        if x > k:
            continue
        sorted_by_x = False
        for j in range(x + 1, n_groups):
            y = n_groups + x - j if backwards else j
            if X.ready[x, y] or not (x == k or y <= k):  # k is one of three groups
                continue
            if not sorted_by_x:
                _sort_all(M, x, B)
                sorted_by_x = True
            if not _count_pairs(M, X, x, y, stop, B):
                return False
            X.ready[x, y] = True
    return True


@lean
def _sort_all(M: Model, k, B: Bench):  # type: ignore[no-untyped-def]
    """All rows by their position in group k."""
    for i in range(len(M.d)):
        B.inner[i] = i
    sort_rows(M.local[k], M.start[k + 1] - M.start[k], B.inner, B.order, B.begin)


@lean
def _count_ones(M: Model, X: Crossings, k, B: Bench):  # type: ignore[no-untyped-def]
    """Tables of the rows in each column of group k."""
    s = M.start[k]
    _sort_all(M, k, B)
    count_columns(M, k, B.order, B.begin, 0, B.T, B.Q, X.F, X.P, B.D, B.bits)
    for p in range(M.start[k + 1] - s):
        copy(B.T[p], X.one[s + p], B.Q[p], X.one_p[s + p])


@lean
def _count_pairs(M: Model, X: Crossings, x, y, stop, B: Bench):  # type: ignore[no-untyped-def]
    """Lines of the rows in each column of group x, sorted by them already, and each of y > x.

    Returns False if it was stopped before.
    """
    s = M.start[x]
    size = M.start[x + 1] - s
    inner = M.start[y]
    n_inner = M.start[y + 1] - inner
    third = M.start[y + 1]  # of the tables, only the rows of these columns are kept
    nested = M.kind[x] == CHAIN
    usual = -1 if nested else most_frequent(B.begin, size)
    for p in range(size):
        if p == usual:
            continue
        if stop[0] != 0:
            return False
        if M.kind[y] != CHAIN:
            copy(X.one[s + p, third:], B.F[third:], X.one_p[s + p], B.P)
            if nested and p > 0:
                add(B.F[third:], X.one[s + p - 1, third:], -1, B.P, X.one_p[s + p - 1])
        sort_rows(M.local[y], n_inner, B.order[B.begin[p] : B.begin[p + 1]], B.inner, B.inner_begin)
        count_columns(M, y, B.inner, B.inner_begin, third, B.T, B.Q, B.F, B.P, B.D, B.bits)
        for q in range(n_inner):
            if nested and p > 0:  # a chain's columns hold those before them
                _add_lines(B.T[q, third:], M, X, x, p - 1, y, q, 1, B.Q[q])
            _put_lines(B.T[q, third:], M, X, x, p, y, q, B.Q[q])
    if usual >= 0:
        for q in range(n_inner):
            copy(X.one[inner + q, third:], B.T[q, third:], X.one_p[inner + q], B.Q[q])
            for p in range(size):
                if p != usual:
                    _add_lines(B.T[q, third:], M, X, x, p, y, q, -1, B.Q[q])
            _put_lines(B.T[q, third:], M, X, x, usual, y, q, B.Q[q])
    return True


@lean
def _line_at(M: Model, X: Crossings, x, p, y, q):  # type: ignore[no-untyped-def]
    """Where the lines of columns p of group x and q of group y > x begin."""
    pair = p * (M.start[y + 1] - M.start[y]) + q
    return X.at[x, y] + pair * (M.size[0] - M.start[y + 1])


@lean
def _pair_at(M: Model, X: Crossings, x, p, y, q):  # type: ignore[no-untyped-def]
    """Where their positive weights are."""
    return X.pair_at[x, y] + p * (M.start[y + 1] - M.start[y]) + q


@lean
def _put_lines(F, M: Model, X: Crossings, x, p, y, q, P):  # type: ignore[no-untyped-def]
    """Keep the lines of two columns, and their positive weights."""
    at = _line_at(M, X, x, p, y, q)
    for u in range(len(F)):
        line = F[u]
        if len(X.narrow) == 0:
            to = X.lines[at + u]
            for i in range(len(line)):
                to[i] = line[i]
        else:
            narrow = X.narrow[at + u]
            for i in range(len(line)):
                narrow[i] = np.int16(line[i])
    to_p = X.pair_p[_pair_at(M, X, x, p, y, q)]
    for i in range(len(P)):
        to_p[i] = P[i]


@lean
def _add_lines(F, M: Model, X: Crossings, x, p, y, q, sign, P):  # type: ignore[no-untyped-def]
    """Add `sign` times the lines of two columns to F, their positive weights to P."""
    _add_every(F, X, _line_at(M, X, x, p, y, q), 1, F.dtype.type(sign))
    _add_line(P, X.pair_p[_pair_at(M, X, x, p, y, q)], P.dtype.type(sign))


@lean
def _add_every(F, X: Crossings, at, step, sign):  # type: ignore[no-untyped-def]
    """Add `sign` times lines at, at + step, ... to the rows of F."""
    for u in range(len(F)):
        if len(X.narrow) == 0:
            _add_line(F[u], X.lines[at + u * step], sign)
        else:
            _add_line(F[u], X.narrow[at + u * step], sign)


@lean
def _add_line(to, line, sign):  # type: ignore[no-untyped-def]
    """Add `sign` times a line to another."""
    for i in range(len(to)):
        to[i] += sign * to.dtype.type(line[i])


# ---------------------------------------------------------------- sides of a root's split


@lean
def side_table(M: Model, X: Crossings, side, F, D, P, whole):  # type: ignore[no-untyped-def]
    """Table, columns' sums and totals of a side (see `Work`), from single columns' tables."""
    n = side[2]
    if side[1] != 0:
        copy(X.F, F, X.P, P)
        for i in range(len(D)):
            D[i] = X.D[i]
        whole[0] = X.whole[0]
        whole[1] = X.whole[1]
    else:
        first = side[3]
        copy(X.one[first], F, X.one_p[first], P)
        for i in range(len(D)):
            D[i] = X.F[first, i]
        whole[0] = X.D[first]
        whole[1] = X.P[first]
    sign = -1 if side[1] != 0 else 1
    x = D.dtype.type(sign)
    for j in range(0 if side[1] != 0 else 1, n):
        u = side[3 + j]
        add(F, X.one[u], sign, P, X.one_p[u])
        row = X.F[u]
        for i in range(len(D)):
            D[i] += x * row[i]
        whole[0] += x * X.D[u]
        whole[1] += x * X.P[u]


@lean
def _add_pair(F, M: Model, X: Crossings, x, u, y, v, sign, P):  # type: ignore[no-untyped-def]
    """Add `sign` times the table of the rows in columns u of group x and v of y > x to F, P."""
    number = F.dtype.type(sign)
    p = u - M.start[x]
    q = v - M.start[y]
    size_x = M.start[x + 1] - M.start[x]
    size_y = M.start[y + 1] - M.start[y]
    both = X.one[u, v]
    for z in range(y):
        s = M.start[z]
        rows = F[s : M.start[z + 1]]
        if z == x:
            _add_own(rows, M.kind[x] == CHAIN, X.one[v], s, p, both, number)
        elif z < x:
            # by column of z, then of x, then of y
            step = size_x * (M.size[0] - M.start[x + 1])
            _add_every(rows, X, _line_at(M, X, z, 0, x, p) + v - M.start[x + 1], step, number)
        else:
            step = M.size[0] - M.start[z + 1]
            _add_every(rows, X, _line_at(M, X, x, p, z, 0) + v - M.start[z + 1], step, number)
    s = M.start[y]
    _add_own(F[s : s + size_y], M.kind[y] == CHAIN, X.one[u], s, q, both, number)
    _add_every(F[M.start[y + 1] :], X, _line_at(M, X, x, p, y, q), 1, number)
    _add_line(P, X.pair_p[_pair_at(M, X, x, p, y, q)], number)


@lean
def _add_own(rows, nested, lines, s, p, both, sign):  # type: ignore[no-untyped-def]
    """The rows of a group that begins with column s and of which one column, its p-th, is given.

    ``lines[w]`` is the line of its column w and the other one that is given, `both` of the two.
    """
    if not nested:  # disjoint columns
        _add_line(rows[p], both, sign)
        return
    for t in range(len(rows)):
        _add_line(rows[t], lines[s + min(t, p)], sign)


@lean
def side_column(M: Model, X: Crossings, side, k, v, F, P):  # type: ignore[no-untyped-def]
    """Table and positive weights of the rows of a side that are in column v of group k."""
    g = side[0]
    n = side[2]
    outside = side[1] != 0
    if outside:
        copy(X.one[v], F, X.one_p[v], P)
    elif g == k and M.kind[k] == CHAIN:
        u = min(side[3], v)
        copy(X.one[u], F, X.one_p[u], P)
        return
    else:
        for u in range(len(F)):
            row = F[u]
            for i in range(len(row)):
                row[i] = 0
        for i in range(len(P)):
            P[i] = 0
    sign = -1 if outside else 1
    for j in range(n):
        u = side[3 + j]
        if g == k:
            if M.kind[k] == CHAIN:
                u = min(u, v)
            elif u != v:
                continue
            add(F, X.one[u], sign, P, X.one_p[u])
        elif g < k:
            _add_pair(F, M, X, g, u, k, v, sign, P)
        else:
            _add_pair(F, M, X, k, v, g, u, sign, P)
