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

import threading
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import ANY, Columns, Floats, Masks, Whole, sorted_rows
from odt_core.solvers.search.groups import FULL
from odt_core.solvers.search.kernels import BLOCK, HIGH, inlined, jit, vector_run

SLOTS = 32
"""Candidates that one sweep decides: one for each bit of an int32."""
FIRST_TRIES = 7
"""Thresholds of each chain that are tried first."""

ALL = -1
"""The candidate with all rows inside; as an end of an interval, the end of the chain."""
KIND, ARITY, SIZE, START, ROLE, FREE, CATEGORIES, START_OK, FIRST_THRESHOLD = range(9)
"""Columns of `info`, which has a row for each group. `ROLE` is a sum: 1 if the root may split on
the group, 2 if the low child may, 4 if the high child may. `FREE`: its sides may be empty. The last
three belong to the row set: how many positions have rows, whether the empty prefix counts, and the
number of the first threshold."""
LOW_LABEL, HIGH_LABEL, ONE_WAY, EMPTY_OK, MIRRORED = range(5)
"""Entries of `option`: whether the low and the high child may give all rows one label; whether the
root's question may not be reversed; whether its sides may be empty; whether the children are of one
family."""
N_ROWS, FILLED, QUEUED, TRIED, HEAD, TAIL, GROUP, DEPTH = range(8)
"""Entries of `SweepMemory.state`: the number of rows, of filled slots, of noted candidates and of
tried ones; the first open interval and the last + 1; group and depth of the walk over subsets."""
IN_LOW, IN_HIGH, OUT_LOW, OUT_HIGH = 0, 1, 2, 3
"""Costs of the two child families inside and outside a split."""
POSITION, BEFORE, VALUE = 0, 1, 2
"""Rows of `SweepMemory.thresholds`: last position inside, weight up to it, and the four costs."""

Short = npt.NDArray[np.int32]


class SweepMemory(NamedTuple):
    """Working memory for a set of n rows, numbered from 0. K groups, L slots, T thresholds."""

    state: Whole  # [8]
    found: Floats  # [2]: least cost so far; least cost or bound of the other splits
    whole: Floats  # [5]: costs of the children on all rows; the rows' weight
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
    slot: Whole  # [L, 2]: group of each slot, and its threshold or -1 - its number of members
    members: Short  # [L + 1, q]
    queue: Whole  # [..., 2]: candidates to try
    thresholds: Floats  # [6, T]: the thresholds that separate rows
    interval: Whole  # [..., 5]: a ring of open intervals between tried thresholds
    single: Floats  # [4, V]: costs of the children inside and outside each category
    walk: Whole  # [3, q + 1]: numbers of categories low and high, and where each went
    bound: Floats  # [2, q + 1]: costs of a walk so far, and bounds of the rest


_kept = threading.local()


def work_for(table: Columns) -> SweepMemory:
    """Working memory for a table. A thread keeps the memory of its last table."""
    if getattr(_kept, "local", None) is not table.local:
        _kept.local, _kept.work = table.local, _new_work(table)
    found: SweepMemory = _kept.work
    return found


def _new_work(table: Columns) -> SweepMemory:
    n, k = len(table.d), len(table.kind)
    sizes = np.diff(table.start)[table.kind != 0]
    kept = int(table.arity[table.kind != 0].max(initial=1))
    q = int(sizes.max(initial=1))
    thresholds = k * (n + 2) + 1

    def room(*shape: int, kind: type = np.float64) -> npt.NDArray:
        return np.empty(shape, kind)

    def whole(*shape: int) -> Whole:
        return np.zeros(shape, np.int64)

    return SweepMemory(
        whole(8), np.zeros(2), np.zeros(5),
        room(n, kind=np.int32), room(n + 1, kind=np.int32), room(n + 1),
        room(k, n + 1, kind=np.int32), room(k, n + 1, kind=np.int32), room(k, n + 1, kind=np.uint8),
        room(n + 1, kind=np.int32),
        np.zeros((4, SLOTS)), room(2, SLOTS), room((5 + 2 * max(kept, 2)) * BLOCK), room(q, SLOTS),
        room(2, q), room(4, SLOTS),
        whole(SLOTS, 2), room(SLOTS + 1, q, kind=np.int32),
        whole(1 + int(sizes.sum()), 2), room(6, thresholds), whole(thresholds + 2 * k + 2, 5),
        np.zeros((4, len(table.group))), whole(3, q + 1), room(2, q + 1),
    )  # fmt: skip


