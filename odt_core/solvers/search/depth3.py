"""Three levels: split the root, solve the children as depth-2 subtrees, skip what bounds allow."""

from __future__ import annotations

import numpy as np

from odt_core.solvers.search.crossings import side_table
from odt_core.solvers.search.entries import call_for_nothing, called, lean, take_number
from odt_core.solvers.search.kernels import shallow
from odt_core.solvers.search.model import CHAIN, PAIR, Model
from odt_core.solvers.search.scan import scan
from odt_core.solvers.search.sets import (
    count_open,
    set_pairs3,
    set_singles3,
    subsets3,
    sum_inside,
    values3,
    worth_values,
)
from odt_core.solvers.search.sides import (
    bettered,
    build_slices,
    keep,
    try_split,
)
from odt_core.solvers.search.work import (
    Work,
    forget_below,
    lowest,
    make_work,
    up_to_2,
    weight_of,
)

__all__ = [
    "Work", "best_column", "clear_bounds", "depth3", "group3_root", "groups3", "make_work",
    "prepare3", "up_to_2",
]  # fmt: skip


# ---------------------------------------------------------------- one group


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
def lead3(M: Model, cls, k, cells, me, W: Work):  # type: ignore[no-untyped-def]
    """Try the column that makes a good tree: there may be none before."""
    v = W.lead[0]
    W.lead[0] = -1
    y1 = 0 if M.low[cls] == M.high[cls] else 1
    for way in range(1 if M.one_way[cls] else y1 + 1):
        x = way
        y = y1 - way
        if try_split(
            M, cls, way, cells, k, v, -1, W.exact_in[x, v], W.exact_out[y, v],
            W.inside[x, v], W.outside[y, v], W,
        ):  # fmt: skip
            bettered(W, k, way, 1, v, -1, cells, me)
        keep(W, x, y, v)


@lean
def group3_root(M: Model, cls, k, floors, n, cells, me, stop, W: Work):  # type: ignore[no-untyped-def]
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
    if W.lead[0] >= s and W.lead[0] < e:
        lead3(M, cls, k, cells, me, W)
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


@lean
def group3(M: Model, cls, k, floors, n, cells, me, stop, W: Work):  # type: ignore[no-untyped-def]
    """Call `group3_root` by its address."""
    call_for_nothing(W.S.entry[3], (M, cls, k, floors, n, cells, me, stop, W))


@called
def groups3(M: Model, cls, n, cells, me, stop, turn, floors, W: Work):  # type: ignore[no-untyped-def]
    """Groups in the order of ``W.todo``, each by the thread that takes its turn.

    Returns when a better split was found, so that it can be told, with True; or when there is
    nothing left to do.
    """
    before = cells[me]
    while stop[0] == 0:
        i = take_number(turn)
        if i >= M.groups_at[cls + 1] - M.groups_at[cls]:
            break
        group3(M, cls, W.todo[i], floors, n, cells, me, stop, W)
        if cells[me] < before:
            return True
    return False


# ---------------------------------------------------------------- a set of rows


@lean
def count_rows(M: Model, n, W: Work):  # type: ignore[no-untyped-def]
    """Table, columns' sums and totals of the set of rows."""
    if W.side[0] >= 0:
        side_table(M, W.crossings, W.side, W.F, W.D, W.P, W.whole)
    else:
        total, positive = scan(M, W.rows, n, 0, W.F, W.D, W.P, W.bits)
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
    """Order the groups, and choose the column to begin with, by the two-level trees they make."""
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
        column = M.start[k]
        for v in range(M.start[k], M.start[k + 1]):
            value = S.inside[0, v] + S.outside[0, v]
            if value < least:
                least = value
                column = v
        W.estimate[k] = least
        if n == 0 or least < W.estimate[W.todo[0]]:
            W.lead[0] = column
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
        forget_below(W)
    for i in range(M.groups_at[cls + 1] - M.groups_at[cls]):
        k = W.todo[i]
        if stop[0] != 0:
            return
        group3(M, cls, k, W.estimate, n, cells, me, stop, W)


@called
def best_column(M: Model, cls, n, W: Work):  # type: ignore[no-untyped-def]
    """The column whose split is best if both children were leaf-adjacent; -1 if there is none."""
    total, positive = scan(M, W.rows, n, 0, W.F, W.D, W.P, W.bits)
    W.whole[0] = total
    W.whole[1] = positive
    W.lead[0] = -1
    _rank_groups(M, cls, W)
    return W.lead[0]


@called
def clear_bounds(W: Work):  # type: ignore[no-untyped-def]
    """Forget the last set of rows."""
    W.side[0] = -1
    W.inside[:] = 0
    W.outside[:] = 0
    W.exact_in[:] = False
    W.exact_out[:] = False
