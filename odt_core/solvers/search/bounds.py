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

from odt_core.solvers.search.depth3 import Work
from odt_core.solvers.search.entries import lean
from odt_core.solvers.search.tables import CHAIN, PAIR, Model


class Shared(NamedTuple):
    """Bounds shared by all roots. Side v is "in column v", side V + v "not in column v".

    Attributes
    ----------
    slot : int64[C]
        Position of each depth-2 class in the arrays, -1 for other classes.
    pair : float[T, 2V, 2V]
        Lower bounds of each class on the intersection of two sides.
    exact : uint8[T, 2V, 2V]
        1 where that is the optimum.
    whole : float[T, 2V]
        Lower bounds on single sides.
    weight : float[V, V]
        Weight of the rows in two columns.
    """

    slot: npt.NDArray
    pair: npt.NDArray
    exact: npt.NDArray
    whole: npt.NDArray
    weight: npt.NDArray


def make_shared(model: Model) -> Shared:
    """Bounds of zero."""
    v = int(model.size[0])
    slot = np.full(len(model.level), -1, np.int64)
    pairs = np.flatnonzero(model.level == PAIR)
    slot[pairs] = np.arange(len(pairs))
    number = model.d.dtype
    shape = (len(pairs), 2 * v, 2 * v)
    return Shared(
        slot=slot,
        pair=np.zeros(shape, number),
        exact=np.zeros(shape, np.uint8),
        whole=np.zeros((len(pairs), 2 * v), number),
        weight=np.zeros((v, v), number),
    )


@lean
def _most(bound, other):  # type: ignore[no-untyped-def]
    return bound if bound > other else other


@lean
def load(M: Model, cls, k, members, n_members, outside, B: Shared, W: Work):  # type: ignore[no-untyped-def]
    """Lower bounds for a root side: the union of some columns of group k, or what it leaves.

    Fills ``W.inside`` and ``W.outside`` for the depth-2 children of class `cls`. With k < 0 the
    side is the whole set.
    """
    V = M.size[0]
    h = 0 if M.low[cls] == M.high[cls] else 1
    for x in range(h + 1):
        child = M.low[cls] if x == 0 else M.high[cls]
        t = B.slot[child]
        for v in range(V):
            W.exact_in[x, v] = False
            W.exact_out[x, v] = False
            W.inside[x, v] = 0
            W.outside[x, v] = 0
        if t < 0:
            continue
        if k < 0:
            for v in range(V):
                W.inside[x, v] = B.whole[t, v]
                W.outside[x, v] = B.whole[t, V + v]
        elif not outside:
            _load_union(M, t, x, members, n_members, B, W)
        else:
            _load_rest(M, t, x, k, members, n_members, B, W)


@lean
def _load_union(M: Model, t, x, members, n_members, B: Shared, W: Work):  # type: ignore[no-untyped-def]
    """Disjoint sets: a union costs at least the sum."""
    V = M.size[0]
    for i in range(n_members):
        row = B.pair[t, members[i]]
        for v in range(V):
            W.inside[x, v] += row[v]
            W.outside[x, v] += row[V + v]
    if n_members == 1:
        sure = B.exact[t, members[0]]
        for v in range(V):
            W.exact_in[x, v] = sure[v] != 0
            W.exact_out[x, v] = sure[V + v] != 0


@lean
def _load_rest(M: Model, t, x, k, members, n_members, B: Shared, W: Work):  # type: ignore[no-untyped-def]
    """What is left when the members are taken away: disjoint sets and sharpened similarity."""
    V = M.size[0]
    number = B.weight.dtype.type
    inside = W.inside[x]
    outside = W.outside[x]
    if M.kind[k] != CHAIN:
        for u in range(M.start[k], M.start[k + 1]):
            for i in range(n_members):
                if members[i] == u:
                    break
            else:
                row = B.pair[t, u]
                for v in range(V):
                    inside[v] += row[v]
                    outside[v] += row[V + v]
    mass = number(0)
    for i in range(n_members):
        mass += W.weight_all[members[i]]
    for v in range(V):
        # f(B \\ X) >= f(B) - w(B n X) + f(B n X)
        taken = number(0)
        own_in = number(0)
        own_out = number(0)
        for i in range(n_members):
            taken += B.weight[members[i], v]
            own_in += B.pair[t, members[i], v]
            own_out += B.pair[t, members[i], V + v]
        inside[v] = _most(inside[v], B.whole[t, v] - taken + own_in)
        outside[v] = _most(outside[v], B.whole[t, V + v] - (mass - taken) + own_out)
        for i in range(n_members):
            # the same, starting from the rest of a single member
            u = members[i]
            other = B.weight[u, v]
            side = B.pair[t, V + u]
            inside[v] = _most(inside[v], side[v] - (taken - other) + own_in - B.pair[t, u, v])
            outside[v] = _most(
                outside[v],
                side[V + v]
                - (mass - W.weight_all[u] - taken + other)
                + own_out
                - B.pair[t, u, V + v],
            )
    if n_members == 1:
        sure = B.exact[t, V + members[0]]
        side = B.pair[t, V + members[0]]
        for v in range(V):
            if sure[v] != 0:
                inside[v] = side[v]
                W.exact_in[x, v] = True
            if sure[V + v] != 0:
                outside[v] = side[V + v]
                W.exact_out[x, v] = True


@lean
def store(M: Model, cls, k, members, n_members, outside, B: Shared, W: Work):  # type: ignore[no-untyped-def]
    """Hand on what was learned about a side of a single column, or about the whole set."""
    V = M.size[0]
    if k >= 0 and n_members != 1:
        return
    h = 0 if M.low[cls] == M.high[cls] else 1
    for x in range(h + 1):
        t = B.slot[M.low[cls] if x == 0 else M.high[cls]]
        if t < 0:
            continue
        if k < 0:
            for v in range(V):
                B.whole[t, v] = _most(B.whole[t, v], W.inside[x, v])
                B.whole[t, V + v] = _most(B.whole[t, V + v], W.outside[x, v])
            continue
        side = members[0] + (V if outside else 0)
        B.whole[t, side] = _most(B.whole[t, side], W.whole[2 + x])
        for v in range(V):
            _put(B, t, side, v, W.inside[x, v], W.exact_in[x, v])
            _put(B, t, side, V + v, W.outside[x, v], W.exact_out[x, v])


@lean
def _put(B: Shared, t, a, b, bound, exact):  # type: ignore[no-untyped-def]
    """One bound, both ways round. The bound is written before it is called exact."""
    if bound > B.pair[t, a, b]:
        B.pair[t, a, b] = bound
        B.pair[t, b, a] = bound
    if exact:
        B.exact[t, a, b] = 1
        B.exact[t, b, a] = 1
