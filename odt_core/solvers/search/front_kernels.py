"""Compiled primitives of fronts (twins with the same signatures: front_twins.py).

A *front* is a list of points (false negatives, false positives), float64[5, n]: row 0 rises, row 1
falls. Rows 2 to 4 say how a point is reached: the number of the split (-1: not reached, only a
limit), and the point of its low child. The first point of a *wanted* front has no false negatives
and the last no false positives, so a tree is wanted if it lies below the staircase of its points.

Where several row sets are handled at once, ``P[b, v]`` and ``N[b, v]`` are the positive and the
negative weight of set b in column v, ``PT[b]`` and ``NT[b]`` those of the whole set.

A leaf-adjacent class is given by `runs` and `mode`. A row of `runs` is a run of columns that are
treated alike: how many of them a split may take (0: any number), the first and the last + 1. If it
may take one, the run may go over several groups; else it is the categories of one feature.
"""

from __future__ import annotations

import numba
import numpy as np

from odt_core.solvers.search.columns import Columns, Masks
from odt_core.solvers.search.front_twins import FIXED, LEAF, MAY, MUST
from odt_core.solvers.search.kernels import several

jit = numba.njit(cache=True, nogil=True, error_model="numpy")


# ------------------------------------------------------------ counting


@jit
def column_sums(table, masks, positive, negative, P, N, PT, NT):
    """Weights of each column in each row set of ``masks[B, W]``, and of the whole sets."""
    K = len(table.kind)
    one = np.uint64(1)
    P[:] = 0.0
    N[:] = 0.0
    PT[:] = 0.0
    NT[:] = 0.0
    for b in range(len(masks)):
        for r in range(len(positive)):
            if (masks[b, r >> 6] >> np.uint64(r & 63)) & one == 0:
                continue
            PT[b] += positive[r]
            NT[b] += negative[r]
            for k in range(K):
                v = table.start[k] + table.local[k, r]
                if v < table.start[k + 1]:
                    P[b, v] += positive[r]
                    N[b, v] += negative[r]
        for k in range(K):
            if table.kind[k] == 0:
                for v in range(table.start[k] + 1, table.start[k + 1]):
                    P[b, v] += P[b, v - 1]
                    N[b, v] += N[b, v - 1]


# ------------------------------------------------------------ weighted bounds


@jit
def stump_bounds(P, N, PT, NT, alpha, beta, runs, mode, out):
    """Least ``alpha[i] FN + beta[i] FP`` of a class of at most one level, into ``out[B, L]``.

    A lower bound: a split that needs both sides may leave one empty here.
    """
    V = P.shape[1]
    D = np.empty(V)
    acc = np.empty(2 * V + 2)
    for b in range(len(P)):
        for i in range(len(alpha)):
            positive = alpha[i] * PT[b]
            total = beta[i] * NT[b] - positive
            gain = min(0.0, total)  # of calling some rows positive
            if mode != LEAF:
                for v in range(V):
                    D[v] = beta[i] * N[b, v] - alpha[i] * P[b, v]
                for r in range(len(runs)):
                    take, s, e = runs[r, 0], runs[r, 1], runs[r, 2]
                    if take > 0:
                        low, high = several(D, s, e, take, acc)
                        gain = min(gain, low, total - high)
                        continue
                    low = 0.0
                    for v in range(s, e):
                        low += min(D[v], 0.0)
                    gain = min(gain, low)
            if mode == FIXED:
                v = runs[0, 1]
                gain = min(0.0, D[v]) + min(0.0, total - D[v])
            out[b, i] = positive + gain


@jit
def first_open(bounds, alpha, beta, wanted, found):
    """For each split, the first step of the wanted staircase its ``bounds[B, L]`` leave open.

    -1, if they leave none.
    """
    for b in range(len(bounds)):
        found[b] = _first_step(bounds, b, alpha, beta, wanted, wanted.shape[1])


