"""Fronts of subtrees of two levels."""

from __future__ import annotations

import numpy as np

from odt_core.solvers.search.entries import called, lean
from odt_core.solvers.search.front1 import shallow_front
from odt_core.solvers.search.front_bounds import mix, scan_both, worth
from odt_core.solvers.search.front_tables import MASK_BITS, Tables, combine, reach
from odt_core.solvers.search.kernels import shallow, shallow_one
from odt_core.solvers.search.model import CHAIN, Model
from odt_core.solvers.search.work import Work


@lean
def _lanes(M: Model, cls, tp, tn, T: Tables, W: Work):  # type: ignore[no-untyped-def]
    """Weighted optima of the children inside and outside every column."""
    V = M.size[0]
    number = T.mixed.dtype.type
    one = number(1)
    h = 0 if M.low[cls] == M.high[cls] else 1
    S = W.S
    for i in range(len(T.alpha)):
        mix(T, i, V, T.fp, T.fn, T.mixed)
        a = number(T.alpha[i])
        b = number(T.beta[i])
        D = T.mixed_d[i]
        P = T.mixed_p[i]
        for v in range(len(D)):
            D[v] = b * T.xn[v] - a * T.xp[v]
            P[v] = a * T.xp[v]
        for v in range(V):
            S.tot[0, v] = b * number(tn) - a * number(tp) - D[v]
            S.pos[0, v] = a * number(tp) - P[v]
        for x in range(h + 1):
            child = M.low[cls] if x == 0 else M.high[cls]
            shallow(M, child, T.mixed, 0, V, S.zero, one, D, P, S, T.inside[i, x], 0)
            shallow(M, child, T.mixed, 0, V, D, -one, S.tot[0], S.pos[0], S, T.outside[i, x], 0)


@lean
def _evaluate(M: Model, cls, way, tp, tn, p, n, wanted, note, key, T: Tables):  # type: ignore[no-untyped-def]
    """A split whose members' columns have sums p, n (totals at index V)."""
    V = M.size[0]
    rest_p = T.rest[0]
    rest_n = T.rest[1]
    for j in range(V):
        rest_p[j] = T.xp[j] - p[j]
        rest_n[j] = T.xn[j] - n[j]
    a = np.int64(p[V])
    c = np.int64(n[V])
    first = M.low[cls] if way == 0 else M.high[cls]
    second = M.high[cls] if way == 0 else M.low[cls]
    size = reach(wanted)
    shallow_front(M, first, p, n, a, c, T, T.left[:size])
    shallow_front(M, second, rest_p, rest_n, tp - a, tn - c, T, T.right[:size])
    return combine(T.left[:size], T.right[:size], wanted, note, key, T.mask)


@lean
def _key(k, way, u, v):  # type: ignore[no-untyped-def]
    """A split of at most two columns as one number, never 0."""
    return ((np.int64(k + 2) * 2 + way) * 65536 + (u + 1)) * 65536 + (v + 1)


@lean
def _columns(M: Model, u, v, T: Tables):  # type: ignore[no-untyped-def]
    """Sums of the rows in column u (and v), into T.side[0:2, 0]; totals at index V."""
    V = M.size[0]
    p = T.side[0, 0]
    n = T.side[1, 0]
    for j in range(V):
        p[j] = T.fp[u, j]
        n[j] = T.fn[u, j]
    p[V] = T.xp[u]
    n[V] = T.xn[u]
    if v >= 0:
        for j in range(V):
            p[j] += T.fp[v, j]
            n[j] += T.fn[v, j]
        p[V] += T.xp[v]
        n[V] += T.xn[v]


