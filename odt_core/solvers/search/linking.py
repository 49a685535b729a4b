"""Which kernels a class of subtrees is solved by: two levels do without those for three.

On a fresh machine each of them has to be compiled first, and what three levels need takes twice as
long as what two need. The large kernels are called by their address (entries.py); `link` compiles
those that a problem needs and puts their addresses into the working memory.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.depth2 import depth2_root
from odt_core.solvers.search.depth3 import (
    best_column,
    clear_bounds,
    count_rows,
    depth3,
    group3_root,
    groups3,
    prepare3,
)
from odt_core.solvers.search.entries import address_of, called
from odt_core.solvers.search.lanes import stump_lanes
from odt_core.solvers.search.model import PAIR, Model
from odt_core.solvers.search.sides import try_split_root
from odt_core.solvers.search.work import Work, copy_split, forget_below, lowest, up_to_2


def solve_set(
    model: Model,
    cls: int,
    n: int,
    cells: npt.NDArray,
    me: int,
    stop: npt.NDArray[np.int64],
    work: Work,
) -> None:
    """Least cost of a class of at most three levels on ``work.rows[:n]``, if below the incumbents.

    Parameters
    ----------
    model : Model
    cls, n : int
        The class and how many rows.
    cells : float[T]
        Incumbents; ``cells[me]`` receives a better cost, ``work.split`` its split and ``work.kept``
        its children's.
    me : int
        Whose cell it is.
    stop : int64[1]
        Ends the search of three levels.
    work : Work
        Its bounds must be prepared as `depth3` asks.
    """
    if model.level[cls] > PAIR:
        depth3(model, cls, n, cells, me, stop, work)
    else:
        solve_pair(model, cls, n, cells, me, work)


@called
def solve_pair(M: Model, cls, n, cells, me, W: Work):  # type: ignore[no-untyped-def]
    """`solve_set` for at most two levels."""
    count_rows(M, n, W)
    limit = lowest(cells)
    value = up_to_2(M, cls, W.F, W.D, W.P, W.whole[0], W.whole[1], limit, W)
    if value < limit:
        cells[me] = value
        if M.level[cls] == PAIR:
            copy_split(W.S.split, W.split)
            forget_below(W)


_addresses: dict[tuple, int] = {}


def link(model: Model, work: Work) -> None:
    """Compile the kernels that are called by address and put their addresses in place."""
    entries = (_stump, _pair, _split, _group)[: 4 if model.level.max() > PAIR else 2]
    for at, entry in enumerate(entries):
        key = (at, model.d.dtype, model.cells.dtype)
        if key not in _addresses:
            _addresses[key] = address_of(*entry(model, work))
        work.S.entry[at] = _addresses[key]


def compile_three(model: Model, work: Work) -> None:
    """Compile what splits three levels, without what it calls by address."""
    number = model.d.dtype.type
    cells, stop = np.zeros(1, number), np.zeros(1, np.int64)
    address_of(clear_bounds, (work,))
    address_of(best_column, (model, 0, 0, work))
    address_of(prepare3, (model, 0, 0, cells, work))
    address_of(*_group(model, work))
    address_of(groups3, (model, 0, 0, cells, 0, stop, np.zeros(1, np.int64), cells, work))
    address_of(depth3, (model, 0, 0, cells, 0, stop, work))


def compile_sides(model: Model, work: Work) -> None:
    """Compile the evaluation of one split of three levels, which they call by address."""
    address_of(*_split(model, work))


Call = tuple[Callable, tuple]
"""A kernel and arguments of the types that it is called with."""


def _stump(model: Model, work: Work) -> Call:
    zero, S = model.d.dtype.type(0), work.S
    return stump_lanes, (
        model.runs, 0, 0, work.F, work.D, 0, 0, zero, S.tot[0], S.pos[0], np.bool_(0),
        S.acc, S.out[0], 0,
    )  # fmt: skip


def _pair(model: Model, work: Work) -> Call:
    zero = model.d.dtype.type(0)
    return depth2_root, (model, 0, work.F, work.D, work.P, zero, zero, zero, work.S)


def _split(model: Model, work: Work) -> Call:
    zero = model.d.dtype.type(0)
    cells = np.zeros(1, model.d.dtype)
    return try_split_root, (
        model, 0, 0, cells, 0, 0, 0, np.bool_(0), np.bool_(0), zero, zero, work
    )  # fmt: skip


def _group(model: Model, work: Work) -> Call:
    cells = np.zeros(1, model.d.dtype)
    return group3_root, (model, 0, 0, cells, 0, cells, 0, work.S.halt, work)
