"""Three levels: split the root, solve the children as depth-2 subtrees, skip what bounds allow.

Group by group: for every column of a group the table of the rows in it is built once (the
*slices*); a union's table is a sum of slices, a complement's the difference from the whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.crossings import (
    Crossings,
    add,
    copy,
    no_crossings,
    side_column,
    side_table,
)
from odt_core.solvers.search.depth2 import depth2, depth2_root
from odt_core.solvers.search.entries import address_of, call_for_number, called, lean
from odt_core.solvers.search.kernels import (
    Scratch,
    make_scratch,
    padded,
    scan,
    shallow,
    shallow_one,
)
from odt_core.solvers.search.lanes import stump_lanes
from odt_core.solvers.search.subsets import note_subset, order_by_weight
from odt_core.solvers.search.tables import CHAIN, PAIR, Model


class Work(NamedTuple):
    """Working memory of one thread for one set of rows at three levels.

    Attributes
    ----------
    S : Scratch
        For the kernels.
    rows, order : int32[N]
        The rows of the set; the same sorted by their position in a group.
    begin : int64[Q + 2]
        Where each position begins in `order`.
    F, D, P : float[V, W], float[W], float[W]
        Table and columns' sums of the set.
    slices, slice_p : float[..., V, W], float[Q, W]
        Tables and positive weights of the rows in each column of the current group, if they fit.
    union, union_d, union_p : float[2, V, W], float[2, W], float[2, W]
        Tables of the two sides of a split.
    inside, outside : float[2, S]
        Lower bounds of the low and the high child on the rows in a split's columns (see `Model`)
        and on the others.
    exact_in, exact_out : bool[2, S]
        Whether those are the children's optima.
    whole : float[4]
        Totals of d and of positive weight; lower bounds of the low and high child on all rows.
    split : int64[5 + V]
        The best split (as in `Scratch`).
    estimate : float[K]
        How promising each group looks.
    todo : int64[K]
        The groups in the order in which they are tried.
    found : float[4]
        Results of the last split looked at: inside, outside.
    calls : int64[2]
        Depth-2 subtrees solved; splits looked at.
    done : int8[V]
        Thresholds already looked at.
    sub_state, sub_bound : int64[3, Q + 1], float[3, Q + 1]
        State and bounds of the depth-first search over subsets.
    weight_all : float[V]
        Weight of all the problem's rows in each column.
    crossings : Crossings
        Tables counted ahead.
    side : int64[3 + V]
        If these hold a side of a root's split, its tables come from them and not from `rows`:
        group (-1 if not), 1 for what the members leave, number of members, members.
    zeros : float[W]
        Zeros.
    """

    S: Scratch
    rows: npt.NDArray
    order: npt.NDArray
    begin: npt.NDArray
    F: npt.NDArray
    D: npt.NDArray
    P: npt.NDArray
    slices: npt.NDArray
    slice_p: npt.NDArray
    union: npt.NDArray
    union_d: npt.NDArray
    union_p: npt.NDArray
    inside: npt.NDArray
    outside: npt.NDArray
    exact_in: npt.NDArray
    exact_out: npt.NDArray
    whole: npt.NDArray
    split: npt.NDArray
    estimate: npt.NDArray
    todo: npt.NDArray
    found: npt.NDArray
    calls: npt.NDArray
    done: npt.NDArray
    sub_state: npt.NDArray
    sub_bound: npt.NDArray
    weight_all: npt.NDArray
    crossings: Crossings
    side: npt.NDArray
    zeros: npt.NDArray


def make_work(
    model: Model,
    halt: npt.NDArray[np.int64] | None = None,
    memory: float = np.inf,
    crossings: Crossings | None = None,
) -> Work:
    """Working memory for one thread.

    Parameters
    ----------
    model : Model
    halt : int64[1], optional
        Set by the driver to end the kernels.
    memory : float
        Bytes that slices may take. Groups whose slices do not fit are counted from their rows
        each time, which is slower.
    crossings : Crossings, optional
        Tables counted ahead, shared by the threads.
    """
    v, splits = (int(n) for n in model.size)
    w = padded(v)
    q = int(np.diff(model.start).max(initial=1))
    n = len(model.d)
    k = len(model.kind)
    number = model.d.dtype
    scratch = make_scratch(model, np.zeros(1, np.int64) if halt is None else halt)
    kept = int(min(q, max(memory // (v * w * number.itemsize + 1), 1)))
    return Work(
        S=scratch,
        rows=np.zeros(n, np.int32),
        order=np.zeros(n, np.int32),
        begin=np.zeros(q + 2, np.int64),
        F=np.zeros((v, w), number),
        D=np.zeros(w, number),
        P=np.zeros(w, number),
        slices=np.zeros((kept, v, w), number),
        slice_p=np.zeros((q, w), number),
        union=np.zeros((2, v, w), number),
        union_d=np.zeros((2, w), number),
        union_p=np.zeros((2, w), number),
        inside=np.zeros((2, splits), number),
        outside=np.zeros((2, splits), number),
        exact_in=np.zeros((2, splits), np.bool_),
        exact_out=np.zeros((2, splits), np.bool_),
        whole=np.zeros(4, number),
        split=np.zeros(5 + v, np.int64),
        estimate=np.zeros(k, number),
        todo=np.zeros(k, np.int64),
        found=np.zeros(4, number),
        calls=np.zeros(2, np.int64),
        done=np.zeros(v, np.int8),
        sub_state=np.zeros((3, q + 1), np.int64),
        sub_bound=np.zeros((3, q + 1), number),
        weight_all=np.zeros(v, number),
        crossings=no_crossings(model) if crossings is None else crossings,
        side=np.full(3 + v, -1, np.int64),
        zeros=np.zeros(w, number),
    )


@lean
def lowest(cells):  # type: ignore[no-untyped-def]
    """The least of the threads' incumbents."""
    best = cells[0]
    for i in range(1, len(cells)):
        best = cells[i] if cells[i] < best else best
    return best


