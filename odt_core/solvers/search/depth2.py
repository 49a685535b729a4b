"""The depth-2 subtree: both children of the root are leaves or leaf-adjacent splits.

Only pair counts are needed, so the cost does not depend on the number of rows. See docs/search.md
for the bounds.
"""

from __future__ import annotations

import numpy as np

from odt_core.solvers.search.entries import call_for_number, lean, lean_sum
from odt_core.solvers.search.kernels import BATCH, Scratch, shallow, shallow_one
from odt_core.solvers.search.model import CHAIN, Model
from odt_core.solvers.search.subsets import subsets2

ONE_BY_ONE = 4
"""Up to so many pairs are evaluated one after the other, more of them as lanes."""


@lean
def note_split(S: Scratch, k, to_high, n, first, second):  # type: ignore[no-untyped-def]
    """Write down a split of at most two columns."""
    S.split[0] = k
    S.split[1] = to_high
    S.split[2] = n
    S.split[3] = first
    if n > 1:
        S.split[4] = second


@lean
def group_of(M: Model, column):  # type: ignore[no-untyped-def]
    """The group that a column belongs to."""
    k = 0
    while M.start[k + 1] <= column:
        k += 1
    return k


@lean
def depth2_root(M: Model, cls, F, D, P, total, positive, limit, S: Scratch):  # type: ignore[no-untyped-def]
    """Least cost of a class of two levels on one set of rows, if it is below `limit`.

    Parameters
    ----------
    M : Model
    cls : int
        The class.
    F, D, P, total, positive
        The rows' table, the columns' sums of d and positive weights, and the totals.
    limit : float
        Only a cost below this is wanted.
    S : Scratch
        Working memory; ``S.split`` receives the split if the cost is below `limit`.

    Returns
    -------
    float
        The least cost, or `limit` if it is no less.
    """
    V = M.size[0]
    z = D.dtype.type(0)
    one = D.dtype.type(1)
    low = M.low[cls]
    high = M.high[cls]
    h = 0 if low == high else 1
    best = limit
    if M.empty_ok[cls]:
        # one child gets every row; with rules, the shallower one may be the better
        value = shallow_one(M, high, D, total, positive, S.acc)
        if value < best:
            best = value
            note_split(S, -1, 0, 0, 0, 0)
        if h:
            value = shallow_one(M, low, D, total, positive, S.acc)
            if value < best:
                best = value
                note_split(S, -1, 1, 0, 0, 0)
    if best <= z:
        return best
    shallow(M, low, F, 0, V, S.zero, one, D, P, S, S.inside[0], 0)
    if h:
        shallow(M, high, F, 0, V, S.zero, one, D, P, S, S.inside[1], 0)
    # single columns of all groups first: they make the incumbent that the pairs must beat
    n_open = 0
    first = 0  # columns first..last are still to be looked at
    last = 0
    for at in range(M.groups_at[cls], M.groups_at[cls + 1]):
        k = M.groups[at]
        s = M.start[k]
        e = M.start[k + 1]
        if M.kind[k] != CHAIN:
            all_in = z
            for v in range(s, e):
                x = S.inside[0, v]
                all_in += x if x < S.inside[h, v] else S.inside[h, v]
            if all_in >= best:
                continue
            if M.arity[k] > 1:  # kept by rising bound
                i = n_open
                while i > 0 and S.group_bound[i - 1] > all_in:
                    S.group_bound[i] = S.group_bound[i - 1]
                    S.group_todo[i] = S.group_todo[i - 1]
                    i -= 1
                S.group_bound[i] = all_in
                S.group_todo[i] = k
                n_open += 1
        if s != last:  # neighbouring groups go together
            if last > first:
                _outside(M, cls, first, last, F, D, P, total, positive, S)
                best = _singles(M, cls, first, last, best, S)
            first = s
        last = e
    if last > first:
        _outside(M, cls, first, last, F, D, P, total, positive, S)
        best = _singles(M, cls, first, last, best, S)
    n = 0  # pairs that wait for their evaluation
    for i in range(n_open):
        if S.group_bound[i] >= best:
            break
        k = S.group_todo[i]
        if M.arity[k] == 2:
            best, n = _pairs(M, cls, k, n, F, D, P, total, positive, best, S)
        else:
            best = subsets2(M, cls, k, F, D, P, total, positive, best, S)
    return _evaluate(M, cls, n, F, D, P, total, positive, best, S)


@lean
def _outside(M: Model, cls, s, e, F, D, P, total, positive, S: Scratch):  # type: ignore[no-untyped-def]
    """Best costs of the children on the rows outside each of the columns s..e."""
    n = e - s
    for i in range(n):
        S.tot[0, i] = total - D[s + i]
        S.pos[0, i] = positive - P[s + i]
    minus = D.dtype.type(-1)
    low = M.low[cls]
    high = M.high[cls]
    shallow(M, low, F, s, n, D, minus, S.tot[0], S.pos[0], S, S.outside[0], s)
    if low != high:
        shallow(M, high, F, s, n, D, minus, S.tot[0], S.pos[0], S, S.outside[1], s)


@lean
def _singles(M: Model, cls, s, e, best, S: Scratch):  # type: ignore[no-untyped-def]
    """Splits by one of the columns s..e."""
    h = 0 if M.low[cls] == M.high[cls] else 1
    for v in range(s, e):
        value = S.inside[0, v] + S.outside[h, v]
        if value < best:
            best = value
            note_split(S, group_of(M, v), 0, 1, v, 0)
        if h and not M.one_way[cls]:
            value = S.inside[1, v] + S.outside[0, v]
            if value < best:
                best = value
                note_split(S, group_of(M, v), 1, 1, v, 0)
    return best


