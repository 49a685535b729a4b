"""Compiled kernels: working memory, and the leaf-adjacent split."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.entries import call_for_nothing, jit, lean, lean_sum
from odt_core.solvers.search.lanes import accumulators
from odt_core.solvers.search.model import ANY, CAPPED, LEAF, ONE, TWO, Model
from odt_core.solvers.search.scan import padded

__all__ = ["BATCH", "ENDLESS", "Scratch", "jit", "lean", "make_scratch", "shallow", "shallow_one"]

BATCH = 32
"""How many unions of columns are evaluated together."""

ENDLESS = 2**62
"""Steps without a limit."""


class Scratch(NamedTuple):
    """Working memory of one thread for the kernels. V columns, padded to W.

    Attributes
    ----------
    acc : float[A]
        Accumulators of `lanes`.
    inside, outside : float[2, W]
        Best cost of the low and high child on the rows in a column and on the others.
    zero : float[V]
        Zeros.
    tot, pos : float[2, W]
        Totals and positive weights of lanes (of the unions, of the rest).
    out : float[4, W]
        Results of lanes.
    batch : float[V, BATCH]
        Tables' rows of a batch of unions, transposed.
    pair : int64[3, BATCH]
        The columns of those unions, and their group.
    line : float[2, W]
        One union's sums over columns, and those of the rest.
    weight : float[V + 1]
        Weights of the rows in each column.
    split : int64[5 + V]
        The best split: group, whether its members go to the high child, number of members,
        members (columns).
    vec : float[4, V + 1, W]
        Partial sums of the depth-first search over subsets.
    bound : float[8, V + 1]
        Bounds of that search.
    state : int64[8, V + 1]
        Its state.
    entry : int64[4]
        Addresses of the kernels that are called so (see entries.py).
    halt : int64[1]
        Not 0 if the search is to end; what a kernel returns then is not a bound.
    patience : int64[1]
        How many more steps the search over subsets may take, if one is to be cut short that turns
        out long. What a kernel returns without any left is not a bound.
    group_bound, group_todo : float[K + 1], int64[K + 1]
        Sets whose pairs or subsets are still to be looked at, by rising bound.
    """

    acc: npt.NDArray
    inside: npt.NDArray
    outside: npt.NDArray
    zero: npt.NDArray
    tot: npt.NDArray
    pos: npt.NDArray
    out: npt.NDArray
    batch: npt.NDArray
    pair: npt.NDArray
    line: npt.NDArray
    weight: npt.NDArray
    split: npt.NDArray
    vec: npt.NDArray
    bound: npt.NDArray
    state: npt.NDArray
    entry: npt.NDArray
    halt: npt.NDArray
    patience: npt.NDArray
    group_bound: npt.NDArray
    group_todo: npt.NDArray


def make_scratch(model: Model, halt: npt.NDArray[np.int64]) -> Scratch:
    """Working memory for one thread, which ends early when `halt` is set."""
    v = int(model.size[0])
    w = max(padded(v), BATCH)
    number = model.d.dtype
    arity = int(model.arity[model.kind == CAPPED].max(initial=1))
    deep = int(np.diff(model.start)[model.arity > 2].max(initial=0))
    return Scratch(
        acc=np.zeros(accumulators(arity), number),
        inside=np.zeros((2, w), number),
        outside=np.zeros((2, w), number),
        zero=np.zeros(v + 1, number),
        tot=np.zeros((2, w), number),
        pos=np.zeros((2, w), number),
        out=np.zeros((4, w), number),
        batch=np.zeros((v + 1, BATCH), number),
        pair=np.zeros((3, BATCH), np.int64),
        line=np.zeros((2, w), number),
        weight=np.zeros(v + 1, number),
        split=np.zeros(5 + v, np.int64),
        vec=np.zeros((4, deep + 1, w if deep else 1), number),
        bound=np.zeros((8, deep + 1), number),
        state=np.zeros((8, deep + 1), np.int64),
        entry=np.zeros(4, np.int64),
        halt=halt,
        patience=np.full(1, ENDLESS, np.int64),
        group_bound=np.zeros(len(model.kind) + 1, number),
        group_todo=np.zeros(len(model.kind) + 1, np.int64),
    )


# ---------------------------------------------------------------- the leaf-adjacent split


@lean
def shallow(M: Model, cls, F, lo, n, c0, c1, tot, pos, S: Scratch, out, at):  # type: ignore[no-untyped-def]
    """Least cost of a leaf or a leaf-adjacent split for each of n lanes (see `stump_lanes`).

    The results go to ``out[at:at + n]``.
    """
    if M.level[cls] == LEAF:
        for i in range(n):
            other = pos[i] + tot[i]
            out[at + i] = pos[i] if pos[i] < other else other
    else:
        call_for_nothing(
            S.entry[0],
            (
                M.runs, M.runs_at[cls], M.runs_at[cls + 1], F, c0, lo, n, c1, tot, pos,
                M.empty_ok[cls], S.acc, out, at,
            ),
        )  # fmt: skip


@lean_sum
def _one_full(x, s, e, empty_ok):  # type: ignore[no-untyped-def]
    x = x[s:e]
    z = x.dtype.type(0)
    total = z
    for i in range(len(x)):
        total += x[i] if x[i] < z else z
    if not empty_ok:
        low = x[0]
        high = x[0]
        for i in range(len(x)):
            low = x[i] if x[i] < low else low
            high = x[i] if x[i] > high else high
        if low >= z:
            total = low
        elif high < z:
            total -= high
    return total


@lean_sum
def _one_extremes(x, s, e, total):  # type: ignore[no-untyped-def]
    x = x[s:e]
    low = x[0]
    high = x[0]
    for i in range(len(x)):
        low = x[i] if x[i] < low else low
        high = x[i] if x[i] > high else high
    high = total - high
    return low if low < high else high


@lean
def _one_two(x, s, e, total):  # type: ignore[no-untyped-def]
    z = x.dtype.type(0)
    a = x.dtype.type(np.inf)
    b = a
    c = -a
    d = c
    for i in range(s, e):
        p = x[i]
        t = a if a > p else p
        a = a if a < p else p
        b = b if b < t else t
        t = c if c < p else p
        c = c if c > p else p
        d = d if d > t else t
    low = a + (b if b < z else z)
    high = total - (c + (d if d > z else z))
    return low if low < high else high


@lean
def _one_several(x, s, e, total, m, acc):  # type: ignore[no-untyped-def]
    x = x[s:e]
    z = x.dtype.type(0)
    far = x.dtype.type(np.inf)
    small = acc[:m]
    large = acc[m : m + m]
    for t in range(m):
        small[t] = far
        large[t] = -far
    for i in range(len(x)):
        p = x[i]
        q = x[i]
        for t in range(m):
            if p < small[t]:
                p, small[t] = small[t], p
            if q > large[t]:
                q, large[t] = large[t], q
    low = small[0]
    high = large[0]
    for t in range(1, m):
        low += small[t] if small[t] < z else z
        high += large[t] if large[t] > z else z
    high = total - high
    return low if low < high else high


@lean
def shallow_one(M: Model, cls, x, total, positive, acc):  # type: ignore[no-untyped-def]
    """The same as `shallow` for one set of rows, given by its columns' sums x."""
    z = x.dtype.type(0)
    if M.level[cls] == LEAF:
        return positive if total > z else positive + total
    best = x.dtype.type(np.inf)
    if M.empty_ok[cls]:
        best = total if total < z else z
    for r in range(M.runs_at[cls], M.runs_at[cls + 1]):
        take = M.runs[r, 0]
        s = M.runs[r, 1]
        e = M.runs[r, 2]
        if take == ANY:
            value = _one_full(x, s, e, M.empty_ok[cls])
        elif take == ONE:
            value = _one_extremes(x, s, e, total)
        elif take == TWO:
            value = _one_two(x, s, e, total)
        else:
            value = _one_several(x, s, e, total, M.runs[r, 3], acc)
        best = value if value < best else best
    return positive + best
