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
from odt_core.solvers.search.kernels import padded, scan
from odt_core.solvers.search.model import CHAIN, Model

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
        self.n_groups = len(sizes)
        v = int(model.size[0])
        w = padded(v)
        first = np.zeros((self.n_groups, self.n_groups), np.int64)
        n = 0
        for k in range(self.n_groups):
            for other in range(k + 1, self.n_groups):
                first[k, other] = n
                n += int(sizes[k] * sizes[other])
        self.first = first
        narrow = float(np.abs(model.d).astype(np.float64).sum()) < NARROW
        bytes_ = (n * (2 if narrow else model.d.dtype.itemsize) + 4 * v) * v * w
        self.used = len(model.d) > per_column * v and bytes_ <= memory
        self.tables = _allocate(model, v, n, narrow) if self.used else no_crossings(model)
        self._locks = [threading.Lock() for _ in range(self.n_groups**2 + self.n_groups + 1)]
        self._have_one = [False] * self.n_groups
        self._have_all = False

    def provide(self, k: int, stop: npt.NDArray[np.int64], backwards: bool = False) -> bool:
        """Have the tables of single columns, and of group k (unless negative) with all others.

        Returns False if it was stopped before. Two threads that need the same tables begin at
        different ends.
        """
        self._all()
        groups = range(self.n_groups)
        for other in reversed(groups) if backwards else groups:
            if stop[0]:
                return False
            self._one(other)
        for other in reversed(groups) if backwards else groups:
            if stop[0]:
                return False
            if other != k and k >= 0 and not self._pair(min(k, other), max(k, other), stop):
                return False
        return True

    def _all(self) -> None:
        with self._locks[-1]:
            if not self._have_all:
                t, model = self.tables, self.model
                rows = np.arange(len(model.d), dtype=np.int32)
                t.whole[:] = scan(model, rows, len(rows), t.F, t.D, t.P)
                self._have_all = True

    def _one(self, k: int) -> None:
        with self._locks[k]:
            if not self._have_one[k]:
                t = self.tables
                part = slice(int(self.model.start[k]), int(self.model.start[k + 1]))
                rows = np.arange(len(self.model.d), dtype=np.int32)
                self._count(k, rows, t.one[part], t.one_p[part], t.F, t.P)
                self._have_one[k] = True

    def _pair(self, k: int, other: int, stop: npt.NDArray[np.int64]) -> bool:
        with self._locks[self.n_groups * (k + 1) + other]:
            t = self.tables
            if t.at[k, other] >= 0:
                return True
            n, m = (int(self.model.start[g + 1] - self.model.start[g]) for g in (k, other))
            s, at = int(self.model.start[k]), int(self.first[k, other])
            inner = slice(int(self.model.start[other]), int(self.model.start[other]) + m)
            local = self.model.local[k]
            nested = self.model.kind[k] == CHAIN
            usual = -1 if nested else int(np.bincount(local, minlength=n).argmax())
            tables = (t.narrow if len(t.narrow) else t.pair)[at : at + n * m]
            tables = tables.reshape(n, m, *t.F.shape)
            counted = np.zeros((m, *t.F.shape), t.F.dtype)
            weights = t.pair_p[at : at + n * m].reshape(n, m, len(t.P))
            for p in range(n):
                if p == usual:
                    continue
                if stop[0]:
                    return False
                rows = np.flatnonzero(local == p).astype(np.int32)
                F, P = t.one[s + p], t.one_p[s + p]
                if nested and p:
                    F, P = F - t.one[s + p - 1], P - t.one_p[s + p - 1]
                self._count(other, rows, counted, weights[p], F, P)
                np.copyto(tables[p], counted, casting="unsafe")
                if nested and p:  # a chain's columns hold those before them
                    tables[p] += tables[p - 1]
                    weights[p] += weights[p - 1]
            if usual >= 0:
                np.copyto(tables[usual], t.one[inner], casting="unsafe")
                np.copyto(weights[usual], t.one_p[inner])
                for p in range(n):
                    if p != usual:
                        tables[usual] -= tables[p]
                        weights[usual] -= weights[p]
            t.at[k, other] = at
            return True

    def _count(
        self,
        k: int,
        rows: npt.NDArray[np.int32],
        tables: npt.NDArray,
        weights: npt.NDArray,
        F: npt.NDArray,
        P: npt.NDArray,
    ) -> None:
        """Tables of the rows in each column of group k; F and P are those of all these rows."""
        local = self.model.local[k, rows]
        order = rows[np.argsort(local, kind="stable")]
        begin = np.concatenate([[0], np.cumsum(np.bincount(local, minlength=len(tables) + 1))])
        count_columns(self.model, k, order, begin.astype(np.int64), tables, weights, F, P,
                      np.zeros(len(P), P.dtype))  # fmt: skip


@called
def count_columns(M: Model, k, order, begin, T, Q, F, P, spare):  # type: ignore[no-untyped-def]
    """Tables T and positive weights Q of the rows in each column of group k.

    Parameters
    ----------
    order, begin : int32[n], int64[size + 2]
        Rows sorted by their position in the group, and where each position begins.
    F, P
        Table and positive weights of all these rows.
    spare : float[W]
        Working memory.
    """
    size = M.start[k + 1] - M.start[k]
    skip = -1
    if M.kind[k] != CHAIN:
        skip = 0
        for p in range(1, size):
            if begin[p + 1] - begin[p] > begin[skip + 1] - begin[skip]:
                skip = p
        copy(F, T[skip], P, Q[skip])
    for p in range(size):
        if p == skip:
            continue
        scan(M, order[begin[p] :], begin[p + 1] - begin[p], T[p], spare, Q[p])
        if skip >= 0:
            add(T[skip], T[p], -1, Q[skip], Q[p])
        elif p > 0:
            add(T[p], T[p - 1], 1, Q[p], Q[p - 1])


# ---------------------------------------------------------------- arithmetic of tables


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
def _add_pair(F, X: Crossings, at, sign, P):  # type: ignore[no-untyped-def]
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
            _add_pair(F, X, at, sign, P)
        else:
            size = M.start[g + 1] - M.start[g]
            at = X.at[k, g] + (v - M.start[k]) * size + u - M.start[g]
            _add_pair(F, X, at, sign, P)
