"""A problem in the search's own terms: merged rows, columns, families of subtrees.

The primitives read the arrays of `Columns`. A *row set* is a mask with one bit for each row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.errors import InputError
from odt_core.problem import EncodedData, LeafCount, Problem, take_rows
from odt_core.solvers.exactness import check_countable
from odt_core.solvers.search.groups import CHAIN, FULL, Group, make_groups
from odt_core.solvers.search.row_sets import Flags, Floats, Masks, Whole, n_words, pack
from odt_core.topology import Topology

LEAF, STUMP, PAIR = 0, 1, 2
"""Levels of decisions below a family: none, one (leaf-adjacent), two."""

ANY = 0
"""In `Columns.runs`: any number of columns of the run may go one way."""

FEW_COLUMNS, MOST_COLUMNS = 250, 1200
"""Up to the first number of columns the search always uses tables; beyond the second, never."""

WORTH_SWEEPS = 16
"""With more pairs of columns than this for each row and group, sweeps are faster than tables."""


def wants_sweeps(n_columns: int, local: npt.NDArray[np.int32]) -> bool:
    """Whether sweeps (sweep_kernels.py) replace tables of pairs of columns."""
    many = n_columns**2 > WORTH_SWEEPS * max(local.size, 1) and n_columns > FEW_COLUMNS
    return many or n_columns > MOST_COLUMNS


def may_want_sweeps(data: EncodedData) -> bool:
    """Whether a search of these rows, or of a resample with fewer rows, may use sweeps."""
    sizes = [feature.n_values * (1 + feature.has_missing) for feature in data.features]
    groups = sum(size > 2 for size in sizes) + (2 in sizes)  # two-valued ones may be one chain
    rows = np.empty((groups, len(data.merged().y) // 2), np.int32)
    return wants_sweeps(sum(sizes), rows)


MOST_CATEGORIES = 2**14
"""The search refuses problems with more categories."""

# ---------------------------------------------------------------- arrays for the primitives


class Columns(NamedTuple):
    """The arrays of a problem. N rows, V columns, K groups, M families, W words of 64 rows."""

    d: Floats  # [N]: the cost of calling the row positive, minus the cost of calling it negative
    bits: Masks  # [V, W]: the rows in each column; [V, 0] with sweeps
    # where each row is counted: in the first column of a chain that holds it, and in its column of
    # a set, unless that column is `dropped`
    cells: npt.NDArray[np.int32]  # [...]
    cell_at: Whole  # [N + 1]: the first cell of each row
    # [K, N]: the position p of each row in each group: in a set the row is in column ``start + p``,
    # in a chain it is in the columns from ``start + p`` on
    local: npt.NDArray[np.int32]
    order: npt.NDArray[np.int32]  # [K, N]: rows by rising position; [0, N] without sweeps
    start: Whole  # [K + 1]: the first column of each group
    kind: Whole  # [K]
    arity: Whole  # [K]: the largest subset of each group
    dropped: Whole  # [K]: the column of a set that is recovered from the totals; -1 for a chain
    group: Whole  # [V]: the group of each column
    level: Whole  # [M]: levels of decisions of each family; 0 is the leaf
    low: Whole  # [M], and `high`: the families of its children
    high: Whole
    groups_at: Whole  # [M + 1]: the first of its groups
    groups: Whole  # [...]: the groups that a family's root may split on
    empty_ok: Flags  # [M]: whether the root may send every row one way
    one_way: Flags  # [M]: whether the root's question may not be reversed
    runs_at: Whole  # [M + 1]: the first of its runs
    # [R, 3]: the groups of each family's root as runs of columns: how many of the columns may go
    # one way (or `ANY`), the first column, and the last + 1; a run of which only one column may go
    # one way can cover several groups
    runs: Whole


class Crossings(NamedTuple):
    """Tables of the rows in each column, and perhaps in each two columns.

    A row of a table has a sum of d for each column. Row u of the table of columns a and b is the
    same for every order of a, b and u, so it is kept once, as a line. The table of one column is
    that of the column and itself.
    """

    lines: npt.NDArray[np.float32]  # [L, V]
    # [V, V]: the first line of the table of two columns a <= b, which has the rows from b on
    at: Whole
    one: npt.NDArray[np.float32]  # [V, V, V]: the tables of one column, each in one piece

    @classmethod
    def empty(cls, v: int, deep: bool) -> Crossings:
        """Room for the tables of v columns, and of each two columns if they are `deep`."""
        size = np.triu(np.broadcast_to(v - np.arange(v) if deep else 1, (v, v)))
        at = np.cumsum(size).reshape(v, v) - size
        lines = np.zeros((int(size.sum()), v), np.float32)
        return cls(lines, at, np.empty((v, v, v), np.float32))

    def copy_ones(self) -> None:
        """Copy the tables of one column from the lines. Lines that lie together are read faster."""
        u = np.arange(len(self.at))
        for c in u.tolist():
            self.one[c] = self.lines[np.where(u < c, self.at[u, c], self.at[c, c] + u - c)]


class BaseTables(NamedTuple):
    """The table of the rows that a loop splits: a side of the root's split, or all rows."""

    F: Floats  # [V, V]: sum of d over the rows in both of two columns
    P: Floats  # [V, V]: positive weight of the rows in both of two columns
    totals: Floats  # [2]: sum of d and positive weight of all these rows
    columns: Whole  # [n]: the columns of the root's split
    outside: bool  # whether the rows are outside these columns; all rows are outside no column


