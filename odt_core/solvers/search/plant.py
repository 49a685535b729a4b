"""From a cost back to a tree: splits and labels for every node of the topology."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem, Split
from odt_core.solution import Assignment
from odt_core.solvers.search import depth3 as d3
from odt_core.solvers.search.linking import solve_set
from odt_core.solvers.search.model import ANY, CHAIN, ONE, PAIR, STUMP
from odt_core.solvers.search.scan import sum_columns
from odt_core.solvers.search.tables import Encoding
from odt_core.solvers.search.work import UNKNOWN

Rows = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Choice:
    """A split in the search's own terms.

    Attributes
    ----------
    group : int
        The group; -1 where every row goes one way by an empty set.
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
    def read(
        cls, split: npt.NDArray[np.int64], below: npt.NDArray[np.int64] | None = None
    ) -> Choice:
        """From the kernels' record; `below` are the children's (see `Work`)."""
        group, to_high, n = split[:3].tolist()
        low, high = (
            (None, None)
            if below is None
            else (cls.read(child) if child[0] != UNKNOWN else None for child in below)
        )
        return cls(group, bool(to_high), tuple(split[3 : 3 + n].tolist()), low, high)


def inside(encoding: Encoding, choice: Choice, rows: Rows) -> npt.NDArray[np.bool_]:
    """Which of the rows are in one of the choice's columns."""
    if choice.group < 0 or not choice.members:
        return np.zeros(len(rows), dtype=np.bool_)
    model = encoding.model
    local = model.local[choice.group, rows]
    first = int(model.start[choice.group])
    if model.kind[choice.group] == CHAIN:
        return np.asarray(local <= choice.members[0] - first)
    chosen = np.zeros(int(model.start[choice.group + 1]) - first + 1, np.bool_)
    chosen[[v - first for v in choice.members]] = True
    return np.asarray(chosen[local])


