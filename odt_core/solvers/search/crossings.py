"""Tables of the rows in two columns at once, counted one time for all roots.

Every set of rows that four levels of decisions look at is an intersection of a side of the root's
split and a side of the next. With a table for each pair of columns (of two groups), each such set's
table is a sum or difference of a few of them, whatever the number of rows.
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
"""Below this total weight, tables of two columns are kept as 16-bit numbers."""


class Crossings(NamedTuple):
    """Tables of rows in one column and in two. T tables for pairs, V columns, K groups.

    Attributes
    ----------
    at : int64[K, K]
        Where the tables of two groups (the lower first) begin, by column of the first, then of
        the second; -1 while they are not counted.
    pair, pair_p : float[T, V, W], float[T, W]
        Those tables, and the columns' positive weights.
    narrow : int16[T, V, W]
        Those tables instead, where the sums are small enough (half the memory).
    one, one_p : float[V, V, W], float[V, W]
        The same for single columns.
    F, D, P, whole : float[V, W], float[W], float[W], float[2]
        Table, columns' sums and totals of all rows.
    """

    at: npt.NDArray
    pair: npt.NDArray
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
    return _allocate(model, 0, 0)


def _allocate(model: Model, columns: int, tables: int, narrow: bool = False) -> Crossings:
    v = int(model.size[0]) if columns else 0
    w = padded(v) if columns else 0
    n_groups = len(model.kind) if columns else 0
    number = model.d.dtype
    return Crossings(
        at=np.full((n_groups, n_groups), -1, np.int64),
        pair=np.zeros((0 if narrow else tables, v, w), number),
        narrow=np.zeros((tables if narrow else 0, v, w), np.int16),
        pair_p=np.zeros((tables, w), number),
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
        # where the tables of two groups will be: those of the first, by its columns, then the next
        each = np.triu(np.outer(sizes, sizes), 1).ravel()
        self.first = (np.cumsum(each) - each).reshape(len(sizes), len(sizes))
        n = int(each.sum())
        narrow = float(np.abs(model.d).astype(np.float64).sum()) < NARROW
        bytes_ = (n * (2 if narrow else model.d.dtype.itemsize) + 4 * v) * v * w
        self.used = len(model.d) > per_column * v and bytes_ <= memory
        self.tables = _allocate(model, v, n, narrow) if self.used else no_crossings(model)
        self.ready = np.zeros(len(sizes), np.bool_)
        self._lock = threading.Lock()
        self._have_all = False
        self._benches: dict[int, Bench] = {}

    def provide(self, k: int, stop: npt.NDArray[np.int64], thread: int = 0) -> bool:
        """Have the tables of single columns, and of group k (unless negative) with all others.

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
                t.whole[:] = scan(model, rows, len(rows), t.F, t.D, t.P, bits)
                self._have_all = True
        return bool(
            count_ahead(
                self.model, self.tables, k, self.first, self.ready, thread % 2 == 1, stop,
                self._benches[thread],
            )
        )  # fmt: skip


# ---------------------------------------------------------------- counting


