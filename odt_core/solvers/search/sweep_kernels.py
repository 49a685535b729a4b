"""The compiled primitive of two levels for very many thresholds: sweeps over presorted rows.

Tables of pairs of columns would be too large here. One pass over the rows in a feature's order
finds the best leaf-adjacent split by the feature. Runs of the root's thresholds are halved: between
two thresholds that were tried, a tree costs at least what the rows below the first one cost, plus
what the rows above the second one cost. Until this is compiled, the loop (loop.py) halves runs in
the same way.

A *slot* holds a candidate split: one bit of each row says whether the row is inside. One sweep over
a group's order gives the best leaf-adjacent split by this group on both sides of all slots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import ANY, LEAF, Columns, sorted_rows
from odt_core.solvers.search.groups import CHAIN, FULL
from odt_core.solvers.search.kernels import BLOCK, HIGH, inlined, jit, vector_run, with_memory
from odt_core.solvers.search.row_sets import Floats, Masks, Whole

SLOTS = 32
"""Candidates that one sweep decides: one for each bit of an int32."""
FIRST_TRIES = 7
"""Thresholds of each chain that are tried first."""

NONE, ALL = 0, 1
"""The candidates with no row and with all rows inside. They are the ends of a chain, too."""
ROLE, FREE, START_OK, FIRST = range(4)
"""Columns of `SweepMemory.info`. `ROLE` is a sum: 1 if the root may split on the group, 2 if the
low child may, 4 if the high child may. `FREE`: whether its sides may be empty below the root. The
last two belong to the row set: whether the empty prefix counts, and the group's first candidate."""
N_ROWS, FILLED, HEAD, TAIL, GROUP, DEPTH, WALKED = range(7)
"""Entries of `SweepMemory.state`: the number of rows and of filled slots; the first open interval
and the last + 1; group, depth and number of categories of the walk over subsets."""
IN_LOW, IN_HIGH, OUT_LOW, OUT_HIGH = 0, 1, 2, 3
"""Costs of the two child families inside and outside a split."""
POSITION, WEIGHT, VALUE = 0, 1, 2
"""Rows of `SweepMemory.candidates`: last position inside, weight inside, and the four costs."""

Short = npt.NDArray[np.int32]


class SweepMemory(NamedTuple):
    """Working memory for a set of n rows, numbered from 0. K groups, L slots, T candidates.

    Candidates are `NONE`, `ALL`, the thresholds that separate rows, and the categories with rows.
    """

    state: Whole  # [7]
    info: Whole  # [K + 1, 4]
    found: Floats  # [2]: least cost so far; least cost or bound of the other splits
    number: Short  # [N]: the number of each row of the table in the set; -1 if it is not in it
    rows: Short  # [n + 1]: the table's row of each number
    d: Floats  # [n + 1]: as in `Columns`, by number of the set
    order: Short  # [K, n + 1]: the rows by rising position in each group
    place: Short  # [K, n + 1]: the position of each row in each group
    mark: npt.NDArray[np.uint8]  # [K, n + 1]: where a prefix counts (see `mark_ends`)
    bits: Short  # [n]: the slots that each row is inside of
    sums: Floats  # [4, L]: sums of d and of positive weight inside and outside
    gain: Floats  # [2, L]: the gain of a group's best split inside and outside
    buffer: Floats  # a sweep's accumulators
    inside: Floats  # [q, L]: sums of d over each category inside
    parts: Floats  # [2, q]: zeros, and sums of d over each category
    result: Floats  # [4, L]: costs of the children
    slot: Whole  # [L, 2]: group of each slot, and its candidate or minus its number of members
    members: Short  # [L, q]: positions of each slot's members
    candidates: Floats  # [6, T]
    interval: Whole  # [..., 5]: a ring of open intervals between tried candidates
    walk: Whole  # [3, q + 1]: the walk's candidates, where each went, and how many before went high
    bound: Floats  # [2, q + 1]: costs of a walk so far, and bounds of the rest


