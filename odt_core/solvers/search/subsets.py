"""Splits of a set by larger subsets of its columns (no cap, or a cap of three and more).

A walk sends the columns with rows to the low or high child one after the other, heaviest first. A
node of the walk costs at least what its two sides cost, plus the smaller cost of each undecided
column. The walk goes depth first, low before high, and takes neighbouring nodes together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from odt_core.solvers.search.columns import Columns
from odt_core.solvers.search.row_sets import Flags, Floats, Masks, Whole
from odt_core.solvers.search.subtrees import Subtree

BATCH = 64
"""Nodes whose children are solved together."""


@dataclass(frozen=True)
class Sides:
    """A set of q columns whose subsets are searched. A cost is a number, or L numbers in a row."""

    table: Columns
    family: int  # the family whose root is split
    group: int  # the set
    weight: Floats  # [q]: weight of the rows in each column
    masks: Masks  # [q, W]: the rows in each column
    low: Floats  # [q, (L)], and `high`: bounds of the children on the rows in each column
    high: Floats


class Nodes(NamedTuple):
    """B nodes of the same depth n."""

    masks: Masks  # [2, B, W]: the rows that go to the low and to the high child
    cost: Floats  # [2, B, (L)]: the costs of the two children on these rows
    is_high: Flags  # [B, n]: which columns with rows go to the high child, in the walk's order

    def pick(self, which: npt.NDArray) -> Nodes:
        """Some of the nodes, by number or by flag."""
        return Nodes(self.masks[:, which], self.cost[:, which], self.is_high[which])


class Wanted(NamedTuple):
    """What a walk looks for."""

    # ``is_open(costs)``: whether a split that costs at least this may be wanted
    is_open: Callable[[Floats], Flags]
    # ``raise_costs(x, masks, cost, others)``: the costs of the low (x = 0) or high child (1) on
    # row sets. They are at least `cost`; the rest of the split costs at least `others`. A lower
    # bound is enough if it closes the node.
    raise_costs: Callable[[int, Masks, Floats, Floats], Floats]
    # ``take(nodes, split_of)``: receives open complete splits; `split_of` gives the split of a node
    # by its number
    take: Callable[[Nodes, Callable[[int], Subtree]], None]


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
        self.symmetric = bool(table.low[sides.family] == table.high[sides.family])
        self.may_be_one_sided = bool(table.empty_ok[sides.family]) or n < len(sides.weight)
        self.arity = int(table.arity[sides.group])
        least = np.minimum(sides.low, sides.high)[order]
        self.undecided = np.zeros((n + 1, *least.shape[1:]))
        self.undecided[:n] = least[::-1].cumsum(axis=0)[::-1]

    def run(self) -> None:
        """Walk depth first. An entry of the stack holds nodes of one depth, in the walk's order."""
        nothing = np.zeros((2, 1, self.sides.masks.shape[1]), np.uint64)
        zero = np.zeros((2, 1, *self.undecided.shape[1:]))
        stack = [(0, Nodes(nothing, zero, np.zeros((1, self.n), np.bool_)))]
        while stack:
            depth, nodes = stack.pop()
            nodes = nodes.pick(self._is_open(nodes, depth))
            if depth == self.n:
                self.wanted.take(nodes, partial(self._split, nodes))
                continue
            if len(nodes.is_high) > BATCH:
                stack.append((depth, nodes.pick(np.arange(BATCH, len(nodes.is_high)))))
                nodes = nodes.pick(np.arange(BATCH))
            if len(nodes.is_high):
                stack.append((depth + 1, self._children(nodes, depth)))

    def _is_open(self, nodes: Nodes, depth: int) -> Flags:
        """Which of the nodes may lead to wanted splits."""
        return self.wanted.is_open(nodes.cost[0] + nodes.cost[1] + self.undecided[depth])

    def _children(self, nodes: Nodes, depth: int) -> Nodes:
        """The open nodes that follow if the next column goes to the low or to the high child."""
        column, n = self.order[depth], len(nodes.is_high)
        ways = 1 if depth == 0 and self.symmetric else 2
        way, every = np.tile(np.arange(ways), n), np.arange(n * ways)
        nodes = nodes.pick(every // ways)
        nodes.is_high[:, depth] = way == 1
        nodes.masks[way, every] |= self.sides.masks[column]
        nodes.cost[way, every] += np.stack([self.sides.low[column], self.sides.high[column]])[way]
        high = nodes.is_high.sum(axis=1)
        keep = np.minimum(high, depth + 1 - high) <= self.arity
        if depth + 1 == self.n and not self.may_be_one_sided:
            keep &= (high > 0) & (high < self.n)
        keep &= self._is_open(nodes, depth + 1)
        nodes, way = nodes.pick(keep), way[keep]
        for side in range(ways):
            at = np.flatnonzero(way == side)
            if len(at):
                own, other = nodes.cost[side, at], nodes.cost[1 - side, at]
                rest = other + self.undecided[depth + 1]
                raised = self.wanted.raise_costs(side, nodes.masks[side, at], own, rest)
                nodes.cost[side, at] = np.maximum(own, raised)
        return nodes

    def _split(self, nodes: Nodes, i: int) -> Subtree:
        """The split of a node. It names the smaller side."""
        is_high = nodes.is_high[i]
        to_high = bool(is_high.sum() * 2 < len(is_high))
        stated = self.order[is_high if to_high else ~is_high]
        if not len(stated):  # a column without rows stands for the empty side
            idle = np.setdiff1d(np.arange(len(self.sides.weight)), self.order)
            stated = idle[:1]
        start = int(self.sides.table.start[self.sides.group])
        return Subtree(self.sides.group, to_high, tuple(int(start + v) for v in sorted(stated)))