@jit
def _first_step(bounds, b, alpha, beta, wanted, n):
    """The same for one split."""
    last = 0  # what excludes one step is likely to exclude the next
    for k in range(n - 1):
        x = wanted[0, k + 1] - 1
        y = wanted[1, k] - 1
        if alpha[last] * x + beta[last] * y < bounds[b, last]:
            continue
        beaten = False
        for i in range(len(alpha)):
            if alpha[i] * x + beta[i] * y < bounds[b, i]:
                beaten = True
                last = i
                break
        if not beaten:
            return k
    return -1


# ------------------------------------------------------------ lists of points


@jit
def _grown(points, n, more):
    """The list with room for more points."""
    if n + more <= points.shape[1]:
        return points
    new = np.empty((points.shape[0], 2 * (n + more)))
    for row in range(points.shape[0]):
        for j in range(n):
            new[row, j] = points[row, j]
    return new


@jit
def _place(points, n, x, y, all_of_them):
    """Put a point in its place and drop those it dominates. The new length and the place (or -1).

    With `all_of_them` only equal points are dropped.
    """
    low = 0
    high = n
    while low < high:
        middle = (low + high) >> 1
        at = points[0, middle]
        if at < x or (at == x and not (all_of_them and points[1, middle] > y)):
            low = middle + 1
        else:
            high = middle
    end = low
    if all_of_them:
        if low > 0 and points[0, low - 1] == x and points[1, low - 1] == y:
            return n, -1
    elif low > 0:
        if points[1, low - 1] <= y:
            return n, -1
        if points[0, low - 1] == x:
            low -= 1
    while not all_of_them and end < n and points[1, end] >= y:
        end += 1
    shift = low + 1 - end
    for row in range(points.shape[0]):
        if shift == 1:
            for j in range(n, low, -1):
                points[row, j] = points[row, j - 1]
        elif shift < 0:
            for j in range(end, n):
                points[row, j + shift] = points[row, j]
    points[0, low] = x
    points[1, low] = y
    return n + shift, low


@jit
def combine(low, n_low, high, n_high, wanted, n, split):
    """Put sums of points of two fronts into the wanted one. The list and its length."""
    for i in range(n_low):
        for j in range(n_high):
            x = low[0, i] + high[0, j]
            if x >= wanted[0, n - 1]:
                break
            y = low[1, i] + high[1, j]
            if y >= wanted[1, 0]:
                continue
            wanted = _grown(wanted, n, 1)
            n, at = _place(wanted, n, x, y, False)
            if at >= 0:
                wanted[2, at] = split
                wanted[3, at] = low[0, i]
                wanted[4, at] = low[1, i]
    return wanted, n


# ------------------------------------------------------------ leaf-adjacent splits


@jit
def _holds(p, q, leaf):
    """Whether a leaf with these weights is large enough, or no row reaches it."""
    return leaf[0] * p + leaf[1] * q >= leaf[2] or p + q == 0


@jit
def _two_ways(p, q, tp, tn, box, leaf, out, n):
    """Members of weight p, q are called positive and the others negative, or the reverse."""
    if leaf[2] > 0 and not (_holds(p, q, leaf) and _holds(tp - p, tn - q, leaf)):
        return n
    if tp - p <= box[0] and q <= box[1]:
        n, _ = _place(out, n, tp - p, q, False)
    if p <= box[0] and tn - q <= box[1]:
        n, _ = _place(out, n, p, tn - q, False)
    return n


