"""A problem in the search's own terms: merged rows, columns, classes of subtrees.

What the primitives read are the arrays of `Columns`. A *row set* is a mask, one bit for each row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError
from odt_core.problem import EncodedData, LeafCount, Problem, take_rows
from odt_core.solvers.exactness import check_countable
from odt_core.solvers.search.groups import CHAIN, FULL, Group, make_groups

LEAF, STUMP, PAIR = 0, 1, 2
"""Levels of decisions below a class: none, one (leaf-adjacent), two."""

ANY = 0
"""What a split may take of a run of columns where their number does not matter."""

FEW_COLUMNS, MOST_COLUMNS = 250, 1200
"""Tables of pairs are good for this many columns at least, and at most."""

WORTH_SWEEPS = 16
"""Pairs of columns for each row and group from which on sweeps take less time than tables."""


def wants_sweeps(n_columns: int, local: npt.NDArray[np.int32]) -> bool:
    """Whether ordered features are swept (sweep_kernels.py) instead of counting pairs of columns.

    The rows of a column are then made when they are wanted.
    """
    many = n_columns**2 > WORTH_SWEEPS * max(local.size, 1) and n_columns > FEW_COLUMNS
    return many or n_columns > MOST_COLUMNS


def may_want_sweeps(data: EncodedData) -> bool:
    """Whether a search of these rows or of a resample of them, which has fewer, may want sweeps."""
    sizes = [feature.n_values * (1 + feature.has_missing) for feature in data.features]
    groups = sum(size > 2 for size in sizes) + (2 in sizes)  # those of two values may be one chain
    rows = np.empty((groups, len(data.merged().y) // 2), np.int32)
    return wants_sweeps(sum(sizes), rows)


MOST_CATEGORIES = 2**14
"""Tables grow with the square of the columns: with so many, one takes 1 GiB."""


# ---------------------------------------------------------------- sets of rows

Masks = npt.NDArray[np.uint64]
"""Sets of rows, ``uint64[..., W]``: row i is bit i % 64 (least significant first) of word i // 64.
Bits without a row are 0."""


def n_words(n: int) -> int:
    """Words of a mask of n rows."""
    return max(-(-n // 64), 1)


def pack(member: npt.NDArray[np.bool_]) -> Masks:
    """``bool[..., N]`` as bits, ``uint64[..., W]``."""
    full = np.zeros((*member.shape[:-1], n_words(member.shape[-1]) * 8), np.uint8)
    packed = np.packbits(member, axis=-1, bitorder="little")
    full[..., : packed.shape[-1]] = packed
    return full.view(np.uint64)


def unpack(masks: Masks, n: int) -> npt.NDArray[np.bool_]:
    """``uint64[..., W]`` as ``bool[..., N]`` for n rows."""
    bytes_ = np.ascontiguousarray(masks).view(np.uint8)
    return np.unpackbits(bytes_, axis=-1, count=n, bitorder="little").view(np.bool_)


def rows_of(mask: Masks, n: int) -> npt.NDArray[np.int64]:
    """The rows of one set, rising."""
    return np.flatnonzero(unpack(mask, n))


def count(masks: Masks) -> npt.NDArray[np.int64]:
    """How many rows each set has, ``int64[...]``."""
    return np.asarray(np.bitwise_count(masks).sum(axis=-1, dtype=np.int64))


# ---------------------------------------------------------------- what the primitives read


class Columns(NamedTuple):
    """What the primitives read. N rows, V columns, K groups, C classes, W words of 64 rows.

    Attributes
    ----------
    d : float64[N]
        What labelling the row positive costs more than labelling it negative.
    bits : uint64[V, W]
        The rows in each column; without words if they are made when wanted.
    cells, cell_at : int32[...], int64[N + 1]
        The columns that a row counts in: of a chain the first that holds it, of a set its own,
        unless that is the `dropped` one.
    local : int32[K, N]
        Position of the row in the group: column ``start + p`` of a set; in a chain the row is in
        the columns from ``start + p`` on.
    order : int32[K, N]
        The rows by rising position in each group; without groups if they are not swept.
    start, kind, arity : int64[K + 1], int64[K], int64[K]
        First column, kind and largest subset of each group.
    dropped : int64[K]
        The column of a set that is recovered from the totals; -1 for a chain.
    group : int64[V]
        The group of each column.
    level, low, high : int64[C]
        Levels of decisions of each class (0 is the leaf), and the classes of its children.
    groups_at, groups : int64[C + 1], int64[...]
        The groups a class's root may split on.
    empty_ok, one_way : bool[C]
        Whether the root may send every row one way; whether its question may not be reversed.
    runs_at, runs : int64[C + 1], int64[R, 3]
        The same groups as runs of columns that are treated alike: how many of them a split may take
        (or `ANY`), first and last + 1 column. Of a run over several groups it may take one.
    """

    d: npt.NDArray[np.float64]
    bits: Masks
    cells: npt.NDArray[np.int32]
    cell_at: npt.NDArray[np.int64]
    local: npt.NDArray[np.int32]
    order: npt.NDArray[np.int32]
    start: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int64]
    arity: npt.NDArray[np.int64]
    dropped: npt.NDArray[np.int64]
    group: npt.NDArray[np.int64]
    level: npt.NDArray[np.int64]
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    groups_at: npt.NDArray[np.int64]
    groups: npt.NDArray[np.int64]
    empty_ok: npt.NDArray[np.bool_]
    one_way: npt.NDArray[np.bool_]
    runs_at: npt.NDArray[np.int64]
    runs: npt.NDArray[np.int64]


class Counted(NamedTuple):
    """What was counted of a row set. V columns.

    Attributes
    ----------
    F : float64[V, V]
        Sum of d over the rows in two columns. Row u describes the leaf-adjacent problem on the rows
        in column u, ``D - F[u]`` the one on the others.
    D, P : float64[V]
        Sum of d and of positive weight over the rows in each column.
    totals : float64[2]
        The same of all rows.
    """

    F: npt.NDArray[np.float64]
    D: npt.NDArray[np.float64]
    P: npt.NDArray[np.float64]
    totals: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, v: int) -> Counted:
        """Not counted yet."""
        return cls(np.empty((v, v)), np.empty(v), np.empty(v), np.empty(2))


class Crossings(NamedTuple):
    """Tables of the rows in one column and in two, for all row sets that are made of them.

    Attributes
    ----------
    one : float32[V, V, V]
        The table F of the rows in each column.
    lines : float32[L, V]
        Row u of the table of the rows in both of two columns a <= b; without lines until they are
        counted. The table is symmetric in a, b and u, so only b <= u is kept.
    at : int64[V, V]
        Where the lines of two columns begin.
    """

    one: npt.NDArray[np.float32]
    lines: npt.NDArray[np.float32]
    at: npt.NDArray[np.int64]


class Base(NamedTuple):
    """The rows that sides of splits are cut from: a side of the root's split, or all rows.

    Attributes
    ----------
    F, P : float64[V, V]
        Their table, and the same of positive weight.
    totals : float64[2]
        Their sum of d and positive weight.
    columns : int64[n]
        The columns of the root's split.
    outside : bool
        Whether the rows are those outside these columns. All rows are outside none.
    """

    F: npt.NDArray[np.float64]
    P: npt.NDArray[np.float64]
    totals: npt.NDArray[np.float64]
    columns: npt.NDArray[np.int64]
    outside: bool


def most_members(table: Columns) -> int:
    """The largest number of columns that a split names."""
    return int(table.arity.max(initial=1))


def groups_of(table: Columns, cls: int) -> list[int]:
    """The groups that a class's root may split on."""
    found: list[int] = table.groups[table.groups_at[cls] : table.groups_at[cls + 1]].tolist()
    return found


