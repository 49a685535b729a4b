"""Fronts: for a set of rows, every undominated pair of false negatives and false positives.

From the root down, splits are skipped that weighted lower bounds exclude: where a tree costs at
least LB = min(alpha FN + beta FP), it reaches no point with alpha FN + beta FP < LB. What is wanted
of a front is a staircase of points (see front_kernels.py); a tree must get below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from odt_core.problem import Problem
from odt_core.solvers.exact import loader
from odt_core.solvers.exact.choices import Choice
from odt_core.solvers.exact.columns import ANY, PAIR, STUMP, Encoding, encode_fronts, runs_of
from odt_core.solvers.exact.front_lists import Front
from odt_core.solvers.exact.front_nodes import DeepNode, PairNode
from odt_core.solvers.exact.masks import Masks, unpack
from odt_core.solvers.exact.search import Search, Stopped

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
MULTIPLIERS = ((1, 1), (1, 2), (2, 1), (1, 4), (4, 1), (1, 10), (10, 1))
LEAF, MUST, MAY, FIXED = 0, 1, 2, 3
MOST_IN_TABLE = 1_200
"""Up to so many columns, all pairs of them are counted; else a batch of columns at a time."""

BATCH = 64
STEPS = 64
"""Steps of the staircase that stands for a lower bound."""


class FrontSearch:
    """Fronts of the classes of one problem.

    Parameters
    ----------
    problem : Problem
        Its floors and objective are not looked at here.
    multipliers : tuple of (int, int)
        What a false negative and a false positive cost in the weighted bounds.
    halt : int64[1]
        Set to end the search; `Stopped` is raised then.
    tighten : callable, optional
        Told of the root's front whenever it became better; may put limits in.
    """

    def __init__(
        self,
        problem: Problem,
        multipliers: tuple[tuple[int, int], ...] = MULTIPLIERS,
        halt: Whole | None = None,
        tighten: Callable[[Front], None] | None = None,
    ) -> None:
        self.problem = problem
        self.encoding: Encoding = encode_fronts(problem)
        self.table = table = self.encoding.table
        self.halt = np.zeros(1, np.int64) if halt is None else halt
        self.tighten = tighten or (lambda front: None)
        self.alpha, self.beta = np.array(multipliers, np.float64).T.copy()
        self.positive, self.negative = self.encoding.positive, self.encoding.negative
        free = replace(self.encoding, smallest=0)  # bounds without the smallest leaf are bounds
        self.searches = [Search(free.with_costs(a, b), halt=self.halt) for a, b in multipliers]
        self.base = np.minimum(
            self.alpha * self.positive[:, None], self.beta * self.negative[:, None]
        )
        self.leaf = leaf_rule(self.encoding)
        self.runs = [_runs(table, c) for c in range(len(table.level))]
        self.mode = [_mode(table, c) for c in range(len(table.level))]
        self.pairs = [_pairs(table, c) for c in range(len(table.level))]
        self.pending: Callable[[], list[Floats]] = lambda: [np.zeros(len(self.alpha))]

    # ------------------------------------------------------------ fronts

    def front(self, cls: int, mask: Masks, wanted: Floats, guide: Floats) -> Front:
        """The front of a class on some rows wherever it is below `wanted`.

        `guide`, float64[L], tells how low the weighted costs get; it decides what is tried first.
        """
        front = Front(wanted)
        self.fill(front, cls, mask, guide)
        return front

    def fill(self, front: Front, cls: int, mask: Masks, guide: Floats) -> None:
        """Put what a class reaches on some rows into a front."""
        self.check()
        level = int(self.table.level[cls])
        if level <= STUMP:
            self._fill_shallow(front, cls, mask)
        elif level == PAIR:
            PairNode(self, cls, mask, front).solve()
        else:
            DeepNode(self, cls, mask, front, guide).solve()

    def check(self) -> None:
        """Raise `Stopped` if the search is to end."""
        if self.halt[0]:
            raise Stopped

    def _fill_shallow(self, front: Front, cls: int, mask: Masks) -> None:
        P, N, PT, NT = self.sums(mask[None])
        box = np.array([front.points[0, -1], front.points[1, 0]]) - 1
        out, n = loader.primitives().stump_front(
            P[0], N[0], PT[0], NT[0], self.runs[cls], self.mode[cls], self.leaf, box,
            np.empty((2, 64)),
        )  # fmt: skip
        front.merge(np.ascontiguousarray(out[:, :n]), front.add(1, _no_split))

    def sums(self, masks: Masks) -> tuple[Floats, Floats, Floats, Floats]:
        """Positive and negative weight of row sets in each column, and altogether."""
        n, v = len(masks), len(self.table.group)
        found = (np.empty((n, v)), np.empty((n, v)), np.empty(n), np.empty(n))
        loader.primitives().column_sums(
            self.table, np.ascontiguousarray(masks), self.positive, self.negative, *found
        )
        return found

    def shallow_bounds(self, cls: int, sums: tuple[Floats, ...]) -> Floats:
        """float64[B, L]: weighted bounds of a class of at most one level."""
        out = np.empty((len(sums[0]), len(self.alpha)))
        loader.primitives().stump_bounds(
            *sums, self.alpha, self.beta, self.runs[cls], self.mode[cls], out
        )
        return out

    def open_step(self, bounds: Floats, wanted: Floats) -> Whole:
        """For each split the first step of the staircase that its bounds leave open, or -1."""
        found = np.empty(len(bounds), np.int64)
        loader.primitives().first_open(
            np.ascontiguousarray(bounds), self.alpha, self.beta, wanted, found
        )
        return found

    def bounds_on(self, i: int, cls: int, masks: Masks, limits: Floats) -> Floats:
        """Weighted bounds of a class on row sets, for one multiplier; optima below the limits."""
        base = unpack(masks, len(self.base)) @ self.base[:, i]
        answer = self.searches[i].solve(cls, masks, limits - base, [-1] * len(masks))
        return np.asarray(answer.cost + base)

    def column_masks(self, columns: Whole) -> Masks:
        """The rows in columns, ``uint64[n, W]``."""
        return np.asarray(self.table.bits[columns])


def _no_split(_: int) -> Choice:
    raise AssertionError("a leaf-adjacent split is found again from the rows")


def leaf_rule(encoding: Encoding) -> Floats:
    """What a leaf with rows must hold: ``leaf[0] p + leaf[1] q >= leaf[2]`` (no rule: zeros)."""
    if not encoding.smallest:
        return np.zeros(3)
    size, p, q = encoding.size, encoding.positive, encoding.negative
    by = [x for x in ((1, 1), (1, 0), (0, 1)) if (size == x[0] * p + x[1] * q).all()]
    return np.array([*by[0], encoding.smallest], np.float64)


def _runs(table, cls: int) -> Whole:  # type: ignore[no-untyped-def]
    """The runs of columns of a class for the primitives."""
    runs = [
        (0 if take == ANY and arity > 2 else arity, s, e)
        for take, s, e, arity in runs_of(table, cls)
    ]
    return np.array(runs, np.int64).reshape(-1, 3)


def _mode(table, cls: int) -> int:  # type: ignore[no-untyped-def]
    if table.level[cls] == 0:
        return LEAF
    if table.one_way[cls]:
        return FIXED
    return MAY if table.empty_ok[cls] else MUST


def _pairs(table, cls: int) -> Whole:  # type: ignore[no-untyped-def]
    """int64[C, 2]: the pairs of columns that a class's root may send one way."""
    pairs = [np.empty((0, 2), np.int64)]
    for take, s, e, arity in runs_of(table, cls):
        if arity == 2:
            pairs.append(np.stack(np.triu_indices(e - s, 1), axis=1) + s)
    return np.concatenate(pairs)