@lean
def weight_of(W: Work, v):  # type: ignore[no-untyped-def]
    """Weight of the rows in a column."""
    return W.D[v] + W.P[v] + W.P[v]


@lean
def is_pure(total, positive):  # type: ignore[no-untyped-def]
    """Whether a single leaf makes no error."""
    z = total * 0
    return positive <= z or positive + total <= z


@lean
def up_to_2(M: Model, cls, F, D, P, total, positive, limit, W: Work):  # type: ignore[no-untyped-def]
    """Least cost of a class of at most two levels, if below `limit` (else `limit`)."""
    if M.level[cls] == PAIR:
        W.calls[0] += 1
        return depth2(M, cls, F, D, P, total, positive, limit, W.S)
    value = shallow_one(M, cls, D, total, positive, W.S.acc)
    return value if value < limit else limit


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
    local = M.local[k]
    count = W.begin
    for p in range(size + 2):
        count[p] = 0
    for i in range(n):
        count[local[W.rows[i]] + 1] += 1
    skip = -1
    if M.kind[k] != CHAIN:
        skip = 0
        for p in range(1, size):
            if count[p + 1] > count[skip + 1]:
                skip = p
    for p in range(size + 1):
        count[p + 1] += count[p]
    for i in range(n):
        r = W.rows[i]
        p = local[r]
        W.order[count[p]] = r
        count[p] += 1
    if size > len(W.slices):
        return  # counted when needed, see `member_table`
    spare = W.union_d[0]
    for p in range(size):
        if p != skip:
            first = count[p - 1] if p > 0 else 0
            scan(M, W.order[first:], count[p] - first, W.slices[p], spare, W.slice_p[p])
    if skip >= 0:
        copy(W.F, W.slices[skip], W.P, W.slice_p[skip])
        for p in range(size):
            if p != skip:
                add(W.slices[skip], W.slices[p], -1, W.slice_p[skip], W.slice_p[p])
    else:
        for p in range(1, size):
            add(W.slices[p], W.slices[p - 1], 1, W.slice_p[p], W.slice_p[p - 1])


