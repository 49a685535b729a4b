"""The compiled primitives of tables (see twins.py for the same in plain NumPy).

Leaf-adjacent splits of many row sets are solved as lanes of vectors: lane i is row set i, and loops
run over the columns, so that every step is one addition and a few comparisons for all lanes.
"""

from __future__ import annotations

import numba
import numpy as np

from odt_core.solvers.exact.columns import ANY, LEAF, ONE, PAIR, STUMP
from odt_core.solvers.exact.groups import CHAIN

jit = numba.njit(cache=True, nogil=True, error_model="numpy")
INF = np.inf
ONE_BIT = np.uint64(1)

LOW, HIGH, A, B, C, D_ = 0, 1, 2, 3, 4, 5
"""Rows of the accumulators: least sum of what is called positive, largest of what is not, the two
smallest and two largest of a run. More smallest and largest follow where a cap wants them."""


# ---------------------------------------------------------------- counting


@jit
def first_bit(word):  # type: ignore[no-untyped-def]
    """The number of the lowest bit that is set."""
    n = 0
    if word & np.uint64(0xFFFFFFFF) == np.uint64(0):
        n += 32
        word >>= np.uint64(32)
    if word & np.uint64(0xFFFF) == np.uint64(0):
        n += 16
        word >>= np.uint64(16)
    if word & np.uint64(0xFF) == np.uint64(0):
        n += 8
        word >>= np.uint64(8)
    if word & np.uint64(0xF) == np.uint64(0):
        n += 4
        word >>= np.uint64(4)
    if word & np.uint64(0x3) == np.uint64(0):
        n += 2
        word >>= np.uint64(2)
    if word & np.uint64(0x1) == np.uint64(0):
        n += 1
    return n


@jit
def list_rows(mask, rows):  # type: ignore[no-untyped-def]
    """Write the rows of a set down; returns how many there are."""
    n = 0
    for w in range(len(mask)):
        word = mask[w]
        while word != np.uint64(0):
            rows[n] = w * 64 + first_bit(word)
            n += 1
            word &= word - ONE_BIT
    return n


@jit
def spread(T, sums, total):  # type: ignore[no-untyped-def]
    """From sums over cells to sums over columns: cumulate chains, recover what sets dropped."""
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


@jit
def weigh(T, values, mask, out):  # type: ignore[no-untyped-def]
    """Sum of `values` over the rows of a set in each column. Returns that of all."""
    total = 0.0
    out[:] = 0.0
    for w in range(len(mask)):
        word = mask[w]
        while word != np.uint64(0):
            r = w * 64 + first_bit(word)
            word &= word - ONE_BIT
            x = values[r]
            total += x
            for i in range(T.cell_at[r], T.cell_at[r + 1]):
                out[T.cells[i]] += x
    spread(T, out, total)
    return total


@jit
def spread_rows(T, F, D, first, last, upper):  # type: ignore[no-untyped-def]
    """`spread` for rows of a table, on the columns of later (`upper`) or earlier groups."""
    for k in range(len(T.kind)):
        s, e = T.start[k], T.start[k + 1]
        lo, hi = (e, last) if upper else (first, s)
        if hi <= lo:
            continue
        if T.kind[k] == CHAIN:
            for v in range(s + 1, e):
                above = F[v - 1, lo:hi]
                row = F[v, lo:hi]
                for i in range(hi - lo):
                    row[i] += above[i]
        else:
            lost = F[T.dropped[k], lo:hi]
            for i in range(hi - lo):
                lost[i] = D[lo + i]
            for v in range(s, e):
                if v != T.dropped[k]:
                    row = F[v, lo:hi]
                    for i in range(hi - lo):
                        lost[i] -= row[i]


@jit
def count_cells(T, mask, F, D, P):  # type: ignore[no-untyped-def]
    """Sums of d over the rows in two cells (upper half), in each cell, and the totals."""
    F[:, :] = 0.0
    D[:] = 0.0
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
                a = cells[i]
                D[a] += x
                row = F[a]
                for j in range(i + 1, len(cells)):
                    row[cells[j]] += x
            if x < 0.0:
                positive -= x
                for a in cells:
                    P[a] -= x
    return total, positive