@called
def count_ahead(M: Model, X: Crossings, k, first, ready, backwards, stop, B: Bench):  # type: ignore[no-untyped-def]
    """Count what is not there yet of the tables that group k needs (see `Counter.provide`).

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
    if k < 0:
        return True
    for i in range(len(M.d)):
        B.inner[i] = i
    sort_rows(M.local[k], M.start[k + 1] - M.start[k], B.inner, B.order, B.begin)
    for i in range(n_groups):
        other = n_groups - 1 - i if backwards else i
        a = min(k, other)
        b = max(k, other)
        if a != b and X.at[a, b] < 0:
            if not _count_pairs(M, X, k, other, first[a, b], stop, B):
                return False
            X.at[a, b] = first[a, b]
    return True


@lean
def _count_ones(M: Model, X: Crossings, k, B: Bench):  # type: ignore[no-untyped-def]
    """Tables of the rows in each column of group k."""
    s = M.start[k]
    size = M.start[k + 1] - s
    for i in range(len(M.d)):
        B.inner[i] = i
    sort_rows(M.local[k], size, B.inner, B.order, B.begin)
    count_columns(M, k, B.order, B.begin, B.T, B.Q, X.F, X.P, B.D, B.bits)
    for p in range(size):
        copy(B.T[p], X.one[s + p], B.Q[p], X.one_p[s + p])


@lean
def _count_pairs(M: Model, X: Crossings, k, other, first, stop, B: Bench):  # type: ignore[no-untyped-def]
    """Tables of the rows in each column of group k, sorted by them already, and each of another.

    Returns False if it was stopped before.
    """
    s = M.start[k]
    size = M.start[k + 1] - s
    inner = M.start[other]
    n_inner = M.start[other + 1] - inner
    step = n_inner if k < other else 1  # from table to table by columns of k, of the other
    step_inner = 1 if k < other else size
    nested = M.kind[k] == CHAIN
    usual = -1 if nested else most_frequent(B.begin, size)
    for p in range(size):
        if p == usual:
            continue
        if stop[0] != 0:
            return False
        if M.kind[other] != CHAIN:
            copy(X.one[s + p], B.F, X.one_p[s + p], B.P)
            if nested and p > 0:
                add(B.F, X.one[s + p - 1], -1, B.P, X.one_p[s + p - 1])
        sort_rows(
            M.local[other], n_inner, B.order[B.begin[p] : B.begin[p + 1]], B.inner, B.inner_begin
        )
        count_columns(M, other, B.inner, B.inner_begin, B.T, B.Q, B.F, B.P, B.D, B.bits)
        for q in range(n_inner):
            at = first + p * step + q * step_inner
            if nested and p > 0:  # a chain's columns hold those before them
                add_pair(B.T[q], X, at - step, 1, B.Q[q])
            _put_pair(B.T[q], X, at, B.Q[q])
    if usual >= 0:
        for q in range(n_inner):
            copy(X.one[inner + q], B.T[q], X.one_p[inner + q], B.Q[q])
            for p in range(size):
                if p != usual:
                    add_pair(B.T[q], X, first + p * step + q * step_inner, -1, B.Q[q])
            _put_pair(B.T[q], X, first + usual * step + q * step_inner, B.Q[q])
    return True


@lean
def _put_pair(F, X: Crossings, at, P):  # type: ignore[no-untyped-def]
    """Keep a table of two columns."""
    if len(X.narrow) == 0:
        copy(F, X.pair[at], P, X.pair_p[at])
        return
    G = X.narrow[at]
    for u in range(len(F)):
        row = F[u]
        to = G[u]
        for i in range(len(row)):
            to[i] = np.int16(row[i])
    to_p = X.pair_p[at]
    for i in range(len(P)):
        to_p[i] = P[i]


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
def add_pair(F, X: Crossings, at, sign, P):  # type: ignore[no-untyped-def]
    """Add `sign` times a table of two columns to F (and its positive weights to P)."""
    if len(X.narrow) == 0:
        add(F, X.pair[at], sign, P, X.pair_p[at])
        return
    x = F.dtype.type(sign)
    G = X.narrow[at]
    for u in range(len(F)):
        to = F[u]
        row = G[u]
        for i in range(len(row)):
            to[i] += x * F.dtype.type(row[i])
    other = X.pair_p[at]
    for i in range(len(P)):
        P[i] += x * other[i]


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
            size = M.start[k + 1] - M.start[k]
            at = X.at[g, k] + (u - M.start[g]) * size + v - M.start[k]
            add_pair(F, X, at, sign, P)
        else:
            size = M.start[g + 1] - M.start[g]
            at = X.at[k, g] + (v - M.start[k]) * size + u - M.start[g]
            add_pair(F, X, at, sign, P)
