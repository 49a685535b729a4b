"""What excludes a split from a front: weighted bounds of its two sides.

A split is skipped where, for each budget b, the largest of a few weighted bounds
``(LB - alpha b) / beta`` already reaches the wanted front (docs/search.md).
"""

from __future__ import annotations

import numpy as np

from odt_core.solvers.search.entries import called, lean
from odt_core.solvers.search.front_tables import Tables, Whole
from odt_core.solvers.search.model import PAIR, Model
from odt_core.solvers.search.scan import scan
from odt_core.solvers.search.work import Work, up_to_2


@lean
def mix(T: Tables, i, n, fp, fn, out):  # type: ignore[no-untyped-def]
    """Set out to beta fn - alpha fp over n rows, for multiplier i."""
    a = out.dtype.type(T.alpha[i])
    b = out.dtype.type(T.beta[i])
    for u in range(n):
        p = fp[u]
        q = fn[u]
        to = out[u]
        for v in range(len(to)):
            to[v] = b * q[v] - a * p[v]


@called
def worth(T: Tables, bound, wanted):  # type: ignore[no-untyped-def]
    """Whether a split with these weighted bounds may beat the wanted front somewhere."""
    n = len(T.alpha)
    last = 0  # what excluded one budget is likely to exclude the next
    for b in range(len(wanted)):
        if wanted[b] <= 0:
            continue
        most = wanted[b] - 1
        if np.int64(bound[last]) - T.alpha[last] * b > T.beta[last] * most:
            continue
        beaten = False
        for i in range(n):
            if np.int64(bound[i]) - T.alpha[i] * b > T.beta[i] * most:
                beaten = True
                last = i
                break
        if not beaten:
            return True
    return False


@called
def worth_each(T: Tables, bounds, wanted, found):  # type: ignore[no-untyped-def]
    """`worth` of each row of `bounds`, into `found`."""
    for c in range(len(bounds)):
        found[c] = worth(T, bounds[c], wanted)


@called
def scan_both(M: Model, pos, neg, rows, n, T: Tables):  # type: ignore[no-untyped-def]
    """Pair tables of positive and negative weight. `pos`, `neg` are M with those as d."""
    tn, _ = scan(neg, rows, n, 0, T.fn, T.xn, T.spare, T.bits)
    tp, _ = scan(pos, rows, n, 0, T.fp, T.xp, T.spare, T.bits)
    return np.int64(tp), np.int64(tn)


@called
def weighted(M: Model, pos, neg, cls, rows, n, T: Tables, W: Work, out):  # type: ignore[no-untyped-def]
    """Weighted optimum of a class of at most two levels for every multiplier."""
    tp, tn = scan_both(M, pos, neg, rows, n, T)
    number = T.mixed.dtype.type
    for i in range(len(T.alpha)):
        mix(T, i, len(T.mixed), T.fp, T.fn, T.mixed)
        a = number(T.alpha[i])
        b = number(T.beta[i])
        for v in range(len(T.xp)):
            T.mixed_d[i, v] = b * T.xn[v] - a * T.xp[v]
            T.mixed_p[i, v] = a * T.xp[v]
        out[i] = up_to_2(
            M, cls, T.mixed, T.mixed_d[i], T.mixed_p[i],
            b * number(tn) - a * number(tp), a * number(tp), number(np.inf), W,
        )  # fmt: skip


@lean
def _count_sides(M: Model, pos, neg, rows, n, side, N: Whole, T: Tables):  # type: ignore[no-untyped-def]
    """Tables of the rows on one side of a split (`side`), and with them of the other side."""
    tp, tn = scan_both(M, pos, neg, rows, n, T)
    _other(T.two_fp, T.fp, N.fp, side)
    _other(T.two_fn, T.fn, N.fn, side)
    for v in range(len(T.xp)):
        T.two_xp[side, v] = T.xp[v]
        T.two_xn[side, v] = T.xn[v]
        T.two_xp[1 - side, v] = N.xp[v] - T.xp[v]
        T.two_xn[1 - side, v] = N.xn[v] - T.xn[v]
    T.two_total[side, 0] = tp
    T.two_total[side, 1] = tn
    T.two_total[1 - side, 0] = N.total[0] - tp
    T.two_total[1 - side, 1] = N.total[1] - tn