@jit
def fill_table(T, mask, F, D, P):  # type: ignore[no-untyped-def]
    """The table of a row set. Returns total and positive weight."""
    v_all = len(D)
    total, positive = count_cells(T, mask, F, D, P)
    spread_rows(T, F, D, 0, v_all, True)
    spread(T, D, total)
    spread(T, P, positive)
    for k in range(len(T.kind)):
        for u in range(T.start[k], T.start[k + 1]):
            for v in range(T.start[k + 1], v_all):
                F[v, u] = F[u, v]
    spread_rows(T, F, D, 0, v_all, False)
    for k in range(len(T.kind)):
        s, e = T.start[k], T.start[k + 1]
        for u in range(s, e):
            for v in range(s):
                F[v, u] = F[u, v]
            for v in range(s, e):
                if T.kind[k] == CHAIN:
                    F[u, v] = D[min(u, v)]
                else:
                    F[u, v] = D[u] if u == v else 0.0
    return total, positive


@jit
def count_pairs(T, mask, F, D, P):  # type: ignore[no-untyped-def]
    """See `twins.count_pairs`."""
    out = np.empty(2)
    out[0], out[1] = fill_table(T, mask, F, D, P)
    return out


# ---------------------------------------------------------------- leaf-adjacent splits


@jit
def lanes_extremes(F, s, e, lo, n, c0, c1, acc):  # type: ignore[no-untyped-def]
    """Least and largest entry of rows s..e of the lanes, kept over runs."""
    low, high = acc[LOW, :n], acc[HIGH, :n]
    for j in range(s, e):
        k = c0[j]
        row = F[j, lo : lo + n]
        for i in range(n):
            x = k + c1 * row[i]
            a = low[i]
            b = high[i]
            low[i] = x if x < a else a
            high[i] = x if x > b else b


@jit
def lanes_two(F, s, e, lo, n, c0, c1, acc):  # type: ignore[no-untyped-def]
    """A run of which up to two columns may be taken."""
    low, high = acc[LOW, :n], acc[HIGH, :n]
    a, b, c, d = acc[A, :n], acc[B, :n], acc[C, :n], acc[D_, :n]
    for i in range(n):
        a[i] = INF
        b[i] = INF
        c[i] = -INF
        d[i] = -INF
    for j in range(s, e):
        k = c0[j]
        row = F[j, lo : lo + n]
        for i in range(n):
            x = k + c1 * row[i]
            p = a[i]
            q = c[i]
            t = p if p > x else x
            u = q if q < x else x
            a[i] = p if p < x else x
            c[i] = q if q > x else x
            p = b[i]
            q = d[i]
            b[i] = t if t < p else p
            d[i] = u if u > q else q
    for i in range(n):
        x = a[i] + (b[i] if b[i] < 0.0 else 0.0)
        y = c[i] + (d[i] if d[i] > 0.0 else 0.0)
        low[i] = x if x < low[i] else low[i]
        high[i] = y if y > high[i] else high[i]


@jit
def lanes_any(F, s, e, lo, n, c0, c1, empty_ok, acc):  # type: ignore[no-untyped-def]
    """A run of which any subset may be taken: everything negative is called positive."""
    low = acc[LOW, :n]
    a, b, c = acc[A, :n], acc[B, :n], acc[C, :n]
    for i in range(n):
        a[i] = 0.0
        b[i] = INF
        c[i] = -INF
    for j in range(s, e):
        k = c0[j]
        row = F[j, lo : lo + n]
        for i in range(n):
            x = k + c1 * row[i]
            a[i] += x if x < 0.0 else 0.0
            p = b[i]
            q = c[i]
            b[i] = x if x < p else p
            c[i] = x if x > q else q
    for i in range(n):
        x = a[i]
        if not empty_ok:  # none would be negative, or all: one value has to differ
            x = b[i] if b[i] >= 0.0 else (x - c[i] if c[i] < 0.0 else x)
        low[i] = x if x < low[i] else low[i]