@called
def front2(M: Model, pos, neg, cls, rows, n, wanted, note, stop, T: Tables, W: Work):  # type: ignore[no-untyped-def]
    """Front of a class of two levels wherever it is below `wanted`, into `wanted` and `note`.

    Parameters
    ----------
    M, pos, neg : Model
        The model; with positive and with negative weights in place of d.
    wanted : int64[B + 1]
        Upper limits; improved in place.
    note : int64[..., B + 1]
        How each improvement is reached (see `combine`).
    """
    tp, tn = scan_both(M, pos, neg, rows, n, T)
    _lanes(M, cls, tp, tn, T, W)
    h = 0 if M.low[cls] == M.high[cls] else 1
    ways = 1 if h == 0 or M.one_way[cls] else 2
    none_p = T.side[0, 0]
    none_n = T.side[1, 0]
    for w in range(len(T.mask)):
        T.mask[w] = 0
    if M.empty_ok[cls]:
        for way in range(h + 1):
            none_p[:] = 0
            none_n[:] = 0
            _evaluate(M, cls, way, tp, tn, none_p, none_n, wanted, note, _key(-1, way, -1, -1), T)
    bound = T.bound[0]
    for at in range(M.groups_at[cls], M.groups_at[cls + 1]):
        k = M.groups[at]
        s = M.start[k]
        e = M.start[k + 1]
        for way in range(ways):
            x = way
            y = h - way
            for v in range(s, e):
                if stop[0] != 0:
                    return
                for i in range(len(bound)):
                    bound[i] = T.inside[i, x, v] + T.outside[i, y, v]
                if worth(T, bound, wanted):
                    _columns(M, v, -1, T)
                    key = _key(k, way, v, -1)
                    _evaluate(M, cls, way, tp, tn, none_p, none_n, wanted, note, key, T)
        if M.kind[k] != CHAIN and M.arity[k] == 2:
            _pairs_front(M, cls, k, tp, tn, wanted, note, stop, T)
        elif M.arity[k] > 2:
            _subsets_front(M, cls, k, tp, tn, wanted, note, stop, T, W)


@lean
def _pairs_front(M: Model, cls, k, tp, tn, wanted, note, stop, T: Tables):  # type: ignore[no-untyped-def]
    """Splits by two columns of a set."""
    s = M.start[k]
    e = M.start[k + 1]
    h = 0 if M.low[cls] == M.high[cls] else 1
    bound = T.bound[0]
    total = T.bound[1]
    for way in range(h + 1):
        x = way
        y = h - way
        for i in range(len(total)):
            total[i] = 0
            for v in range(s, e):
                total[i] += T.inside[i, y, v]
        for u in range(s, e):
            for v in range(u + 1, e):
                if stop[0] != 0:
                    return
                for i in range(len(bound)):
                    a = T.inside[i, y, u]
                    b = T.inside[i, y, v]
                    weight_u = T.mixed_d[i, u] + T.mixed_p[i, u] + T.mixed_p[i, u]
                    weight_v = T.mixed_d[i, v] + T.mixed_p[i, v] + T.mixed_p[i, v]
                    rest = total[i] - a - b
                    other = T.outside[i, y, u] - weight_v + b
                    rest = other if other > rest else rest
                    other = T.outside[i, y, v] - weight_u + a
                    rest = other if other > rest else rest
                    bound[i] = T.inside[i, x, u] + T.inside[i, x, v] + rest
                if worth(T, bound, wanted):
                    _columns(M, u, v, T)
                    key = _key(k, way, u, v)
                    _evaluate(M, cls, way, tp, tn, T.side[0, 0], T.side[1, 0], wanted, note, key, T)


@lean
def _subsets_front(M: Model, cls, k, tp, tn, wanted, note, stop, T: Tables, W: Work):  # type: ignore[no-untyped-def]
    """Splits by any allowed subset of a set, depth first."""
    h = 0 if M.low[cls] == M.high[cls] else 1
    order = T.state[0]
    n = 0
    for v in range(M.start[k], M.start[k + 1]):
        if T.xp[v] + T.xn[v] > 0:
            i = n
            while i > 0 and T.xp[order[i - 1]] + T.xn[order[i - 1]] < T.xp[v] + T.xn[v]:
                order[i] = order[i - 1]
                i -= 1
            order[i] = v
            n += 1
    if n == 0:
        return
    T.open[n] = 0
    for back in range(n):
        j = n - 1 - back
        for i in range(len(T.alpha)):
            a = T.inside[i, 0, order[j]]
            b = T.inside[i, h, order[j]]
            T.open[j, i] = T.open[j + 1, i] + (a if a < b else b)
    T.side[:, 0] = 0
    T.costs[:, 0] = 0
    _grow(M, cls, k, n, tp, tn, wanted, note, stop, T, W)
    for w in range(len(T.mask)):
        T.mask[w] = 0


