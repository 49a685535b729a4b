"""The best tree of each choice of columns that keeps the limits, by recursion over row sets.

``near(node, rows, limits)`` finds the choices of columns of a subtree on these rows, each with its
least cost, if that keeps the limits. A question divides the rows. Each side is solved up to the
limit minus a lower bound of the other side. Then each choice of one side is combined with each
choice of the other. Equal choices are merged at once. So the work grows with the number of choices,
not with the number of trees.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from odt_core.alternatives.bounds import LossBounds, Survivor
from odt_core.alternatives.category_sets import SetStates, least_costs, states_within
from odt_core.alternatives.choices import LABELS, Choices
from odt_core.alternatives.costs import Costs
from odt_core.alternatives.ends import TooManyError
from odt_core.alternatives.questions import Flags, Floats, Questions, Whole, most_named
from odt_core.alternatives.shape_nodes import ShapeNode, shape_nodes
from odt_core.problem import Problem, Split
from odt_core.solution import Assignment

PASS = -1
"""Stands for a question that sends all rows one way."""
AT_ONCE = 256
"""Number of row sets whose last questions are counted together."""
MOST_ENTRIES = 3_000_000
"""The most entries that a node keeps in memory."""
PAIRS_AT_ONCE = 4_000_000
"""The most pairs of entries from two sides that are combined at once."""
MERGED_AT = 500_000
"""Number of entries of a feature at which equal choices are merged."""

Part = tuple[int, Split | bool]
"""A node of the topology with its question, or a leaf with its label (see `Topology.left`)."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Choices of columns of a subtree on some rows, each with its best tree: E entries.

    Attributes
    ----------
    number : int64[E]
        The choice (see `Choices`).
    cost : float64[E, width]
        The least cost of the choice. If costs are pairs, each undominated pair has an entry.
    question, is_swapped : int64[E], bool[E]
        The question at the top, and whether the rows that answer yes go right. With `PASS`,
        `is_swapped` says whether all rows go right.
    left, right : int64[E]
        The choices of the two sides.
    cost_left, cost_right : float64[E, width]
        Their costs.
    """

    number: Whole
    cost: Floats
    question: Whole
    is_swapped: Flags
    left: Whole
    right: Whole
    cost_left: Floats
    cost_right: Floats

    def __len__(self) -> int:
        return len(self.number)

    def take(self, places: Whole | Flags) -> Entries:
        """Select some of the entries."""
        return Entries(*(getattr(self, name)[places] for name in self.__dataclass_fields__))

    @classmethod
    def join(cls, parts: list[Entries], width: int) -> Entries:
        """Join the entries of several parts."""
        if not parts:
            none = np.zeros(0, np.int64)
            no_cost = np.zeros((0, width))
            flags = np.zeros(0, np.bool_)
            return cls(none, no_cost, none, flags, none, none, no_cost, no_cost)
        return cls(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in cls.__dataclass_fields__
            )
        )

    @classmethod
    def plain(cls, number: Whole, cost: Floats) -> Entries:
        """Make entries without a question, for leaves and last questions (see `_build_last`)."""
        n = len(number)
        none = np.full(n, PASS, np.int64)
        return cls(number, cost, none, np.zeros(n, np.bool_), none, none, cost, cost)


class NearSearch:
    """Finds the near-optimal choices of columns of one shape.

    Parameters
    ----------
    problem : Problem
        The problem.
    choices : Choices
        The numbers of choices, which the searches of all shapes share.
    check : callable
        Called often. It raises `SearchEndedError` to end the search.
    """

    def __init__(self, problem: Problem, choices: Choices, check: Callable[[], None]) -> None:
        self.problem, self.choices, self.check = problem, choices, check
        self.questions = Questions.of(problem)
        self.nodes = shape_nodes(problem, self.questions)
        self.costs = Costs.of(problem, self.questions)
        self.bounds = LossBounds(problem, self.questions, self.costs, check)
        leaf = problem.smallest_leaf
        self.least_rows = 0 if leaf is None else leaf.rows
        self.everything = np.ones(self.questions.n_rows, np.bool_)
        self._known: dict[tuple[int, bytes], tuple[Floats, Entries]] = {}
        self._at_root: tuple[list[Entries], dict[int, list[Entries]]] = [], {}

    def root(self, limits: Floats) -> Entries:
        """Find the choices of whole trees that keep the limits."""
        return self.near(self.nodes[0], self.everything, limits)

    def so_far(self) -> Entries:
        """Return the choices of whole trees that the last search has found, even if unfinished.

        After an unfinished search, choices may be missing, and a choice may have a better tree.
        """
        parts, of_feature = self._at_root
        found = list(parts)
        for feature, entries in of_feature.items():
            found += self._numbered(feature, entries)
        whole = Entries.join(found, self.costs.width)
        return whole.take(self.costs.best(whole.number, whole.cost))

    # ------------------------------------------------------------ the recursion

    def near(self, node: ShapeNode | None, mask: Flags, limits: Floats) -> Entries:
        """Find the choices of a subtree on some rows that keep the limits.

        Parameters
        ----------
        node : ShapeNode or None
            The subtree; None for a leaf.
        mask : bool[N]
            The rows, at least one.
        limits : float64[M]
            The largest value allowed in each measure.
        """
        self.check()
        if node is None or node.level == 1:
            (entries,) = self._shallow(node, mask[None], limits[None])
            return entries.take(self.costs.within(entries.cost, limits))
        key = (id(node), np.packbits(mask).tobytes())
        known = self._known.get(key)
        if known is not None and (limits <= known[0]).all():
            return known[1].take(self.costs.within(known[1].cost, limits))
        if known is not None:
            limits = np.maximum(limits, known[0])
        entries = self._deep(node, mask, limits)
        self._known[key] = (limits, entries)
        return entries

    def _deep(self, node: ShapeNode, mask: Flags, limits: Floats) -> Entries:
        parts = self._passing(node, mask, limits)
        of_feature: dict[int, list[Entries]] = {}
        if node is self.nodes[0]:
            self._at_root = parts, of_feature
        for survivor, pair in self._divided(node, mask, limits):
            joined = self._combined(survivor, pair, limits)
            if len(joined):
                feature = self.questions.splits[survivor.question].feature
                of_feature.setdefault(feature, []).append(joined)
                self._merge_many(of_feature[feature])
        numbered = [each for pair in of_feature.items() for each in self._numbered(*pair)]
        entries = Entries.join(parts + numbered, self.costs.width)
        return entries.take(self.costs.best(entries.number, entries.cost))

    def _merge_many(self, found: list[Entries]) -> None:
        """Merge a feature's entries if there are many. They still have codes instead of numbers."""
        if sum(map(len, found)) < MERGED_AT * (1 + (len(found[0]) >= MERGED_AT)):
            return
        entries = Entries.join(found, self.costs.width)
        found[:] = [entries.take(self.costs.best(entries.number, entries.cost))]
        if len(found[0]) > MOST_ENTRIES:
            raise TooManyError

    def _divided(
        self, node: ShapeNode, mask: Flags, limits: Floats
    ) -> Iterator[tuple[Survivor, tuple[Entries, Entries]]]:
        """Yield each question that may keep the limits, with the entries of both sides."""
        found = self.bounds.survivors(node, mask, limits)
        for first in range(0, len(found), AT_ONCE):
            self.check()
            some = found[first : first + AT_ONCE]
            yes = np.array([self.questions.yes(each.question) for each in some]) & mask
            swapped = np.array([each.is_swapped for each in some])
            lefts = yes ^ (swapped[:, None] & mask)
            children = (node.left, node.right)
            masks = (lefts, mask & ~lefts)
            rest = (
                limits - np.array([each.right for each in some]),
                limits - np.array([each.left for each in some]),
            )
            ready = [
                self._shallow(*each) if each[0] is None or each[0].level == 1 else None
                for each in zip(children, masks, rest, strict=True)
            ]
            for at, each in enumerate(some):
                pair = []
                for x, child in enumerate(children):
                    counted = ready[x]
                    if counted is None:
                        entries = self.near(child, masks[x][at], rest[x][at])
                    else:
                        within = self.costs.within(counted[at].cost, rest[x][at])
                        entries = counted[at].take(within)
                    pair.append(entries)
                yield each, (pair[0], pair[1])

    def _combined(
        self, survivor: Survivor, pair: tuple[Entries, Entries], limits: Floats
    ) -> Entries:
        """Combine each choice of the left side with each of the right. The results have codes."""
        left, right = pair
        if not len(left) or not len(right):
            return Entries.join([], self.costs.width)
        a, b, cost = self._sums(left.cost, right.cost, survivor.named, limits)
        number_a, number_b = left.number[a], right.number[b]
        keys = self.choices.codes(number_a, number_b)
        # two leaves with the same label are one leaf without a question
        alike = (number_a < LABELS) & (number_a == number_b)
        keys[alike] = -1 - number_a[alike]
        cost[alike, 0] -= survivor.named
        n = len(a)
        return Entries(
            keys, cost, np.full(n, survivor.question), np.full(n, survivor.is_swapped), number_a,
            number_b, left.cost[a], right.cost[b],
        )  # fmt: skip

    def _sums(
        self, left: Floats, right: Floats, named: float, limits: Floats
    ) -> tuple[Whole, Whole, Floats]:
        """Find the pairs of costs whose sum keeps the limits: their places, and the sums."""
        found = []
        step = max(1, PAIRS_AT_ONCE // len(right))
        for first in range(0, len(left), step):
            self.check()
            total = left[first : first + step, None] + right[None]
            total[..., 0] += named
            a, b = np.nonzero(self.costs.within(total, limits))
            found.append((a + first, b, total[a, b]))
            if sum(len(each[0]) for each in found) > MOST_ENTRIES:
                raise TooManyError
        a, b, cost = (np.concatenate(each) for each in zip(*found, strict=True))
        return a, b, cost

    def _numbered(self, feature: int, found: list[Entries]) -> list[Entries]:
        """Merge the entries of one feature, and give their choices numbers."""
        entries = Entries.join(found, self.costs.width)
        entries = entries.take(self.costs.best(entries.number, entries.cost))
        is_leaf = entries.number < 0
        number = np.where(is_leaf, -1 - entries.number, 0)
        number[~is_leaf] = self.choices.numbers(feature, entries.number[~is_leaf])
        return [dataclasses.replace(entries, number=number).take(self.choices.allowed(number))]

    # ------------------------------------------------------------ all rows one way

    def _passing(self, node: ShapeNode, mask: Flags, limits: Floats) -> list[Entries]:
        """Find the entries whose question at the top sends all rows one way."""
        found = []
        for is_right in self._ways(node, mask):
            child = node.right if is_right else node.left
            below = self.near(child, mask, limits)
            n = len(below)
            found.append(
                Entries(
                    below.number, below.cost, np.full(n, PASS), np.full(n, is_right),
                    below.number, below.number, below.cost, below.cost,
                )
            )  # fmt: skip
        return found

    def _ways(self, node: ShapeNode, mask: Flags) -> tuple[bool, ...]:
        """The ways in which one question may send all rows: False is left, True is right."""
        if node.is_fixed:
            yes = self.questions.inside[mask, int(node.asked[0])]
            return () if 0 < yes.sum() < len(yes) else (not yes.all(),)
        if self.problem.forbid_empty_branches and self.passing_split(node, mask) is None:
            return ()
        return (False,) if node.is_mirrored and node.level > 1 else (False, True)

    def passing_split(self, node: ShapeNode, mask: Flags) -> Split | None:
        """Return a question to which all these rows answer no; None if there is none."""
        if not self.problem.forbid_empty_branches:
            return Split(self.problem.allowed_features(node.node)[0], frozenset())
        for g in self.problem.allowed_features(node.node):
            feature = self.problem.data.features[g]
            ends = set(range(feature.n_values))
            if feature.is_numerical:
                ends = {0, feature.n_ordered - 1, feature.n_values - 1}
            absent = ends - self.questions.codes_of(mask, g)
            if absent:
                return Split(g, frozenset({min(absent)}))
        return None

    # ------------------------------------------------------------ leaves and last questions

    def _shallow(self, node: ShapeNode | None, masks: Flags, limits: Floats) -> list[Entries]:
        """The entries of a leaf, or of a node with two leaves, on each of B row sets.

        Entries that exceed the limits, float64[B, M], may be missing.
        """
        tables = self._last_questions(masks, node)
        if self.costs.is_pair:
            return [self._undominated(node, tables, masks, limits, b) for b in range(len(masks))]
        costs = [np.where(tables.leaf_allowed, tables.leaf_costs()[:, :, 0], np.inf)]
        numbers = [np.arange(LABELS)]
        if node is not None and len(node.asked):
            each = np.where(tables.allowed, tables.question_costs(), np.inf)
            costs.append(np.minimum.reduceat(each, node.starts, axis=1))
            numbers.append(self._single(node.features.tolist()))
        if node is not None and node.walked:
            costs += [self._least_of_sets(g, masks, limits)[:, None] for g in node.walked]
            numbers.append(self._single(node.walked))
        number = np.concatenate(numbers)
        found, allowed = [], self.choices.allowed(number)
        for row in np.concatenate(costs, axis=1):
            some = np.isfinite(row) & allowed
            found.append(Entries.plain(number[some], row[some][:, None]))
        if node is not None and len(set(node.features.tolist())) < len(node.features):
            found = [each.take(self.costs.best(each.number, each.cost)) for each in found]
        return found

    def _single(self, features: Iterable[int]) -> Whole:
        """The choice of a single question, for each of some columns."""
        return np.array([self.choices.number(g, 0) for g in features], np.int64)

    def _least_of_sets(self, g: int, masks: Flags, limits: Floats) -> Floats:
        """The least cost of a question about a walked feature on each of B row sets: float64[B]."""
        if self.least_rows:  # the closed form does not know the sizes of leaves
            each = [self._set_costs(g, *pair) for pair in zip(masks, limits, strict=True)]
            return np.array([cost.min(initial=np.inf) for cost in each])
        q, costs, feature = self.questions, self.costs, self.problem.data.features[g]
        values = q.values[:, q.categories(g, feature.n_values)]
        sets = masks.astype(costs.d.dtype)
        sums = np.asarray((sets * costs.d[0]) @ values, np.float64)
        present = sets @ values > 0
        missed = np.asarray(sets @ costs.negative[0], np.float64)
        added = least_costs(sums, present, most_named(self.problem, feature), costs.unit)
        return np.asarray(missed * costs.unit + added)

    def _set_costs(self, g: int, mask: Flags, limits: Floats) -> Floats:
        """The costs of questions about a walked feature that keep the limits: float64[E, width]."""
        return self._costs_of(*self._sets_within(g, mask, limits))

    def _costs_of(self, sets: SetStates, named: Whole) -> Floats:
        return self.costs.of_errors(
            sets.fn.astype(float), sets.fp.astype(float), named.astype(float)
        )

    def _sets_within(self, g: int, mask: Flags, limits: Floats) -> tuple[SetStates, Whole]:
        """The sets of a walked feature's categories that may predict positive on some rows.

        Returns the sets, and the number of categories that each question names.
        """
        q, feature = self.questions, self.problem.data.features[g]
        codes = q.codes[mask, g]
        positive, negative, counted = (
            np.bincount(codes, weight[mask], feature.n_values).astype(np.int64)
            for weight in (q.positive, q.negative, q.counted)
        )
        sets = states_within(positive, negative, self.costs, limits, with_all=self.least_rows > 0)
        n = int((positive + negative > 0).sum())
        named = np.minimum(sets.size, n - sets.size)
        kept = (named > 0) & (named <= most_named(self.problem, feature))
        held = sets.members @ counted
        kept &= (held >= self.least_rows) & (counted.sum() - held >= self.least_rows)
        return sets.take(kept), named[kept]

    def _undominated(
        self, node: ShapeNode | None, tables: _LeafSums, masks: Flags, limits: Floats, b: int
    ) -> Entries:
        numbers = [np.arange(LABELS)[tables.leaf_allowed[b]]]
        costs = [tables.leaf_costs()[b][tables.leaf_allowed[b]]]
        if node is not None and len(node.asked):
            single = self._single(node.features.tolist())
            of_question = np.repeat(single, node.sizes)[tables.allowed[b]]
            numbers += [of_question, of_question]
            costs += [tables.one_way(way)[b][tables.allowed[b]] for way in (True, False)]
        for g in () if node is None else node.walked:
            costs.append(self._set_costs(g, masks[b], limits[b]))
            numbers.append(np.full(len(costs[-1]), self.choices.number(g, 0)))
        number, cost = np.concatenate(numbers), np.concatenate(costs)
        kept = self.costs.best(number, cost)
        kept = kept[self.choices.allowed(number[kept])]
        return Entries.plain(number[kept], cost[kept])

    def _last_questions(self, masks: Flags, node: ShapeNode | None) -> _LeafSums:
        """Count the costs of a leaf, or of a node with two leaves, on each of B row sets."""
        q, costs = self.questions, self.costs
        kind = costs.d.dtype
        rows = masks.any(axis=0)
        sets = masks[:, rows].astype(kind)
        weights = [q.positive[rows], q.negative[rows]]
        asked = np.zeros(0, np.int64) if node is None else node.asked
        inside = q.inside[rows][:, asked].astype(kind, copy=False)
        all_ = [np.asarray(sets @ w.astype(kind), np.float64) for w in weights]
        yes = [np.asarray((sets * w.astype(kind)) @ inside, np.float64) for w in weights]
        found = np.asarray(sets @ inside, np.float64)
        n_rows = sets.sum(axis=1, dtype=np.float64)[:, None]
        parts = (found > 0) & (found < n_rows)
        leaf_allowed = np.ones((len(masks), LABELS), np.bool_)
        allowed = parts
        if self.least_rows:
            held = q.counted[rows].astype(kind)
            total = np.asarray(sets @ held, np.float64)[:, None]
            of_yes = np.asarray((sets * held) @ inside, np.float64)
            large = (of_yes >= self.least_rows) & (total - of_yes >= self.least_rows)
            allowed = parts & large
            leaf_allowed &= total >= self.least_rows
            if node is not None and node.is_fixed:
                leaf_allowed &= large | ~parts
        if node is not None and not node.is_fixed and self.problem.forbid_empty_branches:
            leaf_allowed &= np.array([[bool(self._ways(node, mask))] for mask in masks])
        named = q.named(masks, asked) if len(asked) else np.zeros((len(masks), 0))
        return _LeafSums(costs, all_[0], all_[1], yes[0], yes[1], named, allowed, leaf_allowed)

    # ------------------------------------------------------------ trees

    def assignment(self, entry: Entries) -> Assignment:
        """Build the tree of a single entry."""
        if self.nodes[0].level == 1:
            found = self._build(0, self.everything, int(entry.number[0]), entry.cost[0])
        else:
            found = self._build_from(0, self.everything, entry)
        parts, topology = dict(found), self.problem.topology
        splits = {node: part for node, part in parts.items() if isinstance(part, Split)}
        return Assignment(
            tuple(splits.get(node) or self._any_split(node) for node in range(topology.n_nodes)),
            tuple(
                bool(parts.get(-1 - leaf, self.problem.fixed_label(leaf)))
                for leaf in range(topology.n_leaves)
            ),
        )

    def _any_split(self, node: int) -> Split:
        """A question for a node that no row reaches."""
        rule = self.problem.rules.at(node)
        if rule.split is not None:
            return rule.split
        g = self.problem.allowed_features(node)[0]
        return Split(g, frozenset({0} if self.problem.forbid_empty_branches else ()))

    def _build(self, child: int, mask: Flags, number: int, cost: Floats) -> Iterator[Part]:
        """Yield the questions and labels of the subtree at a child of the topology."""
        if child < 0:
            yield child, bool(number)
            return
        node = self.nodes[child]
        if node.level == 1:
            yield from self._build_last(child, mask, number, cost)
            return
        entries = self.near(node, mask, self.costs.limits_of(cost))
        at = np.flatnonzero((entries.number == number) & (entries.cost == cost).all(axis=1))
        yield from self._build_from(child, mask, entries.take(at[:1]))

    def _build_from(self, child: int, mask: Flags, entry: Entries) -> Iterator[Part]:
        """Yield the questions and labels of the subtree at a node, from the node's entry."""
        node, (left, right) = self.nodes[child], self.problem.topology.children(child)
        question, swapped = int(entry.question[0]), bool(entry.is_swapped[0])
        if question == PASS:
            yield child, self._pass(node, mask, is_right=swapped)
            below = right if swapped else left
            yield from self._build(below, mask, int(entry.number[0]), entry.cost[0])
            return
        split = self.questions.splits[question]
        yes = self.questions.yes(question) & mask
        goes_left = mask & ~yes if swapped else yes
        yield child, split.reversed(self.problem.data.features) if swapped else split
        for below, rows, number, cost in (
            (left, goes_left, entry.left, entry.cost_left),
            (right, mask & ~goes_left, entry.right, entry.cost_right),
        ):
            yield from self._build(below, rows, int(number[0]), cost[0])

    def _pass(self, node: ShapeNode, mask: Flags, *, is_right: bool) -> Split:
        """A question that sends all these rows one way."""
        if node.is_fixed:
            return self.questions.splits[int(node.asked[0])]
        split = self.passing_split(node, mask)
        assert split is not None
        return split if is_right else split.reversed(self.problem.data.features)

    def _build_last(self, child: int, mask: Flags, number: int, cost: Floats) -> Iterator[Part]:
        """Yield the question and the labels of a node with two leaves."""
        node, (left, right) = self.nodes[child], self.problem.topology.children(child)
        labels = (False, True)
        if number < LABELS:  # one leaf: all rows go one way, or both leaves have the same label
            split = self._pass(node, mask, is_right=bool(number))
            if node.is_fixed:
                labels = (bool(number), bool(number))
        else:
            split, is_yes_positive = self._last_question(node, mask, number, cost)
            if node.is_fixed:
                labels = (is_yes_positive, not is_yes_positive)
            elif is_yes_positive:
                split = split.reversed(self.problem.data.features)
        yield from ((child, split), (left, labels[0]), (right, labels[1]))

    def _last_question(
        self, node: ShapeNode, mask: Flags, number: int, cost: Floats
    ) -> tuple[Split, bool]:
        """Find a question above two leaves whose tree has this cost.

        Returns the question, and whether the leaf of its answer yes predicts positive.
        """
        for g in node.walked:
            if self.choices.number(g, 0) == number:
                return self._last_set(g, mask, cost)
        single = self._single(node.features.tolist())
        of_choice = np.flatnonzero(np.repeat(single, node.sizes) == number)
        asked = dataclasses.replace(node, asked=node.asked[of_choice])
        tables = self._last_questions(mask[None], asked)
        for is_yes_positive in (True, False):
            each = tables.one_way(is_yes_positive)[0]
            fits = (each == cost).all(axis=1) & tables.allowed[0]
            if fits.any():
                place = int(of_choice[np.flatnonzero(fits)[0]])
                return self.questions.splits[int(node.asked[place])], is_yes_positive
        raise AssertionError("no question has this cost")

    def _last_set(self, g: int, mask: Flags, cost: Floats) -> tuple[Split, bool]:
        """Find a set of a walked feature with this cost. The question names its smaller half.

        Returns the question, and whether the leaf of its answer yes predicts positive.
        """
        sets, named = self._sets_within(g, mask, self.costs.limits_of(cost))
        at = np.flatnonzero((self._costs_of(sets, named) == cost).all(axis=1))[0]
        members, is_smaller = sets.members[at], sets.size[at] == named[at]
        if not is_smaller:
            present = list(self.questions.codes_of(mask, g))
            others = np.zeros_like(members)
            others[present] = ~members[present]
            members = others
        return Split(g, frozenset(np.flatnonzero(members).tolist())), bool(is_smaller)


@dataclass(frozen=True, eq=False)
class _LeafSums:
    """The sums from which the costs of leaves and of A last questions follow, on B row sets.

    Attributes
    ----------
    positive, negative : float64[B]
        Total weights of the positive and of the negative rows.
    yes_positive, yes_negative : float64[B, A]
        The same for the rows that answer yes to each question.
    named : float64[B, A]
        Number of categories that each question names.
    allowed : bool[B, A]
        Whether the question may be asked above two leaves.
    leaf_allowed : bool[B, 2]
        Whether the whole set may be a leaf that predicts negative, and positive.
    """

    costs: Costs
    positive: Floats
    negative: Floats
    yes_positive: Floats
    yes_negative: Floats
    named: Floats
    allowed: Flags
    leaf_allowed: Flags

    def leaf_costs(self) -> Floats:
        """Costs of a leaf that predicts negative, and of a positive one: float64[B, 2, width]."""
        none = np.zeros(len(self.positive))
        fn = np.stack([self.positive, none], axis=1)
        fp = np.stack([none, self.negative], axis=1)
        return self.costs.of_errors(fn, fp, 0)

    def one_way(self, is_yes_positive: bool) -> Floats:
        """Costs of each question if yes predicts positive, or negative: float64[B, A, width]."""
        if is_yes_positive:
            missed = self.positive[:, None] - self.yes_positive
            return self.costs.of_errors(missed, self.yes_negative, self.named)
        alarms = self.negative[:, None] - self.yes_negative
        return self.costs.of_errors(self.yes_positive, alarms, self.named)

    def question_costs(self) -> Floats:
        """Costs of each question with the better labels, if costs are one number: float64[B, A]."""
        return np.minimum(self.one_way(True)[..., 0], self.one_way(False)[..., 0])