@jit
def lanes_several(F, s, e, lo, n, c0, c1, m, acc):  # type: ignore[no-untyped-def]
    """A run of which up to m columns may be taken."""
    far = D_ + 1
    acc[far : far + m, :n] = INF
    acc[far + m : far + 2 * m, :n] = -INF
    for j in range(s, e):
        k = c0[j]
        for i in range(n):
            p = k + c1 * F[j, lo + i]
            q = p
            for t in range(m):
                x = acc[far + t, i]
                y = acc[far + m + t, i]
                acc[far + t, i] = p if p < x else x
                p = x if p < x else p
                acc[far + m + t, i] = q if q > y else y
                q = y if q > y else q
    for i in range(n):
        x = acc[far, i]
        y = acc[far + m, i]
        for t in range(1, m):
            x += min(acc[far + t, i], 0.0)
            y += max(acc[far + m + t, i], 0.0)
        acc[LOW, i] = min(acc[LOW, i], x)
        acc[HIGH, i] = max(acc[HIGH, i], y)


@jit
def lanes(T, cls, F, lo, n, c0, c1, tot, pos, acc, out):  # type: ignore[no-untyped-def]
    """Least cost of a class of at most one level for n lanes, into ``out[:n]``.

    Lane i is a row set whose sum of d over column j is ``c0[j] + c1 * F[j, lo + i]``, whose total is
    ``tot[i]`` and whose positive weight is ``pos[i]``.
    """
    if T.level[cls] == LEAF:
        for i in range(n):
            out[i] = pos[i] + (tot[i] if tot[i] < 0.0 else 0.0)
        return
    for i in range(n):
        acc[LOW, i] = INF
        acc[HIGH, i] = -INF
    for r in range(T.runs_at[cls], T.runs_at[cls + 1]):
        take, s, e = T.runs[r, 0], T.runs[r, 1], T.runs[r, 2]
        if take == ONE:
            lanes_extremes(F, s, e, lo, n, c0, c1, acc)
        elif take == ANY:
            lanes_any(F, s, e, lo, n, c0, c1, T.empty_ok[cls], acc)
        elif T.runs[r, 3] == 2:
            lanes_two(F, s, e, lo, n, c0, c1, acc)
        else:
            lanes_several(F, s, e, lo, n, c0, c1, T.runs[r, 3], acc)
    empty_ok = T.empty_ok[cls]
    for i in range(n):
        x = tot[i] - acc[HIGH, i]
        x = acc[LOW, i] if acc[LOW, i] < x else x
        if empty_ok:
            y = tot[i] if tot[i] < 0.0 else 0.0
            x = y if y < x else x
        out[i] = pos[i] + x


@jit
def accumulators(T, n):  # type: ignore[no-untyped-def]
    """Working memory of `lanes`."""
    most = 0
    for r in range(len(T.runs)):
        if T.runs[r, 0] != ANY:
            most = max(most, T.runs[r, 3])
    return np.empty((D_ + 1 + 2 * most, n))


@jit
def one_set(T, cls, x, total, positive, acc):  # type: ignore[no-untyped-def]
    """The same for one row set whose columns' sums are x."""
    best = INF
    if T.level[cls] == LEAF or T.empty_ok[cls]:
        best = total if total < 0.0 else 0.0
    if T.level[cls] == LEAF:
        return positive + best
    for r in range(T.runs_at[cls], T.runs_at[cls + 1]):
        take, s, e, m = T.runs[r, 0], T.runs[r, 1], T.runs[r, 2], T.runs[r, 3]
        a = INF
        b = INF
        c = -INF
        d = -INF
        negative = 0.0
        if take == ONE:
            for v in range(s, e):
                y = x[v]
                a = y if y < a else a
                c = y if y > c else c
        elif take == ANY or m == 2:
            for v in range(s, e):
                y = x[v]
                negative += y if y < 0.0 else 0.0
                t = a if a > y else y
                u = c if c < y else y
                a = y if y < a else a
                c = y if y > c else c
                b = t if t < b else b
                d = u if u > d else d
        else:
            a, c = several(x, s, e, m, acc)
        if take == ANY:
            if not T.empty_ok[cls]:
                negative = a if a >= 0.0 else (negative - c if c < 0.0 else negative)
            best = min(best, negative)
        else:
            a += b if b < 0.0 else 0.0
            c += d if d > 0.0 else 0.0
            best = min(best, a, total - c)
    return positive + best


@jit
def several(x, s, e, m, acc):  # type: ignore[no-untyped-def]
    """Least and largest sum of one to m entries of x[s:e]."""
    small, large = acc[0], acc[1]
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


