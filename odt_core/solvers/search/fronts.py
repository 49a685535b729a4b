"""Fronts from the root down.

Weighted searches give the corners of the frontier and bounds; what lies between the corners is
found split by split (front1.py, front2.py), skipping what the weighted bounds exclude.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem
from odt_core.solution import Assignment
from odt_core.solvers.search import depth3 as d3
from odt_core.solvers.search import front1, front2, front_bounds, front_tables
from odt_core.solvers.search.driver import POLL_SECONDS, ShouldStop
from odt_core.solvers.search.linking import link, solve_set
from odt_core.solvers.search.plant import Choice, Planter, Rows, inside
from odt_core.solvers.search.stumps import stump_for
from odt_core.solvers.search.tables import CHAIN, PAIR, Model, encode_both

Front = npt.NDArray[np.int64]
Bounds = npt.NDArray[np.floating]
FAR = int(front_tables.FAR)
PIECE = 2**25
"""Pairs of budgets that are looked at before the search may be ended."""
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
            bits = front_tables.MASK_BITS
            members = tuple(
                first + bit
                for bit in range(int(self.model.start[k + 1]) - first)
                if int(note[front_tables.NOTE + bit // bits]) >> (bit % bits) & 1
            )
        return Step(Choice(k, bool(way), members), int(note[1]), int(note[2]), int(note[3]))


@dataclass(frozen=True, eq=False)
class Split:
    """A split with weighted lower bounds, one for each multiplier.

    Attributes
    ----------
    choice : Choice
        The split.
    lower, known : float[2, L], uint8[2, L]
        Bounds of the members and of the others, and whether they are optima.
    """

    choice: Choice
    lower: Bounds
    known: npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Node:
    """A set of rows that is to be split. L multipliers, V columns.

    Attributes
    ----------
    cls, rows
        The class and its rows.
    whole : Whole
        The rows' tables.
    children : tuple of int
        The classes of the low and the high child.
    h : int
        1 if these differ, else 0.
    into, left : float[2, V, L]
        Weighted optima of the low and the high child on the rows in a column and on the others.
    guide : float[L]
        The least weighted costs of splits by one column.
    """

    cls: int
    rows: Rows
    whole: front_tables.Whole
    children: tuple[int, int]
    h: int
    into: Bounds
    left: Bounds
    guide: Bounds

    def classes(self, choice: Choice) -> tuple[int, int]:
        """The classes of a split's members and of the others."""
        low, high = self.children
        return (high, low) if choice.to_high else (low, high)

    def least_of(self, k: int, model: Model) -> Bounds:
        """Bounds of every split of a set: each value costs at least its own best."""
        own = self.into[:, int(model.start[k]) : int(model.start[k + 1])]
        return np.asarray(np.minimum(own[0], own[self.h]).sum(axis=0))