def most_members(table: Columns) -> int:
    """The largest number of columns that a split can name."""
    return int(table.arity.max(initial=1))


def groups_of(table: Columns, family: int) -> list[int]:
    """The groups that a family's root may split on."""
    found: list[int] = table.groups[table.groups_at[family] : table.groups_at[family + 1]].tolist()
    return found


def runs_of(table: Columns, family: int) -> Whole:
    """The runs of columns of a family (see `Columns.runs`)."""
    return table.runs[table.runs_at[family] : table.runs_at[family + 1]]


@dataclass(frozen=True)
class Encoding:
    """A problem in the search's own terms. N merged rows."""

    table: Columns
    groups: tuple[Group, ...]  # the meaning of each group of columns
    families: tuple[int, ...]  # the family of each decision node of the topology
    base: int  # cost that no tree avoids (equal rows with both outcomes), in units
    unit: int  # one unit of cost in the problem's whole-number objective
    most: int  # the objective if every row were right
    positive: Floats  # [N], and `negative`: weight of the rows that are merged into each row
    negative: Floats
    size: Floats  # [N]: what each merged row adds to the size of a leaf
    smallest: int = 0  # the least size of a leaf with rows; 0 without this condition

    def total(self, cost: float) -> int:
        """The objective of a tree of this cost. A lower bound of the cost gives an upper bound."""
        return self.most - self.unit * (self.base + math.ceil(cost))

    def cost(self, total: int) -> int:
        """The cost of a tree with this objective."""
        return (self.most - total) // self.unit - self.base

    @cached_property
    def everything(self) -> Masks:
        """The set of all rows."""
        return pack(np.ones(len(self.table.d), np.bool_))

    def with_costs(self, alpha: int, beta: int) -> Encoding:
        """A copy where a false negative costs `alpha` and a false positive costs `beta`.

        A tree costs ``base`` plus the cost that the search finds.
        """
        d = beta * self.negative - alpha * self.positive
        base = int(np.minimum(beta * self.negative, alpha * self.positive).sum())
        most = int(beta * self.negative.sum() + alpha * self.positive.sum())
        return replace(self, table=self.table._replace(d=d), base=base, unit=1, most=most)


# ---------------------------------------------------------------- encoding


def encode(problem: Problem) -> Encoding:
    """Turn a problem into arrays.

    Raises
    ------
    InputError
        If the weights are too large for exact arithmetic, or there are too many categories.
    """
    return encode_all(problem, [problem.topology])[0]