def runs_of(table: Columns, cls: int) -> npt.NDArray[np.int64]:
    """The runs of columns of a class (see `Columns.runs`)."""
    return table.runs[table.runs_at[cls] : table.runs_at[cls + 1]]


@dataclass(frozen=True)
class Encoding:
    """A problem in the search's own terms.

    Attributes
    ----------
    table : Columns
        The arrays.
    groups : tuple of Group
        What each group means.
    classes : tuple of int
        The class of each decision node of the topology.
    base : int
        Cost that no tree avoids (contradictory rows), in units.
    unit : int
        What one unit of cost is worth in the problem's whole-number objective.
    most : int
        The objective if every row were right.
    positive, negative : float64[N]
        Weight of the positive and negative rows that each merged row stands for.
    size : float64[N]
        What each merged row counts towards the smallest leaf.
    smallest : int
        The size that a leaf must have that a row reaches; 0 if any will do.
    """

    table: Columns
    groups: tuple[Group, ...]
    classes: tuple[int, ...]
    base: int
    unit: int
    most: int
    positive: npt.NDArray[np.float64]
    negative: npt.NDArray[np.float64]
    size: npt.NDArray[np.float64]
    smallest: int = 0

    def total(self, cost: float) -> int:
        """The objective of a tree of that cost (lower bounds of cost give upper bounds)."""
        return self.most - self.unit * (self.base + math.ceil(cost))

    @cached_property
    def everything(self) -> Masks:
        """The set of all rows."""
        return pack(np.ones(len(self.table.d), np.bool_))

    def with_costs(self, alpha: int, beta: int) -> Encoding:
        """The same with a false negative that costs `alpha` and a false positive that costs `beta`.

        The cost of a tree is ``base`` plus the search's cost.
        """
        d = beta * self.negative - alpha * self.positive
        base = int(np.minimum(beta * self.negative, alpha * self.positive).sum())
        most = int(beta * self.negative.sum() + alpha * self.positive.sum())
        return replace(
            self,
            table=self.table._replace(d=d),
            base=base,
            unit=1,
            most=most,
        )