@lean
def member_table(M: Model, k, u, W: Work, F, P):  # type: ignore[no-untyped-def]
    """Table and positive weights of the rows in column u of group k."""
    p = u - M.start[k]
    if M.start[k + 1] - M.start[k] <= len(W.slices):
        copy(W.slices[p], F, W.slice_p[p], P)
        return
    first = W.begin[p - 1] if p > 0 and M.kind[k] != CHAIN else 0
    scan(M, W.order[first:], W.begin[p] - first, F, W.union_d[1], P)


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
        receives the sides' bounds, then 1 where they are optima.
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
    for step in range(2):
        if bound_in + bound_out >= best:
            break
        if (step == 0) == inside_first:
            if not known_in:
                limit = best - bound_out
                value = inside_value(M, cls, way, k, u, v, limit, W)
                bound_in = value if value > bound_in else bound_in
                known_in = value < limit
        elif not known_out:
            limit = best - bound_in
            value = outside_value(M, cls, other, k, u, v, limit, W)
            bound_out = value if value > bound_out else bound_out
            known_out = value < limit
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


# ---------------------------------------------------------------- one group


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
def similar(M: Model, cls, s, e, W: Work):  # type: ignore[no-untyped-def]
    """Sharpen the bounds of columns s..e by the whole set's (sharpened similarity)."""
    h = 0 if M.low[cls] == M.high[cls] else 1
    for x in range(h + 1):
        whole = W.whole[2 + x]
        for v in range(s, e):
            weight = weight_of(W, v)
            rest = W.whole[0] + W.whole[1] + W.whole[1] - weight
            bound = whole - weight + W.inside[x, v]
            if bound > W.outside[x, v]:
                W.outside[x, v] = bound
            bound = whole - rest + W.outside[x, v]
            if bound > W.inside[x, v]:
                W.inside[x, v] = bound


@lean
def spread(s, e, x, y, v, W: Work):  # type: ignore[no-untyped-def]
    """Carry the bounds of threshold v along its chain (monotone, similarity)."""
    base = weight_of(W, v)
    for t in range(v + 1, e):
        step = weight_of(W, t) - base
        if W.inside[x, v] > W.inside[x, t]:
            W.inside[x, t] = W.inside[x, v]
        if W.outside[y, v] - step > W.outside[y, t]:
            W.outside[y, t] = W.outside[y, v] - step
    for t in range(s, v):
        step = base - weight_of(W, t)
        if W.outside[y, v] > W.outside[y, t]:
            W.outside[y, t] = W.outside[y, v]
        if W.inside[x, v] - step > W.inside[x, t]:
            W.inside[x, t] = W.inside[x, v] - step


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


@lean
def chain3(M: Model, cls, k, cells, me, stop, floors, W: Work):  # type: ignore[no-untyped-def]
    """All splits of a chain: the most promising threshold first."""
    s = M.start[k]
    e = M.start[k + 1]
    h = 0 if M.low[cls] == M.high[cls] or M.one_way[cls] else 1
    y1 = 0 if M.low[cls] == M.high[cls] else 1
    done = W.done
    for way in range(h + 1):
        x = way
        y = y1 - way
        for v in range(s, e):
            done[v] = 0
        for _ in range(s, e):
            least = W.whole.dtype.type(np.inf)
            chosen = -1
            middle = (s + e) // 2
            for v in range(s, e):
                if done[v] == 0:
                    bound = W.inside[x, v] + W.outside[y, v]
                    if bound < least or (bound == least and abs(v - middle) < abs(chosen - middle)):
                        least = bound
                        chosen = v
            if stop[0] != 0 or least >= lowest(cells):
                break
            if way == h and least > floors[k]:
                floors[k] = least
            v = chosen
            done[v] = 1
            if try_split(
                M, cls, way, cells, k, v, -1, W.exact_in[x, v], W.exact_out[y, v],
                W.inside[x, v], W.outside[y, v], W,
            ):  # fmt: skip
                bettered(W, k, way, 1, v, -1, cells, me)
            keep(W, x, y, v)
            spread(s, e, x, y, v, W)


