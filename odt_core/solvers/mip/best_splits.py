"""The best split of one node if the rest of the tree is given, found by counting.

If the rest of the tree is given, each row has a worth on the left and a worth on the right. A
split's worth is a sum over the codes that it sends left. So sorting the codes (or cumulating over
bins) finds the best split exactly, under every cap, order and rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from odt_core.problem import Feature, Problem, Split

NEVER = np.iinfo(np.int64).min // 4

Codes = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]
Fits = Callable[[Codes], Flags]
"""Maps ordered codes to bool[len(codes) + 1]: at n, whether the first n codes may go left."""


@dataclass(frozen=True, eq=False)
class SideMinimum:
    """The smallest size of each side of a split, unless the side has no rows.

    Attributes
    ----------
    counted : int64[n]
        The count of each row that reaches the node.
    least : int
        The smallest sum of counts.
    """

    counted: npt.NDArray[np.int64]
    least: int

    def fits(self, problem: Problem, g: int, codes: Codes, order: Codes) -> Flags:
        """Return bool[len(order) + 1]: at n, whether the first n codes of feature g may go left."""
        sums = totals(problem, g, codes, self.counted)
        rows = totals(problem, g, codes, np.ones(len(codes), dtype=np.int64))
        fits = np.ones(len(order) + 1, dtype=np.bool_)
        left_sums = np.concatenate([[0], np.cumsum(sums[order])])
        left_rows = np.concatenate([[0], np.cumsum(rows[order])])
        for sums_here, rows_here in (
            (left_sums, left_rows),
            (sums.sum() - left_sums, rows.sum() - left_rows),
        ):
            fits &= (sums_here >= self.least) | (rows_here == 0)
        return fits


def best_split(
    problem: Problem,
    node: int,
    codes: npt.NDArray[np.integer],
    advantage: npt.NDArray[np.int64],
    minimum: SideMinimum | None = None,
) -> Split:
    """Find the allowed split of a node with the largest total worth.

    Parameters
    ----------
    problem : Problem
        The problem, with its caps and rules.
    node : int
        The decision node.
    codes : int[n, G]
        The rows that reach the node.
    advantage : int64[n]
        The worth of each row on the left minus its worth on the right.
    minimum : SideMinimum, optional
        The smallest size of each side. For a categorical feature, only sets of the codes with the
        most advantage are tried. If no split fits, the minimum is ignored.
    """
    fixed = problem.rules.at(node).split
    if fixed is not None:
        return fixed
    best: tuple[int, Split] | None = None
    for g in problem.allowed_features(node):
        fits = None if minimum is None else partial(minimum.fits, problem, g, codes)
        found = best_set(problem, g, totals(problem, g, codes, advantage), fits)
        if found is not None and (best is None or found[0] > best[0]):
            best = found[0], Split(g, found[1])
    if best is None:
        assert minimum is not None, "a problem has a question for every node"
        return best_split(problem, node, codes, advantage)
    return best[1]


def totals(
    problem: Problem,
    g: int,
    codes: npt.NDArray[np.integer],
    worth: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Return the exact sum of a worth over the rows with each code of feature g."""
    total = np.zeros(problem.data.features[g].n_values, dtype=np.int64)
    np.add.at(total, codes[:, g], worth)
    return total


def best_set(
    problem: Problem, g: int, advantage: npt.NDArray[np.int64], fits: Fits | None = None
) -> tuple[int, frozenset[int]] | None:
    """Return the worth and the codes of feature g's best set, for each code's advantage."""
    feature = problem.data.features[g]
    if feature.is_numerical:
        return _best_threshold(problem, feature, advantage, fits)
    order = np.argsort(-advantage, kind="stable")
    worth = np.concatenate([[0], np.cumsum(advantage[order])])
    allowed = allowed_sizes(problem, feature)
    if fits is not None:
        allowed = allowed & fits(order)
    worth = np.where(allowed, worth, NEVER)
    size = int(worth.argmax())
    if worth[size] == NEVER:
        return None
    return int(worth[size]), frozenset(int(code) for code in order[:size])


def allowed_sizes(problem: Problem, feature: Feature) -> npt.NDArray[np.bool_]:
    """Return bool[n_values + 1]: at n, whether a split may send n codes of a feature left."""
    n = feature.n_values
    sizes = np.arange(n + 1)
    allowed = np.ones(n + 1, dtype=np.bool_)
    if problem.caps(feature):
        assert problem.max_card is not None
        allowed &= (sizes <= problem.max_card) | (sizes >= n - problem.max_card)
    if problem.forbid_empty_branches:
        allowed[[0, n]] = False
    return allowed


def _best_threshold(
    problem: Problem, feature: Feature, advantage: npt.NDArray[np.int64], fits: Fits | None
) -> tuple[int, frozenset[int]] | None:
    """The best split by a threshold: low or high bins left, the missing bin on either side."""
    n = feature.n_ordered
    low = np.concatenate([[0], np.cumsum(advantage[:n])])
    sizes = np.arange(n + 1)
    low_alone, low_with_missing = _cuts_that_fit(feature, fits)
    outside = [frozenset[int]()]
    if feature.has_missing:
        outside.append(frozenset({n}))
    best: tuple[int, frozenset[int]] | None = None
    for extra in outside:
        more = int(advantage[n]) if extra else 0
        for is_low, worth, size in ((True, low, sizes), (False, low[-1] - low, n - sizes)):
            # High bins without the missing one go left where low bins with it go right.
            allowed = low_alone if is_low != bool(extra) else low_with_missing
            if problem.forbid_empty_branches:
                inside = size + len(extra)
                allowed = allowed & (inside > 0) & (inside < feature.n_values)
            worth = np.where(allowed, worth, NEVER)
            cut = int(worth.argmax())
            if worth[cut] == NEVER or (best is not None and worth[cut] + more <= best[0]):
                continue
            bins = range(cut) if is_low else range(cut, n)
            best = int(worth[cut]) + more, frozenset(bins) | extra
    return best


def _cuts_that_fit(feature: Feature, fits: Fits | None) -> tuple[Flags, Flags]:
    """Return the cuts that fit, bool[n_ordered + 1] without and with the missing bin left."""
    n = feature.n_ordered
    if fits is None:
        return np.ones(n + 1, dtype=np.bool_), np.ones(n + 1, dtype=np.bool_)
    codes = np.arange(feature.n_values)
    alone = fits(codes)[: n + 1]
    if not feature.has_missing:
        return alone, alone
    return alone, fits(np.roll(codes, 1))[1:]
