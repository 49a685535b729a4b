"""Compiled primitives of fronts (twins with the same signatures: twins.py).

A *front* is a list of points, float64[5, n]. Row 0 has the false negatives, which rise. Row 1 has
the false positives, which fall. Row 2 has the number of the split that reaches the point (-1: the
point is a limit that no tree reaches). Rows 3 and 4 have the point of the split's low child. The
first point of a *wanted* front has no false negatives, and the last has no false positives. A tree
is wanted if it lies below the staircase of these points.

If several row sets are handled at once, ``P[b, v]`` and ``N[b, v]`` are the positive and the
negative weight of set b in column v. ``PT[b]`` and ``NT[b]`` are the weights of the whole set.

`runs` and `alike` describe a family of at most one level. A row of `runs` is a run of columns (see
`Columns.runs`): how many of them may go one way (0: any number), the first column, the last + 1.
"""

from __future__ import annotations

import numba
import numpy as np

from odt_core.solvers.search.columns import Columns
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.kernels import ONE_BIT, first_bit
from odt_core.solvers.search.row_sets import Masks

jit = numba.njit(cache=True, nogil=True, error_model="numpy")


# ------------------------------------------------------------ counting


@jit
def column_sums(table, masks, positive, negative, P, N, PT, NT):
    """Weights of each row set of ``masks[B, W]`` in each column, and of the whole sets."""
    P[:], N[:], PT[:], NT[:] = 0.0, 0.0, 0.0, 0.0
    for b in range(len(masks)):
        for w in range(masks.shape[1]):
            word = masks[b, w]
            while word != np.uint64(0):
                r = w * 64 + first_bit(word)
                word &= word - ONE_BIT
                PT[b] += positive[r]
                NT[b] += negative[r]
                for k in range(len(table.kind)):
                    v = table.start[k] + table.local[k, r]
                    if v < table.start[k + 1]:
                        P[b, v] += positive[r]
                        N[b, v] += negative[r]
        for k in range(len(table.kind)):
            if table.kind[k] == CHAIN:
                for v in range(table.start[k] + 1, table.start[k + 1]):
                    P[b, v] += P[b, v - 1]
                    N[b, v] += N[b, v - 1]


# ------------------------------------------------------------ bounds


@jit
def first_open(bounds, alpha, beta, wanted, found):
    """The first step of the wanted staircase that the ``bounds[B, L]`` of each split leave open.

    It is -1 if the bounds exclude every step.
    """
    for b in range(len(bounds)):
        found[b] = -1
        last = 0  # the multiplier that excludes a step probably excludes the next one
        for k in range(wanted.shape[1] - 1):
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
                found[b] = k
                break


# ------------------------------------------------------------ lists of points


@jit
def _grown(points, n, more):
    """A list with room for more points."""
    if n + more <= points.shape[1]:
        return points
    new = np.empty((points.shape[0], 2 * (n + more)))
    for row in range(points.shape[0]):
        for j in range(n):
            new[row, j] = points[row, j]
    return new


@jit
def _place(points, n, x, y, all_of_them):
    """Insert a point and drop the points that it dominates. Returns the new length and its place.

    The place is -1 if the point is dropped. `all_of_them` drops only equal points.
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
    """Insert the sums of two fronts' points into the wanted front. Returns it and its length."""
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
    """Whether a leaf with these weights is large enough or empty."""
    return leaf[0] * p + leaf[1] * q >= leaf[2] or p + q == 0


@jit
def _two_ways(p, q, tp, tn, box, leaf, out, n):
    """Insert the two points of a split whose members weigh p and q: either side is positive."""
    if leaf[2] > 0 and not (_holds(p, q, leaf) and _holds(tp - p, tn - q, leaf)):
        return n
    if tp - p <= box[0] and q <= box[1]:
        n, _ = _place(out, n, tp - p, q, False)
    if p <= box[0] and tn - q <= box[1]:
        n, _ = _place(out, n, p, tn - q, False)
    return n