@lean
def values3(M: Model, cls, k, cells, stop, W: Work):  # type: ignore[no-untyped-def]
    """Solve the children on single values of a set, heaviest first.

    Their sum bounds all splits of the set: it is enough to go on until it reaches the incumbent.
    """
    h = 0 if M.low[cls] == M.high[cls] else 1
    n = order_by_weight(M, k, W.D, W.P, W.sub_state[0])
    total = sum_inside(M, cls, k, W)
    for i in range(n):
        v = W.sub_state[0, i]
        own = W.inside[0, v] if W.inside[0, v] < W.inside[h, v] else W.inside[h, v]
        for x in range(h + 1):
            best = lowest(cells)
            if stop[0] != 0 or total >= best:
                return
            if not W.exact_in[x, v]:
                limit = best - (total - own)
                value = inside_value(M, cls, x, k, v, -1, limit, W)
                if value > W.inside[x, v]:
                    W.inside[x, v] = value
                W.exact_in[x, v] = value < limit
        new = W.inside[0, v] if W.inside[0, v] < W.inside[h, v] else W.inside[h, v]
        total += new - own


@lean
def sum_inside(M: Model, cls, k, W: Work):  # type: ignore[no-untyped-def]
    """Lower bound of every split of a set: each value costs at least its own best."""
    h = 0 if M.low[cls] == M.high[cls] else 1
    total = W.whole.dtype.type(0)
    for v in range(M.start[k], M.start[k + 1]):
        a = W.inside[0, v]
        b = W.inside[h, v]
        total += a if a < b else b
    return total


@lean
def set_singles3(M: Model, cls, k, cells, me, stop, W: Work):  # type: ignore[no-untyped-def]
    """Splits by one value of a set."""
    s = M.start[k]
    e = M.start[k + 1]
    h = 0 if M.low[cls] == M.high[cls] else 1
    for way in range(h + 1):
        x = way
        y = h - way
        all_in = W.whole.dtype.type(0)
        for v in range(s, e):
            all_in += W.inside[y, v]
        for v in range(s, e):
            if stop[0] != 0:
                return
            # what a value leaves costs at least the other values' own (disjoint sets)
            bound = all_in - W.inside[y, v]
            if bound > W.outside[y, v]:
                W.outside[y, v] = bound
            best = lowest(cells)
            if W.inside[x, v] + W.outside[y, v] >= best:
                continue
            if try_split(
                M, cls, way, cells, k, v, -1, W.exact_in[x, v], W.exact_out[y, v],
                W.inside[x, v], W.outside[y, v], W,
            ):  # fmt: skip
                bettered(W, k, way, 1, v, -1, cells, me)
            keep(W, x, y, v)


@lean
def pair_bounds(x, y, u, v, j, all_in, W: Work):  # type: ignore[no-untyped-def]
    """Lower bounds of what two values of a set hold (child x) and leave (child y).

    From disjoint sets, similarity, and what is known of this pair (number j, unless negative).
    """
    into = W.inside[x, u] + W.inside[x, v]
    rest = all_in - W.inside[y, u] - W.inside[y, v]
    bound = W.outside[y, u] - weight_of(W, v) + W.inside[y, v]
    rest = bound if bound > rest else rest
    bound = W.outside[y, v] - weight_of(W, u) + W.inside[y, u]
    rest = bound if bound > rest else rest
    if j >= 0:
        into = W.inside[x, j] if W.inside[x, j] > into else into
        rest = W.outside[y, j] if W.outside[y, j] > rest else rest
    return into, rest