@lean_sum
def _least_pair(into, rest_in, rest, weight, left, similar, drop):  # type: ignore[no-untyped-def]
    """Least bound of the pairs of one column with others (see `_pairs`)."""
    least = into.dtype.type(np.inf)
    for v in range(len(into)):
        bound = left - rest_in[v]
        other = similar + rest_in[v] - weight[v]
        bound = other if other > bound else bound
        other = rest[v] + drop
        bound = other if other > bound else bound
        bound += into[v]
        least = bound if bound < least else least
    return least


@lean
def _pairs(M: Model, cls, k, n, F, D, P, total, positive, best, S: Scratch):  # type: ignore[no-untyped-def]
    """Splits by two columns of a set, those that the bounds leave, in batches.

    n pairs wait already in ``S.pair``. Returns the least cost and how many wait now.
    """
    s = M.start[k]
    e = M.start[k + 1]
    h = 0 if M.low[cls] == M.high[cls] else 1
    weight = S.weight
    for v in range(s, e):
        weight[v] = D[v] + P[v] + P[v]
    last_first = s + 1 if e - s == 4 else e  # two of four: the complement is a pair as well
    for way in range(h + 1):  # way 1: the pair goes to the high child
        x = way
        y = h - way
        into = S.inside[x]
        rest_in = S.inside[y]
        rest = S.outside[y]
        all_in = D.dtype.type(0)
        for v in range(s, e):
            all_in += rest_in[v]
        for u in range(s, last_first):
            # what two columns leave is bounded by the sum of the others (disjoint sets) and from
            # what one column leaves (sharpened similarity)
            a = into[u]
            left = all_in - rest_in[u]
            similar = rest[u]
            drop = rest_in[u] - weight[u]
            least = _least_pair(
                into[u + 1 : e], rest_in[u + 1 : e], rest[u + 1 : e], weight[u + 1 : e],
                left, similar, drop,
            )  # fmt: skip
            if a + least >= best:
                continue
            for v in range(u + 1, e):
                bound = left - rest_in[v]
                other = similar + rest_in[v] - weight[v]
                bound = other if other > bound else bound
                other = rest[v] + drop
                bound = other if other > bound else bound
                if a + into[v] + bound < best:
                    S.pair[0, n] = u
                    S.pair[1, n] = v
                    S.pair[2, n] = k
                    n += 1
                    if n == BATCH:
                        best = _evaluate(M, cls, n, F, D, P, total, positive, best, S)
                        n = 0
    return best, n


@lean
def _evaluate(M: Model, cls, n, F, D, P, total, positive, best, S: Scratch):  # type: ignore[no-untyped-def]
    """Evaluate the first n pairs of ``S.pair``."""
    if n > ONE_BY_ONE:
        return _batch(M, cls, n, F, D, P, total, positive, best, S)
    low = M.low[cls]
    high = M.high[cls]
    pair = S.line[0]
    rest = S.line[1]
    for i in range(n):
        u = S.pair[0, i]
        v = S.pair[1, i]
        row = F[u]
        other = F[v]
        for j in range(len(row)):
            pair[j] = row[j] + other[j]
            rest[j] = D[j] - pair[j]
        own = D[u] + D[v]
        pos = P[u] + P[v]
        value = shallow_one(M, low, pair, own, pos, S.acc)
        if value < best:
            value += shallow_one(M, high, rest, total - own, positive - pos, S.acc)
        if value < best:
            best = value
            note_split(S, S.pair[2, i], 0, 2, u, v)
        if low != high:
            value = shallow_one(M, high, pair, own, pos, S.acc)
            if value < best:
                value += shallow_one(M, low, rest, total - own, positive - pos, S.acc)
            if value < best:
                best = value
                note_split(S, S.pair[2, i], 1, 2, u, v)
    return best


@lean
def _batch(M: Model, cls, n, F, D, P, total, positive, best, S: Scratch):  # type: ignore[no-untyped-def]
    """Evaluate the first n pairs of ``S.pair`` as lanes of vectors."""
    V = M.size[0]
    one = D.dtype.type(1)
    low = M.low[cls]
    high = M.high[cls]
    h = 0 if low == high else 1
    for i in range(n):
        u = S.pair[0, i]
        v = S.pair[1, i]
        S.tot[0, i] = D[u] + D[v]
        S.pos[0, i] = P[u] + P[v]
        S.tot[1, i] = total - S.tot[0, i]
        S.pos[1, i] = positive - S.pos[0, i]
    for j in range(V):
        row = F[j]
        to = S.batch[j]
        for i in range(n):
            to[i] = row[S.pair[0, i]] + row[S.pair[1, i]]
    E = S.batch
    shallow(M, low, E, 0, n, S.zero, one, S.tot[0], S.pos[0], S, S.out[0], 0)
    shallow(M, high, E, 0, n, D, -one, S.tot[1], S.pos[1], S, S.out[1], 0)
    if h:
        shallow(M, high, E, 0, n, S.zero, one, S.tot[0], S.pos[0], S, S.out[2], 0)
        shallow(M, low, E, 0, n, D, -one, S.tot[1], S.pos[1], S, S.out[3], 0)
    for i in range(n):
        value = S.out[0, i] + S.out[1, i]
        if value < best:
            best = value
            note_split(S, S.pair[2, i], 0, 2, S.pair[0, i], S.pair[1, i])
        if h:
            value = S.out[2, i] + S.out[3, i]
            if value < best:
                best = value
                note_split(S, S.pair[2, i], 1, 2, S.pair[0, i], S.pair[1, i])
    return best


@lean
def depth2(M: Model, cls, F, D, P, total, positive, limit, S: Scratch):  # type: ignore[no-untyped-def]
    """Call `depth2_root` by its address."""
    return call_for_number(S.entry[1], (M, cls, F, D, P, total, positive, limit, S))
