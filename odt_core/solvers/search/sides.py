"""The two sides of a split: their tables, their costs, and trying a split as far as it pays.

For every column of a group the table of the rows in it is built once (the *slices*); a union's
table is a sum of slices, a complement's the difference from the whole.
"""

from __future__ import annotations

from odt_core.solvers.search.crossings import side_column
from odt_core.solvers.search.entries import call_for_number, called, lean
from odt_core.solvers.search.kernels import shallow_one
from odt_core.solvers.search.model import CHAIN, PAIR, Model
from odt_core.solvers.search.scan import add, copy, count_columns, scan, sort_rows
from odt_core.solvers.search.work import (
    UNKNOWN,
    Work,
    copy_split,
    is_pure,
    lowest,
    up_to_2,
    weight_of,
)

# ---------------------------------------------------------------- slices


@lean
def build_slices(M: Model, k, n, W: Work):  # type: ignore[no-untyped-def]
    """Tables of the rows in each column of group k."""
    s = M.start[k]
    size = M.start[k + 1] - s
    if W.side[0] >= 0:
        for p in range(size):
            side_column(M, W.crossings, W.side, k, s + p, W.slices[p], W.slice_p[p])
        return
    sort_rows(M.local[k], size, W.rows[:n], W.order, W.begin)
    if size <= len(W.slices):  # else counted when needed, see `member_table`
        count_columns(
            M, k, W.order, W.begin, 0, W.slices, W.slice_p, W.F, W.P, W.union_d[0], W.bits
        )


@lean
def member_table(M: Model, k, u, W: Work, F, P):  # type: ignore[no-untyped-def]
    """Table and positive weights of the rows in column u of group k."""
    p = u - M.start[k]
    if M.start[k + 1] - M.start[k] <= len(W.slices):
        copy(W.slices[p], F, W.slice_p[p], P)
        return
    first = 0 if M.kind[k] == CHAIN else W.begin[p]
    scan(M, W.order[first:], W.begin[p + 1] - first, 0, F, W.union_d[1], P, W.bits)


# ---------------------------------------------------------------- one split


@lean
def inside_value(M: Model, cls, x, k, u, v, limit, W: Work):  # type: ignore[no-untyped-def]
    """Child x on the rows in column u (and v, unless negative) of group k."""
    child = M.low[cls] if x == 0 else M.high[cls]
    s = M.start[k]
    kept = M.start[k + 1] - s <= len(W.slices)
    if v < 0 and kept:
        return up_to_2(
            M, child, W.slices[u - s], W.F[u], W.slice_p[u - s], W.D[u], W.P[u], limit, W
        )
    if not kept:
        return _counted(M, child, k, u, v, False, limit, W)
    total = W.D[u] + W.D[v]
    positive = W.P[u] + W.P[v]
    if M.empty_ok[child] and is_pure(total, positive):
        return W.zeros[0]
    union_vector(W.F[u], W.F[v], W.union_d[0])
    if M.level[child] == PAIR:
        union_table(W.slices[u - s], W.slices[v - s], W.union[0])
        union_vector(W.slice_p[u - s], W.slice_p[v - s], W.union_p[0])
    return up_to_2(M, child, W.union[0], W.union_d[0], W.union_p[0], total, positive, limit, W)


