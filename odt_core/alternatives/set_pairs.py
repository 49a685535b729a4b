"""The best sets of categories for a walked feature's question above two last questions.

Each side of the question ends in a *stump*: a leaf, a listed question with its labels, or another
question about the same feature. If both stumps are given, each category has one cost on the left
and one on the right. The sum of the smaller costs is a lower bound. The search sends the categories
left or right, one by one. Sets are alike if they have the same sizes and the same leaves have rows.
Only the best of the sets that are alike is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from odt_core.alternatives.questions import Flags, Floats, Whole

LEAF_OF_STUMPS = -1
"""Stands for the feature of a stump that is a leaf."""
ALL_LEAVES = 0b1111
"""Bits that say that all four leaves, two of each stump, have rows."""


@dataclass(frozen=True, eq=False)
class Stumps:
    """The T possible stumps of one side of a question about n categories.

    Attributes
    ----------
    feature : int64[T]
        The feature of each stump; `LEAF_OF_STUMPS` for a leaf.
    label : int64[T]
        The class that a leaf predicts; -1 for other stumps.
    named : int64[T]
        The most categories that its question names; 0 for a leaf and for the same feature again.
    cost : float64[T, n]
        The weighted errors on each category's rows.
    leaves : int64[T, n]
        The leaves that these rows reach, as bits. A stump that is a leaf has both bits.
    is_again : bool[T]
        Whether it asks about the same feature again. Each category then gets its better label.
    """

    feature: Whole
    label: Whole
    named: Whole
    cost: Floats
    leaves: Whole
    is_again: Flags


@dataclass(frozen=True, eq=False)
class CostTable:
    """A feature's n categories that occur in a row set.

    Attributes
    ----------
    as_positive, as_negative : float64[n]
        The cost of predicting each class for each category's rows.
    most_named : int
        The most categories that a question may name.
    unit : int
        See `Costs`.
    """

    as_positive: Floats
    as_negative: Floats
    most_named: int
    unit: int


@dataclass(frozen=True, eq=False)
class _Sets:
    """S sets of categories that go left.

    Attributes
    ----------
    counts : int64[S, 3]
        Three numbers of categories: those that go left, those of them that predict positive, and
        those of the others that predict positive. The last two are 0 unless the stump of that side
        asks about the feature again.
    leaves : int64[S]
        The leaves with rows, as bits.
    loss : float64[S]
        The weighted errors so far.
    members : bool[S, n]
        The sets.
    """

    counts: Whole
    leaves: Whole
    loss: Floats
    members: Flags

    def take(self, places: Whole | Flags) -> _Sets:
        """Select some of the sets."""
        return _Sets(*(getattr(self, name)[places] for name in self.__dataclass_fields__))

    def best_of_alike(self, n: int) -> _Sets:
        """Keep the set with the fewest errors of those that are alike."""
        key = self.leaves.copy()
        for column in self.counts.T:
            key = key * (n + 1) + column
        order = np.lexsort((self.loss, key))
        first = np.append(True, np.diff(key[order]) != 0)
        return self.take(order[first])


def best_sets(
    left: Stumps, right: Stumps, table: CostTable, limit: float, *, mirrored: bool
) -> Flags:
    """Find, for each two features below, the set that goes left in their best tree.

    Parameters
    ----------
    left, right : Stumps
        The possible stumps of the two sides.
    table : CostTable
        The categories.
    limit : float
        The largest loss allowed.
    mirrored : bool
        Whether swapping the two sides changes nothing.

    Returns
    -------
    bool[F, n]
        The different sets.
    """
    found: dict[bytes, Flags] = {}
    for pairs in _pairs_by_features(left, right, limit, table.unit, mirrored):
        best, members = np.inf, None
        for least, i, j in pairs:
            if least >= best:
                break
            cost, some = _best_set(left, right, i, j, table, limit, best)
            if some is not None:
                best, members = cost, some
        if members is not None:
            found.setdefault(members.tobytes(), members)
    n = left.cost.shape[1]
    return np.array(list(found.values()), np.bool_).reshape(-1, n)


def _pairs_by_features(
    left: Stumps, right: Stumps, limit: float, unit: int, mirrored: bool
) -> Iterator[list[tuple[float, int, int]]]:
    """Group the pairs of stumps by their two features. Each has a lower bound; bounds rise."""
    bound = np.zeros((len(left.cost), len(right.cost)))
    for a, b in zip(left.cost.T, right.cost.T, strict=True):
        bound += np.minimum.outer(a, b)
    alike = (left.label[:, None] >= 0) & (left.label[:, None] == right.label)
    i, j = np.nonzero((bound <= limit) & ~alike)
    a, b = left.feature[i], right.feature[j]
    if mirrored:
        keep = a <= b
        i, j, a, b = i[keep], j[keep], a[keep], b[keep]
    named = 1 + np.maximum(left.named[i], left.is_again[i])
    named += np.maximum(right.named[j], right.is_again[j])
    least = bound[i, j] * unit + named
    order = np.lexsort((least, b, a))
    new = np.flatnonzero((np.diff(a[order]) != 0) | (np.diff(b[order]) != 0)) + 1
    for some in np.split(order, new):
        if len(some):
            yield list(zip(least[some].tolist(), i[some].tolist(), j[some].tolist(), strict=True))


def _best_set(
    left: Stumps, right: Stumps, i: int, j: int, table: CostTable, limit: float, best: float
) -> tuple[float, Flags | None]:
    """Find the cheapest set for two stumps; None unless it costs less than the best so far."""
    n = left.cost.shape[1]
    fewest = 1 + max(left.named[i], left.is_again[i]) + max(right.named[j], right.is_again[j])
    smaller = np.minimum(left.cost[i], right.cost[j])
    rest = float(smaller.sum())
    sets = _Sets(
        np.zeros((1, 3), np.int64), np.zeros(1, np.int64), np.zeros(1), np.zeros((1, n), np.bool_)
    )
    # the categories with the largest difference come first, so that bounds exclude sets early
    for at in np.argsort(-np.abs(left.cost[i] - right.cost[j]), kind="stable").tolist():
        rest -= smaller[at]
        ways = [(True, *way) for way in _ways(left, i, at, table)]
        ways += [(False, *way) for way in _ways(right, j, at, table)]
        sent = [_send(sets, at, *way) for way in ways]
        names = _Sets.__dataclass_fields__
        sets = _Sets(*(np.concatenate([getattr(each, name) for each in sent]) for name in names))
        least = sets.loss + rest
        sets = sets.take((least <= limit) & (least * table.unit + fewest < best)).best_of_alike(n)
    size = sets.counts[:, 0]
    named = np.minimum(size, n - size)
    kept = (sets.leaves == ALL_LEAVES) & (named <= table.most_named)
    total = sets.loss * table.unit + named + left.named[i] + right.named[j]
    for stumps, k, own, whole in ((left, i, 1, size), (right, j, 2, n - size)):
        if stumps.is_again[k]:
            again = np.minimum(sets.counts[:, own], whole - sets.counts[:, own])
            kept &= again <= table.most_named
            total += again
    total = np.where(kept, total, np.inf)
    if not len(total) or total.min() >= best:
        return best, None
    at = int(total.argmin())
    return float(total[at]), sets.members[at]


def _ways(stumps: Stumps, k: int, at: int, table: CostTable) -> list[tuple[float, int, int]]:
    """A category's options on a side: its errors, the leaves reached, and whether to count it."""
    if stumps.is_again[k]:
        return [(float(table.as_positive[at]), 0b01, 1), (float(table.as_negative[at]), 0b10, 0)]
    return [(float(stumps.cost[k, at]), int(stumps.leaves[k, at]), 0)]


def _send(
    sets: _Sets, at: int, to_left: bool, errors: float, leaves: int, is_counted: int
) -> _Sets:
    """Return the sets after a category goes left or right."""
    counts, members = sets.counts.copy(), sets.members
    counts[:, 0] += to_left
    counts[:, 1 if to_left else 2] += is_counted
    if to_left:
        members = members.copy()
        members[:, at] = True
    reached = sets.leaves | (leaves << (0 if to_left else 2))
    return _Sets(counts, reached, sets.loss + errors, members)