def _pieces(front: Front) -> Iterator[Front]:
    """A front in pieces, the rest of each too far to count.

    To put two fronts together takes the square of their length, which heavy rows make long; a piece
    takes a few hundredths of a second.
    """
    length = max(PIECE // max(len(front), 1), 1)
    if length >= len(front):
        yield front
        return
    for start in range(0, len(front), length):
        piece = np.full_like(front, FAR)
        piece[start : start + length] = front[start : start + length]
        yield piece


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
    least : int64[B + 1]
        Where the search was ended: a lower bound of the root's front.
    """

    problem: Problem
    budget: int
    deadline: float = np.inf
    should_stop: ShouldStop | None = None
    multipliers: tuple[tuple[int, int], ...] = MULTIPLIERS
    cancelled: bool = False
    tighten: Tighten | None = None
    least: Front = field(init=False)
    memory_limit: float = np.inf
    stop: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))

    def __post_init__(self) -> None:
        largest = max(max(pair) for pair in self.multipliers)
        self.encoding, self.pos, self.neg = encode_both(self.problem, largest, largest)
        self.model: Model = self.encoding.model
        self.work = d3.make_work(self.model, self.stop, self.memory_limit / 2)
        link(self.model, self.work)
        self.tables = front_tables.make_tables(
            self.model,
            self.work,
            self.budget,
            [a for a, _ in self.multipliers],
            [b for _, b in self.multipliers],
        )
        self.rows = np.arange(len(self.model.d), dtype=np.int32)
        self.least = np.zeros(self.budget + 1, np.int64)

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
        tp, tn = front_bounds.scan_both(
            self.model, self.pos, self.neg, rows, len(rows), self.tables
        )
        out = np.zeros(self.budget + 1, np.int64)
        T = self.tables
        front1.shallow_front(self.model, cls, T.xp, T.xn, tp, tn, T, out)
        return out

    def _pair(self, cls: int, rows: Rows, wanted: Front) -> tuple[Front, Steps]:
        out = wanted.copy()
        note = np.zeros((front_tables.NOTE + len(self.tables.mask), len(out)), np.int64)
        front2.front2(
            self.model, self.pos, self.neg, cls, rows, len(rows), out, note, self.stop,
            self.tables, self.work,
        )  # fmt: skip
        return out, Notes(self.model, note)

    def _deep(self, cls: int, rows: Rows, wanted: Front) -> tuple[Front, Steps]:
        """Splits by one column, then by two, then by more; the most promising first."""
        node = self._node(cls, rows)
        out = wanted.copy()
        steps: dict[int, Step] = {}
        if self.model.empty_ok[cls]:
            for way in range(node.h + 1):
                self._try(node, self._unbounded(Choice(-1, bool(way), ())), out, steps)
        singles = self._singles(node)
        if self.watch():
            self._leave(node, [np.zeros_like(node.guide)], out)
            return out, steps
        larger = {k: node.least_of(k, self.model) for k in self._sets(cls)}
        if self._try_all(node, singles, list(larger.values()), out, steps):
            pairs = []
            for k in [k for k in larger if self.model.arity[k] == 2]:
                pairs += self._pairs(node, k, out)
                del larger[k]
            pairs.sort(key=lambda split: float(split.lower[:, 0].sum()))
            if self._try_all(node, pairs, list(larger.values()), out, steps):
                for k in list(larger):
                    for split in self._subsets(node, k, out):
                        self._try(node, split, out, steps)
                    if self.watch():
                        self._leave(node, list(larger.values()), out)
                        break
                    del larger[k]
        return out, steps

    def _node(self, cls: int, rows: Rows) -> Node:
        model, T = self.model, self.tables
        tp, tn = front_bounds.scan_both(model, self.pos, self.neg, rows, len(rows), T)
        whole = front_tables.Whole(
            T.fp.copy(), T.fn.copy(), T.xp.copy(), T.xn.copy(), np.array([tp, tn])
        )
        low, high = int(model.low[cls]), int(model.high[cls])
        v, n = int(model.size[0]), len(self.multipliers)
        return Node(
            cls=cls,
            rows=rows,
            whole=whole,
            children=(low, high),
            h=0 if low == high else 1,
            into=np.zeros((2, v, n), model.d.dtype),
            left=np.zeros((2, v, n), model.d.dtype),
            guide=np.full(n, np.inf, model.d.dtype),
        )

    def _groups(self, cls: int) -> list[int]:
        model = self.model
        return [int(k) for k in model.groups[model.groups_at[cls] : model.groups_at[cls + 1]]]

    def _sets(self, cls: int) -> list[int]:
        """Groups that can be split by more than one column at a time."""
        model = self.model
        return [k for k in self._groups(cls) if model.kind[k] != CHAIN and model.arity[k] > 1]

    def _try_all(
        self, node: Node, splits: list[Split], later: list[Bounds], out: Front, steps: dict
    ) -> bool:
        """Try splits in turn; false, with what is left open noted, if the search was ended."""
        for at, split in enumerate(splits):
            if not self.watch():
                self._try(node, split, out, steps)
            if self.watch():
                self._leave(node, [s.lower.sum(axis=0) for s in splits[at:]] + later, out)
                return False
        return True

    def _bounds(self, cls: int, rows: Rows) -> Bounds:
        """Weighted lower bounds of a class on some rows, one for each multiplier."""
        out = np.zeros(len(self.multipliers), self.model.d.dtype)
        if len(rows) == 0:
            return out
        if self.model.level[cls] <= PAIR:
            front_bounds.weighted(
                self.model, self.pos, self.neg, cls, rows, len(rows), self.tables, self.work, out
            )
            return out
        for i in range(len(self.multipliers)):
            out[i] = self._triple_bound(cls, rows, i)
        return out

    def _triple_bound(self, cls: int, rows: Rows, i: int) -> float:
        """The same for one multiplier and a class of three levels."""
        alpha, beta = self.multipliers[i]
        number = self.model.d.dtype.type
        model = self.model._replace(d=self.neg.d * number(beta) - self.pos.d * number(alpha))
        self.work.rows[: len(rows)] = rows
        d3.clear_bounds(self.work)
        cells = np.full(1, np.inf, model.d.dtype)
        solve_set(model, cls, len(rows), cells, 0, self.stop, self.work)
        return 0 if self.watch() else cells[0]

    def _singles(self, node: Node) -> list[Split]:
        """Splits by one column with their weighted optima, best first."""
        model = self.model
        known = np.ones((2, len(self.multipliers)), np.uint8)
        found = []
        for k in self._groups(node.cls):
            for v in range(int(model.start[k]), int(model.start[k + 1])):
                for way in range(node.h + 1):
                    if self.watch():  # what a kernel returned then is no bound
                        return []
                    choice = Choice(k, bool(way), (v,))
                    lower = self._both_bounds(node, choice)
                    node.into[way, v], node.left[node.h - way, v] = lower
                    if way == 0 or not model.one_way[node.cls]:
                        np.minimum(node.guide, lower.sum(axis=0), out=node.guide)
                        found.append(Split(choice, lower, known))
        found.sort(key=lambda split: float(split.lower[:, 0].sum()))
        return found

    def _sides(self, node: Node, choice: Choice) -> tuple[Rows, Rows]:
        """The split's members and the others."""
        members = inside(self.encoding, choice, node.rows)
        return node.rows[members], node.rows[~members]

    def _both_bounds(self, node: Node, choice: Choice) -> Bounds:
        """Weighted optima of a split's members and others."""
        a, b = self._sides(node, choice)
        inner, outer = node.classes(choice)
        lower = np.zeros((2, len(self.multipliers)), self.model.d.dtype)
        if max(self.model.level[inner], self.model.level[outer]) > PAIR:
            lower[0], lower[1] = self._bounds(inner, a), self._bounds(outer, b)
            return lower
        side = int(len(a) > len(b))
        rows = b if side else a
        front_bounds.exact_bounds(
            self.model, self.pos, self.neg, inner, outer, rows, len(rows), side, node.whole, lower,
            self.tables, self.work,
        )  # fmt: skip
        return lower

    def _survives(self, node: Node, split: Split, a: Rows, b: Rows, out: Front) -> bool:
        """Whether a split may improve the front, by bounds no sharper than that takes."""
        inner, outer = node.classes(split.choice)
        if max(self.model.level[inner], self.model.level[outer]) > PAIR:
            return self._triple_survives(node, split, (a, b), out)
        side = int(len(a) > len(b))
        rows = b if side else a
        return bool(
            front_bounds.survives(
                self.model, self.pos, self.neg, inner, outer, rows, len(rows), side, node.whole,
                node.guide, out, split.lower, split.known, self.tables, self.work,
            )
        )  # fmt: skip

    def _triple_survives(
        self, node: Node, split: Split, sides: tuple[Rows, Rows], out: Front
    ) -> bool:
        """`survives` where a child has three levels."""
        T, lower, known = self.tables, split.lower, split.known
        classes = node.classes(split.choice)
        b = front_bounds.still_open(T, lower, out, 0)
        while b >= 0:
            i = front_bounds.next_multiplier(T, node.guide, known, b)
            if i < 0 or self.watch():
                return True
            for at in sorted((0, 1), key=lambda at: -len(sides[at])):
                if not known[at, i]:
                    if self.model.level[classes[at]] <= PAIR:
                        lower[at], known[at] = self._bounds(classes[at], sides[at]), 1
                    else:
                        bound = self._triple_bound(classes[at], sides[at], i)
                        lower[at, i], known[at, i] = max(bound, lower[at, i]), 1
                    if front_bounds.still_open(T, lower, out, b) != b:
                        break
            b = front_bounds.still_open(T, lower, out, b)
        return False

    def _unbounded(self, choice: Choice) -> Split:
        shape = (2, len(self.multipliers))
        return Split(choice, np.zeros(shape, self.model.d.dtype), np.zeros(shape, np.uint8))

    def _pairs(self, node: Node, k: int, out: Front) -> list[Split]:
        """Splits by two columns of a set that the columns' own bounds do not exclude."""
        model = self.model
        s, e = int(model.start[k]), int(model.start[k + 1])
        u, v = np.triu_indices(e - s, 1)
        alpha = self.tables.alpha.astype(model.d.dtype)
        beta = self.tables.beta.astype(model.d.dtype)
        weight = np.outer(node.whole.xp[s:e], alpha) + np.outer(node.whole.xn[s:e], beta)
        found = []
        for way in range(node.h + 1):
            into, own = node.into[way, s:e], node.into[node.h - way, s:e]
            left = node.left[node.h - way, s:e]
            inner = into[u] + into[v]
            outer = own.sum(axis=0) - own[u] - own[v]
            np.maximum(outer, left[u] - weight[v] + own[v], out=outer)
            np.maximum(outer, left[v] - weight[u] + own[u], out=outer)
            open_ = np.zeros(len(u), np.bool_)
            front_bounds.worth_each(self.tables, inner + outer, out, open_)
            for at in np.flatnonzero(open_):
                choice = Choice(k, bool(way), (s + int(u[at]), s + int(v[at])))
                found.append(
                    replace(self._unbounded(choice), lower=np.stack([inner[at], outer[at]]))
                )
        return found

    def _subsets(self, node: Node, k: int, out: Front) -> Iterator[Split]:
        """All allowed subsets, depth first, skipping what the bounds exclude."""
        model, h, children, into, rows = self.model, node.h, node.children, node.into, node.rows
        s, e = int(model.start[k]), int(model.start[k + 1])
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
            if self.watch() or not front_bounds.worth(self.tables, bound, out):
                return
            if i == n:
                one_sided = not sides[0] or not sides[1]
                if not (one_sided and n == e - s and not model.empty_ok[node.cls]):
                    choice = self._subset_choice(k, sides)
                    lower = np.stack(costs[::-1] if choice.to_high else costs)
                    yield Split(choice, lower, np.ones(lower.shape, np.uint8))
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

    def _try(self, node: Node, split: Split, out: Front, steps: dict[int, Step]) -> None:
        """Combine the fronts of a split's children into `out`, if its bounds allow."""
        if not front_bounds.worth(self.tables, split.lower.sum(axis=0), out):
            return
        a, b = self._sides(node, split.choice)
        before = split.lower.copy()
        survives = self._survives(node, split, a, b, out)
        if self.watch():
            split.lower[:] = before  # what a kernel returns when it is ended is no bound
        if self.watch() or not survives:
            return
        inner, outer = node.classes(split.choice)
        size = front_tables.reach(out)
        wanted = np.empty_like(out)
        self._needed(out, self._floor(split.lower[1]), wanted)
        front_a, steps_a = self.front(inner, a, wanted)
        if self.watch():
            return
        wanted = np.empty_like(out)
        self._needed(out, front_a, wanted)
        front_b, steps_b = self.front(outer, b, wanted)
        if self.watch():
            return
        note = np.zeros((front_tables.NOTE, len(out)), np.int64)
        if self._combine(front_a[:size], front_b[:size], out, note):
            for budget in np.flatnonzero(note[0]):
                _, i, fp_a, fp_b = (int(x) for x in note[:, budget])
                steps[int(budget)] = Step(split.choice, i, fp_a, fp_b, steps_a, steps_b)
                if self.tighten is not None and node.cls == self.encoding.classes[0]:
                    self.tighten(out, int(budget))

    def _needed(self, out: Front, floor: Front, wanted: Front) -> None:
        """`front_tables.needed`, in parts between which the search may be ended."""
        wanted[:] = -FAR
        part = np.empty_like(wanted)
        for piece in _pieces(floor):
            if self.watch():
                return
            front_tables.needed(out, piece, part)
            np.maximum(wanted, part, out=wanted)

    def _combine(self, left: Front, right: Front, out: Front, note: Front) -> bool:
        """`front_tables.combine`, in parts between which the search may be ended."""
        improved = False
        for piece in _pieces(left):
            if self.watch():
                break  # what was found so far holds
            improved |= front_tables.combine(piece, right, out, note, 1, np.zeros(0, np.int64))
        return improved

    def _leave(self, node: Node, pending: list[Bounds], out: Front) -> None:
        """Note what is proved of the root's front though some splits were not tried."""
        if node.cls != self.encoding.classes[0]:
            return
        self.least = out.copy()
        for bounds in pending:
            np.minimum(self.least, self._floor(bounds), out=self.least)

    def _floor(self, bounds: Bounds) -> Front:
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
        pos, neg = (model.d[rows].astype(np.int64) for model in (search.pos, search.neg))
        choice, positive = stump_for(search.model, pos, neg, cls, rows, fn, fp)
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
