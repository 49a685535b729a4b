"""Lower bounds of depth-2 subtrees on intersections, shared between the root's splits.

Every set of rows that a node two levels down can see is an intersection A n B of a side of the
root's split and a side of the next one. What one root learns about ``opt(A n B)`` bounds many
others: by disjoint sets, monotonicity and the sharpened similarity (proofs in docs/search.md).
Bounds hold whoever wrote them, so threads share the arrays without locks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import called, lean
from odt_core.solvers.search.model import CHAIN, PAIR, Model
from odt_core.solvers.search.work import Work


class Shared(NamedTuple):
    """Bounds shared by all roots.

    Splits are numbered: the columns, then the pairs of columns (see `Model`), S in all. Side j is
    "in the columns of split j", side S + j "in none of them".

    Attributes
    ----------
    slot : int64[C]
        Position of each depth-2 class in the arrays, -1 for other classes.
    pair : float[T, 2S, 2S]
        Lower bounds of each class on the intersection of two sides.
    exact : uint8[T, 2S, 2S]
        1 where that is the optimum.
    whole : float[T, 2S]
        Lower bounds on single sides.
    weight : float[V, S]
        Weight of the rows in a column and a split's columns.
    """

    slot: npt.NDArray
    pair: npt.NDArray
    exact: npt.NDArray
    whole: npt.NDArray
    weight: npt.NDArray


def make_shared(model: Model) -> Shared:
    """Bounds of zero."""
    v, splits = (int(n) for n in model.size)
    slot = np.full(len(model.level), -1, np.int64)
    pairs = np.flatnonzero(model.level == PAIR)
    slot[pairs] = np.arange(len(pairs))
    number = model.d.dtype
    shape = (len(pairs), 2 * splits, 2 * splits)
    return Shared(
        slot=slot,
        pair=np.zeros(shape, number),
        exact=np.zeros(shape, np.uint8),
        whole=np.zeros((len(pairs), 2 * splits), number),
        weight=np.zeros((v, splits), number),
    )


@lean
def pair_number(M: Model, k, u, v):  # type: ignore[no-untyped-def]
    """The number of a pair of columns u < v of group k among the splits, -1 if it has none."""
    if M.pair_at[k] < 0:
        return M.pair_at[k]
    size = M.start[k + 1] - M.start[k]
    p = u - M.start[k]
    return M.pair_at[k] + p * (2 * size - p - 1) // 2 + v - u - 1


@lean
def side_number(M: Model, k, members, n_members, outside):  # type: ignore[no-untyped-def]
    """The number of a side, -1 if no bounds are kept for it."""
    j = members[0]
    if n_members == 2:
        j = pair_number(M, k, members[0], members[1])
    if n_members > 2 or j < 0:
        return np.int64(-1)
    return j + M.size[1] if outside else j


@called
def load(M: Model, cls, k, members, n_members, outside, B: Shared, W: Work):  # type: ignore[no-untyped-def]
    """Lower bounds for a root side: the union of some columns of group k, or what it leaves.

    Fills ``W.inside`` and ``W.outside`` for the depth-2 children of class `cls`. With k < 0 the
    side is the whole set.
    """
    S = M.size[1]
    h = 0 if M.low[cls] == M.high[cls] else 1
    for x in range(h + 1):
        child = M.low[cls] if x == 0 else M.high[cls]
        t = B.slot[child]
        for j in range(S):
            W.exact_in[x, j] = False
            W.exact_out[x, j] = False
            W.inside[x, j] = 0
            W.outside[x, j] = 0
        if t < 0:
            continue
        if k < 0:
            _raise(W.inside[x], B.whole[t, :S])
            _raise(W.outside[x], B.whole[t, S:])
            continue
        if not outside:
            for i in range(n_members):
                _join(W.inside[x], B.pair[t, members[i], :S])
                _join(W.outside[x], B.pair[t, members[i], S:])
        else:
            _load_rest(M, t, k, members, n_members, B, W.inside[x], W.outside[x], W)
        side = side_number(M, k, members, n_members, outside)
        if side >= 0:
            # another thread writes a bound before it calls it exact: read in the other order
            sure = B.exact[t, side]
            for j in range(S):
                W.exact_in[x, j] = sure[j] != 0
                W.exact_out[x, j] = sure[S + j] != 0
            _raise(W.inside[x], B.pair[t, side, :S])
            _raise(W.outside[x], B.pair[t, side, S:])


@lean
def _raise(bound, other):  # type: ignore[no-untyped-def]
    """Whichever is larger."""
    for j in range(len(bound)):
        bound[j] = other[j] if other[j] > bound[j] else bound[j]


@lean
def _join(bound, other):  # type: ignore[no-untyped-def]
    """Disjoint sets: a union costs at least the sum."""
    for j in range(len(bound)):
        bound[j] += other[j]


@lean
def _similar(bound, side, taken, own):  # type: ignore[no-untyped-def]
    """Sharpened similarity: f(B - X) >= f(B) - w(B n X) + f(B n X)."""
    for j in range(len(bound)):
        x = side[j] - taken[j] + own[j]
        bound[j] = x if x > bound[j] else bound[j]


@lean
def _similar_out(bound, side, mass, taken, own):  # type: ignore[no-untyped-def]
    """The same outside the columns of each split; `mass` is the weight of all that is taken."""
    for j in range(len(bound)):
        x = side[j] - (mass - taken[j]) + own[j]
        bound[j] = x if x > bound[j] else bound[j]


@lean
def _load_rest(  # type: ignore[no-untyped-def]
    M: Model, t, k, members, n_members, B: Shared, inside, outside, W: Work
):
    """What is left when the members are taken away: disjoint sets and sharpened similarity."""
    S = M.size[1]
    if M.kind[k] != CHAIN:
        for u in range(M.start[k], M.start[k + 1]):
            for i in range(n_members):
                if members[i] == u:
                    break
            else:
                _join(inside, B.pair[t, u, :S])
                _join(outside, B.pair[t, u, S:])
    whole = B.whole[t]
    if n_members == 1:
        u = members[0]
        _similar(inside, whole[:S], B.weight[u], B.pair[t, u, :S])
        _similar_out(outside, whole[S:], W.weight_all[u], B.weight[u], B.pair[t, u, S:])
    elif n_members == 2:
        u = members[0]
        v = members[1]
        own_u = B.pair[t, u]
        own_v = B.pair[t, v]
        mass = W.weight_all[u] + W.weight_all[v]
        for j in range(S):
            taken = B.weight[u, j] + B.weight[v, j]
            bound = whole[j] - taken + own_u[j] + own_v[j]
            inside[j] = bound if bound > inside[j] else inside[j]
            bound = whole[S + j] - (mass - taken) + own_u[S + j] + own_v[S + j]
            outside[j] = bound if bound > outside[j] else outside[j]
        for i in range(2):
            # one member was taken before, the other is taken now
            before = B.pair[t, S + members[i]]
            u = members[1 - i]
            own = B.pair[t, u]
            _similar(inside, before[:S], B.weight[u], own[:S])
            _similar_out(outside, before[S:], W.weight_all[u], B.weight[u], own[S:])


@called
def store(M: Model, cls, k, members, n_members, outside, B: Shared, W: Work):  # type: ignore[no-untyped-def]
    """Hand on what was learned about a side, or about the whole set."""
    S = M.size[1]
    side = np.int64(-1)
    if k >= 0:
        side = side_number(M, k, members, n_members, outside)
        if side < 0:
            return
    h = 0 if M.low[cls] == M.high[cls] else 1
    for x in range(h + 1):
        t = B.slot[M.low[cls] if x == 0 else M.high[cls]]
        if t < 0:
            continue
        if k < 0:
            _raise(B.whole[t, :S], W.inside[x])
            _raise(B.whole[t, S:], W.outside[x])
            continue
        if W.whole[2 + x] > B.whole[t, side]:
            B.whole[t, side] = W.whole[2 + x]
        for j in range(S):
            _put(B, t, side, j, W.inside[x, j], W.exact_in[x, j])
            _put(B, t, side, S + j, W.outside[x, j], W.exact_out[x, j])


@lean
def _put(B: Shared, t, a, b, bound, exact):  # type: ignore[no-untyped-def]
    """One bound, both ways round. The bound is written before it is called exact."""
    if bound > B.pair[t, a, b]:
        B.pair[t, a, b] = bound
        B.pair[t, b, a] = bound
    if exact:
        B.exact[t, a, b] = 1
        B.exact[t, b, a] = 1
