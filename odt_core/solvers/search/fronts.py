"""Fronts from the root down.

Weighted searches give the corners of the frontier and bounds; what lies between the corners is
found split by split (frontier.py), skipping what the weighted bounds exclude.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem
from odt_core.solution import Assignment
from odt_core.solvers.search import depth3 as d3
from odt_core.solvers.search import frontier as fronts
from odt_core.solvers.search.driver import POLL_SECONDS, ShouldStop
from odt_core.solvers.search.plant import Choice, Planter, Rows, inside
from odt_core.solvers.search.tables import CHAIN, FULL, PAIR, Model, encode_both

Front = npt.NDArray[np.int64]
FAR = int(fronts.FAR)
Tighten = Callable[[Front, int], None]
MULTIPLIERS = ((1, 1), (1, 2), (2, 1), (1, 4), (4, 1), (1, 10), (10, 1))


class Steps(Protocol):
    """How the points of a front are reached."""

    def get(self, budget: int, /) -> Step | None:
        """The step for a budget; None if the front was not improved there."""


@dataclass(frozen=True)
class Step:
    """How a point of a front is reached.

    Attributes
    ----------
    choice : Choice
        The split.
    budget : int
        False negatives allowed to the members.
    inner, outer : int
        False positives of the members and of the others.
    members, others : Steps
        How the two sides reach theirs.
    """

    choice: Choice
    budget: int
    inner: int
    outer: int
    members: Steps | None = None
    others: Steps | None = None


@dataclass(frozen=True)
class Notes:
    """Steps as the kernel wrote them down (see `combine`): read only where a tree is built."""

    model: Model
    note: npt.NDArray[np.int64]

    def get(self, budget: int, /) -> Step | None:
        """The step for a budget."""
        note = self.note[:, budget]
        key = int(note[0])
        if key == 0:
            return None
        v, u = key % 65536 - 1, key // 65536 % 65536 - 1
        way, k = key // 2**32 % 2, key // 2**33 - 2
        members = tuple(column for column in (u, v) if column >= 0)
        if k >= 0 and not members:
            first = int(self.model.start[k])
            bits = fronts.MASK_BITS
            members = tuple(
                first + bit
                for bit in range(int(self.model.start[k + 1]) - first)
                if int(note[fronts.NOTE + bit // bits]) >> (bit % bits) & 1
            )
        return Step(Choice(k, bool(way), members), int(note[1]), int(note[2]), int(note[3]))


@dataclass
class FrontSearch:
    """Fronts of the classes of one problem.

    Attributes
    ----------
    problem : Problem
        Its floors and objective are not looked at here.
    budget : int
        The largest number of false negatives of interest.
    deadline : float
        Monotonic time.
    multipliers : tuple of (int, int)
        What a false negative and a false positive cost in the weighted bounds.
    tighten : callable, optional
        Called with the root's front and each budget at which it improved; may lower the front to
        what is still wanted.
    """

    problem: Problem
    budget: int
    deadline: float = np.inf
    should_stop: ShouldStop | None = None
    multipliers: tuple[tuple[int, int], ...] = MULTIPLIERS
    cancelled: bool = False
    tighten: Tighten | None = None
    memory_limit: float = np.inf
    stop: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))

    def __post_init__(self) -> None:
        largest = max(max(pair) for pair in self.multipliers)
        self.encoding, self.pos, self.neg = encode_both(self.problem, largest, largest)
        self.model: Model = self.encoding.model
        self.work = d3.make_work(self.model, self.stop, self.memory_limit / 2)
        d3.link(self.model, self.work)
        self.tables = fronts.make_tables(
            self.model,
            self.work,
            self.budget,
            [a for a, _ in self.multipliers],
            [b for _, b in self.multipliers],
        )
        self.rows = np.arange(len(self.model.d), dtype=np.int32)

    def watch(self) -> bool:
        """Whether the search was ended."""
        return bool(self.stop[0])

    def poll(self) -> None:
        """End the search if time is up or the user says so."""
        if time.monotonic() >= self.deadline:
            self.stop[0] = 1
        elif self.should_stop is not None and not self.cancelled and self.should_stop():
            self.cancelled = True
            self.stop[0] = 1

    def whole(
        self, wanted: Front, meanwhile: Callable[[], None] | None = None
    ) -> tuple[Front, Steps]:
        """The root's front, found in a thread so that time and the user are heeded meanwhile."""
        results: list[tuple[Front, Steps]] = []
        failures: list[BaseException] = []

        def run() -> None:
            try:
                results.append(self.front(self.encoding.classes[0], self.rows, wanted))
            except BaseException as failure:
                failures.append(failure)

        worker = threading.Thread(target=run, daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(POLL_SECONDS)
                self.poll()
                if meanwhile is not None:
                    meanwhile()
        except BaseException:
            self.stop[0] = 1
            worker.join()
            raise
        if failures:
            raise failures[0]
        return results[0]

    # ------------------------------------------------------------ fronts

    def front(self, cls: int, rows: Rows, wanted: Front) -> tuple[Front, Steps]:
        """The front of a class on some rows wherever it is below `wanted`.

        Returns the lesser of both and, for each improved budget, how it is reached (nothing for
        leaves and leaf-adjacent splits).
        """
        level = int(self.model.level[cls])
        if level < PAIR:
            return np.minimum(self._shallow(cls, rows), wanted), {}
        if level == PAIR:
            return self._pair(cls, rows, wanted)
        return self._deep(cls, rows, wanted)

    def _shallow(self, cls: int, rows: Rows) -> Front:
        tp, tn = fronts.scan_both(self.model, self.pos, self.neg, rows, len(rows), self.tables)
        out = np.zeros(self.budget + 1, np.int64)
        T = self.tables
        fronts.shallow_front(self.model, cls, T.xp, T.xn, tp, tn, T, out)
        return out

    def _pair(self, cls: int, rows: Rows, wanted: Front) -> tuple[Front, Steps]:
        out = wanted.copy()
        note = np.zeros((fronts.NOTE + len(self.tables.mask), len(out)), np.int64)
        fronts.front2(
            self.model, self.pos, self.neg, cls, rows, len(rows), out, note, self.stop,
            self.tables, self.work,
        )  # fmt: skip
        return out, Notes(self.model, note)

    def _deep(self, cls: int, rows: Rows, wanted: Front) -> tuple[Front, Steps]:
        model = self.model
        low, high = int(model.low[cls]), int(model.high[cls])
        h = 0 if low == high else 1
        out = wanted.copy()
        steps: dict[int, Step] = {}
        if model.empty_ok[cls]:
            for way in range(h + 1):
                self._try(cls, Choice(-1, bool(way), ()), rows, out, steps, None)
        singles, others = self._splits(cls, rows, out)
        for bound, choice in singles:
            if self.watch():
                return out, steps
            self._try(cls, choice, rows, out, steps, bound)
        for bound, choice in others():
            if self.watch():
                return out, steps
            self._try(cls, choice, rows, out, steps, bound)
        return out, steps

    def _bounds(self, cls: int, rows: Rows) -> npt.NDArray:
        """Weighted lower bounds of a class on some rows, one for each multiplier."""
        out = np.zeros(len(self.multipliers), self.model.d.dtype)
        if len(rows) == 0:
            return out
        if self.model.level[cls] <= PAIR:
            fronts.weighted(
                self.model, self.pos, self.neg, cls, rows, len(rows), self.tables, self.work, out
            )
            return out
        for i, (alpha, beta) in enumerate(self.multipliers):
            number = self.model.d.dtype.type
            model = self.model._replace(d=self.neg.d * number(beta) - self.pos.d * number(alpha))
            self.work.rows[: len(rows)] = rows
            d3.clear_bounds(self.work)
            cells = np.full(1, np.inf, model.d.dtype)
            d3.solve_set(model, cls, len(rows), cells, 0, self.stop, self.work)
            out[i] = 0 if self.watch() else cells[0]
        return out

    def _splits(self, cls: int, rows: Rows, out: Front):  # type: ignore[no-untyped-def]
        """Splits by one column with their weighted bounds, best first; the rest on demand."""
        model = self.model
        low, high = int(model.low[cls]), int(model.high[cls])
        h = 0 if low == high else 1
        children = (low, high)
        ways = range(1 if h == 0 or model.one_way[cls] else 2)
        into: dict[tuple[int, int], npt.NDArray] = {}
        left: dict[tuple[int, int], npt.NDArray] = {}
        singles = []
        groups = [int(k) for k in model.groups[model.groups_at[cls] : model.groups_at[cls + 1]]]
        for k in groups:
            for v in range(int(model.start[k]), int(model.start[k + 1])):
                if self.watch():
                    break
                members = inside(self.encoding, Choice(k, False, (v,)), rows)
                for x in range(h + 1):
                    into[x, v] = self._bounds(children[x], rows[members])
                    left[x, v] = self._bounds(children[x], rows[~members])
                for way in ways:
                    bound = into[way, v] + left[h - way, v]
                    singles.append((bound, Choice(k, bool(way), (v,))))
        singles.sort(key=lambda item: float(item[0][0]))

        def others() -> Iterator[tuple[npt.NDArray, Choice]]:
            for k in groups:
                if model.kind[k] == CHAIN or model.arity[k] < 2:
                    continue
                if model.arity[k] == 2:
                    yield from self._pairs(cls, k, into, left)
                else:
                    yield from self._subsets(cls, k, rows, into, out)

        return singles, others

    def _pairs(self, cls, k, into, left):  # type: ignore[no-untyped-def]
        model = self.model
        s, e = int(model.start[k]), int(model.start[k + 1])
        h = 0 if model.low[cls] == model.high[cls] else 1
        for way in range(h + 1):
            x, y = way, h - way
            total = sum(into[y, v] for v in range(s, e))
            for u in range(s, e):
                for v in range(u + 1, e):
                    bound = into[x, u] + into[x, v] + (total - into[y, u] - into[y, v])
                    yield bound, Choice(k, bool(way), (u, v))

    def _subsets(self, cls, k, rows, into, out):  # type: ignore[no-untyped-def]
        """All allowed subsets, depth first, skipping what the bounds exclude."""
        model = self.model
        s, e = int(model.start[k]), int(model.start[k + 1])
        h = 0 if model.low[cls] == model.high[cls] else 1
        children = (int(model.low[cls]), int(model.high[cls]))
        count = np.bincount(model.local[k, rows], minlength=e - s)
        values = sorted((v for v in range(s, e) if count[v - s]), key=lambda v: -count[v - s])
        n, arity = len(values), int(model.arity[k])
        zero = np.zeros(len(self.multipliers), model.d.dtype)
        rest = [zero]
        for v in reversed(values):
            rest.append(rest[-1] + np.minimum(into[0, v], into[h, v]))
        rest.reverse()

        def visit(i, sides, costs):  # type: ignore[no-untyped-def]
            bound = costs[0] + costs[1] + rest[i]
            if self.watch() or not fronts.worth(self.tables, bound, out):
                return
            if i == n:
                one_sided = not sides[0] or not sides[1]
                if not (one_sided and n == e - s and not model.empty_ok[cls]):
                    yield bound, self._subset_choice(k, sides)
                return
            for to in (0,) if i == 0 and h == 0 else (0, 1):
                grown = list(sides)
                grown[to] = (*sides[to], values[i])
                if min(len(grown[0]), len(grown[1])) > arity:
                    continue
                members = inside(self.encoding, Choice(k, False, grown[to]), rows)
                new = list(costs)
                new[to] = self._bounds(children[to if h else 0], rows[members])
                yield from visit(i + 1, grown, new)

        if n:
            yield from visit(0, [(), ()], [zero, zero])

    def _subset_choice(self, k: int, sides: list[tuple[int, ...]]) -> Choice:
        stated = 0 if len(sides[0]) <= len(sides[1]) else 1
        return Choice(k, bool(stated), sides[stated] or self._unused(k, sides))

    def _unused(self, k: int, sides: list[tuple[int, ...]]) -> tuple[int, ...]:
        """A value without rows, to stand for an empty side."""
        used = set(sides[0]) | set(sides[1])
        values = range(int(self.model.start[k]), int(self.model.start[k + 1]))
        return tuple(v for v in values if v not in used)[:1]

    def _try(  # type: ignore[no-untyped-def]
        self, cls, choice: Choice, rows: Rows, out: Front, steps, bound
    ) -> None:
        """Combine the fronts of a split's children into `out`, if its bounds allow."""
        if bound is not None and not fronts.worth(self.tables, bound, out):
            return
        children = (int(self.model.low[cls]), int(self.model.high[cls]))
        members = inside(self.encoding, choice, rows)
        first, second = (1, 0) if choice.to_high else (0, 1)
        a, b = rows[members], rows[~members]
        bounds_b = self._bounds(children[second], b)
        bounds_a = self._bounds(children[first], a)
        if not fronts.worth(self.tables, bounds_a + bounds_b, out):
            return
        size = fronts.reach(out)
        wanted = np.empty_like(out)
        fronts.needed(out, self._floor(bounds_b), wanted)
        front_a, steps_a = self.front(children[first], a, wanted)
        if self.watch():
            return
        wanted = np.empty_like(out)
        fronts.needed(out, front_a, wanted)
        front_b, steps_b = self.front(children[second], b, wanted)
        if self.watch():
            return
        note = np.zeros((fronts.NOTE, len(out)), np.int64)
        if fronts.combine(front_a[:size], front_b[:size], out, note, 1, np.zeros(0, np.int64)):
            for budget in np.flatnonzero(note[0]):
                _, i, inner, outer = (int(x) for x in note[:, budget])
                steps[int(budget)] = Step(choice, i, inner, outer, steps_a, steps_b)
                if self.tighten is not None and cls == self.encoding.classes[0]:
                    self.tighten(out, int(budget))

    def _floor(self, bounds: npt.NDArray) -> Front:
        """Lower bound of a front from weighted bounds."""
        b = np.arange(self.budget + 1)
        floor = np.zeros(self.budget + 1, np.int64)
        for bound, (alpha, beta) in zip(bounds, self.multipliers, strict=True):
            np.maximum(floor, -((alpha * b - int(bound)) // beta), out=floor)
        return floor

    # ------------------------------------------------------------ trees

    def tree(self, fn: int, fp: int, steps: Steps) -> Assignment:
        """The tree with at most so many false negatives and positives that a search has found.

        Parameters
        ----------
        fn, fp : int
            A point of the front.
        steps : Steps
            What the search returned with it.
        """
        return FrontPlanter(self.problem, self.encoding, self.work, search=self).plant_point(
            fn, fp, steps
        )


@dataclass
class FrontPlanter(Planter):
    """Builds a tree that reaches a point of the frontier."""

    search: FrontSearch | None = None

    def plant_point(self, fn: int, fp: int, steps: Steps) -> Assignment:
        """The tree; the steps of all its splits of two and more levels are known."""
        assert self.search is not None
        self._descend(0, self.search.rows, fn, fp, steps)
        topology = self.problem.topology
        return Assignment(
            tuple(self.splits[node] for node in range(topology.n_nodes)),
            tuple(self.labels[leaf] for leaf in range(topology.n_leaves)),
        )

    def _descend(self, child: int, rows: Rows, fn: int, fp: int, steps: Steps | None) -> None:
        model, search = self.encoding.model, self.search
        assert search is not None
        if child < 0:
            tp = int(search.pos.d[rows].astype(np.float64).sum())
            self.labels[-1 - child] = tp > fn
            return
        cls = self.encoding.classes[child]
        if model.level[cls] < PAIR:
            self._reach_stump(child, cls, rows, fn, fp)
            return
        step = None if steps is None else steps.get(fn)
        assert step is not None, "a point of a front without a step"
        choice = step.choice
        members = inside(self.encoding, choice, rows)
        left, right = self.problem.topology.children(child)
        low, high = int(model.low[cls]), int(model.high[cls])
        left_is_high = low != high and self._class_of(left) == high and not model.one_way[cls]
        members_left = choice.to_high == left_is_high
        self.splits[child] = self.split(child, choice, members_left)
        inner, outer = (left, right) if members_left else (right, left)
        self._descend(inner, rows[members], step.budget, step.inner, step.members)
        self._descend(outer, rows[~members], fn - step.budget, step.outer, step.others)

    def _reach_stump(self, node: int, cls: int, rows: Rows, fn: int, fp: int) -> None:
        left, right = self.problem.topology.children(node)
        search = self.search
        assert search is not None
        if self.problem.rules.at(node).split is not None:
            self._reach_fixed(node, cls, rows, fn, fp)
            return
        choice, positive = stump_for(search, cls, rows, fn, fp)
        self.splits[node] = self.split(node, choice, not positive)
        self.labels[-1 - left], self.labels[-1 - right] = False, True

    def _reach_fixed(self, node: int, cls: int, rows: Rows, fn: int, fp: int) -> None:
        search, model = self.search, self.encoding.model
        assert search is not None
        left, right = self.problem.topology.children(node)
        column = int(model.start[model.groups[model.groups_at[cls]]])
        choice = Choice(int(model.groups[model.groups_at[cls]]), False, (column,))
        members = inside(self.encoding, choice, rows)
        self.splits[node] = self.split(node, choice, True)
        pos, neg = search.pos.d[rows].astype(float), search.neg.d[rows].astype(float)
        for a in (False, True):
            for b in (False, True):
                said = np.where(members, a, b)
                if pos[~said].sum() <= fn and neg[said].sum() <= fp:
                    self.labels[-1 - left], self.labels[-1 - right] = a, b
                    return
        raise AssertionError("a fixed split does not reach its point")


def stump_for(search: FrontSearch, cls: int, rows: Rows, fn: int, fp: int) -> tuple[Choice, bool]:
    """A leaf-adjacent split with at most so many false negatives and positives.

    Returns the choice and whether its members are called positive.
    """
    model = search.model
    pos = search.pos.d[rows].astype(np.int64)
    neg = search.neg.d[rows].astype(np.int64)
    tp, tn = int(pos.sum()), int(neg.sum())
    if model.empty_ok[cls]:
        if tp <= fn:
            return Choice(-1, False, ()), True
        if tn <= fp:
            return Choice(-1, False, ()), False
    for at in range(int(model.groups_at[cls]), int(model.groups_at[cls + 1])):
        k = int(model.groups[at])
        s, e = int(model.start[k]), int(model.start[k + 1])
        p = np.bincount(model.local[k, rows], weights=pos, minlength=e - s + 1)[: e - s]
        q = np.bincount(model.local[k, rows], weights=neg, minlength=e - s + 1)[: e - s]
        if model.kind[k] == CHAIN:
            p, q = np.cumsum(p), np.cumsum(q)
        found = _stump_in_group(model, k, p.astype(np.int64), q.astype(np.int64), tp, tn, fn, fp)
        if found is not None:
            members, positive = found
            return Choice(k, False, tuple(s + v for v in members)), positive
    raise AssertionError("a leaf-adjacent split does not reach its point")


def _stump_in_group(model, k, p, q, tp, tn, fn, fp):  # type: ignore[no-untyped-def]
    """Members and whether they are called positive, or None."""
    n = len(p)
    most = n - 1 if model.kind[k] == FULL else int(model.arity[k])
    if model.kind[k] == CHAIN:
        most = 1
    for positive in (True, False):
        # (members so far) -> Pareto list of (weight inside, other weight inside)
        gain, cost = (p, q) if positive else (q, p)
        total, limit_cost = (tp, fp) if positive else (tn, fn)
        need = total - (fn if positive else fp)
        states: dict[tuple[int, int], tuple[int, ...]] = {(0, 0): ()}
        for v in range(n):
            if model.kind[k] == CHAIN:
                if gain[v] >= need and cost[v] <= limit_cost:
                    return (v,), positive
                continue
            for (count, saved), members in list(states.items()):
                if count < most:
                    key = (count + 1, saved + int(gain[v]))
                    spent = sum(int(cost[u]) for u in members) + int(cost[v])
                    old = states.get(key)
                    if spent <= limit_cost and (
                        old is None or sum(int(cost[u]) for u in old) > spent
                    ):
                        states[key] = (*members, v)
        for (count, saved), members in states.items():
            if count and saved >= need:
                return members, positive
        if model.kind[k] == FULL:
            return None
    return None