@lean
def outside_value(M: Model, cls, x, k, u, v, limit, W: Work):  # type: ignore[no-untyped-def]
    """Child x on the rows outside column u (and v, unless negative) of group k."""
    child = M.low[cls] if x == 0 else M.high[cls]
    s = M.start[k]
    if M.start[k + 1] - s > len(W.slices):
        return _counted(M, child, k, u, v, True, limit, W)
    total = W.whole[0] - W.D[u]
    positive = W.whole[1] - W.P[u]
    table = M.level[child] == PAIR
    if v >= 0:
        total -= W.D[v]
        positive -= W.P[v]
    if M.empty_ok[child] and is_pure(total, positive):
        return W.zeros[0]
    if v < 0:
        rest_vector(W.D, W.F[u], W.union_d[1])
        if table:
            rest_table(W.F, W.slices[u - s], W.union[1])
            rest_vector(W.P, W.slice_p[u - s], W.union_p[1])
    else:
        rest_vector_2(W.D, W.F[u], W.F[v], W.union_d[1])
        if table:
            rest_table_2(W.F, W.slices[u - s], W.slices[v - s], W.union[1])
            rest_vector_2(W.P, W.slice_p[u - s], W.slice_p[v - s], W.union_p[1])
    return up_to_2(M, child, W.union[1], W.union_d[1], W.union_p[1], total, positive, limit, W)


@lean
def _counted(M: Model, child, k, u, v, outside, limit, W: Work):  # type: ignore[no-untyped-def]
    """`inside_value` or `outside_value` for groups whose slices are not kept."""
    F = W.union[0]
    D = W.union_d[0]
    P = W.union_p[0]
    member_table(M, k, u, W, F, P)
    union_vector(W.F[u], W.zeros, D)
    total = W.D[u]
    positive = W.P[u]
    if v >= 0:
        member_table(M, k, v, W, W.union[1], W.union_p[1])
        add(F, W.union[1], 1, P, W.union_p[1])
        union_vector(W.F[u], W.F[v], D)
        total += W.D[v]
        positive += W.P[v]
    if outside:
        rest_table(W.F, F, W.union[1])
        rest_vector(W.D, D, W.union_d[1])
        rest_vector(W.P, P, W.union_p[1])
        return up_to_2(
            M, child, W.union[1], W.union_d[1], W.union_p[1],
            W.whole[0] - total, W.whole[1] - positive, limit, W,
        )  # fmt: skip
    return up_to_2(M, child, F, D, P, total, positive, limit, W)


@called
def shallow_sides(M: Model, cls, first, second, n, F, D, P, total, positive, into, rest, W: Work):  # type: ignore[no-untyped-def]
    """Least costs of a class of at most one level inside and outside each of n splits.

    The splits are the columns `first`, and `second` unless that is negative; F, D, P, `total` and
    `positive` are the table, columns' sums and totals of all rows. The results go to `into` and
    `rest`.
    """
    line = W.union_d[0]
    for i in range(n):
        u = first[i]
        own = D[u]
        pos = P[u]
        for j in range(len(line)):
            line[j] = F[u, j]
        if second[i] >= 0:
            v = second[i]
            own += D[v]
            pos += P[v]
            for j in range(len(line)):
                line[j] += F[v, j]
        into[i] = shallow_one(M, cls, line, own, pos, W.S.acc)
        rest_vector(D, line, line)
        rest[i] = shallow_one(M, cls, line, total - own, positive - pos, W.S.acc)


@lean
def union_vector(a, b, c):  # type: ignore[no-untyped-def]
    """C = a + b."""
    for i in range(len(c)):
        c[i] = a[i] + b[i]


@lean
def rest_vector(a, b, c):  # type: ignore[no-untyped-def]
    """C = a - b."""
    for i in range(len(c)):
        c[i] = a[i] - b[i]


@lean
def rest_vector_2(a, b, d, c):  # type: ignore[no-untyped-def]
    """C = a - b - d."""
    for i in range(len(c)):
        c[i] = a[i] - b[i] - d[i]


@lean
def union_table(A, B, C):  # type: ignore[no-untyped-def]
    """C = A + B."""
    for u in range(len(C)):
        union_vector(A[u], B[u], C[u])


@lean
def rest_table(A, B, C):  # type: ignore[no-untyped-def]
    """C = A - B."""
    for u in range(len(C)):
        rest_vector(A[u], B[u], C[u])


@lean
def rest_table_2(A, B, D, C):  # type: ignore[no-untyped-def]
    """C = A - B - D."""
    for u in range(len(C)):
        rest_vector_2(A[u], B[u], D[u], C[u])