@lean
def count_open(M: Model, cls, k, best, W: Work):  # type: ignore[no-untyped-def]
    """How many splits of a group the bounds leave open (large subsets count as one)."""
    s = M.start[k]
    e = M.start[k + 1]
    h = 0 if M.low[cls] == M.high[cls] else 1
    n = 0
    for way in range(h + 1):
        x = way
        y = h - way
        for v in range(s, e):
            if W.inside[x, v] + W.outside[y, v] < best:
                n += 1
    if M.kind[k] == CHAIN or M.arity[k] == 1:
        return n
    if sum_inside(M, cls, k, W) >= best:
        return 0
    if M.arity[k] > 2:
        return n + 1
    for way in range(h + 1):
        x = way
        y = h - way
        all_in = W.whole.dtype.type(0)
        for v in range(s, e):
            all_in += W.inside[y, v]
        j = M.pair_at[k]
        step = 1 if j >= 0 else 0
        for u in range(s, e):
            for v in range(u + 1, e):
                into, rest = pair_bounds(x, y, u, v, j, all_in, W)
                j += step
                if into + rest < best:
                    n += 1
    return n


@lean
def worth_values(M: Model, cls, k, best, W: Work):  # type: ignore[no-untyped-def]
    """Whether to solve every value alone: more splits are open than values are unknown."""
    if M.arity[k] > 2:
        return True
    h = 0 if M.low[cls] == M.high[cls] else 1
    unknown = 0
    for x in range(h + 1):
        for v in range(M.start[k], M.start[k + 1]):
            if not W.exact_in[x, v]:
                unknown += 1
    return count_open(M, cls, k, best, W) > unknown


PASSES = 4


@lean
def set_pairs3(M: Model, cls, k, cells, me, stop, W: Work):  # type: ignore[no-untyped-def]
    """Splits by two values of a set, roughly by rising bound: a few passes over all pairs."""
    s = M.start[k]
    e = M.start[k + 1]
    h = 0 if M.low[cls] == M.high[cls] else 1
    number = W.whole.dtype.type
    last_first = s + 1 if e - s == 4 else e  # two of four: the complement is a pair as well
    step = 1 if M.pair_at[k] >= 0 else 0
    start = number(0)
    for turn in range(PASSES):
        best = lowest(cells)
        # later bands reach up to the incumbent
        end = best if turn == PASSES - 1 else start + (best - start) * number(0.5)
        nearest = number(np.inf)
        for way in range(h + 1):
            x = way
            y = h - way
            all_in = number(0)
            for v in range(s, e):
                all_in += W.inside[y, v]
            j = M.pair_at[k] - step
            for u in range(s, last_first):
                for v in range(u + 1, e):
                    j += step
                    into, rest = pair_bounds(x, y, u, v, j, all_in, W)
                    bound = into + rest
                    if bound < start or bound >= best:
                        continue
                    if bound >= end:
                        nearest = bound if bound < nearest else nearest
                        continue
                    if stop[0] != 0:
                        return
                    known_in = j >= 0 and W.exact_in[x, j]
                    known_out = j >= 0 and W.exact_out[y, j]
                    if try_split(
                        M, cls, way, cells, k, u, v, known_in, known_out, into, rest, W
                    ):  # fmt: skip
                        bettered(W, k, way, 2, u, v, cells, me)
                    if j >= 0:
                        keep(W, x, y, j)
                    best = lowest(cells)
        if nearest >= best:
            return
        start = end


@lean
def subset_value(M: Model, cls, x, k, side, wanted, n, order, limit, W: Work):  # type: ignore[no-untyped-def]
    """Child x on the rows whose values order[:n] are on side `wanted`."""
    child = M.low[cls] if x == 0 else M.high[cls]
    s = M.start[k]
    number = W.whole.dtype.type
    total = number(0)
    positive = number(0)
    first = True
    for i in range(n):
        if side[i] != wanted:
            continue
        u = order[i]
        total += W.D[u]
        positive += W.P[u]
        if first:
            member_table(M, k, u, W, W.union[0], W.union_p[0])
            for j in range(len(W.D)):
                W.union_d[0, j] = W.F[u, j]
            first = False
        else:
            if M.start[k + 1] - s <= len(W.slices):
                add(W.union[0], W.slices[u - s], 1, W.union_p[0], W.slice_p[u - s])
            else:
                member_table(M, k, u, W, W.union[1], W.union_p[1])
                add(W.union[0], W.union[1], 1, W.union_p[0], W.union_p[1])
            for j in range(len(W.D)):
                W.union_d[0, j] += W.F[u, j]
    if first:
        return number(0)
    return up_to_2(M, child, W.union[0], W.union_d[0], W.union_p[0], total, positive, limit, W)


