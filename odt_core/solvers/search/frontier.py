"""Fronts: for every number of false negatives the least number of false positives.

A front is a dense array ``g[b]``, b = 0..B: the least weight of false positives with at most b of
false negatives. Fronts of two subtrees on disjoint rows combine by min-plus convolution. A split
is skipped where, for each b, the largest of a few weighted bounds ``(LB - alpha b) / beta`` already
reaches the wanted front (docs/search.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.depth3 import Work, up_to_2
from odt_core.solvers.search.kernels import jit, scan, shallow, shallow_one
from odt_core.solvers.search.tables import CHAIN, FULL, LEAF, PAIR, Model

FAR = 2**50
MASK_BITS = 60
NOTE = 4
"""Rows of a note before the mask: the split, the members' budget, both sides' false positives."""


class Tables(NamedTuple):
    """Memory for fronts. L multipliers, V columns, B + 1 budgets.

    Attributes
    ----------
    fp, fn : float[V, W]
        Pair tables of positive and negative weight.
    xp, xn, spare : float[W]
        Columns' positive and negative weight.
    two_fp, two_fn : float[2, V, W]
        The same tables of a split's members and of the others.
    two_xp, two_xn : float[2, W]
        Their columns' weights.
    two_total : int64[2, 2]
        Their positive and negative weight.
    mixed : float[V, W]
        Table of one multiplier.
    mixed_d, mixed_p : float[L, W]
        Columns' sums of d and positive weights for each multiplier.
    inside, outside : float[L, 2, W]
        Weighted optima of the children inside and outside every column.
    bound : float[4, L]
        Weighted bounds.
    alpha, beta : int64[L]
        Multipliers: what a false negative and a false positive cost.
    side : float[4, Q + 1, W + 1]
        Positive and negative sums of the low and high side, in the search over subsets.
    rest : float[2, W + 1]
        Positive and negative sums outside a split's members.
    costs, open : float[2, Q + 1, L], float[Q + 1, L]
        Weighted bounds of the two sides, and of the undecided values, in that search.
    mask : int64[...]
        The members of a subset as bits, `MASK_BITS` to a word.
    own : int64[2, Q]
        Positive and negative weight of a set's values that have rows.
    left, right : int64[B + 1]
        The children's fronts.
    steps : int64[2, A, B + 1]
        Knapsack arrays.
    state : int64[4, Q + 1]
        State of the search over subsets.
    """

    fp: npt.NDArray
    fn: npt.NDArray
    xp: npt.NDArray
    xn: npt.NDArray
    spare: npt.NDArray
    two_fp: npt.NDArray
    two_fn: npt.NDArray
    two_xp: npt.NDArray
    two_xn: npt.NDArray
    two_total: npt.NDArray
    mixed: npt.NDArray
    mixed_d: npt.NDArray
    mixed_p: npt.NDArray
    inside: npt.NDArray
    outside: npt.NDArray
    bound: npt.NDArray
    alpha: npt.NDArray
    beta: npt.NDArray
    side: npt.NDArray
    rest: npt.NDArray
    costs: npt.NDArray
    open: npt.NDArray
    mask: npt.NDArray
    own: npt.NDArray
    left: npt.NDArray
    right: npt.NDArray
    steps: npt.NDArray
    state: npt.NDArray


class Whole(NamedTuple):
    """Tables of the rows at a node.

    Attributes
    ----------
    fp, fn : float[V, W]
        Pair tables of positive and negative weight.
    xp, xn : float[W]
        Columns' positive and negative weight.
    total : int64[2]
        Positive and negative weight.
    """

    fp: npt.NDArray
    fn: npt.NDArray
    xp: npt.NDArray
    xn: npt.NDArray
    total: npt.NDArray


def make_tables(model: Model, work: Work, budget: int, alpha: list[int], beta: list[int]) -> Tables:
    """Memory for one thread."""
    v, w = work.F.shape
    number = model.d.dtype
    n = len(alpha)
    arity = int(model.arity.max(initial=1))
    q = int(np.diff(model.start).max(initial=1))
    return Tables(
        fp=np.zeros((v, w), number),
        fn=np.zeros((v, w), number),
        xp=np.zeros(w, number),
        xn=np.zeros(w, number),
        spare=np.zeros(w, number),
        two_fp=np.zeros((2, v, w), number),
        two_fn=np.zeros((2, v, w), number),
        two_xp=np.zeros((2, w), number),
        two_xn=np.zeros((2, w), number),
        two_total=np.zeros((2, 2), np.int64),
        mixed=np.zeros((v, w), number),
        mixed_d=np.zeros((n, w), number),
        mixed_p=np.zeros((n, w), number),
        inside=np.zeros((n, 2, w), number),
        outside=np.zeros((n, 2, w), number),
        bound=np.zeros((4, n), number),
        alpha=np.array(alpha, dtype=np.int64),
        beta=np.array(beta, dtype=np.int64),
        side=np.zeros((4, q + 1, w + 1), number),
        rest=np.zeros((2, w + 1), number),
        costs=np.zeros((2, q + 1, n), number),
        open=np.zeros((q + 1, n), number),
        mask=np.zeros(-(-q // MASK_BITS), np.int64),
        own=np.zeros((2, q), np.int64),
        left=np.zeros(budget + 1, np.int64),
        right=np.zeros(budget + 1, np.int64),
        steps=np.zeros((2, max(arity, 2) + 2, budget + 1), np.int64),
        state=np.zeros((4, q + 1), np.int64),
    )


# ---------------------------------------------------------------- fronts of leaves and stumps


@jit
def reach(wanted):  # type: ignore[no-untyped-def]
    """Budgets that matter: one more than the last at which something above 0 is still wanted."""
    n = len(wanted)
    while n > 0 and wanted[n - 1] <= 0:
        n -= 1
    return n


@jit
def _point(g, fn, fp):  # type: ignore[no-untyped-def]
    if fn < len(g) and fp < g[fn]:
        g[fn] = fp


@jit
def shallow_front(M: Model, cls, xp, xn, tp, tn, T: Tables, g):  # type: ignore[no-untyped-def]
    """Front of a leaf or a leaf-adjacent split, from the columns' positive and negative weight."""
    for b in range(len(g)):
        g[b] = FAR
    if M.level[cls] == LEAF or M.empty_ok[cls]:
        _point(g, tp, 0)
        _point(g, 0, tn)
    if M.level[cls] != LEAF:
        for at in range(M.groups_at[cls], M.groups_at[cls + 1]):
            k = M.groups[at]
            s = M.start[k]
            e = M.start[k + 1]
            if M.kind[k] != CHAIN and M.arity[k] > 1:
                _set_front(xp, xn, s, e, M.kind[k] == FULL, M.arity[k], tp, tn, T, g)
                continue
            for v in range(s, e):
                p = np.int64(xp[v])
                q = np.int64(xn[v])
                _point(g, tp - p, q)
                _point(g, p, tn - q)
    for b in range(1, len(g)):
        if g[b - 1] < g[b]:
            g[b] = g[b - 1]