@dataclass
class Planter:
    """Builds an assignment from the root's choice down.

    Attributes
    ----------
    problem, encoding
        What was solved.
    work : Work
        Working memory.
    stop : int64[1]
        Never set here; the kernels want it.
    """

    problem: Problem
    encoding: Encoding
    work: d3.Work
    splits: dict[int, Split] = field(default_factory=dict)
    labels: dict[int, bool] = field(default_factory=dict)
    cost: int = 0

    def plant(self, choice: Choice | None = None) -> Assignment:
        """The tree whose root (and whatever the choice knows below it) is given.

        What is not given is solved to optimality again.
        """
        rows = np.arange(len(self.encoding.model.d), dtype=np.int32)
        self._visit(0, rows, choice)
        topology = self.problem.topology
        return Assignment(
            tuple(self.splits[node] for node in range(topology.n_nodes)),
            tuple(self.labels[leaf] for leaf in range(topology.n_leaves)),
        )

    def _visit(self, child: int, rows: Rows, choice: Choice | None) -> None:
        if child < 0:
            self._leaf(child, rows)
            return
        model = self.encoding.model
        cls = self.encoding.classes[child]
        if model.level[cls] == STUMP:
            self._stump(child, cls, rows)
            return
        if choice is None:
            choice = self.solve(cls, rows)
        members = inside(self.encoding, choice, rows)
        left, right = self.problem.topology.children(child)
        low, high = int(model.low[cls]), int(model.high[cls])
        left_is_high = low != high and self._class_of(left) == high and not model.one_way[cls]
        members_left = choice.to_high == left_is_high
        self.splits[child] = self.split(child, choice, members_left)
        goes_left = members if members_left else ~members
        below = (choice.high, choice.low) if left_is_high else (choice.low, choice.high)
        self._visit(left, rows[goes_left], below[0])
        self._visit(right, rows[~goes_left], below[1])

    def _class_of(self, child: int) -> int:
        return self.encoding.leaf if child < 0 else self.encoding.classes[child]

    def solve(self, cls: int, rows: Rows) -> Choice:
        """The best split of a class of two or three levels."""
        model, work = self.encoding.model, self.work
        work.rows[: len(rows)] = rows
        d3.clear_bounds(work)
        cells = np.full(1, np.inf, model.d.dtype)
        stop = np.zeros(1, np.int64)
        assert PAIR <= model.level[cls]
        solve_set(model, cls, len(rows), cells, 0, stop, work)
        return Choice.read(work.split)

    def split(self, node: int, choice: Choice, members_left: bool) -> Split:
        """The question in the problem's terms.

        Of a set the smaller side is stated: the cap holds for it, and categories without rows stay
        on the larger side.
        """
        rule = self.problem.rules.at(node)
        if rule.split is not None:
            return rule.split
        features = self.problem.data.features
        if choice.group < 0:
            feature = self.problem.allowed_features(node)[0]
            codes: frozenset[int] = frozenset()
        else:
            group = self.encoding.groups[choice.group]
            first = int(self.encoding.model.start[choice.group])
            stated = [v - first for v in choice.members]
            feature = group.feature_of(stated[0]) if stated else group.feature
            if group.kind != CHAIN and 2 * len(stated) > len(group.sets):
                stated = sorted(set(range(len(group.sets))) - set(stated))
                members_left = not members_left
            codes = frozenset().union(*(group.sets[position] for position in stated))
        if not members_left:
            codes = frozenset(range(features[feature].n_values)) - codes
        return Split(feature, codes)

    def _leaf(self, child: int, rows: Rows) -> None:
        d = self.encoding.model.d[rows].astype(np.float64)
        positive = bool(d.sum() < 0)
        self.labels[-1 - child] = positive
        self.cost += int(d[d > 0].sum() if positive else -d[d < 0].sum())

    def _stump(self, node: int, cls: int, rows: Rows) -> None:
        left, right = self.problem.topology.children(node)
        choice, positive_inside = best_stump(self.encoding, cls, rows, self.work)
        if self.problem.rules.at(node).split is not None:
            group = int(self.encoding.model.groups[self.encoding.model.groups_at[cls]])
            column = int(self.encoding.model.start[group])
            members = inside(self.encoding, Choice(group, False, (column,)), rows)
            self.splits[node] = self.split(node, choice, True)
            self._leaf(left, rows[members])
            self._leaf(right, rows[~members])
            return
        members = inside(self.encoding, choice, rows)
        negative = ~members if positive_inside else members
        self.splits[node] = self.split(node, choice, not positive_inside)
        d = self.encoding.model.d[rows].astype(np.float64)
        self.labels[-1 - left], self.labels[-1 - right] = False, True
        self.cost += int(-d[negative & (d < 0)].sum() + d[~negative & (d > 0)].sum())


def best_stump(encoding: Encoding, cls: int, rows: Rows, work: d3.Work) -> tuple[Choice, bool]:
    """The best leaf-adjacent split: the choice and whether its members are called positive."""
    model = encoding.model
    total = float(sum_columns(model, rows, work.S.line[0]))
    sums = work.S.line[0].tolist()  # a few numbers at a time: quicker than arrays
    best = np.inf
    found: tuple[Choice, bool] = (Choice(-1, False, ()), True)
    empty_ok = bool(model.empty_ok[cls])
    if empty_ok:
        best = min(0.0, total)
        found = (Choice(-1, False, ()), total >= 0)
    for take, s, e, arity in model.runs[model.runs_at[cls] : model.runs_at[cls + 1]].tolist():
        for value, members, positive in _stump_of_run(take, arity, sums[s:e], total, empty_ok):
            if value < best:
                best = value
                group = int(np.searchsorted(model.start, s + members[0], side="right")) - 1
                found = (Choice(group, False, tuple(s + v for v in members)), positive)
    return found


def _stump_of_run(
    take: int, arity: int, sums: list[float], total: float, empty_ok: bool
) -> list[tuple[float, list[int], bool]]:
    """Candidates (value, members, members are positive) of one run of columns (see `Model`)."""
    if take == ONE:
        least, most = min(sums), max(sums)
        return [(least, [sums.index(least)], True), (total - most, [sums.index(most)], False)]
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
    low = [v for v in rising[:arity] if sums[v] < 0] or rising[:1]
    falling = rising[::-1]
    high = [v for v in falling[:arity] if sums[v] > 0] or falling[:1]
    return [
        (sum(sums[v] for v in low), low, True),
        (total - sum(sums[v] for v in high), high, False),
    ]