@lean
def _other(two, own, whole, side):  # type: ignore[no-untyped-def]
    for u in range(len(own)):
        a = own[u]
        b = whole[u]
        to = two[side, u]
        rest = two[1 - side, u]
        for v in range(len(a)):
            to[v] = a[v]
            rest[v] = b[v] - a[v]


@lean
def _weigh(M: Model, child, side, i, T: Tables, W: Work):  # type: ignore[no-untyped-def]
    """Weighted optimum of a class of at most two levels on one side, for multiplier i."""
    number = T.mixed.dtype.type
    a = number(T.alpha[i])
    b = number(T.beta[i])
    if M.level[child] == PAIR:
        mix(T, i, len(T.mixed), T.two_fp[side], T.two_fn[side], T.mixed)
    D = T.mixed_d[0]
    P = T.mixed_p[0]
    for v in range(len(D)):
        D[v] = b * T.two_xn[side, v] - a * T.two_xp[side, v]
        P[v] = a * T.two_xp[side, v]
    tp = number(T.two_total[side, 0])
    tn = number(T.two_total[side, 1])
    return up_to_2(M, child, T.mixed, D, P, b * tn - a * tp, a * tp, number(np.inf), W)


@called
def exact_bounds(M: Model, pos, neg, inner, outer, rows, n, side, N, lower, T: Tables, W: Work):  # type: ignore[no-untyped-def]
    """Weighted optima of a split's members (class `inner`) and others (`outer`).

    Parameters
    ----------
    rows, n, side
        The first n rows are those on that side: 0 the members, 1 the others.
    lower : float[2, L]
        Receives the optima.
    """
    _count_sides(M, pos, neg, rows, n, side, N, T)
    for i in range(len(T.alpha)):
        lower[0, i] = _weigh(M, inner, 0, i, T, W)
        lower[1, i] = _weigh(M, outer, 1, i, T, W)


@called
def still_open(T: Tables, lower, wanted, begin):  # type: ignore[no-untyped-def]
    """The first budget from `begin` on that the bounds of both sides leave open, else -1."""
    for b in range(begin, len(wanted)):
        if wanted[b] <= 0:
            continue
        beaten = False
        for i in range(len(T.alpha)):
            bound = np.int64(lower[0, i]) + np.int64(lower[1, i])
            if bound - T.alpha[i] * b > T.beta[i] * (wanted[b] - 1):
                beaten = True
                break
        if not beaten:
            return b
    return -1


@called
def next_multiplier(T: Tables, guide, known, b):  # type: ignore[no-untyped-def]
    """The multiplier that says most about budget b and is not known on both sides, else -1."""
    chosen = -1
    most = 0.0
    for i in range(len(T.alpha)):
        if known[0, i] != 0 and known[1, i] != 0:
            continue
        least = (np.float64(guide[i]) - T.alpha[i] * b) / T.beta[i]
        if chosen < 0 or least > most:
            chosen = i
            most = least
    return chosen


@called
def survives(  # type: ignore[no-untyped-def]
    M: Model,
    pos,
    neg,
    inner,
    outer,
    rows,
    n,
    side,
    N,
    guide,
    wanted,
    lower,
    known,
    T: Tables,
    W: Work,
):
    """Sharpen a split's bounds, one multiplier at a time, until it is excluded or all are known.

    Parameters
    ----------
    guide : float[L]
        How low the whole set gets; tells which multiplier matters for a budget.
    lower, known : float[2, L], uint8[2, L]
        Lower bounds of both sides and whether they are optima; improved in place.

    Other parameters as in `exact_bounds`.
    """
    b = still_open(T, lower, wanted, 0)
    if b < 0:
        return False
    if next_multiplier(T, guide, known, b) < 0:
        return True
    _count_sides(M, pos, neg, rows, n, side, N, T)
    weight = T.two_total[0, 0] + T.two_total[0, 1] - T.two_total[1, 0] - T.two_total[1, 1]
    first = 0 if weight > 0 else 1
    while b >= 0:
        i = next_multiplier(T, guide, known, b)
        if i < 0:
            return True
        for step in range(2):
            at = first if step == 0 else 1 - first
            if known[at, i] == 0:
                lower[at, i] = _weigh(M, inner if at == 0 else outer, at, i, T, W)
                known[at, i] = 1
                if step == 0 and still_open(T, lower, wanted, b) != b:
                    break
        b = still_open(T, lower, wanted, b)
    return False