@jit
def stump_front(p, q, tp, tn, runs, mode, leaf, box, out):
    """Front of a class of at most one level on one set, within ``box``. The list and its length.

    Parameters
    ----------
    p, q : float64[V]
        Positive and negative weight in each column; `tp` and `tn` are those of the set.
    leaf : float64[3]
        A leaf that rows reach needs ``leaf[0] p + leaf[1] q >= leaf[2]``.
    box : float64[2]
        Most false negatives and positives of interest.
    out : float64[2, ...]
        Memory for the list.
    """
    n = 0
    out = _grown(out, n, 4)
    if mode == FIXED:
        v = runs[0, 1]
        a = p[v]
        c = q[v]
        if leaf[2] > 0 and not (_holds(a, c, leaf) and _holds(tp - a, tn - c, leaf)):
            return out, n
        n = _two_ways(a, c, tp, tn, box, leaf, out, n)
        if box[0] >= tp:
            n, _ = _place(out, n, tp, 0.0, False)
        if box[1] >= tn:
            n, _ = _place(out, n, 0.0, tn, False)
        return out, n
    if mode != MUST:
        n = _two_ways(0.0, 0.0, tp, tn, box, leaf, out, n)
    if mode == LEAF:
        return out, n
    for r in range(len(runs)):
        take, s, e = runs[r, 0], runs[r, 1], runs[r, 2]
        if take == 1:
            out = _grown(out, n, 2 * (e - s))
            for v in range(s, e):
                n = _two_ways(p[v], q[v], tp, tn, box, leaf, out, n)
            continue
        own = np.array([v for v in range(s, e) if p[v] + q[v] > 0])
        if len(own) < e - s:  # a category without rows alone on its side
            out = _grown(out, n, 2)
            n = _two_ways(0.0, 0.0, tp, tn, box, leaf, out, n)
        if take == 2:
            out = _grown(out, n, len(own) * (len(own) + 1))
            for i in range(len(own)):
                a = p[own[i]]
                c = q[own[i]]
                n = _two_ways(a, c, tp, tn, box, leaf, out, n)
                for j in range(i + 1, len(own)):
                    x = a + p[own[j]]
                    n = _two_ways(x, c + q[own[j]], tp, tn, box, leaf, out, n)
        else:
            out, n = _any_members(p, q, own, take, tp, tn, leaf, box, out, n)
    return out, n


@jit
def _any_members(p, q, own, take, tp, tn, leaf, box, out, n):
    """Splits by any number of categories (`take` 0), or by up to `take` of them either way.

    Each category in turn is called positive or negative. The lists of what that may cost so far are
    apart by *slots*, which say what has been called what.
    """
    for way in range(1 if take == 0 else 2):
        to = _slots(take, way)
        ends = to.shape[1]
        size = np.zeros(ends, np.int64)
        lists = np.zeros((ends, 2, 1))
        size[0] = 1
        for v in own:
            new = np.empty((ends, 2, 2 * size.sum()))
            new_size = np.zeros(ends, np.int64)
            for s in range(ends):
                for call in range(2):
                    t = to[call, s]
                    for j in range(size[s] if t >= 0 else 0):
                        x = lists[s, 0, j] + (p[v] if call == 1 else 0.0)
                        y = lists[s, 1, j] + (q[v] if call == 0 else 0.0)
                        if x <= box[0] and y <= box[1]:
                            new_size[t], _ = _place(new[t], new_size[t], x, y, leaf[2] > 0)
            lists = new
            size = new_size
        for s in range(3 if take == 0 else 1, ends):
            out = _grown(out, n, size[s])
            for j in range(size[s]):
                x = lists[s, 0, j]
                y = lists[s, 1, j]
                if _holds(x, tn - y, leaf) and _holds(tp - x, y, leaf):
                    n, _ = _place(out, n, x, y, False)
    return out, n


@jit
def _slots(take, way):
    """The slot that calling a category positive (row 0) or negative (row 1) leads to, or -1."""
    if take == 0:  # slots: nothing called yet, all positive so far, all negative, both
        to = np.empty((2, 4), np.int64)
        to[:, 0] = 1
        to[:, 1] = 3
        to[0, 1] = 1
        to[:, 2:] = 3
        to[1, 0] = 2
        to[1, 2] = 2
        return to
    to = np.empty((2, take + 1), np.int64)  # slots: how many were called the counted way
    for s in range(take + 1):
        to[1 - way, s] = s
        to[way, s] = s + 1 if s < take else -1
    return to


# ------------------------------------------------------------ two levels