@jit
def _set_front(xp, xn, s, e, full, m, tp, tn, T: Tables, g):  # type: ignore[no-untyped-def]
    """Front of a split by the values of a set; only values with rows need a choice."""
    n = 0
    for v in range(s, e):
        p = np.int64(xp[v])
        q = np.int64(xn[v])
        if p + q > 0:
            T.own[0, n] = p
            T.own[1, n] = q
            n += 1
    if n < e - s:  # a value without rows alone on its side: all rows go the same way
        _point(g, tp, 0)
        _point(g, 0, tn)
    if full:
        _any_subset(n, T, g)
    elif m == 2:
        _up_to_two(n, tp, tn, T, g)
    else:
        _up_to_m(n, m, tp, tn, T, g)


@jit
def _any_subset(n, T: Tables, g):  # type: ignore[no-untyped-def]
    """Every value is called positive or negative; both answers occur."""
    size = len(g)
    f = T.steps[0, 0]
    for b in range(size):
        f[b] = FAR
    all_p = np.int64(0)  # false negatives if all values so far are called negative
    all_n = np.int64(0)  # false positives if all are called positive
    for v in range(n):
        p = T.own[0, v]
        q = T.own[1, v]
        for back in range(size):
            b = size - 1 - back
            x = f[b] + q
            y = f[b - p] if b >= p else x
            f[b] = x if x < y else y
        if v > 0:
            _point(f[:size], p, all_n)
            _point(f[:size], all_p, q)
        all_p += p
        all_n += q
    for b in range(size):
        if f[b] < g[b]:
            g[b] = f[b]


@jit
def _up_to_two(n, tp, tn, T: Tables, g):  # type: ignore[no-untyped-def]
    """One or two of the values are called negative, or positive, against all the others."""
    for u in range(n):
        p = T.own[0, u]
        q = T.own[1, u]
        _point(g, p, tn - q)
        _point(g, tp - p, q)
        for v in range(u + 1, n):
            a = p + T.own[0, v]
            c = q + T.own[1, v]
            _point(g, a, tn - c)
            _point(g, tp - a, c)