def encode_all(problem: Problem, topologies: Sequence[Topology]) -> list[Encoding]:
    """Turn a problem with several topologies into arrays that share columns and family numbers."""
    gains = problem.gains
    whole, families = _encode(problem, topologies, gains.gain_tp, gains.gain_tn, shorten=True)
    return [replace(whole, families=each) for each in families]


def encode_fronts(problem: Problem) -> Encoding:
    """Turn a problem into arrays for fronts: both errors cost 1, and no row is left out."""
    return _encode(problem, [problem.topology], 1, 1, shorten=False)[0]


def _encode(
    problem: Problem, topologies: Sequence[Topology], cost_fn: int, cost_fp: int, *, shorten: bool
) -> tuple[Encoding, list[tuple[int, ...]]]:
    """The arrays of a problem with the first topology, and the families of each topology.

    `shorten` divides costs by a common unit and leaves out rows without cost.
    """
    check_countable(problem)
    rule = problem.smallest_leaf
    codes, positive, negative = merge(problem)
    d = cost_fp * negative - cost_fn * positive
    both = np.minimum(cost_fn * positive, cost_fp * negative)
    most = int(positive.sum()) * cost_fn + int(negative.sum()) * cost_fp
    unit = _common_unit(d, both) if shorten else 1
    d //= unit
    if shorten and rule is None:
        keep = d != 0
        codes, d, positive, negative = (
            take_rows(codes, keep), d[keep], positive[keep], negative[keep],
        )  # fmt: skip
    size = positive + negative
    if rule is not None and rule.of is not LeafCount.ROWS:
        size = positive if problem.data.n_positive <= problem.data.n_negative else negative
    groups = make_groups(problem, codes, np.maximum(np.abs(d), 1))
    check_columns(groups)
    families, tree = make_families(problem, groups, topologies)
    encoding = Encoding(
        Columns(*_arrays(groups, codes, d), *tree),
        groups,
        families[0],
        int(both.sum()) // unit,
        unit,
        most,
        positive.astype(np.float64),
        negative.astype(np.float64),
        size.astype(np.float64),
        0 if rule is None else rule.rows,
    )
    return encoding, families


def merge(problem: Problem) -> tuple[npt.NDArray[np.int32], Whole, Whole]:
    """Merge rows with equal codes: codes, positive weight, negative weight."""
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
    positive, negative = (
        np.bincount(inverse, data.weight * (data.y == label)).astype(np.int64)
        for label in (True, False)
    )
    return take_rows(data.codes, first), positive, negative


def _common_unit(*costs: Whole) -> int:
    """The largest number that divides all costs."""
    sizes = np.abs(np.concatenate(costs))
    if (sizes == 1).any():  # mostly true without row weights; the gcd of many numbers is slow
        return 1
    return max(int(np.gcd.reduce(np.unique(sizes))), 1)


def _arrays(
    groups: tuple[Group, ...], codes: npt.NDArray[np.int32], d: Whole
) -> tuple[npt.NDArray, ...]:
    """Arrays ``d`` to ``group`` of `Columns`."""
    start = np.cumsum([0, *(group.n for group in groups)]).astype(np.int64)
    local = np.array([group.local(codes) for group in groups], np.int32)
    local = local.reshape(len(groups), len(codes))
    by_sweeps = wants_sweeps(int(start[-1]), local)
    bits = np.zeros((start[-1], 0 if by_sweeps else n_words(len(codes))), np.uint64)
    dropped = np.full(len(groups), -1, np.int64)
    counted = np.empty(local.shape, np.bool_)
    for k, group in enumerate(groups):
        at, is_chain = np.arange(group.n, dtype=np.int32)[:, None], group.kind == CHAIN
        if not by_sweeps:
            bits[start[k] : start[k + 1]] = pack(local[k] <= at if is_chain else local[k] == at)
        most = group.n if is_chain else int(np.bincount(local[k], minlength=group.n).argmax())
        counted[k] = local[k] != most
        dropped[k] = -1 if is_chain else start[k] + most
    cells = (local + start[:-1, None]).astype(np.int32).T[counted.T]
    return (
        d.astype(np.float64),
        bits,
        cells,
        np.append(0, np.cumsum(counted.sum(axis=0))).astype(np.int64),
        local,
        sorted_rows(local[: len(groups) * by_sweeps]),
        start,
        np.array([group.kind for group in groups], np.int64),
        np.array([group.arity for group in groups], np.int64),
        dropped,
        np.repeat(np.arange(len(groups)), np.diff(start)),
    )