def make_info(table: Columns, root: int, low: int, high: int) -> tuple[Whole, Whole]:
    """Arrays ``info`` and ``option`` for the families of a root and its children."""
    k = len(table.kind)
    info = np.zeros((k + 1, 9), np.int64)
    info[:k, KIND], info[:k, ARITY], info[:k, START] = table.kind, table.arity, table.start[:-1]
    info[:k, SIZE] = np.diff(table.start)
    info[:, FREE] = 1
    for turn, family in enumerate((root, low, high)):
        mine = table.groups[table.groups_at[family] : table.groups_at[family + 1]]
        info[mine, ROLE] |= 1 << turn
        if turn:
            info[mine, FREE] &= table.empty_ok[family]
    level = table.level
    labels = [level[child] == 0 or table.empty_ok[child] for child in (low, high)]
    option = [*labels, table.one_way[root], table.empty_ok[root], low == high]
    return info, np.array(option, np.int64)


# ---------------------------------------------------------------- the rows of a set


@inlined
def number_rows(order, local, d, mask, info, w):
    """Number the set's rows from 0, and put them in each group's order."""
    n, w.whole[4] = 0, 0.0
    for i in range(len(d)):
        inside = (mask[i // 64] >> np.uint64(i % 64)) & np.uint64(1)
        w.number[i] = n if inside else -1
        w.rows[n], w.d[n] = i, d[i]
        n += 1 if inside else 0
        w.whole[4] += abs(d[i]) if inside else 0.0
    w.state[N_ROWS] = n
    for k in range(len(order)):
        if info[k, ROLE] == 0:
            continue
        at = 0
        for j in range(len(d)):
            row = w.number[order[k, j]]
            w.order[k, at] = row
            at += 1 if row >= 0 else 0
        for row in range(n):
            w.place[k, row] = local[k, w.rows[row]]


@inlined
def mark_ends(k, info, w):
    """Mark where a prefix of a chain may have the least (1) or largest sum (2), or a category ends.

    A least sum ends after a fall and before a rise. If sides may be empty, the empty and the whole
    prefix count, too. Otherwise only prefixes that are columns count.
    """
    n, chain, free = w.state[N_ROWS], info[k, KIND] == 0, info[k, FREE] == 1
    start_ok = free or w.place[k, w.order[k, 0]] > 0
    end_ok = free or w.place[k, w.order[k, n - 1]] < info[k, SIZE]
    info[k, START_OK] = 1 if start_ok else 0
    info[k, CATEGORIES] = 0
    fell, rose, last = True, True, -1
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
            forced = not chain or (at == n and not end_ok)
            forced |= info[k, CATEGORIES] == 1 and not start_ok
            mark = 1 if forced or (fell and rises) else 0
            w.mark[k, last] = mark + (2 if forced or (rose and falls) else 0)
        fell, rose, last = falls, rises, at - 1
        info[k, CATEGORIES] += 1
    w.mark[k, n - 1] = 3 if end_ok or not chain else 0


@inlined
def list_thresholds(k, one_sided, info, w):
    """List the thresholds of a chain that separate rows. They make one open interval.

    `one_sided` adds a threshold with all rows on one side, if the chain has such a column.
    """
    n, weight = w.state[N_ROWS], 0.0
    end = info[k, FIRST_THRESHOLD]
    before = w.place[k, w.order[k, 0]]
    if one_sided and before > 0:
        w.thresholds[POSITION, end], w.thresholds[BEFORE, end] = before - 1, 0.0
        end += 1
    for j in range(n):
        row = w.order[k, j]
        weight += abs(w.d[row])
        after = w.place[k, w.order[k, j + 1]] if j + 1 < n else info[k, SIZE] * one_sided
        if w.place[k, row] < after:
            w.thresholds[POSITION, end], w.thresholds[BEFORE, end] = w.place[k, row], weight
            end += 1
    info[k + 1, FIRST_THRESHOLD] = end
    open_interval(k, ALL, ALL, info[k, FIRST_THRESHOLD], end, w)


@inlined
def list_categories(k, one_sided, info, w):
    """List the categories with rows. `one_sided` adds a category without rows."""
    empty = 0
    for j in range(w.state[N_ROWS]):
        p = w.place[k, w.order[k, j]]
        empty += 1 if p == empty else 0
        if w.mark[k, j]:
            queue(k, ALL - 1 - p, w)
    if one_sided and empty < info[k, SIZE]:
        queue(k, ALL - 1 - empty, w)


@inlined
def queue(k, at, w):
    """Note a candidate that no bound excludes: `ALL`, or ``ALL - 1 - p`` for category p."""
    w.queue[w.state[QUEUED], 0], w.queue[w.state[QUEUED], 1] = k, at
    w.state[QUEUED] += 1


@inlined
def open_interval(k, a, z, first, stop, w):
    """Note the thresholds from `first` to `stop` - 1 between tried ones a and z (`ALL`: none)."""
    if first < stop:
        into = w.state[TAIL] % len(w.interval)
        w.interval[into, 0], w.interval[into, 1], w.interval[into, 2] = k, a, z
        w.interval[into, 3], w.interval[into, 4] = first, stop
        w.state[TAIL] += 1


@jit
def prepare(order, local, d, mask, one_sided, info, w):
    """Prepare the memory for a row set."""
    w.state[:] = 0
    number_rows(order, local, d, mask, info, w)
    if w.state[N_ROWS] == 0:
        return
    w.whole[:4] = 0.0
    queue(0, ALL, w)
    for k in range(len(order)):
        info[k + 1, FIRST_THRESHOLD] = info[k, FIRST_THRESHOLD]
        if info[k, ROLE]:
            mark_ends(k, info, w)
        if info[k, ROLE] & 1:
            if info[k, KIND] == 0:
                list_thresholds(k, one_sided, info, w)
            else:
                list_categories(k, one_sided, info, w)


# ---------------------------------------------------------------- sweeps


@inlined
def sweep_chain(k, info, w):
    """Compute the gain of a chain's best threshold inside and outside each slot."""
    acc = w.buffer
    edge = 0.0 if info[k, START_OK] else np.inf
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
def sweep_set(k, info, w):
    """Compute the gain of the best split by a set inside and outside each slot."""
    size, acc = info[k, SIZE], w.buffer
    w.inside[:size] = 0.0
    w.parts[:, :size] = 0.0
    for at in range(w.state[N_ROWS]):
        row = w.order[k, at]
        x, inside, sums = w.d[row], w.bits[row], w.inside[w.place[k, row]]
        w.parts[1, w.place[k, row]] += x
        for i in range(SLOTS):
            sums[i] += x if (inside >> np.int32(i)) & np.int32(1) else 0.0
    arity = ANY if info[k, KIND] == FULL and info[k, ARITY] > 1 else info[k, ARITY]
    for side in range(2):
        for i in range(SLOTS):
            acc[i] = np.inf
            acc[i + HIGH] = -np.inf
        sign = 1.0 - 2.0 * side
        vector_run(w.inside, arity, 0, size, 0, SLOTS, w.parts[side], sign, info[k, FREE] == 1, acc)
        for i in range(SLOTS):
            w.gain[side, i] = min(acc[i], w.sums[side, i] - acc[i + HIGH])


@jit
def sweep(info, option, w):
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
        alike, side = option[LOW_LABEL if j % 2 == 0 else HIGH_LABEL], j // 2
        for i in range(SLOTS):
            label = w.sums[2 + side, i] + min(0.0, w.sums[side, i])
            w.result[j, i] = label if alike else np.inf
    for k in range(len(info) - 1):
        if info[k, ROLE] < 2:
            continue
        if info[k, KIND] == 0:
            sweep_chain(k, info, w)
        else:
            sweep_set(k, info, w)
        for j in range(4):
            if info[k, ROLE] & (2 << (j % 2)):
                side = j // 2
                for i in range(SLOTS):
                    cost = w.sums[2 + side, i] + w.gain[side, i]
                    w.result[j, i] = min(w.result[j, i], cost)


# ---------------------------------------------------------------- candidates


@inlined
def push(k, at, w):
    """Fill a slot with a threshold of a chain, or with ``ALL - n`` for n members of a set."""
    w.slot[w.state[FILLED], 0], w.slot[w.state[FILLED], 1] = k, at
    w.state[FILLED] += 1


@inlined
def fill_from_queue(w):
    """Fill slots with the queued candidates."""
    while w.state[FILLED] < SLOTS and w.state[TRIED] < w.state[QUEUED]:
        k, at = w.queue[w.state[TRIED], 0], w.queue[w.state[TRIED], 1]
        w.state[TRIED] += 1
        if at < ALL:
            w.members[w.state[FILLED], 0] = ALL - 1 - at
            at = ALL - 1
        push(k, at, w)


@inlined
def cost_at(threshold, side, option, w):
    """Cost of a tried threshold. At a chain's end, all rows are outside (side 0) or inside (1)."""
    if threshold != ALL:
        low = w.thresholds[VALUE + IN_LOW, threshold] + w.thresholds[VALUE + OUT_HIGH, threshold]
        high = w.thresholds[VALUE + IN_HIGH, threshold] + w.thresholds[VALUE + OUT_LOW, threshold]
    else:
        low, high = w.whole[IN_HIGH - side], w.whole[IN_LOW + side]
    return low if option[ONE_WAY] else min(low, high)


@inlined
def interval_bound(a, z, option, w):
    """Lower bound between two thresholds: the cost of the rows below one and above the other."""
    low = high = 0.0
    if a != ALL:
        low, high = w.thresholds[VALUE + IN_LOW, a], w.thresholds[VALUE + IN_HIGH, a]
    if z != ALL:
        low, high = low + w.thresholds[VALUE + OUT_HIGH, z], high + w.thresholds[VALUE + OUT_LOW, z]
    return low if option[ONE_WAY] else min(low, high)


@inlined
def split_interval(at, points, info, option, w):
    """Try thresholds of an interval, and note the intervals between them.

    A threshold near a tried one is left out if the weight between them is too small for a better
    cost (similarity).
    """
    k, a, z = w.interval[at, 0], w.interval[at, 1], w.interval[at, 2]
    first, stop = w.interval[at, 3], w.interval[at, 4]
    bound, best = interval_bound(a, z, option, w), w.found[0]
    near, far = 0.0, w.whole[4]
    if a != ALL:
        near = w.thresholds[BEFORE, a]
    if z != ALL:
        far = w.thresholds[BEFORE, z]
    spare = cost_at(a, 0, option, w) - best
    while first < stop and (bound >= best or w.thresholds[BEFORE, first] - near <= spare):
        first += 1
    spare = cost_at(z, 1, option, w) - best
    while first < stop and far - w.thresholds[BEFORE, stop - 1] <= spare:
        stop -= 1
    if stop - first < w.interval[at, 4] - w.interval[at, 3]:
        w.found[1] = min(w.found[1], max(bound, best))
    width = stop - first
    if a == ALL and z == ALL:
        points = FIRST_TRIES
    tries = min(points, width, SLOTS - w.state[FILLED])
    last, begin = a, first
    for j in range(tries):
        threshold = first + ((2 * j + 1) * width) // (2 * tries)
        open_interval(k, last, threshold, begin, threshold, w)
        push(k, threshold, w)
        last, begin = threshold, threshold + 1
    open_interval(k, last, z, begin, stop, w)


@jit
def fill_from_intervals(info, option, w):
    """Fill slots from the open intervals whose ends were tried."""
    while w.state[FILLED] == 0 and w.state[HEAD] < w.state[TAIL]:
        stop = w.state[TAIL]
        points = max(1, SLOTS // (2 * (stop - w.state[HEAD])))
        while w.state[FILLED] < SLOTS and w.state[HEAD] < stop:
            at = w.state[HEAD] % len(w.interval)
            w.state[HEAD] += 1
            split_interval(at, points, info, option, w)


@inlined
def begin_walk(k, info, option, w):
    """Start the walk over a set's subsets with its categories and lower bounds of their costs."""
    count = 0
    for j in range(w.state[N_ROWS]):
        if w.mark[k, j]:
            w.members[SLOTS, count] = w.place[k, w.order[k, j]]
            w.walk[2, count] = -1
            count += 1
    w.bound[0, 0] = 0.0
    w.bound[1, count] = 0.0
    w.walk[0, 0] = w.walk[1, 0] = 0
    for j in range(count - 1, -1, -1):
        column = info[k, START] + w.members[SLOTS, j]
        least = min(w.single[IN_LOW, column], w.single[IN_HIGH, column])
        w.bound[1, j] = w.bound[1, j + 1] + least


@inlined
def walk(k, info, option, w, halt):
    """Fill slots with subsets of a set: each category low or high, depth first.

    A subset costs at least the sum of its categories' costs (disjoint sets). Single categories have
    been tried before.
    """
    count, j = info[k, CATEGORIES], w.state[DEPTH] - 1
    most = count if info[k, KIND] == 1 else info[k, ARITY]
    while j >= 0 and w.state[FILLED] < SLOTS and halt[0] == 0:
        w.walk[2, j] += 1
        way = w.walk[2, j]
        if way == (1 if j == 0 and option[MIRRORED] else 2):
            w.walk[2, j] = -1
            j -= 1
            continue
        column = info[k, START] + w.members[SLOTS, j]
        w.bound[0, j + 1] = w.bound[0, j] + w.single[IN_LOW + way, column]
        w.walk[0, j + 1], w.walk[1, j + 1] = w.walk[0, j], w.walk[1, j]
        w.walk[way, j + 1] += 1
        least = min(w.walk[0, j + 1], w.walk[1, j + 1])
        bound = w.bound[0, j + 1] + w.bound[1, j + 1]
        if bound >= w.found[0]:
            w.found[1] = min(w.found[1], bound)
        elif least <= most and j + 1 < count:
            j += 1
        elif least <= most and least > 1:
            fewer = 0 if w.walk[0, count] <= w.walk[1, count] else 1
            size = 0
            for i in range(count):
                if w.walk[2, i] == fewer:
                    w.members[w.state[FILLED], size] = w.members[SLOTS, i]
                    size += 1
            push(k, ALL - size, w)
    w.state[DEPTH] = j + 1


@jit
def fill_from_subsets(info, option, w, halt):
    """Fill slots with subsets of sets, one set after the other."""
    while w.state[FILLED] < SLOTS and w.state[GROUP] < len(info) - 1 and halt[0] == 0:
        k = w.state[GROUP]
        if info[k, ROLE] & 1 and info[k, KIND] != 0 and info[k, ARITY] > 1:
            if w.state[DEPTH] == 0:
                begin_walk(k, info, option, w)
                w.state[DEPTH] = 1
            walk(k, info, option, w, halt)
        if w.state[DEPTH] == 0:
            w.state[GROUP] += 1


@inlined
def fill_bits(w):
    """Set the bits of the slots that each row is inside of."""
    n = w.state[N_ROWS]
    w.bits[:n] = 0
    for i in range(w.state[FILLED]):
        k, at = w.slot[i, 0], w.slot[i, 1]
        if at == ALL:
            for row in range(n):
                w.bits[row] |= np.int32(1) << np.int32(i)
        elif at >= 0:
            last = np.int32(w.thresholds[POSITION, at])
            for row in range(n):
                w.bits[row] |= np.int32(w.place[k, row] <= last) << np.int32(i)
        else:
            for j in range(ALL - at):
                p = w.members[i, j]
                for row in range(n):
                    w.bits[row] |= np.int32(w.place[k, row] == p) << np.int32(i)


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
def keep_results(info, option, w, split):
    """Keep the costs of the slots, and the best split."""
    for i in range(w.state[FILLED]):
        k, at = w.slot[i, 0], w.slot[i, 1]
        count = 1 if at >= ALL else ALL - at
        for j in range(4):
            cost = w.result[j, i]
            if at == ALL:
                w.whole[j] = cost
            elif at >= 0:
                w.thresholds[VALUE + j, at] = cost
            elif count == 1:
                w.single[j, info[k, START] + w.members[i, 0]] = cost
        for to_high in range(1 if option[ONE_WAY] else 2):
            cost = w.result[IN_LOW + to_high, i] + w.result[OUT_HIGH - to_high, i]
            if at == ALL and option[EMPTY_OK]:
                keep_if_better(w.result[IN_HIGH - to_high, i], -1, to_high, 0, w, split)
            elif at != ALL and keep_if_better(cost, k, to_high, count, w, split):
                for j in range(count):
                    p = np.int32(w.thresholds[POSITION, at]) if at >= 0 else w.members[i, j]
                    split[3 + j] = info[k, START] + p
    w.state[FILLED] = 0


@inlined
def split_nothing(info, option, w, split):
    """Keep any split: there are no rows."""
    if option[EMPTY_OK]:
        keep_if_better(0.0, -1, 0, 0, w, split)
    for k in range(len(info) - 1):
        if info[k, ROLE] & 1 and keep_if_better(0.0, k, 0, 1, w, split):
            split[3] = info[k, START]


@jit
def solve(order, local, d, masks, limits, halt, cost, split, info, option, w):
    """Solve a family of two levels on each row set."""
    for b in range(len(masks)):
        w.found[0], w.found[1] = limits[b], np.inf
        prepare(order, local, d, masks[b], 1 - option[EMPTY_OK], info, w)
        if w.state[N_ROWS] == 0:
            split_nothing(info, option, w, split[b])
        while w.state[N_ROWS] and halt[0] == 0:
            fill_from_queue(w)
            if w.state[FILLED] == 0:
                fill_from_intervals(info, option, w)
            if w.state[FILLED] == 0:
                fill_from_subsets(info, option, w, halt)
            if w.state[FILLED] == 0:
                break
            fill_bits(w)
            sweep(info, option, w)
            keep_results(info, option, w, split[b])
        if halt[0]:
            split[b, 0] = -2
            return
        better = w.found[0] < limits[b]
        least = max(limits[b], w.found[1]) if w.found[1] < np.inf else limits[b]
        cost[b] = w.found[0] if better else least


def two_levels_by_sweeps(
    table: Columns, family: int, masks: Masks, limits: Floats, halt: Whole, cost: Floats,
    split: Short,
) -> None:  # fmt: skip
    """Solve two levels like `kernels.two_levels`. A cost not below its limit is a lower bound."""
    split[:, 0] = -2
    split[:, 1:] = 0
    cost[:] = 0.0
    info, option = make_info(table, family, int(table.low[family]), int(table.high[family]))
    solve(
        table.order, table.local, table.d, masks, limits, halt, cost, split, info, option,
        work_for(table),
    )  # fmt: skip


def compile_kernels(table: Columns, mask: Masks) -> None:
    """Compile or load every kernel: call each once with the types that the search uses."""
    table = table._replace(order=sorted_rows(table.local))
    given = np.ones(1), np.zeros(1, np.int64), np.empty(1), np.empty((1, 5), np.int32)
    two_levels_by_sweeps(table, int(table.level.argmax()), mask[None], *given)