@jit
def shallow_sides(T, cls, F, D, P, totals, first, second, inside, outside):  # type: ignore[no-untyped-def]
    """See `twins.shallow_sides`."""
    v_all = len(D)
    n_single = 0
    while n_single < len(first) and second[n_single] < 0:
        n_single += 1
    ordered = n_single == v_all
    acc = accumulators(T, max(v_all, 8))
    into, rest = np.empty(v_all), np.empty(v_all)
    start = 0
    if ordered:  # all columns at once
        zero = np.zeros(v_all)
        lanes(T, cls, F, 0, v_all, zero, 1.0, D, P, acc, inside)
        lanes(T, cls, F, 0, v_all, D, -1.0, totals[0] - D, totals[1] - P, acc, outside)
        start = v_all
    for i in range(start, len(first)):
        u, w = first[i], second[i]
        d, p = D[u], P[u]
        into[:] = F[u]
        if w >= 0:
            d += D[w]
            p += P[w]
            for j in range(v_all):
                into[j] += F[w, j]
        for j in range(v_all):
            rest[j] = D[j] - into[j]
        inside[i] = one_set(T, cls, into, d, p, acc)
        outside[i] = one_set(T, cls, rest, totals[0] - d, totals[1] - p, acc)


# ---------------------------------------------------------------- two levels


@jit
def note(choice, group, to_high, n, first, second):  # type: ignore[no-untyped-def]
    """Write down a split of at most two columns."""
    choice[0] = group
    choice[1] = to_high
    choice[2] = n
    if n > 0:
        choice[3] = first
    if n > 1:
        choice[4] = second


@jit
def two_levels(T, cls, masks, limits, halt, cost, choice):  # type: ignore[no-untyped-def]
    """See `twins.two_levels`."""
    v_all = len(T.group)
    cost[:] = 0.0
    choice[:, :] = 0
    choice[:, 0] = -2
    F, D, P = np.empty((v_all, v_all)), np.empty(v_all), np.empty(v_all)
    acc = accumulators(T, max(v_all, 8))
    sides = np.empty((4, v_all))  # low and high child inside the columns, then outside
    lines = np.empty((3, v_all))
    deepest = 0
    for k in range(len(T.kind)):
        if T.kind[k] != CHAIN and T.arity[k] > 2:
            deepest = max(deepest, T.start[k + 1] - T.start[k])
    sums = np.empty((2, deepest + 1, v_all if deepest else 0))
    for b in range(len(masks)):
        if halt[0] != 0:
            return
        total, positive = fill_table(T, masks[b], F, D, P)
        if T.level[cls] < PAIR:
            cost[b] = min(one_set(T, cls, D, total, positive, acc), limits[b])
        else:
            best = two_of_table(
                T, cls, F, D, P, total, positive, limits[b], choice[b], acc, sides, lines, sums, halt
            )
            if halt[0] == 0:
                cost[b] = best


@jit
def two_of_table(T, cls, F, D, P, total, positive, limit, choice, acc, sides, lines, sums, halt):  # type: ignore[no-untyped-def]
    """Least cost of a class of two levels for one table, if it is below `limit`."""
    low, high = T.low[cls], T.high[cls]
    best = limit
    if T.empty_ok[cls]:  # one child gets every row
        value = one_set(T, high, D, total, positive, acc)
        if value < best:
            best = value
            note(choice, -1, 0, 0, 0, 0)
        value = one_set(T, low, D, total, positive, acc)
        if value < best:
            best = value
            note(choice, -1, 1, 0, 0, 0)
    if best <= 0.0:
        return best
    inside_all(T, cls, F, D, P, acc, sides, lines)
    best = singles(T, cls, F, D, P, total, positive, best, choice, acc, sides, lines)
    for at in range(T.groups_at[cls], T.groups_at[cls + 1]):
        k = T.groups[at]
        if T.kind[k] == CHAIN or T.arity[k] < 2 or set_bound(T, k, sides) >= best:
            continue
        if T.arity[k] == 2:
            best = pairs(T, cls, k, F, D, P, total, positive, best, choice, acc, sides, lines)
        else:
            best = subsets(T, cls, k, F, D, P, best, choice, acc, sides, sums, halt)
    return best


