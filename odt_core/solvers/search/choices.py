"""A split in the search's own terms, and the tree that choices stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem, Split
from odt_core.solution import Assignment
from odt_core.solvers.search.columns import ANY, ONE, STUMP, Encoding, groups_of, runs_of
from odt_core.solvers.search.groups import CHAIN
from odt_core.solvers.search.masks import Masks, pack

if TYPE_CHECKING:
    from odt_core.solvers.search.search import Search

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choice:
    """A split.

    Attributes
    ----------
    group : int
        The group; -1 where every row goes one way by a question without members.
    to_high : bool
        Whether the members go to the high child.
    members : tuple of int
        Columns.
    low, high : Choice or None
        The children's splits where they are already known.
    """

    group: int
    to_high: bool
    members: tuple[int, ...]
    low: Choice | None = None
    high: Choice | None = None

    @classmethod
    def read(cls, row: npt.NDArray[np.int32]) -> Choice | None:
        """From a row that `two_levels` filled; None if it holds none."""
        group, to_high, n = row[:3].tolist()
        return None if group == -2 else cls(group, bool(to_high), tuple(row[3 : 3 + n].tolist()))


def inside(encoding: Encoding, choice: Choice, rows: Rows) -> npt.NDArray[np.bool_]:
    """Which of the rows are in one of the choice's columns."""
    if choice.group < 0 or not choice.members:
        return np.zeros(len(rows), np.bool_)
    table = encoding.table
    local = table.local[choice.group, rows]
    first = int(table.start[choice.group])
    if table.kind[choice.group] == CHAIN:
        return np.asarray(local <= choice.members[0] - first)
    chosen = np.zeros(int(table.start[choice.group + 1]) - first + 1, np.bool_)
    chosen[[v - first for v in choice.members]] = True
    return np.asarray(chosen[local])


@dataclass
class Planter:
    """Builds an assignment from the root's choice down, and counts what it costs.

    Attributes
    ----------
    problem : Problem
    search : Search
        Solves again what a choice leaves open.
    """

    problem: Problem
    search: Search
    splits: dict[int, Split] = field(default_factory=dict)
    labels: dict[int, bool] = field(default_factory=dict)
    cost: int = 0

    def plant(self, choice: Choice | None = None) -> Assignment:
        """The tree whose root (and whatever the choice knows below it) is given."""
        self._visit(0, np.arange(len(self.search.encoding.table.d)), choice)
        topology = self.problem.topology
        return Assignment(
            tuple(self.splits[node] for node in range(topology.n_nodes)),
            tuple(self.labels[leaf] for leaf in range(topology.n_leaves)),
        )

    def _visit(self, child: int, rows: Rows, choice: Choice | None) -> None:
        if child < 0:
            self._leaf(child, rows)
            return
        encoding = self.search.encoding
        table, cls = encoding.table, encoding.classes[child]
        if table.level[cls] == STUMP:
            self._stump(child, cls, rows, choice)
            return
        if choice is None:
            choice = self.search.choice_for(cls, self._mask(rows))
        members = inside(encoding, choice, rows)
        left, right = self.problem.topology.children(child)
        low, high = int(table.low[cls]), int(table.high[cls])
        left_is_high = low != high and self._class_of(left) == high and not table.one_way[cls]
        members_left = choice.to_high == left_is_high
        self.splits[child] = split_of(self.problem, encoding, child, choice, members_left)
        goes_left = members if members_left else ~members
        below = (choice.high, choice.low) if left_is_high else (choice.low, choice.high)
        self._visit(left, rows[goes_left], below[0])
        self._visit(right, rows[~goes_left], below[1])

    def _mask(self, rows: Rows) -> Masks:
        member = np.zeros(len(self.search.encoding.table.d), np.bool_)
        member[rows] = True
        return pack(member)

    def _class_of(self, child: int) -> int:
        return 0 if child < 0 else self.search.encoding.classes[child]

    def _leaf(self, child: int, rows: Rows) -> None:
        d = self.search.encoding.table.d[rows]
        positive = bool(d.sum() < 0)
        self.labels[-1 - child] = positive
        self.cost += int(d[d > 0].sum() if positive else -d[d < 0].sum())

    def _stump(self, node: int, cls: int, rows: Rows, given: Choice | None) -> None:
        encoding = self.search.encoding
        left, right = self.problem.topology.children(node)
        if encoding.table.one_way[cls]:
            group = groups_of(encoding.table, cls)[0]
            choice = Choice(group, False, (int(encoding.table.start[group]),))
            members = inside(encoding, choice, rows)
            self.splits[node] = split_of(self.problem, encoding, node, choice, True)
            self._leaf(left, rows[members])
            self._leaf(right, rows[~members])
            return
        # `to_high` of a given leaf-adjacent split: the members are called positive
        choice, positive_inside = (
            best_stump(encoding, cls, rows) if given is None else (given, given.to_high)
        )
        members = inside(encoding, choice, rows)
        negative = ~members if positive_inside else members
        self.splits[node] = split_of(self.problem, encoding, node, choice, not positive_inside)
        d = encoding.table.d[rows]
        self.labels[-1 - left], self.labels[-1 - right] = False, True
        self.cost += int(-d[negative & (d < 0)].sum() + d[~negative & (d > 0)].sum())