@lean
def _grow(M: Model, cls, k, n, tp, tn, wanted, note, stop, T: Tables, W: Work):  # type: ignore[no-untyped-def]
    """Send the values of the order low or high, one by one; with all sent, evaluate the split.

    A stack of its own, no recursion: numba cannot load a recursive function from its cache.
    """
    tried = T.state[1]
    lows = T.state[2]
    sides_at_first = 1 if M.low[cls] == M.high[cls] else 2
    i = 0
    lows[0] = 0
    arrived = True
    while i >= 0:
        if arrived:
            arrived = False
            tried[i] = 0
            can_win = stop[0] == 0 and _can_win(i, wanted, T)
            if can_win and i == n:
                full = n == M.start[k + 1] - M.start[k]
                if M.empty_ok[cls] or not full or (lows[i] != 0 and lows[i] != n):
                    key = _key(k, 0, -1, -1)
                    low, high = T.side[0, n], T.side[1, n]
                    _evaluate(M, cls, 0, tp, tn, low, high, wanted, note, key, T)
            if not can_win or i == n:
                i -= 1
                if i >= 0 and tried[i] == 1:
                    _mark(M, k, i, False, T)
                continue
        to = tried[i]
        if to == (sides_at_first if i == 0 else 2):
            i -= 1
            if i >= 0 and tried[i] == 1:
                _mark(M, k, i, False, T)
            continue
        tried[i] = to + 1
        here = lows[i] + 1 - to
        if here > M.arity[k] and i + 1 - here > M.arity[k]:
            continue
        _send(M, cls, i, to, T, W)
        if to == 0:
            _mark(M, k, i, True, T)
        lows[i + 1] = here
        i += 1
        arrived = True


@lean
def _can_win(i, wanted, T: Tables):  # type: ignore[no-untyped-def]
    """Whether the first i values as sent leave a chance."""
    bound = T.bound[2]
    for m in range(len(bound)):
        bound[m] = T.costs[0, i, m] + T.costs[1, i, m] + T.open[i, m]
    return worth(T, bound, wanted)


@lean
def _mark(M: Model, k, i, is_low, T: Tables):  # type: ignore[no-untyped-def]
    """Note in the mask whether value i of the order is on the low side."""
    bit = T.state[0, i] - M.start[k]
    flag = np.int64(1) << (bit % MASK_BITS)
    if is_low:
        T.mask[bit // MASK_BITS] |= flag
    else:
        T.mask[bit // MASK_BITS] &= ~flag


@lean
def _send(M: Model, cls, i, to, T: Tables, W: Work):  # type: ignore[no-untyped-def]
    """Add value i of the order to the low (0) or high (1) side; bound that side again."""
    V = M.size[0]
    number = T.mixed.dtype.type
    v = T.state[0, i]
    for f in range(4):
        for j in range(V + 1):
            T.side[f, i + 1, j] = T.side[f, i, j]
    own_p = T.side[2 * to, i + 1]
    own_n = T.side[2 * to + 1, i + 1]
    for j in range(V):
        own_p[j] += T.fp[v, j]
        own_n[j] += T.fn[v, j]
    own_p[V] += T.xp[v]
    own_n[V] += T.xn[v]
    child = M.low[cls] if to == 0 else M.high[cls]
    for m in range(len(T.alpha)):
        a = number(T.alpha[m])
        b = number(T.beta[m])
        for j in range(V):
            T.spare[j] = b * own_n[j] - a * own_p[j]
        T.costs[to, i + 1, m] = shallow_one(
            M, child, T.spare, b * own_n[V] - a * own_p[V], a * own_p[V], W.S.acc
        )
        T.costs[1 - to, i + 1, m] = T.costs[1 - to, i, m]