@jit
def _up_to_m(n, m, tp, tn, T: Tables, g):  # type: ignore[no-untyped-def]
    """One to m of the values are called negative, or positive, against all the others."""
    size = len(g)
    few = T.steps[0]  # few[j, b]: j values called negative, the rest positive, false negatives b
    most = T.steps[1]  # most[j, b]: j values called positive, the rest negative
    for j in range(m + 1):
        for b in range(size):
            few[j, b] = FAR
            most[j, b] = FAR
    few[0, 0] = tn
    most[0, 0] = 0
    for v in range(n):
        p = T.own[0, v]
        q = T.own[1, v]
        for back in range(m + 1):
            j = m - back
            for down in range(size):
                b = size - 1 - down
                if j > 0 and b >= p and few[j - 1, b - p] < FAR:
                    x = few[j - 1, b - p] - q
                    few[j, b] = x if x < few[j, b] else few[j, b]
                x = most[j, b - p] if b >= p else np.int64(FAR)
                if j > 0 and most[j - 1, b] + q < x:
                    x = most[j - 1, b] + q
                most[j, b] = x if x < FAR else FAR
    for j in range(1, m + 1):
        for b in range(size):
            x = few[j, b] if few[j, b] < most[j, b] else most[j, b]
            g[b] = x if x < g[b] else g[b]


# ---------------------------------------------------------------- weighted bounds


@jit
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


@jit
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


@jit
def worth_each(T: Tables, bounds, wanted, found):  # type: ignore[no-untyped-def]
    """`worth` of each row of `bounds`, into `found`."""
    for c in range(len(bounds)):
        found[c] = worth(T, bounds[c], wanted)


@jit
def combine(left, right, wanted, note, key, mask):  # type: ignore[no-untyped-def]
    """Min-plus of two fronts into `wanted`.

    Where it improves, ``note[:, b]`` receives the key, the left front's budget, both fronts'
    values, and the mask.
    """
    n = len(left)
    improved = False
    for i in range(n):
        a = left[i]
        if a >= FAR or (i > 0 and left[i - 1] == a):
            continue
        least = np.int64(0)
        for b in range(i, n):
            x = a + right[b - i] - wanted[b]
            least = x if x < least else least
        if least >= 0:
            continue
        improved = True
        for b in range(i, n):
            if a + right[b - i] < wanted[b]:
                wanted[b] = a + right[b - i]
                note[0, b] = key
                note[1, b] = i
                note[2, b] = a
                note[3, b] = right[b - i]
                for w in range(len(mask)):
                    note[NOTE + w, b] = mask[w]
    return improved


@jit
def needed(wanted, floor, out):  # type: ignore[no-untyped-def]
    """What one child's front must undercut, given a lower bound of the other's."""
    n = reach(wanted)
    out[:] = -FAR
    for j in range(n):
        f = floor[j]
        if f >= FAR:
            continue
        for i in range(n - j):
            x = wanted[i + j] - f
            out[i] = x if x > out[i] else out[i]


@jit
def scan_both(M: Model, pos, neg, rows, n, T: Tables):  # type: ignore[no-untyped-def]
    """Pair tables of positive and negative weight. `pos`, `neg` are M with those as d."""
    tn, _ = scan(neg, rows, n, T.fn, T.xn, T.spare)
    tp, _ = scan(pos, rows, n, T.fp, T.xp, T.spare)
    return np.int64(tp), np.int64(tn)


@jit
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


# ---------------------------------------------------------------- the two sides of a split


@jit
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


@jit
def _other(two, own, whole, side):  # type: ignore[no-untyped-def]
    for u in range(len(own)):
        a = own[u]
        b = whole[u]
        to = two[side, u]
        rest = two[1 - side, u]
        for v in range(len(a)):
            to[v] = a[v]
            rest[v] = b[v] - a[v]


@jit
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


@jit
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


@jit
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


@jit
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


@jit
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


# ---------------------------------------------------------------- two levels


@jit
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


@jit
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


@jit
def _key(k, way, u, v):  # type: ignore[no-untyped-def]
    """A split of at most two columns as one number, never 0."""
    return ((np.int64(k + 2) * 2 + way) * 65536 + (u + 1)) * 65536 + (v + 1)


@jit
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


@jit
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


@jit
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


@jit
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


@jit
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


@jit
def _can_win(i, wanted, T: Tables):  # type: ignore[no-untyped-def]
    """Whether the first i values as sent leave a chance."""
    bound = T.bound[2]
    for m in range(len(bound)):
        bound[m] = T.costs[0, i, m] + T.costs[1, i, m] + T.open[i, m]
    return worth(T, bound, wanted)


@jit
def _mark(M: Model, k, i, is_low, T: Tables):  # type: ignore[no-untyped-def]
    """Note in the mask whether value i of the order is on the low side."""
    bit = T.state[0, i] - M.start[k]
    flag = np.int64(1) << (bit % MASK_BITS)
    if is_low:
        T.mask[bit // MASK_BITS] |= flag
    else:
        T.mask[bit // MASK_BITS] &= ~flag


@jit
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
