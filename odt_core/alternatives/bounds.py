"""Lower bounds of subtrees on row sets. They exclude questions.

A bound ignores the conditions that depend on the rows: the smallest leaf, empty branches, floors.
So it is the least cost of a fixed set of classifiers. It never falls if rows are added. The bounds
of disjoint row sets can be added to a bound of their union (docs/search.md, 1 and 2).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from odt_core.alternatives.category_sets import least_of_sets
from odt_core.alternatives.costs import Costs
from odt_core.alternatives.ends import TooManyError
from odt_core.alternatives.questions import Flags, Floats, Questions, Whole, most_named
from odt_core.alternatives.set_pairs import LEAF_OF_STUMPS, CostTable, Stumps, best_sets
from odt_core.alternatives.shape_nodes import ShapeNode
from odt_core.problem import Problem, Split
from odt_core.solvers.search.columns import Encoding, encode_fronts, groups_of
from odt_core.solvers.search.row_sets import Floats as Numbers
from odt_core.solvers.search.row_sets import Masks, count, pack, unpack
from odt_core.solvers.search.search import Search
from odt_core.solvers.search.subsets import Nodes, Sides, Wanted, walk
from odt_core.solvers.search.subtrees import Subtree

NUMBERS_AT_ONCE = 4_000_000
"""The most numbers in a table of pairs of questions at a time."""
SETS_AT_ONCE = 16
"""Number of questions about sets that get bounds in one round."""
FEW_CATEGORIES = 8
"""With at most so many categories, all sets are tried. With more, only the best sets above two last
questions."""
MOST_PAIRS = 4_000_000
"""The most pairs of last questions for which the best set is searched."""
MOST_SURVIVORS = 1_000_000
"""The most questions that a node tries on a row set."""


@dataclass(frozen=True)
class Survivor:
    """A question that may keep the limits.

    Attributes
    ----------
    question : int
        The question's number.
    is_swapped : bool
        Whether the rows that answer yes go right.
    named : float
        Number of categories that it names on these rows.
    left, right : float64[M]
        Lower bounds of the two sides in each measure.
    """

    question: int
    is_swapped: bool
    named: float
    left: Floats
    right: Floats


@dataclass(frozen=True, eq=False)
class _SideBounds:
    """Lower bounds of one child on both sides of each of a node's questions.

    Attributes
    ----------
    low : float64[2, M, A]
        The bounds on the rows that answer yes, and on the other rows.
    is_done : bool[2, A]
        Whether each side needs no further solve.
    """

    low: Floats
    is_done: Flags


class _RowSets(Search):
    """The exact search on row sets. It ends together with the list."""

    def __init__(self, encoding: Encoding, look: Callable[[], None]) -> None:
        super().__init__(encoding)
        self._look = look

    def check(self) -> None:
        self._look()


class LossBounds:
    """Lower bounds, which are stored by node and row set.

    Parameters
    ----------
    problem : Problem
        The problem.
    questions : Questions
        The problem's questions.
    costs : Costs
        The problem's costs.
    check : callable
        Called often. It raises `SearchEndedError` to end the search.
    """

    def __init__(
        self, problem: Problem, questions: Questions, costs: Costs, check: Callable[[], None]
    ) -> None:
        self.problem, self.questions, self.costs, self.check = problem, questions, costs, check
        # the bounds ignore the conditions that depend on the rows
        free = dataclasses.replace(problem, forbid_empty_branches=False, smallest_leaf=None)
        encoding = encode_fronts(free)
        self.encoding = encoding
        measures = list(zip(costs.alpha.tolist(), costs.beta.tolist(), strict=True))
        self.searches = [
            _RowSets(encoding.with_costs(int(alpha), int(beta)), check) for alpha, beta in measures
        ]
        self.base = np.minimum(
            costs.alpha[:, None] * questions.positive, costs.beta[:, None] * questions.negative
        )
        """The cost of each row that no tree avoids, in each measure: float64[M, N]."""
        self._known: dict[tuple[int, bytes], tuple[Floats, Flags]] = {}

    # ------------------------------------------------------------ of row sets

    def least(self, node: ShapeNode | None, masks: Flags, most: Floats) -> Numbers:
        """Compute lower bounds of a subtree's cost on each of B row sets, in each measure.

        Parameters
        ----------
        node : ShapeNode or None
            The subtree; None for a leaf.
        masks : bool[B, N]
            The row sets.
        most : float64[B, M]
            The largest bounds that matter. A bound up to its limit is the exact least cost.

        Returns
        -------
        float64[B, M]
        """
        if node is None or node.level == 1:
            return self._shallow(node, masks)
        packed = pack(masks)
        keys = [(id(node), row.tobytes()) for row in packed]
        known = [self._known.get(key) for key in keys]
        base = masks @ self.base.T
        low = base.copy()
        is_exact = np.repeat(~self.costs.is_bounded[None], len(low), axis=0)
        for b, found in enumerate(known):
            if found is not None:
                low[b], is_exact[b] = found
        family = self.encoding.families[node.node]
        for m, search in enumerate(self.searches):
            todo = np.flatnonzero(~is_exact[:, m] & (low <= most).all(axis=1))
            if not len(todo):
                continue
            limits = most[todo, m] + 1 - base[todo, m]
            cost = search.solve(family, packed[todo], limits, [-1] * len(todo)).cost
            low[todo, m] = np.maximum(low[todo, m], base[todo, m] + cost)
            is_exact[todo, m] = cost < limits
        self._known.update(zip(keys, zip(low, is_exact, strict=True), strict=True))
        return low

    def _shallow(self, node: ShapeNode | None, masks: Flags) -> Numbers:
        """The least cost of a leaf or a node above two leaves: float64[B, M]."""
        d = self.costs.d
        sets = masks.astype(d.dtype)
        found = np.zeros((len(masks), len(d)))
        for m in np.flatnonzero(self.costs.is_bounded).tolist():
            own = sets * d[m]
            total = own.sum(axis=1)
            low = np.minimum(0, total)
            if node is not None and len(node.asked):
                inside = own @ self.questions.inside[:, node.asked]
                low = np.minimum(low, inside.min(axis=1))
                low = np.minimum(low, total - inside.max(axis=1))
            if node is not None and node.walked:
                sums = own @ self.questions.values
                low = np.minimum(low, self._least_of_sets(node, sums))
            found[:, m] = sets @ self.costs.negative[m] + low
        return found

    def _least_of_sets(self, node: ShapeNode, sums: Floats) -> Floats:
        """Bound what the best set of a walked feature adds to the cost, from sums of d: float[B].

        The sums are float[B, V], one for each category of the categorical features.
        """
        low = np.zeros(len(sums))
        for g in node.walked:
            feature = self.problem.data.features[g]
            some = self.questions.categories(g, feature.n_values)
            low = np.minimum(low, least_of_sets(sums[:, some], most_named(self.problem, feature)))
        return low

    # ------------------------------------------------------------ of both sides of questions

    def _counted_sides(self, node: ShapeNode, child: ShapeNode | None, mask: Flags) -> _SideBounds:
        """Bounds of a leaf, or of a node above two leaves, on both sides of every question."""
        q, n = self.questions, len(node.asked)
        low = np.zeros((2, len(self.costs.alpha), n))
        parts = q.inside[mask][:, node.asked]
        asked = None if child is None or not len(child.asked) else q.inside[mask][:, child.asked]
        width = 1 if asked is None else asked.shape[1]
        size = max(1, NUMBERS_AT_ONCE // width)
        for m in np.flatnonzero(self.costs.is_bounded).tolist():
            d, negative = self.costs.d[m, mask], self.costs.negative[m, mask]
            for first in range(0, n, size):
                self.check()
                some = slice(first, first + size)
                low[:, m, some] = _both_sides(parts[:, some], asked, d, negative)
                if child is not None and child.walked:
                    self._add_sets(child, mask, parts[:, some], m, low[:, m, some])
        return _SideBounds(low, np.ones((2, n), np.bool_))

    def _add_sets(self, child: ShapeNode, mask: Flags, parts: Floats, m: int, low: Floats) -> None:
        """Lower the bounds of both sides, float64[2, A], to those of sets of categories."""
        d, negative = self.costs.d[m, mask], self.costs.negative[m, mask]
        values = self.questions.values[mask]
        inside, whole = (parts * d[:, None]).T @ values, d @ values
        called = negative @ parts
        sides = ((inside, called), (whole - inside, negative.sum() - called))
        for side, (sums, base) in enumerate(sides):
            np.minimum(low[side], base + self._least_of_sets(child, sums), out=low[side])

    def survivors(self, node: ShapeNode, mask: Flags, limits: Floats) -> list[Survivor]:
        """Find the questions that divide the rows and keep the limits, by rising bound.

        Raises
        ------
        TooManyError
            If there are more than `MOST_SURVIVORS` about a walked feature.
        """
        found = self._listed(node, mask, limits)
        for g in node.walked:
            found += self._walked(node, g, mask, limits)
        return sorted(found, key=lambda each: float(each.left[0] + each.right[0]))

    def _listed(self, node: ShapeNode, mask: Flags, limits: Floats) -> list[Survivor]:
        """The listed questions among the survivors."""
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
            self._refine(node, mask, limits, (left, right), unknown)
        named = self.questions.named(mask[None], node.asked)[0]
        return [
            Survivor(
                int(node.asked[place]), way, float(named[place]),
                left.low[int(way)][:, place], right.low[1 - int(way)][:, place],
            )
            for way in ways
            for place in np.flatnonzero(open_[way]).tolist()
        ]  # fmt: skip

    def _children_sides(self, node: ShapeNode, mask: Flags) -> tuple[_SideBounds, _SideBounds]:
        found: dict[int, _SideBounds] = {}
        for child in (node.left, node.right):
            if id(child) in found:
                continue
            if child is None or child.level == 1:
                found[id(child)] = self._counted_sides(node, child, mask)
            else:
                n = len(node.asked)
                low = np.zeros((2, len(self.costs.alpha), n))
                found[id(child)] = _SideBounds(low, np.zeros((2, n), np.bool_))
        return found[id(node.left)], found[id(node.right)]

    def _refine(
        self,
        node: ShapeNode,
        mask: Flags,
        limits: Floats,
        sides: tuple[_SideBounds, _SideBounds],
        unknown: dict[bool, Flags],
    ) -> None:
        """Solve some of the open questions, and use their bounds to raise those of others."""
        for way, open_ in unknown.items():
            places = np.array(self._next(node, open_), np.int64)
            yes = (self.questions.inside[:, node.asked[places]].T > 0) & mask
            left, right = (sides[0], int(way)), (sides[1], 1 - int(way))
            for child, (own, no), (other, other_no) in (
                (node.left, left, right),
                (node.right, right, left),
            ):
                most = limits[:, None] - other.low[other_no][:, places]
                todo = ~own.is_done[no, places]
                todo &= (own.low[no][:, places] <= most).all(axis=0)
                some = places[todo]
                if len(some):
                    masks = mask & ~yes[todo] if no else yes[todo]
                    low = self.least(child, masks, most[:, todo].T).T
                    own.low[no][:, some] = np.maximum(own.low[no][:, some], low)
                    own.is_done[no, some] = True
        for of in {id(each): each for each in sides}.values():
            self._carry_on(node, of)

    def _next(self, node: ShapeNode, open_: Flags) -> list[int]:
        """Choose the questions to solve next.

        They are the middle open question of each chain and the smallest open sets of other groups.
        """
        found: list[int] = []
        for some, is_chain in zip(node.slices(), node.chains, strict=True):
            places = some.start + np.flatnonzero(open_[some])
            if is_chain and len(places):
                found.append(int(places[len(places) // 2]))
            else:  # sets are in the order of their sizes
                found += places[:SETS_AT_ONCE].tolist()
        return found

    def _carry_on(self, node: ShapeNode, sides: _SideBounds) -> None:
        """Raise bounds to those of smaller row sets, and to sums over disjoint row sets."""
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

    # ------------------------------------------------------------ of sets of categories

    def _walked(self, node: ShapeNode, g: int, mask: Flags, limits: Floats) -> list[Survivor]:
        """The questions about a walked feature that divide the rows and keep the limits."""
        if self._has_pairs(node, g, mask):
            return self._best_sets(node, g, mask, limits)
        family = self.encoding.families[node.node]
        search = self.searches[0]
        table = search.table
        group = next(
            k for k in groups_of(table, family) if self.encoding.groups[k].features == (g,)
        )
        first, last = int(table.start[group]), int(table.start[group + 1])
        members = search.splits.column_masks(np.arange(first, last)) & pack(mask)
        weight = count(members).astype(np.float64)
        children = [node.left, node.right]
        if self._family_of(node.left) != table.low[family]:
            children.reverse()
        is_left_low = children[0] is node.left
        most = np.repeat(limits[None], last - first, axis=0)
        low, high = (self._least_of_masks(child, members, most) for child in children)
        found: list[Survivor] = []

        def raise_costs(x: int, masks: Masks, _: Numbers, rest: Numbers) -> Numbers:
            self.check()
            most = np.repeat(limits[None], len(masks), axis=0)
            most[:, 0] -= rest
            return self._least_of_masks(children[x], masks, most)[:, 0]

        def take(nodes: Nodes, split_of: Callable[[int], Subtree]) -> None:
            sides = nodes.masks
            parts = np.flatnonzero(sides[0].any(axis=1) & sides[1].any(axis=1))
            most = np.repeat(limits[None], len(sides[0]), axis=0)
            low = self._least_of_masks(children[0], sides[0], most)
            high = self._least_of_masks(children[1], sides[1], most - low)
            for i in parts[((low + high)[parts] <= limits).all(axis=1)].tolist():
                split = split_of(i)
                columns = [column - first for column in split.members]
                _, inside = self.encoding.groups[group].question(columns)
                question = self.questions.number(Split(g, inside))
                bounds = (low[i], high[i]) if is_left_low else (high[i], low[i])
                is_swapped = split.to_high == is_left_low
                named = float(len(split.members))
                found.append(Survivor(question, is_swapped, named, *bounds))
            if len(found) > MOST_SURVIVORS:
                raise TooManyError

        wanted = Wanted(lambda cost: np.asarray(cost <= limits[0]), raise_costs, take)
        bounds = low[:, 0], high[:, 0]
        walk(Sides(table, family, group, weight, members, *bounds), wanted)
        if table.low[family] == table.high[family] and not node.is_mirrored:
            found += [
                dataclasses.replace(
                    each, is_swapped=not each.is_swapped, left=each.right, right=each.left
                )
                for each in found
            ]
        return found

    def _has_pairs(self, node: ShapeNode, g: int, mask: Flags) -> bool:
        """Whether the best set for each pair of last questions is enough, and quick to find."""
        if node.level != 2 or self.costs.is_pair:
            return False
        if self.problem.smallest_leaf is not None or self.problem.forbid_empty_branches:
            return False
        children = [child for child in (node.left, node.right) if child is not None]
        if any(child.is_fixed or not set(child.walked) <= {g} for child in children):
            return False
        sizes = [3 + 2 * (0 if c is None else len(c.asked)) for c in (node.left, node.right)]
        few = len(self.questions.codes_of(mask, g)) <= FEW_CATEGORIES
        return not few and sizes[0] * sizes[1] <= MOST_PAIRS

    def _best_sets(self, node: ShapeNode, g: int, mask: Flags, limits: Floats) -> list[Survivor]:
        """Questions about a walked feature that include the best for each two features below."""
        feature = self.problem.data.features[g]
        q, costs = self.questions, self.costs
        codes = np.array(sorted(q.codes_of(mask, g)), np.int64)
        values = q.values[mask][:, q.categories(g, feature.n_values)][:, codes].astype(np.float64)
        table = CostTable(
            costs.beta[0] * (q.negative[mask] @ values),
            costs.alpha[0] * (q.positive[mask] @ values),
            most_named(self.problem, feature),
            costs.unit,
        )
        left, right = (
            self._stumps(child, g, mask, values, table) for child in (node.left, node.right)
        )
        found = []
        none = np.zeros(len(costs.alpha))
        for members in best_sets(left, right, table, limits[0], mirrored=node.is_mirrored):
            is_swapped = bool(2 * members.sum() > len(members))  # the smaller set is named
            stated = codes[~members if is_swapped else members]
            question = q.number(Split(g, frozenset(stated.tolist())))
            found.append(Survivor(question, is_swapped, float(len(stated)), none, none))
        return found

    def _stumps(
        self, child: ShapeNode | None, g: int, mask: Flags, values: Floats, table: CostTable
    ) -> Stumps:
        """The possible stumps of one side of a question about a walked feature."""
        q, costs = self.questions, self.costs
        n = values.shape[1]
        asked = np.zeros(0, np.int64) if child is None else child.asked
        inside = q.inside[mask][:, asked].astype(np.float64)
        missed = inside.T @ (values * (costs.alpha[0] * q.positive[mask])[:, None])
        alarms = inside.T @ (values * (costs.beta[0] * q.negative[mask])[:, None])
        rows, of_yes = values.sum(axis=0), inside.T @ values
        reached = (of_yes > 0).astype(np.int64) + 2 * (of_yes < rows)
        n_again = int(child is not None and g in child.walked)
        again = np.minimum(table.as_positive, table.as_negative)[None][:n_again]
        features = (
            np.zeros(0, np.int64) if child is None else np.repeat(child.features, child.sizes)
        )
        named = q.named(mask[None], asked)[0].astype(np.int64) if len(asked) else asked
        n_plain = 2 + 2 * len(asked)
        labels = np.full(n_plain + n_again, -1)
        labels[:2] = 0, 1
        both = np.full((2, n), 0b11)
        return Stumps(
            np.concatenate([[LEAF_OF_STUMPS] * 2, features, features, [g] * n_again]).astype(int),
            labels,
            np.concatenate([[0, 0], named, named, [0] * n_again]).astype(int),
            np.concatenate(
                [
                    table.as_negative[None],
                    table.as_positive[None],
                    table.as_negative - missed + alarms,
                    missed + table.as_positive - alarms,
                    again,
                ]
            ),
            np.concatenate([both, reached, reached, both[:n_again]]),
            np.arange(n_plain + n_again) >= n_plain,
        )

    def _family_of(self, child: ShapeNode | None) -> int:
        return 0 if child is None else self.encoding.families[child.node]

    def _least_of_masks(self, child: ShapeNode | None, masks: Masks, most: Floats) -> Numbers:
        """Compute the same as `least`, for row sets as bits."""
        return self.least(child, unpack(masks, self.questions.n_rows), most)


def _both_sides(parts: Floats, asked: Floats | None, d: Floats, negative: Floats) -> Floats:
    """The least cost of a leaf, or of one question, on both sides of each of A questions.

    Parameters
    ----------
    parts : float[R, A]
        1 where a row answers yes.
    asked : float[R, B] or None
        The same of the questions below; None for a leaf.
    d, negative : float[R]
        A row's cost of predicting positive minus the cost of negative, and the cost of negative.

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