def _new_work(table: Columns) -> SweepMemory:
    """Working memory for a problem's columns."""
    n, k, sets = len(table.d), len(table.kind), table.kind != CHAIN
    q = int(np.diff(table.start)[sets].max(initial=1))
    kept = int(table.arity[sets].max(initial=2))
    most = 2 * k * (n + 1) + 2

    def short(*shape: int) -> Short:
        return np.empty(shape, np.int32)

    return SweepMemory(
        np.zeros(7, np.int64), np.zeros((k + 1, 4), np.int64), np.zeros(2),
        short(n), short(n + 1), np.empty(n + 1),
        short(k, n + 1), short(k, n + 1), np.empty((k, n + 1), np.uint8), short(n + 1),
        np.zeros((4, SLOTS)), np.empty((2, SLOTS)), np.empty((5 + 2 * kept) * BLOCK),
        np.empty((q, SLOTS)), np.empty((2, q)), np.empty((4, SLOTS)),
        np.zeros((SLOTS, 2), np.int64), short(SLOTS, q),
        np.empty((6, most)), np.zeros((most + 2 * k + 2, 5), np.int64),
        np.zeros((3, q + 1), np.int64), np.empty((2, q + 1)),
    )  # fmt: skip


# ---------------------------------------------------------------- the rows of a set


