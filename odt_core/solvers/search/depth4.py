"""Four levels: the root's splits, each side solved by the three-level kernels.

The same steps as one level below (depth3.py): the whole set first, then each value of a set, single
columns, pairs by rising bound, and larger subsets depth first. A task is one side or one split, so
threads share the work; what they learn they share through bounds.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search import bounds
from odt_core.solvers.search.crossings import Counter
from odt_core.solvers.search.driver import Run
from odt_core.solvers.search.linking import solve_set
from odt_core.solvers.search.plant import Choice, Rows, inside
from odt_core.solvers.search.scan import scan
from odt_core.solvers.search.sides import shallow_sides
from odt_core.solvers.search.tables import CHAIN, PAIR, TRIPLE

PATIENCE = 0.25
"""Tables of two columns are counted ahead once counting rows has taken this share of what that is
thought to take: easy problems are solved before."""

SECONDS_PER_TABLE, SECONDS_PER_CELL = 2e-6, 2e-9
"""What counting ahead takes, roughly."""


@dataclass(frozen=True)
class Side:
    """One side of a root split: some columns of a group, or what they leave."""

    group: int
    members: tuple[int, ...]
    outside: bool


WHOLE = Side(-1, (), True)


class Rising:
    """Tasks by rising bound, and the least bound of those that are not settled.

    `Run.each` takes one at a time; `least` may be asked meanwhile, by a thread that knows nothing
    of where the others are.

    Parameters
    ----------
    order : int64[T]
        The tasks' numbers by rising bound.
    bound : float64[T]
        A lower bound for each task.
    """

    def __init__(self, order: npt.NDArray[np.int64], bound: npt.NDArray[np.float64]) -> None:
        self._order, self._bound = order, bound
        self._next = 0
        self._taken: dict[int, None] = {}

    def __iter__(self) -> Iterator[int]:
        for task in self._order.tolist():
            self._taken[task] = None  # before it is counted as taken: `least` must not miss it
            self._next += 1
            yield task

    def settle(self, task: int) -> None:
        """A task is done with."""
        del self._taken[task]

    def least(self) -> float:
        """Lower bound of all that is open; infinite if nothing is."""
        waiting = self._order[self._next : self._next + 1].tolist()  # first: see `__iter__`
        return min((float(self._bound[i]) for i in (*waiting, *self._taken)), default=np.inf)


class Root:
    """The root of a class of four levels.

    Attributes
    ----------
    inside, outside : float64[2, V]
        Lower bounds of the low and high child on the rows in a column and on the others.
    sure_in, sure_out : bool[2, V]
        Whether those are the children's optima.
    shallow : list of bool
        Whether the low and high child have at most one level: what they cost is looked up.
    whole : list of float
        Lower bounds of the low and high child on all rows.
    seconds_by_rows : float
        How long sides were solved by counting their rows.
    weight : float64[V]
        Weight of the rows in each column.
    """

    def __init__(self, run: Run, cls: int) -> None:
        self.run, self.cls = run, cls
        model = run.encoding.model
        self.model = model
        self.children = (int(model.low[cls]), int(model.high[cls]))
        self.h = 0 if self.children[0] == self.children[1] else 1
        v = int(model.size[0])
        self.rows = np.arange(len(model.d), dtype=np.int32)
        self.shared = bounds.make_shared(model)
        self.weight = self._weights(v)
        self.total_weight = float(np.abs(model.d).astype(np.float64).sum())
        self.inside = np.zeros((2, v))
        self.outside = np.zeros((2, v))
        self.sure_in = np.zeros((2, v), np.bool_)
        self.sure_out = np.zeros((2, v), np.bool_)
        self.shallow = [bool(model.level[child] < PAIR) for child in self.children]
        if any(self.shallow):
            self._solve_shallow()
        self.whole = [0.0, 0.0]
        self.choices: dict[tuple[int, Side], Choice] = {}
        self.settled: set[int] = set()
        self.seconds_by_rows = 0.0
        self.groups = [
            int(k) for k in model.groups[model.groups_at[cls] : model.groups_at[cls + 1]]
        ]

    def _weights(self, v: int) -> npt.NDArray[np.float64]:
        heavy = self.model._replace(d=np.abs(self.model.d))
        work = self.run.work(0)
        work.rows[:] = self.rows
        scan(heavy, work.rows, len(self.rows), 0, work.F, work.D, work.P, work.bits)
        weight = self.shared.weight
        weight[:, :v] = work.F[:, :v]
        for k in np.flatnonzero(self.model.pair_at >= 0):
            first, second = np.triu_indices(int(self.model.start[k + 1] - self.model.start[k]), 1)
            s, at = int(self.model.start[k]), int(self.model.pair_at[k])
            weight[:, at : at + len(first)] = weight[:, s + first] + weight[:, s + second]
        return work.D[:v].astype(np.float64)

    def _solve_shallow(self) -> None:
        """Shallow children on all single columns."""
        columns = np.arange(len(self.weight))
        for x in np.flatnonzero(self.shallow[: self.h + 1]):
            costs = self.shallow_costs(int(x), columns, np.full(len(columns), -1))
            self.inside[x], self.outside[x] = costs
            self.sure_in[x] = self.sure_out[x] = True

    def shallow_costs(
        self, x: int, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray, npt.NDArray]:
        """What a shallow child costs inside and outside splits of one (then -1) or two columns."""
        work = self.run.work(0)
        work.rows[:] = self.rows
        table = work.F, work.D, work.P
        total, positive = scan(self.model, work.rows, len(self.rows), 0, *table, work.bits)
        into, rest = np.zeros((2, len(first)), self.model.d.dtype)
        shallow_sides(
            self.model, self.children[x], first, second, len(first), *table, total, positive,
            into, rest, work,
        )  # fmt: skip
        return into, rest

    # ------------------------------------------------------------ one side

    def side_rows(self, side: Side) -> Rows:
        """The rows of a side."""
        if side.group < 0:
            return self.rows
        mask = inside(self.run.encoding, Choice(side.group, False, side.members), self.rows)
        return self.rows[~mask if side.outside else mask]

    def solve(self, x: int, side: Side, limit: float, thread: int) -> tuple[float, bool]:
        """Child x on a side: its cost if below `limit`, else `limit`; and whether to trust it."""
        model, work = self.model, self.run.work(thread)
        child = self.children[x]
        ahead = self._counts_ahead()
        if ahead is not None:
            if not ahead.provide(side.group, self.run.stop, thread):
                return 0.0, False
            group = side.group if side.group >= 0 else len(model.kind)
            place = (group, int(side.outside), len(side.members), *side.members)
            work.side[: len(place)] = place
        rows = self.side_rows(side) if ahead is None else self.rows[:0]
        n = len(rows)
        work.rows[:n] = rows
        began = time.perf_counter()
        work.weight_all[:] = self.weight
        members = np.array(side.members or (0,), dtype=np.int64)
        deep = model.level[child] == TRIPLE
        where = (side.group, members, len(side.members), side.outside)
        if deep:
            bounds.load(model, child, *where, self.shared, work)
        cells = np.full(1, limit, model.d.dtype)
        work.split[2] = 0
        solve_set(model, child, n, cells, 0, self.run.stop, work)
        work.side[0] = -1
        if ahead is None:
            self.seconds_by_rows += time.perf_counter() - began
        if deep:
            bounds.store(model, child, *where, self.shared, work)
        if self.run.stopped:
            return 0.0, False
        value = float(cells[0])
        if value < limit and model.level[child] >= 2:
            self.choices[x, side] = Choice.read(work.split, work.kept)
        return value, True

    def _counts_ahead(self) -> Counter | None:
        """Where sides' tables come from, if not from their rows."""
        counter = self.run.crossings
        if counter is None or not counter.used:
            return None
        tables = len(counter.tables.pair_p)
        each = SECONDS_PER_TABLE + SECONDS_PER_CELL * counter.tables.F.size
        return counter if self.seconds_by_rows >= PATIENCE * tables * each else None

    # ------------------------------------------------------------ one split

    def try_split(
        self, way: int, group: int, members: tuple[int, ...], low: float, high: float, thread: int
    ) -> None:
        """Solve both sides of a split as far as needed; `low`, `high` bound inside, outside.

        For a shallow child they are what it costs.
        """
        x, y = way, self.h - way
        ins, out = Side(group, members, False), Side(group, members, True)
        bound = {ins: low, out: high}
        child = {ins: x, out: y}
        single = members[0] if len(members) == 1 else -1
        sure = {
            ins: self.shallow[x] or (single >= 0 and bool(self.sure_in[x, single])),
            out: self.shallow[y] or (single >= 0 and bool(self.sure_out[y, single])),
        }
        heavy = 2 * float(self.weight[list(members)].sum()) > self.total_weight
        level = self.model.level
        deep_in, deep_out = level[self.children[x]] == TRIPLE, level[self.children[y]] == TRIPLE
        if deep_in != deep_out:  # what costs next to nothing comes first
            heavy = bool(deep_out)
        for side, other in ((ins, out), (out, ins)) if heavy else ((out, ins), (ins, out)):
            best = self.run.best
            if bound[ins] + bound[out] >= best:
                break
            if sure[side]:
                continue
            limit = best - bound[other]
            value, valid = self.solve(child[side], side, limit, thread)
            if not valid:
                return
            bound[side] = max(bound[side], value)
            sure[side] = value < limit
        if single >= 0:
            self._learn(x, y, group, single, bound[ins], bound[out], sure[ins], sure[out])
        cost = bound[ins] + bound[out]
        if sure[ins] and sure[out] and cost < self.run.best:
            sides = (ins, out) if way == 0 else (out, ins)
            low_choice = self.choices.get((0, sides[0]))
            high_choice = self.choices.get((self.h, sides[1]))
            self.run.offer(cost, Choice(group, bool(way), members, low_choice, high_choice))

    def _learn(
        self, x: int, y: int, group: int, v: int, low: float, high: float, in_: bool, out: bool
    ) -> None:
        """Keep the bounds of a single column and carry them along its chain."""
        self.inside[x, v] = max(self.inside[x, v], low)
        self.outside[y, v] = max(self.outside[y, v], high)
        self.sure_in[x, v] |= in_
        self.sure_out[y, v] |= out
        if self.model.kind[group] != CHAIN:
            return
        s, e = int(self.model.start[group]), int(self.model.start[group + 1])
        step = self.weight[s:e] - self.weight[v]
        after, before = slice(v + 1, e), slice(s, v)
        np.maximum(self.inside[x, after], low, out=self.inside[x, after])
        np.maximum(self.outside[y, after], high - step[v + 1 - s :], out=self.outside[y, after])
        np.maximum(self.outside[y, before], high, out=self.outside[y, before])
        np.maximum(self.inside[x, before], low + step[: v - s], out=self.inside[x, before])

    # ------------------------------------------------------------ bounds

    def sharpen(self) -> None:
        """Bounds of single columns from the whole set's (sharpened similarity)."""
        for x in range(self.h + 1):
            rest = self.total_weight - self.weight
            np.maximum(
                self.outside[x], self.whole[x] - self.weight + self.inside[x], out=self.outside[x]
            )
            np.maximum(self.inside[x], self.whole[x] - rest + self.outside[x], out=self.inside[x])
        for k in self.groups:
            if self.model.kind[k] == CHAIN:
                continue
            part = slice(int(self.model.start[k]), int(self.model.start[k + 1]))
            for y in range(self.h + 1):
                others = self.inside[y, part].sum() - self.inside[y, part]
                np.maximum(self.outside[y, part], others, out=self.outside[y, part])

    def sum_inside(self, k: int) -> float:
        """Lower bound of every split of a set."""
        part = slice(int(self.model.start[k]), int(self.model.start[k + 1]))
        return float(np.minimum(self.inside[0, part], self.inside[self.h, part]).sum())

    def open_bound(self) -> float:
        """Lower bound of every split that is not settled yet."""
        least = np.inf
        for k in self.groups:
            if k not in self.settled:
                least = min(least, self.group_bound(k))
        return least

    def group_bound(self, k: int) -> float:
        """Lower bound of a group's splits."""
        part = slice(int(self.model.start[k]), int(self.model.start[k + 1]))
        singles = min(
            float((self.inside[x, part] + self.outside[self.h - x, part]).min())
            for x in range(self.h + 1)
        )
        if self.model.kind[k] == CHAIN or self.model.arity[k] == 1:
            return singles
        return self.sum_inside(k)

    # ------------------------------------------------------------ the steps

    def solve_whole(self) -> None:
        """Each child on all rows: a tree that leaves a branch empty, and a bound for all."""
        model = self.model

        def do(task: object, thread: int) -> None:
            assert isinstance(task, int)
            limit = self.run.best
            value, valid = self.solve(task, WHOLE, limit, thread)
            if not valid:
                return
            self.whole[task] = value
            if value < limit and model.empty_ok[self.cls]:
                below = self.choices.get((task, WHOLE))
                low, high = (below, None) if task == 0 else (None, below)
                if self.h == 0:
                    low, high = None, below
                # no members: every row goes to the child that the members do not go to
                self.run.offer(value, Choice(-1, task == 0 and self.h == 1, (), low, high))

        self.run.each(list(range(self.h, -1, -1)), do)

    def solve_values(self) -> None:
        """Each child on every value of the sets: their sums bound all splits."""
        tasks = [
            (x, k, v)
            for k in self.groups
            if self.model.kind[k] != CHAIN and self.model.arity[k] > 1
            for v in range(int(self.model.start[k]), int(self.model.start[k + 1]))
            for x in range(self.h + 1)
        ]

        def do(task: object, thread: int) -> None:
            assert isinstance(task, tuple)
            x, k, v = task
            limit = self.run.best
            if self.sure_in[x, v]:
                return
            value, valid = self.solve(x, Side(k, (v,), False), limit, thread)
            if valid:
                self.inside[x, v] = max(float(self.inside[x, v]), value)
                self.sure_in[x, v] = value < limit

        self.run.each(tasks, do)

    def solve_singles(self) -> None:
        """Splits by one column, the most promising first."""
        ways = range(1 if self.h == 0 or self.model.one_way[self.cls] else 2)
        columns = [
            (way, k, v)
            for k in self.groups
            for v in range(int(self.model.start[k]), int(self.model.start[k + 1]))
            for way in ways
        ]
        columns.sort(key=lambda task: self._single_bound(task[0], task[2]))
        open_ = dict.fromkeys(columns)

        def do(task: object, thread: int) -> None:
            assert isinstance(task, tuple)
            way, k, v = task
            x, y = way, self.h - way
            low, high = float(self.inside[x, v]), float(self.outside[y, v])
            self.try_split(way, k, (v,), low, high, thread)
            if not self.run.stopped:
                open_.pop(task, None)

        self.run.each(columns, do, self.open_bound)
        if not self.run.stopped:
            self.settled |= {
                k for k in self.groups if self.model.kind[k] == CHAIN or self.model.arity[k] == 1
            }

    def _single_bound(self, way: int, v: int) -> float:
        return float(self.inside[way, v] + self.outside[self.h - way, v])

    def solve_pairs(self) -> None:
        """Splits by two values of a set, by rising bound."""
        groups = [k for k in self.groups if self.model.arity[k] == 2]
        parts = [self._pairs_of(k, way) for k in groups for way in range(self.h + 1)]
        if not parts:
            return
        bound, low, high, way, group, first, second = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        order = np.argsort(bound, kind="stable")
        sets = [k for k in self.groups if self.model.arity[k] > 2]
        rest = min((self.sum_inside(k) for k in sets), default=np.inf)
        splits = Rising(order, bound)

        def do(task: object, thread: int) -> None:
            i = int(task)  # type: ignore[call-overload]
            if bound[i] < self.run.best:
                self.try_split(
                    int(way[i]), int(group[i]), (int(first[i]), int(second[i])),
                    float(low[i]), float(high[i]), thread,
                )  # fmt: skip
            if not self.run.stopped:
                splits.settle(i)

        self.run.each(splits, do, lambda: min(splits.least(), rest))
        if not self.run.stopped:
            self.settled |= set(groups)

    def _pairs_of(self, k: int, way: int) -> tuple[npt.NDArray, ...]:
        """Bounds of all pairs of a set: total, inside, outside, way, group, columns."""
        s, e = int(self.model.start[k]), int(self.model.start[k + 1])
        x, y = way, self.h - way
        u, v = np.triu_indices(e - s, 1)
        if e - s == 4 and self.h == 0:
            u, v = u[:3], v[:3]  # the other three are their complements
        u, v = u + s, v + s
        into, rest = self.inside[x], self.inside[y]
        low = into[u] + into[v]
        high = rest[s:e].sum() - rest[u] - rest[v]
        for a, b in ((u, v), (v, u)):
            high = np.maximum(high, self.outside[y, a] - self.weight[b] + rest[b])
        high = np.maximum(high, self.whole[y] - self.weight[u] - self.weight[v] + rest[u] + rest[v])
        if self.shallow[x]:
            low = self.shallow_costs(x, u, v)[0]
        if self.shallow[y]:
            high = self.shallow_costs(y, u, v)[1]
        bound = low + high
        keep = bound < self.run.best
        full = [bound, low, high, np.full(len(u), way), np.full(len(u), k), u, v]
        return tuple(column[keep] for column in full)

    def solve_subsets(self) -> None:
        """Splits by larger subsets: one depth-first search for each group."""
        groups = [k for k in self.groups if self.model.arity[k] > 2]
        groups.sort(key=self.sum_inside)

        def do(task: object, thread: int) -> None:
            k = int(task)  # type: ignore[call-overload]
            self._subsets_of(k, thread)
            if not self.run.stopped:
                self.settled.add(k)

        self.run.each(groups, do, self.open_bound)

    def _subsets_of(self, k: int, thread: int) -> None:
        s, e = int(self.model.start[k]), int(self.model.start[k + 1])
        values = [v for v in range(s, e) if self.weight[v] > 0]
        values.sort(key=lambda v: -self.weight[v])
        n, arity = len(values), int(self.model.arity[k])
        cheapest = [float(min(self.inside[0, v], self.inside[self.h, v])) for v in values]
        rest = np.concatenate([np.cumsum(cheapest[::-1])[::-1], [0.0]])
        sides: list[list[int]] = [[], []]

        def visit(i: int, cost: tuple[float, float]) -> None:
            if self.run.stopped or cost[0] + cost[1] + rest[i] >= self.run.best:
                return
            if i == n:
                self._offer_subset(k, sides, cost, full=n == e - s)
                return
            for to in (0,) if i == 0 and self.h == 0 else (0, 1):
                sides[to].append(values[i])
                if min(len(sides[0]), len(sides[1])) <= arity:
                    self._place(k, sides, to, i, cost, rest, visit, thread)
                sides[to].pop()

        visit(0, (0.0, 0.0))

    def _place(self, k, sides, to, i, cost, rest, visit, thread) -> None:  # type: ignore[no-untyped-def]
        x = to if self.h else 0
        bound = cost[to] + self.inside[x, sides[to][-1]]
        limit = self.run.best - cost[1 - to] - rest[i + 1]
        if bound >= limit:
            return
        value, valid = self.solve(x, Side(k, tuple(sides[to]), False), limit, thread)
        if valid and value < limit:
            visit(i + 1, (value, cost[1]) if to == 0 else (cost[0], value))

    def _offer_subset(
        self, k: int, sides: list[list[int]], cost: tuple[float, float], full: bool
    ) -> None:
        one_sided = not sides[0] or not sides[1]
        if one_sided and full and not self.model.empty_ok[self.cls]:
            return
        stated = 0 if len(sides[0]) <= len(sides[1]) else 1
        members = tuple(sides[stated])
        if not members:
            s, e = int(self.model.start[k]), int(self.model.start[k + 1])
            members = tuple(v for v in range(s, e) if self.weight[v] == 0)[:1]
        low = self.choices.get((0, Side(k, tuple(sides[0]), False)))
        high = self.choices.get((self.h, Side(k, tuple(sides[1]), False)))
        self.run.offer(cost[0] + cost[1], Choice(k, bool(stated), members, low, high))


def solve_deep(run: Run, cls: int) -> None:
    """Solve a class of four levels."""
    root = Root(run, cls)
    for step in (
        root.solve_whole,
        root.solve_values,
        root.sharpen,
        root.solve_singles,
        root.solve_pairs,
        root.solve_subsets,
    ):
        if run.stopped:
            return
        step()