@lean
def subsets3(M: Model, cls, k, cells, me, stop, W: Work):  # type: ignore[no-untyped-def]
    """Splits of group k by any allowed subset, depth first over its values (see subsets.py)."""
    z = W.whole.dtype.type(0)
    h = 0 if M.low[cls] == M.high[cls] else 1
    order = W.sub_state[0]
    side = W.sub_state[1]
    lows = W.sub_state[2]
    rest = W.sub_bound[0]
    cost = W.sub_bound[1:3]  # lower bounds of the two sides after i values
    n = order_by_weight(M, k, W.D, W.P, order)
    if n == 0:
        return
    size = M.start[k + 1] - M.start[k]
    arity = M.arity[k]
    rest[n] = z
    for back in range(n):
        i = n - 1 - back
        a = W.inside[0, order[i]]
        b = W.inside[h, order[i]]
        rest[i] = rest[i + 1] + (a if a < b else b)
    cost[0, 0] = z
    cost[1, 0] = z
    lows[0] = 0
    i = 0
    side[0] = 0
    while i >= 0:
        if stop[0] != 0:
            return
        best = lowest(cells)
        if (
            side[i] == 2
            or (i == 0 and side[0] == 1 and h == 0)
            or rest[i] + cost[0, i] + cost[1, i] >= best
        ):
            i -= 1
            continue
        side[i] += 1
        to = side[i] - 1
        lows[i + 1] = lows[i] + 1 - to
        if lows[i + 1] > arity and i + 1 - lows[i + 1] > arity:
            continue
        x = 0 if to == 0 else h
        cost[1 - to, i + 1] = cost[1 - to, i]
        bound = cost[to, i] + W.inside[x, order[i]]
        if bound + cost[1 - to, i] + rest[i + 1] >= best:
            continue
        limit = best - cost[1 - to, i] - rest[i + 1]
        value = subset_value(M, cls, x, k, side, to + 1, i + 1, order, limit, W)
        if value >= limit:
            continue
        cost[to, i + 1] = value
        if i + 1 < n:
            i += 1
            side[i] = 0
            continue
        one_sided = lows[n] == 0 or lows[n] == n
        if one_sided and n == size and not M.empty_ok[cls]:
            continue
        cells[me] = cost[0, n] + cost[1, n]
        note_subset(M, W.S, k, n, order, side)
        for j in range(3 + W.S.split[2]):
            W.split[j] = W.S.split[j]


@called
def group3(M: Model, cls, k, n, cells, me, stop, floors, W: Work):  # type: ignore[no-untyped-def]
    """All splits of group k at the root of a class of three levels.

    The set of rows must be in ``W.rows[:n]``, its table in W, and ``W.inside``, ``W.outside`` hold
    lower bounds. A better split is written to ``W.split`` and its cost to ``cells[me]``; a lower
    bound of what is still open in the group to ``floors[k]``.
    """
    s = M.start[k]
    e = M.start[k + 1]
    similar(M, cls, s, e, W)
    if count_open(M, cls, k, lowest(cells), W) == 0:
        floors[k] = W.whole.dtype.type(np.inf)
        return
    build_slices(M, k, n, W)
    if M.kind[k] == CHAIN:
        chain3(M, cls, k, cells, me, stop, floors, W)
    else:
        if worth_values(M, cls, k, lowest(cells), W):
            values3(M, cls, k, cells, stop, W)
        bound = sum_inside(M, cls, k, W)
        if stop[0] != 0:
            return
        floors[k] = bound
        if bound < lowest(cells):
            similar(M, cls, s, e, W)
            set_singles3(M, cls, k, cells, me, stop, W)
            if M.arity[k] == 2:
                set_pairs3(M, cls, k, cells, me, stop, W)
            elif M.arity[k] > 2:
                subsets3(M, cls, k, cells, me, stop, W)
    if stop[0] == 0:
        floors[k] = W.whole.dtype.type(np.inf)