def split_of(
    problem: Problem, encoding: Encoding, node: int, choice: Choice, members_left: bool
) -> Split:
    """The question of a choice in the problem's terms.

    Of a set the smaller side is stated: the cap holds for it, and categories without rows stay
    on the larger side.
    """
    rule = problem.rules.at(node)
    if rule.split is not None:
        return rule.split
    features = problem.data.features
    if choice.group < 0:
        feature = problem.allowed_features(node)[0]
        codes: frozenset[int] = frozenset()
    else:
        group = encoding.groups[choice.group]
        first = int(encoding.table.start[choice.group])
        stated = [v - first for v in choice.members]
        feature = group.feature_of(stated[0]) if stated else group.feature
        if group.kind != CHAIN and 2 * len(stated) > len(group.sets):
            stated = sorted(set(range(len(group.sets))) - set(stated))
            members_left = not members_left
        codes = frozenset().union(*(group.sets[position] for position in stated))
    if not members_left:
        codes = frozenset(range(features[feature].n_values)) - codes
    return Split(feature, codes)


def sums_by_column(encoding: Encoding, rows: Rows) -> npt.NDArray[np.float64]:
    """Sum of d over the rows in each column."""
    table = encoding.table
    found = np.empty(len(table.group))
    for k in range(len(table.kind)):
        s, e = int(table.start[k]), int(table.start[k + 1])
        sums = np.bincount(table.local[k, rows], table.d[rows], e - s + 1)[: e - s]
        found[s:e] = sums.cumsum() if table.kind[k] == CHAIN else sums
    return found


def best_stump(encoding: Encoding, cls: int, rows: Rows) -> tuple[Choice, bool]:
    """The best leaf-adjacent split: the choice and whether its members are called positive."""
    table = encoding.table
    total = float(table.d[rows].sum())
    sums = sums_by_column(encoding, rows)
    best = np.inf
    found: tuple[Choice, bool] = (Choice(-1, False, ()), True)
    empty_ok = bool(table.empty_ok[cls])
    if empty_ok:
        best = min(0.0, total)
        found = (Choice(-1, False, ()), total >= 0)
    for take, s, e, arity in runs_of(table, cls):
        for value, members, positive in _stump_of_run(take, arity, sums[s:e], total, empty_ok):
            if value < best:
                best = value
                group = int(table.group[s + members[0]])
                found = (Choice(group, False, tuple(s + v for v in members)), positive)
    return found


def _stump_of_run(
    take: int, arity: int, numbers: npt.NDArray[np.float64], total: float, empty_ok: bool
) -> list[tuple[float, list[int], bool]]:
    """Candidates (value, members, members are positive) of one run of columns (see `Columns`)."""
    if take == ONE:
        low, high = int(numbers.argmin()), int(numbers.argmax())
        return [
            (float(numbers[low]), [low], True),
            (total - float(numbers[high]), [high], False),
        ]
    sums = numbers.tolist()
    rising = sorted(range(len(sums)), key=sums.__getitem__)
    if take == ANY:
        members = [v for v in rising if sums[v] < 0]
        if not members:
            if empty_ok:
                return []
            members = rising[:1]
        if not empty_ok and len(members) == len(sums):
            members = rising[:-1]
        value = sum(sums[v] for v in members)
        others = rising[len(members) :]
        if others and len(others) < len(members):
            return [(value, others, False)]
        return [(value, members, True)]
    few = [v for v in rising[:arity] if sums[v] < 0] or rising[:1]
    falling = rising[::-1]
    many = [v for v in falling[:arity] if sums[v] > 0] or falling[:1]
    return [
        (sum(sums[v] for v in few), few, True),
        (total - sum(sums[v] for v in many), many, False),
    ]
