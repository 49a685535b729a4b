"""Splits of large subsets (no cap, or a cap of three and more): depth-first over the values.

The values of a set are taken by falling weight and sent to the low or the high child. What is
decided is solved exactly; what is not decided costs at least the sum of each value's own best.
"""

from __future__ import annotations

from odt_core.solvers.search.entries import lean
from odt_core.solvers.search.kernels import Scratch, shallow_one
from odt_core.solvers.search.model import Model


@lean
def order_by_weight(M: Model, k, D, P, order):  # type: ignore[no-untyped-def]
    """Columns of group k that have rows, heaviest first, into `order`. Returns their number."""
    n = 0
    z = D.dtype.type(0)
    for v in range(M.start[k], M.start[k + 1]):
        weight = D[v] + P[v] + P[v]
        if weight <= z:
            continue
        i = n
        while i > 0:
            u = order[i - 1]
            if D[u] + P[u] + P[u] >= weight:
                break
            order[i] = u
            i -= 1
        order[i] = v
        n += 1
    return n


@lean
def note_subset(M: Model, S: Scratch, k, n, order, side):  # type: ignore[no-untyped-def]
    """Write down the split that sends order[i] to the low (1) or high (2) child.

    The smaller side is stated; where it is empty and that is not allowed, a value without rows
    stands for it.
    """
    lows = 0
    for i in range(n):
        if side[i] == 1:
            lows += 1
    stated = 1 if lows + lows <= n else 2
    S.split[0] = k
    S.split[1] = stated - 1
    m = 0
    for i in range(n):
        if side[i] == stated:
            S.split[3 + m] = order[i]
            m += 1
    if m == 0:
        for v in range(M.start[k], M.start[k + 1]):
            known = False
            for i in range(n):
                if order[i] == v:
                    known = True
            if not known and m == 0:
                S.split[3] = v
                m = 1
    S.split[2] = m


@lean
def subsets2(M: Model, cls, k, F, D, P, total, positive, best, S: Scratch):  # type: ignore[no-untyped-def]
    """Splits of group k over two levels by any allowed subset. See `depth2`."""
    V = M.size[0]
    z = D.dtype.type(0)
    low = M.low[cls]
    high = M.high[cls]
    h = 0 if low == high else 1
    order = S.state[0]
    side = S.state[1]
    lows = S.state[2]
    n = order_by_weight(M, k, D, P, order)
    if n == 0:
        return best  # no rows: single columns cover it
    size = M.start[k + 1] - M.start[k]
    arity = M.arity[k]
    rest = S.bound[0]  # least cost of the values from i on
    rest[n] = z
    for back in range(n):
        i = n - 1 - back
        x = S.inside[0, order[i]]
        y = S.inside[h, order[i]]
        rest[i] = rest[i + 1] + (x if x < y else y)
    # state after i values: sums of the low and high side, their costs, totals, positives
    for j in range(V):
        S.vec[0, 0, j] = z
        S.vec[1, 0, j] = z
    for b in range(1, 7):
        S.bound[b, 0] = z
    lows[0] = 0
    i = 0
    side[0] = 0
    patience = S.patience[0]
    while i >= 0 and S.halt[0] == 0 and patience > 0:
        patience -= 1
        if side[i] == 2 or (i == 0 and side[0] == 1 and h == 0):
            i -= 1
            continue
        side[i] += 1
        to = side[i] - 1
        v = order[i]
        lows[i + 1] = lows[i] + 1 - to
        if lows[i + 1] > arity and i + 1 - lows[i + 1] > arity:
            continue
        if rest[i] + S.bound[1, i] + S.bound[2, i] >= best:
            i -= 1
            continue
        _step(M, low if to == 0 else high, to, i, v, F[v], D[v], P[v], S)
        value = S.bound[1, i + 1] + S.bound[2, i + 1] + rest[i + 1]
        if value >= best:
            continue
        if i + 1 < n:
            i += 1
            side[i] = 0
            continue
        one_sided = lows[n] == 0 or lows[n] == n
        if one_sided and n == size and not M.empty_ok[cls]:
            continue
        best = value
        note_subset(M, S, k, n, order, side)
    S.patience[0] = patience
    return best


@lean
def _step(M: Model, child, to, i, v, row, d, p, S: Scratch):  # type: ignore[no-untyped-def]
    """State i + 1 from state i by sending value v to side `to`."""
    V = M.size[0]
    old = S.vec[to, i]
    new = S.vec[to, i + 1]
    for j in range(V):
        new[j] = old[j] + row[j]
    same = S.vec[1 - to, i]
    kept = S.vec[1 - to, i + 1]
    for j in range(V):
        kept[j] = same[j]
    for b in range(1, 7):
        S.bound[b, i + 1] = S.bound[b, i]
    S.bound[3 + to, i + 1] += d
    S.bound[5 + to, i + 1] += p
    S.bound[1 + to, i + 1] = shallow_one(
        M, child, new, S.bound[3 + to, i + 1], S.bound[5 + to, i + 1], S.acc
    )
