"""The problem as flat arrays: merged rows, columns, groups of columns, classes of subtrees.

A *cell* is a value of a feature, a *column* a yes/no question about one feature, a *group* a run
of columns that belong together:

- a CHAIN holds nested columns, each a split by itself: the thresholds of an ordered feature (a
  second chain holds those that take the missing bin along), a two-valued feature, a fixed split;
- a SET holds one column for each category: disjoint, together everything. A split sends up to
  `arity` of its columns one way.

The tables of pair counts are indexed by columns on both axes. For chains they are cumulated, so
that a threshold looks like a single category.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError
from odt_core.problem import Feature, Problem, Split

LANES = 16
"""Rows of tables are padded to a multiple of this many columns, for vector instructions."""

CHAIN, FULL, CAPPED = 0, 1, 2
"""Kinds of group: single columns; any subset of the columns; subsets within the cap."""

ONE, TWO, SEVERAL, ANY = 0, 1, 2, 3
"""What a split may take of a run of columns: one, up to two, up to `arity`, or any of them."""

LEAF, STUMP, PAIR, TRIPLE, QUAD = 0, 1, 2, 3, 4
"""Levels of decisions below a class: none, one, two, three, four."""

MOST_PAIRS = 1500
"""Bounds are kept for each pair of columns if there are no more (memory grows with the square)."""

FLOAT32_LIMIT = 2**24
FLOAT64_LIMIT = 2**53


class Model(NamedTuple):
    """What the kernels read. N rows, V columns, K groups, C classes of subtrees.

    Attributes
    ----------
    d : float[N]
        What labelling the row positive costs more than labelling it negative (negative minus
        positive weight; what a row costs either way is left out).
    cells, cell_at : int16[...], int64[N + 1]
        The table rows that a row counts in (its cells, each feature's dropped one left out).
    cols, col_at : int16[...], int64[N + 1]
        The columns a row is in.
    local : int32[K, N]
        Position of the row in the group: column ``start + p`` of a SET; in a CHAIN the row is in
        the columns from ``start + p`` on.
    start, kind, arity : int64[K + 1], int64[K], int64[K]
        First column, kind and largest subset of each group.
    raw, dropped : int64[K]
        For a chain with a missing bin, the chain that holds its raw cells, else -1. For a SET,
        the column that is recovered from the totals.
    size : int64[2]
        V; and S, the number of splits that bounds are kept for: columns, then pairs of a set's.
    pair_at : int64[K]
        The number of each group's first pair of columns among those splits, -1 if none.
    level, low, high : int64[C]
        Levels of decisions of each class, and the classes of its children.
    groups_at, groups : int64[C + 1], int64[...]
        The groups a class's root may split on.
    empty_ok, one_way : bool[C]
        Whether the root may send every row one way; whether its question may not be reversed.
    runs_at, runs : int64[C + 1], int64[..., 4]
        The same groups as runs of columns that are treated alike: what a split may take
        (`ONE`, `TWO`, `SEVERAL`, `ANY`), first and last + 1 column, arity.
    """

    d: npt.NDArray
    cells: npt.NDArray
    cell_at: npt.NDArray
    cols: npt.NDArray
    col_at: npt.NDArray
    local: npt.NDArray
    start: npt.NDArray
    kind: npt.NDArray
    arity: npt.NDArray
    raw: npt.NDArray
    dropped: npt.NDArray
    size: npt.NDArray
    pair_at: npt.NDArray
    level: npt.NDArray
    low: npt.NDArray
    high: npt.NDArray
    groups_at: npt.NDArray
    groups: npt.NDArray
    empty_ok: npt.NDArray
    one_way: npt.NDArray
    runs_at: npt.NDArray
    runs: npt.NDArray


@dataclass(frozen=True)
class Group:
    """Where a group of columns comes from.

    Attributes
    ----------
    feature : int
        The feature.
    kind, arity : int
        See `Model`.
    sets : tuple of frozenset of int
        The codes that each column holds.
    fixed : Split or None
        The fixed question the group stands for.
    """

    feature: int
    kind: int
    arity: int
    sets: tuple[frozenset[int], ...]
    fixed: Split | None = None


@dataclass(frozen=True)
class Encoding:
    """A problem in the search's own terms.

    Attributes
    ----------
    model : Model
        The arrays.
    groups : tuple of Group
        What each group means.
    classes : tuple of int
        The class of each decision node of the topology.
    leaf : int
        The class of leaves.
    base : int
        Cost that no tree avoids (contradictory rows), in units.
    unit : int
        What one unit of cost is worth in the problem's whole-number objective.
    most : int
        The objective if every row were right.
    weight : int
        Total weight of the rows in the tables, in units.
    """

    model: Model
    groups: tuple[Group, ...]
    classes: tuple[int, ...]
    leaf: int
    base: int
    unit: int
    most: int
    weight: int

    def total(self, cost: float) -> int:
        """The objective of a tree of that cost (lower bounds of cost give upper bounds)."""
        return self.most - self.unit * (self.base + math.ceil(cost))


def merge_rows(
    problem: Problem,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Distinct rows of codes with the weights of their positive and negative rows.

    Returns
    -------
    codes : int32[N, G]
    positive, negative : int64[N]
    """
    data = problem.data
    key = np.zeros(len(data.y), dtype=np.int64)
    size = 1
    for g, feature in enumerate(data.features):
        if size > (2**62) // (feature.n_values + 1):
            values, key = np.unique(key, return_inverse=True)
            size = len(values)
        key = key * feature.n_values + data.codes[:, g]
        size *= feature.n_values
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    positive = np.zeros(len(first), dtype=np.int64)
    negative = np.zeros(len(first), dtype=np.int64)
    np.add.at(positive, inverse[data.y], data.weight[data.y])
    np.add.at(negative, inverse[~data.y], data.weight[~data.y])
    return data.codes[first], positive, negative


def encode_both(problem: Problem, alpha: int, beta: int) -> tuple[Encoding, Model, Model]:
    """The problem with positive and negative rows apart, for fronts.

    Parameters
    ----------
    alpha, beta : int
        The largest multipliers of false negatives and positives that will be used.

    Returns
    -------
    encoding : Encoding
        With ``d`` = negative minus positive weight.
    positive, negative : Model
        The same with positive weight, and with negative weight, as ``d``.
    """
    data = problem.data.merged()
    weight = int(data.weight.sum()) * max(alpha, beta)
    if weight >= FLOAT64_LIMIT:
        raise InputError("The row weights are too large to be counted exactly.")
    groups = make_groups(problem, data.codes, data.weight)
    classes, tree = make_classes(problem, groups)
    rows = lay_out_rows(data.codes, groups)
    number = np.float32 if weight < FLOAT32_LIMIT else np.float64
    d: npt.NDArray = np.where(data.y, -1, 1) * data.weight.astype(number)
    d = d.astype(number)
    model = Model(d, *rows[:5], *lay_out_groups(groups), *rows[5:], *tree)
    zero = number(0)
    return (
        Encoding(model, groups, classes, 0, 0, 1, int(data.weight.sum()), weight),
        model._replace(d=np.where(data.y, np.abs(d), zero).astype(number)),
        model._replace(d=np.where(data.y, zero, d).astype(number)),
    )


def encode(problem: Problem) -> Encoding:
    """Turn a problem into arrays.

    Raises
    ------
    InputError
        If the weights are too large for exact arithmetic.
    """
    gains = problem.gains
    codes, positive, negative = merge_rows(problem)
    largest = int(max(positive.sum() * gains.gain_tp, negative.sum() * gains.gain_tn))
    largest = max(
        int(positive.sum()) * gains.gain_tp + int(negative.sum()) * gains.gain_tn, largest
    )
    if largest >= 2**62:
        raise InputError(
            "The class weight and the row weights are too large to be counted exactly: give a "
            "class-weight with fewer digits."
        )
    gain = negative * gains.gain_tn - positive * gains.gain_tp
    both = np.minimum(negative * gains.gain_tn, positive * gains.gain_tp)
    unit = max(int(np.gcd.reduce(np.abs(np.concatenate([gain, both])))), 1)
    keep = gain != 0
    codes, d = codes[keep], gain[keep] // unit
    weight = int(np.abs(d).sum())
    if weight >= FLOAT64_LIMIT:
        raise InputError(
            "The class weight and the row weights are too large to be counted exactly: give a "
            "class-weight with fewer digits."
        )
    groups = make_groups(problem, codes, np.abs(d))
    classes, tree = make_classes(problem, groups)
    rows = lay_out_rows(codes, groups)
    number = np.float32 if weight < FLOAT32_LIMIT else np.float64
    model = Model(d.astype(number), *rows[:5], *lay_out_groups(groups), *rows[5:], *tree)
    return Encoding(
        model=model,
        groups=groups,
        classes=classes,
        leaf=0,
        base=int(both.sum()) // unit,
        unit=unit,
        most=int(positive.sum()) * gains.gain_tp + int(negative.sum()) * gains.gain_tn,
        weight=weight,
    )


def make_groups(
    problem: Problem, codes: npt.NDArray[np.int32], weight: npt.NDArray[np.int64]
) -> tuple[Group, ...]:
    """The groups of columns: chains first, then sets, then fixed questions."""
    chains: list[Group] = []
    sets: list[Group] = []
    for g, feature in enumerate(problem.data.features):
        count = np.bincount(codes[:, g], weights=weight, minlength=feature.n_values).astype(
            np.float64
        )
        present = np.flatnonzero(count > 0)
        if problem.forbid_empty_branches:
            present = np.arange(feature.n_values)
        if len(present) < 2:
            continue
        if feature.is_numerical:
            chains += _threshold_chains(g, feature, present, count)
        elif len(present) == 2:
            rare = int(min(present, key=lambda code: count[code]))
            chains.append(Group(g, CHAIN, 1, (frozenset({rare}),)))
        else:
            q = len(present)
            cap = problem.max_card if problem.caps(feature) else None
            most = q if cap is None else cap
            arity = min(most, q // 2)
            sets.append(
                Group(
                    g,
                    FULL if arity == q // 2 else CAPPED,
                    arity,
                    tuple(frozenset({int(code)}) for code in present),
                )
            )
    sets.sort(key=lambda group: len(group.sets))
    fixed = dict.fromkeys(rule.split for _, rule in problem.rules.nodes if rule.split is not None)
    singles = [Group(split.feature, CHAIN, 1, (split.left,), split) for split in fixed]
    return tuple(chains + sets + singles)


def _threshold_chains(
    g: int, feature: Feature, present: npt.NDArray[np.int64], count: npt.NDArray[np.float64]
) -> list[Group]:
    """Thresholds of an ordered feature, counted from the end that leaves out more rows."""
    n = feature.n_ordered
    ordered = [int(code) for code in present if code < n]
    missing = frozenset(int(code) for code in present if code >= n)
    if len(ordered) > 1 and count[ordered[0]] > count[ordered[-1]]:
        sets = [frozenset(range(code, n)) for code in reversed(ordered)]
    else:
        sets = [frozenset(range(code + 1)) for code in ordered]
    below = tuple(sets[:-1])  # bins without rows belong to the cut, too
    chains = [Group(g, CHAIN, 1, below)] if below else []
    if missing and ordered:
        also = (missing, *(missing | inside for inside in below))
        chains.append(Group(g, CHAIN, 1, also))
    return chains


def lay_out_rows(codes: npt.NDArray[np.int32], groups: tuple[Group, ...]) -> tuple:
    """Arrays ``cells`` to ``local``, then ``dropped`` to ``pair_at`` of `Model`."""
    n, n_groups = len(codes), len(groups)
    sizes = np.array([len(group.sets) for group in groups], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    most = int(codes.max(initial=0)) + 1
    local = np.zeros((n_groups, n), dtype=np.int32)
    dropped = np.full(n_groups, -1, dtype=np.int64)
    counted = np.zeros((n, n_groups), dtype=np.bool_)
    chain = np.array([group.kind == CHAIN for group in groups], dtype=np.bool_)
    for k, group in enumerate(groups):
        local[k] = _places(group, most)[codes[:, group.feature]]
        if group.kind == CHAIN:
            counted[:, k] = local[k] == 0 if _shares_cells(groups, k) else local[k] < sizes[k]
        else:
            usual = int(np.bincount(local[k], minlength=sizes[k]).argmax())
            dropped[k] = starts[k] + usual
            counted[:, k] = local[k] != usual
    place = local.T
    spans = np.where(chain, sizes - place, 1)
    column = (starts[:-1] + place).astype(np.int16 if starts[-1] < 2**15 else np.int32)
    cells = column[counted]
    cell_at = np.concatenate([[0], np.cumsum(counted.sum(axis=1))]).astype(np.int64)
    spread = spans.ravel()
    ends = np.cumsum(spread)
    total = int(ends[-1]) if len(ends) else 0
    cols = np.repeat(column.ravel(), spread)
    cols += (np.arange(total) - np.repeat(ends - spread, spread)).astype(cols.dtype)
    col_at = np.concatenate([[0], np.cumsum(spans.sum(axis=1))]).astype(np.int64)
    return cells, cell_at, cols, col_at, local, dropped, *number_pairs(groups, int(starts[-1]))


def number_pairs(
    groups: tuple[Group, ...], n_columns: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Arrays ``size`` and ``pair_at`` of `Model`."""
    at = np.full(len(groups), -1, dtype=np.int64)
    n = n_columns
    for k, group in enumerate(groups):
        if group.kind != CHAIN and group.arity == 2:
            at[k] = n
            n += len(group.sets) * (len(group.sets) - 1) // 2
    if n > n_columns + MOST_PAIRS:
        at[:] = -1
        n = n_columns
    return np.array([n_columns, n], dtype=np.int64), at


def _places(group: Group, n_codes: int) -> npt.NDArray[np.int32]:
    """Position of each code in a group (its number of columns where it is in none)."""
    place = np.full(n_codes, len(group.sets), dtype=np.int32)
    known: frozenset[int] = frozenset()
    for position, codes in enumerate(group.sets):
        for code in codes - known:
            if code < n_codes:
                place[code] = position
        known = codes if group.kind == CHAIN else known
    return place


def _shares_cells(groups: tuple[Group, ...], k: int) -> bool:
    """Whether a chain takes the missing bin along the chain before it (same feature)."""
    return (
        k > 0
        and groups[k].fixed is None
        and groups[k - 1].fixed is None
        and groups[k].kind == CHAIN
        and groups[k - 1].kind == CHAIN
        and groups[k - 1].feature == groups[k].feature
    )


def lay_out_groups(groups: tuple[Group, ...]) -> tuple:
    """Arrays ``start`` to ``raw`` of `Model`."""
    start = np.cumsum([0] + [len(group.sets) for group in groups]).astype(np.int64)
    kind = np.array([group.kind for group in groups], dtype=np.int64)
    arity = np.array([group.arity for group in groups], dtype=np.int64)
    raw = np.array(
        [k - 1 if _shares_cells(groups, k) else -1 for k in range(len(groups))], dtype=np.int64
    )
    return start, kind, arity, raw


def make_classes(problem: Problem, groups: tuple[Group, ...]) -> tuple[tuple[int, ...], tuple]:
    """Number the subtrees so that equal ones (shape and rules) share a number.

    Returns
    -------
    classes : tuple of int
        The class of each decision node. Class 0 is the leaf.
    arrays : tuple
        ``level`` to ``runs`` of `Model`.
    """
    topology = problem.topology
    known: dict[tuple, int] = {("leaf",): 0}
    level, low, high = [0], [0], [0]
    lists: list[tuple[int, ...]] = [()]
    empty_ok, one_way = [True], [False]
    classes = [0] * topology.n_nodes

    def visit(child: int) -> int:
        if child < 0:
            return 0
        left, right = (visit(below) for below in topology.children(child))
        rule = problem.rules.at(child)
        if rule.split is not None:
            allowed = tuple(k for k, group in enumerate(groups) if group.fixed == rule.split)
        else:
            features = set(problem.allowed_features(child))
            allowed = tuple(
                k
                for k, group in enumerate(groups)
                if group.fixed is None and group.feature in features
            )
            left, right = sorted((left, right), key=lambda c: (level[c], c))
        fixed = rule.split is not None
        key = (left, right, allowed, fixed)
        if key not in known:
            known[key] = len(level)
            level.append(1 + max(level[left], level[right]))
            low.append(left)
            high.append(right)
            lists.append(allowed)
            stump = level[-1] == STUMP
            empty_ok.append(not problem.forbid_empty_branches if not fixed else stump)
            one_way.append(fixed)
        classes[child] = known[key]
        return known[key]

    visit(0)
    at = np.cumsum([0] + [len(allowed) for allowed in lists]).astype(np.int64)
    flat = np.array([k for allowed in lists for k in allowed], dtype=np.int64)
    return tuple(classes), (
        np.array(level, dtype=np.int64),
        np.array(low, dtype=np.int64),
        np.array(high, dtype=np.int64),
        at,
        flat,
        np.array(empty_ok, dtype=np.bool_),
        np.array(one_way, dtype=np.bool_),
        *lay_out_runs(groups, lists),
    )


def lay_out_runs(
    groups: tuple[Group, ...], lists: list[tuple[int, ...]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Arrays ``runs_at`` and ``runs`` of `Model`, from the groups of each class."""
    start = np.cumsum([0] + [len(group.sets) for group in groups])
    at, runs = [0], []
    for allowed in lists:
        last: list[int] | None = None
        for k in allowed:
            arity = groups[k].arity
            take = ANY if groups[k].kind == FULL else min(arity, 3) - 1
            s, e = int(start[k]), int(start[k + 1])
            if last is not None and take == ONE and last[0] == ONE and last[2] == s:
                last[2] = e
                continue
            last = [take, s, e, arity]
            runs.append(last)
        at.append(len(runs))
    return np.array(at, dtype=np.int64), np.array(runs, dtype=np.int64).reshape(-1, 4)