@jit
def inside_all(T, cls, F, D, P, acc, sides, lines):  # type: ignore[no-untyped-def]
    """What both children cost inside every column."""
    zero = lines[0]
    zero[:] = 0.0
    lanes(T, T.low[cls], F, 0, len(D), zero, 1.0, D, P, acc, sides[0])
    if T.low[cls] == T.high[cls]:
        sides[1, :] = sides[0]
    else:
        lanes(T, T.high[cls], F, 0, len(D), zero, 1.0, D, P, acc, sides[1])


@jit
def set_bound(T, k, sides):  # type: ignore[no-untyped-def]
    """Lower bound of every split of a set."""
    least = 0.0
    for v in range(T.start[k], T.start[k + 1]):
        least += min(sides[0, v], sides[1, v])
    return least


@jit
def singles(T, cls, F, D, P, total, positive, best, choice, acc, sides, lines):  # type: ignore[no-untyped-def]
    """Splits by one column; neighbouring groups go together."""
    low, high = T.low[cls], T.high[cls]
    at, end = T.groups_at[cls], T.groups_at[cls + 1]
    while at < end:
        k = T.groups[at]
        at += 1
        if T.kind[k] != CHAIN and set_bound(T, k, sides) >= best:
            continue
        s, e = T.start[k], T.start[k + 1]
        while at < end and T.start[T.groups[at]] == e:
            k = T.groups[at]
            if T.kind[k] != CHAIN and set_bound(T, k, sides) >= best:
                break
            e = T.start[k + 1]
            at += 1
        n = e - s
        tot, pos = lines[0], lines[1]
        for i in range(n):
            tot[i] = total - D[s + i]
            pos[i] = positive - P[s + i]
        lanes(T, low, F, s, n, D, -1.0, tot, pos, acc, sides[2, s:e])
        if low == high:
            sides[3, s:e] = sides[2, s:e]
        else:
            lanes(T, high, F, s, n, D, -1.0, tot, pos, acc, sides[3, s:e])
        for v in range(s, e):
            value = sides[0, v] + sides[3, v]
            if value < best:
                best = value
                note(choice, T.group[v], 0, 1, v, 0)
            value = sides[1, v] + sides[2, v]
            if value < best and not T.one_way[cls]:
                best = value
                note(choice, T.group[v], 1, 1, v, 0)
    return best


@jit
def pairs(T, cls, k, F, D, P, total, positive, best, choice, acc, sides, lines):  # type: ignore[no-untyped-def]
    """Splits of a set by two columns: those that the bounds leave are evaluated one by one."""
    s, e = T.start[k], T.start[k + 1]
    h = 0 if T.low[cls] == T.high[cls] else 1
    weight = lines[2]
    for v in range(s, e):
        weight[v] = D[v] + P[v] + P[v]
    last = s + 1 if e - s == 4 else e  # two of four: the complement is a pair as well
    for way in range(h + 1):  # way 1: the pair goes to the high child
        into, rest_in, rest = sides[way], sides[1 - way], sides[3 - way]
        everything = 0.0
        for v in range(s, e):
            everything += rest_in[v]
        for u in range(s, last):
            for v in range(u + 1, e):
                # what two columns leave: disjoint sets, and sharpened similarity
                bound = everything - rest_in[u] - rest_in[v]
                other = rest[u] + rest_in[v] - weight[v]
                bound = other if other > bound else bound
                other = rest[v] + rest_in[u] - weight[u]
                bound = other if other > bound else bound
                if into[u] + into[v] + bound < best:
                    best = one_pair(
                        T, cls, way, u, v, F, D, P, total, positive, best, choice, acc, lines
                    )
    return best


@jit
def one_pair(T, cls, way, u, v, F, D, P, total, positive, best, choice, acc, lines):  # type: ignore[no-untyped-def]
    """The split by two columns, which go to the low (way 0) or high child (1)."""
    into, rest = lines[0], lines[1]
    for j in range(len(D)):
        into[j] = F[u, j] + F[v, j]
        rest[j] = D[j] - into[j]
    d, p = D[u] + D[v], P[u] + P[v]
    a, b = (T.low[cls], T.high[cls]) if way == 0 else (T.high[cls], T.low[cls])
    value = one_set(T, a, into, d, p, acc)
    if value < best:
        value += one_set(T, b, rest, total - d, positive - p, acc)
    if value < best:
        best = value
        note(choice, T.group[u], way, 2, u, v)
    return best


# ---------------------------------------------------------------- larger subsets


