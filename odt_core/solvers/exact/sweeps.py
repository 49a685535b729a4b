"""Sweeps: orders of rows, and what compiled and plain primitives share."""
from __future__ import annotations
from typing import NamedTuple
import numpy as np
import numpy.typing as npt
LANES = 32
GRID = 7
NEAR = 3
ALL = -1
KIND, ARITY, SIZE, START, ROLE, FREE, CATEGORIES, START_OK, FIRST_CUT = range(9)
LOW_LEAF, HIGH_LEAF, ONE_WAY, EMPTY_OK, MIRRORED = range(5)
N_ROWS, FILLED, QUEUED, TRIED, HEAD, TAIL, GROUP, DEPTH = range(8)

class Work(NamedTuple):
    """Working memory for one row set of n rows, numbered from 0."""
    state: npt.NDArray[np.int64]
    found: npt.NDArray[np.float64]
    whole: npt.NDArray[np.float64]
    number: npt.NDArray[np.int32]
    rows: npt.NDArray[np.int32]
    d: npt.NDArray[np.float64]
    order: npt.NDArray[np.int32]
    place: npt.NDArray[np.int32]
    mark: npt.NDArray[np.uint8]
    bits: npt.NDArray[np.int64]
    sums: npt.NDArray[np.float64]
    buffer: npt.NDArray[np.float64]
    result: npt.NDArray[np.float64]
    lane: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    queue: npt.NDArray[np.int64]
    cuts: npt.NDArray[np.float64]
    interval: npt.NDArray[np.int64]
    single: npt.NDArray[np.float64]
    walk: npt.NDArray[np.int64]
    bound: npt.NDArray[np.float64]
    guess: npt.NDArray[np.float64]
    grid_cut: npt.NDArray[np.int64]
    near: npt.NDArray[np.float64]
    lost: npt.NDArray[np.float64]
    lost_rows: npt.NDArray[np.int32]

class Known(NamedTuple):
    state: npt.NDArray[np.int64]
    cls: npt.NDArray[np.int64]
    low: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]
    mask: npt.NDArray[np.uint64]
    value: npt.NDArray[np.float64]
    grid: npt.NDArray[np.int32]
    pieces: npt.NDArray[np.float64]

class Orders(NamedTuple):
    """Presorted rows."""

    order: npt.NDArray[np.int32]
    known: Known

def make_work(table) -> Work:
    n, k = len(table.d), len(table.kind)
    q = np.diff(table.start)
    sets = table.kind != 0
    kept = int(table.arity[sets].max(initial=1))
    largest = int(q[sets].max(initial=1))
    cuts = k * n + 1
    e, i64, i32 = np.empty, np.int64, np.int32
    return Work(np.zeros(8, i64), np.zeros(2), np.zeros(5), e(n, i32), e(n + 1, i32), e(n + 1), e((k, n), i32), e((k, n), i32), e((k, n), np.uint8), e(n, i32), np.zeros((4, LANES)),
      e((5 + 4 * kept) * LANES), e((4, LANES)), e((LANES, 2), i64), e((LANES + 1, largest), i32), e((1 + k * 8 + int(q[sets].sum()), 2), i64), e((6, cuts)), e((cuts + k, 5), i64),
      np.zeros((4, len(table.group))), e((3, largest + 1), i64), e((2, largest + 1)), np.zeros((4, k, GRID)), np.zeros((k, GRID), i64), np.zeros((2, NEAR)), np.zeros((2, GRID)), e(n + 1, i32))

def make_info(table, root, low, high):
    k = len(table.kind)
    info = np.zeros((k + 1, 9), np.int64)
    info[:k, KIND], info[:k, ARITY], info[:k, SIZE], info[:k, START] = table.kind, table.arity, np.diff(table.start), table.start[:-1]
    info[:, FREE] = 1
    for turn, cls in enumerate((root, low, high)):
        mine = table.groups[table.groups_at[cls] : table.groups_at[cls + 1]]
        info[mine, ROLE] |= 1 << turn
        if turn: info[mine, FREE] &= table.empty_ok[cls]
    option = np.array([table.level[low] == 0, table.level[high] == 0, table.one_way[root], table.empty_ok[root], low == high], np.int64)
    return info, option

def make_known(table, order):
    K, n = table.local.shape
    W = max(-(-n // 64), 1)
    M = 256
    grid = np.empty((K, GRID), np.int32)
    at = ((np.arange(GRID) + 0.5) * n / GRID).astype(int)
    for k in range(K):
        grid[k] = table.local[k, order[k, at]]
    p = 8 if n < 20000 else 4
    w = np.zeros(W * 64); w[:n] = np.abs(table.d)
    w = w.reshape(-1, p)
    bits = (np.arange(2**p)[:, None] >> np.arange(p)) & 1
    return Known(np.zeros(1, np.int64), np.full(M, -1), np.zeros(M), np.zeros(M), np.zeros((M + 1, W), np.uint64), np.zeros((M, 4, K, GRID)), grid, w @ bits.T.astype(float))

def make_orders(table) -> Orders:
    order = np.argsort(table.local, axis=1, kind="stable").astype(np.int32)
    return Orders(order, make_known(table, order))

def compiled(orders, table, cls, masks, limits, halt, cost, choice):
    from odt_core.solvers.exact import sweep_kernels as sk
    info, option = make_info(table, cls, table.low[cls], table.high[cls])
    choice[:, 0] = -2
    cost[:] = 0
    sk.solve_pairs(orders.order, table.local, table.d, int(cls), masks, limits, halt, cost, choice, info, option, orders.known, make_work(table))
