"""Working memory of a thread for a set of rows at three levels, and what is cheap to ask of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.crossings import Crossings, no_crossings
from odt_core.solvers.search.depth2 import depth2
from odt_core.solvers.search.entries import lean
from odt_core.solvers.search.kernels import Scratch, make_scratch, shallow_one
from odt_core.solvers.search.model import PAIR, Model
from odt_core.solvers.search.scan import Bits, make_bits, padded

UNKNOWN = -2
"""In place of a split's group: what the split is was not written down."""


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
    below, kept : int64[2, 5 + V]
        The splits of the low and the high child of the split looked at last, and of the best one,
        where they are known, else `UNKNOWN` comes first.
    estimate : float[K]
        How promising each group looks.
    todo : int64[K]
        The groups in the order in which they are tried.
    lead : int64[1]
        The column that is tried before all others, since it makes a good tree; then -1.
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
    bits : Bits
        For `scan`.
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
    below: npt.NDArray
    kept: npt.NDArray
    estimate: npt.NDArray
    todo: npt.NDArray
    lead: npt.NDArray
    found: npt.NDArray
    calls: npt.NDArray
    done: npt.NDArray
    sub_state: npt.NDArray
    sub_bound: npt.NDArray
    weight_all: npt.NDArray
    crossings: Crossings
    side: npt.NDArray
    zeros: npt.NDArray
    bits: Bits


def slices_that_fit(model: Model, memory: float) -> float:
    """Into how many columns' tables a group may be sliced, given the bytes for them."""
    v = int(model.size[0])
    return memory / (v * padded(v) * model.d.dtype.itemsize + 1)


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
    kept = int(min(q, max(slices_that_fit(model, memory), 1)))
    sides = v
    if model.level.max() <= PAIR:  # sides of splits are for three levels; most of the memory is
        q = kept = splits = sides = 0
    return Work(
        S=scratch,
        rows=np.zeros(n, np.int32),
        order=np.zeros(n, np.int32),
        begin=np.zeros(q + 2, np.int64),
        F=np.zeros((v, w), number),
        D=np.zeros(w, number),
        P=np.zeros(w, number),
        slices=np.zeros((kept, sides, w), number),
        slice_p=np.zeros((q, w), number),
        union=np.zeros((2, sides, w), number),
        union_d=np.zeros((2, w), number),
        union_p=np.zeros((2, w), number),
        inside=np.zeros((2, splits), number),
        outside=np.zeros((2, splits), number),
        exact_in=np.zeros((2, splits), np.bool_),
        exact_out=np.zeros((2, splits), np.bool_),
        whole=np.zeros(4, number),
        split=np.zeros(5 + v, np.int64),
        below=np.full((2, 5 + v), UNKNOWN, np.int64),
        kept=np.full((2, 5 + v), UNKNOWN, np.int64),
        estimate=np.zeros(k, number),
        todo=np.zeros(k, np.int64),
        lead=np.full(1, -1, np.int64),
        found=np.zeros(4, number),
        calls=np.zeros(2, np.int64),
        done=np.zeros(v, np.int8),
        sub_state=np.zeros((3, q + 1), np.int64),
        sub_bound=np.zeros((3, q + 1), number),
        weight_all=np.zeros(v, number),
        crossings=no_crossings(model) if crossings is None else crossings,
        side=np.full(3 + v, -1, np.int64),
        zeros=np.zeros(w, number),
        bits=make_bits(model),
    )


@lean
def lowest(cells):  # type: ignore[no-untyped-def]
    """The least of the threads' incumbents."""
    best = cells[0]
    for i in range(1, len(cells)):
        best = cells[i] if cells[i] < best else best
    return best


@lean
def copy_split(split, to):  # type: ignore[no-untyped-def]
    """Copy a split's record."""
    to[0] = split[0]
    if split[0] != UNKNOWN:
        for j in range(1, 3 + split[2]):
            to[j] = split[j]


@lean
def forget_below(W: Work):  # type: ignore[no-untyped-def]
    """The children's splits of the best split are not known."""
    W.kept[0, 0] = UNKNOWN
    W.kept[1, 0] = UNKNOWN


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