@jit
def heaviest_first(T, k, D, P, order):  # type: ignore[no-untyped-def]
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


@jit
def subsets(T, cls, k, F, D, P, best, choice, acc, sides, sums, halt):  # type: ignore[no-untyped-def]
    """Splits of a set by any allowed subset, depth first over the columns."""
    size, arity = T.start[k + 1] - T.start[k], T.arity[k]
    order, side = np.empty(size + 1, np.int64), np.zeros(size + 1, np.int64)
    n = heaviest_first(T, k, D, P, order)
    symmetric = T.low[cls] == T.high[cls]
    rest = np.zeros(n + 1)  # least cost of the columns from i on
    for i in range(n - 1, -1, -1):
        rest[i] = rest[i + 1] + min(sides[0, order[i]], sides[1, order[i]])
    # after i columns: cost, sum of d and positive weight of the low and high side, how many went low
    state = np.zeros((n + 1, 6))
    lows = np.zeros(n + 1, np.int64)
    sums[:, 0, :] = 0.0
    i = 0
    while n > 0 and i >= 0 and halt[0] == 0:
        if side[i] == 2 or (i == 0 and side[0] == 1 and symmetric):
            i -= 1
            continue
        if rest[i] + state[i, 0] + state[i, 1] >= best:
            i -= 1
            continue
        to = side[i]
        side[i] += 1
        lows[i + 1] = lows[i] + 1 - to
        if lows[i + 1] > arity and i + 1 - lows[i + 1] > arity:
            continue
        child = T.low[cls] if to == 0 else T.high[cls]
        value = step(T, child, to, i, order[i], F, D, P, sums, state, acc) + rest[i + 1]
        if value >= best:
            continue
        if i + 1 < n:
            i += 1
            side[i] = 0
            continue
        one_sided = lows[n] == 0 or lows[n] == n
        if one_sided and n == size and not T.empty_ok[cls]:
            continue
        best = value
        note_subset(T, k, n, order, side, choice)
    return best


@jit
def step(T, child, to, i, v, F, D, P, sums, state, acc):  # type: ignore[no-untyped-def]
    """State i + 1 from state i by sending column v to a side. Returns the cost of both sides."""
    for j in range(len(D)):
        sums[to, i + 1, j] = sums[to, i, j] + F[v, j]
        sums[1 - to, i + 1, j] = sums[1 - to, i, j]
    state[i + 1] = state[i]
    state[i + 1, 2 + to] += D[v]
    state[i + 1, 4 + to] += P[v]
    state[i + 1, to] = one_set(
        T, child, sums[to, i + 1], state[i + 1, 2 + to], state[i + 1, 4 + to], acc
    )
    return state[i + 1, 0] + state[i + 1, 1]


@jit
def note_subset(T, k, n, order, side, choice):  # type: ignore[no-untyped-def]
    """Write down the split that sends order[i] to the low (side 1) or high (2) child.

    The smaller side is stated; where it is empty, a column without rows stands for it.
    """
    lows = 0
    for i in range(n):
        lows += 1 if side[i] == 1 else 0
    stated = 1 if lows + lows <= n else 2
    m = 0
    for i in range(n):
        if side[i] == stated:
            choice[3 + m] = order[i]
            m += 1
    if m == 0:
        for v in range(T.start[k], T.start[k + 1]):
            known = False
            for i in range(n):
                known |= order[i] == v
            if not known and m == 0:
                choice[3] = v
                m = 1
    choice[0], choice[1], choice[2] = k, stated - 1, m


# ---------------------------------------------------------------- compiling


def rehearse() -> None:
    """Call every kernel once with the types that the search uses, which compiles or loads it."""
    from odt_core.solvers.exact.samples import sample

    table, mask = sample()
    v = len(table.group)
    halt = np.zeros(1, np.int64)
    F, D, P = np.empty((v, v)), np.empty(v), np.empty(v)
    totals = count_pairs(table, mask, F, D, P)
    weigh(table, table.d, mask, D)
    where = np.arange(v)
    shallow_sides(table, STUMP, F, D, P, totals, where, where - v - 1, D.copy(), P.copy())
    cost, choice = np.empty(1), np.empty((1, 5), np.int32)
    two_levels(table, int(table.level.argmax()), mask[None], np.ones(1), halt, cost, choice)