@jit
def split_fronts(
    P, N, PT, NT, X, Y, totals, splits, bounds, alpha, beta,
    low_runs, low_mode, high_runs, high_mode, leaf, wanted, first, halt,
):  # fmt: skip
    """Put the fronts of splits of a class of two levels into the wanted one.

    Parameters
    ----------
    P, N, PT, NT
        The weights of the row sets that the splits are made of.
    X, Y : float64[V]
        Positive and negative weight in each column, of all rows at the node.
    totals : float64[2]
        Positive and negative weight of all rows.
    splits : int64[C, 3]
        The members: one row set, or two disjoint ones (else -1), by their numbers in P (or none,
        -1 twice); and whether they go to the high child.
    bounds : float64[C, L]
        Weighted lower bounds.
    wanted : float64[5, n]
        What is wanted; `first` is the number of the first split in its notes.
    halt : int64[1]
        Not 0: come back at once.

    Returns
    -------
    float64[5, ...], int
        The list and its length.
    """
    V = P.shape[1]
    n = wanted.shape[1]
    p = np.empty((2, V))
    q = np.empty((2, V))
    weight = np.empty((2, 2))
    low = np.empty((2, 64))
    high = np.empty((2, 64))
    box = np.empty(2)
    for c in range(len(splits)):
        if halt[0] != 0:
            break
        if _first_step(bounds, c, alpha, beta, wanted, n) < 0:
            continue
        u, v, to_high = splits[c]
        _sum_members(P, N, PT, NT, X, Y, totals, u, v, to_high, p, q, weight)
        box[0] = wanted[0, n - 1] - 1
        box[1] = wanted[1, 0] - 1
        low, n_low = stump_front(
            p[0], q[0], weight[0, 0], weight[0, 1], low_runs, low_mode, leaf, box, low
        )
        if n_low == 0:
            continue
        box[0] -= low[0, 0]
        box[1] -= low[1, n_low - 1]
        high, n_high = stump_front(
            p[1], q[1], weight[1, 0], weight[1, 1], high_runs, high_mode, leaf, box, high
        )
        if n_high == 0:
            continue
        wanted, n = combine(low, n_low, high, n_high, wanted, n, first + c)
    return wanted, n


@jit
def _sum_members(P, N, PT, NT, X, Y, totals, u, v, to_high, p, q, weight):
    """Column weights of the low child's rows (0) and of the high child's (1)."""
    a = to_high
    b = 1 - to_high
    p[a] = 0.0
    q[a] = 0.0
    weight[a] = 0.0
    for w in (u, v):
        if w >= 0:
            p[a] += P[w]
            q[a] += N[w]
            weight[a, 0] += PT[w]
            weight[a, 1] += NT[w]
    for j in range(len(X)):
        p[b, j] = X[j] - p[a, j]
        q[b, j] = Y[j] - q[a, j]
    weight[b] = totals - weight[a]


def rehearse(table: Columns, mask: Masks) -> None:
    """Call every primitive once on a tiny problem, which compiles or loads it."""
    v, n = len(table.group), len(table.d)
    positive, negative = np.ones(n), np.ones(n)
    P, N = np.empty((v, v)), np.empty((v, v))
    PT, NT = np.empty(v), np.empty(v)
    halt, found = np.zeros(1, np.int64), np.empty(v, np.int64)
    one, bounds = np.ones(1), np.zeros((v, 1))
    runs = np.array([[1, 0, 2], [2, 2, v]])
    wanted = np.array([[0.0, n], [n, 0.0], [-1, -1], [0, 0], [0, 0]])
    box = np.full(2, float(n))
    column_sums(table, np.ascontiguousarray(table.bits & mask), positive, negative, P, N, PT, NT)
    stump_bounds(P, N, PT, NT, one, one, runs, MAY, bounds)
    first_open(bounds, one, one, wanted, found)
    low, _ = stump_front(P[0], N[0], PT[0], NT[0], runs, MAY, np.zeros(3), box, np.empty((2, 1)))
    combine(low, 1, low, 1, wanted, 2, 0)
    splits = np.array([[0, -1, 0]])
    split_fronts(
        P, N, PT, NT, PT, NT, box, splits, bounds, one, one, runs, MAY, runs, MAY,
        np.zeros(3), wanted, 0, halt,
    )  # fmt: skip