# ---------------------------------------------------------------- encoding


def encode(problem: Problem) -> Encoding:
    """Turn a problem into arrays.

    Raises
    ------
    InputError
        If the weights are too large for exact arithmetic, or there are too many categories.
    """
    check_countable(problem)
    gains = problem.gains
    codes, positive, negative = merge(problem)
    gain = negative * gains.gain_tn - positive * gains.gain_tp
    both = np.minimum(negative * gains.gain_tn, positive * gains.gain_tp)
    most = int(positive.sum()) * gains.gain_tp + int(negative.sum()) * gains.gain_tn
    unit = _common_unit(gain, both)
    smallest, by_row = smallest_leaf(problem)
    if not smallest:
        keep = gain != 0
        codes, gain = take_rows(codes, keep), gain[keep]
        positive, negative = positive[keep], negative[keep]
    return _lay_out(
        problem, codes, gain // unit, (positive, negative), int(both.sum()) // unit, unit, most,
        smallest, by_row,
    )  # fmt: skip


def encode_fronts(problem: Problem) -> Encoding:
    """The same with all rows and both their weights; d is negative minus positive weight."""
    check_countable(problem)
    codes, positive, negative = merge(problem)
    smallest, by_row = smallest_leaf(problem)
    base = int(np.minimum(positive, negative).sum())
    most = int(positive.sum() + negative.sum())
    return _lay_out(
        problem, codes, negative - positive, (positive, negative), base, 1, most, smallest, by_row
    )


def smallest_leaf(problem: Problem) -> tuple[int, str]:
    """Size that leaves must have (0 for any), and which rows count: all, or those of a class."""
    rule, data = problem.smallest_leaf, problem.data
    if rule is None:
        return 0, "all"
    if rule.of is LeafCount.ROWS:
        return rule.rows, "all"
    return rule.rows, "positive" if data.n_positive <= data.n_negative else "negative"