@jit
def stump_front(p, q, tp, tn, runs, alike, leaf, box, out):
    """The front of a family of at most one level on one row set. Returns it and its length.

    Parameters
    ----------
    p, q : float64[V]
        Positive and negative weight in each column. `tp` and `tn` are the weights of the set.
    alike : bool
        Whether all rows may get the same label.
    leaf : float64[3]
        A leaf with rows needs ``leaf[0] p + leaf[1] q >= leaf[2]``.
    box : float64[2]
        The most false negatives and false positives that are wanted.
    out : float64[2, ...]
        Memory for the points.
    """
    n = 0
    out = _grown(out, n, 4)
    if alike:
        n = _two_ways(0.0, 0.0, tp, tn, box, leaf, out, n)
    for r in range(len(runs)):
        arity, s, e = runs[r, 0], runs[r, 1], runs[r, 2]
        if arity == 1:
            out = _grown(out, n, 2 * (e - s))
            for v in range(s, e):
                n = _two_ways(p[v], q[v], tp, tn, box, leaf, out, n)
            continue
        own = np.array([v for v in range(s, e) if p[v] + q[v] > 0])
        if len(own) < e - s:  # a category without rows may be alone on its side
            out = _grown(out, n, 2)
            n = _two_ways(0.0, 0.0, tp, tn, box, leaf, out, n)
        out, n = _any_members(p, q, own, arity, tp, tn, leaf, box, out, n)
    return out, n


@jit
def _any_members(p, q, own, arity, tp, tn, leaf, box, out, n):
    """Insert splits by any number of categories (`arity` 0), or by at most `arity` of them.

    One category after the other is called positive or negative. The errors so far are kept in a
    list for each *slot*. A slot stands for the labels that were used (see `_slots`).
    """
    for way in range(1 if arity == 0 else 2):
        to = _slots(arity, way)
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
        for s in range(3 if arity == 0 else 1, ends):
            out = _grown(out, n, size[s])
            for j in range(size[s]):
                x = lists[s, 0, j]
                y = lists[s, 1, j]
                if _holds(x, tn - y, leaf) and _holds(tp - x, y, leaf):
                    n, _ = _place(out, n, x, y, False)
    return out, n


@jit
def _slots(arity, way):
    """The slot that calling a category positive (row 0) or negative (row 1) leads to, or -1."""
    if arity == 0:  # slots: no label yet, only positive so far, only negative, both
        to = np.empty((2, 4), np.int64)
        to[:, 0] = 1
        to[:, 1] = 3
        to[0, 1] = 1
        to[:, 2:] = 3
        to[1, 0] = 2
        to[1, 2] = 2
        return to
    to = np.empty((2, arity + 1), np.int64)  # slots: how many categories have the counted label
    for s in range(arity + 1):
        to[1 - way, s] = s
        to[way, s] = s + 1 if s < arity else -1
    return to


def compile_kernels(table: Columns, mask: Masks) -> None:
    """Compile or load every primitive: call each once on a tiny problem."""
    v, n = len(table.group), len(table.d)
    positive, negative = np.ones(n), np.ones(n)
    P, N = np.empty((v, v)), np.empty((v, v))
    PT, NT = np.empty(v), np.empty(v)
    found, one = np.empty(v, np.int64), np.ones(1)
    runs = np.array([[1, 0, 2], [2, 2, v]])
    wanted = np.array([[0.0, n], [n, 0.0], [-1, -1], [0, 0], [0, 0]])
    box = np.full(2, float(n))
    column_sums(table, np.ascontiguousarray(table.bits & mask), positive, negative, P, N, PT, NT)
    first_open(np.zeros((v, 1)), one, one, wanted, found)
    low, _ = stump_front(P[0], N[0], PT[0], NT[0], runs, True, np.zeros(3), box, np.empty((2, 1)))
    combine(low, 1, low, 1, wanted, 2, 0)