# ---------------------------------------------------------------- a set of rows


@lean
def count_rows(M: Model, n, W: Work):  # type: ignore[no-untyped-def]
    """Table, columns' sums and totals of the set of rows."""
    if W.side[0] >= 0:
        side_table(M, W.crossings, W.side, W.F, W.D, W.P, W.whole)
    else:
        total, positive = scan(M, W.rows, n, W.F, W.D, W.P)
        W.whole[0] = total
        W.whole[1] = positive


@called
def prepare3(M: Model, cls, n, cells, W: Work):  # type: ignore[no-untyped-def]
    """Table of the rows ``W.rows[:n]``, the children's bounds on all of them, exact bounds of
    shallow children, and the order of the groups.

    Returns the least cost of sending every row one way if it is allowed and below the
    incumbents, else infinity.
    """
    limit = lowest(cells)
    count_rows(M, n, W)
    total = W.whole[0]
    positive = W.whole[1]
    number = W.whole.dtype.type
    h = 0 if M.low[cls] == M.high[cls] else 1
    least = number(np.inf)
    for x in range(h + 1):
        child = M.low[cls] if x == 0 else M.high[cls]
        value = up_to_2(M, child, W.F, W.D, W.P, total, positive, limit, W)
        W.whole[2 + x] = value
        if value < limit and value < least:
            least = value
        if M.level[child] < PAIR:
            _shallow_bounds(M, child, x, W)
    _rank_groups(M, cls, W)
    return least if M.empty_ok[cls] else number(np.inf)


@lean
def _shallow_bounds(M: Model, child, x, W: Work):  # type: ignore[no-untyped-def]
    """Exact costs of a leaf or leaf-adjacent child inside and outside every column."""
    V = M.size[0]
    one = W.whole.dtype.type(1)
    S = W.S
    shallow(M, child, W.F, 0, V, S.zero, one, W.D, W.P, S, W.inside[x], 0)
    rest_of_columns(M, W)
    shallow(M, child, W.F, 0, V, W.D, -one, S.tot[0], S.pos[0], S, W.outside[x], 0)
    for v in range(V):
        W.exact_in[x, v] = True
        W.exact_out[x, v] = True


@lean
def rest_of_columns(M: Model, W: Work):  # type: ignore[no-untyped-def]
    """Totals and positive weights outside every column, into the scratch's lanes."""
    for v in range(M.size[0]):
        W.S.tot[0, v] = W.whole[0] - W.D[v]
        W.S.pos[0, v] = W.whole[1] - W.P[v]


@lean
def _rank_groups(M: Model, cls, W: Work):  # type: ignore[no-untyped-def]
    """Order the groups by the best two-level tree that starts with one of their columns."""
    V = M.size[0]
    S = W.S
    one = W.whole.dtype.type(1)
    deepest = M.high[cls]
    while M.level[deepest] > 1:
        deepest = M.high[deepest]
    shallow(M, deepest, W.F, 0, V, S.zero, one, W.D, W.P, S, S.inside[0], 0)
    rest_of_columns(M, W)
    shallow(M, deepest, W.F, 0, V, W.D, -one, S.tot[0], S.pos[0], S, S.outside[0], 0)
    n = 0
    for at in range(M.groups_at[cls], M.groups_at[cls + 1]):
        k = M.groups[at]
        least = W.whole.dtype.type(np.inf)
        for v in range(M.start[k], M.start[k + 1]):
            value = S.inside[0, v] + S.outside[0, v]
            least = value if value < least else least
        W.estimate[k] = least
        i = n
        while i > 0 and W.estimate[W.todo[i - 1]] > least:
            W.todo[i] = W.todo[i - 1]
            i -= 1
        W.todo[i] = k
        n += 1