def merge(
    problem: Problem,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows with equal codes put together: codes, positive weight, negative weight."""
    data = problem.data.merged()  # its rows are in the order of the keys, so that sorting is fast
    key = np.zeros(len(data.y), np.int64)
    size = 1
    for g, feature in enumerate(data.features):
        radix = feature.n_values
        if size > 2**62 // radix:
            _, key = np.unique(key, return_inverse=True)
            size = len(key)
        key = key * radix + data.codes[:, g]
        size *= radix
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    n = len(first)
    positive = np.bincount(inverse, np.where(data.y, data.weight, 0), n).astype(np.int64)
    negative = np.bincount(inverse, np.where(data.y, 0, data.weight), n).astype(np.int64)
    return take_rows(data.codes, first), positive, negative


def _common_unit(*costs: npt.NDArray[np.int64]) -> int:
    """The largest number that divides all costs."""
    sizes = np.abs(np.concatenate(costs))
    if (sizes == 1).any():  # as where rows have no weights; a gcd of each is slow
        return 1
    return max(int(np.gcd.reduce(np.unique(sizes))), 1)


def _lay_out(
    problem: Problem,
    codes: npt.NDArray[np.int32],
    d: npt.NDArray[np.int64],
    weights: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    base: int,
    unit: int,
    most: int,
    smallest: int,
    by_row: str,
) -> Encoding:
    groups = make_groups(problem, codes, np.maximum(np.abs(d), 1))
    check_columns(groups)
    classes, tree = make_classes(problem, groups)
    positive, negative = (each.astype(np.float64) for each in weights)
    start = np.cumsum([0, *(group.n for group in groups)]).astype(np.int64)
    local = np.array([group.local(codes) for group in groups], np.int32).reshape(-1, len(codes))
    cells, cell_at, dropped = _cells(groups, start, local)
    table = Columns(
        d.astype(np.float64),
        _bits(groups, start, local),
        cells,
        cell_at,
        local,
        sorted_rows(local[: len(groups) * wants_sweeps(int(start[-1]), local)]),
        start,
        np.array([group.kind for group in groups], np.int64),
        np.array([group.arity for group in groups], np.int64),
        dropped,
        np.repeat(np.arange(len(groups)), np.diff(start)),
        *tree,
    )
    size = {"all": positive + negative, "positive": positive, "negative": negative}[by_row]
    return Encoding(table, groups, classes, base, unit, most, positive, negative, size, smallest)


def sorted_rows(local: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Array ``order`` of `Columns`."""
    return np.argsort(local, axis=1, kind="stable").astype(np.int32)


def _cells(
    groups: tuple[Group, ...], start: npt.NDArray[np.int64], local: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Arrays ``cells``, ``cell_at`` and ``dropped`` of `Columns`."""
    n = local.shape[1]
    dropped = np.full(len(groups), -1, np.int64)
    column = np.empty((len(groups), n), np.int32)
    counted = np.empty((len(groups), n), np.bool_)
    for k, group in enumerate(groups):
        np.add(local[k], start[k], out=column[k], casting="unsafe")
        if group.kind == CHAIN:
            counted[k] = local[k] != group.n
        else:
            most = int(np.bincount(local[k], minlength=group.n).argmax())
            dropped[k] = start[k] + most
            counted[k] = local[k] != most
    cell_at = np.zeros(n + 1, np.int64)
    np.cumsum(counted.sum(axis=0), out=cell_at[1:])
    return column.T[counted.T], cell_at, dropped


def _bits(
    groups: tuple[Group, ...], start: npt.NDArray[np.int64], local: npt.NDArray[np.int32]
) -> Masks:
    """Array ``bits`` of `Columns`; without words if they are too many."""
    v, n = int(start[-1]), local.shape[1]
    if wants_sweeps(v, local):
        return np.zeros((v, 0), np.uint64)
    bits = np.empty((v, n_words(n)), np.uint64)
    for k, group in enumerate(groups):
        at = np.arange(group.n, dtype=np.int32)[:, None]
        bits[start[k] : start[k + 1]] = pack(
            local[k] <= at if group.kind == CHAIN else local[k] == at
        )
    return bits


# ---------------------------------------------------------------- classes of subtrees


def make_classes(
    problem: Problem, groups: tuple[Group, ...]
) -> tuple[tuple[int, ...], tuple[npt.NDArray, ...]]:
    """Number the subtrees so that equal ones (shape and rules) share a number.

    Returns
    -------
    classes : tuple of int
        The class of each decision node. Class 0 is the leaf.
    arrays : tuple
        ``level`` to ``runs`` of `Columns`.
    """
    topology = problem.topology
    known: dict[tuple, int] = {("leaf",): 0}
    level, low, high = [0], [0], [0]
    lists: list[tuple[int, ...]] = [()]
    empty_ok, one_way = [True], [False]
    classes = [0] * topology.n_nodes
    free: dict[frozenset[int] | None, tuple[int, ...]] = {}

    def visit(child: int) -> int:
        if child < 0:
            return 0
        left, right = (visit(below) for below in topology.children(child))
        rule = problem.rules.at(child)
        if rule.split is not None:
            allowed = tuple(k for k, group in enumerate(groups) if group.fixed == rule.split)
        else:
            if rule.features not in free:
                free[rule.features] = _free_groups(problem, groups, child)
            allowed = free[rule.features]
            left, right = sorted((left, right), key=lambda c: (level[c], c))
        fixed = rule.split is not None
        key = (left, right, allowed, fixed)
        if key not in known:
            known[key] = len(level)
            level.append(1 + max(level[left], level[right]))
            low.append(left)
            high.append(right)
            lists.append(allowed)
            empty_ok.append(not problem.forbid_empty_branches if not fixed else level[-1] == STUMP)
            one_way.append(fixed)
        classes[child] = known[key]
        return known[key]

    visit(0)
    at = np.cumsum([0] + [len(allowed) for allowed in lists]).astype(np.int64)
    return tuple(classes), (
        np.array(level, np.int64),
        np.array(low, np.int64),
        np.array(high, np.int64),
        at,
        np.array([k for allowed in lists for k in allowed], np.int64),
        np.array(empty_ok, np.bool_),
        np.array(one_way, np.bool_),
        *_runs(groups, lists),
    )


def _free_groups(problem: Problem, groups: tuple[Group, ...], node: int) -> tuple[int, ...]:
    """The groups a node may split on whose split is not fixed."""
    features = set(problem.allowed_features(node))
    return tuple(
        k for k, group in enumerate(groups) if group.fixed is None and group.features[0] in features
    )


def _runs(
    groups: tuple[Group, ...], lists: list[tuple[int, ...]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Arrays ``runs_at`` and ``runs`` of `Columns`, from the groups of each class."""
    start = np.cumsum([0, *(group.n for group in groups)]).tolist()
    at: list[int] = [0]
    runs: list[list[int]] = []
    for allowed in lists:
        first = len(runs)
        for k in allowed:
            group = groups[k]
            take = ANY if group.kind == FULL and group.arity > 1 else group.arity
            joins = len(runs) > first and take == 1 == runs[-1][0] and runs[-1][2] == start[k]
            if joins:
                runs[-1][2] = start[k + 1]
            else:
                runs.append([take, start[k], start[k + 1]])
        at.append(len(runs))
    return np.array(at, np.int64), np.array(runs, np.int64).reshape(-1, 3)


def check_columns(groups: tuple[Group, ...]) -> None:
    """Refuse sets whose tables could not be kept in memory.

    Raises
    ------
    InputError
        If there are more than `MOST_CATEGORIES` categories.
    """
    categories = sum(group.n for group in groups if group.kind != CHAIN)
    if categories > MOST_CATEGORIES:
        columns = sum(group.n for group in groups)
        raise InputError(
            f"The features have {columns:,} categories and cuts in all, more than the exact search "
            f"can compare ({MOST_CATEGORIES:,}): leave out columns such as identifiers, or choose "
            "the engine cbc."
        )
