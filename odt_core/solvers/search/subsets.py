"""Splits of a set by larger subsets of its columns (no cap, or a cap of three and more).

A walk sends the columns with rows to the low or high child one after the other, heaviest first. A
node of the walk costs at least what its two sides cost, plus the smaller cost of each undecided
column. The walk takes nodes in batches, the deepest first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.choices import Choice
from odt_core.solvers.search.columns import Columns, Flags, Floats, Masks, Whole

BATCH = 64
"""Nodes whose children are solved together."""


@dataclass(frozen=True)
class Sides:
    """A set of q columns whose subsets are searched. A cost is a number, or L numbers in a row."""

    table: Columns
    cls: int  # the class whose root is split
    group: int
    weight: Floats  # [q]: weight of the rows in each column
    masks: Masks  # [q, W]: the rows in each column
    low: Floats  # [q, (L)], and `high`: bounds of the children on the rows in each column
    high: Floats


class Nodes(NamedTuple):
    """B nodes of the same depth.

    Attributes
    ----------
    masks : (uint64[B, W], uint64[B, W])
        The rows that go to the low and to the high child.
    cost : (float64[B, (L)], float64[B, (L)])
        The costs of the two children on these rows.
    is_high : bool[B, n]
        Which of the n columns with rows go to the high child, in the order of the walk.
    """

    masks: tuple[Masks, Masks]
    cost: tuple[Floats, Floats]
    is_high: Flags

    def pick(self, which: npt.NDArray) -> Nodes:
        """Some of the nodes, by number or by flag."""
        a, b = self.masks
        c, d = self.cost
        return Nodes((a[which], b[which]), (c[which], d[which]), self.is_high[which])


class Wanted(NamedTuple):
    """What a walk looks for.

    Attributes
    ----------
    is_open : callable
        ``is_open(costs)``: whether splits that cost at least so much may be wanted.
    raise_costs : callable
        ``raise_costs(x, masks, cost, others)``: what the low (x is 0) or high child (1) costs on
        row sets. It costs at least `cost`, and everything else at least `others`. A lower bound is
        enough if it closes the node.
    take : callable
        ``take(nodes, split_of)``: receives open complete splits, the most promising first.
        `split_of` gives the split of a node by its number.
    """

    is_open: Callable[[Floats], Flags]
    raise_costs: Callable[[int, Masks, Floats, Floats], Floats]
    take: Callable[[Nodes, Callable[[int], Choice]], None]


def walk(sides: Sides, wanted: Wanted) -> None:
    """Find the wanted splits of a set by a subset of its columns."""
    order = np.flatnonzero(sides.weight > 0)
    order = order[np.argsort(-sides.weight[order], kind="stable")]
    if len(order):  # without rows, splits by one column are enough
        _Walk(sides, wanted, order).run()


class _Walk:
    """A walk over the columns with rows, in a given order."""

    def __init__(self, sides: Sides, wanted: Wanted, order: Whole) -> None:
        table, n = sides.table, len(order)
        self.sides, self.wanted, self.order, self.n = sides, wanted, order, n
        self.symmetric = bool(table.low[sides.cls] == table.high[sides.cls])
        self.may_be_one_sided = bool(table.empty_ok[sides.cls]) or n < len(sides.weight)
        self.arity = int(table.arity[sides.group])
        least = np.minimum(sides.low, sides.high)[order]
        self.undecided = np.zeros((n + 1, *least.shape[1:]))
        self.undecided[:n] = least[::-1].cumsum(axis=0)[::-1]

    def _begin(self) -> Nodes:
        """The node of no column."""
        nothing = np.zeros_like(self.sides.masks[:1])
        zero = np.zeros_like(self.undecided[:1])
        return Nodes((nothing, nothing), (zero, zero), np.zeros((1, self.n), np.bool_))

    def run(self) -> None:
        """Walk, the deepest nodes first."""
        levels: list[list[Nodes]] = [[] for _ in range(self.n + 1)]
        levels[0] = [self._begin()]
        depth = 0
        while depth >= 0:
            if not levels[depth]:
                depth -= 1
                continue
            nodes = self._open(levels[depth].pop(), depth)
            if not len(nodes.is_high):
                continue
            if depth == self.n:
                self.wanted.take(nodes, partial(self._split, nodes))
                continue
            if len(nodes.is_high) > BATCH:
                levels[depth].append(nodes.pick(np.arange(BATCH, len(nodes.is_high))))
                nodes = nodes.pick(np.arange(BATCH))
            ways = (0,) if depth == 0 and self.symmetric else (0, 1)
            levels[depth + 1] += [self._send(nodes, way, depth) for way in ways]
            depth += 1

    def _open(self, nodes: Nodes, depth: int) -> Nodes:
        """The nodes that may lead to wanted splits, the most promising first."""
        least = nodes.cost[0] + nodes.cost[1] + self.undecided[depth]
        at = np.flatnonzero(self.wanted.is_open(least))
        rank = least[at] if least.ndim == 1 else least[at].sum(axis=1)
        return nodes.pick(at[np.argsort(rank, kind="stable")])

    def _send(self, nodes: Nodes, way: int, depth: int) -> Nodes:
        """The nodes after the next column is sent to the low (0) or high (1) child."""
        column, undecided = self.order[depth], self.undecided[depth + 1]
        is_high = nodes.is_high.copy()
        is_high[:, depth] = bool(way)
        high = is_high[:, : depth + 1].sum(axis=1)
        low = depth + 1 - high
        keep = (low <= self.arity) | (high <= self.arity)
        if depth + 1 == self.n and not self.may_be_one_sided:
            keep &= (low > 0) & (high > 0)
        masks, cost = list(nodes.masks), list(nodes.cost)
        cost[way] = cost[way] + (self.sides.high if way else self.sides.low)[column]
        keep &= self.wanted.is_open(cost[0] + cost[1] + undecided)
        masks[way] = masks[way] | self.sides.masks[column]
        sent = Nodes((masks[0], masks[1]), (cost[0], cost[1]), is_high).pick(keep)
        if len(sent.is_high):
            own, other = sent.cost[way], sent.cost[1 - way]
            raised = self.wanted.raise_costs(way, sent.masks[way], own, other + undecided)
            own[:] = np.maximum(own, raised)
        return sent

    def _split(self, nodes: Nodes, i: int) -> Choice:
        """The split of a node. It names the smaller side."""
        is_high = nodes.is_high[i]
        to_high = bool(is_high.sum() * 2 < len(is_high))
        stated = self.order[is_high if to_high else ~is_high]
        if not len(stated):  # a column without rows stands for the empty side
            idle = np.setdiff1d(np.arange(len(self.sides.weight)), self.order)
            stated = idle[:1]
        start = int(self.sides.table.start[self.sides.group])
        return Choice(self.sides.group, to_high, tuple(int(start + v) for v in sorted(stated)))