@called
def depth3(M: Model, cls, n, cells, me, stop, W: Work):  # type: ignore[no-untyped-def]
    """Least cost of a class of three levels on the rows ``W.rows[:n]``, if below the incumbents.

    ``W.inside`` and ``W.outside`` must hold lower bounds (zeros do) and ``W.exact_*`` be right.
    ``cells[me]`` receives a better cost and ``W.split`` its split (n = 0: every row goes to the
    other child).
    """
    empty = prepare3(M, cls, n, cells, W)
    if empty < lowest(cells):
        cells[me] = empty
        first = M.low[cls] != M.high[cls] and W.whole[3] < W.whole[2]
        W.split[0] = -1
        # no members: every row goes to the child that the members do not go to
        W.split[1] = 0 if first or M.low[cls] == M.high[cls] else 1
        W.split[2] = 0
    for i in range(M.groups_at[cls + 1] - M.groups_at[cls]):
        k = W.todo[i]
        if stop[0] != 0:
            return
        group3(M, cls, k, n, cells, me, stop, W.estimate, W)


@called
def best_column(M: Model, cls, n, W: Work):  # type: ignore[no-untyped-def]
    """The column whose split is best if both children were leaf-adjacent; -1 if there is none."""
    total, positive = scan(M, W.rows, n, W.F, W.D, W.P)
    W.whole[0] = total
    W.whole[1] = positive
    _rank_groups(M, cls, W)
    best = W.whole.dtype.type(np.inf)
    column = -1
    for at in range(M.groups_at[cls], M.groups_at[cls + 1]):
        k = M.groups[at]
        for v in range(M.start[k], M.start[k + 1]):
            value = W.S.inside[0, v] + W.S.outside[0, v]
            if value < best:
                best = value
                column = v
    return column


@called
def solve_set(M: Model, cls, n, cells, me, stop, W: Work):  # type: ignore[no-untyped-def]
    """Least cost of a class of at most three levels on ``W.rows[:n]``, into ``cells[me]`` if below.

    The split is left in ``W.split``. Bounds in W must be prepared as `depth3` asks.
    """
    if M.level[cls] > PAIR:
        depth3(M, cls, n, cells, me, stop, W)
        return
    count_rows(M, n, W)
    limit = lowest(cells)
    value = up_to_2(M, cls, W.F, W.D, W.P, W.whole[0], W.whole[1], limit, W)
    if value < limit:
        cells[me] = value
        if M.level[cls] == PAIR:
            for j in range(3 + W.S.split[2]):
                W.split[j] = W.S.split[j]


@called
def clear_bounds(W: Work):  # type: ignore[no-untyped-def]
    """Forget the last set of rows."""
    W.side[0] = -1
    W.inside[:] = 0
    W.outside[:] = 0
    W.exact_in[:] = False
    W.exact_out[:] = False


def link(model: Model, work: Work) -> None:
    """Compile the kernels that are called by address and put their addresses in place."""
    number = model.d.dtype.type
    S = work.S
    S.entry[0] = address_of(
        stump_lanes,
        (
            model.runs, 0, 0, work.F, work.D, 0, 0, number(0), S.tot[0], S.pos[0], np.bool_(0),
            S.acc, S.out[0], 0,
        ),
    )  # fmt: skip
    S.entry[1] = address_of(
        depth2_root,
        (model, 0, work.F, work.D, work.P, number(0), number(0), number(0), S),
    )
    cells = np.zeros(1, number)
    S.entry[2] = address_of(
        try_split_root,
        (model, 0, 0, cells, 0, 0, 0, np.bool_(0), np.bool_(0), number(0), number(0), work),
    )