@inlined
def number_rows(T, mask, w):
    """Number the set's rows from 0, and put them in each group's order."""
    n = 0
    for i in range(len(T.d)):
        inside = (mask[i // 64] >> np.uint64(i % 64)) & np.uint64(1)
        w.number[i] = n if inside else -1
        w.rows[n], w.d[n] = i, T.d[i]
        n += 1 if inside else 0
    w.state[N_ROWS] = n
    for k in range(len(T.kind)):
        if w.info[k, ROLE] == 0:
            continue
        at = 0
        for j in range(len(T.d)):
            row = w.number[T.order[k, j]]
            w.order[k, at] = row
            at += 1 if row >= 0 else 0
        for row in range(n):
            w.place[k, row] = T.local[k, w.rows[row]]


@inlined
def mark_ends(T, k, w):
    """Mark where a prefix of a chain may have the least (1) or largest sum (2), or a category ends.

    A least sum ends after a fall and before a rise. If sides may be empty, the empty and the whole
    prefix count, too. Otherwise only prefixes that are columns count.
    """
    n, chain, free = w.state[N_ROWS], T.kind[k] == CHAIN, w.info[k, FREE] == 1
    start_ok = free or w.place[k, w.order[k, 0]] > 0
    end_ok = free or w.place[k, w.order[k, n - 1]] < T.start[k + 1] - T.start[k]
    w.info[k, START_OK] = 1 if start_ok else 0
    fell, rose, last, is_first = True, True, -1, not start_ok
    at = 0
    while at < n:
        p, falls, rises = w.place[k, w.order[k, at]], False, False
        while at < n and w.place[k, w.order[k, at]] == p:
            x = w.d[w.order[k, at]]
            falls |= x <= 0
            rises |= x >= 0
            w.mark[k, at] = 0
            at += 1
        if last >= 0:
            forced = not chain or is_first or (at == n and not end_ok)
            mark = 1 if forced or (fell and rises) else 0
            w.mark[k, last] = mark + (2 if forced or (rose and falls) else 0)
            is_first = False
        fell, rose, last = falls, rises, at - 1
    w.mark[k, n - 1] = 3 if end_ok or not chain else 0


@inlined
def list_candidates(T, k, one_sided, w):
    """List the thresholds of a chain that separate rows, or the categories of a set with rows.

    Thresholds make one open interval, and each category makes one by itself. `one_sided` adds
    columns that hold no row or every row.
    """
    n, weight, is_chain = w.state[N_ROWS], 0.0, T.kind[k] == CHAIN
    size, first = T.start[k + 1] - T.start[k], w.info[k, FIRST]
    w.info[k + 1, FIRST] = first
    before = w.place[k, w.order[k, 0]]
    if one_sided and before > 0:
        add_candidate(k, before - 1, 0.0, w)
    for j in range(n):
        row = w.order[k, j]
        p, after = w.place[k, row], size if one_sided or not is_chain else 0
        weight += abs(w.d[row])
        if j + 1 < n:
            after = w.place[k, w.order[k, j + 1]]
        if p < after:
            add_candidate(k, p, weight, w)
            if not is_chain:
                weight = 0.0
                if one_sided and p + 1 < after:
                    add_candidate(k, p + 1, 0.0, w)
    if is_chain:
        open_interval(k, NONE, ALL, first, w.info[k + 1, FIRST], w)
    else:
        for at in range(first, w.info[k + 1, FIRST]):
            open_interval(k, NONE, ALL, at, at + 1, w)


@inlined
def add_candidate(k, position, weight, w):
    """List a candidate of a group. Until it is tried, its costs are bounded by 0."""
    at = w.info[k + 1, FIRST]
    w.candidates[:, at] = 0.0
    w.candidates[POSITION, at], w.candidates[WEIGHT, at] = position, weight
    w.info[k + 1, FIRST] += 1


@inlined
def open_interval(k, a, z, first, stop, w):
    """Note the candidates from `first` to `stop` - 1 between tried ones a and z."""
    if first < stop:
        into = w.state[TAIL] % len(w.interval)
        w.interval[into, 0], w.interval[into, 1], w.interval[into, 2] = k, a, z
        w.interval[into, 3], w.interval[into, 4] = first, stop
        w.state[TAIL] += 1


@jit
def prepare(T, family, mask, w):
    """Prepare the memory for a row set. The first slot has all rows inside."""
    w.state[:] = 0
    w.info[:, ROLE], w.info[:, FREE], w.info[:, FIRST] = 0, 1, ALL + 1
    for turn in range(3):
        one = family if turn == 0 else (T.low[family] if turn == 1 else T.high[family])
        for at in range(T.groups_at[one], T.groups_at[one + 1]):
            w.info[T.groups[at], ROLE] |= 1 << turn
            if turn > 0 and not T.empty_ok[one]:
                w.info[T.groups[at], FREE] = 0
    number_rows(T, mask, w)
    if w.state[N_ROWS] == 0:
        return
    w.candidates[:, : ALL + 1] = 0.0
    for row in range(w.state[N_ROWS]):
        w.candidates[WEIGHT, ALL] += abs(w.d[row])
    push(0, ALL, w)
    for k in range(len(T.kind)):
        w.info[k + 1, FIRST] = w.info[k, FIRST]
        if w.info[k, ROLE]:
            mark_ends(T, k, w)
        if w.info[k, ROLE] & 1:
            list_candidates(T, k, not T.empty_ok[family], w)


# ---------------------------------------------------------------- sweeps


@inlined
def sweep_chain(k, w):
    """Compute the gain of a chain's best threshold inside and outside each slot."""
    acc = w.buffer
    edge = 0.0 if w.info[k, START_OK] else np.inf
    for i in range(SLOTS):
        acc[i] = 0.0
        acc[SLOTS + i] = edge
        acc[2 * SLOTS + i] = -edge
        acc[3 * SLOTS + i] = edge
        acc[4 * SLOTS + i] = -edge
    total = 0.0
    for at in range(w.state[N_ROWS]):
        row = w.order[k, at]
        x, inside = w.d[row], w.bits[row]
        total += x
        if w.mark[k, at] == 0:
            for i in range(SLOTS):
                acc[i] += x if (inside >> np.int32(i)) & np.int32(1) else 0.0
        else:
            for i in range(SLOTS):
                a = acc[i] + (x if (inside >> np.int32(i)) & np.int32(1) else 0.0)
                b = total - a
                acc[i] = a
                acc[SLOTS + i] = min(acc[SLOTS + i], a)
                acc[2 * SLOTS + i] = max(acc[2 * SLOTS + i], a)
                acc[3 * SLOTS + i] = min(acc[3 * SLOTS + i], b)
                acc[4 * SLOTS + i] = max(acc[4 * SLOTS + i], b)
    for i in range(SLOTS):
        w.gain[0, i] = min(acc[SLOTS + i], w.sums[0, i] - acc[2 * SLOTS + i])
        w.gain[1, i] = min(acc[3 * SLOTS + i], w.sums[1, i] - acc[4 * SLOTS + i])


@inlined
def sweep_set(T, k, w):
    """Compute the gain of the best split by a set inside and outside each slot."""
    size, acc = T.start[k + 1] - T.start[k], w.buffer
    w.inside[:size] = 0.0
    w.parts[:, :size] = 0.0
    for at in range(w.state[N_ROWS]):
        row = w.order[k, at]
        x, inside, sums = w.d[row], w.bits[row], w.inside[w.place[k, row]]
        w.parts[1, w.place[k, row]] += x
        for i in range(SLOTS):
            sums[i] += x if (inside >> np.int32(i)) & np.int32(1) else 0.0
    arity = ANY if T.kind[k] == FULL and T.arity[k] > 1 else T.arity[k]
    for side in range(2):
        for i in range(SLOTS):
            acc[i] = np.inf
            acc[i + HIGH] = -np.inf
        sign = 1.0 - 2.0 * side
        vector_run(
            w.inside, arity, 0, size, 0, SLOTS, w.parts[side], sign, w.info[k, FREE] == 1, acc
        )
        for i in range(SLOTS):
            w.gain[side, i] = min(acc[i], w.sums[side, i] - acc[i + HIGH])


@jit
def sweep(T, family, w):
    """Compute the costs of both child families on both sides of all slots."""
    w.sums[:] = 0.0
    for row in range(w.state[N_ROWS]):
        x, inside = w.d[row], w.bits[row]
        y = max(-x, 0.0)
        for i in range(SLOTS):
            one = 1.0 if (inside >> np.int32(i)) & np.int32(1) else 0.0
            w.sums[0, i] += one * x
            w.sums[1, i] += (1.0 - one) * x
            w.sums[2, i] += one * y
            w.sums[3, i] += (1.0 - one) * y
    for j in range(4):
        child, side = T.low[family] if j % 2 == 0 else T.high[family], j // 2
        alike = T.level[child] == LEAF or T.empty_ok[child]
        for i in range(SLOTS):
            label = w.sums[2 + side, i] + min(0.0, w.sums[side, i])
            w.result[j, i] = label if alike else np.inf
    for k in range(len(T.kind)):
        if w.info[k, ROLE] < 2:
            continue
        if T.kind[k] == CHAIN:
            sweep_chain(k, w)
        else:
            sweep_set(T, k, w)
        for j in range(4):
            if w.info[k, ROLE] & (2 << (j % 2)):
                side = j // 2
                for i in range(SLOTS):
                    cost = w.sums[2 + side, i] + w.gain[side, i]
                    w.result[j, i] = min(w.result[j, i], cost)


# ---------------------------------------------------------------- candidates


@inlined
def push(k, at, w):
    """Fill a slot with a candidate of a group, or with ``-n`` for n members of a set."""
    w.slot[w.state[FILLED], 0], w.slot[w.state[FILLED], 1] = k, at
    w.state[FILLED] += 1


@inlined
def cost_of(T, family, inside, outside, w):
    """Cost of the rows inside one tried candidate and the rows outside another one."""
    low = w.candidates[VALUE + IN_LOW, inside] + w.candidates[VALUE + OUT_HIGH, outside]
    high = w.candidates[VALUE + IN_HIGH, inside] + w.candidates[VALUE + OUT_LOW, outside]
    return low if T.one_way[family] else min(low, high)


@inlined
def split_interval(T, family, at, points, w):
    """Try candidates of an interval, and note the intervals between them.

    A candidate near a tried one is left out if the weight between them is too small for a better
    cost (similarity).
    """
    k, a, z = w.interval[at, 0], w.interval[at, 1], w.interval[at, 2]
    first, stop = w.interval[at, 3], w.interval[at, 4]
    bound, best = cost_of(T, family, a, z, w), w.found[0]
    near, spare = w.candidates[WEIGHT, a], cost_of(T, family, a, a, w) - best
    while first < stop and (bound >= best or w.candidates[WEIGHT, first] - near <= spare):
        first += 1
    far, spare = w.candidates[WEIGHT, z], cost_of(T, family, z, z, w) - best
    while first < stop and far - w.candidates[WEIGHT, stop - 1] <= spare:
        stop -= 1
    if stop - first < w.interval[at, 4] - w.interval[at, 3]:
        w.found[1] = min(w.found[1], max(bound, best))
    width = stop - first
    if a == NONE and z == ALL:
        points = FIRST_TRIES
    tries = min(points, width, SLOTS - w.state[FILLED])
    last, begin = a, first
    for j in range(tries):
        middle = first + ((2 * j + 1) * width) // (2 * tries)
        open_interval(k, last, middle, begin, middle, w)
        push(k, middle, w)
        last, begin = middle, middle + 1
    open_interval(k, last, z, begin, stop, w)


@jit
def fill_from_intervals(T, family, w):
    """Fill slots from the open intervals whose ends were tried."""
    while w.state[FILLED] == 0 and w.state[HEAD] < w.state[TAIL]:
        stop = w.state[TAIL]
        points = max(1, SLOTS // (2 * (stop - w.state[HEAD])))
        while w.state[FILLED] < SLOTS and w.state[HEAD] < stop:
            at = w.state[HEAD] % len(w.interval)
            w.state[HEAD] += 1
            split_interval(T, family, at, points, w)


@inlined
def begin_walk(k, w):
    """Start the walk over a set's subsets with its categories and lower bounds of their costs."""
    count = 0
    for at in range(w.info[k, FIRST], w.info[k + 1, FIRST]):
        if w.candidates[WEIGHT, at] > 0.0:
            w.walk[0, count], w.walk[1, count] = at, -1
            count += 1
    w.state[DEPTH], w.state[WALKED], w.walk[2, 0] = 1, count, 0
    w.bound[0, 0] = w.bound[1, count] = 0.0
    for j in range(count - 1, -1, -1):
        at = w.walk[0, j]
        least = min(w.candidates[VALUE + IN_LOW, at], w.candidates[VALUE + IN_HIGH, at])
        w.bound[1, j] = w.bound[1, j + 1] + least


@inlined
def walk(T, family, k, w, halt):
    """Fill slots with subsets of a set: each category low or high, depth first.

    A subset costs at least the sum of its categories' costs (disjoint sets). Single categories have
    been tried before.
    """
    count, j = w.state[WALKED], w.state[DEPTH] - 1
    while j >= 0 and w.state[FILLED] < SLOTS and halt[0] == 0:
        w.walk[1, j] += 1
        way = w.walk[1, j]
        if way == (1 if j == 0 and T.low[family] == T.high[family] else 2):
            w.walk[1, j] = -1
            j -= 1
            continue
        w.bound[0, j + 1] = w.bound[0, j] + w.candidates[VALUE + IN_LOW + way, w.walk[0, j]]
        w.walk[2, j + 1] = w.walk[2, j] + way
        least = min(w.walk[2, j + 1], j + 1 - w.walk[2, j + 1])
        bound = w.bound[0, j + 1] + w.bound[1, j + 1]
        if bound >= w.found[0]:
            w.found[1] = min(w.found[1], bound)
        elif least <= T.arity[k] and j + 1 < count:
            j += 1
        elif least <= T.arity[k] and least > 1:
            fewer, size = 1 if 2 * w.walk[2, count] < count else 0, 0
            for i in range(count):
                if w.walk[1, i] == fewer:
                    p = w.candidates[POSITION, w.walk[0, i]]
                    w.members[w.state[FILLED], size] = np.int32(p)
                    size += 1
            push(k, -size, w)
    w.state[DEPTH] = j + 1


@jit
def fill_from_subsets(T, family, w, halt):
    """Fill slots with subsets of sets, one set after the other."""
    while w.state[FILLED] < SLOTS and w.state[GROUP] < len(T.kind) and halt[0] == 0:
        k = w.state[GROUP]
        if w.info[k, ROLE] & 1 and T.kind[k] != CHAIN and T.arity[k] > 1:
            if w.state[DEPTH] == 0:
                begin_walk(k, w)
            walk(T, family, k, w, halt)
        if w.state[DEPTH] == 0:
            w.state[GROUP] += 1


@inlined
def fill_bits(T, w):
    """Set the bits of the slots that each row is inside of."""
    n = w.state[N_ROWS]
    w.bits[:n] = 0
    for i in range(w.state[FILLED]):
        k, at, bit = w.slot[i, 0], w.slot[i, 1], np.int32(1) << np.int32(i)
        p = np.int32(w.candidates[POSITION, max(at, 0)])
        if at == ALL or (at > ALL and T.kind[k] == CHAIN):
            for row in range(n):
                w.bits[row] |= bit if at == ALL or w.place[k, row] <= p else np.int32(0)
            continue
        if at > ALL:
            w.members[i, 0] = p
        for j in range(max(1, -at)):
            p = w.members[i, j]
            for row in range(n):
                w.bits[row] |= bit if w.place[k, row] == p else np.int32(0)


# ---------------------------------------------------------------- answers


@inlined
def keep_if_better(cost, k, to_high, count, w, split):
    """Keep a split if it is better than the best so far. Returns whether it is."""
    w.found[1] = min(w.found[1], cost)
    better = cost < w.found[0]
    if better:
        w.found[0] = cost
        split[0], split[1], split[2] = k, to_high, count
    return better


@inlined
def keep_results(T, family, w, split):
    """Keep the costs of the slots, and the best split."""
    for i in range(w.state[FILLED]):
        k, at = w.slot[i, 0], w.slot[i, 1]
        for j in range(4 if at >= 0 else 0):
            w.candidates[VALUE + j, at] = w.result[j, i]
        for j in range(2 if at == ALL else 0):
            w.candidates[VALUE + OUT_LOW + j, NONE] = w.result[IN_LOW + j, i]
            w.candidates[VALUE + OUT_LOW + j, ALL] = 0.0
        for to_high in range(1 if T.one_way[family] else 2):
            cost = w.result[IN_LOW + to_high, i] + w.result[OUT_HIGH - to_high, i]
            if at == ALL:
                if T.empty_ok[family]:
                    keep_if_better(w.result[IN_HIGH - to_high, i], -1, to_high, 0, w, split)
            elif keep_if_better(cost, k, to_high, max(1, -at), w, split):
                for j in range(max(1, -at)):
                    p = np.int32(w.candidates[POSITION, at]) if at > 0 else w.members[i, j]
                    split[3 + j] = T.start[k] + p
    w.state[FILLED] = 0


@inlined
def split_nothing(T, family, w, split):
    """Keep any split: there are no rows."""
    if T.empty_ok[family]:
        keep_if_better(0.0, -1, 0, 0, w, split)
    for k in range(len(T.kind)):
        if w.info[k, ROLE] & 1 and keep_if_better(0.0, k, 0, 1, w, split):
            split[3] = T.start[k]


@with_memory(_new_work)
@jit
def two_levels_by_sweeps(T, family, masks, limits, halt, cost, split, w):
    """Solve two levels like `kernels.two_levels`. A cost not below its limit is a lower bound."""
    split[:, 0] = -2
    split[:, 1:] = 0
    cost[:] = 0.0
    for b in range(len(masks)):
        w.found[0], w.found[1] = limits[b], np.inf
        prepare(T, family, masks[b], w)
        if w.state[N_ROWS] == 0:
            split_nothing(T, family, w, split[b])
        while w.state[FILLED] and halt[0] == 0:
            fill_bits(T, w)
            sweep(T, family, w)
            keep_results(T, family, w, split[b])
            fill_from_intervals(T, family, w)
            if w.state[FILLED] == 0:
                fill_from_subsets(T, family, w, halt)
        if halt[0]:
            split[b, 0] = -2
            return
        better = w.found[0] < limits[b]
        least = max(limits[b], w.found[1]) if w.found[1] < np.inf else limits[b]
        cost[b] = w.found[0] if better else least


def compile_kernels(table: Columns, mask: Masks) -> None:
    """Compile or load every kernel: call each once with the types that the search uses."""
    table = table._replace(order=sorted_rows(table.local))
    given = np.ones(1), np.zeros(1, np.int64), np.empty(1), np.empty((1, 5), np.int32)
    two_levels_by_sweeps(table, int(table.level.argmax()), mask[None], *given)
