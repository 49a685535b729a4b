"""Lower bounds of subtrees on row sets, which exclude questions.

A bound leaves out the conditions that depend on the rows (the smallest leaf, branches that may not
be empty, floors). So it is the least cost of a fixed set of classifiers: it never falls when rows
are added, and on disjoint sets of rows bounds add up (docs/search.md, 1 and 2).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from odt_core.alternatives.costs import Costs
from odt_core.alternatives.ends import SearchEndedError
from odt_core.alternatives.questions import Flags, Floats, Questions, Whole
from odt_core.alternatives.shape_nodes import ShapeNode
from odt_core.problem import EncodedData, NodeRule, Objective, Problem, Rules
from odt_core.solvers.search import solve_search
from odt_core.topology import Topology

NUMBERS_AT_ONCE = 4_000_000
"""Numbers that a table of pairs of questions keeps in memory at a time."""
SETS_AT_ONCE = 16
"""Questions about sets that are bounded in one round."""


@dataclass(frozen=True)
class Survivor:
    """A question that may keep the limits.

    Attributes
    ----------
    place : int
        Its place among the node's questions.
    is_swapped : bool
        Whether the rows that answer yes go right.
    left, right : float64[M]
        Lower bounds of both sides in each measure.
    """

    place: int
    is_swapped: bool
    left: Floats
    right: Floats


@dataclass(frozen=True, eq=False)
class _Sides:
    """Lower bounds of one child on both sides of each of a node's questions.

    Attributes
    ----------
    low : float64[2, M, A]
        On the rows that answer yes, and on the others.
    is_done : bool[2, A]
        Whether that is the least cost itself.
    """

    low: Floats
    is_done: Flags


class Bounds:
    """Lower bounds, kept by row set.

    Parameters
    ----------
    problem : Problem
        The problem.
    questions : Questions
        Its questions.
    costs : Costs
        Its costs.
    check : callable
        Called often. It raises `SearchEndedError` to end the search.
    """

    def __init__(
        self, problem: Problem, questions: Questions, costs: Costs, check: Callable[[], None]
    ) -> None:
        self.problem, self.questions, self.costs, self.check = problem, questions, costs, check
        self._least: dict[tuple[int, bytes], Floats] = {}

    # ------------------------------------------------------------ of one row set

    def least(self, node: ShapeNode | None, mask: Flags) -> Floats:
        """A lower bound of a subtree's cost on some rows, in each measure: float64[M]."""
        if node is None or node.level == 1:
            return self._shallow(node, mask)
        key = (id(node), np.packbits(mask).tobytes())
        found = self._least.get(key)
        if found is None:
            self.check()
            found = self._pairs(node, mask) if node.level == 2 else self._by_search(node, mask)
            self._least[key] = found
        return found

    def _shallow(self, node: ShapeNode | None, mask: Flags) -> Floats:
        d, negative = self.costs.d[:, mask], self.costs.negative[:, mask].sum(axis=1)
        low = np.minimum(0, d.sum(axis=1))
        if node is not None and len(node.asked):
            inside = d @ self.questions.inside[mask][:, node.asked]
            low = np.minimum(low, inside.min(axis=1))
            low = np.minimum(low, d.sum(axis=1) - inside.max(axis=1))
        return np.asarray(negative + low, np.float64)

    def _pairs(self, node: ShapeNode, mask: Flags) -> Floats:
        """The least cost of two levels: every question with the best of both sides."""
        found = [self.least(child, mask) for child in {node.left, node.right}]
        left = right = self._counted_sides(node, node.left, mask).low
        if not node.is_mirrored:
            right = self._counted_sides(node, node.right, mask).low
        if left.shape[-1]:
            found.append((left[0] + right[1]).min(axis=1))
            if not node.is_fixed:
                found.append((left[1] + right[0]).min(axis=1))
        return np.min(found, axis=0)

    def _by_search(self, node: ShapeNode, mask: Flags) -> Floats:
        """The bound of the exact search, which is the least cost if it was not ended early."""
        return np.array([self._searched(node, mask, int(a), int(b)) for a, b in self._measures()])

    def _measures(self) -> list[tuple[float, float]]:
        return list(zip(self.costs.alpha.tolist(), self.costs.beta.tolist(), strict=True))

    def _searched(self, node: ShapeNode, mask: Flags, alpha: int, beta: int) -> float:
        problem = self._part(node, mask, Fraction(beta, alpha))
        outcome = solve_search(problem, should_stop=self._is_over)
        self.check()
        gains = problem.gains
        return float((problem.perfect_total - outcome.bound) * (alpha // gains.gain_tp))

    def _is_over(self) -> bool:
        try:
            self.check()
        except SearchEndedError:
            return True
        return False

    def _part(self, node: ShapeNode, mask: Flags, class_weight: Fraction) -> Problem:
        """A subtree's problem on some rows, without what depends on the rows."""
        q, data, topology = self.questions, self.problem.data, self.problem.topology
        below = topology.descendants[node.node]
        rules = Rules(
            self.problem.rules.forbidden,
            tuple(
                (at, self.problem.rules.at(number))
                for at, number in enumerate(below)
                if self.problem.rules.at(number) != NodeRule()
            ),
        )
        rows = [mask & (q.positive > 0), mask & (q.negative > 0)]
        part = EncodedData(
            np.concatenate([q.codes[some] for some in rows]),
            np.repeat([True, False], [int(some.sum()) for some in rows]),
            np.concatenate([q.positive[rows[0]], q.negative[rows[1]]]),
            data.features,
        )
        return dataclasses.replace(
            self.problem,
            data=part,
            topology=Topology.parse(topology.shape(node.node)),
            objective=Objective(class_weight=class_weight),
            rules=rules,
            forbid_empty_branches=False,
            smallest_leaf=None,
        )

    # ------------------------------------------------------------ of both sides of questions

    def _counted_sides(self, node: ShapeNode, child: ShapeNode | None, mask: Flags) -> _Sides:
        """Bounds of a leaf, or of a node above two leaves, on both sides of every question."""
        q, n = self.questions, len(node.asked)
        low = np.empty((2, len(self.costs.alpha), n))
        parts = q.inside[mask][:, node.asked]
        asked = None if child is None or not len(child.asked) else q.inside[mask][:, child.asked]
        width = 1 if asked is None else asked.shape[1]
        size = max(1, NUMBERS_AT_ONCE // width)
        for m, (d, negative) in enumerate(
            zip(self.costs.d[:, mask], self.costs.negative[:, mask], strict=True)
        ):
            for first in range(0, n, size):
                self.check()
                some = slice(first, first + size)
                low[:, m, some] = _both_sides(parts[:, some], asked, d, negative)
        return _Sides(low, np.ones((2, n), np.bool_))

    def survivors(self, node: ShapeNode, mask: Flags, limits: Floats) -> list[Survivor]:
        """The questions that part some rows and whose bounds keep the limits, by rising bound."""
        left, right = self._children_sides(node, mask)
        inside = self.questions.inside[mask][:, node.asked]
        parts = inside.any(axis=0) & ~inside.all(axis=0)
        ways = (False,) if node.is_mirrored or node.is_fixed else (False, True)
        open_ = dict.fromkeys(ways, parts)
        while True:
            for way in ways:
                total = left.low[int(way)] + right.low[1 - int(way)]
                open_[way] = open_[way] & (total <= limits[:, None]).all(axis=0)
            unknown = {
                way: open_[way] & ~(left.is_done[int(way)] & right.is_done[1 - int(way)])
                for way in ways
            }
            if not any(each.any() for each in unknown.values()):
                break
            self._refine(node, mask, (left, right), unknown)
        found = [
            Survivor(place, way, left.low[int(way)][:, place], right.low[1 - int(way)][:, place])
            for way in ways
            for place in np.flatnonzero(open_[way]).tolist()
        ]
        return sorted(found, key=lambda each: float(each.left[0] + each.right[0]))

    def _children_sides(self, node: ShapeNode, mask: Flags) -> tuple[_Sides, _Sides]:
        found: dict[int, _Sides] = {}
        for child in (node.left, node.right):
            if id(child) in found:
                continue
            if child is None or child.level == 1:
                found[id(child)] = self._counted_sides(node, child, mask)
            else:
                n = len(node.asked)
                low = np.zeros((2, len(self.costs.alpha), n))
                found[id(child)] = _Sides(low, np.zeros((2, n), np.bool_))
        return found[id(node.left)], found[id(node.right)]

    def _refine(
        self,
        node: ShapeNode,
        mask: Flags,
        sides: tuple[_Sides, _Sides],
        unknown: dict[bool, Flags],
    ) -> None:
        """Solve some of the questions that are open, and carry their bounds on to others."""
        for way, open_ in unknown.items():
            for place in self._next(node, open_):
                yes = mask & (self.questions.inside[:, node.asked[place]] > 0)
                for child, of, no in (
                    (node.left, sides[0], int(way)),
                    (node.right, sides[1], 1 - int(way)),
                ):
                    if not of.is_done[no, place]:
                        of.low[no, :, place] = self.least(child, mask & ~yes if no else yes)
                        of.is_done[no, place] = True
        for of in {id(each): each for each in sides}.values():
            self._carry_on(node, of)

    def _next(self, node: ShapeNode, open_: Flags) -> list[int]:
        """The middle of each chain's open questions, and the smallest of each group's sets."""
        found: list[int] = []
        for some, is_chain in zip(node.slices(), node.chains, strict=True):
            places = some.start + np.flatnonzero(open_[some])
            if is_chain and len(places):
                found.append(int(places[len(places) // 2]))
            else:  # sets stand by rising size
                found += places[:SETS_AT_ONCE].tolist()
        return found

    def _carry_on(self, node: ShapeNode, sides: _Sides) -> None:
        """Raise bounds by those of smaller sets of rows, and by sums over disjoint ones."""
        for some, is_chain in zip(node.slices(), node.chains, strict=True):
            yes, no = sides.low[0][:, some], sides.low[1][:, some]
            if is_chain:
                np.maximum.accumulate(yes, axis=1, out=yes)
                no[:] = np.maximum.accumulate(no[:, ::-1], axis=1)[:, ::-1]
            elif not node.is_fixed:
                self._carry_sums(node.asked[some], yes, no)

    def _carry_sums(self, asked: Whole, yes: Floats, no: Floats) -> None:
        members = self.questions.members[:, asked]
        single = members.sum(axis=0) == 1
        if not single.any():
            return
        of_category = np.zeros((len(yes), len(members)))
        of_category[:, members[:, single].argmax(axis=0)] = yes[:, single]
        owned = self.questions.owned[:, asked]
        np.maximum(yes, of_category @ members, out=yes)
        np.maximum(no, of_category @ (owned - members), out=no)


def _both_sides(parts: Floats, asked: Floats | None, d: Floats, negative: Floats) -> Floats:
    """The least cost of a leaf, or of one question, on both sides of each of A questions.

    Parameters
    ----------
    parts : float[R, A]
        1 where a row answers yes.
    asked : float[R, B] or None
        The same of the questions below; None for a leaf.
    d, negative : float[R]
        What a row costs called positive rather than negative, and called negative.

    Returns
    -------
    float64[2, A]
    """
    total = d @ parts
    totals = np.stack([total, d.sum() - total])
    called = negative @ parts
    base = np.stack([called, negative.sum() - called])
    low = np.minimum(0, totals)
    if asked is not None:
        inside = (parts * d[:, None]).T @ asked
        outside = d @ asked - inside
        for side, table in enumerate((inside, outside)):
            low[side] = np.minimum(low[side], table.min(axis=1))
            low[side] = np.minimum(low[side], totals[side] - table.max(axis=1))
    return np.asarray(base + low, np.float64)