@lean
def try_split_root(  # type: ignore[no-untyped-def]
    M: Model, cls, way, cells, k, u, v, known_in, known_out, bound_in, bound_out, W: Work
):
    """Solve both sides of a split as far as the incumbent needs, the heavier side first.

    Parameters
    ----------
    way : int
        0: the members go to the low child; 1: to the high child.
    u, v : int
        The members; v is -1 for a single column.
    known_in, known_out : bool
        Whether the bounds of the two sides are already their optima.
    bound_in, bound_out : float
        Lower bounds of the sides.

    Returns
    -------
    float
        The split's cost if it is better than the incumbent, else a lower bound. ``W.found``
        receives the sides' bounds, then 1 where they are optima; ``W.below`` the children's splits.
    """
    W.calls[1] += 1
    best = lowest(cells)
    one = W.whole.dtype.type(1)
    z = W.whole.dtype.type(0)
    other = 1 - way if M.low[cls] != M.high[cls] else 0
    weight = weight_of(W, u)
    if v >= 0:
        weight += weight_of(W, v)
    inside_first = weight + weight > W.whole[0] + W.whole[1] + W.whole[1]
    deep_in = M.level[M.low[cls] if way == 0 else M.high[cls]] == PAIR
    deep_out = M.level[M.low[cls] if other == 0 else M.high[cls]] == PAIR
    if deep_in != deep_out:  # what costs next to nothing comes first
        inside_first = deep_out
    W.below[0, 0] = UNKNOWN
    W.below[1, 0] = UNKNOWN
    for step in range(2):
        if bound_in + bound_out >= best:
            break
        W.S.split[0] = UNKNOWN
        if (step == 0) == inside_first:
            if not known_in:
                limit = best - bound_out
                value = inside_value(M, cls, way, k, u, v, limit, W)
                bound_in = value if value > bound_in else bound_in
                known_in = value < limit
                if known_in:
                    copy_split(W.S.split, W.below[way])
        elif not known_out:
            limit = best - bound_in
            value = outside_value(M, cls, other, k, u, v, limit, W)
            bound_out = value if value > bound_out else bound_out
            known_out = value < limit
            if known_out:
                copy_split(W.S.split, W.below[1 - way])
    W.found[0] = bound_in
    W.found[1] = bound_out
    W.found[2] = one if known_in else z
    W.found[3] = one if known_out else z
    return bound_in + bound_out


@lean
def try_split(  # type: ignore[no-untyped-def]
    M: Model, cls, way, cells, k, u, v, known_in, known_out, bound_in, bound_out, W: Work
):
    """Call `try_split_root` by its address. Returns whether the split is the new incumbent."""
    value = call_for_number(
        W.S.entry[2],
        (M, cls, way, cells, k, u, v, known_in, known_out, bound_in, bound_out, W),
    )
    return value < lowest(cells)


@lean
def keep(W: Work, x, y, v):  # type: ignore[no-untyped-def]
    """Store what `try_split` learned about a single column."""
    z = W.whole.dtype.type(0)
    if W.found[0] > W.inside[x, v]:
        W.inside[x, v] = W.found[0]
    if W.found[1] > W.outside[y, v]:
        W.outside[y, v] = W.found[1]
    W.exact_in[x, v] = W.found[2] > z
    W.exact_out[y, v] = W.found[3] > z


@lean
def bettered(W: Work, k, way, n, u, v, cells, me):  # type: ignore[no-untyped-def]
    """Write down a better split of at most two columns."""
    cells[me] = W.found[0] + W.found[1]
    W.split[0] = k
    W.split[1] = way
    W.split[2] = n
    W.split[3] = u
    if n > 1:
        W.split[4] = v
    copy_split(W.below[0], W.kept[0])
    copy_split(W.below[1], W.kept[1])
