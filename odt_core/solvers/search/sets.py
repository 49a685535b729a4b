"""Splits of a set of columns at the root of a class of three levels."""

from __future__ import annotations

import numpy as np

from odt_core.solvers.search.entries import lean
from odt_core.solvers.search.model import CHAIN, Model
from odt_core.solvers.search.scan import add
from odt_core.solvers.search.sides import (
    bettered,
    inside_value,
    keep,
    member_table,
    try_split,
)
from odt_core.solvers.search.subsets import note_subset, order_by_weight
from odt_core.solvers.search.work import (
    Work,
    copy_split,
    forget_below,
    lowest,
    up_to_2,
    weight_of,
)


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
        copy_split(W.S.split, W.split)
        forget_below(W)
