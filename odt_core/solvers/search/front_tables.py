"""Fronts: for every number of false negatives the least number of false positives.

A front is a dense array ``g[b]``, b = 0..B: the least weight of false positives with at most b of
false negatives. Fronts of two subtrees on disjoint rows combine by min-plus convolution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import called
from odt_core.solvers.search.model import Model
from odt_core.solvers.search.scan import Bits
from odt_core.solvers.search.work import Work

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
    bits : Bits
        For `scan`.
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
    bits: Bits
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
        bits=work.bits,
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


@called
def reach(wanted):  # type: ignore[no-untyped-def]
    """Budgets that matter: one more than the last at which something above 0 is still wanted."""
    n = len(wanted)
    while n > 0 and wanted[n - 1] <= 0:
        n -= 1
    return n


@called
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


@called
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