def sorted_rows(local: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Array ``order`` of `Columns`."""
    return np.argsort(local, axis=1, kind="stable").astype(np.int32)


# ---------------------------------------------------------------- families of subtrees


def make_families(
    problem: Problem, groups: tuple[Group, ...], topologies: Sequence[Topology]
) -> tuple[list[tuple[int, ...]], tuple[npt.NDArray, ...]]:
    """Number the families of subtrees. Equal subtrees (same shape, same rules) are one.

    Family 0 is the leaf. Returns for each topology the family of each node, and the arrays
    ``level`` to ``runs``.
    """
    known: dict[tuple, int] = {("leaf",): 0}
    rows: list[tuple[int, int, int, bool, bool]] = [(0, 0, 0, True, False)]
    lists: list[tuple[int, ...]] = [()]

    def visit(topology: Topology, child: int, families: list[int]) -> int:
        if child < 0:
            return 0
        left, right = (visit(topology, below, families) for below in topology.children(child))
        rule = problem.rules.at(child)
        fixed = rule.split is not None
        if fixed:
            allowed = tuple(k for k, group in enumerate(groups) if group.fixed == rule.split)
        else:
            features = set(problem.allowed_features(child))
            allowed = tuple(
                k for k, g in enumerate(groups) if g.fixed is None and g.features[0] in features
            )
            left, right = sorted((left, right), key=lambda m: (rows[m][0], m))
        key = (left, right, allowed, fixed)
        if key not in known:
            known[key] = len(rows)
            # the leaves of a fixed split have free labels, so it counts as two levels
            level = max(1 + max(rows[left][0], rows[right][0]), PAIR if fixed else STUMP)
            empty_ok = not fixed and not problem.forbid_empty_branches
            rows.append((level, left, right, empty_ok, fixed))
            lists.append(allowed)
        families[child] = known[key]
        return known[key]

    found = [[0] * topology.n_nodes for topology in topologies]
    for topology, families in zip(topologies, found, strict=True):
        visit(topology, 0, families)
    at = np.cumsum([0] + [len(allowed) for allowed in lists]).astype(np.int64)
    level, low, high, empty_ok, one_way = (np.array(each) for each in zip(*rows, strict=True))
    return [tuple(families) for families in found], (
        level,
        low,
        high,
        at,
        np.array([k for allowed in lists for k in allowed], np.int64),
        empty_ok,
        one_way,
        *_runs(groups, lists),
    )


def _runs(groups: tuple[Group, ...], lists: list[tuple[int, ...]]) -> tuple[Whole, Whole]:
    """Arrays ``runs_at`` and ``runs`` of `Columns`, from the groups of each family."""
    start = np.cumsum([0, *(group.n for group in groups)]).tolist()
    at: list[int] = [0]
    runs: list[list[int]] = []
    for allowed in lists:
        first = len(runs)
        for k in allowed:
            group = groups[k]
            arity = ANY if group.kind == FULL and group.arity > 1 else group.arity
            joins = len(runs) > first and arity == 1 == runs[-1][0] and runs[-1][2] == start[k]
            if joins:
                runs[-1][2] = start[k + 1]
            else:
                runs.append([arity, start[k], start[k + 1]])
        at.append(len(runs))
    return np.array(at, np.int64), np.array(runs, np.int64).reshape(-1, 3)


def check_columns(groups: tuple[Group, ...]) -> None:
    """Refuse problems with too many categories.

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
